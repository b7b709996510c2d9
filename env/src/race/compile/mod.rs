//! A sheet compiled into look-up tables. The engine reads the tables and never branches on the
//! game.
//!
//! A *place* is a number with one meaning in all games: 0 is off the board, 1 is the first square
//! of the course, and so on. The finish follows the squares. If pieces are borne off (taken off the
//! board), one more place follows. A *cell* is a square of the board, numbered from 1. Cell 0 means
//! no square: pieces never meet there. The table [`Rules::cells`] maps the places of each seat to
//! cells. This table alone decides where pieces meet.

pub mod board;
mod cells;
pub(crate) mod odds;
pub(crate) mod reach;
mod room;

pub(crate) use cells::Closing;

use std::{
    collections::BTreeSet,
    ops::{BitAnd, BitOr, Index, IndexMut},
};

use arrayvec::ArrayVec;

use crate::{
    game::{BySeat, Chances, MAX_SEATS, Seat, SeatSet},
    race::{
        compile::{
            board::{Courses, Square},
            cells::{CellMap, squares_named},
            odds::{chances, outcomes},
            reach::places_of,
        },
        position::{
            seating::Participants,
            slots::Slots,
            state::{MAX_PIECES, State},
        },
    },
    sheet::values::{
        Capture, End, Entry, EntryAt, FinishedPartner, FirstWhile, OpenedBy, Overshoot, Returns,
        SentTo, Setup, Sheet, Speed, Turn, Unit, UnitKind, WithPartner, Without, Words,
    },
};

/// The number of entries of a table by place.
pub const PLACES: usize = 128;
/// A place that does not exist. No piece is on it.
pub const NOWHERE: u8 = 0xFE;
/// A place that is closed to all seats in every bit table.
pub const WALL: u8 = 127;

/// A table by small numbers; a larger number counts modulo the length.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ByNumber<T, const LENGTH: usize>(pub [T; LENGTH]);

/// A table by place, or by cell.
pub type ByPlace<T> = ByNumber<T, PLACES>;

impl<T, const LENGTH: usize> ByNumber<T, LENGTH> {
    pub fn new(mut value: impl FnMut(u8) -> T) -> Self {
        ByNumber(std::array::from_fn(|number| value(number as u8)))
    }
}

impl<T, const LENGTH: usize> Index<u8> for ByNumber<T, LENGTH> {
    type Output = T;
    #[inline]
    fn index(&self, number: u8) -> &T {
        &self.0[usize::from(number) % LENGTH]
    }
}

impl<T, const LENGTH: usize> IndexMut<u8> for ByNumber<T, LENGTH> {
    #[inline]
    fn index_mut(&mut self, number: u8) -> &mut T {
        &mut self.0[usize::from(number) % LENGTH]
    }
}

/// A byte for each piece slot of every seat.
type AllSlots = [u8; MAX_SEATS * MAX_PIECES];

/// Cells as bits.
pub type Cells = u128;

/// The tables of a sheet.
#[derive(Clone, Debug)]
pub struct Rules {
    pub board: Courses,
    pub seating: Participants,
    /// The place of the finish. If pieces must fill the last squares instead, this is the place
    /// after the last square; no piece reaches it.
    pub home: u8,
    /// The last place: the finish, or the place of pieces borne off.
    pub goal: u8,
    /// A seat has finished when all its pieces are on this place or later places.
    pub finished_from: u8,
    /// The place where pieces enter. If the throw decides where a piece enters, this is the place
    /// before the place that a throw of 1 reaches.
    pub enters_at: u8,
    /// The place where a piece has made 0 steps.
    origin: u8,
    /// The cell of each place: `[seat][place]`.
    pub cells: Box<BySeat<ByPlace<u8>>>,
    /// `[seat][cell]`: the places where the course of the seat visits the cell for the first and
    /// for the second time, if captures are possible there. [`NOWHERE`] means no visit.
    pub places: Box<BySeat<ByPlace<[u8; 2]>>>,
    /// `[seat][place][visit][slot]`: for each piece of each enemy, the place (on the enemy's
    /// course) where a landing on `place` captures the piece, or [`NOWHERE`].
    pub meeting: Box<BySeat<ByPlace<[AllSlots; 2]>>>,
    /// The cell of each place, as a bit: `[seat][place]`.
    pub bits: Box<BySeat<ByPlace<Cells>>>,
    /// The first place on a square that the course has visited before, or the finish. All later
    /// places count as second visits.
    pub back: u8,
    /// Marked places, as bits. They are equal for all seats.
    pub marked: u128,
    /// Places that grant one more throw to a landing piece, as bits.
    pub lands_again: u128,
    /// Places that two pieces can leave as a declared unit (see [`UnitKind::Declared`]), as bits.
    pub declaring: u128,
    /// Places where captures are possible, as bits.
    pub contested: u128,
    pub closing: Closing,
    /// Cells where captures are possible.
    pub captured: Cells,
    /// For each place, the largest number of pieces of a seat there; 0 if no piece reaches the
    /// place.
    pub room: ByPlace<u8>,
    /// The first place beyond the gate, which a capture opens; [`NOWHERE`] without a gate.
    pub gate: u8,
    pub gate_rule: GateRule,
    /// The length of a lap: a piece that would pass its closed gate goes around the course again. 0
    /// if it waits.
    pub lap: u8,
    /// The rules of units. Their squares are in [`Closing::unit_cells`] and [`Rules::declaring`].
    pub unit: Unit,
    /// Sections of the sheet, unchanged.
    pub capture_rule: Capture,
    pub turn: Turn,
    pub entry: Entry,
    pub overshoot: Overshoot,
    /// Whether pieces must fill the last squares of the course.
    pub fills: bool,
    /// Whether the game ends when the first seat has finished.
    pub ends_with_first: bool,
    /// Whether a seat that has finished throws for its partner, in games with teams.
    pub partner_donates: bool,
    /// Whether pieces of partners can be on one plain square.
    pub partners_share: bool,
    /// The places at the start of a game, in ascending order. A seat with fewer pieces uses the
    /// last of these places.
    pub setup: ArrayVec<u8, MAX_PIECES>,
    /// The place of captured pieces.
    pub sent_to: u8,
    /// The number of dice (`throws.dice`), also if they are thrown one by one.
    pub dice: u8,
    /// The words of the game for the notation and for texts.
    pub words: Words,
    /// The number of the first square in the notation.
    pub first_number: u8,
    /// Whether positions record which seats have entered a piece.
    pub remembers_entry: bool,
    /// The outcomes of a throw, by ascending values.
    pub outcomes: Vec<Throw>,
    pub chances: Chances,
    /// The probabilities when the series is full. Only a throw that ends the series is then
    /// possible.
    pub last_chances: Chances,
    /// The values of a die in ascending order, without 0.
    pub faces: Vec<u8>,
    /// The largest sum of the values of one throw.
    pub longest: u8,
    /// The effects of a throw of each value.
    pub effects: ByNumber<ThrowEffects, 256>,
}

/// Decides which seats are allowed to go beyond their gate.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GateRule {
    pub is_open_to_all: bool,
    /// Whether a capture by the partner opens the gate, too.
    is_shared: bool,
}

impl GateRule {
    fn new(sheet: &Sheet, seating: &Participants) -> GateRule {
        let is_open_to_all = sheet.gate.at == 0 || sheet.gate.without == Without::Open;
        let is_shared =
            !is_open_to_all && seating.has_teams && sheet.gate.opened_by == OpenedBy::Team;
        GateRule {
            is_open_to_all,
            is_shared,
        }
    }

    /// Returns whether `seat` is allowed to go beyond its gate.
    #[inline]
    pub fn is_open(self, state: &State, seat: Seat) -> bool {
        self.is_open_to_all
            | state.has_mark(seat)
            | (self.is_shared & state.has_mark(seat.rotated(2)))
    }
}

/// One outcome of a chance node.
#[derive(Clone, PartialEq, Debug)]
pub struct Throw {
    /// The value and 0, or two values in ascending order.
    pub values: [u8; 2],
    /// The number of equally likely cases with this outcome.
    pub weight: u32,
    /// The numbers of steps that a piece on the course can move by this throw, as bits.
    pub steps: u128,
}

/// The effects of a throw of one value, in [`Rules::effects`].
#[derive(Clone, Debug)]
pub struct ThrowEffects {
    /// Whether it lets a piece enter: `[0]` by `entry.first`, `[1]` by `entry.next`.
    pub enters: [bool; 2],
    /// Whether it bears a piece off (takes it off the board from the finish).
    pub bears: bool,
    /// Whether it ends a series.
    pub stops: bool,
    /// Whether it grants one more throw.
    pub again: bool,
    /// Whether a step of 1 follows it.
    pub bonus: bool,
    /// Whether it moves a piece from the last square to the finish, even if its value is not 1.
    pub finishes: bool,
    /// The number of steps that it moves a unit. 0 if a unit cannot use the throw, or uses it
    /// without moving.
    pub unit_steps: u8,
    /// Whether a piece that finishes with this number needs a doublet of it (two equal dice).
    pub needs_doublet: bool,
}

/// Occupied cells as bits: cells with one or more pieces, and cells with two or more.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Occupancy<W = Cells> {
    pub ones: W,
    pub twos: W,
}

impl<W: Copy + BitAnd<Output = W> + BitOr<Output = W>> Occupancy<W> {
    /// Returns the occupancy with one more piece on `cell`, which is a bit.
    #[inline]
    pub fn with(self, cell: W) -> Occupancy<W> {
        Occupancy {
            ones: self.ones | cell,
            twos: self.twos | self.ones & cell,
        }
    }

    /// Combines two occupancies without adding the numbers of pieces. One piece in each occupancy
    /// is one piece in the result.
    #[inline]
    pub fn or(self, other: Occupancy<W>) -> Occupancy<W> {
        Occupancy {
            ones: self.ones | other.ones,
            twos: self.twos | other.twos,
        }
    }

    /// Adds the numbers of pieces of two occupancies.
    #[inline]
    pub fn plus(self, other: Occupancy<W>) -> Occupancy<W> {
        Occupancy {
            twos: self.twos | other.twos | self.ones & other.ones,
            ones: self.ones | other.ones,
        }
    }

    /// Returns the cells with one or more pieces in both occupancies, or two or more in both.
    #[inline]
    pub fn overlap(self, other: Occupancy<W>) -> W {
        self.ones & other.ones | self.twos & other.twos
    }

    /// Returns the occupancy with the pieces of one seat added; `bits` maps places to cells.
    #[inline]
    pub fn with_pieces(self, bits: &ByPlace<W>, places: &[u8]) -> Occupancy<W> {
        places
            .iter()
            .fold(self, |occupancy, &place| occupancy.with(bits[place]))
    }
}

impl Rules {
    /// Compiles a checked sheet for `seats` with `pieces` pieces each. 1 or 2 dice are
    /// `thrown_at_once`. `steps` returns the step counts that a throw allows a piece, as bits.
    ///
    /// # Errors
    /// Returns a description of the problem if a course is wrong.
    pub fn new(
        sheet: &Sheet,
        seats: SeatSet,
        pieces: usize,
        thrown_at_once: u8,
        steps: fn([u8; 2]) -> u128,
    ) -> Result<Rules, String> {
        let board = Courses::new(&sheet.board)?;
        let outcomes = outcomes(sheet, thrown_at_once, steps);
        let faces: BTreeSet<u8> = outcomes
            .iter()
            .flat_map(|throw| throw.values)
            .filter(|&value| value > 0)
            .collect();
        let effects: ByNumber<_, 256> = ByNumber::new(|value| ThrowEffects::new(sheet, value));
        let (home, goal) = home_and_goal(sheet, &board, pieces);
        let (enters_at, origin) = entry_and_origin(sheet);
        let gate = if sheet.gate.at == 0 {
            NOWHERE
        } else {
            sheet.board.place_of(sheet.gate.at)
        };
        let seating = Participants::new(&sheet.seats, seats, pieces);
        let cells = CellMap::new(sheet, &board, seats, home);
        let kinds = cells.kinds(gate);
        let tables = cells.tables(&kinds, &seating);
        let [one, two] = cells.with_room(&kinds, pieces);
        let bits = &tables.bits[Seat::SOUTH];
        let rules = Rules {
            marked: cells.places_where(|at, _| bits.0[at + 1] & kinds.marked != 0),
            contested: cells.places_where(|at, _| bits.0[at + 1] & kinds.plain != 0),
            lands_again: cells.places_on(&cells.marks_where(&|marks| marks.again)),
            declaring: cells.places_on(&squares_named(&sheet.unit.from)),
            back: cells.back(),
            home,
            goal,
            finished_from: if sheet.finish.fill {
                home - pieces as u8
            } else {
                goal
            },
            enters_at,
            origin,
            cells: tables.cells,
            places: tables.places,
            meeting: tables.meeting,
            bits: tables.bits,
            captured: kinds.plain,
            closing: Closing::new(sheet, &kinds, [one, two]),
            room: ByNumber([0; PLACES]),
            gate_rule: GateRule::new(sheet, &seating),
            lap: if sheet.gate.at > 0 && sheet.gate.without == Without::Lap {
                sheet.gate.lap.max(1)
            } else {
                0
            },
            unit: sheet.unit.clone(),
            capture_rule: sheet.capture.clone(),
            turn: sheet.turn.clone(),
            entry: sheet.entry.clone(),
            overshoot: sheet.finish.overshoot,
            fills: sheet.finish.fill,
            ends_with_first: sheet.seats.end == End::First,
            partner_donates: sheet.seats.finished_partner == FinishedPartner::Donates,
            partners_share: sheet.stacking.partner == WithPartner::Shares,
            setup: setup(sheet),
            sent_to: match sheet.pieces.sent_to {
                Returns::Wait(to) => u8::from(to == SentTo::Start),
                Returns::Square(number) => sheet.board.place_of(number),
            },
            dice: sheet.throws.dice,
            words: sheet.words.clone(),
            first_number: sheet.board.first_number,
            gate,
            remembers_entry: sheet.entry.first_while == FirstWhile::Never,
            chances: chances(&outcomes, |_| true),
            last_chances: chances(&outcomes, |throw| effects[throw.values[0]].stops),
            longest: outcomes
                .iter()
                .map(|throw| throw.values[0] + throw.values[1])
                .max()
                .unwrap_or(0),
            outcomes,
            faces: Vec::from_iter(faces),
            effects,
            board: board.clone(),
            seating,
        };
        Ok(rules.with_room(one, two))
    }

    /// Sets the room of each reachable place. Cells of `one` have room for one piece, cells of
    /// `two` for two pieces.
    fn with_room(mut self, one: Cells, two: Cells) -> Rules {
        for place in places_of(self.reachable()) {
            let bit = self.bits[Seat::SOUTH][place];
            let most = [(one, 1), (two, 2)]
                .into_iter()
                .find(|(cells, _)| cells & bit != 0)
                .map_or(MAX_PIECES, |(_, most)| most);
            self.room[place] = most.min(self.seating.pieces) as u8;
        }
        self
    }

    /// Returns the steps that a piece on `place` has made.
    #[inline]
    pub fn steps(&self, place: u8) -> u8 {
        place.saturating_sub(self.origin)
    }

    /// Returns the number of pieces of a seat.
    #[inline]
    pub fn pieces(&self) -> usize {
        self.seating.pieces
    }

    /// Returns the place of a piece that enters by a throw of `value`.
    #[inline]
    pub fn entered_at(&self, value: u8) -> u8 {
        if self.enters_by_count() {
            self.target(self.enters_at, value, false)
        } else {
            self.enters_at
        }
    }

    /// Returns whether the throw decides where a piece enters. Otherwise all pieces enter on one
    /// square.
    #[inline]
    pub fn enters_by_count(&self) -> bool {
        self.entry.at == EntryAt::COUNT
    }

    /// Returns the index of `value` among the values of a die.
    #[inline]
    pub fn face(&self, value: u8) -> Option<u16> {
        self.faces
            .iter()
            .position(|&other| other == value)
            .map(|at| at as u16)
    }

    /// Returns the step counts among `steps` that let a piece enter, as bits. `is_under_way` is 0
    /// for the values of `entry.first`, 1 for the values of `entry.next`.
    pub fn entering_steps(&self, is_under_way: usize, steps: u128) -> u128 {
        let enters = |&steps: &u8| self.effects[steps].enters[is_under_way];
        places_of(steps)
            .filter(enters)
            .fold(0, |all, steps| all | 1 << steps)
    }

    /// Returns the number of values of one throw: 2 for two dice, otherwise 1.
    pub fn values_of_throw(&self) -> usize {
        if self.outcomes.iter().any(|throw| throw.values[1] > 0) {
            2
        } else {
            1
        }
    }

    /// Returns whether two pieces become a unit by leaving certain squares together
    /// ([`UnitKind::Declared`]). If so, positions record these units.
    pub fn declares(&self) -> bool {
        self.unit.kind == UnitKind::Declared
    }

    pub fn can_throw(&self, values: [u8; 2]) -> bool {
        self.outcomes.iter().any(|throw| throw.values == values)
    }

    /// Returns whether the course has a gate.
    pub fn has_gate(&self) -> bool {
        self.gate != NOWHERE
    }

    /// Returns the places with room for `least` or more pieces of a seat, as bits.
    pub fn places_with_room(&self, least: u8) -> u128 {
        let has_room = |(_, room): &(usize, &u8)| **room >= least;
        let places = self.room.0.iter().enumerate().filter(has_room);
        places.fold(0, |places, (place, _)| places | 1 << place)
    }

    /// Returns the cells of South's `places`. Cells and places are bits.
    pub fn cells_of(&self, places: u128) -> Cells {
        places_of(places).fold(0, |cells, place| cells | self.bits[Seat::SOUTH][place])
    }

    /// Returns the cells where pieces of two of these seats can meet while all pieces are on
    /// `places`. Cells and places are bits.
    pub fn shared_cells(&self, seats: SeatSet, places: u128) -> Cells {
        let held =
            |seat: Seat| places_of(places).fold(0, |held, place| held | self.bits[seat][place]);
        let add = |[one, two]: [Cells; 2], held| [one | held, two | one & held];
        seats.iter().map(held).fold([0; 2], add)[1]
    }

    /// Returns the finish of a seat, or `None` if its pieces must fill the last squares of the
    /// course.
    pub fn finish_of(&self, seat: Seat) -> Option<Square> {
        self.board
            .course(seat)
            .last()
            .copied()
            .filter(|_| !self.fills)
    }

    #[inline]
    pub fn has_finished(&self, places: &[u8; MAX_PIECES]) -> bool {
        places[0] >= self.finished_from
    }

    /// Returns whether positions record that a seat has captured or entered a piece.
    pub fn has_seat_marks(&self) -> bool {
        self.has_gate() || self.remembers_entry
    }

    /// Returns the index of the values that now let a piece of `seat` enter: 0 for `entry.first`, 1
    /// for `entry.next`.
    #[inline]
    pub fn entry_stage(&self, state: &State, seat: Seat, own: &[u8; MAX_PIECES]) -> usize {
        let own = Slots::of(*own);
        let is_on_course = !(own.at_least(1) & !own.at_least(self.home)).is_empty();
        usize::from(if self.remembers_entry {
            state.has_mark(seat)
        } else {
            is_on_course
        })
    }

    /// Returns whether a position can be dead: no seat can ever move again.
    pub fn waits_at_gate(&self) -> bool {
        self.has_gate() && !self.gate_rule.is_open_to_all && self.lap == 0
    }

    /// Returns the landing place of a piece whose throw leads to `place`. If this is beyond its
    /// closed gate, the piece goes around the course again, one or more times, and stays before the
    /// gate.
    #[inline]
    pub fn lapped(&self, place: u8, is_open: bool) -> u8 {
        let goes_round = place >= self.gate && !is_open && self.lap > 0;
        if goes_round {
            self.gate - self.lap + (place - self.gate) % self.lap
        } else {
            place
        }
    }

    /// Returns the place that a piece on the course reaches with `steps`, or [`WALL`] if it is not
    /// allowed to move there.
    pub fn target(&self, from: u8, steps: u8, is_open: bool) -> u8 {
        let to = from.saturating_add(steps);
        if steps == 0 || from >= self.home {
            return WALL;
        }
        if from + 1 == self.home && self.effects[steps].finishes {
            return self.home;
        }
        if to >= self.gate && !is_open && !self.gate_rule.is_open_to_all {
            return if self.lap > 0 {
                self.lapped(to, false)
            } else {
                WALL
            };
        }
        let over = to.saturating_sub(self.home);
        let bits = |place: u8| self.bits[Seat::SOUTH][place];
        let is_own = |place: u8| place == from || bits(place) & bits(from) != 0;
        match self.overshoot {
            _ if to == self.home && self.fills => WALL,
            _ if over == 0 => to,
            Overshoot::Wasted => self.home,
            Overshoot::Bounces if over < self.home && !is_own(self.home - over) => self.home - over,
            Overshoot::Illegal | Overshoot::Bounces => WALL,
        }
    }
}

/// Returns the places of [`Rules::setup`].
fn setup(sheet: &Sheet) -> ArrayVec<u8, MAX_PIECES> {
    match &sheet.pieces.setup {
        Setup::All(to) => [u8::from(*to == SentTo::Start); MAX_PIECES].into(),
        Setup::On(numbers) => {
            let last = &numbers[numbers.len().saturating_sub(MAX_PIECES)..];
            last.iter()
                .map(|&number| sheet.board.place_of(number))
                .collect()
        }
    }
}

/// Returns the place of the finish and the last place. If pieces must fill the last squares, each
/// piece needs one of these squares. With fewer pieces, the course leaves out the last squares.
fn home_and_goal(sheet: &Sheet, board: &Courses, pieces: usize) -> (u8, u8) {
    let fewer = if sheet.finish.fill {
        sheet.pieces.count.saturating_sub(pieces as u8)
    } else {
        0
    };
    let home = board.course(Seat::SOUTH).len() as u8 + u8::from(sheet.finish.fill) - fewer;
    (home, home + u8::from(!sheet.finish.bear_off.is_empty()))
}

/// Returns the entry place, and the place where a piece has made 0 steps.
fn entry_and_origin(sheet: &Sheet) -> (u8, u8) {
    match sheet.entry.at {
        EntryAt::START => (1, u8::from(sheet.pieces.sent_to == Returns::START)),
        EntryAt::COUNT => (1 - sheet.board.first_number, 1 - sheet.board.first_number),
        EntryAt::Square(number) => (sheet.board.place_of(number), 0),
    }
}

impl ThrowEffects {
    fn new(sheet: &Sheet, value: u8) -> ThrowEffects {
        ThrowEffects {
            enters: [&sheet.entry.first, &sheet.entry.next]
                .map(|values| values.contains(value) && !sheet.entry.by_bonus),
            bears: sheet.finish.bear_off.contains(&value),
            stops: sheet.turn.stop.contains(&value),
            again: sheet.turn.again.contains(&value),
            bonus: sheet.turn.bonus.contains(&value),
            finishes: sheet.finish.from_last.contains(&value),
            needs_doublet: sheet.finish.doublets.contains(&value),
            unit_steps: match sheet.unit.speed {
                Speed::Full => value,
                Speed::Half | Speed::HalfSpent => value / 2,
                Speed::HalfEven if value.is_multiple_of(2) => value / 2,
                Speed::HalfEven => 0,
                Speed::Double => value.saturating_mul(2),
            },
        }
    }
}
