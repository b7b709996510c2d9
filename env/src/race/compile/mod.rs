//! A sheet compiled into look-up tables, once; the engine reads them and never branches on the game.
//!
//! A *place* is one number for all games: 0 waits off the board, 1 is the first square of the course and so on, then
//! comes the finish, and where pieces are borne off one place more. A *cell* is a square of the board, numbered from 1;
//! 0 stands for no square, where pieces never meet. The table [`Rules::cells`] maps the places of each seat to cells,
//! and it alone decides which pieces meet.

pub mod board;
mod cells;
pub(crate) mod odds;
pub(crate) mod reach;

use std::collections::BTreeSet;
use std::ops::{BitAnd, BitOr};
use std::sync::Arc;

use arrayvec::ArrayVec;

use crate::game::{Chances, MAX_SEATS, Seat, SeatSet};
use crate::race::compile::board::{Courses, Square};
use crate::race::compile::cells::{CellMap, Closing, squares_named};
use crate::race::compile::odds::{chances, outcomes};
use crate::race::compile::reach::places_of;
use crate::race::position::seating::Participants;
use crate::race::position::slots::Slots;
use crate::race::position::state::{MAX_PIECES, State};
use crate::sheet::values::{
    EntryAt, FirstWhile, OpenedBy, Overshoot, Returns, SentTo, Setup, Sheet, Speed, UnitKind, Without,
};

/// Entries of a table by place.
pub(crate) const PLACES: usize = 128;
/// A place that does not exist, where no slot is.
pub(crate) const NOWHERE: u8 = 0xFE;
/// A place that is closed to all seats, in every table of bits.
pub(crate) const WALL: u8 = 127;

/// A byte for each piece slot of every seat.
type AllSlots = [u8; MAX_SEATS * MAX_PIECES];

/// Cells as bits.
pub(crate) type Cells = u128;

/// The tables of a sheet.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub(crate) sheet: Arc<Sheet>,
    pub(crate) board: Courses,
    pub(crate) seating: Participants,
    /// The place of the finish; where squares are filled instead, the place after the last of them, which none reaches.
    pub(crate) home: u8,
    /// The last place: the finish, or borne off.
    pub(crate) goal: u8,
    /// A seat has finished once all its pieces stand here or further.
    pub(crate) finished_from: u8,
    /// The place where pieces enter; where they enter by count, the place from which their throw is counted.
    pub(crate) entry: u8,
    /// The place from which steps are counted.
    origin: u8,
    /// The cell of each seat's places.
    pub(crate) cells: Box<[[u8; PLACES]; MAX_SEATS]>,
    /// The places of each seat on a cell where captures are made, the first visit and the second; [`NOWHERE`] where
    /// there is none.
    pub(crate) places: Box<[[[u8; 2]; PLACES]; MAX_SEATS]>,
    /// By seat and place, for each piece slot of each enemy the place on which the piece is captured there, at its
    /// first visit and at its second; [`NOWHERE`] where there is none.
    pub(crate) meeting: Box<[[[AllSlots; 2]; PLACES]; MAX_SEATS]>,
    /// [`Rules::cells`] as bits.
    pub(crate) bits: Box<[[Cells; PLACES]; MAX_SEATS]>,
    /// Places that are the second visit to a square, and those after: from the first such place on.
    pub(crate) back: u8,
    /// Places that are marked, as bits; the same for every seat.
    pub(crate) marked: u128,
    /// Places on which a piece that lands gets one more throw, as bits.
    pub(crate) lands_again: u128,
    /// Places on which two pieces can become a unit as they leave, where units are declared, as bits.
    pub(crate) declaring: u128,
    /// Places on which pieces can be captured, as bits.
    pub(crate) contested: u128,
    /// Cells that are closed to a single piece with an own piece there, with two, with an enemy's, with two of one
    /// enemy.
    pub(crate) closed_to_single: [Cells; 4],
    /// The same for a unit, and the cells that are always closed to it.
    pub(crate) closed_to_unit: [Cells; 4],
    pub(crate) never_for_units: Cells,
    /// Cells that are closed with a partner's piece there.
    pub(crate) closed_by_partner: Cells,
    /// Cells that a piece by itself cannot pass while two own pieces stand there, and while two of an enemy do.
    pub(crate) impassable: [Cells; 2],
    /// Cells that two enemies never hold at once.
    pub(crate) exclusive: Cells,
    /// Cells on which enemies are captured.
    pub(crate) captured: Cells,
    /// Cells on which two own pieces together are a unit.
    pub(crate) unit_cells: Cells,
    /// By place the number of pieces of a seat that can stand there; 0 where none ever does.
    pub(crate) room: [u8; PLACES],
    /// The first place that opens with a capture; [`NOWHERE`] if there is none.
    pub(crate) gate: u8,
    pub(crate) gate_rule: GateRule,
    /// Whether seats remember that they have entered a piece.
    pub(crate) remembers_entry: bool,
    /// The outcomes of a throw, by ascending values.
    pub(crate) outcomes: Vec<Throw>,
    /// The probabilities of the outcomes.
    pub(crate) chances: Chances,
    /// The same for a series that can hold no more throws: only those that end it.
    pub(crate) last_chances: Chances,
    /// The values that a die can show, ascending, without 0.
    pub(crate) faces: Vec<u8>,
    /// The most steps of one hop by one throw.
    pub(crate) longest: u8,
    /// By value of a throw its effects.
    pub(crate) effects: [ThrowEffects; 256],
}

/// The seats to which the places beyond the gate are open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GateRule {
    is_open_to_all: bool,
    /// Whether a partner's capture opens it, too.
    is_shared: bool,
}

impl GateRule {
    fn new(sheet: &Sheet, seating: &Participants) -> GateRule {
        GateRule {
            is_open_to_all: sheet.gate.at == 0 || sheet.gate.without == Without::Open,
            is_shared: seating.has_teams && sheet.gate.opened_by == OpenedBy::Team,
        }
    }

    /// Whether `seat` may go beyond its gate.
    #[inline]
    pub(crate) fn is_open(self, state: &State, seat: Seat) -> bool {
        self.is_open_to_all | state.has_cut(seat) | (self.is_shared & state.has_cut(seat.rotated(2)))
    }
}

/// One outcome of a chance node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Throw {
    /// The value, or two ascending.
    pub(crate) values: [u8; 2],
    /// In so many of equally likely cases.
    pub(crate) weight: u32,
    /// The numbers of steps that a piece on the course can go with it, as bits.
    pub(crate) steps: u128,
}

/// The effects of a value, in [`Rules::effects`].
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct ThrowEffects {
    /// Whether it enters a piece while none is on the course, and while one is.
    pub(crate) enters: [bool; 2],
    /// Whether it bears a piece off.
    pub(crate) bears: bool,
    /// Whether it ends a series.
    pub(crate) stops: bool,
    /// Whether it grants one more throw.
    pub(crate) again: bool,
    /// Whether a step of 1 follows it.
    pub(crate) bonus: bool,
    /// Whether it brings a piece from the square before the finish to it.
    pub(crate) finishes: bool,
    /// Steps of a unit; 0 where it cannot be given to one.
    pub(crate) unit_steps: u8,
}

/// The pieces on the cells of the board: cells with one or more, and with two or more, as bits.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Occupancy<W = Cells> {
    pub(crate) ones: W,
    pub(crate) twos: W,
}

impl<W: Copy + BitAnd<Output = W> + BitOr<Output = W>> Occupancy<W> {
    /// The same with one more piece, on a cell as a bit.
    #[inline]
    pub(crate) fn with(self, cell: W) -> Occupancy<W> {
        Occupancy { ones: self.ones | cell, twos: self.twos | self.ones & cell }
    }

    /// The cells with one or more in either, and with two or more in either: pieces of two seats are not added up.
    #[inline]
    pub(crate) fn or(self, other: Occupancy<W>) -> Occupancy<W> {
        Occupancy { ones: self.ones | other.ones, twos: self.twos | other.twos }
    }

    /// The cells with one or more, and with two or more of all pieces together.
    #[inline]
    pub(crate) fn plus(self, other: Occupancy<W>) -> Occupancy<W> {
        Occupancy { twos: self.twos | other.twos | self.ones & other.ones, ones: self.ones | other.ones }
    }

    /// The cells with one or more in both, or with two or more in both.
    #[inline]
    pub(crate) fn met(self, other: Occupancy<W>) -> W {
        self.ones & other.ones | self.twos & other.twos
    }

    /// The same with one seat's pieces.
    #[inline]
    pub(crate) fn and(self, bits: &[W; PLACES], places: &[u8]) -> Occupancy<W> {
        places.iter().fold(self, |occupancy, &place| occupancy.with(bits[usize::from(place) % PLACES]))
    }
}

impl Rules {
    /// Compiles a sheet, which has been checked, for `seats` of `pieces` pieces. One throw is of 1 or 2 `dice`; `steps`
    /// has the numbers of steps that a piece can go with it, as bits.
    ///
    /// # Errors
    /// The problem of its course.
    pub(crate) fn new(
        sheet: Arc<Sheet>,
        seats: SeatSet,
        pieces: usize,
        dice: u8,
        steps: fn([u8; 2]) -> u128,
    ) -> Result<Rules, String> {
        let board = Courses::new(&sheet.board).map_err(|(_, error)| error)?;
        let outcomes = outcomes(&sheet, dice, steps);
        let faces: BTreeSet<u8> = outcomes.iter().flat_map(|throw| throw.values).filter(|&value| value > 0).collect();
        let effects: [ThrowEffects; 256] = std::array::from_fn(|value| ThrowEffects::new(&sheet, value as u8));
        let (home, goal) = home_and_goal(&sheet, &board, pieces);
        let (entry, origin) = entry_and_origin(&sheet);
        let gate = if sheet.gate.at == 0 { NOWHERE } else { sheet.board.place_of(sheet.gate.at) };
        let seating = Participants::new(&sheet.seats, seats, pieces);
        let cells = CellMap::new(&sheet, &board, seats, home);
        let kinds = cells.kinds(gate);
        let tables = cells.tables(&kinds, &seating);
        let [one, two] = cells.with_room(&kinds, pieces);
        let (bits, closed) = (&tables.bits[Seat::SOUTH.index()], kinds.closed);
        let closing = Closing::new(&sheet, &kinds);
        let rules = Rules {
            marked: cells.places_where(|at, _| bits[at + 1] & kinds.marked != 0),
            contested: cells.places_where(|at, _| bits[at + 1] & kinds.plain != 0),
            lands_again: cells.places_on(&cells.marks_where(&|marks| marks.again)),
            declaring: cells.places_on(&squares_named(&sheet.unit.from)),
            back: cells.back(),
            home,
            goal,
            finished_from: if sheet.finish.fill { home - pieces as u8 } else { goal },
            entry,
            origin,
            cells: tables.cells,
            places: tables.places,
            meeting: tables.meeting,
            bits: tables.bits,
            closed_to_single: [one, two, kinds.blocked, closing.to_single],
            closed_to_unit: [one | two, 0, kinds.blocked, closing.to_unit],
            never_for_units: 1 << WALL | closed | one,
            closed_by_partner: closed | closing.by_partner,
            impassable: closing.impassable,
            exclusive: closed | closing.exclusive,
            captured: kinds.plain,
            unit_cells: closing.unit_cells,
            room: [0; PLACES],
            gate_rule: GateRule::new(&sheet, &seating),
            gate,
            remembers_entry: sheet.entry.first_while == FirstWhile::Never,
            chances: chances(&outcomes, |_| true),
            last_chances: chances(&outcomes, |throw| effects[usize::from(throw.values[0])].stops),
            longest: outcomes.iter().map(|throw| throw.values[0] + throw.values[1]).max().unwrap_or(0),
            outcomes,
            faces: Vec::from_iter(faces),
            effects,
            board: board.clone(),
            seating,
            sheet: Arc::clone(&sheet),
        };
        Ok(rules.with_room(one, two))
    }

    /// Gives room to the places that pieces can reach, with these cells for one piece and for two.
    fn with_room(mut self, one: Cells, two: Cells) -> Rules {
        for place in places_of(self.reachable()) {
            let bit = self.bits[Seat::SOUTH.index()][usize::from(place)];
            let limited = [(one, 1), (two, 2)].into_iter().find(|(cells, _)| cells & bit != 0);
            let most = limited.map_or(MAX_PIECES, |(_, most)| most);
            self.room[usize::from(place)] = most.min(self.seating.pieces) as u8;
        }
        self
    }

    /// Steps that a piece on this place has made: from where a throw is counted that enters, or from where all begin.
    #[inline]
    pub(crate) fn steps(&self, place: u8) -> u8 {
        place.saturating_sub(self.origin)
    }

    /// The place where a throw of this value brings a piece that enters.
    #[inline]
    pub(crate) fn entered_at(&self, value: u8) -> u8 {
        if self.enters_by_count() { self.target(self.entry, value, false) } else { self.entry }
    }

    /// Whether a piece enters by the number of its throw, not on one square.
    #[inline]
    pub(crate) fn enters_by_count(&self) -> bool {
        self.sheet.entry.at == EntryAt::COUNT
    }

    /// Which of the values that a die can show this is.
    #[inline]
    pub(crate) fn face(&self, value: u8) -> Option<u16> {
        self.faces.iter().position(|&other| other == value).map(|at| at as u16)
    }

    /// Of numbers of steps, as bits, those by which a piece enters while none is on the course, or while one is.
    pub(crate) fn entering(&self, is_under_way: usize, steps: u128) -> u128 {
        let enters = |&steps: &u8| self.effects[usize::from(steps)].enters[is_under_way];
        places_of(steps).filter(enters).fold(0, |all, steps| all | 1 << steps)
    }

    /// The values of one throw: 2 where two dice are thrown at once, else 1.
    pub(crate) fn values_of_throw(&self) -> usize {
        if self.outcomes.iter().any(|throw| throw.values[1] > 0) { 2 } else { 1 }
    }

    /// Whether units are declared, so that positions have declarations.
    pub(crate) fn declares(&self) -> bool {
        self.sheet.unit.kind == UnitKind::Declared
    }

    /// Whether the dice can show these values.
    pub(crate) fn can_throw(&self, values: [u8; 2]) -> bool {
        self.outcomes.iter().any(|throw| throw.values == values)
    }

    /// Whether seats remember that they have captured.
    pub(crate) fn has_gate(&self) -> bool {
        self.gate != NOWHERE
    }

    /// The cells where pieces of two of these seats can meet that stand on some of these `places`, as bits.
    pub(crate) fn shared(&self, seats: SeatSet, places: u128) -> Cells {
        let held =
            |seat: Seat| places_of(places).fold(0, |held, place| held | self.bits[seat.index()][usize::from(place)]);
        let add = |[one, two]: [Cells; 2], held| [one | held, two | one & held];
        seats.iter().map(held).fold([0; 2], add)[1]
    }

    /// The square where a seat's pieces finish, unless they fill the last squares of their course.
    pub(crate) fn finish_of(&self, seat: Seat) -> Option<Square> {
        self.board.course(seat).last().copied().filter(|_| !self.sheet.finish.fill)
    }

    /// Whether all pieces of a seat have come to their end.
    #[inline]
    pub(crate) fn has_finished(&self, places: &[u8; MAX_PIECES]) -> bool {
        places[0] >= self.finished_from
    }

    /// Whether positions have a mark for each seat: that it has captured, or entered.
    pub(crate) fn has_seat_marks(&self) -> bool {
        self.has_gate() || self.remembers_entry
    }

    /// Which of the values that enter hold for a seat with its `own` places: the first ones, 0, or the next ones, 1.
    #[inline]
    pub(crate) fn entry_stage(&self, state: &State, seat: Seat, own: &[u8; MAX_PIECES]) -> usize {
        let own = Slots::of(*own);
        let is_on_course = !(own.at_least(1) & !own.at_least(self.home)).is_empty();
        usize::from(if self.remembers_entry { state.has_cut(seat) } else { is_on_course })
    }

    /// Whether a position can be dead: no seat can ever move again.
    pub(crate) fn waits_at_gate(&self) -> bool {
        self.has_gate() && self.sheet.gate.without == Without::Wait
    }

    /// The place before the gate of a piece that goes round again instead of to `place`, as often as it takes.
    #[inline]
    pub(crate) fn lapped(&self, place: u8) -> u8 {
        let lap = self.sheet.gate.lap.max(1);
        self.gate - lap + (place - self.gate) % lap
    }

    /// The place to which a piece on the course comes by so many steps, or [`WALL`].
    pub(crate) fn target(&self, from: u8, steps: u8, is_open: bool) -> u8 {
        let to = from.saturating_add(steps);
        if steps == 0 || from >= self.home {
            return WALL;
        }
        if from + 1 == self.home && self.effects[usize::from(steps)].finishes {
            return self.home;
        }
        if to >= self.gate && !is_open && self.sheet.gate.without != Without::Open {
            return if self.sheet.gate.without == Without::Lap { self.lapped(to) } else { WALL };
        }
        let over = to.saturating_sub(self.home);
        let bits = |place: u8| self.bits[0][usize::from(place)];
        let is_own = |place: u8| place == from || bits(place) & bits(from) != 0;
        match self.sheet.finish.overshoot {
            _ if to == self.home && self.sheet.finish.fill => WALL,
            _ if over == 0 => to,
            Overshoot::Wasted => self.home,
            Overshoot::Bounces if over < self.home && !is_own(self.home - over) => self.home - over,
            Overshoot::Illegal | Overshoot::Bounces => WALL,
        }
    }

    /// The place where captured pieces go.
    #[inline]
    pub(crate) fn sent_to(&self) -> u8 {
        match self.sheet.pieces.sent_to {
            Returns::Wait(to) => u8::from(to == SentTo::Start),
            Returns::Square(number) => self.sheet.board.place_of(number),
        }
    }

    /// The places where pieces begin, ascending; where a seat has fewer, its own begin on the last of them.
    pub(crate) fn setup(&self) -> ArrayVec<u8, MAX_PIECES> {
        match &self.sheet.pieces.setup {
            Setup::All(to) => [u8::from(*to == SentTo::Start); MAX_PIECES].into(),
            Setup::On(numbers) => {
                let last = &numbers[numbers.len().saturating_sub(MAX_PIECES)..];
                last.iter().map(|&number| self.sheet.board.place_of(number)).collect()
            }
        }
    }
}

/// The place of the finish, and the last place. If the last squares are to be filled, a piece never leaves them, and
/// fewer pieces have a shorter course.
fn home_and_goal(sheet: &Sheet, board: &Courses, pieces: usize) -> (u8, u8) {
    let fewer = if sheet.finish.fill { sheet.pieces.count.saturating_sub(pieces as u8) } else { 0 };
    let home = board.course(Seat::SOUTH).len() as u8 + u8::from(sheet.finish.fill) - fewer;
    (home, home + u8::from(!sheet.finish.bear_off.is_empty()))
}

/// The place where pieces enter, and the place from which steps are counted.
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
