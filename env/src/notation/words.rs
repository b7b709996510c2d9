//! Turns in words: the moves of each piece, the throws that it uses, and the effects of the turn.
//!
//! Squares have their names on the drawn board, such as `H3`.

use crate::{
    game::{Action, Game, Node, Payoff, Seat},
    race::{
        Race,
        position::state::{State, role},
        turns::text::{Move, MoveKind, joined},
    },
};

impl Race {
    /// Describes `actions`, taken in order from `state`:
    /// `H3 to H7 by 4, then B2 to B4 by 2, captures N on H7, throws again`,
    /// `enter on E1 (4 unused)`, `pass`.
    ///
    /// `state` must be a decision, and each action must be legal. If `state` is within a turn, the
    /// text describes the whole turn and begins with the steps that pieces have already been given.
    /// A position does not contain the throws that gave these steps, so the text can describe
    /// several throws as one, and can leave out earlier unused throws.
    pub fn turn_text(&self, state: &State, actions: &[Action]) -> String {
        let mut moves = self.allotted(state);
        let mut unused = self.pending_throws(state);
        let mut end = *state;
        for &action in actions {
            if let Some(next) = self.unit_move(&end, action) {
                for _ in 0..next.used {
                    if let Some(at) = unused.iter().position(|left| next.throws.contains(left)) {
                        unused.remove(at);
                    } else if self.turns.notation().divides() {
                        let mut rest = next.steps;
                        unused.iter_mut().for_each(|left| {
                            let part = rest.min(*left);
                            *left -= part;
                            rest -= part;
                        });
                        unused.retain(|&left| left > 0);
                    }
                }
                self.add(&mut moves, next);
            }
            self.apply_action(&mut end, action);
        }
        unused.splice(0..0, self.turns.notation().unused_throws(state));
        if moves.is_empty() {
            return if self.throws_again(state, &end) {
                "pass, throws again".to_owned()
            } else {
                "pass".to_owned()
            };
        }
        let colour = self.colour(state);
        let mut text = joined(moves.iter().map(|next| self.move_text(next)), ", then ");
        if !unused.is_empty() {
            text.push_str(&format!(" ({} unused)", joined(&unused, ", ")));
        }
        text + &self.effects(state, &end, colour)
    }

    /// A bound on the number of positions that a search for all afterstates of the turn of `state`
    /// visits. Only a series of many throws exceeds it. The bound is lower for more than 16 throws
    /// and more than two pieces, since legal actions are then slow to find.
    pub fn most_results(&self, state: &State) -> usize {
        let is_slow = self.pieces() > 2 && self.pending_throws(state).len() > 16;
        if is_slow { 1 << 12 } else { 1 << 15 }
    }

    /// The moves that the mover's pieces and units have been given in this turn.
    fn allotted(&self, state: &State) -> Vec<Move> {
        let (seat, reached) = (self.colour(state), self.reached(state));
        let own = state.pieces[seat];
        let mut moves = Vec::new();
        for (slot, (&role, &steps)) in state.roles.iter().zip(&state.steps).enumerate() {
            for (part, kind) in [
                (role::ENTERED, MoveKind::Enter),
                (role::BORNE, MoveKind::Bear),
            ] {
                if role & part != 0 {
                    self.add(
                        &mut moves,
                        Move {
                            seat,
                            steps: 0,
                            ..Move::by(kind, slot, [own[slot]; 2], 1)
                        },
                    );
                }
            }
            if role & (role::SINGLE | role::LEAD) == 0 || steps == 0 {
                continue;
            }
            let kind = if role & role::LEAD != 0 {
                MoveKind::Together(2)
            } else {
                MoveKind::Alone
            };
            let to = self.lapped(state, reached[slot]).min(self.rules.goal);
            let (is_beside, throws) = (self.is_declared_beside(state, slot), Vec::new());
            let mut next = Move {
                seat,
                throws,
                is_beside,
                ..Move::by(kind, slot, [own[slot], to], steps)
            };
            self.turns.notation().name_throws(state, &mut next);
            self.add(&mut moves, next);
        }
        moves.sort_by_key(|next| !matches!(next.kind, MoveKind::Enter | MoveKind::Bear));
        moves
    }

    /// Whether a piece of the mover belongs to a declared unit, and another piece on its place does
    /// not.
    pub(super) fn is_declared_beside(&self, state: &State, slot: usize) -> bool {
        let (own, seat) = (self.reached(state), self.colour(state));
        let is_declared = |slot: usize| state.declared[seat] >> slot & 1 == 1;
        is_declared(slot)
            && (0..self.pieces()).any(|other| own[other] == own[slot] && !is_declared(other))
    }

    /// One move in words.
    pub(super) fn move_text(&self, taken: &Move) -> String {
        let steps = format!(
            "{} step{}",
            taken.hidden,
            if taken.hidden == 1 { "" } else { "s" }
        );
        let by = match (taken.hidden, joined(&taken.throws, "+")) {
            (0, throws) => throws,
            (_, throws) if throws.is_empty() => steps,
            (_, throws) => format!("{throws} after {steps}"),
        };
        let name = |place: u8| {
            self.square(taken.seat, place)
                .map(|square| square.to_string())
        };
        let count = match taken.throws.len() {
            1 => String::new(),
            count => format!("{count} "),
        };
        let to = match name(taken.to) {
            Some(square) => format!("to {square}"),
            None if self.rules.goal > self.rules.home => {
                format!("to the {}", self.rules.words.home)
            }
            None => "home".to_owned(),
        };
        let from = name(taken.from).map(|from| {
            // The course visits this square on the way out and on the way home.
            let is_back = taken.from == self.rules.back || self.is_like_first_visit(taken);
            let from = if is_back {
                format!("{from} (on its way home)")
            } else {
                from
            };
            if taken.is_beside {
                format!("{from} (declared)")
            } else {
                from
            }
        });
        match (taken.kind, from) {
            (MoveKind::Enter, _) => format!(
                "enter {count}on {}",
                name(self.rules.enters_at).unwrap_or_default()
            ),
            (MoveKind::Bear, _) => format!("bear {count}off"),
            (MoveKind::Alone, Some(from)) => format!("{from} {to} by {by}"),
            (MoveKind::Alone, None) => format!("enter {} by {by}", to.replacen("to ", "on ", 1)),
            (MoveKind::Together(count), from) => {
                let unit = if count == 2 {
                    &self.rules.words.unit
                } else {
                    "three"
                };
                format!("{unit} {} {to} by {by}", from.unwrap_or_default())
            }
        }
    }

    /// Whether a move begins on the second visit of a square, and the same throws lead from the
    /// first visit to the same square.
    fn is_like_first_visit(&self, taken: &Move) -> bool {
        let (course, target) = (self.board().course(taken.seat), taken.to);
        let square = |place: u8| course.get(usize::from(place).wrapping_sub(1));
        let Some(first) = (1..taken.from).find(|&place| square(place) == square(taken.from)) else {
            return false;
        };
        let steps = taken.steps.saturating_add(taken.hidden);
        let reached = [true, false].map(|is_open| self.rules.target(first, steps, is_open));
        let straight = (target > taken.from).then(|| first + target - taken.from);
        reached
            .into_iter()
            .chain(straight)
            .any(|place| square(place).is_some() && square(place) == square(target))
    }

    /// The effects of a turn of `colour`'s pieces from `start` to `end`, each after a comma:
    /// captures, finishes, another throw.
    pub(super) fn effects(&self, start: &State, end: &State, colour: Seat) -> String {
        let mut effects = self.captures_text(start, &self.captured(start, end, colour));
        let is_over = self.node(end) == Node::Terminal;
        if start.finished[colour] == 0 && end.finished[colour] > 0 {
            effects.push(match self.spec().payoff {
                Payoff::Placings => format!("finishes with rank {}", end.finished[colour]),
                Payoff::Teams if !is_over => "all home".to_owned(),
                Payoff::Winner | Payoff::Teams => "wins".to_owned(),
            });
        } else if is_over {
            effects.push("no seat can ever move again".to_owned());
        } else if self.throws_again(start, end) {
            effects.push("throws again".to_owned());
        }
        effects.iter().map(|effect| format!(", {effect}")).collect()
    }

    /// The pieces that a turn of `colour` from `start` to `end` captures, by seat and slot in
    /// `start`.
    pub fn captured(&self, start: &State, end: &State, colour: Seat) -> Vec<(Seat, usize)> {
        self.spec()
            .seats
            .iter()
            .filter(|&seat| seat != colour)
            .flat_map(|seat| {
                let mut left = end.pieces[seat].to_vec();
                let mut is_lost = |&slot: &usize| {
                    let place = start.pieces[seat][slot];
                    left.iter()
                        .position(|&other| other == place)
                        .map(|at| left.remove(at))
                        .is_none()
                };
                (0..self.pieces())
                    .filter(|slot| is_lost(slot))
                    .map(|slot| (seat, slot))
                    .collect::<Vec<_>>()
            })
            .collect()
    }

    /// The captured pieces of `start` in words, one text for each seat and square.
    pub(super) fn captures_text(&self, start: &State, captured: &[(Seat, usize)]) -> Vec<String> {
        let place = |(seat, slot): (Seat, usize)| (seat, start.pieces[seat][slot]);
        let groups = captured.chunk_by(|&one, &other| place(one) == place(other));
        let text = |group: &[(Seat, usize)]| {
            let (seat, place) = place(group[0]);
            let square = self
                .square(seat, place)
                .map(|square| format!(" on {square}"))
                .unwrap_or_default();
            format!(
                "{} {}{square}",
                self.rules.words.captures,
                seat.letter().to_string().repeat(group.len())
            )
        };
        groups.map(text).collect()
    }

    fn throws_again(&self, start: &State, end: &State) -> bool {
        self.node(end) == Node::Chance(start.mover)
    }

    /// Adds a move to the moves of a turn. If all pieces land at the end and the unit already has a
    /// move, extends that move.
    fn add(&self, moves: &mut Vec<Move>, next: Move) {
        let is_many = matches!(next.kind, MoveKind::Enter | MoveKind::Bear);
        let is_one =
            |known: &&mut Move| known.kind == next.kind && (is_many || known.slot == next.slot);
        match moves
            .iter_mut()
            .find(is_one)
            .filter(|_| self.turns.notation().lands_at_once())
        {
            Some(known) => {
                known.steps += next.steps;
                known.throws.extend(next.throws);
                known.to = next.to;
            }
            None => moves.push(next),
        }
    }
}

#[cfg(test)]
mod tests;
