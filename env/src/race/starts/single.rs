//! Walks through the turns of Ashte Kashte: five throws, a move each.

use super::RaceStarts;
use crate::game::{MAX_SEATS, Seat};
use crate::games::ashte_kashte::THROWS;
use crate::race::actions::{PAIRS, PASS};
use crate::race::single::{Occupied, SingleTurns};
use crate::race::{Race, Turns};
use crate::starts::{Camp, Camps, Then, TurnEnd, TurnVisitor};

/// What the walk looks up of each camp.
#[derive(Clone, Debug)]
pub(super) struct SingleWalk {
    turns: SingleTurns,
    /// `[quarters][camp]`: squares with a piece of a seat so many quarter turns counter-clockwise and those with two,
    /// as bits by place of the seat that looks.
    seen: [Vec<(u64, u64)>; MAX_SEATS],
    /// The moves of each camp and throw that its own pieces allow, end to end.
    moves: Vec<Move>,
    /// For each camp and throw where its moves begin; one more entry at the end.
    starts: Vec<u32>,
    seats: usize,
}

/// A move, if enemies allow it.
#[derive(Clone, Copy, Debug)]
struct Move {
    /// Squares on which no enemy may stand.
    closed_by_one: u64,
    /// Squares on which no enemy double may stand.
    closed_by_two: u64,
    /// The squares on which enemies are captured: where it lands, or none.
    captured: u64,
    /// The own camp afterwards.
    camp: Camp,
    to: u8,
    is_merging: bool,
}

impl SingleWalk {
    pub(super) fn new(starts: &RaceStarts) -> SingleWalk {
        let turns = single_turns(&starts.race);
        let camps = 0..starts.camps().len() as Camp;
        let seen: [Vec<(u64, u64)>; MAX_SEATS] = std::array::from_fn(|quarters| {
            camps.clone().map(|camp| turns.add_places((0, 0), starts.camps.places(camp), quarters)).collect()
        });
        let mut walk =
            SingleWalk { turns: turns.clone(), seen, moves: Vec::new(), starts: Vec::new(), seats: starts.seats() };
        for camp in camps {
            for (pips, _) in THROWS {
                walk.starts.push(walk.moves.len() as u32);
                walk.add_moves(starts, camp, pips);
            }
        }
        walk.starts.push(walk.moves.len() as u32);
        walk
    }

    /// Lists what a camp could do with a throw if it were alone on the board.
    fn add_moves(&mut self, starts: &RaceStarts, camp: Camp, pips: u8) {
        let own = starts.camps.places(camp);
        let (ones, twos) = self.seen[0][usize::from(camp)];
        let alone = Occupied { own: ones, own_doubles: twos, enemies: 0, enemy_doubles: 0 };
        let actions = self.turns.moves(own, pips, &alone).iter().filter(|&action| action != PASS);
        self.moves.extend(actions.map(|action| {
            let (places, to) = self.turns.moved(own, pips, action);
            let landing = 1 << to;
            let is_pair = action >= PAIRS;
            let is_contested = self.turns.is_contested(to);
            let between = SingleTurns::between(own[usize::from(action.0 % PAIRS.0)], to);
            Move {
                closed_by_one: if is_pair || is_contested { 0 } else { landing & self.turns.protected },
                closed_by_two: if is_pair { 0 } else { between | landing },
                captured: if is_contested { landing } else { 0 },
                camp: if places[0] == self.turns.home { Camp::MAX } else { starts.camps.number(&places, 0) },
                to,
                is_merging: !is_pair && ones & landing != 0,
            }
        }));
    }

    pub(super) fn is_position(&self, starts: &RaceStarts, mover: Seat, camps: Camps) -> bool {
        let mut taken = 0;
        camps.into_iter().zip(starts.in_turn(mover)).all(|(camp, seat)| {
            let (ones, _) = self.seen[quarters(mover, seat)][usize::from(camp)];
            let is_free = ones & taken == 0;
            taken |= ones;
            is_free
        })
    }

    #[inline]
    pub(super) fn visit(&self, starts: &RaceStarts, mover: Seat, camps: Camps, visitor: &mut impl TurnVisitor) {
        let mut enemies = (0, 0);
        for (&camp, seat) in camps[..self.seats].iter().zip(starts.in_turn(mover)).skip(1) {
            let (ones, twos) = self.seen[quarters(mover, seat)][usize::from(camp)];
            enemies = (enemies.0 | ones, enemies.1 | twos);
        }
        let first = THROWS.len() * usize::from(camps[0]);
        let bounds = &self.starts[first..=first + THROWS.len()];
        for (&(pips, probability), bounds) in THROWS.iter().zip(bounds.windows(2)) {
            visitor.throws(f64::from(probability));
            let then = |has_captured| match self.turns.throws_again(pips, has_captured) {
                true => Then::Again,
                false => Then::Next,
            };
            let (mut is_stuck, mut is_only_merging) = (true, true);
            for step in &self.moves[bounds[0] as usize..bounds[1] as usize] {
                if (step.closed_by_one & enemies.0) | (step.closed_by_two & enemies.1) != 0 {
                    continue;
                }
                is_stuck = false;
                is_only_merging &= step.is_merging;
                let mut end = TurnEnd { camps, then: then(false) };
                if step.camp == Camp::MAX {
                    end.then = Then::Won;
                } else {
                    end.camps[0] = step.camp;
                    if step.captured & enemies.0 != 0 {
                        self.capture(starts, mover, step.to, &mut end.camps);
                        end.then = then(true);
                    }
                }
                visitor.end(end);
            }
            if self.turns.may_pass(is_stuck, is_only_merging) {
                visitor.end(TurnEnd { camps, then: then(false) });
            }
        }
    }

    fn capture(&self, starts: &RaceStarts, mover: Seat, to: u8, camps: &mut Camps) {
        for (camp, seat) in camps[..self.seats].iter_mut().zip(starts.in_turn(mover)).skip(1) {
            let mut places = *starts.camps.places(*camp);
            if self.turns.send_off(&mut places, self.turns.same_place(mover, to, seat)) {
                *camp = starts.camps.number(&places, 0);
            }
        }
    }
}

fn single_turns(race: &Race) -> &SingleTurns {
    match race.turns() {
        Turns::Single(turns) => turns,
        Turns::Series(_) | Turns::Dice(_) => unreachable!("the walk is made for throws one by one"),
    }
}

/// Quarter turns counter-clockwise from one seat to another.
pub(super) fn quarters(from: Seat, to: Seat) -> usize {
    (to.index() + MAX_SEATS - from.index()) % MAX_SEATS
}
