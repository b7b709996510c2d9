//! Walks through turns of one throw: the moves of each camp and throw are listed as if it were alone on the board, with
//! the cells on which enemies close them or are captured.

use super::RaceStarts;
use crate::game::{MAX_SEATS, Seat};
use crate::race::Race;
use crate::race::actions::{PAIRS, PASS};
use crate::race::rules::{Cells, Crowd, PLACES};
use crate::race::throw::ThrowTurns;
use crate::starts::{Camp, Camps, Then, TurnEnd, TurnVisitor};

/// What the walk looks up of each camp.
#[derive(Clone, Debug)]
pub(super) struct ThrowWalk {
    turns: ThrowTurns,
    /// `[seat][camp]`: the cells with its pieces.
    seen: Vec<Vec<Crowd>>,
    /// `[mover]`: the moves of each camp and throw that its own pieces allow, end to end.
    moves: Vec<Vec<Move>>,
    /// `[mover]`: for each camp and throw where its moves begin; one more entry at the end.
    starts: Vec<Vec<u32>>,
    /// Cells that two seats cannot both hold.
    exclusive: Cells,
}

/// A move, if enemies allow it.
#[derive(Clone, Copy, Debug)]
struct Move {
    /// Cells on which no enemy may stand, and no two pieces of enemies.
    closed: [Cells; 2],
    /// The cell on which enemies are captured, as a bit; or none.
    captured: Cells,
    /// The own camp afterwards, without a capture and with one; [`WON`] when all pieces are home.
    camps: [Camp; 2],
    to: u8,
    is_unit: bool,
    is_merging: bool,
}

/// Stands for the camp of a winner.
const WON: Camp = Camp::MAX;

impl ThrowWalk {
    pub(super) fn new(starts: &RaceStarts, turns: &ThrowTurns) -> ThrowWalk {
        let race = &starts.race;
        let camps = 0..starts.camps().len() as Camp;
        let held = |seat: Seat, camp| Crowd::default().and(&race.rules.bits[seat.index()], starts.camps.places(camp));
        let mut walk = ThrowWalk {
            turns: turns.clone(),
            seen: Seat::ALL.map(|seat| camps.clone().map(|camp| held(seat, camp)).collect()).to_vec(),
            moves: vec![Vec::new(); MAX_SEATS],
            starts: vec![Vec::new(); MAX_SEATS],
            exclusive: race.exclusive_cells(),
        };
        for &mover in starts.movers() {
            for camp in camps.clone() {
                for throw in &race.rules.outcomes {
                    let moves = walk.alone(starts, mover, camp, throw.values[0]);
                    walk.starts[mover.index()].push(walk.moves[mover.index()].len() as u32);
                    walk.moves[mover.index()].extend(moves);
                }
            }
            walk.starts[mover.index()].push(walk.moves[mover.index()].len() as u32);
        }
        walk
    }

    /// What a camp could do with a throw if it were alone on the board.
    fn alone(&self, starts: &RaceStarts, mover: Seat, camp: Camp, throw: u8) -> Vec<Move> {
        let (turns, rules) = (&self.turns, &*self.turns.rules);
        let (own, mark) = (starts.camps.places(camp), starts.camps.mark(camp));
        let is_open = turns.is_open(&starts.state_of(mover, camp), mover);
        let occupied = turns.occupied(mover, own, Crowd::default());
        let actions = turns.offer(mover, own, throw, is_open, &occupied).mask.iter().filter(|&action| action != PASS);
        let step = |action| {
            let (places, to) = turns.moved(own, throw, action, is_open);
            let is_unit = action >= PAIRS;
            let from = own[usize::from(action.0 % PAIRS.0)];
            let landing = rules.bits[mover.index()][usize::from(to) % PLACES];
            let closed = if is_unit { rules.closed_to_unit.enemies } else { rules.closed_to_single.enemies };
            let is_passing = !is_unit && !rules.sheet.unit.passable;
            let between = if is_passing { turns.between(mover, from, to) } else { 0 };
            let camp = |mark| if places[0] == rules.home { WON } else { starts.camps.number(&places, mark) };
            let captured_mark = if rules.has_gate() { mark | super::camps::CUT } else { mark };
            Move {
                closed: [closed[0] & landing, closed[1] & landing | between],
                captured: landing & rules.captured,
                camps: [camp(mark), camp(captured_mark)],
                to,
                is_unit,
                is_merging: !is_unit && occupied.own.0 & landing != 0,
            }
        };
        actions.map(step).collect()
    }

    pub(super) fn is_position(&self, starts: &RaceStarts, mover: Seat, camps: Camps) -> bool {
        starts.are_apart(mover, camps, self.exclusive)
    }

    #[inline]
    pub(super) fn visit(&self, starts: &RaceStarts, mover: Seat, camps: Camps, visitor: &mut impl TurnVisitor) {
        let mut enemies = Crowd::default();
        for (&camp, seat) in camps[..starts.seats()].iter().zip(starts.in_turn(mover)).skip(1) {
            let Crowd { ones, twos } = self.seen[seat.index()][usize::from(camp)];
            enemies = Crowd { ones: enemies.ones | ones, twos: enemies.twos | twos | enemies.ones & ones };
        }
        let rules = &*self.turns.rules;
        let count = rules.outcomes.len();
        let first = count * usize::from(camps[0]);
        let bounds = &self.starts[mover.index()][first..=first + count];
        let waits = rules.waits_at_gate();
        for ((throw, &probability), bounds) in
            rules.outcomes.iter().zip(starts.race.rules.chances.iter()).zip(bounds.windows(2))
        {
            visitor.throws(probability);
            let then = |has_captured| match self.turns.throws_again(throw.values[0], has_captured, 0) {
                true => Then::Again,
                false => Then::Next,
            };
            let mut tell = |mut end: TurnEnd| {
                if waits && end.then != Then::Won && self.turns.is_dead(&starts.state(mover, end.camps)) {
                    end.then = Then::Drawn;
                }
                visitor.end(end);
            };
            let (mut is_stuck, mut is_only_merging) = (true, true);
            for step in &self.moves[mover.index()][bounds[0] as usize..bounds[1] as usize] {
                if (step.closed[0] & enemies.ones) | (step.closed[1] & enemies.twos) != 0 {
                    continue;
                }
                is_stuck = false;
                is_only_merging &= step.is_merging;
                let mut end = TurnEnd { camps, then: then(false) };
                if step.camps[0] == WON {
                    end.then = Then::Won;
                } else {
                    let has_captured =
                        step.captured & enemies.ones != 0 && self.capture(starts, mover, step, &mut end.camps);
                    end.camps[0] = step.camps[usize::from(has_captured)];
                    end.then = then(has_captured);
                }
                tell(end);
            }
            if self.turns.may_pass(is_stuck, is_only_merging) {
                tell(TurnEnd { camps, then: then(false) });
            }
        }
    }

    /// The camps of enemies after a move that lands among them; whether it captures.
    fn capture(&self, starts: &RaceStarts, mover: Seat, step: &Move, camps: &mut Camps) -> bool {
        let rules = &*self.turns.rules;
        let cell = rules.cells[mover.index()][usize::from(step.to)];
        let mut has_captured = false;
        for (camp, seat) in camps[..starts.seats()].iter_mut().zip(starts.in_turn(mover)).skip(1) {
            let (places, mark) = (*starts.camps.places(*camp), starts.camps.mark(*camp));
            if let Some((left, _)) = rules.captured(seat, places, 0, cell, step.is_unit) {
                *camp = starts.camps.number(&left, mark);
                has_captured = true;
            }
        }
        has_captured
    }
}

/// Whether each throw of the game is one hop, so that its moves can be listed beforehand.
pub(super) fn is_listed(race: &Race) -> bool {
    let sheet = &race.rules.sheet;
    sheet.turn.divide == crate::sheet::Divide::None && sheet.entry.spends
}

/// Quarter turns counter-clockwise from one seat to another.
pub(super) fn quarters(from: Seat, to: Seat) -> usize {
    (to.index() + MAX_SEATS - from.index()) % MAX_SEATS
}
