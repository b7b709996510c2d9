//! Hops by two dice, for all pieces of one seat together.
//!
//! The first hop of a turn affects the second hop in three ways only. The first piece leaves the
//! landing square of the second piece, or lands there itself, or opens the gate by a capture.

use super::ring::{
    ANY_ENEMY, BESIDE, CLOSED_TO_ONE, CLOSED_TO_PAIR, NOWHERE, OWN, Ring, Squares, TWO_OWN,
};
use crate::race::{
    compile::Rules,
    position::{
        slots::{Set, Slots},
        state::{MAX_PIECES, NO_PIECE},
    },
};

/// The two dice, as indices of [`Hops::dice`].
pub const SMALLER: usize = 0;
pub const LARGER: usize = 1;

#[inline]
pub fn other(die: usize) -> usize {
    SMALLER + LARGER - die
}

/// The pieces of one colour before they move, and their hops by two dice.
pub struct Hops<'a> {
    rules: &'a Rules,
    squares: &'a Squares,
    own: Slots,
    /// The places where the steps of each piece start.
    origins: Slots,
    ring: &'a Ring,
    /// Whether the gate is open.
    is_open: bool,
    waiting: Set,
    /// Whether a waiting piece can enter with a die or the sum. Other pieces then move after it.
    can_enter: bool,
    /// The lowest slot of the pieces on each place; equal pieces are interchangeable.
    pub lowest: Set,
    /// The steps of each die.
    pub dice: [u8; 2],
    landings: [Landings; 2],
}

/// For each piece: its target square, and the pieces there before the move.
#[derive(Clone, Copy)]
struct Landings {
    squares: Slots,
    occupancy: Slots,
}

/// The landing of a piece.
#[derive(Clone, Copy)]
pub struct DieHop {
    /// The place on the course of the piece.
    pub place: u8,
    pub square: u8,
    /// Whether the piece captures an enemy there.
    pub captures: bool,
}

impl<'a> Hops<'a> {
    /// Returns the hops by two `dice` of the pieces on `own`. `own` is in ascending order. Always
    /// inlined, so that the sets stay in registers.
    #[inline(always)]
    pub fn new(
        rules: &'a Rules,
        squares: &'a Squares,
        own: [u8; MAX_PIECES],
        ring: &'a Ring,
        dice: [u8; 2],
        is_open: bool,
    ) -> Hops<'a> {
        let own = Slots::of(own);
        let waiting = own.are(0);
        let origins = own.plus(waiting.each(squares.entry));
        let dice = [dice[0].min(dice[1]), dice[0].max(dice[1])];
        let landings = dice.map(|die| Landings::new(squares, origins, die, ring, is_open));
        let (repeated, _) = own.repeated();
        let lowest = !repeated & !own.are(NO_PIECE);
        let can_enter = false;
        let mut hops = Hops {
            rules,
            squares,
            own,
            origins,
            ring,
            is_open,
            waiting,
            can_enter,
            lowest,
            dice,
            landings,
        };
        hops.landings = landings.map(|landings| hops.without_itself(landings));
        hops.can_enter = !waiting.is_empty() && !hops.entering().is_empty();
        hops
    }

    /// Returns the pieces that return to their own square.
    #[inline]
    fn staying(&self, landings: &Landings) -> Set {
        if !self.squares.comes_back {
            return Set::NONE;
        }
        let from = self.own.map(|place| self.squares.of(place));
        landings.squares.equal(from) & !from.are(BESIDE)
    }

    /// If a piece returns to its own square, removes this piece from the pieces there.
    #[inline]
    fn without_itself(&self, landings: Landings) -> Landings {
        if !self.squares.comes_back {
            return landings;
        }
        Landings {
            occupancy: landings.occupancy.minus(self.staying(&landings).each(OWN)),
            ..landings
        }
    }

    #[inline]
    pub fn is_doublet(&self) -> bool {
        self.dice[SMALLER] == self.dice[LARGER]
    }

    /// Returns the waiting pieces that can enter with a die or the sum before any other piece
    /// moves.
    fn entering(&self) -> Set {
        let [a, b] = self.dice;
        let sum = self.landings(a + b, self.is_open);
        self.dice
            .into_iter()
            .zip(&self.landings)
            .chain([(a + b, &sum)])
            .fold(Set::NONE, |all, (steps, landings)| {
                all | self.entering_by(steps, landings)
            })
    }

    fn entering_by(&self, steps: u8, landings: &Landings) -> Set {
        (self.waiting & landings.open()).when(self.enters(steps, self.own))
    }

    /// Returns whether `steps` let a waiting piece enter while the own pieces are on `own`.
    #[inline]
    fn enters(&self, steps: u8, own: Slots) -> bool {
        self.rules.effects[steps].enters[usize::from(self.squares.has_one_on_course(own))]
    }

    /// Returns the pieces that can move first by `steps`.
    #[inline]
    fn beginning(&self, steps: u8, landings: &Landings) -> Set {
        if self.can_enter {
            self.entering_by(steps, landings)
        } else {
            self.pieces() & !self.waiting & landings.open()
        }
    }

    /// Returns whether two waiting pieces can enter, one with each die.
    fn can_both_enter(&self) -> bool {
        let first = self
            .waiting
            .iter()
            .next()
            .filter(|_| self.waiting.len() > 1);
        let follows =
            |slot: usize, die: usize| !(self.followers(slot, die) & self.waiting).is_empty();
        first.is_some_and(|slot| {
            [SMALLER, LARGER]
                .into_iter()
                .any(|die| self.firsts(die).contains(slot) && follows(slot, die))
        })
    }

    #[inline]
    fn pieces(&self) -> Set {
        !self.own.are(NO_PIECE)
    }

    /// Returns the pieces that can take a die before any other piece moves.
    #[inline]
    pub fn firsts(&self, die: usize) -> Set {
        self.beginning(self.dice[die], &self.landings[die])
    }

    /// Returns the pieces that can take both dice in one hop. If two waiting pieces can enter, one
    /// with each die, no piece can take both dice.
    #[inline]
    pub fn sums(&self) -> Set {
        let steps = self.dice[SMALLER] + self.dice[LARGER];
        self.beginning(steps, &self.landings(steps, self.is_open))
            .when(!self.can_enter || !self.can_both_enter())
    }

    /// Returns the pieces that can take a doublet together with the next piece on their place.
    #[inline]
    pub fn pairs(&self) -> Set {
        let (_, followed) = self.own.repeated();
        let landings = &self.landings[SMALLER];
        let open = landings.occupancy.only(CLOSED_TO_PAIR).are(0) | self.staying(landings);
        (self.lowest & followed & open & !self.waiting).when(!self.can_enter && self.is_doublet())
    }

    /// Returns the pieces that can take the other die after the piece of `slot` has taken `die`.
    /// This piece must be able to begin.
    #[inline]
    fn followers(&self, slot: usize, die: usize) -> Set {
        let first = self.landings[die];
        let captures = first.occupancy.get(slot) & ANY_ENEMY != 0;
        let next = match captures && !self.is_open {
            true => self.landings(self.dice[other(die)], true),
            false => self.landings[other(die)],
        };
        let from = self.squares.of(self.own.get(slot));
        let left = next.squares.are(from).when(from != BESIDE).without(slot);
        let come = next.squares.are(first.squares.get(slot));
        let open = next
            .occupancy
            .minus(left.each(OWN))
            .plus(come.each(OWN))
            .only(CLOSED_TO_ONE)
            .are(0)
            .without(slot);
        if self.waiting.is_empty() {
            return self.pieces() & open;
        }
        let moved = self.own.with(slot, self.by(slot, die).place);
        let entering = (self.waiting & open).when(self.enters(self.dice[other(die)], moved));
        if entering.is_empty() {
            self.pieces() & !self.waiting & open
        } else {
            entering
        }
    }

    /// Returns the other slots that can take the other die after `slot` has taken `die`. Among
    /// equal pieces, only the lowest slot is included. If both orders have the same result, only
    /// the order with the smaller die first is included; with a doublet, the order with the lower
    /// slot first.
    #[inline]
    pub fn others(&self, slot: usize, die: usize) -> Set {
        if !self.firsts(die).contains(slot) {
            return Set::NONE;
        }
        let lowest_left = self.lowest.with((slot + 1).min(MAX_PIECES - 1), true);
        let mut others = self.followers(slot, die) & lowest_left;
        let listed_later = match die {
            SMALLER if self.is_doublet() => slot,
            SMALLER => 0,
            _ => MAX_PIECES - 1,
        };
        for second in others.below(listed_later).iter() {
            if self.is_same_swapped(slot, die, second) {
                others = others.without(second);
            }
        }
        others
    }

    /// Returns the slots that can take the other die after `slot` has taken `die`. If `slot` itself
    /// takes the other die, the piece uses both dice in one hop.
    #[inline]
    pub fn seconds(&self, slot: usize, die: usize) -> Set {
        self.others(slot, die)
            .with(slot, die == SMALLER && self.sums().contains(slot))
    }

    /// Returns whether using the larger die first can reach positions that using the smaller die
    /// first cannot reach. There are three cases: a piece waits and must move first; a landing
    /// square holds two own pieces, and one of them leaves; a capture opens the gate.
    #[inline]
    pub fn order_matters(&self) -> bool {
        let Landings { squares, occupancy } = self.landings[SMALLER];
        let onto_own_pair = occupancy.have(TWO_OWN) & !squares.at_least(NOWHERE);
        let capturing = |landings: Landings| landings.occupancy.have(ANY_ENEMY) & landings.open();
        let opening = self
            .landings
            .map(capturing)
            .into_iter()
            .fold(Set::NONE, |set, capturing| set | capturing);
        !(self.waiting | onto_own_pair | opening.when(!self.is_open)).is_empty()
    }

    /// Returns whether the same two pieces can move in the other order, to the same places.
    pub fn is_same_swapped(&self, slot: usize, die: usize, second: usize) -> bool {
        let is_legal = || {
            self.firsts(other(die)).contains(second)
                && self.followers(second, other(die)).contains(slot)
        };
        let is_same = || {
            let [first, next] = self.both(slot, die, second).map(|hop| hop.place);
            let [swapped, last] = self.both(second, other(die), slot).map(|hop| hop.place);
            (first, next) == (last, swapped) || (first, next) == (swapped, last)
        };
        is_legal() && (self.is_open || is_same())
    }

    /// Returns the hop of a piece by one die before any other piece moves.
    #[inline]
    pub fn by(&self, slot: usize, die: usize) -> DieHop {
        self.hop(slot, self.dice[die], self.is_open)
    }

    #[inline]
    pub fn by_sum(&self, slot: usize) -> DieHop {
        self.hop(slot, self.dice[SMALLER] + self.dice[LARGER], self.is_open)
    }

    /// Returns the hop of a piece by one die, and then the hop of another piece by the other die.
    #[inline]
    pub fn both(&self, slot: usize, die: usize, second: usize) -> [DieHop; 2] {
        let first = self.by(slot, die);
        [
            first,
            self.hop(
                second,
                self.dice[other(die)],
                self.is_open || first.captures,
            ),
        ]
    }

    #[inline]
    fn hop(&self, slot: usize, steps: u8, is_open: bool) -> DieHop {
        let steps = self.origins.get(slot).wrapping_add(steps);
        let square = self.squares.landing(steps, is_open);
        DieHop {
            place: self.rules.lapped(steps, is_open),
            square,
            captures: self.ring.at(square) & ANY_ENEMY != 0,
        }
    }

    #[inline]
    fn landings(&self, steps: u8, is_open: bool) -> Landings {
        self.without_itself(Landings::new(
            self.squares,
            self.origins,
            steps,
            self.ring,
            is_open,
        ))
    }

    /// Returns whether any throw of two dice moves a piece.
    pub fn can_ever_move(&self) -> bool {
        self.rules.outcomes.iter().any(|throw| {
            let hops = Hops::new(
                self.rules,
                self.squares,
                self.own.bytes(),
                self.ring,
                throw.values,
                self.is_open,
            );
            !(hops.firsts(SMALLER) | hops.firsts(LARGER) | hops.sums() | hops.pairs()).is_empty()
        })
    }
}

impl Landings {
    #[inline]
    fn new(of: &Squares, origins: Slots, steps: u8, ring: &Ring, is_open: bool) -> Landings {
        let squares = origins.map(|place| of.landing(place.wrapping_add(steps), is_open));
        Landings {
            squares,
            occupancy: squares.map(|square| ring.at(square)),
        }
    }

    /// Returns the pieces that are allowed to land alone.
    #[inline]
    fn open(&self) -> Set {
        self.occupancy.only(CLOSED_TO_ONE).are(0)
    }
}
