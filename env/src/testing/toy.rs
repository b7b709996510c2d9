//! A toy race game for tests. It can be solved exactly in milliseconds, and it exposes errors of a
//! search.
//!
//! It has the features of the real games that are hard for a search: extra throws (a seat moves
//! twice in a row), series of throws (two chance nodes in a row, several actions in a turn),
//! captures, three and four seats, teams and placings. It does not use the race engine.
//!
//! Each seat moves one or two pieces along the indices 0 (off the board) to 5 (home). Indices 1 to
//! 4 are on a ring of four squares that all seats share; each seat enters the ring one square after
//! the previous seat. A coin throws 1 or
//! 2. A throw moves one piece. A throw of 2 can be played as one step; no move goes beyond home. A
//!    piece that lands on enemies sends all of them back to 0; partners share squares.

use std::sync::LazyLock;

use crate::game::{
    Action, ActionMask, BySeat, Chances, Game, MAX_PIECES, MAX_SEATS, Node, Outcome, Payoff,
    RaceGame, Seat, SeatSet, Spec,
};

/// The index of home.
pub const HOME: u8 = 5;

const RING: usize = 4;

/// Entries of an observation for one seat: for each index, whether a piece is there; then, for each
/// index, whether two pieces are there.
const SEAT_BLOCK: usize = 2 * (HOME as usize + 1);

/// The seats and teams.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ToyTable {
    /// South against North.
    Two,
    /// South, East and North, each alone.
    Three,
    /// Four seats, each alone.
    Four,
    /// South and North against East and West; the first team with all pieces home wins.
    Teams,
    /// Four seats, each alone, which play for all ranks.
    Placings,
}

/// Pieces of each seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ToyPieces {
    /// One piece: the only choice is the length of a step.
    One,
    /// Two pieces.
    Two,
}

/// The effect of a throw of 2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ToyThrows {
    /// The seat throws again after it has played the 2.
    Again,
    /// The seat throws again before it moves, until it throws a 1 or has made three throws. Then it
    /// plays all throws, the 1 first.
    Series,
}

/// The toy game; the module describes its rules.
#[derive(Clone, Debug)]
pub struct Toy {
    spec: Spec,
    count: usize,
    throws: ToyThrows,
}

/// A position of the toy game.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ToyState {
    /// Indices of the pieces, ascending; a second piece that does not exist stays 0.
    pieces: BySeat<[u8; 2]>,
    /// The seat that throws or moves; after the end, the seat that moved last.
    seat: Seat,
    /// The numbers of unplayed throws of 1 and of 2.
    pending: [u8; 2],
    moving: bool,
    /// Whether the seat throws again after this move.
    again: bool,
    /// In games with placings, the rank of each finished seat, from 1; otherwise 0.
    places: BySeat<u8>,
}

impl Toy {
    /// Two seats with two pieces each; a seat that has played a 2 throws again.
    pub fn two() -> Toy {
        Toy::new(ToyTable::Two, ToyPieces::Two, ToyThrows::Again)
    }

    /// The toy game with these rules.
    pub fn new(table: ToyTable, pieces: ToyPieces, throws: ToyThrows) -> Toy {
        let seats = match table {
            ToyTable::Two => SeatSet::of(&[Seat::SOUTH, Seat::NORTH]),
            ToyTable::Three => SeatSet::of(&[Seat::SOUTH, Seat::EAST, Seat::NORTH]),
            ToyTable::Four | ToyTable::Teams | ToyTable::Placings => SeatSet::ALL,
        };
        let payoff = match table {
            ToyTable::Two | ToyTable::Three | ToyTable::Four => Payoff::Winner,
            ToyTable::Teams => Payoff::Teams,
            ToyTable::Placings => Payoff::Placings,
        };
        let teams = Seat::ALL.map(|seat| match payoff {
            Payoff::Teams => SeatSet::of(&[seat, seat.rotated(2)]),
            Payoff::Winner | Payoff::Placings => SeatSet::of(&[seat]),
        });
        let name =
            format!("toy?table={table:?}&pieces={pieces:?}&throws={throws:?}").to_lowercase();
        let ruleset_hash = name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        let spec = Spec {
            name,
            seats,
            payoff,
            teams: BySeat(teams),
            actions: 4,
            observation: MAX_SEATS * SEAT_BLOCK + 26,
            start_observation: MAX_SEATS * SEAT_BLOCK + 20,
            encoding: 1,
            ruleset_hash,
            turn_limit: 400,
        };
        Toy {
            spec,
            count: if pieces == ToyPieces::One { 1 } else { 2 },
            throws,
        }
    }

    /// A position with `seat` to throw and the pieces of each seat on the given indices, 0 to
    /// [`HOME`]; larger indices mean home. In games with one piece, only the first index is used.
    /// In the position, no seat must have finished.
    pub fn position(&self, seat: Seat, pieces: BySeat<[u8; 2]>) -> ToyState {
        let mut state = self.initial_state(seat);
        for owner in self.spec.seats.iter() {
            for (piece, &index) in state.pieces[owner]
                .iter_mut()
                .zip(&pieces[owner])
                .take(self.count)
            {
                *piece = index.min(HOME);
            }
            state.pieces[owner][..self.count].sort_unstable();
        }
        state
    }

    fn own<'a>(&self, state: &'a ToyState, seat: Seat) -> &'a [u8] {
        &state.pieces[seat][..self.count]
    }

    fn is_home(&self, state: &ToyState, seat: Seat) -> bool {
        self.own(state, seat).iter().all(|&index| index == HOME)
    }

    fn is_over(&self, state: &ToyState) -> bool {
        let mut seats = self.spec.seats.iter();
        match self.spec.payoff {
            Payoff::Winner => seats.any(|seat| self.is_home(state, seat)),
            Payoff::Teams => seats.any(|seat| {
                self.spec.teams[seat]
                    .iter()
                    .all(|mate| self.is_home(state, mate))
            }),
            Payoff::Placings => seats.filter(|&seat| !self.is_home(state, seat)).count() <= 1,
        }
    }

    /// Sends all enemy pieces on the square at `index` of `seat` back to 0.
    fn capture(&self, state: &mut ToyState, seat: Seat, index: u8) {
        let Some(square) = ring_square(seat, index) else {
            return;
        };
        for enemy in self
            .spec
            .seats
            .iter()
            .filter(|&other| !self.spec.teams[seat].contains(other))
        {
            let pieces = &mut state.pieces[enemy][..self.count];
            pieces
                .iter_mut()
                .filter(|index| ring_square(enemy, **index) == Some(square))
                .for_each(|index| *index = 0);
            pieces.sort_unstable();
        }
    }

    fn end_turn(&self, state: &mut ToyState) {
        let again = state.again;
        (state.pending, state.moving, state.again) = ([0; 2], false, false);
        let finished = self.is_home(state, state.seat);
        if finished && self.spec.payoff == Payoff::Placings {
            state.places[state.seat] =
                1 + state.places.0.iter().filter(|&&place| place > 0).count() as u8;
        }
        if self.is_over(state) || (again && !finished) {
            return;
        }
        let plays_on = |seat: &Seat| self.spec.seats.contains(*seat) && !self.is_home(state, *seat);
        let next = (1..=MAX_SEATS)
            .map(|quarters| state.seat.rotated(quarters))
            .find(plays_on);
        state.seat = next.expect("a game that is not over has a seat that plays on");
    }
}

/// The number of the ring square at `index` of `seat`; `None` if the index is not on the ring.
fn ring_square(seat: Seat, index: u8) -> Option<usize> {
    (1..HOME)
        .contains(&index)
        .then(|| (usize::from(index) - 1 + seat.index()) % RING)
}

impl Game for Toy {
    type State = ToyState;

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn initial_state(&self, first: Seat) -> ToyState {
        ToyState {
            pieces: BySeat::default(),
            seat: first,
            pending: [0; 2],
            moving: false,
            again: false,
            places: BySeat::default(),
        }
    }

    fn node(&self, state: &ToyState) -> Node {
        if self.is_over(state) {
            Node::Terminal
        } else if state.moving {
            Node::Decision(state.seat)
        } else {
            Node::Chance(state.seat)
        }
    }

    fn chance_outcomes(&self, state: &ToyState) -> &Chances {
        static THROWS: LazyLock<Chances> = LazyLock::new(|| vec![0.5, 0.5].into());
        static NONE: Chances = Chances::NONE;
        if matches!(self.node(state), Node::Chance(_)) {
            &THROWS
        } else {
            &NONE
        }
    }

    /// Two actions for each piece, in ascending order of the pieces: the whole throw, and one step
    /// of a 2. Two pieces on one index have the actions of one piece.
    fn legal_actions(&self, state: &ToyState) -> ActionMask {
        if !matches!(self.node(state), Node::Decision(_)) {
            return ActionMask::EMPTY;
        }
        let throw = if state.pending[0] > 0 { 1 } else { 2 };
        let pieces = self.own(state, state.seat);
        let mut legal = ActionMask::EMPTY;
        for (piece, &index) in pieces.iter().enumerate() {
            if index == HOME || (piece > 0 && pieces[piece - 1] == index) {
                continue;
            }
            if index + throw <= HOME {
                legal.insert(Action(2 * piece as u8));
            }
            if throw == 2 {
                legal.insert(Action(2 * piece as u8 + 1));
            }
        }
        legal
    }

    fn apply_chance(&self, state: &mut ToyState, outcome: Outcome) {
        debug_assert!(
            matches!(self.node(state), Node::Chance(_)) && outcome.0 < 2,
            "{outcome:?} in {state:?}"
        );
        let is_two = outcome.0 != 0;
        state.pending[usize::from(is_two)] += 1;
        match self.throws {
            ToyThrows::Again => (state.moving, state.again) = (true, is_two),
            ToyThrows::Series => state.moving = !is_two || state.pending[1] >= 3,
        }
    }

    fn apply_action(&self, state: &mut ToyState, action: Action) {
        debug_assert!(
            self.legal_actions(state).contains(action),
            "{action:?} in {state:?}"
        );
        let throw = if state.pending[0] > 0 { 1 } else { 2 };
        state.pending[throw - 1] -= 1;
        let (piece, is_short) = (usize::from(action.0 / 2), action.0 % 2 == 1);
        let seat = state.seat;
        let index = state.pieces[seat][piece] + if is_short { 1 } else { throw as u8 };
        state.pieces[seat][piece] = index;
        state.pieces[seat][..self.count].sort_unstable();
        self.capture(state, seat, index);
        if state.pending == [0; 2] || self.is_home(state, seat) {
            self.end_turn(state);
        }
    }

    fn returns(&self, state: &ToyState) -> BySeat<f32> {
        let mut returns = BySeat::default();
        if !self.is_over(state) {
            return returns;
        }
        for seat in self.spec.seats.iter() {
            returns[seat] = match self.spec.payoff {
                Payoff::Winner => f32::from(self.is_home(state, seat)),
                Payoff::Teams => f32::from(
                    self.spec.teams[seat]
                        .iter()
                        .all(|mate| self.is_home(state, mate)),
                ),
                Payoff::Placings => {
                    [0.0, 1.0, 2.0 / 3.0, 1.0 / 3.0, 0.0][usize::from(state.places[seat])]
                }
            };
        }
        returns
    }

    fn observe_active(&self, state: &ToyState, seat: Seat, active: &mut Vec<u16>) {
        for quarters in
            (0..MAX_SEATS).filter(|&quarters| self.spec.seats.contains(seat.rotated(quarters)))
        {
            let owner = seat.rotated(quarters);
            let pieces = self.own(state, owner);
            for (piece, &index) in pieces.iter().enumerate() {
                let is_second = usize::from(piece > 0 && pieces[piece - 1] == index);
                let entry =
                    quarters * SEAT_BLOCK + is_second * usize::from(HOME + 1) + usize::from(index);
                active.push(entry as u16);
            }
            if state.places[owner] > 0 {
                active.push(
                    (MAX_SEATS * SEAT_BLOCK + 4 * quarters + usize::from(state.places[owner]) - 1)
                        as u16,
                );
            }
        }
        let flags = (MAX_SEATS * SEAT_BLOCK + 4 * MAX_SEATS) as u16;
        active.push(flags + ((state.seat.index() + MAX_SEATS - seat.index()) % MAX_SEATS) as u16);
        active.extend((state.pending[0] > 0).then_some(flags + 4));
        active.extend((state.pending[1] > 0).then(|| flags + 4 + u16::from(state.pending[1])));
        active.extend(state.moving.then_some(flags + 8));
        active.extend(state.again.then_some(flags + 9));
    }
}

impl RaceGame for Toy {
    fn pieces(&self) -> usize {
        self.count
    }

    fn goal(&self) -> u8 {
        HOME
    }

    fn steps(&self, state: &ToyState, seat: Seat) -> [u8; MAX_PIECES] {
        let [first, second] = state.pieces[seat];
        [first, second, 0, 0, 0, 0, 0, 0]
    }
}
