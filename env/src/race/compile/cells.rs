//! The cells of a board: their kinds, their room, and the tables that map places to cells.

use std::collections::BTreeSet;

use super::{
    AllSlots, ByNumber, ByPlace, Cells, NOWHERE, PLACES, WALL,
    board::{Courses, Square},
};
use crate::{
    game::{BySeat, MAX_SEATS, Seat, SeatSet},
    race::position::{seating::Participants, state::MAX_PIECES},
    sheet::values::{
        Area, Block, Group, MarkRule, Marks, Meeting, Returns, Room, SentTo, Setup, Sheet,
        UnitKind, UnitMeeting, WithPartner,
    },
};

/// Gives a cell to each square of the courses, except the finishes.
pub struct CellMap<'a> {
    sheet: &'a Sheet,
    board: &'a Courses,
    seats: SeatSet,
    home: u8,
    squares: Vec<Square>,
}

/// Cells by kind.
pub struct CellKinds {
    pub marked: Cells,
    /// Marked cells that have room for one piece of any seat.
    pub closed: Cells,
    /// Marked cells that a piece of an enemy closes.
    pub blocked: Cells,
    private: Cells,
    /// Cells that are neither marked nor private.
    pub plain: Cells,
    /// Plain and private cells beyond the gate.
    pub inner: Cells,
}

/// The tables by seat and place, as in [`super::Rules`].
pub struct PlaceTables {
    pub cells: Box<BySeat<ByPlace<u8>>>,
    pub bits: Box<BySeat<ByPlace<Cells>>>,
    pub places: Box<BySeat<ByPlace<[u8; 2]>>>,
    pub meeting: Box<BySeat<ByPlace<[AllSlots; 2]>>>,
}

/// Cells that pieces close, and cells where two pieces are a unit.
#[derive(Clone, Debug)]
pub struct Closing<W = Cells> {
    /// Cells that are closed to a single piece if the cell has: `[0]` an own piece, `[1]` two own
    /// pieces, `[2]` an enemy piece, `[3]` two pieces of one enemy.
    pub to_single: [W; 4],
    /// Cells that are closed to a unit in the same four cases.
    pub to_unit: [W; 4],
    pub always_to_unit: W,
    /// Cells that a piece of the partner closes.
    pub by_partner: W,
    /// Cells that a single piece cannot pass if the cell has: `[0]` two own pieces, `[1]` two
    /// pieces of an enemy.
    pub impassable: [W; 2],
    /// Cells where two own pieces are a unit.
    pub unit_cells: W,
    /// Cells that never hold pieces of two hostile seats at the same time: a piece that lands there
    /// captures, or is not allowed to land.
    pub exclusive: W,
}

pub fn squares_named(names: &[String]) -> Vec<Square> {
    names
        .iter()
        .filter_map(|name| Square::named(name))
        .collect()
}

impl<'a> CellMap<'a> {
    pub fn new(sheet: &'a Sheet, board: &'a Courses, seats: SeatSet, home: u8) -> CellMap<'a> {
        let mut map = CellMap {
            sheet,
            board,
            seats,
            home,
            squares: Vec::new(),
        };
        let squares: BTreeSet<Square> = Seat::ALL
            .into_iter()
            .flat_map(|seat| map.way(seat))
            .copied()
            .collect();
        map.squares = Vec::from_iter(squares);
        map
    }

    /// Returns the squares of a seat before its finish.
    pub fn way(&self, seat: Seat) -> &'a [Square] {
        self.board
            .course(seat)
            .get(..usize::from(self.home) - 1)
            .unwrap_or_default()
    }

    fn cell(&self, square: &Square) -> u8 {
        self.squares
            .binary_search(square)
            .map_or(0, |at| at as u8 + 1)
    }

    fn cells_of(&self, is_in: impl Fn(&Square) -> bool) -> Cells {
        self.squares
            .iter()
            .filter(|square| is_in(square))
            .fold(0, |bits, square| bits | 1 << self.cell(square))
    }

    /// Returns the squares of all kinds of marks that `is_one` accepts.
    pub fn marks_where(&self, is_one: &dyn Fn(&Marks) -> bool) -> Vec<Square> {
        self.sheet
            .board
            .mark_kinds()
            .filter(is_one)
            .flat_map(|marks| squares_named(&marks.squares))
            .collect()
    }

    /// Returns South's places whose index and square `is_in` accepts, as bits.
    pub fn places_where(&self, is_in: impl Fn(usize, &Square) -> bool) -> u128 {
        self.way(Seat::SOUTH)
            .iter()
            .enumerate()
            .filter(|&(at, square)| is_in(at, square))
            .fold(0, |places, (at, _)| places | 1 << (at + 1))
    }

    /// Returns the first place on a square that the course has visited before, or the finish.
    pub fn back(&self) -> u8 {
        let south = self.way(Seat::SOUTH);
        (1..south.len())
            .find(|&at| south[..at].contains(&south[at]))
            .map_or(self.home, |at| at as u8 + 1)
    }

    /// Returns South's places on these squares, as bits.
    pub fn places_on(&self, squares: &[Square]) -> u128 {
        self.places_where(|_, square| squares.contains(square))
    }

    /// Returns the kinds of cells for a gate at place `gate`.
    pub fn kinds(&self, gate: u8) -> CellKinds {
        let marks = |is_one: &dyn Fn(MarkRule) -> bool| {
            let squares = self.marks_where(&|marks| is_one(marks.rule));
            self.cells_of(|square| squares.contains(square))
        };
        let marked = marks(&|rule| rule != MarkRule::Plain);
        let closed = marks(&|rule| rule == MarkRule::Closed);
        let blocked = closed | marks(&|rule| rule == MarkRule::Block);
        let visitors = |square: &Square| {
            Seat::ALL
                .into_iter()
                .filter(|&seat| self.way(seat).contains(square))
                .count()
        };
        let private = self.cells_of(|square| visitors(square) == 1) & !marked;
        let plain = self.cells_of(|_| true) & !marked & !private;
        let before_gate = usize::from(gate.min(self.home)) - 1;
        let is_outer = |square: &Square| {
            self.seats.iter().any(|seat| {
                self.way(seat)
                    .iter()
                    .take(before_gate)
                    .any(|at| at == square)
            })
        };
        let inner = (plain | private) & !self.cells_of(is_outer);
        CellKinds {
            marked,
            closed,
            blocked,
            private,
            plain,
            inner,
        }
    }

    /// Returns the cells with room for one piece, and the cells with room for two.
    pub fn with_room(&self, kinds: &CellKinds, pieces: usize) -> [Cells; 2] {
        let (
            stacking,
            &CellKinds {
                marked,
                closed,
                private,
                plain,
                inner,
                ..
            },
        ) = (&self.sheet.stacking, kinds);
        let apart = if stacking.private.is_some() {
            private
        } else {
            0
        };
        // A square that a piece must fill has room for one piece, even if the square is marked.
        let fills = |square: &Square| {
            self.seats.iter().any(|seat| {
                self.way(seat)
                    .iter()
                    .rev()
                    .take(pieces)
                    .any(|at| at == square)
            })
        };
        let filled = if self.sheet.finish.fill {
            self.cells_of(fills)
        } else {
            0
        };
        let rooms = [
            (closed | filled, Room::One),
            (marked & !closed & !filled, stacking.marked.into()),
            (apart & !filled, stacking.private.unwrap_or(stacking.plain)),
            (
                inner & !apart & !filled,
                stacking.inner.unwrap_or(stacking.plain),
            ),
            (
                (plain | private) & !inner & !apart & !filled,
                stacking.plain,
            ),
        ];
        let with = |wanted| {
            rooms
                .iter()
                .filter(|&&(_, room)| room == wanted)
                .fold(0, |cells, (with, _)| cells | with)
        };
        [with(Room::One), with(Room::Two)]
    }

    pub fn tables(&self, kinds: &CellKinds, seating: &Participants) -> PlaceTables {
        let pieces = &self.sheet.pieces;
        let begins_on_board =
            pieces.setup == Setup::All(SentTo::Start) || pieces.sent_to == Returns::START;
        let mut cells = Box::new(BySeat([ByNumber([0; PLACES]); MAX_SEATS]));
        let mut bits = Box::new(BySeat([ByNumber([0; PLACES]); MAX_SEATS]));
        let mut places = Box::new(BySeat([ByNumber([[NOWHERE; 2]; PLACES]); MAX_SEATS]));
        for seat in Seat::ALL {
            bits[seat][WALL] = 1 << WALL;
            for (at, square) in (0..).zip(self.way(seat)) {
                // If pieces begin on the first square of their course or return there, only the
                // owner uses this square.
                let number = if at == 0 && begins_on_board {
                    0
                } else {
                    self.cell(square)
                };
                cells[seat][at + 1] = number;
                bits[seat][at + 1] = if number == 0 { 0 } else { 1 << number };
                if kinds.plain >> number & 1 == 1 {
                    let [first, second] = &mut places[seat][number];
                    *(if *first == NOWHERE { first } else { second }) = at + 1;
                }
            }
        }
        let mut meeting = Box::new(BySeat(
            [ByNumber([[[NOWHERE; MAX_SEATS * MAX_PIECES]; 2]; PLACES]); MAX_SEATS],
        ));
        for seat in Seat::ALL {
            for place in 0..PLACES as u8 {
                for &enemy in seating.enemies(seat) {
                    let slots = enemy.index() * MAX_PIECES..(enemy.index() + 1) * MAX_PIECES;
                    let targets = places[enemy][cells[seat][place]];
                    for (visit, there) in meeting[seat][place].iter_mut().zip(targets) {
                        visit[slots.clone()].fill(there);
                    }
                }
            }
        }
        PlaceTables {
            cells,
            bits,
            places,
            meeting,
        }
    }
}

impl Closing {
    /// Cells of `one` have room for one piece, cells of `two` for two pieces.
    pub fn new(sheet: &Sheet, kinds: &CellKinds, [one, two]: [Cells; 2]) -> Closing {
        let (capture, stacking, unit) = (&sheet.capture, &sheet.stacking, &sheet.unit);
        let unit_cells = match (unit.kind, unit.area) {
            (UnitKind::None, _) => 0,
            (_, Area::Inner) => kinds.inner,
            (_, Area::Any) => Cells::MAX,
        };
        let two_to_single = match (stacking.block, capture.single_on_unit) {
            (Block::Landing | Block::Passing, _) => Cells::MAX,
            (Block::None, Meeting::Barred) => kinds.plain & unit_cells,
            (Block::None, Meeting::Takes | Meeting::Shares) => 0,
        };
        let two_to_unit = if capture.unit_on_unit == UnitMeeting::Barred {
            kinds.plain & unit_cells
        } else {
            0
        };
        let shares = capture.group == Group::One
            || [capture.single_on_unit, capture.unit_on_single.into()].contains(&Meeting::Shares)
            || [UnitMeeting::TakesEqual, UnitMeeting::Shares].contains(&capture.unit_on_unit);
        let own = if unit.passable { 0 } else { unit_cells };
        Closing {
            to_single: [one, two, kinds.blocked, two_to_single],
            to_unit: [one | two, 0, kinds.blocked, two_to_unit],
            always_to_unit: 1 << WALL | kinds.closed | one,
            by_partner: kinds.closed
                | if stacking.partner == WithPartner::Closed {
                    kinds.plain
                } else {
                    0
                },
            impassable: [
                own,
                if stacking.block == Block::Passing {
                    Cells::MAX
                } else {
                    own
                },
            ],
            exclusive: kinds.closed | if shares { 0 } else { kinds.plain },
            unit_cells,
        }
    }

    pub fn map<W>(&self, to: impl Fn(Cells) -> W) -> Closing<W> {
        Closing {
            to_single: self.to_single.map(&to),
            to_unit: self.to_unit.map(&to),
            always_to_unit: to(self.always_to_unit),
            by_partner: to(self.by_partner),
            impassable: self.impassable.map(&to),
            unit_cells: to(self.unit_cells),
            exclusive: to(self.exclusive),
        }
    }
}
