//! Occupancy of the squares from the view of one seat. Each square has one byte, which counts the
//! own, enemy and partner pieces there. So one load for each piece tests its square.
//!
//! The tables depend neither on the dice nor on the seat that moves. A square is a cell of
//! [`Rules`], or [`BESIDE`] for places where no piece is captured or blocked: off the board,
//! private and marked squares, the finish.

use crate::{
    game::Seat,
    race::{
        compile::{PLACES, Rules, reach::places_of},
        position::{slots::Slots, state::MAX_PIECES},
    },
};

/// The square of all places where no piece is captured or blocked.
pub const BESIDE: u8 = 0;
/// The square of places that do not exist. It has no room.
pub const NOWHERE: u8 = 127;

/// The squares of one seat.
#[derive(Clone, Debug)]
pub struct Squares {
    /// The square of each place.
    of: [u8; 256],
    /// `[gate][place]`: the landing square of a piece that would reach `place` if the course had no
    /// gate. `gate` is 1 if the gate is open.
    landings: [[u8; 256]; 2],
    home: u8,
    /// The place before the place where a piece enters with a throw of 1.
    pub entry: u8,
    /// Whether a hop can end on the square where it begins.
    pub comes_back: bool,
}

impl Squares {
    pub fn new(rules: &Rules, seat: Seat) -> Squares {
        let cell = |place: u8| match rules.cells[seat][place] {
            cell if rules.captured >> cell & 1 == 1 => cell,
            _ => BESIDE,
        };
        let of = std::array::from_fn(|place| {
            if place < PLACES {
                cell(place as u8)
            } else {
                BESIDE
            }
        });
        let landing = |is_open: bool, place: usize| match rules.lapped(place as u8, is_open) {
            to if to < rules.gate.min(rules.home) || is_open && to <= rules.home => {
                of[usize::from(to)]
            }
            _ => NOWHERE,
        };
        let landings =
            [false, true].map(|is_open| std::array::from_fn(|place| landing(is_open, place)));
        let reached = |from: usize, steps: u8| {
            landings
                .iter()
                .map(move |to: &[u8; 256]| to[from + usize::from(steps)])
        };
        let back = |from: usize| {
            places_of(rules.hops()).any(|steps| reached(from, steps).any(|to| to == of[from]))
        };
        let comes_back = (1..usize::from(rules.home)).any(|from| of[from] != BESIDE && back(from));
        Squares {
            of,
            landings,
            home: rules.home,
            entry: rules.enters_at,
            comes_back,
        }
    }

    /// Returns whether one of the pieces `own` of the seat is on the course.
    #[inline]
    pub fn has_one_on_course(&self, own: Slots) -> bool {
        !(own.at_least(1) & !own.at_least(self.home)).is_empty()
    }

    #[inline]
    pub fn of(&self, place: u8) -> u8 {
        self.of[usize::from(place)]
    }

    /// Returns the landing square of a piece that would reach `place` if the course had no gate.
    #[inline]
    pub fn landing(&self, place: u8, is_open: bool) -> u8 {
        self.landings[usize::from(is_open)][usize::from(place)]
    }
}

/// The pieces on each square: the numbers of own, enemy and partner pieces, packed in a byte.
#[derive(Clone, Copy)]
pub struct Ring([u8; 128]);

/// The value that one piece adds to the byte of its square.
pub const OWN: u8 = 1;
pub const ENEMY: u8 = 8;
pub const PARTNER: u8 = 64;
/// Bits of an occupied square: any own piece, two own pieces, any enemy.
pub const ANY_OWN: u8 = 7 * OWN;
pub const TWO_OWN: u8 = 6 * OWN;
pub const ANY_ENEMY: u8 = 7 * ENEMY;
/// Bits that close a square to a single piece, and to a unit.
pub const CLOSED_TO_ONE: u8 = TWO_OWN | (6 * ENEMY) | (3 * PARTNER);
pub const CLOSED_TO_PAIR: u8 = ANY_OWN | (3 * PARTNER);

/// An empty ring. It is written as a whole, because reading a word right after writing its bytes is
/// slow (store forwarding).
const EMPTY: [u8; 128] = {
    let mut occupancies = [0; 128];
    occupancies[NOWHERE as usize] = u8::MAX;
    occupancies
};

impl Ring {
    #[inline]
    pub fn empty() -> Ring {
        Ring(EMPTY)
    }

    /// Adds the pieces of a seat, each as `piece`: [`OWN`], [`ENEMY`] or [`PARTNER`].
    #[inline]
    pub fn add(&mut self, places: &[u8; MAX_PIECES], squares: &Squares, piece: u8) {
        for &place in &places[..4] {
            let occupancy = &mut self.0[usize::from(squares.of(place)) % 128];
            *occupancy = occupancy.wrapping_add(piece);
        }
        self.0[usize::from(BESIDE)] = 0;
    }

    #[inline]
    pub fn at(&self, square: u8) -> u8 {
        self.0[usize::from(square) % 128]
    }
}
