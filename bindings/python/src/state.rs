//! `State`: a position of a game, with the method names of OpenSpiel.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use anyhow::anyhow;
use ashta_env::{
    chance::outcome,
    game::{Action, Game as _, Node, Outcome},
    race::{Race, state::State as Position},
    turn::{TooManyPositions, TurnResults, turn_results_while},
};
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::{Result, Whole, game::Game, interrupt::Interrupt, seed::Seed, wrong_type};

/// The number of positions between two checks for an interrupt.
pub const CHECK_INTERVAL: usize = 1 << 6;

pub const CHANCE: i32 = -1;
pub const TERMINAL: i32 = -4;

/// Finds all ends of a turn, until an interrupt; an error if the search visits more than `limit`
/// positions.
pub fn find_ends(
    race: &Race,
    state: &Position,
    limit: Option<usize>,
    interrupt: &Interrupt,
    results: &mut TurnResults<Position>,
) -> anyhow::Result<()> {
    let most = limit.unwrap_or_else(|| race.most_results(state));
    let continues = |visited: usize| {
        visited <= most && !(visited.is_multiple_of(CHECK_INTERVAL) && interrupt.is_set())
    };
    let is_whole = turn_results_while(race, state, continues, results);
    ensure!(
        is_whole,
        "{} from `{}`: raise `limit`",
        TooManyPositions { most },
        race.print(state)
    );
    Ok(())
}

/// A position of a game, without the moves before it.
///
/// `Game.new_initial_state` and `Game.deserialize_state` create states. A pickled state contains
/// the game and the position in the notation.
#[pyclass(eq, module = "ashta")]
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    pub game: Game,
    pub state: Position,
}

impl State {
    /// Checks an action; at a chance node, an outcome. Returns an error if it is not legal.
    fn legal(&self, Whole(action): Whole) -> Result<u8> {
        let legal = self.legal_actions(None)?;
        let found = legal
            .iter()
            .find(|&&number| i64::try_from(number) == Ok(action));
        let what = if self.is_chance_node() {
            "outcome"
        } else {
            "action"
        };
        let wrong = || {
            anyhow!(
                "{what} {action} is not legal at `{}`; legal {what}s: {legal:?}",
                self.serialize()
            )
        };
        Ok(*found.ok_or_else(wrong)? as u8)
    }

    /// Whether this player acts now. Chance (-1) and the end (-4) are also players; `None` means
    /// the acting player.
    fn acts(&self, player: Option<Whole>) -> Result<bool> {
        let Some(player) = player else {
            return Ok(true);
        };
        if !(i64::from(TERMINAL)..0).contains(&player.0) {
            self.game.seat(player)?;
        }
        Ok(player.0 == i64::from(self.current_player()))
    }

    fn outcomes(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.game
            .race
            .chance_outcomes(&self.state)
            .iter()
            .enumerate()
            .filter(|&(_, &chance)| chance > 0.0)
            .map(|(outcome, &chance)| (outcome, chance))
    }
}

#[pymethods]
impl State {
    /// The game.
    pub fn get_game(&self) -> Game {
        self.game.clone()
    }

    /// The player who must choose; -1 at chance nodes, -4 at the end of the game.
    fn current_player(&self) -> i32 {
        match self.game.race.node(&self.state) {
            Node::Chance(_) => CHANCE,
            Node::Decision(seat) => self.game.player(seat) as i32,
            Node::Terminal => TERMINAL,
        }
    }

    /// The player whose turn it is, also at chance nodes; `None` at the end of the game.
    fn turn_player(&self) -> Option<usize> {
        match self.game.race.node(&self.state) {
            Node::Chance(seat) | Node::Decision(seat) => Some(self.game.player(seat)),
            Node::Terminal => None,
        }
    }

    /// The number of players, 2 to 4.
    fn num_players(&self) -> usize {
        self.game.race.spec().seats.len()
    }

    /// The number of actions of the game.
    fn num_distinct_actions(&self) -> usize {
        self.game.race.spec().actions
    }

    /// Whether a player chooses an action now.
    fn is_player_node(&self) -> bool {
        self.current_player() >= 0
    }

    /// Always `False`: players never choose at the same time.
    fn is_simultaneous_node(&self) -> bool {
        false
    }

    /// Whether the dice must be thrown now.
    fn is_chance_node(&self) -> bool {
        self.current_player() == CHANCE
    }

    /// Whether the game is over.
    fn is_terminal(&self) -> bool {
        self.current_player() == TERMINAL
    }

    /// The legal actions in ascending order; at a chance node, the possible outcomes. The list is
    /// empty if `player` does not act now. Player -1 is chance.
    #[pyo3(signature = (player = None))]
    fn legal_actions(&self, player: Option<Whole>) -> Result<Vec<usize>> {
        if !self.acts(player)? {
            return Ok(Vec::new());
        }
        if self.is_chance_node() {
            return Ok(self.outcomes().map(|(outcome, _)| outcome).collect());
        }
        Ok(self
            .game
            .race
            .legal_actions(&self.state)
            .iter()
            .map(|action| usize::from(action.0))
            .collect())
    }

    /// Whether each action is legal, `bool[num_distinct_actions]`; all `False` at a chance node.
    /// With player -1, the mask shows whether each outcome is possible,
    /// `bool[max_chance_outcomes]`.
    #[pyo3(signature = (player = None))]
    fn legal_actions_mask<'py>(
        &self,
        py: Python<'py>,
        player: Option<Whole>,
    ) -> Result<Bound<'py, PyArray1<bool>>> {
        let is_chance = player.is_some_and(|player| player.0 == i64::from(CHANCE));
        let (legal, is_asked) = (
            self.legal_actions(player)?,
            is_chance == self.is_chance_node(),
        );
        let length = if is_chance {
            self.game.max_chance_outcomes()
        } else {
            self.num_distinct_actions()
        };
        Ok(PyArray1::from_iter(
            py,
            (0..length).map(|action| is_asked && legal.contains(&action)),
        ))
    }

    /// The outcomes of a chance node and their exact probabilities. Raises `ValueError` at other
    /// nodes.
    fn chance_outcomes(&self) -> Result<Vec<(usize, f64)>> {
        ensure!(
            self.is_chance_node(),
            "`{}` is not a chance node",
            self.serialize()
        );
        Ok(self.outcomes().collect())
    }

    /// Applies an action; at a chance node, an outcome. Raises `ValueError` if the action or
    /// outcome is not legal.
    fn apply_action(&mut self, action: Whole) -> Result<()> {
        let number = self.legal(action)?;
        match self.is_chance_node() {
            true => self
                .game
                .race
                .apply_chance(&mut self.state, Outcome(number)),
            false => self.game.race.apply_action(&mut self.state, Action(number)),
        }
        Ok(())
    }

    /// Throws the dice at a chance node with 64 random bits, for example
    /// `state.throw(random.getrandbits(64))`. Returns the outcome.
    fn throw(&mut self, bits: Seed) -> Result<usize> {
        ensure!(
            self.is_chance_node(),
            "`{}` is not a chance node",
            self.serialize()
        );
        let outcome = outcome(self.game.race.chance_outcomes(&self.state), bits.0);
        self.game.race.apply_chance(&mut self.state, outcome);
        Ok(usize::from(outcome.0))
    }

    /// Returns the state after an action or outcome; this state does not change.
    fn child(&self, action: Whole) -> Result<State> {
        let mut child = self.clone();
        child.apply_action(action)?;
        Ok(child)
    }

    /// Describes an action in words. For an outcome, returns the values of the dice. Call
    /// `action_to_string(action)`, or `action_to_string(player, action)` with the acting player.
    #[pyo3(signature = (player = None, action = None))]
    fn action_to_string(&self, player: Option<Whole>, action: Option<Whole>) -> Result<String> {
        let (player, action) = action.map_or((None, player), |action| (player, Some(action)));
        ensure!(
            self.acts(player)?,
            "only player {} can act at `{}`",
            self.current_player(),
            self.serialize()
        );
        let number = self.legal(action.ok_or_else(|| wrong_type("`action` is missing"))?)?;
        if !self.is_chance_node() {
            return Ok(self.game.race.action_text(&self.state, Action(number)));
        }
        let values = self.game.race.throw_values(Outcome(number));
        Ok(values
            .iter()
            .map(u8::to_string)
            .collect::<Vec<_>>()
            .join(","))
    }

    /// Describes the actions of one turn, in their order:
    /// `"H4 to H7 by 3, captures N on H7, throws again"`.
    fn turn_to_string(&self, actions: Vec<Whole>) -> Result<String> {
        let mut end = self.clone();
        for &action in &actions {
            let position = end.serialize();
            ensure!(
                !end.is_chance_node(),
                "there is one action too many, {}: the turn is over at `{position}`",
                action.0
            );
            end.apply_action(action)?;
        }
        ensure!(
            self.is_player_node(),
            "there is nothing to choose at `{}`",
            self.serialize()
        );
        let actions: Vec<Action> = actions
            .into_iter()
            .map(|action| Action(action.0 as u8))
            .collect();
        Ok(self.game.race.turn_text(&self.state, &actions))
    }

    /// A drawing of the board in lines of text.
    fn draw(&self) -> String {
        self.game.race.draw(&self.state)
    }

    /// The return of each player, 0 to 1; all 0 before the end of the game.
    fn returns(&self) -> Vec<f64> {
        let returns = self.game.race.returns(&self.state);
        self.game
            .race
            .spec()
            .seats
            .iter()
            .map(|seat| f64::from(returns[seat]))
            .collect()
    }

    /// The rewards of the last action, as in OpenSpiel: the returns at the end, zeros before.
    fn rewards(&self) -> Vec<f64> {
        self.returns()
    }

    /// The return of a player, 0 to 1; 0 before the end of the game.
    fn player_return(&self, player: Whole) -> Result<f64> {
        Ok(f64::from(
            self.game.race.returns(&self.state)[self.game.seat(player)?],
        ))
    }

    /// The observation of a player, `float32[observation_tensor_size]` of zeros and ones.
    ///
    /// `player` defaults to the player whose turn it is. At the end of the game, no player has the
    /// turn: without `player`, the observation contains only zeros; with `player`, it shows the
    /// pieces of all seats.
    #[pyo3(signature = (player = None))]
    fn observation_tensor<'py>(
        &self,
        py: Python<'py>,
        player: Option<Whole>,
    ) -> Result<Bound<'py, PyArray1<f32>>> {
        let seat = self
            .game
            .seat(player.unwrap_or(Whole(self.turn_player().unwrap_or(0) as i64)))?;
        let mut observation = vec![0.0; self.game.race.spec().observation];
        if player.is_some() || !self.is_terminal() {
            self.game.race.observe(&self.state, seat, &mut observation);
        }
        Ok(PyArray1::from_vec(py, observation))
    }

    /// The observation of a player: nothing is hidden, so the information state is the observation.
    #[pyo3(signature = (player = None))]
    fn information_state_tensor<'py>(
        &self,
        py: Python<'py>,
        player: Option<Whole>,
    ) -> Result<Bound<'py, PyArray1<f32>>> {
        self.observation_tensor(py, player)
    }

    /// Every possible end of the current turn: the state, and the actions that lead to this state.
    ///
    /// Raises `ValueError` if the search visits more than `limit` positions. The default is 32768,
    /// or 4096 with more than 16 throws and more than two pieces; only very long series of throws
    /// need more.
    #[pyo3(signature = (limit = None))]
    fn turn_results(
        slf: &Bound<'_, State>,
        limit: Option<usize>,
    ) -> Result<Vec<(State, Vec<usize>)>> {
        // Other threads may change the state meanwhile.
        let State { game, state } = slf.borrow().clone();
        let (mut results, interrupt) = (TurnResults::new(), Interrupt::new());
        interrupt.watch(slf.py(), || {
            find_ends(&game.race, &state, limit, &interrupt, &mut results)
        })??;
        let one = |index: usize| {
            let actions = results
                .actions(index)
                .iter()
                .map(|action| usize::from(action.0));
            (game.state(*results.state(index)), actions.collect())
        };
        Ok((0..results.len()).map(one).collect())
    }

    /// The position as text in the notation.
    fn serialize(&self) -> String {
        self.game.race.print(&self.state)
    }

    /// Returns an independent copy.
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

    /// Pickles the game and the position in the notation.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let (restore, made) = self.game.__reduce__(py)?;
        Ok((
            restore.call1(made)?.getattr("deserialize_state")?,
            (self.serialize(),),
        ))
    }

    fn __str__(&self) -> String {
        self.serialize()
    }

    fn __repr__(&self) -> String {
        format!("State({:?})", self.serialize())
    }

    fn __hash__(&self) -> u64 {
        BuildHasherDefault::<DefaultHasher>::new().hash_one(self.state)
            ^ self.game.race.spec().ruleset_hash
    }
}
