//! Descriptions of turns: the kind of a move and its visible effects, in words.
//!
//! They serve people and the classification of moves. They know nothing of values, and of the rules only the visible
//! part: which pieces left the board, came home, stand where.

use ashta_env::game::{Action, Game, Node, Seat};
use ashta_env::race::Race;
use ashta_env::race::actions;
use ashta_env::race::state::State;
use ashta_env::sheet::{BonusOrder, UnitKind};
use serde::Serialize;

/// The main effect of a turn; of several the first of this list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnEffect {
    /// It captured with the front piece, which alone moved.
    CaptureInFront,
    /// It captured otherwise.
    Capture,
    /// It brought a piece to the end of its course, or bore one off.
    Home,
    /// It brought a piece onto the board.
    Enter,
    /// It moved two pieces that stand on one square, together.
    Together,
    /// It brought two pieces onto one square.
    Join,
    /// It parted pieces that stood on one square.
    Part,
    /// It moved the front piece alone.
    Front,
    /// It moved the rear piece alone.
    Rear,
    /// It moved a piece between, or several.
    Others,
    /// It moved nothing.
    Nothing,
}

/// The effects of a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TurnFacts {
    captured: usize,
    home: usize,
    borne: usize,
    entered: usize,
    together: bool,
    joined: usize,
    parted: usize,
    run: MovedPiece,
    /// Steps that the own pieces have gained.
    steps: i32,
    /// Own single pieces that stand within an enemy's throw afterwards, and the enemy's within the own.
    exposed: usize,
    threatened: usize,
    throws_again: bool,
}

/// Which of the pieces on the board moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum MovedPiece {
    None,
    Only,
    Front,
    Rear,
    Middle,
    Several,
}

/// Those of `places` that are not in `others`, each as often as it is missing there.
fn without(places: &[u8], others: &[u8]) -> Vec<u8> {
    let mut others = others.to_vec();
    let is_left = |place: &u8| others.iter().position(|other| other == place).map(|at| others.remove(at)).is_none();
    places.iter().copied().filter(is_left).collect()
}

/// The places that occur at least twice among sorted ones.
fn doubles(places: &[u8]) -> Vec<u8> {
    let groups = places.chunk_by(|a, b| a == b);
    groups.filter(|group| group.len() > 1).map(|group| group[0]).collect()
}

impl TurnFacts {
    /// The effects of the turn of `seat` that led by `actions` from the decision `before` to `after`, in a game of two
    /// seats.
    pub fn new(race: &Race, before: &State, actions: &[Action], after: &State, seat: Seat) -> TurnFacts {
        let pieces = race.pieces();
        let enemy = race.spec().seats.iter().find(|&other| other != seat).unwrap_or(seat);
        let places = |state: &State, seat: Seat| race.places(state, seat)[..pieces].to_vec();
        let (old, new) = (places(before, seat), places(after, seat));
        let on_board = |places: &[u8]| -> Vec<u8> {
            places.iter().copied().filter(|&place| race.square(seat, place).is_some()).collect()
        };
        let off_board = |places: &[u8]| places.iter().filter(|&&place| place == race.waiting_place()).count();
        let at_end =
            |places: &[u8]| places.iter().filter(|&&place| place > 0 && race.square(seat, place).is_none()).count();
        let borne = |places: &[u8]| places.iter().filter(|&&at| race.bears_off() && at == race.last_place()).count();
        let (old_board, new_board) = (on_board(&old), on_board(&new));
        let (old_doubles, new_doubles) = (doubles(&old_board), doubles(&new_board));
        let moved = on_board(&without(&old, &new));
        let run = match (old_board.as_slice(), moved.as_slice()) {
            (_, []) => MovedPiece::None,
            ([_], _) => MovedPiece::Only,
            ([.., front], [from]) if from == front => MovedPiece::Front,
            ([rear, ..], [from]) if from == rear => MovedPiece::Rear,
            (_, [_]) => MovedPiece::Middle,
            _ => MovedPiece::Several,
        };
        // Where a step can come before its throw, the actions of pairs are those of the step.
        let are_pairs = race.ruleset().sheet().turn.bonus_order == BonusOrder::After;
        let total = |places: &[u8]| places.iter().map(|&place| i32::from(place)).sum::<i32>();
        TurnFacts {
            captured: off_board(&places(after, enemy)).saturating_sub(off_board(&places(before, enemy))),
            home: at_end(&new).saturating_sub(at_end(&old)),
            borne: borne(&new).saturating_sub(borne(&old)),
            entered: off_board(&old).saturating_sub(off_board(&new)),
            together: are_pairs && actions.iter().any(|&action| actions::is_pair(action, race.pieces())),
            joined: new_doubles.iter().filter(|place| !old_doubles.contains(place)).count(),
            parted: old_doubles.iter().filter(|place| !new_doubles.contains(place)).count(),
            run,
            steps: total(&new) - total(&old),
            exposed: race.exposed_pieces(after, seat),
            threatened: race.exposed_pieces(after, enemy),
            throws_again: race.node(after) == Node::Chance(seat),
        }
    }

    /// Its main effect.
    pub fn kind(&self) -> TurnEffect {
        match self {
            TurnFacts { captured: 1.., run: MovedPiece::Front | MovedPiece::Only, .. } => TurnEffect::CaptureInFront,
            TurnFacts { captured: 1.., .. } => TurnEffect::Capture,
            TurnFacts { home: 1.., .. } | TurnFacts { borne: 1.., .. } => TurnEffect::Home,
            TurnFacts { entered: 1.., .. } => TurnEffect::Enter,
            TurnFacts { together: true, .. } => TurnEffect::Together,
            TurnFacts { joined: 1.., .. } => TurnEffect::Join,
            TurnFacts { parted: 1.., .. } => TurnEffect::Part,
            TurnFacts { run: MovedPiece::Front | MovedPiece::Only, .. } => TurnEffect::Front,
            TurnFacts { run: MovedPiece::Rear, .. } => TurnEffect::Rear,
            TurnFacts { run: MovedPiece::Middle | MovedPiece::Several, .. } => TurnEffect::Others,
            TurnFacts { run: MovedPiece::None, .. } => TurnEffect::Nothing,
        }
    }

    /// All of it in words, a phrase for each fact.
    pub fn words(&self, race: &Race) -> Vec<String> {
        let sheet = race.ruleset().sheet();
        let word = &sheet.words.unit;
        let pair = match sheet.unit.kind {
            UnitKind::Together if word.ends_with('s') => word.clone(),
            UnitKind::Together => format!("a {word}"),
            UnitKind::None | UnitKind::Declared => "two on one square".to_owned(),
        };
        let count = |count: usize| match count {
            0 => "no piece".to_owned(),
            1 => "one piece".to_owned(),
            count => format!("{count} pieces"),
        };
        let mut words = Vec::new();
        let mut say = |is_so: bool, phrase: String| words.extend(is_so.then_some(phrase));
        say(self.captured > 0, format!("captures {}", count(self.captured)));
        say(self.home > 0, format!("brings {} home", count(self.home)));
        say(self.borne > 0, format!("bears {} off", count(self.borne)));
        say(self.entered > 0, format!("enters {}", count(self.entered)));
        say(self.together, format!("moves {pair} together"));
        say(self.joined > 0 && !self.together, format!("makes {pair}"));
        say(self.parted > 0 && !self.together, format!("parts {pair}"));
        let run = match self.run {
            MovedPiece::None => "moves nothing on the board",
            MovedPiece::Only => "moves its only piece on the board",
            MovedPiece::Front => "moves the front piece alone",
            MovedPiece::Rear => "moves the rear piece alone",
            MovedPiece::Middle => "moves a piece between front and rear",
            MovedPiece::Several => "moves several pieces",
        };
        say(!self.together, run.to_owned());
        say(true, format!("gains {} steps", self.steps));
        say(self.throws_again, "throws again".to_owned());
        say(true, format!("leaves {} within an enemy's throw", count(self.exposed)));
        say(true, format!("has {} of the enemy within a throw", count(self.threatened)));
        words
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ashta_env::turn::{TurnResults, turn_results};

    /// The facts of every result of a position, with the turn in words.
    fn facts(position: &str) -> Vec<(String, TurnEffect, Vec<String>)> {
        let (race, state) = Race::parse_position(position).expect("a position");
        let Node::Decision(seat) = race.node(&state) else { panic!("{position} is no decision") };
        let mut results = TurnResults::new();
        turn_results(&race, &state, &mut results);
        let describe = |index| {
            let facts = TurnFacts::new(&race, &state, results.actions(index), results.state(index), seat);
            (race.turn_text(&state, results.actions(index)), facts.kind(), facts.words(&race))
        };
        (0..results.len()).map(describe).collect()
    }

    #[track_caller]
    fn kinds(position: &str, expected: &[(&str, TurnEffect)]) {
        let found = facts(position);
        for (turn, kind) in expected {
            let is_this = |(text, ..): &&(String, TurnEffect, Vec<String>)| text.starts_with(turn);
            let (_, found, words) = found.iter().find(is_this).unwrap_or_else(|| panic!("{turn}: {found:?}"));
            assert_eq!(found, kind, "{turn}: {words:?}");
        }
    }

    #[test]
    fn turns_have_a_kind() {
        kinds(
            "ashtapada S:5,30/N:off,23 S 4,2",
            &[
                ("B2 to B6 by 4", TurnEffect::Others),
                ("B2 to C7 by 4+2", TurnEffect::Front),
                ("H3 to G8 by 4+2", TurnEffect::Rear),
            ],
        );
        kinds("ashtapada S:5,30/N:off,23 S 4,2", &[("H3 to H7 by 4", TurnEffect::Capture)]);
        kinds("ashtapada S:off,5/N:off,off S 1,2", &[("enter on E1", TurnEffect::Enter)]);
        kinds("ashtapada S:5,30/N:off,46 S 4,2", &[("B2 to C7 by 4+2, captures", TurnEffect::CaptureInFront)]);
        kinds("ashtapada S:33,33/N:off,off S 1,1,2", &[("B5 to B7 by 1+1, then B5", TurnEffect::Join)]);
        kinds("ashtapada S:6,6/N:off,off S 3", &[("H4 to H7", TurnEffect::Part), ("twins H4", TurnEffect::Together)]);
        kinds("ashtapada S:30,33/N:off,off S 3", &[("B2 to", TurnEffect::Join)]);
        kinds("ashtapada S:58,59/N:off,off S 2", &[("C3 to the keep", TurnEffect::Home)]);
        kinds("ashtapada S:keep,keep/N:off,off S 1,2", &[("bear off", TurnEffect::Home)]);
        kinds("ashte-kashte S:hand,hand,8,8/N:hand,hand,hand,22 S 2", &[("enter", TurnEffect::Enter)]);
    }

    #[test]
    fn facts_are_described_in_words() {
        let found = facts("ashtapada S:6,6/N:23,23 S 3");
        let (_, _, words) = found.iter().find(|(text, ..)| text.starts_with("twins")).expect("the turn is there");
        assert_eq!(words[..2], ["captures 2 pieces", "moves twins together"]);
        assert!(words.contains(&"throws again".to_owned()) && words.contains(&"gains 6 steps".to_owned()), "{words:?}");
        let found = facts("ashtapada S:5,30/N:off,23 S 4,2");
        let (_, _, words) = found.iter().find(|(text, ..)| text.starts_with("H3 to G8")).expect("the turn is there");
        assert_eq!(words[0], "moves the rear piece alone", "{words:?}");
        assert!(words[2].starts_with("leaves ") && words[3].starts_with("has "), "{words:?}");
    }
}
