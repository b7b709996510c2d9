//! Occupancy of the squares from one seat's view, as bytes, so that the squares of all its pieces are read at once.
//!
//! The tables have own, enemy and partner's pieces, and neither dice nor the mover. A square is a cell of [`Rules`], or
//! [`BESIDE`] where pieces never meet: off the board, on private and marked squares, at the finish.

use crate::game::Seat;
use crate::race::compile::reach::places_of;
use crate::race::compile::{PLACES, Rules};
use crate::race::position::state::MAX_PIECES;
use crate::sheet::values::Without;

/// The square of all places where pieces never meet.
pub(crate) const BESIDE: u8 = 0;
/// The square of places that do not exist: there is no room.
pub(crate) const NOWHERE: u8 = 127;

/// The squares of one seat.
#[derive(Clone, Debug)]
pub(crate) struct Squares {
    /// By place.
    of: [u8; 256],
    /// By what becomes of pieces that go beyond the gate, in the order of [`Without`], and by the place if there were
    /// no gate. To a seat that may go there the gate is [`Without::Open`].
    landings: [[u8; 256]; 3],
    gate: u8,
    lap: u8,
    /// The place from which a throw is counted that enters.
    pub(crate) entry: u8,
    /// Whether a hop can lead back to the square that it leaves.
    pub(crate) comes_back: bool,
}

impl Squares {
    pub(crate) fn new(rules: &Rules, seat: Seat) -> Squares {
        let cell = |place: u8| match rules.cells[seat.index()][usize::from(place) % PLACES] {
            cell if rules.captured >> cell & 1 == 1 => cell,
            _ => BESIDE,
        };
        let of = std::array::from_fn(|place| if place < PLACES { cell(place as u8) } else { BESIDE });
        let (gate, lap) = (rules.gate, rules.sheet.gate.lap);
        let landing = |beyond: Without, place: usize| match beyond {
            _ if place < usize::from(gate.min(rules.home)) => of[place],
            Without::Open if place <= usize::from(rules.home) => of[place],
            Without::Lap if lap > 0 && place >= usize::from(gate) => of[usize::from(rules.lapped(place as u8))],
            Without::Open | Without::Wait | Without::Lap => NOWHERE,
        };
        let landings = [Without::Wait, Without::Lap, Without::Open];
        let landings = landings.map(|beyond| std::array::from_fn(|place| landing(beyond, place)));
        let leads = |from: usize, steps: u8| landings.iter().map(move |to: &[u8; 256]| to[from + usize::from(steps)]);
        let back = |from: usize| places_of(rules.hops()).any(|steps| leads(from, steps).any(|to| to == of[from]));
        let comes_back = (1..usize::from(rules.home)).any(|from| of[from] != BESIDE && back(from));
        Squares { of, landings, gate, lap, entry: rules.entry, comes_back }
    }

    /// The square of a piece on `place`.
    #[inline]
    pub(crate) fn of(&self, place: u8) -> u8 {
        self.of[usize::from(place)]
    }

    /// The square on which a piece lands that would be on `place` if there were no gate.
    #[inline]
    pub(crate) fn landing(&self, place: u8, beyond: Without) -> u8 {
        self.landings[beyond as usize][usize::from(place)]
    }

    /// The place where a piece lands that would be on `place` if there were no gate.
    #[inline]
    pub(crate) fn place(&self, place: u8, beyond: Without) -> u8 {
        let goes_round = place >= self.gate && beyond == Without::Lap && self.lap > 0;
        if goes_round { self.gate - self.lap + (place - self.gate) % self.lap } else { place }
    }
}

/// The pieces on each square: the numbers of own, enemy and partner's pieces, packed in a byte.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ring([u8; 128]);

/// One piece of a occupancy.
pub(crate) const OWN: u8 = 1;
pub(crate) const ENEMY: u8 = 8;
pub(crate) const PARTNER: u8 = 64;
/// Bits of a occupancy: any own pieces, two, and any enemies.
pub(crate) const ANY_OWN: u8 = 7 * OWN;
pub(crate) const TWO_OWN: u8 = 6 * OWN;
pub(crate) const ANY_ENEMY: u8 = 7 * ENEMY;
/// Bits of a occupancy that close the square to a piece by itself, and to a unit.
pub(crate) const CLOSED_TO_ONE: u8 = TWO_OWN | (6 * ENEMY) | (3 * PARTNER);
pub(crate) const CLOSED_TO_PAIR: u8 = ANY_OWN | (3 * PARTNER);

/// Written at once: reading a word that was written byte by byte stalls (store forwarding).
const EMPTY: [u8; 128] = {
    let mut occupancies = [0; 128];
    occupancies[NOWHERE as usize] = u8::MAX;
    occupancies
};

impl Ring {
    /// The squares without pieces.
    #[inline]
    pub(crate) fn empty() -> Ring {
        Ring(EMPTY)
    }

    /// Adds the pieces of a seat, each as `piece`: [`OWN`], [`ENEMY`] or [`PARTNER`].
    #[inline]
    pub(crate) fn add(&mut self, places: &[u8; MAX_PIECES], squares: &Squares, piece: u8) {
        for &place in &places[..4] {
            let occupancy = &mut self.0[usize::from(squares.of(place)) % 128];
            *occupancy = occupancy.wrapping_add(piece);
        }
        self.0[usize::from(BESIDE)] = 0;
    }

    /// The occupancy on a square.
    #[inline]
    pub(crate) fn at(&self, square: u8) -> u8 {
        self.0[usize::from(square) % 128]
    }
}
