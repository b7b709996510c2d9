//! Numbering of the side positions of a seat.

use indexmap::IndexSet;

use super::{IndexError, Side, SideInfo};
use crate::{
    game::{Game, Seat},
    race::{
        Race,
        position::state::{MAX_PIECES, NO_PIECE, State},
    },
};

/// The numbered side positions of a ruleset. Each has the places of the pieces in ascending order
/// with fillers last, and a mark: whether the seat has captured or entered, and its declared twins.
/// It also has the registers at the start of a turn or of its next throw. They are 0 for every seat
/// that does not throw next.
#[derive(Clone, Debug)]
pub struct SideList {
    pub infos: Vec<SideInfo>,
    sides: IndexSet<([u8; MAX_PIECES], u8, [u8; 3])>,
    /// The bits of marks that distinguish side positions. Other bits make no difference to play.
    marks: u8,
}

/// The mark of a seat that has captured or entered. The bits below are the slots of declared units.
pub const SEAT_MARK: u8 = 1 << 7;

/// With more arrangements than this, numbering fails before any arrangement is checked.
const MOST_COUNTED: u64 = 1 << 19;

/// This value means that the rules exclude a side position.
const NONE: Side = Side::MAX;

impl SideList {
    /// Finds the side positions of `race`.
    ///
    /// # Errors
    /// Fails if there are more side positions than a [`Side`] can number.
    pub fn new(race: &Race) -> Result<SideList, IndexError> {
        let pieces = race.pieces();
        let last = race.rules.goal;
        let declared = if race.rules.declares() {
            1 << pieces
        } else {
            1
        };
        let has_gate = !race.rules.gate_rule.is_open_to_all;
        let seat_marks = if has_gate || race.rules.remembers_entry {
            2
        } else {
            1
        };
        let marks: Vec<u8> = (0..seat_marks)
            .flat_map(|seat_mark| {
                (0..declared).map(move |declared| declared | (seat_mark * SEAT_MARK))
            })
            .collect();
        let arrangements =
            (1..=pieces as u64).fold(1, |count, piece| count * (u64::from(last) + piece) / piece);
        let starts = race.registers.starts();
        if arrangements > MOST_COUNTED {
            return Err(IndexError::TooManySides(
                arrangements * marks.len() as u64 * starts.len() as u64,
            ));
        }
        let (mut found, mut count) = (Vec::new(), 0);
        let mut places = [NO_PIECE; MAX_PIECES];
        places[..pieces].fill(0);
        loop {
            for &mark in &marks {
                if let Some(info) = info(race, places, mark) {
                    count += starts.len();
                    // Side positions beyond the last number are only counted.
                    if count < usize::from(NONE) {
                        let side = |&registers| {
                            (info.height, info.layer, info.steps, places, mark, registers)
                        };
                        found.extend(starts.iter().map(side));
                    }
                }
            }
            if !advance(&mut places[..pieces], last) {
                break;
            }
        }
        if count >= usize::from(NONE) {
            return Err(IndexError::TooManySides(count as u64));
        }
        found.sort_unstable();
        Ok(SideList {
            infos: found
                .iter()
                .map(|&(height, layer, steps, ..)| SideInfo {
                    steps,
                    layer,
                    height,
                })
                .collect(),
            sides: found
                .iter()
                .map(|&(.., places, mark, registers)| (places, mark, registers))
                .collect(),
            marks: marks.iter().fold(0, |bits, mark| bits | mark),
        })
    }

    /// Returns the places in ascending order, fillers last.
    #[inline]
    pub fn places(&self, side: Side) -> &[u8; MAX_PIECES] {
        &self.sides[usize::from(side)].0
    }

    #[inline]
    pub fn mark(&self, side: Side) -> u8 {
        self.sides[usize::from(side)].1
    }

    /// Returns the registers of a seat with this side position that throws next.
    #[inline]
    pub fn registers(&self, side: Side) -> [u8; 3] {
        self.sides[usize::from(side)].2
    }

    /// Returns the number of a side position. Places must be in ascending order, fillers last.
    pub fn number(&self, places: [u8; MAX_PIECES], mark: u8, registers: [u8; 3]) -> Side {
        self.sides
            .get_index_of(&(places, mark, registers))
            .map_or(NONE, |side| side as Side)
    }

    /// Returns the side position of `seat` with these registers, or `None` if the rules exclude it.
    pub fn of(&self, state: &State, seat: Seat, registers: [u8; 3]) -> Option<Side> {
        let mark = if state.has_mark(seat) { SEAT_MARK } else { 0 } | state.declared[seat];
        Some(self.number(state.pieces[seat], mark & self.marks, registers))
            .filter(|&side| side != NONE)
    }
}

/// Advances to the next places in ascending order; the lowest slot changes fastest. Returns `false`
/// after the last.
fn advance(places: &mut [u8], last: u8) -> bool {
    let limit = |slot: usize| places.get(slot + 1).copied().unwrap_or(last);
    let Some(slot) = (0..places.len()).find(|&slot| places[slot] < limit(slot)) else {
        return false;
    };
    places[slot] += 1;
    places[..slot].fill(0);
    true
}

/// Returns the facts of a side position for solvers, or `None` if the rules exclude it or all
/// pieces have finished.
fn info(race: &Race, places: [u8; MAX_PIECES], mark: u8) -> Option<SideInfo> {
    let seat = race.spec().seats.iter().next()?;
    let pieces = race.pieces();
    let mut state = State::empty(seat);
    state.pieces[seat] = places;
    let steps = places[..pieces]
        .iter()
        .map(|&place| u16::from(race.rules.steps(place)))
        .sum();
    (state.declared[seat], state.seat_marks) =
        (mark % SEAT_MARK, (mark / SEAT_MARK) << seat.index());
    let is_beyond = places[..pieces]
        .iter()
        .any(|&place| place >= race.rules.gate);
    if is_beyond && race.rules.has_gate() && !race.rules.gate_rule.is_open(&state, seat) {
        return None;
    }
    if race.rules.remembers_entry
        && !state.has_mark(seat)
        && places[..pieces].iter().any(|&place| place > 0)
    {
        return None;
    }
    // Places are in ascending order. On the same place, pieces of declared units are last.
    let marked = |slot: usize| (places[slot], mark >> slot & 1);
    if (1..pieces).any(|slot| marked(slot - 1) > marked(slot)) {
        return None;
    }
    let finished = places[..pieces]
        .iter()
        .filter(|&&place| place >= race.rules.finished_from)
        .count() as u8;
    let is_marked = mark >= SEAT_MARK;
    if usize::from(finished) == pieces || race.check_seat(&state, seat).is_err() {
        return None;
    }
    Some(SideInfo {
        steps,
        layer: 2 * finished + u8::from(is_marked),
        height: finished + u8::from(is_marked),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sheet::ruleset::Ruleset;

    fn list(text: &str) -> SideList {
        let seats = Ruleset::default_seats(2).expect("two seats");
        SideList::new(&Race::new(Ruleset::parse(text, seats).expect("valid"))).expect("few enough")
    }

    #[test]
    fn numbers_lead_back_to_their_side_positions() {
        for text in [
            "ashtapada",
            "ashtapada?twins=bell",
            "ashte-kashte?pieces=2&entry=start_is_one",
            "pagade?pieces=2",
            "main-pacheh?max_throws=3&pieces=2",
        ] {
            let list = list(text);
            for side in 0..list.infos.len() as Side {
                assert_eq!(
                    list.number(*list.places(side), list.mark(side), list.registers(side)),
                    side,
                    "{text}"
                );
            }
            assert!(
                list.infos
                    .is_sorted_by_key(|info| (info.height, info.layer, info.steps)),
                "{text}"
            );
        }
    }
}
