//! `Game` and `State`: the rules of one game and a position of it, in the words of OpenSpiel.

use std::fs;
use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;

use ashta_agents::protocol::describe;
use ashta_env::chance;
use ashta_env::game::{Action, Game as _, Node, Outcome, Outlook, Seat, SeatSet};
use ashta_env::race::Race;
use ashta_env::race::state::State as Position;
use ashta_env::ruleset::{Ruleset, RulesetError, RulesetProblem};
use ashta_env::sheet::{Sheet, Sheets, builtin};
use ashta_env::turn::{TooManyPositions, TurnResults, turn_results_within};
use numpy::PyArray1;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyInt, PyString, PyType};

use crate::{refused, to_python};

/// The rules of one game for certain seats, by name or of a sheet, with the turn limit of environments.
#[pyclass(frozen, module = "ashta")]
#[derive(Debug)]
pub struct Game {
    pub(crate) race: Arc<Race>,
}

impl Game {
    /// The number of a player: the place of its seat among those that take part.
    pub(crate) fn player(race: &Race, seat: Seat) -> usize {
        race.spec().seats.iter().take_while(|&other| other != seat).count()
    }

    /// The letters of the seats that take part, in the order of the players.
    pub(crate) fn letters(race: &Race) -> String {
        race.spec().seats.iter().map(Seat::letter).collect()
    }

    /// The seat of a player.
    pub(crate) fn seat(race: &Race, player: usize) -> PyResult<Seat> {
        let seats = race.spec().seats;
        let unknown = || PyValueError::new_err(format!("there is no player {player}, only 0 to {}", seats.len() - 1));
        seats.iter().nth(player).ok_or_else(unknown)
    }
}

/// What a game is made of, to be made again: name, seats, sheet, flags and turn limit.
type Made<'py> = (Option<String>, String, Option<String>, Option<Bound<'py, PyDict>>, Option<u32>);

/// Checks that `found` is the game of `race`.
pub(crate) fn check(race: &Race, found: &Race) -> PyResult<()> {
    if race.spec().ruleset_hash == found.spec().ruleset_hash {
        return Ok(());
    }
    let name = |race: &Race| format!("{} for {:?}", race.spec().name, race.spec().seats);
    Err(PyValueError::new_err(format!("the game is {}, not {}", name(race), name(found))))
}

/// The positions of states, which must be of the game of `race`.
pub(crate) fn positions(race: &Race, states: &[PyRef<'_, State>]) -> PyResult<Vec<Position>> {
    states.iter().try_for_each(|state| check(race, &state.race))?;
    Ok(states.iter().map(|state| state.state).collect())
}

/// The most numbers in the observations of all games.
const MOST_NUMBERS: usize = 1 << 31;

/// Checks how many games are to be stepped together.
pub(crate) fn check_count(race: &Race, num_games: usize) -> PyResult<()> {
    let most = MOST_NUMBERS / race.spec().observation;
    match (1..=most).contains(&num_games) {
        true => Ok(()),
        false => Err(PyValueError::new_err(format!("`num_games` is {num_games}, but must be 1 to {most}"))),
    }
}

/// How a path to a sheet ends.
const TOML: &str = ".toml";

/// The sheet that is meant: a text, or the path of a file.
fn sheet_of(sheet: &Bound<'_, PyAny>) -> PyResult<Arc<Sheet>> {
    let text = sheet.extract::<String>().ok();
    let (text, file) = match text {
        Some(text) if text.contains('\n') || !text.ends_with(TOML) => (text, "sheet".to_owned()),
        _ => {
            let wrong =
                |_| PyTypeError::new_err("`sheet` is the text of a sheet, or the path of one that ends in .toml");
            let path: PathBuf = sheet.extract().map_err(wrong)?;
            let name = path.display().to_string();
            let text = fs::read_to_string(&path);
            (text.map_err(|error| PyValueError::new_err(format!("{name}: {error}")))?, name)
        }
    };
    let sheet = Sheet::read(&text, &file).map_err(refused)?;
    Sheets::check_name(&sheet).map_err(|error| PyValueError::new_err(format!("{file}: {error}")))?;
    Ok(Arc::new(sheet))
}

/// The value of a house rule as the notation writes it: `True` is `true`, 3 is `3`.
fn flag_text(flag: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(value) = value.cast::<PyBool>() {
        return Ok(value.is_true().to_string());
    }
    if value.is_instance_of::<PyString>() || value.is_instance_of::<PyInt>() {
        return Ok(value.str()?.to_string());
    }
    let kind = value.get_type().name()?;
    Err(PyTypeError::new_err(format!("the value of the flag `{flag}` is a text, a number or a bool, not {kind}")))
}

/// The flags of a mapping by name.
fn flags_of(flags: &Bound<'_, PyAny>) -> PyResult<Vec<(String, String)>> {
    let wrong = |_| PyTypeError::new_err("`flags` is a dict of house rules by name");
    let items = flags.call_method0("items").map_err(wrong)?;
    let one = |item: PyResult<Bound<'_, PyAny>>| {
        let (flag, value): (String, Bound<'_, PyAny>) = item?.extract()?;
        let value = flag_text(&flag, &value)?;
        Ok((flag, value))
    };
    items.try_iter()?.map(one).collect()
}

/// A number of turns after which games are truncated.
fn limit_of(max_turns: i64) -> PyResult<NonZero<u32>> {
    let limit = u32::try_from(max_turns).ok().and_then(NonZero::new);
    let message = || format!("`max_turns` is {max_turns}, but must be 1 to {}", u32::MAX);
    limit.ok_or_else(|| PyValueError::new_err(message()))
}

#[pymethods]
impl Game {
    #[new]
    #[pyo3(signature = (game = None, seats = None, sheet = None, flags = None, max_turns = None))]
    fn new(
        game: Option<&str>,
        seats: Option<&Bound<'_, PyAny>>,
        sheet: Option<&Bound<'_, PyAny>>,
        flags: Option<&Bound<'_, PyAny>>,
        max_turns: Option<i64>,
    ) -> PyResult<Game> {
        let limit = max_turns.map(limit_of).transpose()?;
        let (sheet, written) = match (game, sheet) {
            (Some(game), None) => {
                let (name, flags) = Ruleset::split(game);
                let unknown = || RulesetError::from(RulesetProblem::UnknownGame { game: name.to_owned() });
                (Arc::clone(builtin::named(name).ok_or_else(unknown).map_err(refused)?), flags.collect())
            }
            (None, Some(sheet)) => (sheet_of(sheet)?, Vec::new()),
            _ => return Err(PyTypeError::new_err("a game is either the name of one or `sheet`")),
        };
        let named = flags.map(flags_of).transpose()?.unwrap_or_default();
        let named = named.iter().map(|(flag, value)| (flag.as_str(), value.as_str()));
        let flags: Vec<(&str, &str)> = written.into_iter().chain(named).collect();
        let ruleset = match seats.map(|seats| (seats.extract::<usize>(), seats.extract::<String>())) {
            None => Ruleset::seated_of(sheet, None, flags),
            Some((Ok(count @ 2..=4), _)) => Ruleset::seated_of(sheet, Some(count), flags),
            Some((Ok(_), _)) => {
                return Err(PyValueError::new_err("`seats` is 2, 3 or 4, or letters such as \"SEW\""));
            }
            Some((_, Ok(letters))) => Ruleset::of(sheet, SeatSet::from_letters(&letters).map_err(refused)?, flags),
            Some(_) => return Err(PyTypeError::new_err("`seats` is a number or letters such as \"SEW\"")),
        };
        let race = Race::new(ruleset.map_err(refused)?);
        Ok(Game { race: Arc::new(limit.map_or(race.clone(), |limit| race.with_turn_limit(limit))) })
    }

    /// The names of the games that come with the package.
    #[staticmethod]
    fn names() -> Vec<&'static str> {
        builtin::names().collect()
    }

    /// The game with its house rules, as in the notation.
    #[getter]
    fn name(&self) -> String {
        self.race.spec().name.clone()
    }

    /// What the game is, for people: its `name`, `title`, `summary`, `rules` in prose and `sources`, the `seats` that
    /// can play, `pieces`, `throws`, `words`, and its `flags`: the house rules, each with what it is `about`, its
    /// `values`, its `default` and the `value` that it has here.
    fn describe<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let ruleset = self.race.ruleset();
        let mut described = describe(ruleset.base());
        let flags = described.get_mut("flags").and_then(serde_json::Value::as_array_mut);
        for (flag, info) in flags.into_iter().flatten().zip(ruleset.flags()) {
            flag["value"] = info.value.into();
        }
        described["pieces"]["value"] = ruleset.pieces().into();
        to_python(py, serde_json::to_string(&described))
    }

    /// The letters of the seats that take part, in the order of the players.
    #[getter]
    fn seats(&self) -> String {
        Game::letters(&self.race)
    }

    /// `"winner"`, `"teams"` or `"placings"`: what returns mean.
    #[getter]
    fn outlook(&self) -> &'static str {
        match self.race.spec().outlook {
            Outlook::Winner => "winner",
            Outlook::Teams => "teams",
            Outlook::Placings => "placings",
        }
    }

    /// Version of the meaning of observations and actions.
    #[getter]
    fn encoding(&self) -> u32 {
        self.race.spec().encoding
    }

    /// 16 hexadecimal digits that tell these rules from all others.
    #[getter]
    fn ruleset_hash(&self) -> String {
        format!("{:016x}", self.race.spec().ruleset_hash)
    }

    fn num_players(&self) -> usize {
        self.race.spec().seats.len()
    }

    fn num_distinct_actions(&self) -> usize {
        self.race.spec().actions
    }

    fn max_chance_outcomes(&self) -> usize {
        self.race.chance_outcomes(&self.race.initial_state(first(&self.race))).len()
    }

    fn observation_tensor_size(&self) -> usize {
        self.race.spec().observation
    }

    fn observation_tensor_shape(&self) -> Vec<usize> {
        vec![self.race.spec().observation]
    }

    fn min_utility(&self) -> f64 {
        0.0
    }

    fn max_utility(&self) -> f64 {
        1.0
    }

    /// What the returns of all players sum to.
    fn utility_sum(&self) -> f64 {
        match self.race.spec().outlook {
            Outlook::Winner => 1.0,
            Outlook::Teams | Outlook::Placings => self.num_players() as f64 / 2.0,
        }
    }

    /// Turns after which environments truncate a game: `max_turns`, or those of the sheet.
    fn max_game_length(&self) -> u32 {
        self.race.spec().turn_cap
    }

    /// The position before the first throw. Who throws first is a player by number, or drawn by lot from `seed`.
    #[pyo3(signature = (first_player = None, seed = 0))]
    fn new_initial_state(&self, first_player: Option<usize>, seed: u64) -> PyResult<State> {
        let first = match first_player {
            Some(player) => Game::seat(&self.race, player)?,
            None => chance::first_seat(self.race.spec().seats, &mut chance::stream(seed, 0)),
        };
        Ok(State { race: Arc::clone(&self.race), state: self.race.initial_state(first) })
    }

    /// The state that `State.serialize` wrote: a position in the notation.
    fn deserialize_state(&self, text: &str) -> PyResult<State> {
        let state = self.race.parse_state(text).map_err(refused)?;
        Ok(State { race: Arc::clone(&self.race), state })
    }

    fn __repr__(&self) -> String {
        format!("Game({:?}, {:?})", self.name(), self.seats())
    }

    fn __eq__(&self, other: &Game) -> bool {
        self.race.spec().ruleset_hash == other.race.spec().ruleset_hash
    }

    fn __hash__(&self) -> u64 {
        self.race.spec().ruleset_hash
    }

    fn __reduce__<'py>(slf: &Bound<'py, Game>) -> PyResult<(Bound<'py, PyType>, Made<'py>)> {
        let (game, ruleset) = (slf.get(), slf.get().race.ruleset());
        let limit = game.race.spec().turn_cap;
        let max_turns = (limit != ruleset.sheet().seats.turn_limit).then_some(limit);
        if ruleset.is_builtin() {
            return Ok((slf.get_type(), (Some(game.name()), game.seats(), None, None, max_turns)));
        }
        let flags = PyDict::new(slf.py());
        for (flag, value) in Ruleset::split(&ruleset.game_text()).1 {
            flags.set_item(flag, value)?;
        }
        Ok((slf.get_type(), (None, game.seats(), Some(ruleset.base().text()), Some(flags), max_turns)))
    }
}

fn first(race: &Race) -> Seat {
    race.spec().seats.iter().next().unwrap_or(Seat::SOUTH)
}

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
