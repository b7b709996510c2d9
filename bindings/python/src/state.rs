//! `State`: a position, in the words of OpenSpiel.

use std::sync::Arc;

use ashta_env::game::{Action, Game as _, Node, Outcome};
use ashta_env::race::Race;
use ashta_env::race::state::State as Position;
use ashta_env::turn::{TooManyPositions, TurnResults, turn_results_within};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::game::Game;

/// The number of the player of a chance node.
const CHANCE: i32 = -1;
/// The number of the player of a finished game.
const TERMINAL: i32 = -4;

/// A position. It remembers nothing of how it came about.
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

    fn is_chance_node(&self) -> bool {
        self.current_player() == CHANCE
    }

    fn is_terminal(&self) -> bool {
        self.current_player() == TERMINAL
    }

    /// The legal actions in ascending order: of the player to choose, or of `player`, who has none when another one
    /// is to choose. At a chance node the outcomes.
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

    /// The outcomes of a chance node with their exact probabilities.
    fn chance_outcomes(&self) -> PyResult<Vec<(usize, f64)>> {
        if !self.is_chance_node() {
            return Err(PyValueError::new_err(format!("`{self_}` is no chance node", self_ = self.serialize())));
        }
        Ok(self.outcomes().collect())
    }

    /// Takes an action, or an outcome at a chance node.
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

    /// A new state after an action or outcome.
    fn child(&self, action: i64) -> PyResult<State> {
        let mut child = self.clone();
        child.apply_action(action)?;
        Ok(child)
    }

    /// An action or outcome in words.
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

    /// What actions of one turn, taken one after the other, do, in words.
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

    fn player_return(&self, player: usize) -> PyResult<f64> {
        Ok(f64::from(self.race.returns(&self.state)[Game::seat(&self.race, player)?]))
    }

    /// What a player sees, `float32[observation_tensor_size]` of zeros and ones; of the player whose turn it is if none
    /// is named. At the end a player sees the pieces of all; if none is named, it is zeros: no player is to act.
    #[pyo3(signature = (player = None))]
    fn observation_tensor<'py>(&self, py: Python<'py>, player: Option<usize>) -> PyResult<Bound<'py, PyArray1<f32>>> {
        let seat = Game::seat(&self.race, player.or(self.mover()).unwrap_or(0))?;
        let mut observation = vec![0.0; self.race.spec().observation];
        if player.is_some() || !self.is_terminal() {
            self.race.observe(&self.state, seat, &mut observation);
        }
        Ok(PyArray1::from_vec(py, observation))
    }

    /// Every state in which the turn under way can end, with the actions that lead there. A turn that leads through
    /// more than `limit` positions is a `ValueError`; by default the limit is that of the engine.
    #[pyo3(signature = (limit = None))]
    fn turn_results(&self, py: Python<'_>, limit: Option<usize>) -> PyResult<Vec<(State, Vec<usize>)>> {
        let most = limit.unwrap_or_else(|| self.race.most_results(&self.state));
        let mut results = TurnResults::new();
        if !py.detach(|| turn_results_within(&*self.race, &self.state, most, &mut results)) {
            let error = TooManyPositions { most };
            return Err(PyValueError::new_err(format!("{error} from `{}`: raise `limit`", self.serialize())));
        }
        let one = |index: usize| {
            let state = State { race: Arc::clone(&self.race), state: *results.state(index) };
            (state, results.actions(index).iter().map(|action| usize::from(action.0)).collect())
        };
        Ok((0..results.len()).map(one).collect())
    }

    /// The position in the notation.
    fn serialize(&self) -> String {
        self.race.print(&self.state)
    }

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
