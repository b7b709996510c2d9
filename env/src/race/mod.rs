//! One engine for the race games: a data sheet, a state of plain bytes, and three ways to take a turn.
//!
//! [`Race`] implements the seam [`Game`] by handing each call to the turn of its game: a series of throws that is
//! allotted (Ashtapada), one throw at a time (Ashte Kashte), or two dice (Pagade).

pub mod actions;
pub mod board;
pub(crate) mod dice;
mod exposure;
mod observe;
pub(crate) mod series;
pub(crate) mod single;
mod slots;
pub mod starts;
pub mod state;
mod throwing;

use crate::game::{Action, ActionMask, BySeat, Game, MAX_SEATS, Node, Outcome, Outlook, Seat, SeatSet, Spec};
use crate::games::{ashtapada, ashte_kashte, pagade};
use crate::ruleset::{Rules, Ruleset};
use dice::DiceTurns;
use observe::Layout;
use series::SeriesTurns;
use single::SingleTurns;
use state::{Phase, State};

pub use throwing::ThrowError;

/// Version of the meaning of actions and observations of all race games.
pub const ENCODING: u32 = 2;

/// A race game under one ruleset.
#[derive(Clone, Debug)]
pub struct Race {
    ruleset: Ruleset,
    spec: Spec,
    seating: Seating,
    turns: Turns,
    layout: Layout,
}

/// The three orders of a turn.
#[derive(Clone, Debug)]
pub(crate) enum Turns {
    Series(SeriesTurns),
    Single(SingleTurns),
    Dice(DiceTurns),
}

/// Who plays with how many pieces, and whose turn is next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seating {
    pub seats: SeatSet,
    pub pieces: usize,
    next: BySeat<Seat>,
    /// For each seat those of the others that take part, then fillers.
    others: BySeat<[Seat; MAX_SEATS - 1]>,
}

impl Seating {
    /// `seats` in turn, each `quarters` quarter turns counter-clockwise (1 or 3) or more from the one before.
    fn new(seats: SeatSet, pieces: usize, quarters: usize) -> Seating {
        let turns = (1..=MAX_SEATS).map(|turns| turns * quarters);
        let next = |seat: Seat| turns.clone().map(|turn| seat.rotated(turn)).find(|&seat| seats.contains(seat));
        let others = |seat: Seat| {
            let mut others = [seat; MAX_SEATS - 1];
            let taking_part = seats.iter().filter(|&other| other != seat);
            others.iter_mut().zip(taking_part).for_each(|(filler, other)| *filler = other);
            others
        };
        Seating {
            seats,
            pieces,
            next: BySeat(Seat::ALL.map(|seat| next(seat).unwrap_or(seat))),
            others: BySeat(Seat::ALL.map(others)),
        }
    }

    /// The seat after `seat` that takes part.
    #[inline]
    pub(crate) fn next(&self, seat: Seat) -> Seat {
        self.next[seat]
    }

    /// The other seats that take part, as `seat` that takes part itself has them.
    #[inline]
    pub(crate) fn others(&self, seat: Seat) -> &[Seat] {
        &self.others[seat][..self.seats.len() - 1]
    }
}

const COUNTER_CLOCKWISE: usize = 1;
const CLOCKWISE: usize = 3;

impl Race {
    /// The game of `ruleset`.
    pub fn new(ruleset: Ruleset) -> Race {
        let (seats, pieces) = (ruleset.seats(), ruleset.pieces());
        let seating = |direction| Seating::new(seats, pieces, direction);
        let (turns, seating, goal, turn_cap, actions) = match ruleset.rules() {
            Rules::Ashtapada(rules) => {
                let seating = seating(CLOCKWISE);
                let turns = SeriesTurns::new(*rules, seating);
                let goal = turns.keep + 1;
                (Turns::Series(turns), seating, goal, ashtapada::TURN_CAP, actions::ACTIONS)
            }
            Rules::AshteKashte(rules) => {
                let seating = seating(COUNTER_CLOCKWISE);
                let turns = SingleTurns::new(*rules, seating);
                let goal = turns.home;
                (Turns::Single(turns), seating, goal, ashte_kashte::TURN_CAP, actions::ACTIONS)
            }
            Rules::Pagade(rules) => {
                let seating = seating(match rules.turn_order {
                    crate::flags::TurnOrder::Ccw => COUNTER_CLOCKWISE,
                    crate::flags::TurnOrder::Cw => CLOCKWISE,
                });
                let turns = DiceTurns::new(*rules, seating);
                (Turns::Dice(turns), seating, pagade::HOME, pagade::TURN_CAP, actions::PAGADE_ACTIONS)
            }
        };
        let outlook = ruleset.outlook();
        let team = |seat: Seat| match outlook {
            Outlook::Teams => SeatSet::of(&[seat, seat.rotated(2)]),
            Outlook::Winner | Outlook::Placings => SeatSet::of(&[seat]),
        };
        let layout = Layout::new(&turns, seating, outlook);
        let spec = Spec {
            name: ruleset.game_text(),
            seats,
            outlook,
            teams: BySeat(Seat::ALL.map(team)),
            actions,
            observation: layout.len(),
            start_observation: layout.start_len(),
            encoding: ENCODING,
            ruleset_hash: ruleset.hash64(),
            pieces,
            goal,
            turn_cap,
        };
        Race { ruleset, spec, seating, turns, layout }
    }

    /// The ruleset.
    pub fn ruleset(&self) -> &Ruleset {
        &self.ruleset
    }

    /// The courses of the seats.
    pub fn board(&self) -> &board::Board {
        match &self.turns {
            Turns::Series(turns) => &turns.board,
            Turns::Single(turns) => &turns.board,
            Turns::Dice(turns) => &turns.board,
        }
    }

    /// The values of the throw that each outcome of a chance node stands for; one value, or two dice.
    pub fn throw_values(&self, outcome: Outcome) -> Vec<u8> {
        let at = usize::from(outcome.0);
        match &self.turns {
            Turns::Series(turns) => turns.throws().skip(at).take(1).collect(),
            Turns::Single(_) => vec![ashte_kashte::THROWS[at].0],
            Turns::Dice(_) => pagade::THROWS[at].0.to_vec(),
        }
    }

    /// How many single pieces of `seat` stand where an enemy's piece comes by one throw that is not too rare (1/16 or
    /// more): distance alone counts, not what bars the way.
    pub fn exposed_pieces(&self, state: &State, seat: Seat) -> usize {
        self.layout.exposed_pieces(state, seat)
    }

    pub(crate) fn turns(&self) -> &Turns {
        &self.turns
    }
}

impl Game for Race {
    type State = State;

    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn initial_state(&self, first: Seat) -> State {
        let mut state = State::empty(first);
        for seat in self.seating.seats.iter() {
            let pieces = &mut state.pieces[seat.index()];
            match &self.turns {
                Turns::Series(_) | Turns::Single(_) => pieces[..self.seating.pieces].fill(0),
                Turns::Dice(_) => {
                    let set_up = &pagade::SET_UP[state::MAX_PIECES - self.seating.pieces..];
                    pieces[..self.seating.pieces].copy_from_slice(set_up);
                }
            }
        }
        state
    }

    #[inline]
    fn node(&self, state: &State) -> Node {
        match state.phase {
            Phase::Throw => Node::Chance(state.mover),
            Phase::Choose | Phase::Allot => Node::Decision(state.mover),
            Phase::Over => Node::Terminal,
        }
    }

    #[inline]
    fn chance_outcomes(&self, state: &State) -> &[f32] {
        if state.phase != Phase::Throw {
            return &[];
        }
        match &self.turns {
            Turns::Series(turns) => turns.chance_outcomes(state),
            Turns::Single(turns) => turns.chance_outcomes(),
            Turns::Dice(turns) => turns.chance_outcomes(),
        }
    }

    #[inline]
    fn legal_actions(&self, state: &State) -> ActionMask {
        if !matches!(state.phase, Phase::Choose | Phase::Allot) {
            return ActionMask::EMPTY;
        }
        match &self.turns {
            Turns::Series(turns) => turns.legal_actions(state),
            Turns::Single(turns) => turns.legal_actions(state),
            Turns::Dice(turns) => turns.legal_actions(state),
        }
    }

    #[inline]
    fn apply_chance(&self, state: &mut State, outcome: Outcome) {
        debug_assert_eq!(state.phase, Phase::Throw);
        let outcome = usize::from(outcome.0);
        match &self.turns {
            Turns::Series(turns) => turns.apply_chance(state, outcome),
            Turns::Single(turns) => turns.apply_chance(state, outcome),
            Turns::Dice(turns) => turns.apply_chance(state, outcome),
        }
    }

    #[inline]
    fn apply_action(&self, state: &mut State, action: Action) {
        debug_assert!(self.legal_actions(state).contains(action), "action {} in {state:?}", action.0);
        match &self.turns {
            Turns::Series(turns) => turns.apply_action(state, action),
            Turns::Single(turns) => turns.apply_action(state, action),
            Turns::Dice(turns) => turns.apply_action(state, action),
        }
    }

    fn returns(&self, state: &State) -> BySeat<f32> {
        let mut returns = BySeat::default();
        if state.phase != Phase::Over {
            return returns;
        }
        if self.spec.outlook == Outlook::Teams {
            let share = |seat: Seat| {
                let is_home = |team: SeatSet| team.iter().all(|member| state.finished[member.index()] > 0);
                let has_won = is_home(self.spec.teams[seat]);
                let has_lost = is_home(self.spec.teams[seat.rotated(1)]);
                0.5 + 0.5 * (f32::from(u8::from(has_won)) - f32::from(u8::from(has_lost)))
            };
            self.seating.seats.iter().for_each(|seat| returns[seat] = share(seat));
            return returns;
        }
        let count = self.seating.seats.len();
        let worth = |place: usize| match self.spec.outlook {
            Outlook::Placings => (count - place) as f32 / (count - 1) as f32,
            Outlook::Winner | Outlook::Teams => f32::from(u8::from(place == 1)),
        };
        // Seats without a place share those that are left; seats with the same place share that one and the next.
        let place = |seat: Seat| match state.finished[seat.index()] {
            0 => u8::MAX,
            place => place,
        };
        for seat in self.seating.seats.iter() {
            let better = self.seating.seats.iter().filter(|&other| place(other) < place(seat)).count();
            let equal = self.seating.seats.iter().filter(|&other| place(other) == place(seat)).count();
            returns[seat] = (1..=equal).map(|nth| worth(better + nth)).sum::<f32>() / equal as f32;
        }
        returns
    }

    fn observe_active(&self, state: &State, seat: Seat, active: &mut Vec<u16>) {
        self.layout.observe(self, state, seat, active);
    }

    fn steps(&self, state: &State, seat: Seat) -> [u8; 4] {
        // In every race game a place off the board is 0 and each square further adds one: places are steps.
        state.pieces[seat.index()]
    }
}
