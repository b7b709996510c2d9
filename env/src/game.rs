//! The `Game` interface: a turn-based stochastic game of two to four seats with explicit chance
//! nodes.
//!
//! Search, learning, arenas and bindings use only this trait; its implementations contain the
//! rules. A state contains no random generator and no history: the caller draws the throws, so a
//! planner cannot know future throws. Values have one entry for each seat, because a seat with an
//! extra throw moves twice in a row.

use std::{
    fmt,
    hash::Hash,
    ops::{Deref, Index, IndexMut},
};

use serde::{Deserialize, Serialize};

/// The largest number of seats around a board.
pub const MAX_SEATS: usize = 4;

/// The largest number of pieces of one seat in a race game.
pub const MAX_PIECES: usize = 8;

/// One side of the board, numbered counter-clockwise: South, East, North, West.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u8")]
pub struct Seat(u8);

impl TryFrom<u8> for Seat {
    type Error = String;

    fn try_from(index: u8) -> Result<Seat, String> {
        Seat::new(index.into()).ok_or_else(|| format!("{index} is not a seat (seats are 0 to 3)"))
    }
}

impl Seat {
    /// All sides of the board, in notation order.
    pub const ALL: [Seat; MAX_SEATS] = [Seat(0), Seat(1), Seat(2), Seat(3)];
    /// The side at the bottom row.
    pub const SOUTH: Seat = Seat(0);
    /// The side to South's right.
    pub const EAST: Seat = Seat(1);
    /// The side opposite South.
    pub const NORTH: Seat = Seat(2);
    /// The side to South's left.
    pub const WEST: Seat = Seat(3);

    /// The seat with number `index`; `None` if `index` is 4 or more.
    pub const fn new(index: usize) -> Option<Seat> {
        if index < MAX_SEATS {
            Some(Seat(index as u8))
        } else {
            None
        }
    }

    /// 0 for South, 1 for East, 2 for North, 3 for West.
    #[inline]
    pub const fn index(self) -> usize {
        (self.0 & 3) as usize
    }

    /// The seat that is `quarters` quarter turns counter-clockwise from this seat.
    #[inline]
    pub const fn rotated(self, quarters: usize) -> Seat {
        Seat(((self.0 as usize + quarters) & 3) as u8)
    }

    /// The number of quarter turns counter-clockwise from this seat to `other`, 0 to 3.
    #[inline]
    pub(crate) const fn quarters_to(self, other: Seat) -> usize {
        (other.0 as usize + MAX_SEATS - self.0 as usize) & 3
    }

    /// `S`, `E`, `N` or `W`.
    pub const fn letter(self) -> char {
        ['S', 'E', 'N', 'W'][self.index()]
    }

    /// `South`, `East`, `North` or `West`.
    pub const fn name(self) -> &'static str {
        ["South", "East", "North", "West"][self.index()]
    }

    /// The seat with this letter; `None` for other characters.
    pub fn from_letter(letter: char) -> Option<Seat> {
        Seat::ALL.into_iter().find(|seat| seat.letter() == letter)
    }
}

impl fmt::Debug for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}

/// A set of seats.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SeatSet(u8);

impl SeatSet {
    /// No seat.
    pub const EMPTY: SeatSet = SeatSet(0);
    /// All four seats.
    pub const ALL: SeatSet = SeatSet(15);

    /// The set of `seats`.
    pub fn of(seats: &[Seat]) -> SeatSet {
        seats
            .iter()
            .fold(SeatSet::EMPTY, |set, &seat| set.with(seat))
    }

    /// The set of seats with these letters, in any order: `SEW`.
    ///
    /// # Errors
    /// The first letter that is not a seat or is repeated.
    pub fn from_letters(letters: &str) -> Result<SeatSet, SeatLettersError> {
        letters.chars().try_fold(SeatSet::EMPTY, |set, letter| {
            match Seat::from_letter(letter) {
                None => Err(SeatLettersError::Unknown(letter)),
                Some(seat) if set.contains(seat) => Err(SeatLettersError::Repeated(seat)),
                Some(seat) => Ok(set.with(seat)),
            }
        })
    }

    /// This set with `seat` added.
    #[must_use]
    pub const fn with(self, seat: Seat) -> SeatSet {
        SeatSet(self.0 | 1 << seat.index())
    }

    /// Whether `seat` is in the set.
    #[inline]
    pub const fn contains(self, seat: Seat) -> bool {
        self.0 >> seat.index() & 1 == 1
    }

    /// The number of seats in the set.
    #[inline]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The seats of the set in notation order.
    pub fn iter(self) -> impl Iterator<Item = Seat> + Clone {
        Seat::ALL
            .into_iter()
            .filter(move |&seat| self.contains(seat))
    }
}

impl fmt::Debug for SeatSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|seat| write!(f, "{seat}"))
    }
}

/// The reason why letters are not a set of seats.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SeatLettersError {
    /// The letter is not a seat.
    #[error("`{0}` is not a seat (seats are S, E, N and W)")]
    Unknown(char),
    /// The seat is repeated.
    #[error("seat `{0}` is given twice")]
    Repeated(Seat),
}

/// One value for each side of the board. The entries of seats that do not play are not used.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug, Serialize, Deserialize)]
pub struct BySeat<T>(pub [T; MAX_SEATS]);

impl<T> Index<Seat> for BySeat<T> {
    type Output = T;
    #[inline]
    fn index(&self, seat: Seat) -> &T {
        &self.0[seat.index()]
    }
}

impl<T> IndexMut<Seat> for BySeat<T> {
    #[inline]
    fn index_mut(&mut self, seat: Seat) -> &mut T {
        &mut self.0[seat.index()]
    }
}

/// The number of an action in the game's fixed action space, below [`Spec::actions`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Action(pub u8);

/// The number of an outcome of a chance node: its index in [`Game::chance_outcomes`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Outcome(pub u8);

/// The probabilities of the outcomes of a chance node, as a slice.
/// [`chance::outcome`](crate::chance::outcome) uses their cumulative sums. Build it from at most
/// 256 numbers from 0 to 1 with the sum 1. Only the tests in [`laws`](crate::testing::laws) check
/// this.
#[derive(Clone, PartialEq, Debug)]
pub struct Chances {
    probabilities: Vec<f64>,
    /// The cumulative probability of each outcome. The numbers of the last possible outcome and of
    /// all later outcomes are infinite, because rounding errors could keep the sum below 1.
    pub(crate) sums: Vec<f64>,
}

impl Chances {
    /// No outcomes, for nodes that are not chance nodes.
    pub const NONE: Chances = Chances {
        probabilities: Vec::new(),
        sums: Vec::new(),
    };
}

impl From<Vec<f64>> for Chances {
    fn from(probabilities: Vec<f64>) -> Chances {
        let last = probabilities
            .iter()
            .rposition(|&probability| probability > 0.0)
            .unwrap_or(0);
        let mut sum = 0.0;
        let sums = probabilities
            .iter()
            .enumerate()
            .map(|(outcome, probability)| {
                sum += probability;
                if outcome < last { sum } else { f64::INFINITY }
            });
        Chances {
            sums: sums.collect(),
            probabilities,
        }
    }
}

impl Deref for Chances {
    type Target = [f64];

    #[inline]
    fn deref(&self) -> &[f64] {
        &self.probabilities
    }
}

/// A set of actions, such as the legal actions of a state. Actions have numbers from 0 to 31.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ActionMask(u32);

impl ActionMask {
    /// No action.
    pub const EMPTY: ActionMask = ActionMask(0);

    /// Adds `action`, which must be below 32. A larger action panics in debug builds and is ignored
    /// in release builds.
    #[inline]
    pub fn insert(&mut self, action: Action) {
        debug_assert!(action.0 < 32, "action {} in a set of 32", action.0);
        self.0 |= 1_u32.checked_shl(action.0.into()).unwrap_or(0);
    }

    /// Whether `action` is in the set.
    #[inline]
    pub const fn contains(self, action: Action) -> bool {
        action.0 < 32 && self.0 >> action.0 & 1 == 1
    }

    /// The number of actions in the set.
    #[inline]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether the set is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The `n`-th action in ascending order, counted from 0; `None` if the set has `n` actions or
    /// fewer.
    #[inline]
    pub fn nth(self, n: usize) -> Option<Action> {
        let mut bits = self.0;
        for _ in 0..n {
            bits &= bits.wrapping_sub(1);
        }
        (bits != 0).then(|| Action(bits.trailing_zeros() as u8))
    }

    /// The actions of the set in ascending order.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = Action> + Clone {
        let mut bits = self.0;
        std::iter::from_fn(move || {
            let action = (bits != 0).then(|| Action(bits.trailing_zeros() as u8))?;
            bits &= bits - 1;
            Some(action)
        })
    }

    /// The set of the actions whose bits are set: bit `i` is action `i`.
    #[inline]
    pub const fn of_bits(bits: u32) -> ActionMask {
        ActionMask(bits)
    }

    /// The set as bits: bit `i` is action `i`.
    #[inline]
    pub const fn bits(self) -> u32 {
        self.0
    }
}

impl FromIterator<Action> for ActionMask {
    fn from_iter<I: IntoIterator<Item = Action>>(actions: I) -> ActionMask {
        let mut mask = ActionMask::EMPTY;
        actions.into_iter().for_each(|action| mask.insert(action));
        mask
    }
}

impl fmt::Debug for ActionMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set()
            .entries(self.iter().map(|action| action.0))
            .finish()
    }
}

/// The kind of a node of the game tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Node {
    /// The dice are thrown for this seat.
    Chance(Seat),
    /// This seat chooses one of the legal actions.
    Decision(Seat),
    /// The game is over; [`Game::returns`] has the result.
    Terminal,
}

/// The scale of the returns and values of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Payoff {
    /// One seat wins: the values of the seats sum to 1.
    Winner,
    /// One team wins: the seats of a team have equal values, and the values of the teams sum to 1.
    Teams,
    /// The seats play for all ranks. Four seats have the returns 1, ⅔, ⅓ and 0, three seats 1, ½
    /// and 0; the values sum to half the number of seats.
    Placings,
}

/// The fixed properties of a game, which a learner needs before the first state.
#[derive(Clone, PartialEq, Debug)]
pub struct Spec {
    /// The name of the game with its flags, as in the notation: `pagade?teams=true`.
    pub name: String,
    /// The seats that play.
    pub seats: SeatSet,
    /// The scale of the returns and values.
    pub payoff: Payoff,
    /// For each seat, the seats of its team, including the seat itself.
    pub teams: BySeat<SeatSet>,
    /// The size of the action space, at most 32.
    pub actions: usize,
    /// The length of an observation.
    pub observation: usize,
    /// The number of leading entries of an observation that can be 1 in turn-start states. Within a
    /// turn at least one later entry is 1, unless the position is equivalent to the turn-start
    /// state.
    pub start_observation: usize,
    /// The version of the encoding of actions and observations. Each change of the encoding changes
    /// this number.
    pub encoding: u32,
    /// A stable hash of the ruleset and the seats.
    pub ruleset_hash: u64,
    /// The number of turns after which a game is truncated.
    pub turn_limit: u32,
}

/// A game with explicit chance nodes.
///
/// States are plain values. [`Game::apply_chance`] and [`Game::apply_action`] do not check their
/// arguments (the gym does). With an illegal outcome or action they panic in debug builds. In
/// release builds they do not panic. The resulting state is not specified but valid: all pieces are
/// on places of the game, and all methods accept the state. It is possible that no legal game
/// reaches this state.
///
/// # Limits
/// A game has at most 4 seats ([`MAX_SEATS`]), 32 actions ([`ActionMask`]) and 256 outcomes of a
/// chance node ([`Chances`]). Returns are from 0 to 1 and sum to a constant ([`Payoff`]), so the
/// points of a game are scaled. A choice among more actions takes several decisions of one turn.
/// Observations are sets of at most 65,536 entries that are 0 or 1. Solving, regret and best
/// responses of `ashta_agents::perfect::any` need two sides: two seats, or two teams. Learning,
/// search, matches and rollouts work with any number of sides.
pub trait Game: Send + Sync {
    /// A position: plain data without a turn counter. Equal states have equal futures (Markov
    /// property).
    type State: Clone + Eq + Hash + fmt::Debug + Send + Sync;

    /// The fixed properties of this game.
    fn spec(&self) -> &Spec;

    /// The position before the first throw, which `first` makes.
    fn initial_state(&self, first: Seat) -> Self::State;

    /// The kind of node of `state`.
    fn node(&self, state: &Self::State) -> Node;

    /// The exact probabilities of the outcomes at a chance node; empty at other nodes.
    fn chance_outcomes(&self, state: &Self::State) -> &Chances;

    /// The legal actions: one or more at a decision, none at other nodes.
    fn legal_actions(&self, state: &Self::State) -> ActionMask;

    /// Applies an outcome of [`Game::chance_outcomes`] at a chance node. Its probability must not
    /// be 0.
    fn apply_chance(&self, state: &mut Self::State, outcome: Outcome);

    /// Applies an action of [`Game::legal_actions`].
    fn apply_action(&self, state: &mut Self::State, action: Action);

    /// The return of each seat at a terminal node, 0 to 1 (see [`Payoff`]); zeros at other nodes.
    fn returns(&self, state: &Self::State) -> BySeat<f32>;

    /// Appends the distinct indices of the entries that are 1 in the observation of `state` by
    /// `seat`; all other entries are 0. Indices are below [`Spec::observation`].
    fn observe_active(&self, state: &Self::State, seat: Seat, active: &mut Vec<u16>);

    /// Writes the observation of `state` by `seat` into `out`, of length [`Spec::observation`].
    ///
    /// # Panics
    /// If `out` has another length.
    fn observe(&self, state: &Self::State, seat: Seat, out: &mut [f32]) {
        assert_eq!(
            out.len(),
            self.spec().observation,
            "length of the observation slice"
        );
        let mut active = Vec::with_capacity(64);
        self.observe_active(state, seat, &mut active);
        out.fill(0.0);
        for index in active {
            out[usize::from(index)] = 1.0;
        }
    }
}

/// A game in which the pieces of each seat move along a course. The baseline agents compare the
/// steps of the pieces.
pub trait RaceGame: Game {
    /// The number of pieces of each seat, 1 to [`MAX_PIECES`].
    fn pieces(&self) -> usize;

    /// The largest possible entry of [`RaceGame::steps`]: the end of the course.
    fn goal(&self) -> u8;

    /// The number of steps that each piece of `seat` has made, in ascending order: from 0 (off the
    /// board) to [`RaceGame::goal`]. Only the first [`RaceGame::pieces`] entries are used. Throws
    /// that are assigned to a piece but not yet played do not count.
    fn steps(&self, state: &Self::State, seat: Seat) -> [u8; MAX_PIECES];

    /// The entry in [`RaceGame::steps`] of a piece that has just been captured.
    fn captured(&self) -> u8 {
        0
    }
}
