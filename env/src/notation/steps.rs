//! The moves of actions on the board: the pieces that move and the squares on their way, for drawn
//! boards.

use super::Standing;
use crate::{
    game::{Action, Game, Node, Seat},
    race::{
        Race,
        compile::board::Square,
        position::state::{MAX_PIECES, State, role},
        turns::text::Move,
    },
};

impl Race {
    /// Returns the moves of `actions`, taken in order from `state`. Several throws for one piece
    /// are one move. The texts leave out captures and other effects.
    pub fn turn_moves(&self, state: &State, actions: &[Action]) -> Vec<Move> {
        let (mut at, mut walks) = (*state, Vec::new());
        for &action in actions {
            if let Some(next) = self.walk(&at, action) {
                self.follow(&mut walks, next);
            }
            self.apply_action(&mut at, action);
        }
        walks
            .iter_mut()
            .for_each(|walk| walk.text = self.move_text(walk));
        walks
    }

    /// The move that a legal `action` makes in `state`; `None` if no piece moves. If the move ends
    /// the turn, the text ends with the effects of the turn:
    /// `twins H5 to H7 by 2, captures NN on H7, throws again`.
    pub fn step(&self, state: &State, action: Action) -> Option<Move> {
        let mut step = self.walk(state, action)?;
        step.text = self.move_text(&step);
        let after = |action: Action| {
            let mut end = *state;
            self.apply_action(&mut end, action);
            end
        };
        let end = after(action);
        let is_alike = |other: &Action| {
            let text = self.walk(state, *other).map(|walk| self.move_text(&walk));
            text.as_ref() == Some(&step.text) && after(*other) != end
        };
        // A piece can have come to the square of another piece in this turn.
        if self
            .legal_actions(state)
            .iter()
            .any(|other| is_alike(&other))
        {
            step.hidden = state.steps[step.slot];
            step.text = self.move_text(&step);
        }
        if !matches!(self.node(&end), Node::Decision(_)) {
            step.text.push_str(&self.effects(state, &end, step.seat));
        }
        Some(step)
    }

    /// The move that `action` makes in `state`; `None` if no piece moves.
    pub(super) fn unit_move(&self, state: &State, action: Action) -> Option<Move> {
        let mut found = self.turns.notation().unit_move(state, action)?;
        let (seat, slot, to) = (self.colour(state), found.slot, found.to);
        let from = self.reached(state)[slot];
        // A piece that enters begins before the course.
        let origin = match from {
            0 if self.rules.enters_by_count() => self.rules.enters_at,
            0 => self.rules.enters_at - 1,
            from => from,
        };
        // A piece that reaches a lower place has gone around the course again (a lap), or back from
        // the finish.
        let lap = self.rules.lap;
        let (walked, back) = match to < from || to == from && lap > 0 {
            true if lap == 0 => (self.rules.home, to..self.rules.home),
            true => (to + lap, 0..0),
            false => (to, 0..0),
        };
        let reached = origin.saturating_add(found.steps);
        // If the piece reaches a place beyond a closed gate, a capture in this turn has opened the
        // gate.
        let shown = |place| {
            self.shown(
                seat,
                if to == reached {
                    place
                } else {
                    self.lapped(state, place)
                },
            )
        };
        found.path = (origin + 1..=walked)
            .chain(back.rev())
            .filter_map(shown)
            .collect();
        (found.seat, found.from) = (seat, self.lapped(state, from));
        found.start = self.shown(seat, found.from);
        found.is_declared = state.declared[seat] >> slot & 1 == 1;
        found.is_beside = self.is_declared_beside(state, slot);
        Some(found)
    }

    /// [`Race::unit_move`] with every single throw that it uses.
    pub(super) fn walk(&self, state: &State, action: Action) -> Option<Move> {
        let found = self.unit_move(state, action)?;
        Some(Move {
            throws: found.throws.repeat(found.used),
            ..found
        })
    }

    /// Adds a move to the moves of a turn. If it continues an earlier move of the same pieces,
    /// extends that move.
    pub(super) fn follow(&self, walks: &mut Vec<Move>, next: Move) {
        let is_one = self.turns.notation().lands_at_once();
        let is_continued = |known: &&mut Move| {
            known.pieces() == next.pieces() && (is_one || known.to == next.from)
        };
        let Some(known) = walks.iter_mut().find(is_continued) else {
            return walks.push(next);
        };
        known.path.extend(next.path);
        // A piece that enters and moves on makes one move to the last square.
        known.kind = next.kind;
        known.throws.extend(next.throws);
        known.to = next.to;
    }

    /// Every piece of `state`, seat by seat, after the steps that it has been given in this turn.
    /// Captures of the turn are not shown.
    pub fn standing_within(&self, state: &State) -> Vec<Standing> {
        self.standing(&self.within(state))
    }

    /// `state` with the mover's pieces on the places that they have reached in this turn.
    pub(super) fn within(&self, state: &State) -> State {
        let mut within = *state;
        within.pieces[self.colour(state)] =
            self.reached(state).map(|place| self.lapped(state, place));
        within
    }

    /// The place that each piece of the mover has reached in this turn, by slot.
    pub(super) fn reached(&self, state: &State) -> [u8; MAX_PIECES] {
        let mut reached = state.pieces[self.colour(state)];
        for slot in 0..self.pieces() {
            let (role, steps) = (state.roles[slot], state.steps[slot]);
            if role & role::FOLLOWER != 0 && slot > 0 {
                reached[slot] = reached[slot - 1];
                continue;
            }
            let from = match reached[slot] {
                _ if role & role::ENTERED != 0 => 1,
                place if role & role::BORNE != 0 => place + 1,
                0 if steps > 0 => self.rules.enters_at,
                place => place,
            };
            reached[slot] = from + steps;
        }
        reached
    }

    /// The place of a piece that reaches `place`: a lower place if the piece must go around the
    /// course again.
    pub(super) fn lapped(&self, state: &State, place: u8) -> u8 {
        self.rules.lapped(
            place,
            self.rules.gate_rule.is_open(state, self.colour(state)),
        )
    }

    /// The square where a piece at this place is drawn, also at the finish.
    fn shown(&self, seat: Seat, place: u8) -> Option<Square> {
        if place == self.rules.home {
            return self
                .rules
                .finish_of(seat)
                .filter(|&finish| self.ground(finish) != super::Ground::Home);
        }
        self.square(seat, place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allotted_pieces_stand_on_their_targets() {
        let squares = |position: &str| {
            let (race, state) = Race::parse_position(position).expect("a position");
            race.standing_within(&state)
                .iter()
                .map(|piece| piece.square.map_or("-".to_owned(), |at| at.to_string()))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            squares("ashtapada S:5,30/N:off,23 S 2;30+4"),
            ["H3", "B6", "-", "H7"]
        );
        assert_eq!(
            squares("ashtapada S:6,6/N:23,23 S 2;6&1,6~"),
            ["H5", "H5", "H7", "H7"]
        );
        assert_eq!(
            squares("ashtapada S:off,off/N:off,off S 2;off+1"),
            ["F1", "-", "-", "-"]
        );
        assert_eq!(
            squares("pagade S:3,12,30,73/N:6,7,12,68 S 6;30+4")[..4],
            ["J6", "K4", "K12", "I3"]
        );
    }

    #[test]
    fn pieces_are_where_their_steps_lead() {
        use crate::{chance, notation::test_support::random_play};
        let games = [
            "ashtapada?pieces=3",
            "ashtapada?twins=bell",
            "ashte-kashte",
            "pagade",
            "pagade?no_cut=lap",
        ];
        for game in games {
            let mut checked = 0;
            random_play(game, 2, chance::stream(5, 0), 4000, |race, state, rng| {
                let legal = race.legal_actions(state);
                let action = legal
                    .nth(chance::below(legal.len(), rng))
                    .expect("a legal action");
                let step = race.step(state, action);
                let before = race.print(state);
                race.apply_action(state, action);
                if let Some(Move { seat, path, to, .. }) = step {
                    let own: Vec<Standing> = race
                        .standing_within(state)
                        .into_iter()
                        .filter(|piece| piece.seat == seat)
                        .collect();
                    let is_there = own.iter().any(|piece| piece.place == to);
                    assert!(
                        is_there,
                        "{before}: {path:?} leads to {to}, not to {}",
                        race.print(state)
                    );
                    checked += 1;
                }
            });
            assert!(checked > 500, "{game}: {checked}");
        }
    }

    #[test]
    fn a_piece_that_takes_several_throws_makes_one_move() {
        let turns = |position: &str| {
            let (race, state) = Race::parse_position(position).expect("a position");
            let graph = race.turn_graph(&state, 1000).expect("few positions");
            let square = |square: Option<&Square>| square.map_or("-".to_owned(), Square::to_string);
            let shown = |step: &Move| {
                format!(
                    "{}-{} {:?}",
                    square(step.start.as_ref()),
                    square(step.path.last()),
                    step.throws
                )
            };
            graph
                .ends
                .iter()
                .map(|(end, actions)| {
                    let captures = race
                        .captures(&state, end)
                        .iter()
                        .map(Square::to_string)
                        .collect::<Vec<_>>()
                        .join(" ");
                    let moves = race
                        .turn_moves(&state, actions)
                        .iter()
                        .map(shown)
                        .collect::<Vec<_>>()
                        .join(", ");
                    format!("{moves} x{captures}")
                })
                .collect::<Vec<_>>()
        };
        let both = turns("pagade S:12,20,30,40/N:6,7,12,49 S 3,6");
        assert!(both.contains(&"K4-P9 [3, 6] x".to_owned()), "{both:?}");
        // A piece can capture on a landing that is not its last.
        let series = turns("ashtapada S:5,7/N:5,25 S 4,2");
        assert!(
            series.iter().any(|turn| turn.ends_with("xG8")),
            "{series:?}"
        );
        // The piece enters by the 1 and moves on by the 3.
        assert_eq!(
            turns("ashtapada S:off,off/N:off,off S 1,3"),
            ["--H1 [1, 3] x"]
        );
    }
}
