//! Which pieces stand where an enemy could soon capture them, and on which places a seat would capture an enemy.
//!
//! Both are relations of two pieces, which a network would have to learn anew for each pair of squares. Here each is
//! one look into a table for each piece and enemy: where squares lie on the courses decides, nothing else. Whether the
//! way is barred, whether a piece may go there at all, and what becomes of the rest of the throws is left to the
//! network.

use crate::game::{MAX_SEATS, Seat};
use crate::race::Seating;
use crate::race::rules::Rules;
use crate::race::state::{MAX_PIECES, State};
use crate::sheet::TurnKind;

/// How likely an enemy's throw must be to bring it onto a piece: each is a level of exposure, the next implies it.
pub(crate) const LEVELS: [f32; 2] = [1.0 / 16.0, 1.0 / 4.0];

/// Entries of a table by place: no course has more.
const PLACES: usize = 128;

/// Places as bits, one set for each level.
type Sets = [u128; LEVELS.len()];

/// The exposure of a seat's pieces under one ruleset.
#[derive(Clone, Debug)]
pub(crate) struct Exposure {
    seating: Seating,
    /// `reached[quarters][place]`: the places of a seat that a piece on `place` of the seat so many quarters
    /// counter-clockwise reaches, if that is an enemy.
    reached: Box<[[Sets; PLACES]; MAX_SEATS]>,
    /// `met[quarters][place]`: the place, as a bit, on which a seat captures a piece that stands on `place` of the seat
    /// so many quarters counter-clockwise, if that is an enemy.
    met: Box<[[u128; PLACES]; MAX_SEATS]>,
}

impl Exposure {
    pub(crate) fn new(rules: &Rules, seating: Seating) -> Exposure {
        let is_enemy = [false, true, !rules.has_teams(), true];
        let mut reached = Box::new([[[0; LEVELS.len()]; PLACES]; MAX_SEATS]);
        let mut met = Box::new([[0; PLACES]; MAX_SEATS]);
        let chances = chances(rules);
        for quarters in (0..MAX_SEATS).filter(|&quarters| is_enemy[quarters]) {
            for place in 0..PLACES as u8 {
                let Some(target) = landing(rules, place, quarters) else { continue };
                met[quarters][target] |= 1 << place;
                for (steps, chance) in chances.iter().enumerate().take(target + 1) {
                    let sets: &mut Sets = &mut reached[quarters][target - steps];
                    for (set, least) in sets.iter_mut().zip(LEVELS) {
                        *set |= u128::from(*chance >= least) << place;
                    }
                }
            }
        }
        // A piece that waits comes as far as one on the place from which it is counted.
        reached.iter_mut().for_each(|rows| rows[0] = rows[usize::from(rules.entry)]);
        Exposure { seating, reached, met }
    }

    /// The places on which a piece can be exposed.
    pub(crate) fn places(&self) -> impl Iterator<Item = u8> {
        let all = self.reached.iter().flatten().fold(0, |all, sets| all | sets[0]);
        (0..PLACES as u8).filter(move |place| all >> place & 1 == 1)
    }

    /// The places on which `owner` would capture a single piece of an enemy, as bits.
    #[inline]
    pub(crate) fn met_by(&self, state: &State, owner: Seat) -> u128 {
        let mut met = 0;
        for &other in self.seating.others(owner) {
            let quarters = (other.index() + MAX_SEATS - owner.index()) % MAX_SEATS;
            let pieces = &state.pieces[other.index()];
            for slot in (0..self.seating.pieces).filter(|&slot| is_single(pieces, slot)) {
                met |= self.met[quarters][usize::from(pieces[slot]) % PLACES];
            }
        }
        met
    }

    /// Calls `found` with the place and the highest level of each single piece of `owner` that is exposed.
    #[inline]
    pub(crate) fn of(&self, state: &State, owner: Seat, mut found: impl FnMut(u8, usize)) {
        let mut reached: Sets = [0; LEVELS.len()];
        for &other in self.seating.others(owner) {
            let quarters = (other.index() + MAX_SEATS - owner.index()) % MAX_SEATS;
            for &enemy in &state.pieces[other.index()][..self.seating.pieces] {
                let sets = &self.reached[quarters][usize::from(enemy) % PLACES];
                reached.iter_mut().zip(sets).for_each(|(reached, set)| *reached |= set);
            }
        }
        let own = &state.pieces[owner.index()];
        for slot in 0..self.seating.pieces {
            let place = own[slot];
            let is_reached = |level: usize| reached[level].wrapping_shr(u32::from(place)) & 1 == 1;
            if is_single(own, slot) && is_reached(0) {
                found(place, usize::from(is_reached(1)));
            }
        }
    }
}

/// Whether no other piece of its owner stands where the piece of `slot` stands; `pieces` ascend.
#[inline]
fn is_single(pieces: &[u8; MAX_PIECES], slot: usize) -> bool {
    let is_other = |other: usize| other >= MAX_PIECES || pieces[other] != pieces[slot];
    is_other(slot.wrapping_sub(1)) && is_other(slot + 1)
}

/// The place that the seat `quarters` counter-clockwise has on the square that is `place` of South, where pieces can be
/// captured.
fn landing(rules: &Rules, place: u8, quarters: usize) -> Option<usize> {
    if rules.contested >> place & 1 == 0 {
        return None;
    }
    let cell = rules.cells[0][usize::from(place)];
    rules.cells[Seat::SOUTH.rotated(quarters).index()].iter().position(|&other| other == cell)
}

/// By number of steps: the probability of a throw with which one piece can go so far.
fn chances(rules: &Rules) -> [f32; 64] {
    let mut chances = [0.0; 64];
    for (throw, probability) in rules.outcomes.iter().zip(&rules.chances) {
        let [a, b] = throw.values.map(usize::from);
        let steps: Vec<usize> = match rules.sheet.turn.kind {
            TurnKind::Throw | TurnKind::Series => vec![a],
            TurnKind::Dice if a == b => vec![a, a + b],
            TurnKind::Dice => vec![a, b, a + b],
            TurnKind::Divide => (1..=a + b).collect(),
        };
        steps.into_iter().for_each(|steps| chances[steps] += probability);
    }
    chances
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::race::Race;
    use crate::ruleset::Ruleset;

    fn exposed(position: &str, owner: Seat) -> Vec<(u8, usize)> {
        let (race, state) = Race::parse(position).expect("a position");
        let mut found = Vec::new();
        Exposure::new(&race.rules, race.seating).of(&state, owner, |place, level| found.push((place, level)));
        found
    }

    /// The distances at which a piece on its own is exposed, by level.
    fn distances(rules: &Rules) -> [Vec<usize>; LEVELS.len()] {
        let chances = chances(rules);
        LEVELS.map(|least| (1..chances.len()).filter(|&steps| chances[steps] >= least).collect())
    }

    #[test]
    fn distances_are_those_of_likely_throws() {
        let race = |text: &str| {
            Race::new(Ruleset::parse(text, Ruleset::default_seats(2).expect("two seats")).expect("a ruleset"))
        };
        assert_eq!(distances(&race("ashtapada").rules), [vec![1, 2, 3, 4, 8], vec![1, 2, 3]]);
        assert_eq!(distances(&race("ashtapada?zero_value=5").rules), [vec![1, 2, 3, 4, 5], vec![1, 2, 3]]);
        assert_eq!(distances(&race("ashte-kashte").rules), [vec![1, 2, 3, 4, 8], vec![1, 2, 3]]);
        let sums = vec![1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12];
        assert_eq!(distances(&race("pagade").rules), [sums, vec![1, 3, 4, 6, 7]]);
    }

    #[test]
    fn single_pieces_within_a_throw_are_exposed() {
        // The opposite seat's 10 is South's 10 + 34 = 44 and the other way about.
        let ahead = |south: u8| format!("pagade S:20,20,{south},70/N+:10,80,80,80 S *");
        assert_eq!(exposed(&ahead(45), Seat::SOUTH), [(45, 1)]);
        assert_eq!(exposed(&ahead(46), Seat::SOUTH), [(46, 0)]);
        assert_eq!(exposed(&ahead(55), Seat::SOUTH), []);
        assert_eq!(exposed(&ahead(43), Seat::SOUTH), []);
        assert_eq!(exposed(&ahead(43), Seat::NORTH), [(10, 1)]);
    }

    #[test]
    fn doubles_protected_squares_and_partners_are_not_exposed() {
        assert_eq!(exposed("ashte-kashte S:11,11,30,31/N:hand,hand,hand,hand N *", Seat::SOUTH), []);
        // South's 14 is North's 2, South's 12 its protected start.
        assert_eq!(exposed("ashte-kashte?pieces=2 S:12,14/N:hand,1 N *", Seat::SOUTH), [(15, 1)]);
        let team = "pagade?teams=true S+:45,80,80,80/E+:80,80,80,80/N+:10,80,80,80/W+:80,80,80,80 S *";
        assert_eq!(exposed(team, Seat::SOUTH), []);
    }

    #[test]
    fn single_pieces_of_enemies_can_be_met() {
        let met = |position: &str| {
            let (race, state) = Race::parse(position).expect("a position");
            let met = Exposure::new(&race.rules, race.seating).met_by(&state, Seat::SOUTH);
            (0..PLACES).filter(|place| met >> place & 1 == 1).collect::<Vec<_>>()
        };
        // North's 10 is South's 44; doubles, partners and pieces at home or in the belly are none of South's business.
        assert_eq!(met("pagade S:1,2,3,4/N+:10,20,20,80 S *"), [44]);
        assert_eq!(met("pagade?teams=true S+:45,80,80,80/E+:80,80,80,80/N+:10,80,80,80/W+:80,80,80,80 S *"), [0; 0]);
        // South's 14 is North's 2, and South's 12 is protected.
        assert_eq!(met("ashte-kashte?pieces=2 S:hand,hand/N:2,12 S *"), [15]);
    }
}
