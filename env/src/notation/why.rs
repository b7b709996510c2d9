//! The reason why a piece has no move. The code changes one thing in the position and lets the
//! engine find the moves again, so this module contains no rules.

use std::collections::BTreeSet;

use crate::{
    game::{Game, Node, Outcome, Seat},
    race::{
        Race,
        position::state::{Phase, State, sort},
        turns::{
            actions::PASS,
            text::{any_of, joined},
            throw::THROWN,
        },
    },
};

/// The largest number of positions of a turn that are visited. Larger turns get no reasons. If a
/// changed position has a larger turn, the piece counts as unable to move there.
const MOST: usize = 1 << 12;

/// The largest number of dice that are thrown together.
const MOST_DICE: usize = 4;

impl Race {
    /// Says why no piece can move in the turn of `state`: that the turn is lost, or the reasons
    /// with the names of the pieces that have not finished. `None` if a piece can move.
    pub fn idle_text(&self, state: &State) -> Option<String> {
        let is_idle = matches!(self.node(state), Node::Decision(_))
            && self
                .legal_actions(state)
                .iter()
                .all(|action| action == PASS);
        if !is_idle {
            return None;
        }
        if let Some(lost) = self.lost(state) {
            return Some(lost);
        }
        let seat = self.colour(state);
        let mut by_reason: Vec<(String, BTreeSet<String>)> = Vec::new();
        for (slot, reason) in self.reasons(state) {
            let place = state.pieces[seat][slot];
            let name = self
                .square(seat, place)
                .map_or_else(|| self.place_text(place), |square| square.to_string());
            match by_reason.iter_mut().find(|(words, _)| *words == reason) {
                _ if place == self.rules.goal => {}
                Some((_, names)) => drop(names.insert(name)),
                None => by_reason.push((reason, BTreeSet::from([name]))),
            }
        }
        let parts = by_reason
            .into_iter()
            .map(|(reason, names)| format!("{}: {reason}", joined(names, ", ")));
        Some(format!("nothing moves ({})", joined(parts, "; ")).replace(" ()", ""))
    }

    /// Says that a throw is lost in every position: it is the last throw of a row, or all throws
    /// are 0.
    fn lost(&self, state: &State) -> Option<String> {
        let (is_last, again) = (
            self.turns.notation().loses_throw(state),
            &self.rules.turn.again,
        );
        let row = is_last.then(|| {
            format!(
                "{} throws of {} in a row: ",
                state.registers[THROWN],
                any_of(again)
            )
        });
        let is_nothing = state.phase == Phase::Choose
            && self.pending_throws(state).iter().all(|&value| value == 0);
        let lost = row.or_else(|| is_nothing.then(String::new))?;
        let mut next = *state;
        self.apply_action(&mut next, PASS);
        let what = if next.phase == Phase::Throw && next.mover == state.mover {
            "throw"
        } else {
            "turn"
        };
        Some(format!("{lost}the {what} is lost"))
    }

    /// For each piece of the mover that has no move in the turn of `state`: its slot, and the
    /// reason in words. Empty within a turn, and if the turn leads through too many positions.
    pub fn reasons(&self, state: &State) -> Vec<(usize, String)> {
        if state.phase != Phase::Choose {
            return Vec::new();
        }
        let Some(turns) = self.turn_graph(state, MOST) else {
            return Vec::new();
        };
        let own = state.pieces[self.colour(state)];
        let moved: BTreeSet<u8> = turns.moves.iter().map(|next| next.from).collect();
        let idle = (0..self.pieces()).filter(|&slot| !moved.contains(&own[slot]));
        let lost = self.lost(state);
        idle.map(|slot| {
            (
                slot,
                lost.clone()
                    .unwrap_or_else(|| self.reason(state, own[slot])),
            )
        })
        .collect()
    }

    /// The reason why a piece at `place` has no move.
    fn reason(&self, state: &State, place: u8) -> String {
        let moves = |state: &State| !self.beginnings(state, place).is_empty();
        let seat = self.colour(state);
        let words = &self.rules.words;
        if place == self.rules.goal {
            return format!("it has finished: {}", self.place_text(place));
        }
        if self.rules.has_gate() && !self.rules.gate_rule.is_open(state, seat) {
            let mut open = *state;
            open.seat_marks |= 1 << seat.index();
            if moves(&open) {
                return format!("the gate opens when {} has {}", seat.name(), words.captured);
            }
        }
        if let Some(there) = self.barring(state, place, &moves) {
            return format!("it is blocked by {there}");
        }
        let (values, pairs) = self.fitting(state, place);
        if values.is_empty() && pairs.is_empty() {
            return "no throw can move it in this position".to_owned();
        }
        if self
            .pending_throws(state)
            .iter()
            .any(|value| values.contains(value))
        {
            return "the throws must be used by other pieces".to_owned();
        }
        let pairs = pairs.iter().map(|[a, b]| format!("{a},{b}"));
        format!(
            "it waits for a throw of {}",
            any_of(&Vec::from_iter(
                values.iter().map(u8::to_string).chain(pairs)
            ))
        )
    }

    /// The throws that can begin a move of a piece at `place` in the turn of `state`.
    fn beginnings(&self, state: &State, place: u8) -> BTreeSet<u8> {
        self.turn_graph(state, MOST)
            .unwrap_or_default()
            .moves
            .iter()
            .filter(|next| next.from == place)
            .filter_map(|next| next.throws.first().copied())
            .collect()
    }

    /// The pieces that block a piece at `place`: the pieces of one seat on one square, otherwise
    /// all pieces of one seat.
    fn barring(&self, state: &State, place: u8, moves: &dyn Fn(&State) -> bool) -> Option<String> {
        let own = self.colour(state);
        let others: Vec<Seat> = self
            .spec()
            .seats
            .iter()
            .filter(|&seat| seat != own)
            .chain([own])
            .collect();
        // Whether the piece could move if the pieces of `seat` on the places `is_away` were
        // elsewhere.
        let without = |seat: Seat, is_away: &dyn Fn(u8) -> bool| {
            let mut state = *state;
            let away = if seat == own {
                self.rules.goal
            } else {
                self.rules.sent_to
            };
            let pieces = &mut state.pieces[seat];
            pieces[..self.pieces()]
                .iter_mut()
                .filter(|at| is_away(**at))
                .for_each(|at| *at = away);
            sort(pieces);
            state.declared[seat] = 0;
            moves(&state)
        };
        let bars =
            |seat: Seat, at: u8| (seat != own || at != place) && self.square(seat, at).is_some();
        for &seat in &others {
            let places: BTreeSet<u8> = state.pieces[seat]
                .iter()
                .copied()
                .filter(|&at| bars(seat, at))
                .collect();
            if let Some(at) = places
                .into_iter()
                .find(|&at| without(seat, &|other| other == at))
            {
                let square = self
                    .square(seat, at)
                    .map(|square| square.to_string())
                    .unwrap_or_default();
                return Some(format!("{} on {square}", seat.letter()));
            }
        }
        let all = others
            .into_iter()
            .find(|&seat| without(seat, &|at| bars(seat, at)))?;
        Some(if all == own {
            "other pieces of its seat".to_owned()
        } else {
            format!("pieces of {}", all.name())
        })
    }

    /// The values that could move a piece at `place` in a turn of one throw, and the throws of two
    /// dice that could move it although neither of their values always could. In a series, throws
    /// that end the series are added.
    fn fitting(&self, state: &State, place: u8) -> (BTreeSet<u8>, Vec<[u8; 2]>) {
        let mut start = *state;
        start.begin_turn(state.mover);
        let outcomes = || (0..self.chance_outcomes(&start).len() as u8).map(Outcome);
        let thrown = |state: &State, outcome: Outcome| {
            let mut next = *state;
            self.apply_chance(&mut next, outcome);
            next
        };
        let is_moved = |outcome: Outcome| {
            let next = thrown(&start, outcome);
            if matches!(self.node(&next), Node::Decision(_)) {
                return !self.beginnings(&next, place).is_empty();
            }
            // Several dice, or a throw that continues a series.
            let value = self.throw_values(outcome)[0];
            outcomes().any(|other| {
                let mut next = next;
                for _ in 1..MOST_DICE {
                    next = if matches!(self.node(&next), Node::Chance(_)) {
                        thrown(&next, other)
                    } else {
                        next
                    };
                }
                self.beginnings(&next, place).contains(&value)
            })
        };
        let throws: Vec<(Vec<u8>, bool)> = outcomes()
            .map(|outcome| (self.throw_values(outcome), is_moved(outcome)))
            .collect();
        let fits = |value: &u8| {
            throws
                .iter()
                .filter(|(values, _)| values.contains(value))
                .all(|throw| throw.1)
        };
        let values: BTreeSet<u8> = throws
            .iter()
            .flat_map(|(values, _)| values)
            .copied()
            .filter(fits)
            .collect();
        let pairs = throws
            .iter()
            .filter(|(_, is_moved)| *is_moved)
            .filter_map(|(throw, _)| <[u8; 2]>::try_from(&throw[..]).ok())
            .filter(|throw| !throw.iter().any(|value| values.contains(value)))
            .collect();
        (values, pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reasons(position: &str) -> Vec<String> {
        let (race, state) = Race::parse_position(position).expect("a position");
        race.reasons(&state)
            .into_iter()
            .map(|(slot, reason)| format!("{slot}: {reason}"))
            .collect()
    }

    #[test]
    fn pieces_without_a_move_say_why() {
        assert_eq!(
            reasons("ashtapada S:off,30/N:off,23 S 2"),
            ["0: it waits for a throw of 1"]
        );
        assert_eq!(reasons("ashtapada S:off,30/N:off,23 S 1,2"), [""; 0]);
        let home = "it has finished: home";
        assert_eq!(
            reasons("ashte-kashte S:40,45,home,home/N:hand,hand,hand,hand S 3"),
            [format!("2: {home}"), format!("3: {home}")]
        );
        let has = |position: &str, reason: &str| {
            let found = reasons(position);
            assert!(found.iter().any(|one| one == reason), "{found:?}");
        };
        has(
            "ashte-kashte S:hand,4,7,16/N:2,6,9,20 S 2",
            "3: it is blocked by N on A4",
        );
        has(
            "ashte-kashte S:7,8,35,47/N:8,12,23,45 N 8",
            "3: it waits for a throw of 1, 2 or 3",
        );
        has(
            "thaayam S:4,7,13,keep/N:off,23,23,keep S 1,3",
            "3: it is blocked by other pieces of its seat",
        );
        has(
            "saturankam S:54,72/N:off,home N 1,4",
            "0: it waits for a throw of 1,1",
        );
        has(
            "ashtapada S:19,59/N:57,keep N 3",
            "1: it waits for a throw of 1",
        );
        has(
            "ludo S:hand,hand,hand,7/N:hand,hand,hand,3 S 6*3",
            "3: 3 throws of 6 in a row: the turn is lost",
        );
        assert_eq!(
            reasons("pagade S:60,74,75,76/N:6,7,12,12 S 1,1"),
            ["3: the gate opens when South has cut"]
        );
    }

    #[test]
    fn a_turn_without_a_move_says_why_and_names_the_pieces() {
        let idle = |position: &str| {
            let (race, state) = Race::parse_position(position).expect("a position");
            race.idle_text(&state)
        };
        let says = |position: &str, words: &str| {
            assert_eq!(idle(position).as_deref(), Some(words), "{position}")
        };
        says(
            "ludo S:hand,hand,hand,7/N:hand,hand,hand,3 S 6*3",
            "3 throws of 6 in a row: the turn is lost",
        );
        says(
            "ur S:hand,hand,hand,hand,hand,3,9/N:hand,hand,hand,hand,hand,hand,home S 0",
            "the turn is lost",
        );
        says(
            "ashtapada S:off,off/N:off,23 S 2",
            "nothing moves (off: it waits for a throw of 1)",
        );
        for movable in [
            "ludo S:hand,hand,hand,7/N:hand,hand,hand,3 S 6*2",
            "ashtapada S:off,30/N:off,23 S 2",
        ] {
            assert_eq!(idle(movable), None);
        }
    }

    #[test]
    fn every_piece_without_a_move_has_one_reason() {
        use crate::{chance, notation::test_support::random_play, sheet::builtin};
        for game in builtin::names() {
            let mut checked = 0;
            random_play(game, 2, chance::stream(7, 1), 300, |race, state, rng| {
                let turns = race.turn_graph(state, usize::MAX).expect("no bound");
                let own = state.pieces[race.colour(state)];
                let moved: Vec<u8> = turns.moves.iter().map(|next| next.from).collect();
                let idle: Vec<usize> = (0..race.pieces())
                    .filter(|&slot| !moved.contains(&own[slot]))
                    .collect();
                let reasons = race.reasons(state);
                let slots: Vec<usize> = reasons.iter().map(|&(slot, _)| slot).collect();
                assert_eq!(slots, idle, "{}", race.print(state));
                checked += reasons.len();
                *state = turns.ends[chance::below(turns.ends.len(), rng)].0;
            });
            assert!(checked > 0, "{game}");
        }
    }
}
