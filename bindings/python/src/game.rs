//! `Game`: the rules of one game, in the words of OpenSpiel.

use std::sync::Arc;

use ashta_env::chance;
use ashta_env::game::{Game as _, Outlook, Seat, SeatSet};
use ashta_env::race::Race;
use ashta_env::race::state::State as Position;
use ashta_env::ruleset::{GAMES, Ruleset};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::refused;
use crate::state::State;

/// The rules of one game for certain seats.
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

#[pymethods]
impl Game {
    #[new]
    #[pyo3(signature = (game, seats = None))]
    fn new(game: &str, seats: Option<&Bound<'_, PyAny>>) -> PyResult<Game> {
        let seats = match seats {
            None => Ruleset::default_seats(2),
            Some(seats) => match (seats.extract::<usize>(), seats.extract::<String>()) {
                (Ok(count), _) => Ruleset::default_seats(count),
                (_, Ok(letters)) => Some(SeatSet::from_letters(&letters).map_err(refused)?),
                _ => return Err(PyTypeError::new_err("`seats` is a number or letters such as \"SEW\"")),
            },
        };
        let seats = seats.ok_or_else(|| PyValueError::new_err("`seats` is 2, 3 or 4, or letters such as \"SEW\""))?;
        let ruleset = Ruleset::parse(game, seats).map_err(refused)?;
        Ok(Game { race: Arc::new(Race::new(ruleset)) })
    }

    /// The games that there are.
    #[staticmethod]
    fn names() -> Vec<&'static str> {
        GAMES.to_vec()
    }

    /// The game with its house rules, as in the notation.
    #[getter]
    fn name(&self) -> String {
        self.race.spec().name.clone()
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

    /// Turns after which environments break a game off.
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
        let (race, state) = Race::parse(text).map_err(refused)?;
        if race.spec().ruleset_hash != self.race.spec().ruleset_hash {
            let (found, seats) = (&race.spec().name, race.spec().seats);
            let message =
                format!("the position is of {found} for {seats:?}, not of {} for {}", self.name(), self.seats());
            return Err(PyValueError::new_err(message));
        }
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

    fn __reduce__(slf: &Bound<'_, Game>) -> PyResult<(Py<PyAny>, (String, String))> {
        let game = slf.get();
        Ok((slf.get_type().into_any().unbind(), (game.name(), game.seats())))
    }
}

fn first(race: &Race) -> Seat {
    race.spec().seats.iter().next().unwrap_or(Seat::SOUTH)
}
