//! Turns in words, for people: which piece goes from where to where by which throws, and what comes of it.
//!
//! Squares are named as South sees them and as the drawing labels them, so a reader needs no indices. It describes what
//! was chosen and knows nothing of what could have been.

use crate::flags::TwinSpeed;
use crate::game::{Action, Game, Node, Outlook, Seat};
use crate::games::pagade;
use crate::race::actions::{LARGER_FIRST, PAIRS, PASS, SINGLES};
use crate::race::state::{Kind, State, role};
use crate::race::{Race, Turns};

/// What one unit does in a turn; all that enter, or are borne off, are one unit.
#[derive(Debug)]
pub(super) struct Move {
    pub(super) kind: MoveKind,
    pub(super) slot: usize,
    pub(super) from: u8,
    pub(super) steps: u8,
    /// Those of the steps that come of throws which the position does not tell.
    untold: u8,
    /// The throws that it takes.
    pub(super) throws: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MoveKind {
    /// Pieces enter the board on their first square (Ashtapada).
    Enter,
    /// Pieces are borne off.
    Bear,
    /// A piece moves.
    Alone,
    /// Two pieces move together.
    Together,
}

impl Race {
    /// What `actions`, taken one after the other from `state`, do: `H3 to H7 by 4, then B2 to B4 by 2, captures N on
    /// H7, throws again`, `enter on E1 (4 unused)`, `pass`.
    ///
    /// `state` is a decision, and each action is legal after those before it. Within a turn the text tells the whole of
    /// it: what is allotted already comes first. A position does not keep the throws that made the steps of a piece, so
    /// from 4 steps on, which can be one throw or several, they are named as one; and a throw that was left unused is
    /// named only where the position remembers it.
    pub fn turn_text(&self, state: &State, actions: &[Action]) -> String {
        let mut moves = self.allotted(state);
        let mut unused = self.pending_throws(state);
        let mut end = *state;
        for &action in actions {
            if let Some((next, used)) = self.moved(&end, action) {
                for _ in 0..used {
                    if let Some(at) = unused.iter().position(|left| next.throws.contains(left)) {
                        unused.remove(at);
                    }
                }
                add(&mut moves, next);
            }
            self.apply_action(&mut end, action);
        }
        if let Turns::Series(turns) = self.turns() {
            unused.splice(0..0, turns.skipped_values(state.skipped));
        }
        if moves.is_empty() {
            return if self.goes_on(state, &end) { "pass, throws again".to_owned() } else { "pass".to_owned() };
        }
        let colour = self.colour(state);
        let texts: Vec<String> =
            moves.iter().map(|next| self.move_text(next, colour, self.target(next, colour, &end))).collect();
        let mut text = texts.join(", then ");
        if !unused.is_empty() {
            text.push_str(&format!(" ({} unused)", joined(&unused, ", ")));
        }
        let effects = self.effects(state, &end, colour);
        effects.iter().for_each(|effect| text.push_str(&format!(", {effect}")));
        text
    }

    /// The throws that are thrown and not yet used, in the order thrown; those that will be discarded are among them.
    pub fn pending_throws(&self, state: &State) -> Vec<u8> {
        let mut throws: Vec<u8> = match self.turns() {
            Turns::Series(turns) => state.series.iter().map(|kind| turns.face(kind)).collect(),
            Turns::Single(_) | Turns::Dice(_) => Vec::new(),
        };
        throws.extend(state.dice.iter().filter(|&&value| value > 0));
        throws
    }

    /// What the units of the mover have been given in this turn.
    fn allotted(&self, state: &State) -> Vec<Move> {
        let own = state.pieces[self.colour(state).index()];
        let mut moves = Vec::new();
        for (slot, (&role, &steps)) in state.roles.iter().zip(&state.steps).enumerate() {
            let single_throw = |kind| Move { kind, slot, from: own[slot], steps: 0, untold: 0, throws: vec![1] };
            if role & role::ENTERED != 0 {
                add(&mut moves, single_throw(MoveKind::Enter));
            }
            if role & role::BORNE != 0 {
                add(&mut moves, single_throw(MoveKind::Bear));
            }
            if role & (role::SINGLE | role::LEAD) == 0 || steps == 0 {
                continue;
            }
            let kind = if role & role::LEAD != 0 { MoveKind::Together } else { MoveKind::Alone };
            let mut next = Move { kind, slot, from: own[slot], steps, untold: 0, throws: Vec::new() };
            match self.turns() {
                Turns::Series(turns) => {
                    next.from = next.from.max(1);
                    // Throws are allotted in ascending order, 1s first, but for the last one.
                    let are_ones = turns.next_value(state) == Some(1) || steps < turns.face(Kind::Four);
                    if kind == MoveKind::Together && turns.rules.twin_speed == TwinSpeed::HalfFloor {
                        next.untold = steps;
                    } else if are_ones {
                        next.throws = vec![1; usize::from(steps)];
                    } else {
                        next.throws = vec![steps];
                    }
                }
                Turns::Single(_) | Turns::Dice(_) => next.throws = vec![steps],
            }
            add(&mut moves, next);
        }
        moves.sort_by_key(|next| !matches!(next.kind, MoveKind::Enter | MoveKind::Bear));
        moves
    }

    /// The unit that `action` moves in `state`, and how many throws of its value that uses; `None` when nothing moves.
    pub(super) fn moved(&self, state: &State, action: Action) -> Option<(Move, usize)> {
        let is_pair = (PAIRS..PASS).contains(&action);
        let slot = usize::from(match action {
            PASS => return None,
            action if action >= LARGER_FIRST => (action.0 - LARGER_FIRST.0) % PAIRS.0,
            action => (action.0 - SINGLES.0) % PAIRS.0,
        });
        let place = state.pieces[self.colour(state).index()][slot];
        let kind = if is_pair { MoveKind::Together } else { MoveKind::Alone };
        let taking = |kind, from, value| Move { kind, slot, from, steps: value, untold: 0, throws: vec![value] };
        Some(match self.turns() {
            Turns::Series(turns) => {
                let value = turns.next_value(state)?;
                let is_waiting = state.roles[slot] & (role::ENTERED | role::TAKEN) == 0;
                let mut next = match place {
                    0 if is_waiting => taking(MoveKind::Enter, 0, value),
                    _ if place == turns.keep => taking(MoveKind::Bear, place, value),
                    _ => taking(kind, place.max(1), value),
                };
                if is_pair && turns.rules.twin_speed == TwinSpeed::HalfFloor {
                    next.steps /= 2;
                }
                (next, 1)
            }
            Turns::Single(_) => (taking(kind, place, state.dice[0]), 1),
            Turns::Dice(_) => {
                let [a, b] = state.dice;
                let value = match b {
                    0 => a,
                    _ if action >= LARGER_FIRST => a.max(b),
                    _ => a.min(b),
                };
                (taking(kind, place, value), if is_pair { 2 } else { 1 })
            }
        })
    }

    /// The place that a move leads to, in a turn that ends in `end`.
    fn target(&self, taken: &Move, colour: Seat, end: &State) -> u8 {
        let target = taken.from.saturating_add(taken.steps).min(self.spec().goal);
        // A pawn without a cut goes around again where the house rules say so.
        let has_lapped = target > pagade::RING_END
            && matches!(self.turns(), Turns::Dice(_))
            && !end.pieces[colour.index()].contains(&target);
        if has_lapped { target - pagade::RING } else { target }
    }

    /// One move in words, that leads to the place `target`.
    pub(super) fn move_text(&self, taken: &Move, colour: Seat, target: u8) -> String {
        let by = match (taken.untold, joined(&taken.throws, "+")) {
            (0, throws) => throws,
            (steps, throws) if throws.is_empty() => format!("{steps} steps"),
            (steps, throws) => format!("{throws} after {steps} steps"),
        };
        let name = |place: u8| self.square(colour, place).map(|square| square.to_string());
        let count = |taken: &Move| match taken.throws.len() {
            1 => String::new(),
            count => format!("{count} "),
        };
        let to = match name(target) {
            Some(square) => format!("to {square}"),
            None if matches!(self.turns(), Turns::Series(_)) => "to the keep".to_owned(),
            None => "home".to_owned(),
        };
        let from = name(taken.from).map(|from| {
            // The only square on which the way out and the way home meet and part.
            let is_back = matches!(self.turns(), Turns::Dice(_)) && taken.from == pagade::RING_END;
            if is_back { format!("{from} (on its way home)") } else { from }
        });
        match (taken.kind, from) {
            (MoveKind::Enter, _) => format!("enter {}on {}", count(taken), name(1).unwrap_or_default()),
            (MoveKind::Bear, _) => format!("bear {}off", count(taken)),
            (MoveKind::Alone, Some(from)) => format!("{from} {to} by {by}"),
            (MoveKind::Alone, None) => format!("enter {} by {by}", to.replacen("to ", "on ", 1)),
            (MoveKind::Together, from) => format!("{} {} {to} by {by}", self.unit(), from.unwrap_or_default()),
        }
    }

    /// What two pieces are called that move together.
    fn unit(&self) -> &'static str {
        match self.turns() {
            Turns::Series(_) => "twins",
            Turns::Single(_) => "double",
            Turns::Dice(_) => "pair",
        }
    }

    /// What comes of a turn of `colour`'s pieces that leads from `start` to `end`.
    pub(super) fn effects(&self, start: &State, end: &State, colour: Seat) -> Vec<String> {
        let mut effects = Vec::new();
        let verb = if matches!(self.turns(), Turns::Dice(_)) { "cuts" } else { "captures" };
        for other in self.spec().seats.iter().filter(|&seat| seat != colour) {
            let mut left = end.pieces[other.index()].to_vec();
            let mut lost: Vec<u8> = start.pieces[other.index()].to_vec();
            lost.retain(|place| left.iter().position(|other| other == place).map(|at| left.remove(at)).is_none());
            for group in lost.chunk_by(|a, b| a == b) {
                let letters = other.letter().to_string().repeat(group.len());
                let square = self.square(other, group[0]).map(|square| format!(" on {square}"));
                effects.push(format!("{verb} {letters}{}", square.unwrap_or_default()));
            }
        }
        let is_over = self.node(end) == Node::Terminal;
        if start.finished[colour.index()] == 0 && end.finished[colour.index()] > 0 {
            effects.push(match self.spec().outlook {
                Outlook::Placings => format!("finishes in place {}", end.finished[colour.index()]),
                Outlook::Teams if !is_over => "all home".to_owned(),
                Outlook::Winner | Outlook::Teams => "wins".to_owned(),
            });
        } else if is_over {
            effects.push("nobody can ever move again".to_owned());
        } else if self.goes_on(start, end) {
            effects.push("throws again".to_owned());
        }
        effects
    }

    /// Whether the mover of `start` throws again in `end`.
    fn goes_on(&self, start: &State, end: &State) -> bool {
        self.node(end) == Node::Chance(start.mover)
    }
}

/// Adds a move to those of a turn: to that of the same unit where there is one.
fn add(moves: &mut Vec<Move>, next: Move) {
    let is_many = matches!(next.kind, MoveKind::Enter | MoveKind::Bear);
    match moves.iter_mut().find(|known| known.kind == next.kind && (is_many || known.slot == next.slot)) {
        Some(known) => {
            known.steps += next.steps;
            known.throws.extend(next.throws);
        }
        None => moves.push(next),
    }
}

fn joined(values: &[u8], separator: &str) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::*;
    use crate::chance;
    use crate::ruleset::Ruleset;
    use crate::turn::{TurnResults, turn_results};

    /// Every distinct result of the turn of a position, in words.
    fn turns(position: &str) -> Vec<String> {
        let (race, state) = Race::parse(position).expect("a position");
        let mut results = TurnResults::new();
        turn_results(&race, &state, &mut results);
        let mut texts: Vec<String> =
            (0..results.len()).map(|index| race.turn_text(&state, results.actions(index))).collect();
        texts.sort_unstable();
        texts
    }

    #[test]
    fn ashtapada_turns_are_told_by_squares() {
        assert_eq!(
            turns("ashtapada S:5,30/N:off,23 S 4,2"),
            [
                "B2 to B6 by 4, then H3 to H5 by 2",
                "B2 to C7 by 4+2",
                "H3 to G8 by 4+2",
                "H3 to H7 by 4, then B2 to B4 by 2, captures N on H7, throws again",
            ]
        );
        assert_eq!(turns("ashtapada S:off,off/N:off,off S 4,8,2"), ["pass"]);
        assert_eq!(turns("ashtapada S:off,off/N:off,off S 4,1,3"), ["enter on E1, then E1 to H1 by 3 (4 unused)"]);
        assert_eq!(
            turns("ashtapada S:off,off/N:off,off S 1,1,2"),
            [
                "enter 2 on E1, then E1 to G1 by 2",
                "enter 2 on E1, then twins E1 to G1 by 2",
                "enter on E1, then E1 to H1 by 1+2"
            ]
        );
        assert_eq!(turns("ashtapada S:keep,keep/N:off,off S 1,1,3"), ["bear 2 off (3 unused), wins"]);
        assert_eq!(turns("ashtapada S:6,6/N:23,23 S 3")[1], "twins H4 to H7 by 3, captures NN on H7, throws again");
        let slow = turns("ashtapada?twin_speed=half_floor S:6,6/N:off,off S 4,3");
        assert!(slow.contains(&"twins H4 to H7 by 4+3".to_owned()), "{slow:?}");
    }

    #[test]
    fn ashte_kashte_turns_are_told_by_squares() {
        assert_eq!(
            turns("ashte-kashte S:hand,hand,8,8/N:hand,hand,hand,22 S 2"),
            ["G6 to F7 by 2, captures N on F7", "double G6 to F7 by 2, captures N on F7", "enter on F1 by 2"]
        );
        assert_eq!(turns("ashte-kashte S:45,home,home,home/N:hand,hand,hand,hand S 4"), ["pass, throws again"]);
        assert_eq!(turns("ashte-kashte S:45,home,home,home/N:hand,hand,hand,hand S 3"), ["D5 home by 3, wins"]);
    }

    #[test]
    fn pagade_turns_are_told_by_squares() {
        assert_eq!(turns("pagade S:3,20,20,40/N+:6,7,58,58 S 4,4")[4], "pair O9 to S9 by 4, cuts NN on S9");
        assert_eq!(turns("pagade S:cut,cut,20,30/N+:6,7,12,12 S 1,4"), ["enter on J8 by 1, then enter on J5 by 4"]);
        let lapped = turns("pagade?no_cut=lap S:60,74,75,75/N:6,7,12,12 S 3,4");
        assert!(lapped.contains(&"I1 to K6 by 3+4".to_owned()), "{lapped:?}");
        let both = turns("pagade S:3,12,30,73/N:6,7,12,68 S 4,6");
        assert!(both.iter().any(|text| text.contains("cuts N") && text.contains("I3 to J4 by 6")), "{both:?}");
        let one = turns("pagade S+:79,81,home,home/N:6,7,12,12 S 3,6");
        assert_eq!(one, ["J4 to J7 by 3 (6 unused)", "J6 home by 3 (6 unused)"]);
    }

    #[test]
    fn what_is_allotted_is_told_too() {
        assert_eq!(
            turns("ashtapada S:5,30/N:off,23 S 2;30+4"),
            ["B2 to B6 by 4, then H3 to H5 by 2", "B2 to C7 by 4+2"]
        );
        assert_eq!(
            turns("ashtapada S:5,30/N:off,23 S 2;5+4"),
            ["H3 to G8 by 4+2", "H3 to H7 by 4, then B2 to B4 by 2, captures N on H7, throws again"]
        );
        assert_eq!(
            turns("ashtapada S:5,30/N:off,23 S 4,2;5+2"),
            [
                "H3 to E8 by 1+1+4+2",
                "H3 to G8 by 1+1+4, then B2 to B4 by 2",
                "H3 to H5 by 1+1, then B2 to C7 by 4+2",
                "H3 to H7 by 1+1+2, then B2 to B6 by 4, captures N on H7, throws again",
            ]
        );
        // A piece that takes no more is told as well, and so are pieces that enter or are borne off.
        assert_eq!(turns("ashtapada S:off,off/N:off,off S 2;off+1"), ["enter on E1, then E1 to H1 by 1+2"]);
        assert_eq!(
            turns("ashtapada?must_use=greedy S:23,keep/N:59,keep N 1,1,1,2;keep-,!1"),
            ["bear off, then E6 to the keep by 1 (1, 1, 1, 2 unused)"]
        );
        assert_eq!(turns("ashtapada S:keep,keep/N:off,off S 1,3;keep-"), ["bear 2 off (3 unused), wins"]);
        assert_eq!(
            turns("ashtapada S:6,6/N:23,23 S 2;6&1,6~"),
            ["twins H4 to H7 by 1+2, captures NN on H7, throws again"]
        );
        assert_eq!(
            turns("ashtapada?twin_speed=half_floor S:6,6/N:off,off S 3;6&2,6~"),
            ["twins H4 to H7 by 3 after 2 steps"]
        );
    }

    #[test]
    fn a_die_that_is_allotted_is_told_too() {
        let rest = turns("pagade S:3,12,30,73/N:6,7,12,68 S 6;30+4");
        assert_eq!(
            rest,
            [
                "O11 to K12 by 4, then I3 to J4 by 6, cuts N on K12",
                "O11 to K12 by 4, then J6 to K1 by 6, cuts N on K12",
                "O11 to K12 by 4, then K4 to M9 by 6, cuts N on K12",
                "O11 to K18 by 4+6"
            ]
        );
        assert_eq!(turns("pagade S:7,16,17,17/N:12,12,30,34 S 1;17^4"), ["L9 to P9 by 4, then K8 to L9 by 1"]);
        let optional = turns("pagade?must_use=optional S:3,12,30,73/N:6,7,12,68 S 6;30+4");
        assert!(optional.contains(&"O11 to K12 by 4 (6 unused), cuts N on K12".to_owned()), "{optional:?}");
    }

    /// The pieces with the squares that they come to and what comes of it, without the throws.
    fn squares(text: &str) -> Vec<&str> {
        let (before, after) = text.split_once(" (").map_or((text, ""), |(before, rest)| {
            (before, rest.split_once(')').map_or("", |(_, after)| after.trim_start_matches(", ")))
        });
        let parts = [before, after].into_iter().flat_map(|half| half.split(", "));
        let mut parts: Vec<&str> =
            parts.map(|part| part.trim_start_matches("then ").split(" by ").next().unwrap_or_default()).collect();
        parts.sort_unstable();
        parts
    }

    #[test]
    fn the_rest_of_a_turn_is_told_as_the_whole_of_it() {
        for (game, seats) in [("ashtapada?pieces=4", 2), ("ashtapada?must_use=greedy", 2), ("pagade", 2)] {
            let seats = Ruleset::default_seats(seats).expect("a number of seats");
            let race = Race::new(Ruleset::parse(game, seats).expect("a game"));
            let mut rng = chance::stream(3, 0);
            let mut state = race.initial_state(Seat::SOUTH);
            let mut results = TurnResults::new();
            let mut rests = 0;
            for _ in 0..4000 {
                match race.node(&state) {
                    Node::Terminal => state = race.initial_state(Seat::NORTH),
                    Node::Chance(_) => {
                        let outcome = chance::outcome(race.chance_outcomes(&state), rng.next_u64());
                        race.apply_chance(&mut state, outcome);
                    }
                    Node::Decision(_) => {
                        turn_results(&race, &state, &mut results);
                        let nth = chance::below(results.len(), &mut rng);
                        let (actions, mut within) = (results.actions(nth), state);
                        let whole = race.turn_text(&state, actions);
                        for done in 1..actions.len() {
                            race.apply_action(&mut within, actions[done - 1]);
                            let rest = race.turn_text(&within, &actions[done..]);
                            assert_eq!(squares(&rest), squares(&whole), "{rest} | {whole} | {}", race.print(&within));
                            rests += 1;
                        }
                        state = *results.state(nth);
                    }
                }
            }
            assert!(rests > 500, "{game}: {rests}");
        }
    }

    #[test]
    fn no_two_choices_read_alike() {
        for (game, seats) in [("ashtapada?pieces=3", 4), ("ashte-kashte", 3), ("pagade?no_cut=lap", 2), ("pagade", 4)] {
            let seats = Ruleset::default_seats(seats).expect("a number of seats");
            let race = Race::new(Ruleset::parse(game, seats).expect("a game"));
            let mut rng = chance::stream(2, 0);
            let mut state = race.initial_state(Seat::SOUTH);
            let mut results = TurnResults::new();
            for _ in 0..3000 {
                match race.node(&state) {
                    Node::Terminal => state = race.initial_state(Seat::NORTH),
                    Node::Chance(_) => {
                        let outcome = chance::outcome(race.chance_outcomes(&state), rng.next_u64());
                        race.apply_chance(&mut state, outcome);
                    }
                    Node::Decision(_) => {
                        turn_results(&race, &state, &mut results);
                        let text = |index: usize| race.turn_text(&state, results.actions(index));
                        let mut texts: Vec<String> = (0..results.len()).map(text).collect();
                        texts.sort_unstable();
                        let twice = texts.windows(2).find(|pair| pair[0] == pair[1]);
                        assert_eq!(twice, None, "{}", race.print(&state));
                        // Half of the time only one throw is allotted, so that turns under way come too.
                        if chance::below(2, &mut rng) == 0 {
                            state = *results.state(chance::below(results.len(), &mut rng));
                        } else {
                            race.apply_action(&mut state, results.actions(chance::below(results.len(), &mut rng))[0]);
                        }
                    }
                }
            }
        }
    }
}
