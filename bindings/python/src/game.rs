//! `Game`: the rules of one game, with the method names of OpenSpiel.

use std::{num::NonZero, path::PathBuf, sync::Arc};

use anyhow::{Context, anyhow};
use ashta_agents::protocol::describe;
use ashta_env::{
    chance,
    game::{Game as _, Payoff, Seat, SeatSet},
    race::{Race, state::State as Position},
    ruleset::Ruleset,
    sheet::{Sheet, Sheets, builtin},
};
use ashta_train::run::sheet_file;
use pyo3::{
    prelude::*,
    types::{IntoPyDict, PyBool, PyDict, PyInt, PyString, PyTuple},
};

use crate::{Result, Whole, seed::Seed, state::State, to_python, wrong_type};

/// The rules of one game for a certain set of seats.
///
/// `game` is the name of a game; house rules can follow: `"pagade?teams=true"`. For a game of your
/// own, pass `sheet` instead: the rules in TOML, as text or as a path that ends in `.toml`. `flags`
/// sets house rules by name: `{"teams": True}`. `seats` is the number of seats or their letters,
/// such as `"SEW"`; the default is the first set of seats in the sheet. Players have numbers from
/// 0, in the order of the seats S, E, N, W. Environments truncate a game after `turn_limit` turns
/// (1 or more; the sheet has the default). This limit is not a rule: games with different limits
/// are equal and accept each other's states and agents.
///
/// Raises one `ValueError` that lists every problem; for a sheet, with file, line and key.
#[pyclass(frozen, eq, module = "ashta")]
#[derive(Clone, Debug)]
pub struct Game {
    pub race: Arc<Race>,
}

impl Game {
    pub fn player(&self, seat: Seat) -> usize {
        self.race
            .spec()
            .seats
            .iter()
            .take_while(|&other| other != seat)
            .count()
    }

    /// The seat of a player, or an error if the player does not exist.
    pub fn seat(&self, Whole(player): Whole) -> Result<Seat> {
        let seats = self.race.spec().seats;
        let seat = usize::try_from(player)
            .ok()
            .and_then(|player| seats.iter().nth(player));
        Ok(seat
            .ok_or_else(|| anyhow!("there is no player {player}, only 0 to {}", seats.len() - 1))?)
    }

    pub fn check(&self, found: &Game) -> anyhow::Result<()> {
        let name = |game: &Game| format!("{} for {:?}", game.name(), game.race.spec().seats);
        ensure!(
            self == found,
            "the game is {}, not {}",
            name(self),
            name(found)
        );
        Ok(())
    }

    /// Returns an error unless `num_games` is in the allowed range.
    pub fn check_count(&self, num_games: usize) -> Result<()> {
        let most = MOST_NUMBERS / self.race.spec().observation;
        ensure!(
            (1..=most).contains(&num_games),
            "`num_games` is {num_games}, but must be 1 to {most}"
        );
        Ok(())
    }

    pub fn state(&self, state: Position) -> State {
        State {
            game: self.clone(),
            state,
        }
    }
}

impl From<Race> for Game {
    fn from(race: Race) -> Game {
        Game {
            race: Arc::new(race),
        }
    }
}

impl PartialEq for Game {
    fn eq(&self, other: &Game) -> bool {
        self.race.spec().ruleset_hash == other.race.spec().ruleset_hash
    }
}

/// A game or its name.
#[derive(FromPyObject)]
pub enum GameOrName<'py> {
    Game(PyRef<'py, Game>),
    Name(String),
}

/// The arguments that make an equal game: name, seats, sheet, flags and turn limit.
type Made<'py> = (
    Option<String>,
    String,
    Option<String>,
    Bound<'py, PyTuple>,
    Option<u32>,
);

/// The largest allowed size of the observations of all games together.
const MOST_NUMBERS: usize = 1 << 31;

const TOML: &str = ".toml";

fn sheet_of(sheet: &Bound<'_, PyAny>) -> Result<Arc<Sheet>> {
    let (text, file) = match sheet.extract::<String>() {
        Ok(text) if text.contains('\n') || !text.to_ascii_lowercase().ends_with(TOML) => {
            (text, "sheet".to_owned())
        }
        _ => {
            let wrong =
                |_| wrong_type("`sheet` must be the text of a sheet, or a path that ends in .toml");
            let path: PathBuf = sheet.extract().map_err(wrong)?;
            let name = path.display().to_string();
            (sheet_file::text(&path).with_context(|| name.clone())?, name)
        }
    };
    let sheet = Sheet::read(&text, &file)?;
    Sheets::check_name(&sheet).context(file)?;
    Ok(Arc::new(sheet))
}

/// Reads the flags of a Python mapping. Values become text as in the notation: `True` becomes
/// `true`, 3 becomes `3`.
fn flags_of(flags: &Bound<'_, PyAny>) -> Result<Vec<(String, String)>> {
    let wrong = |_| wrong_type("`flags` must be a dict from names of house rules to values");
    let one = |item: PyResult<Bound<'_, PyAny>>| {
        let (flag, value): (String, Bound<'_, PyAny>) = item?.extract()?;
        if !value.is_instance_of::<PyString>() && !value.is_instance_of::<PyInt>() {
            let kind = value.get_type().name()?;
            return Err(wrong_type(format!(
                "the value of the flag `{flag}` must be a str, an int or a bool, not {kind}"
            )));
        }
        let text = value.str()?.to_string();
        Ok((
            flag,
            if value.is_instance_of::<PyBool>() {
                text.to_lowercase()
            } else {
                text
            },
        ))
    };
    flags
        .call_method0("items")
        .map_err(wrong)?
        .try_iter()?
        .map(one)
        .collect()
}

#[pymethods]
impl Game {
    #[new]
    #[pyo3(signature = (game = None, seats = None, sheet = None, flags = None, turn_limit = None))]
    pub fn new(
        game: Option<&str>,
        seats: Option<&Bound<'_, PyAny>>,
        sheet: Option<&Bound<'_, PyAny>>,
        flags: Option<&Bound<'_, PyAny>>,
        turn_limit: Option<i64>,
    ) -> Result<Game> {
        let limit = |turns: i64| {
            let limit = u32::try_from(turns).ok().and_then(NonZero::new);
            limit.ok_or_else(|| anyhow!("`turn_limit` is {turns}, but must be 1 to {}", u32::MAX))
        };
        let limit = turn_limit.map(limit).transpose()?;
        let (sheet, written) = match (game, sheet) {
            (Some(game), None) => {
                let (name, flags) = Ruleset::split(game);
                (Arc::clone(Sheets::default().named(name)?), flags.collect())
            }
            (None, Some(sheet)) => (sheet_of(sheet)?, Vec::new()),
            _ => return Err(wrong_type("give either the name of a game or `sheet`")),
        };
        let named = flags.map(flags_of).transpose()?.unwrap_or_default();
        let named = named
            .iter()
            .map(|(flag, value)| (flag.as_str(), value.as_str()));
        let flags: Vec<(&str, &str)> = written.into_iter().chain(named).collect();
        let ruleset = match seats.map(|seats| (seats.extract::<usize>(), seats.extract::<String>()))
        {
            None => Ruleset::seated_of(sheet, None, flags),
            Some((Ok(count @ 2..=4), _)) => Ruleset::seated_of(sheet, Some(count), flags),
            Some((Ok(_), _)) => {
                return Err(
                    anyhow!("`seats` must be 2, 3 or 4, or letters such as \"SEW\"").into(),
                );
            }
            Some((_, Ok(letters))) => Ruleset::of(sheet, SeatSet::from_letters(&letters)?, flags),
            Some(_) => {
                return Err(wrong_type(
                    "`seats` must be a number or letters such as \"SEW\"",
                ));
            }
        };
        let race = Race::new(ruleset?);
        Ok(Game::from(match limit {
            Some(limit) => race.with_turn_limit(limit),
            None => race,
        }))
    }

    /// The names of the built-in games.
    #[staticmethod]
    fn names() -> Vec<&'static str> {
        builtin::names().collect()
    }

    /// The name of the game with its house rules.
    #[getter]
    pub fn name(&self) -> String {
        self.race.spec().name.clone()
    }

    /// Describes the game for people, as a dict. docs/json-output.md describes the keys; `pieces`
    /// and each of `flags` also have the `value` in this game. `understood` lists the rules as the
    /// program applies them with these house rules.
    fn describe<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyAny>> {
        let ruleset = self.race.ruleset();
        let mut described = describe(&self.race);
        let flags = described
            .get_mut("flags")
            .and_then(serde_json::Value::as_array_mut);
        for (flag, info) in flags.into_iter().flatten().zip(ruleset.flags()) {
            flag["value"] = info.value.into();
        }
        described["pieces"]["value"] = ruleset.pieces().into();
        to_python(py, &described)
    }

    /// The letters of the seats, in the order of the players.
    #[getter]
    pub fn seats(&self) -> String {
        self.race.spec().seats.iter().map(Seat::letter).collect()
    }

    /// The meaning of returns. With `"winner"` and `"teams"`, the winners get 1 and the others 0.
    /// With `"placings"`, returns fall from 1 for the first rank to 0 for the last.
    #[getter]
    fn outlook(&self) -> &'static str {
        match self.race.spec().payoff {
            Payoff::Winner => "winner",
            Payoff::Teams => "teams",
            Payoff::Placings => "placings",
        }
    }

    /// The version of the encoding of observations and actions.
    #[getter]
    fn encoding(&self) -> u32 {
        self.race.spec().encoding
    }

    /// The hash of the rules, 16 hexadecimal digits; different rules have different hashes.
    #[getter]
    fn ruleset_hash(&self) -> String {
        format!("{:016x}", self.race.spec().ruleset_hash)
    }

    /// The type of the game, with the fields of OpenSpiel's `GameType` as texts, such as
    /// `dynamics`, `chance_mode` and `utility`.
    fn get_type<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let fields = [
            ("short_name", self.name()),
            ("long_name", self.race.ruleset().sheet().title.clone()),
            ("dynamics", "sequential".to_owned()),
            ("chance_mode", "explicit_stochastic".to_owned()),
            ("information", "perfect_information".to_owned()),
            ("utility", "constant_sum".to_owned()),
            ("reward_model", "terminal".to_owned()),
        ];
        py.import("types")?
            .getattr("SimpleNamespace")?
            .call((), Some(&fields.into_py_dict(py)?))
    }

    /// The number of players as `players`, and the house rules that differ from their defaults, as
    /// texts.
    fn get_parameters<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (text, parameters) = (self.race.ruleset().game_text(), PyDict::new(py));
        parameters.set_item("players", self.num_players())?;
        Ruleset::split(&text)
            .1
            .try_for_each(|(flag, value)| parameters.set_item(flag, value))?;
        Ok(parameters)
    }

    /// The number of players, 2 to 4.
    fn num_players(&self) -> usize {
        self.race.spec().seats.len()
    }

    /// The number of different actions. An action has the same number, from 0, in all states.
    fn num_distinct_actions(&self) -> usize {
        self.race.spec().actions
    }

    /// The number of possible outcomes of a throw.
    pub fn max_chance_outcomes(&self) -> usize {
        let first = self.race.spec().seats.iter().next().unwrap_or(Seat::SOUTH);
        self.race
            .chance_outcomes(&self.race.initial_state(first))
            .len()
    }

    /// The length of an observation.
    fn observation_tensor_size(&self) -> usize {
        self.race.spec().observation
    }

    /// The shape of an observation: its length.
    fn observation_tensor_shape(&self) -> Vec<usize> {
        vec![self.race.spec().observation]
    }

    /// The smallest return of a player: 0.
    fn min_utility(&self) -> f64 {
        0.0
    }

    /// The largest return of a player: 1.
    fn max_utility(&self) -> f64 {
        1.0
    }

    /// The sum of the returns of all players.
    fn utility_sum(&self) -> f64 {
        match self.race.spec().payoff {
            Payoff::Winner => 1.0,
            Payoff::Teams | Payoff::Placings => self.num_players() as f64 / 2.0,
        }
    }

    /// The turn limit: environments truncate a game after this number of turns.
    fn max_game_length(&self) -> u32 {
        self.race.spec().turn_limit
    }

    /// Returns the position before the first throw. Without `first_player`, `seed` determines the
    /// first player; without both, the first player is random.
    #[pyo3(signature = (first_player = None, seed = None))]
    fn new_initial_state(&self, first_player: Option<Whole>, seed: Option<Seed>) -> Result<State> {
        let first = match first_player {
            Some(player) => self.seat(player)?,
            None => chance::first_seat(
                self.race.spec().seats,
                &mut chance::stream(Seed::or_random(seed), 0),
            ),
        };
        Ok(self.state(self.race.initial_state(first)))
    }

    /// Reads a state from the text that `State.serialize` returns: a position in the notation.
    fn deserialize_state(&self, text: &str) -> Result<State> {
        Ok(self.state(self.race.parse_state(text)?))
    }

    fn __repr__(&self) -> String {
        format!("Game({:?}, {:?})", self.name(), self.seats())
    }

    fn __hash__(&self) -> u64 {
        self.race.spec().ruleset_hash
    }

    /// Returns a function of the package and its arguments; the function makes an equal game. For
    /// equal arguments, the function returns the same object, so that many states can share one
    /// game.
    pub fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Made<'py>)> {
        let ruleset = self.race.ruleset();
        let limit = self.race.spec().turn_limit;
        let turn_limit = (limit != ruleset.sheet().seats.turn_limit).then_some(limit);
        let made = if ruleset.is_builtin() {
            (
                Some(self.name()),
                self.seats(),
                None,
                PyTuple::empty(py),
                turn_limit,
            )
        } else {
            let text = ruleset.game_text();
            let flags: Vec<_> = Ruleset::split(&text).1.collect();
            (
                None,
                self.seats(),
                Some(ruleset.base().text()),
                PyTuple::new(py, flags)?,
                turn_limit,
            )
        };
        Ok((py.import("ashta._game")?.getattr("restored")?, made))
    }
}
