//! `State`: a position of a game, in the words of OpenSpiel.

use std::sync::Arc;

use ashta_env::chance::outcome;
use ashta_env::game::{Action, Game as _, Node, Outcome};
use ashta_env::race::Race;
use ashta_env::race::state::State as Position;
use ashta_env::turn::{TooManyPositions, TurnResults, turn_results_while};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::game::{Game, check};
use crate::interrupt::Interrupt;
use crate::restored;

/// Positions of a turn that are visited before it is seen again whether to stop.
const ASKS_AFTER: usize = 1 << 6;

/// The number of the player of a chance node.
const CHANCE: i32 = -1;
/// The number of the player of a finished game.
const TERMINAL: i32 = -4;

/// A position of a game. It remembers nothing of how it came about.
///
/// `Game.new_initial_state` and `Game.deserialize_state` make states. What is pickled is the position in the notation
/// with its game.
#[pyclass(module = "ashta")]
#[derive(Clone, Debug)]
pub struct State {
    pub(crate) race: Arc<Race>,
    pub(crate) state: Position,
}

impl State {
    /// The player to throw or to choose.
    fn mover(&self) -> Option<usize> {
        match self.race.node(&self.state) {
            Node::Chance(seat) | Node::Decision(seat) => Some(Game::player(&self.race, seat)),
            Node::Terminal => None,
        }
    }

    fn outcomes(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let chances = self.race.chance_outcomes(&self.state).iter().enumerate();
        chances.filter(|&(_, &chance)| chance > 0.0).map(|(outcome, &chance)| (outcome, chance))
    }
}

/// The positions of states, which must be of the game of `race`.
pub(crate) fn positions(race: &Race, states: &[PyRef<'_, State>]) -> PyResult<Vec<Position>> {
    states.iter().try_for_each(|state| check(race, &state.race))?;
    Ok(states.iter().map(|state| state.state).collect())
}

fn no_chance_node(state: &State) -> PyErr {
    PyValueError::new_err(format!("`{}` is no chance node", state.serialize()))
}

#[pymethods]
impl State {
    /// The game that is played.
    fn get_game(&self) -> Game {
        Game { race: Arc::clone(&self.race) }
    }

    /// The player to choose; -1 where the dice are thrown, -4 at the end.
    fn current_player(&self) -> i32 {
        match self.race.node(&self.state) {
            Node::Chance(_) => CHANCE,
            Node::Decision(seat) => Game::player(&self.race, seat) as i32,
            Node::Terminal => TERMINAL,
        }
    }

    /// The player whose turn it is, also where the dice are thrown; `None` at the end.
    fn turn_player(&self) -> Option<usize> {
        self.mover()
    }

    /// How many players there are, 2 to 4.
    fn num_players(&self) -> usize {
        self.race.spec().seats.len()
    }

    /// How many actions the game has.
    fn num_distinct_actions(&self) -> usize {
        self.race.spec().actions
    }

    /// Whether a player is to choose.
    fn is_player_node(&self) -> bool {
        self.current_player() >= 0
    }

    /// Whether several players choose at once: never.
    fn is_simultaneous_node(&self) -> bool {
        false
    }

    /// Whether the dice are to be thrown.
    fn is_chance_node(&self) -> bool {
        self.current_player() == CHANCE
    }

    /// Whether the game is over.
    fn is_terminal(&self) -> bool {
        self.current_player() == TERMINAL
    }

    /// The legal actions in ascending order, at a chance node the outcomes; none of a `player` who is not to choose.
    #[pyo3(signature = (player = None))]
    fn legal_actions(&self, player: Option<usize>) -> Vec<usize> {
        if self.is_chance_node() {
            return if player.is_none() { self.outcomes().map(|(outcome, _)| outcome).collect() } else { Vec::new() };
        }
        if player.is_some() && player != self.mover() {
            return Vec::new();
        }
        self.race.legal_actions(&self.state).iter().map(|action| usize::from(action.0)).collect()
    }

    /// Whether each action is legal, `bool[num_distinct_actions]`; all `False` at a chance node.
    #[pyo3(signature = (player = None))]
    fn legal_actions_mask<'py>(&self, py: Python<'py>, player: Option<usize>) -> Bound<'py, PyArray1<bool>> {
        let legal = self.race.legal_actions(&self.state);
        let is_asked = player.is_none() || player == self.mover();
        let count = self.race.spec().actions as u8;
        PyArray1::from_iter(py, (0..count).map(|action| is_asked && legal.contains(Action(action))))
    }

    /// The outcomes of a chance node with their exact probabilities; `ValueError` elsewhere.
    fn chance_outcomes(&self) -> PyResult<Vec<(usize, f64)>> {
        if !self.is_chance_node() {
            return Err(no_chance_node(self));
        }
        Ok(self.outcomes().collect())
    }

    /// Takes an action, or an outcome at a chance node; `ValueError` when it is not legal.
    fn apply_action(&mut self, action: i64) -> PyResult<()> {
        let legal = self.legal_actions(None);
        let Some(number) = usize::try_from(action).ok().filter(|number| legal.contains(number)) else {
            let what = if self.is_chance_node() { "outcome" } else { "action" };
            let message = format!("{what} {action} is not legal at `{}`; legal are {legal:?}", self.serialize());
            return Err(PyValueError::new_err(message));
        };
        match self.race.node(&self.state) {
            Node::Chance(_) => self.race.apply_chance(&mut self.state, Outcome(number as u8)),
            Node::Decision(_) | Node::Terminal => self.race.apply_action(&mut self.state, Action(number as u8)),
        }
        Ok(())
    }

    /// Throws the dice at a chance node by 64 random bits, as environments do: `state.throw(random.getrandbits(64))`.
    /// The outcome.
    fn throw(&mut self, bits: u64) -> PyResult<usize> {
        if !self.is_chance_node() {
            return Err(no_chance_node(self));
        }
        let outcome = outcome(self.race.chance_outcomes(&self.state), bits);
        self.race.apply_chance(&mut self.state, outcome);
        Ok(usize::from(outcome.0))
    }

    /// A new state after an action or outcome.
    fn child(&self, action: i64) -> PyResult<State> {
        let mut child = self.clone();
        child.apply_action(action)?;
        Ok(child)
    }

    /// An action in words, of an outcome the values of the dice.
    fn action_to_string(&self, action: i64) -> PyResult<String> {
        let legal = self.legal_actions(None);
        let number = usize::try_from(action).ok().filter(|number| legal.contains(number));
        let number =
            number.ok_or_else(|| PyValueError::new_err(format!("{action} is not legal; legal are {legal:?}")))?;
        Ok(match self.is_chance_node() {
            true => {
                let values = self.race.throw_values(Outcome(number as u8));
                values.iter().map(u8::to_string).collect::<Vec<_>>().join(",")
            }
            false => self.race.action_text(&self.state, Action(number as u8)),
        })
    }

    /// What actions of one turn, taken one after the other, do: `"H4 to H7 by 3, captures N on H7, throws again"`.
    fn turn_to_string(&self, actions: Vec<i64>) -> PyResult<String> {
        let mut end = self.clone();
        for &action in &actions {
            if end.is_chance_node() {
                let message = format!("action {action} is one too many: the turn is over at `{}`", end.serialize());
                return Err(PyValueError::new_err(message));
            }
            end.apply_action(action)?;
        }
        if !matches!(self.race.node(&self.state), Node::Decision(_)) {
            return Err(PyValueError::new_err(format!("there is nothing to choose at `{}`", self.serialize())));
        }
        let actions: Vec<Action> = actions.into_iter().map(|action| Action(action as u8)).collect();
        Ok(self.race.turn_text(&self.state, &actions))
    }

    /// The board as a drawing of several lines.
    fn draw(&self) -> String {
        self.race.draw(&self.state)
    }

    /// What each player gets, 0 to 1; zeros before the end.
    fn returns(&self) -> Vec<f64> {
        let returns = self.race.returns(&self.state);
        self.race.spec().seats.iter().map(|seat| f64::from(returns[seat])).collect()
    }

    /// What a player gets, 0 to 1; 0 before the end.
    fn player_return(&self, player: usize) -> PyResult<f64> {
        Ok(f64::from(self.race.returns(&self.state)[Game::seat(&self.race, player)?]))
    }

    /// What a player sees, `float32[observation_tensor_size]` of zeros and ones.
    ///
    /// By default it is the player whose turn it is; at the end there is none, and the answer zeros. A player that is
    /// named sees the pieces of all seats at the end, too.
    #[pyo3(signature = (player = None))]
    fn observation_tensor<'py>(&self, py: Python<'py>, player: Option<usize>) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let seat = Game::seat(&self.race, player.or(self.mover()).unwrap_or(0))?;
        let mut observation = vec![0.0; self.race.spec().observation];
        if player.is_some() || !self.is_terminal() {
            self.race.observe(&self.state, seat, &mut observation);
        }
        Ok(PyArray1::from_vec(py, observation))
    }

    /// Every state in which the turn under way can end, with the actions that lead there.
    ///
    /// `ValueError` when the turn leads through more than `limit` positions: by default 32768, after more than 16
    /// throws with more than two pieces 4096. Only the longest series of throws do.
    #[pyo3(signature = (limit = None))]
    fn turn_results(slf: &Bound<'_, State>, limit: Option<usize>) -> PyResult<Vec<(State, Vec<usize>)>> {
        // Other threads may go on with the state meanwhile.
        let State { race, state } = slf.borrow().clone();
        let most = limit.unwrap_or_else(|| race.most_results(&state));
        let mut results = TurnResults::new();
        let interrupt = Interrupt::new();
        let goes_on = |visited: usize| visited <= most && !(visited.is_multiple_of(ASKS_AFTER) && interrupt.is_set());
        if !interrupt.watch(slf.py(), || turn_results_while(&*race, &state, goes_on, &mut results))? {
            let (error, position) = (TooManyPositions { most }, race.print(&state));
            return Err(PyValueError::new_err(format!("{error} from `{position}`: raise `limit`")));
        }
        let one = |index: usize| {
            let state = State { race: Arc::clone(&race), state: *results.state(index) };
            (state, results.actions(index).iter().map(|action| usize::from(action.0)).collect())
        };
        Ok((0..results.len()).map(one).collect())
    }

    /// The position in the notation.
    fn serialize(&self) -> String {
        self.race.print(&self.state)
    }

    /// A copy, which goes its own way.
    #[pyo3(name = "clone")]
    fn copied(&self) -> State {
        self.clone()
    }

    fn __copy__(&self) -> State {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> State {
        self.clone()
    }

    /// The game and the position in the notation.
    fn __reduce__<'py>(slf: &Bound<'py, State>) -> PyResult<Bound<'py, PyTuple>> {
        let state = slf.borrow();
        let (restore, made) = state.get_game().made(slf.py())?;
        restored(&restore.call1(made)?, "deserialize_state", (state.serialize(),))
    }

    fn __str__(&self) -> String {
        self.serialize()
    }

    fn __repr__(&self) -> String {
        format!("State({:?})", self.serialize())
    }

    fn __eq__(&self, other: &State) -> bool {
        self.race.spec().ruleset_hash == other.race.spec().ruleset_hash && self.state == other.state
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        self.state.hash(&mut hasher);
        hasher.finish() ^ self.race.spec().ruleset_hash
    }
}
