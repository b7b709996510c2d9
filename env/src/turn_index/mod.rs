//! Numbers the turn-start states and finds the afterstates of whole turns (the possible positions
//! after a turn), for solvers and their tables.
//!
//! The *side position* of a seat contains the places of its pieces at the start of a turn and all
//! other facts that the rules record about the seat. Side positions are numbered from 0. A
//! turn-start state consists of the side positions of all seats in turn order, starting with the
//! seat to throw ([`TurnIndex`]).
//!
//! [`RaceTurns`] finds the same afterstates as the engine. If a turn has one throw, it steps the
//! engine once to list the turns of each side position. For most series with one or two pieces, it
//! allots the throws with functions of the engine and stores the results. For other series, it
//! steps the engine at each visit.

mod listed;
#[cfg(test)]
mod listed_tests;
mod model;
mod series;
mod sides;
mod stepped;

use crate::{
    game::{BySeat, Game, MAX_SEATS, Node, Payoff, Seat},
    race::{
        Race,
        compile::Occupancy,
        position::state::State,
        turns::{by_kind, series_throws::SeriesThrows},
    },
    sheet::values::Must,
};
use listed::ListedWalk;
use series::SeriesWalk;
use sides::SideList;

pub use model::{
    Continuation, LANES, Side, SideInfo, Sides, TurnEnd, TurnModel, TurnVisitor, in_lane, lanes_of,
};

/// The largest number of positions; it is limited by the memory of a solver.
pub const MAX_POSITIONS: u64 = 500_000_000;

/// The reason why a ruleset cannot be numbered.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// One seat alone has too many side positions.
    ///
    /// Contains the number of side positions, or an upper bound.
    #[error("one seat's pieces have {0} arrangements; at most {most} can be solved", most = Side::MAX - 1)]
    TooManySides(u64),
    /// All seats together have too many positions. Contains the number of combinations.
    #[error("there are about {0} positions; at most {MAX_POSITIONS} can be solved")]
    TooManyPositions(u128),
    /// Games with this property are not supported.
    #[error("cannot solve games with {0}")]
    Unsupported(&'static str),
}

/// The numbered turn-start states of a race game.
///
/// The side position of a seat has the places of its pieces, its declared units, and whether the
/// seat has captured (if this opens a gate) or entered. It also has the counts of the turn, such as
/// the throws made if they are limited.
#[derive(Clone, Debug)]
pub struct TurnIndex {
    race: Race,
    sides: SideList,
    /// The cells with pieces of each side position: `[seat][side]`.
    occupied: BySeat<Vec<Occupancy>>,
    /// The seats that have different views of the board.
    movers: Vec<Seat>,
}

impl TurnIndex {
    /// Numbers the positions of `race`.
    ///
    /// # Errors
    /// Fails if there are too many positions, if the game has teams, placings or too many seats, or
    /// if two seats have different views of the board.
    pub fn new(race: &Race) -> Result<TurnIndex, IndexError> {
        let seats = race.spec().seats;
        let most_seats = by_kind!(&race.turns, turns => turns.most_numbered_seats());
        match race.spec().payoff {
            Payoff::Teams => return Err(IndexError::Unsupported("teams")),
            Payoff::Placings => return Err(IndexError::Unsupported("placings")),
            Payoff::Winner if seats.len() <= most_seats => {}
            Payoff::Winner => {
                return Err(IndexError::Unsupported("two dice and more than two seats"));
            }
        }
        let sides = SideList::new(race)?;
        let occupied = Seat::ALL.map(|seat| {
            let places = (0..sides.infos.len()).map(|side| sides.places(side as Side));
            places
                .map(|places| Occupancy::default().with_pieces(&race.rules.bits[seat], places))
                .collect()
        });
        let mut index = TurnIndex {
            race: race.clone(),
            sides,
            occupied: BySeat(occupied),
            movers: Vec::new(),
        };
        let first = seats.iter().next().unwrap_or(Seat::SOUTH);
        let (second, board) = (race.seating.next(first), &race.rules.board);
        if seats.len() == 2 && board.meetings(first, second) != board.meetings(second, first) {
            return Err(IndexError::Unsupported(
                "two seats with different views of the board",
            ));
        }
        index.movers = index
            .in_turn(first)
            .take(if seats.len() == 3 { 3 } else { 1 })
            .collect();
        let count =
            (index.sides().len() as u128).pow(seats.len() as u32) * index.movers.len() as u128;
        if count > u128::from(MAX_POSITIONS) {
            return Err(IndexError::TooManyPositions(count));
        }
        Ok(index)
    }

    /// Returns the game.
    pub fn race(&self) -> &Race {
        &self.race
    }

    /// Returns the number of seats.
    pub fn seats(&self) -> usize {
        self.race.spec().seats.len()
    }

    /// Returns the seats with different views of the board: only one seat if the board looks the
    /// same to all.
    pub fn movers(&self) -> &[Seat] {
        &self.movers
    }

    /// Returns whether a seat that can move is allowed to pass. Seats can then wait for each other
    /// forever.
    pub fn may_wait(&self) -> bool {
        matches!(
            self.race.ruleset().sheet().turn.must,
            Must::Optional | Must::NoMerge
        )
    }

    /// Returns the facts of every side position, by number. Side positions are in ascending order
    /// of height, layer and steps.
    pub fn sides(&self) -> &[SideInfo] {
        &self.sides.infos
    }

    /// Returns the seat to throw and the side positions in turn order, or `None` if `state` is not
    /// a turn-start state.
    pub fn locate(&self, state: &State) -> Option<(Seat, Sides)> {
        let is_start =
            self.race.node(state) == Node::Chance(state.mover) && state.series.is_empty();
        let mut sides = [0; MAX_SEATS];
        for (side, seat) in sides.iter_mut().zip(self.in_turn(state.mover)) {
            *side = self.sides.of(
                state,
                seat,
                if seat == state.mover {
                    state.registers
                } else {
                    [0; 3]
                },
            )?;
        }
        is_start.then_some((state.mover, sides))
    }

    /// Returns the position at the start of `mover`'s turn, or of its next throw.
    pub fn state(&self, mover: Seat, sides: Sides) -> State {
        self.state_of(mover, &sides)
    }

    /// Returns the position at the start of `mover`'s turn, with pieces only for the seats that
    /// `sides` contains.
    fn state_of(&self, mover: Seat, sides: &[Side]) -> State {
        let mut state = State::empty(mover);
        for (&side, seat) in sides.iter().zip(self.in_turn(mover)) {
            let mark = self.sides.mark(side);
            state.pieces[seat] = *self.sides.places(side);
            state.declared[seat] = mark % sides::SEAT_MARK;
            state.seat_marks |= (mark / sides::SEAT_MARK) << seat.index();
        }
        state.registers = self.sides.registers(sides[0]);
        state
    }

    /// Returns the number that identifies a position among all combinations of side positions. The
    /// digits of this number are the index of the seat to throw in `movers` and then the side
    /// positions in turn order.
    pub fn number(&self, mover: Seat, sides: Sides) -> usize {
        let mover = self
            .movers
            .iter()
            .position(|&seat| seat == self.alike_mover(mover))
            .unwrap_or(0);
        let count = self.sides().len();
        sides[..self.seats()]
            .iter()
            .fold(mover, |number, &side| number * count + usize::from(side))
    }

    /// Returns the index of the seat to throw among the movers, and the side positions: the digits
    /// of [`TurnIndex::number`].
    pub fn digits(&self, mut number: usize) -> (usize, Sides) {
        let count = self.sides().len();
        let mut sides = Sides::default();
        for side in sides[..self.seats()].iter_mut().rev() {
            *side = (number % count) as Side;
            number /= count;
        }
        (number, sides)
    }

    /// Returns the position with this [`TurnIndex::number`], or `None` for a number without a
    /// position.
    pub fn state_of_number(&self, number: usize) -> Option<State> {
        let (mover, sides) = self.digits(number);
        let mover = *self.movers.get(mover)?;
        // Only the seat that throws can be within a turn.
        let is_position = sides[1..self.seats()]
            .iter()
            .all(|&side| self.sides.registers(side) == [0; 3])
            && self.are_apart(mover, sides);
        is_position.then(|| self.state(mover, sides))
    }

    /// Returns a bound: all results of [`TurnIndex::number`] are smaller. Some smaller numbers
    /// belong to no position.
    pub fn numbers(&self) -> usize {
        self.movers.len() * self.sides().len().pow(self.seats() as u32)
    }

    /// Returns the turn-start state of the current turn, with the pieces where they are now.
    pub fn start_of_turn(&self, state: &State) -> State {
        let mut start = *state;
        start.begin_turn(state.mover);
        start.registers = self.race.registers.start(state);
        start
    }

    /// Returns the seat of [`TurnIndex::movers`] with the same view of the board.
    fn alike_mover(&self, mover: Seat) -> Seat {
        if self.movers.contains(&mover) {
            mover
        } else {
            self.movers[0]
        }
    }

    /// Returns whether each cell that two seats cannot share has pieces of at most one seat.
    fn are_apart(&self, mover: Seat, sides: Sides) -> bool {
        let (mut taken, exclusive) = (0, self.race.rules.closing.exclusive);
        sides
            .into_iter()
            .zip(self.in_turn(mover))
            .all(|(side, seat)| {
                let held = self.occupied[seat][usize::from(side)].ones & exclusive;
                let is_free = held & taken == 0;
                taken |= held;
                is_free
            })
    }

    /// Returns the seats in turn order from `mover` on.
    pub fn in_turn(&self, mover: Seat) -> impl Iterator<Item = Seat> {
        let seating = self.race.seating;
        std::iter::successors(Some(mover), move |&seat| Some(seating.next(seat)))
            .take(seating.seats.len())
    }

    /// Returns the other seats in turn order.
    #[inline]
    fn others(&self, mover: Seat) -> impl Iterator<Item = Seat> {
        self.in_turn(self.race.seating.next(mover))
            .take(self.seats() - 1)
    }
}

/// [`TurnIndex`] with tables for fast visits of turns.
#[derive(Clone, Debug)]
pub struct RaceTurns {
    index: TurnIndex,
    walk: Walk,
}

/// If more patterns of enemies than this matter to a throw, its afterstates are not precomputed.
const MOST_PATTERNS: usize = 256;

#[derive(Clone, Debug)]
enum Walk {
    Series(Box<SeriesWalk>),
    Listed(Box<ListedWalk>),
    Stepped,
}

impl RaceTurns {
    /// Prepares tables of moves. For a series of throws with two pieces, this takes seconds, or
    /// minutes if enemies can close squares or the rules let any throw stay unused.
    pub fn new(index: TurnIndex) -> RaceTurns {
        let walk = match index
            .race
            .turns
            .as_series()
            .filter(|turns| turns.allows_tables())
        {
            Some(turns) if index.race.pieces() <= 2 => {
                Walk::Series(Box::new(SeriesWalk::new(&index, turns)))
            }
            _ if index.race.series().is_some() => Walk::Stepped,
            _ => Walk::Listed(Box::new(ListedWalk::new(&index, MOST_PATTERNS))),
        };
        RaceTurns { index, walk }
    }
}

impl TurnModel for RaceTurns {
    fn index(&self) -> &TurnIndex {
        &self.index
    }

    fn is_position(&self, mover: Seat, sides: Sides) -> bool {
        // With tables for series, combinations that are not positions are visited, too, because
        // checking them takes longer.
        matches!(self.walk, Walk::Series(_))
            || self.index.are_apart(self.index.alike_mover(mover), sides)
    }

    #[inline]
    fn visit(&self, mover: Seat, sides: Sides, lanes: u16, visitor: &mut impl TurnVisitor) {
        let mover = self.index.alike_mover(mover);
        match &self.walk {
            Walk::Series(walk) => walk.visit(&self.index, mover, sides, lanes, visitor),
            Walk::Listed(walk) => walk.visit(&self.index, mover, sides, lanes, visitor),
            Walk::Stepped => stepped::visit(&self.index, mover, sides, lanes, visitor),
        }
    }

    fn has_rows(&self) -> bool {
        matches!(&self.walk, Walk::Series(walk) if walk.has_rows())
    }

    fn cut_off(&self) -> f64 {
        match &self.walk {
            Walk::Series(walk) => walk.cut_off,
            Walk::Stepped
                if self
                    .index
                    .race
                    .series()
                    .is_some_and(SeriesThrows::is_unlimited) =>
            {
                stepped::MISSING
            }
            Walk::Stepped | Walk::Listed(_) => 0.0,
        }
    }
}
