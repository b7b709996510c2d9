//! Walks through turns of two dice.
//!
//! Two enemies seldom stand where a throw lands. So the moves of each camp and throw are listed as data, as if it were
//! alone on the board, and enemies are looked at only where they stand on one of the squares.

use super::RaceStarts;
use crate::game::Seat;
use crate::race::dice::hops::Hops;
use crate::race::dice::ring::{BESIDE, Beyond, ENEMY, OWN, Ring, Squares};
use crate::race::dice::{self, DiceTurns};
use crate::race::rules::Cells;
use crate::race::state::{MAX_PIECES, sort};
use crate::sheet::Without;
use crate::starts::{Camp, Camps, Then, TurnEnd, TurnVisitor};

/// Walks through turns of two seats that sit opposite each other.
#[derive(Clone, Debug)]
pub(super) struct DiceWalk {
    turns: DiceTurns,
    /// The seat that throws, and the other.
    seats: [Seat; 2],
    /// For each camp the squares that its pieces hold if it is that of the seat that throws.
    holds: Vec<Cells>,
    /// For each camp the squares that its pawns hold as the other seat counts them.
    held: Vec<Held>,
    /// Whether the pawns of each camp may have no move left with any throw.
    kept_out: Vec<bool>,
    /// What each throw allows each camp.
    throws: Vec<Vec<Throw>>,
    /// The moves of all camps and throws, end to end.
    moves: Vec<Move>,
}

/// Squares with a pawn of one seat, and those with two.
#[derive(Clone, Copy, Debug)]
struct Held {
    ones: Cells,
    twos: Cells,
}

/// What a throw allows a camp.
#[derive(Clone, Copy, Debug)]
struct Throw {
    /// The squares on which its moves land. With no enemy there it is free to choose.
    landings: Cells,
    /// Where its moves begin, where those end that it has if it is free to choose, and where all end.
    start: u32,
    free: u32,
    end: u32,
    /// Whether a cut by one die may change what the other die can do: then the engine is asked.
    is_opened_by_cuts: bool,
}

/// A move, if enemies allow it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Move {
    /// The own camp afterwards without a cut, and with one; [`WON`] when all pawns are home.
    camps: [Camp; 2],
    /// Where both pawns land; the same square twice where one hop is all.
    squares: [u8; 2],
    /// Moves of a higher rank are allowed only where all of the lower ranks are closed.
    rank: u8,
    /// Whether an enemy pair does not close its square.
    is_pair: bool,
}

/// Stands for the camp of a winner.
const WON: Camp = Camp::MAX;

/// The rank of a pass where dice must be used.
const PASS_RANK: u8 = 2;

impl Held {
    fn new(places: &[u8; MAX_PIECES], squares: &Squares) -> Held {
        let held = places.iter().map(|&place| squares.of(place)).filter(|&square| square != BESIDE);
        held.fold(Held { ones: 0, twos: 0 }, |Held { ones, twos }, square| {
            let bit = 1 << square;
            Held { ones: ones | bit, twos: twos | ones & bit }
        })
    }
}

impl Move {
    /// Where it lands; nobody holds what is beside the ring.
    #[inline]
    fn landings(&self) -> Cells {
        1 << self.squares[0] | 1 << self.squares[1]
    }
}

impl DiceWalk {
    pub(super) fn new(starts: &RaceStarts, turns: &DiceTurns) -> DiceWalk {
        let own = starts.movers()[0];
        let seats = [own, starts.in_turn(own).nth(1).unwrap_or(own)];
        let camps = 0..starts.camps().len() as Camp;
        let held = |camp, seat| Held::new(starts.camps.places(camp), turns.squares(seat));
        let is_kept_out = |camp| turns.is_kept_out(starts.camps.places(camp), starts.camps.mark(camp) != 0);
        let mut walk = DiceWalk {
            turns: turns.clone(),
            seats,
            holds: camps.clone().map(|camp| held(camp, seats[0]).ones).collect(),
            held: camps.clone().map(|camp| held(camp, seats[1])).collect(),
            kept_out: camps.clone().map(is_kept_out).collect(),
            throws: Vec::new(),
            moves: Vec::new(),
        };
        for camp in camps {
            let throws = turns.rules.outcomes.iter().map(|throw| walk.add_throw(starts, camp, throw.values)).collect();
            walk.throws.push(throws);
        }
        walk
    }

    /// Lists what a camp could do with a throw if it were alone on the board.
    fn add_throw(&mut self, starts: &RaceStarts, camp: Camp, dice: [u8; 2]) -> Throw {
        let turns = self.turns.clone();
        let ring = self.ring(&turns, starts, camp, None);
        let hops = self.hops(&turns, &ring, starts, camp, dice);
        let mut free = 0;
        self.turns.visit_moves(&hops, |_| free += 1);
        // If dice need not be used there may be further moves; they come last.
        let mut all = Vec::new();
        let mut optional = self.turns.clone();
        optional.is_optional = true;
        optional.visit_moves(&hops, |moves| all.push(moves));

        let start = self.moves.len();
        let mut throw = Throw { landings: 0, start: start as u32, free: 0, end: 0, is_opened_by_cuts: false };
        for (at, moves) in all.into_iter().enumerate() {
            let mut step = self.alone(starts, camp, &hops, moves);
            step.rank = match moves {
                _ if self.turns.is_optional => 0,
                Some(_) => u8::from(at >= free),
                None => PASS_RANK,
            };
            if !self.moves[start..].contains(&step) {
                self.moves.push(step);
            }
            if at < free {
                throw.free = self.moves.len() as u32;
            }
        }
        let moves = &self.moves[start..];
        throw.landings = moves.iter().fold(0, |squares, step| squares | step.landings()) & !(1 << BESIDE);
        throw.end = self.moves.len() as u32;
        let beyond = self.beyond(starts, camp);
        throw.is_opened_by_cuts = starts.camps.places(camp).iter().any(|place| {
            let lands = |die: u8, beyond| turns.squares(self.seats[0]).landing(place.wrapping_add(die), beyond);
            dice.into_iter().any(|die| lands(die, beyond) != lands(die, Beyond::Enters))
        });
        throw
    }

    /// A move of a camp that is alone on the board.
    fn alone(&self, starts: &RaceStarts, camp: Camp, hops: &Hops, moves: Option<[dice::Move; 2]>) -> Move {
        let Some([(first, hop), (second, next)]) = moves else {
            return Move { camps: [camp; 2], squares: [BESIDE; 2], rank: 0, is_pair: false };
        };
        let mut own = *starts.camps.places(camp);
        (own[first], own[second]) = (hop.place, next.place);
        sort(&mut own);
        let mark = starts.camps.mark(camp);
        Move {
            camps: [mark, mark | super::camps::CUT]
                .map(|mark| if own[0] == self.turns.rules.home { WON } else { starts.camps.number(&own, mark) }),
            squares: [hop.square, next.square],
            rank: 0,
            is_pair: second == first + 1 && hops.pairs().contains(first),
        }
    }

    pub(super) fn is_position(&self, camps: Camps) -> bool {
        self.holds[usize::from(camps[0])] & self.held[usize::from(camps[1])].ones == 0
    }

    #[inline]
    pub(super) fn visit(&self, starts: &RaceStarts, camps: Camps, visitor: &mut impl TurnVisitor) {
        let enemies = self.held[usize::from(camps[1])];
        let outcomes = self.turns.rules.outcomes.iter().zip(starts.race.rules.chances.iter());
        for (throw, (&crate::race::rules::Throw { values: dice, .. }, &probability)) in
            self.throws[usize::from(camps[0])].iter().zip(outcomes)
        {
            visitor.throws(probability);
            if throw.landings & enemies.ones == 0 {
                for step in &self.moves[throw.start as usize..throw.free as usize] {
                    visitor.end(self.end(starts, camps, step, 0));
                }
            } else if throw.is_opened_by_cuts {
                self.visit_by_engine(starts, camps, dice, visitor);
            } else {
                self.visit_contested(starts, camps, throw, visitor);
            }
        }
    }

    /// Visits the moves of a throw that lands where enemies are.
    fn visit_contested(&self, starts: &RaceStarts, camps: Camps, throw: &Throw, visitor: &mut impl TurnVisitor) {
        let enemies = self.held[usize::from(camps[1])];
        let mut highest = PASS_RANK;
        for step in &self.moves[throw.start as usize..throw.end as usize] {
            if step.rank > highest {
                break;
            }
            let landings = step.landings();
            if step.is_pair || landings & enemies.twos == 0 {
                highest = step.rank;
                visitor.end(self.end(starts, camps, step, landings & enemies.ones));
            }
        }
    }

    /// Visits the moves of a throw as the engine finds them.
    #[cold]
    fn visit_by_engine(&self, starts: &RaceStarts, camps: Camps, dice: [u8; 2], visitor: &mut impl TurnVisitor) {
        let ring = self.ring(&self.turns, starts, camps[0], Some(camps[1]));
        let hops = self.hops(&self.turns, &ring, starts, camps[0], dice);
        let enemies = self.held[usize::from(camps[1])];
        self.turns.visit_moves(&hops, |moves| {
            let step = self.alone(starts, camps[0], &hops, moves);
            visitor.end(self.end(starts, camps, &step, step.landings() & enemies.ones));
        });
    }

    /// Where a move leads that cuts the pawns on these squares.
    #[inline]
    fn end(&self, starts: &RaceStarts, camps: Camps, step: &Move, cut: Cells) -> TurnEnd {
        let mut end = TurnEnd { camps, then: Then::Next };
        end.camps[0] = step.camps[usize::from(cut != 0)];
        if end.camps[0] == WON {
            return TurnEnd { camps, then: Then::Won };
        }
        if cut != 0 {
            let mut enemy = *starts.camps.places(camps[1]);
            for place in &mut enemy {
                let square = self.turns.squares(self.seats[1]).of(*place);
                *place = if cut >> square & 1 != 0 { self.turns.rules.sent_to() } else { *place };
            }
            sort(&mut enemy);
            end.camps[1] = starts.camps.number(&enemy, starts.camps.mark(camps[1]));
        }
        if self.is_dead(starts, end.camps) {
            end.then = Then::Drawn;
        }
        end
    }

    /// Whether nobody can ever move again.
    #[inline]
    fn is_dead(&self, starts: &RaceStarts, camps: Camps) -> bool {
        let is_kept_out = |camp| self.kept_out[usize::from(camp)];
        is_kept_out(camps[1]) && is_kept_out(camps[0]) && self.turns.is_dead(&starts.state(self.seats[0], camps))
    }

    /// Who stands on each square as a camp sees it, alone on the board or not.
    fn ring(&self, turns: &DiceTurns, starts: &RaceStarts, camp: Camp, enemy: Option<Camp>) -> Ring {
        let [squares, others] = self.seats.map(|seat| turns.squares(seat));
        let mut ring = Ring::empty();
        ring.add(starts.camps.places(camp), squares, OWN);
        if let Some(enemy) = enemy {
            ring.add(starts.camps.places(enemy), others, ENEMY);
        }
        ring
    }

    /// The hops of a camp.
    fn hops<'a>(
        &self,
        turns: &'a DiceTurns,
        ring: &'a Ring,
        starts: &RaceStarts,
        camp: Camp,
        dice: [u8; 2],
    ) -> Hops<'a> {
        let own = starts.camps.places(camp);
        Hops::new(turns.squares(self.seats[0]), *own, ring, dice, self.beyond(starts, camp))
    }

    /// What becomes of the pawns of a camp beyond the ring.
    fn beyond(&self, starts: &RaceStarts, camp: Camp) -> Beyond {
        let has_cut = starts.camps.mark(camp) != 0;
        self.turns.beyond(has_cut || self.turns.rules.sheet.gate.without == Without::Open)
    }
}
