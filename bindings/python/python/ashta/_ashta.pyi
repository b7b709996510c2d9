"""The compiled part of the package."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._results import ArenaResult, TrainedRun

__all__ = [
    "Agent",
    "Arena",
    "Bot",
    "Game",
    "RunEvaluator",
    "SelfPlay",
    "State",
    "Table",
    "Trainer",
    "TrainingRun",
    "VectorGame",
    "__version__",
    "analyze",
    "arena",
    "check_settings",
    "data_folders",
    "export",
    "numerics",
    "run_program",
    "solve",
    "train",
]

__version__: str

@final
class Game:
    """The rules of one game for a certain set of seats.

    `game` is the name of a game, with house rules if you like: `"pagade?teams=true"`. For a game of your own, pass
    `sheet` instead: the text of a sheet (TOML), or a path that ends in `.toml`. `flags` sets house rules by name:
    `{"teams": True}`. `seats` is the number of seats or their letters, such as `"SEW"`; by default the first set of
    seats in the sheet. Players have numbers from 0, in the order of the seats S, E, N, W. `turn_limit`, 1 or more, is
    the number of turns after which environments truncate a game; the sheet has the default. The turn limit does not
    belong to the rules: games that differ only in their limit are equal, and accept each other's states and agents.

    Raises `ValueError` with every problem. The problems of a sheet have file, line and key.
    """

    def __new__(
        cls,
        game: str | None = None,
        seats: int | str | None = None,
        sheet: str | PathLike[str] | None = None,
        flags: Mapping[str, str | int | bool] | None = None,
        turn_limit: int | None = None,
    ) -> Game: ...
    @staticmethod
    def names() -> list[str]:
        """The names of the built-in games."""
    @property
    def name(self) -> str:
        """The name of the game with its house rules."""
    def describe(self) -> dict[str, Any]:
        """Describes the game for people, as a dict.

        Texts: `name`, `title`, `summary`, `place` (its region), `rules` in prose, a list of `sources`. `minutes` is the
        usual length of a game at a table, or `None`. `seats` lists the sets of seats that can play. `pieces` has the
        number of pieces: `count` in the sheet, all `allowed` numbers, and the `value` of this game. `throws` and
        `words` are tables of the sheet. `flags` lists the house rules, each a dict with `name`, `about`, `values` (a
        list of dicts with `name` and `about`), `default`, and the `value` in this game. `understood` has the rules as
        the program applies them, with these house rules: a list of dicts with `topic` and `sentences`.
        """
    @property
    def seats(self) -> str:
        """The letters of the seats, in the order of the players."""
    @property
    def outlook(self) -> str:
        """The meaning of returns. `"winner"` and `"teams"`: 1 for the winners, 0 for the others; `"placings"`: from 1
        for the first rank to 0 for the last."""
    @property
    def encoding(self) -> int:
        """The version of the encoding of observations and actions."""
    @property
    def ruleset_hash(self) -> str:
        """The hash of the rules, 16 hexadecimal digits; different rules have different hashes."""
    def num_players(self) -> int:
        """The number of players, 2 to 4."""
    def num_distinct_actions(self) -> int:
        """The number of actions. Actions have the same numbers, from 0, in all states."""
    def max_chance_outcomes(self) -> int:
        """The number of outcomes of a throw."""
    def observation_tensor_size(self) -> int:
        """The length of an observation."""
    def observation_tensor_shape(self) -> list[int]:
        """The shape of an observation: its length."""
    def min_utility(self) -> float:
        """The smallest return of a player: 0."""
    def max_utility(self) -> float:
        """The largest return of a player: 1."""
    def utility_sum(self) -> float:
        """The sum of the returns of all players."""
    def max_game_length(self) -> int:
        """The number of turns after which environments truncate a game: `turn_limit`, or the default of the sheet."""
    def new_initial_state(self, first_player: int | None = None, seed: int = 0) -> State:
        """Returns the position before the first throw. Without `first_player`, `seed` draws the first player."""
    def deserialize_state(self, text: str) -> State:
        """Reads a state from the text that `State.serialize` returns: a position in the notation."""
    def __copy__(self) -> Game: ...
    def __deepcopy__(self, memo: object) -> Game: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class State:
    """A position of a game, without its history.

    `Game.new_initial_state` and `Game.deserialize_state` create states. A pickled state has the game and the position
    in the notation.
    """

    def get_game(self) -> Game:
        """The game."""
    def current_player(self) -> int:
        """The player who chooses; -1 at chance nodes, -4 at the end."""
    def turn_player(self) -> int | None:
        """The player whose turn it is, also at chance nodes; `None` at the end."""
    def num_players(self) -> int:
        """The number of players, 2 to 4."""
    def num_distinct_actions(self) -> int:
        """The number of actions of the game."""
    def is_player_node(self) -> bool:
        """Whether a player chooses an action now."""
    def is_simultaneous_node(self) -> bool:
        """Always `False`: players never choose at the same time."""
    def is_chance_node(self) -> bool:
        """Whether the dice must be thrown now."""
    def is_terminal(self) -> bool:
        """Whether the game is over."""
    def legal_actions(self, player: int | None = None) -> list[int]:
        """The legal actions in ascending order; at a chance node the possible outcomes. Empty if `player` does not act
        now. Chance is player -1."""
    def legal_actions_mask(self, player: int | None = None) -> NDArray[np.bool_]:
        """Whether each action is legal, `bool[num_distinct_actions]`; all `False` at a chance node. For player -1:
        whether each outcome is possible, `bool[max_chance_outcomes]`."""
    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The outcomes of a chance node and their exact probabilities. Raises `ValueError` at other nodes."""
    def apply_action(self, action: int) -> None:
        """Applies an action, or an outcome at a chance node. Raises `ValueError` if it is not legal."""
    def throw(self, bits: int) -> int:
        """Throws the dice at a chance node with 64 random bits, as environments do:
        `state.throw(random.getrandbits(64))`. Returns the outcome."""
    def child(self, action: int) -> State:
        """Returns the state after an action or outcome; this state does not change."""
    def action_to_string(self, player: int | None = None, action: int | None = None) -> str:
        """An action in words; for an outcome the values of the dice. Call `action_to_string(action)`, or
        `action_to_string(player, action)` with the acting player."""
    def turn_to_string(self, actions: Sequence[int]) -> str:
        """Describes the actions of one turn, in their order: `"H4 to H7 by 3, captures N on H7, throws again"`."""
    def draw(self) -> str:
        """The board as a drawing with several lines of text."""
    def returns(self) -> list[float]:
        """The return of each player, 0 to 1; zeros before the end."""
    def player_return(self, player: int) -> float:
        """The return of a player, 0 to 1; 0 before the end."""
    def observation_tensor(self, player: int | None = None) -> NDArray[np.float32]:
        """The observation of a player, `float32[observation_tensor_size]` of zeros and ones.

        `player` defaults to the player whose turn it is. At the end no player has the turn: the observation is all
        zeros by default, and shows the pieces of all seats if you pass `player`.
        """
    def turn_results(self, limit: int | None = None) -> list[tuple[State, list[int]]]:
        """Every state in which the current turn can end, with the actions that lead to it.

        Raises `ValueError` if the turn passes through more than `limit` positions. The default limit is 32768, or 4096
        with more than 16 throws and more than two pieces; only the longest series of throws exceed it.
        """
    def serialize(self) -> str:
        """The position as text in the notation."""
    def clone(self) -> State:
        """An independent copy."""
    def __copy__(self) -> State: ...
    def __deepcopy__(self, memo: object) -> State: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class VectorGame:
    """Many games, stepped together. Each step overwrites the same arrays. A finished game starts again with the next
    step, which ignores its action; after the step that ends a game, the observation is its last position.

    Without an `opponent` the caller chooses for all players. With an `opponent` the caller plays one player and the
    opponent plays all others; each step runs until the caller must choose again or the game ends. `opponent` is an
    `Agent` or a function. The function gets `observations`, `float32[n, observation]`, as the choosing seats see them,
    and `action_masks`, `int8[n, actions]`, for the `n` games that wait for the opponent; it returns a legal action for
    each. `player` is the number of the caller's player; `None` draws it for each game.

    Use the games from one thread at a time. If a step or a reset fails or is interrupted, no game has changed.
    """

    def __new__(
        cls,
        game: Game,
        num_games: int,
        opponent: Agent | Callable[[NDArray[np.float32], NDArray[np.int8]], ArrayLike] | None = None,
        player: int | None = None,
    ) -> VectorGame: ...
    @property
    def game(self) -> Game:
        """The game."""
    @property
    def num_games(self) -> int:
        """The number of games."""
    def reset(
        self,
        seed: int | Sequence[int] = 0,
        only: Sequence[bool] | NDArray[np.bool_] | None = None,
        positions: Sequence[State | None] | None = None,
    ) -> None:
        """Starts games again: all, or only games with `True` in `only`, `bool[num_games]`. Game `i` takes its throws
        from stream `i` of `seed`. If `seed` is a list, each game takes stream 0 of its own seed, like a single game
        with that seed. `positions` lists the state in which each game starts; `None` means the usual start."""
    def step(self, actions: ArrayLike) -> None:
        """Applies one action in every game, `int[num_games]`, and runs until the caller must choose again. A finished
        game ignores its action and starts again. Raises `ValueError` if an action is not legal; then no game has
        changed."""
    def states(self) -> list[State]:
        """Copies of the states of the games."""
    @property
    def observations(self) -> NDArray[np.float32]:
        """The observation of `players`, `float32[num_games, observation]`; always the same array.

        In a finished game, it shows the last position. After a truncation, this is the position before the next throw.
        After an end by the rules, it shows the pieces of all seats, but no mover, phase or throws.
        """
    @property
    def legal_actions(self) -> NDArray[np.bool_]:
        """The legal actions of the caller, `bool[num_games, actions]`; none in a finished game."""
    @property
    def players(self) -> NDArray[np.int64]:
        """The player who chooses, `int64[num_games]`; with an opponent, the caller's player.

        In a finished game without an opponent, it is the player of the last move, or after truncation the player who
        would throw next.
        """
    @property
    def returns(self) -> NDArray[np.float32]:
        """The return of each player in games that the last step ended, 0 to 1, `float32[num_games, num_players]`; zeros
        in the other games."""
    @property
    def rewards(self) -> NDArray[np.float32]:
        """The reward of `players` in games that the last step ended by the rules, -1 to 1, `float32[num_games]`; 0 in
        the other games."""
    @property
    def terminated(self) -> NDArray[np.bool_]:
        """Whether the last step ended the game by its rules, `bool[num_games]`."""
    @property
    def truncated(self) -> NDArray[np.bool_]:
        """Whether the last step truncated the game at the turn limit, `bool[num_games]`."""

@final
class Agent:
    """An agent that plays `game`.

    `spec` is `random`, `runner`, `hunter`, `greedy`, `greedy+2ply`, `perfect`, or a bot by name or file. A bot can have
    a look-ahead or a level: `ashtapada+2ply`, `ashtapada+policy`, `ashtapada+mcts:800`, `ashtapada+novice`. Bots and
    tables are looked up by name in `folders`, by default `ashta.folders()`. Several threads can use one agent at the
    same time. A pickled agent includes the content of its bot, but only the path of a table.
    """

    def __new__(cls, spec: str, game: Game, folders: Sequence[str | PathLike[str]] | None = None) -> Agent: ...
    @property
    def name(self) -> str:
        """The name, as in `spec`."""
    def act(self, states: Sequence[State], seed: int = 0) -> list[int]:
        """Chooses a legal action for each state; all must be decision nodes. Random choices for state `i` use stream
        `i` of `seed`."""
    def step(self, state: State, seed: int = 0) -> int:
        """Chooses a legal action for one state."""
    def values(self, states: Sequence[State]) -> NDArray[np.float32]:
        """The value of each state for each player, `float32[states, num_players]`, 0 to 1."""
    def policy(self, state: State, seed: int = 0) -> list[tuple[int, float]]:
        """Legal actions and their probabilities. A bot answers with its policy network; other agents give probability 1
        to the action that they choose."""
    def __copy__(self) -> Agent: ...
    def __deepcopy__(self, memo: object) -> Agent: ...

@final
class Bot:
    """A bot file: networks with a manifest. A pickled bot includes its content."""

    @staticmethod
    def load(bot: str | PathLike[str], folders: Sequence[str | PathLike[str]] | None = None) -> Bot:
        """Reads a bot from a file, or by name from `folders`, by default `ashta.folders()`."""
    @property
    def game(self) -> Game:
        """The game of the bot."""
    @property
    def manifest_json(self) -> str:
        """The manifest as JSON: game, training, measured strength, levels."""
    def agent(self, lookahead: str = "1ply") -> Agent:
        """Makes an agent with this look-ahead: `"policy"`, `"1ply"`, `"2ply"`, `"mcts:800"` or a level of difficulty.
        """
    def forward(self, observations: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        """Runs both networks on observations, `float32[n, observation]`; returns values and policy logits.

        Values are `float32[n, values]`, relative to the observing seat. Logits are `float32[n, actions]`, and zeros at
        the start of a turn.
        """
    def __copy__(self) -> Bot: ...
    def __deepcopy__(self, memo: object) -> Bot: ...

@final
class Table:
    """The values of perfect play in all positions of one game. A pickled table has only the path of its file."""

    @staticmethod
    def load(table: str | PathLike[str] | Game, folders: Sequence[str | PathLike[str]] | None = None) -> Table:
        """Reads a table from a file, or from `folders` (by default `ashta.folders()`) by name or by game.

        Raises `ValueError` if there is no such table, or if it is damaged or unfinished.
        """
    @property
    def game(self) -> Game:
        """The solved game."""
    @property
    def bits(self) -> int:
        """The number of bits of a value in the file: 16 or 32."""
    @property
    def facts(self) -> dict[str, Any]:
        """Facts from the header of the file: `positions`, `sweeps`, `cut_off`, `residual`, and `certificate`, the
        proven error bound, or `None`."""
    @property
    def error(self) -> float | None:
        """The largest possible error of a value, from the proof and from rounding to `bits`; `None` without a proof."""
    def values(self, states: Sequence[State]) -> NDArray[np.float32]:
        """The value of each state for each player, `float32[states, num_players]`, 0 to 1."""
    def __copy__(self) -> Table: ...
    def __deepcopy__(self, memo: object) -> Table: ...

def arena(
    agents: Sequence[str | Agent | Callable[[State], int]] | Mapping[str, str | Agent | Callable[[State], int]],
    game: Game | None = None,
    *,
    pairs: int = 1000,
    seed: int = 7919,
    threads: int | None = None,
    luck: str | Agent = "auto",
    anchor: str | None = None,
    sprt: tuple[float, float] | None = None,
    alpha: float = 0.05,
    beta: float = 0.05,
    keep_games: bool = True,
    folders: Sequence[str | PathLike[str]] | None = None,
) -> ArenaResult:
    """Lets 2 to 256 agents play against each other in games with the same throws, like `ashta arena`.

    An agent is a string for `Agent`, an `Agent`, or a function from a state to a legal action. `game` defaults to the
    game of the first bot or table. `pairs`, 1 to 10,000,000, is the number of blocks of games for each lineup. `seed`
    determines the throws. `threads`, 1 to 256, defaults to the number of processors, or to 1 if an agent is a function.
    Without functions the result depends neither on the number of threads nor on timing. `luck` names the agent whose
    values measure luck: `"auto"`, `"none"` or an agent. `anchor` is the name of the agent with rating 0. `sprt` has two
    Elo differences for a sequential test, with the error probabilities `alpha` and `beta`.

    An exception in a function ends the arena with this exception, an illegal action with a `ValueError`, and Ctrl-C
    with a `KeyboardInterrupt`.
    """

def analyze(
    record: str | Mapping[str, Any],
    game: Game | None = None,
    *,
    by: str | Agent = "auto",
    folders: Sequence[str | PathLike[str]] | None = None,
) -> dict[str, Any]:
    """Analyzes a played game, turn by turn, like `ashta analyze --json`.

    `record` is a game of `ArenaResult.games`, or the text of a game that `ashta analyze` can read. `game` gives the
    rules if the record uses a sheet that it does not include. `by` is the agent whose values are used. The default
    `"auto"` takes perfect play if there is a table, otherwise the largest bot.
    """

def data_folders() -> list[Path]:
    """The existing folders in which `ashta` looks up bots and tables by name."""

# The parts of a run and of an arena that `ashta.ray` spreads over machines.

_Folders = Sequence[str | PathLike[str]] | None
_Files = dict[str, bytes]
_PackedAgent = tuple[str, str, bytes]

def check_settings(
    config: str | PathLike[str] | None = None, set: Sequence[str] = ..., folders: _Folders = None
) -> None:
    """Checks settings as at the start of a run: all keys must be known, and everything that they name must exist.

    Raises `ValueError` with every problem.
    """
def export(
    source: str | PathLike[str],
    output: str | PathLike[str] | None = None,
    *,
    card: str | PathLike[str] | None = None,
    format: str = "bot",
    checkpoint: str | int | None = None,
    folders: _Folders = None,
) -> Path:
    """Exports the bot of a run, or another bot by file or name, to one file; returns the path of the file.

    `format` is `"bot"` or `"onnx"`. For a run, `checkpoint` is `"latest"` (the default), `"best"` or the number of an
    iteration. Without `output` the file has the name of the bot, in the current folder. `card` is a path for the model
    card. Raises `ValueError` if there is no such run, checkpoint or bot, or if the file cannot be written.
    """
def numerics() -> str:
    """The rounding checksum of this machine. Machines with different checksums do not compute identical games and
    networks."""
def run_program(arguments: Sequence[str], installed: str | PathLike[str]) -> int:
    """Runs the program `ashta` with these arguments, the first of them its name; returns its exit code. Searches the
    folder `installed` for bots and tables after all other folders."""
def solve(
    game: str | Game,
    output: str | PathLike[str],
    *,
    bits: int = 16,
    threads: int | None = None,
    tolerance: float = 2e-9,
    proof: bool = True,
) -> Table:
    """Solves a small game, writes the values of perfect play to the table `output`, and returns this table.

    `game` is a name or a `Game`. `bits`, 16 or 32, is the size of a value. Solving stops when a sweep changes no value
    by more than `tolerance`. `proof` computes how exact the values are and doubles the memory use. `threads` defaults
    to the number of processors and does not change the table. Ctrl-C stops solving after the current sweep. Raises
    `ValueError` if the game is too large or the table cannot be written.
    """
def train(
    config: str | PathLike[str] | None = None,
    settings: Mapping[str, Any] | Sequence[str] | None = None,
    *,
    resume: str | PathLike[str] | None = None,
    fallback: bool = False,
    callback: Callable[[dict[str, Any]], bool | None] | None = None,
    progress: bool = True,
    folders: _Folders = None,
) -> TrainedRun:
    """Trains, evaluates and exports a bot, like `ashta train`.

    `config` is the name of a built-in configuration (`"pagade"`, `"ashte-kashte?pieces=2"`), a file with settings, or a
    sheet; by default all settings have their defaults. `settings` changes single keys: a dict such as
    `{"selfplay.games": 20_000}`, or a list of texts such as `"selfplay.games=20000"`. `resume` is the folder of an
    interrupted run to resume. With `fallback`, damaged checkpoints are set aside and the run resumes from the newest
    intact one.

    After each iteration, `callback` is called with a dict: the metrics, with the names of docs/metrics.md, and `run`,
    the folder of the run as a `Path`. If it returns a true value, the run stops; you can resume it. Ctrl-C also stops
    the run: `KeyboardInterrupt` is raised after the progress is saved. With `progress`, a line or a bar on standard
    error shows the progress. `folders` are the folders of bots and tables, by default `ashta.folders()`.

    Raises `ValueError` with every problem of the settings, or if the run cannot be read or written.
    """

@final
class TrainingRun:
    """A training run with the workers of a cluster.

    Starts in a new folder, with settings like `ashta train`, or resumes the run in the folder `resume` from its newest
    checkpoint. If the settings are unchanged, the run uses the games that were stored after the checkpoint. With
    `fallback`, damaged checkpoints are set aside.
    """

    def __new__(
        cls,
        config: str | PathLike[str] | None = None,
        set: Sequence[str] = ...,
        folders: _Folders = None,
        resume: str | PathLike[str] | None = None,
        fallback: bool = False,
    ) -> TrainingRun: ...
    @property
    def numerics(self) -> str:
        """The rounding checksum of the machine that started the run."""
    @property
    def path(self) -> Path:
        """The folder of the run."""
    @property
    def config(self) -> str:
        """All settings as TOML."""
    def checkpoint(self) -> _Files | None:
        """The files of the newest checkpoint; `None` if there is none."""
    def opponents(self) -> tuple[dict[str, _PackedAgent], _Files]:
        """The opponents in the settings with their files, by name, and the table of perfect play; arguments of
        `RunEvaluator`."""
    def train(self, workers: object) -> bool:
        """Trains until the run is over or the workers stop it; returns whether it is over. `workers` is a `Driver` of
        `ashta.ray`."""
    def conclude(self) -> tuple[str, Path]:
        """Evaluates and exports the bot of a finished run; returns the table of results and the path of the bot."""
    def close(self) -> None:
        """Ends the progress display and unlocks the folder of the run."""

@final
class SelfPlay:
    """Plays games of a run."""

    def __new__(cls, config: str) -> SelfPlay: ...
    def play(self, weights: NDArray[np.float32], first: int, end: int) -> bytes:
        """Plays the games `first..end` with these weights; returns the message with their records."""

@final
class Trainer:
    """Learns from the games of a run."""

    def __new__(cls, config: str, files: _Files | None = None) -> Trainer: ...
    def learn(self, learning_rate: float) -> tuple[NDArray[np.float32], bytes]:
        """Runs the due learning steps with this learning rate; returns the weights for self-play and the message with
        the losses."""
    def add_games(self, messages: Sequence[bytes], lambda_: float, wants_details: bool) -> bytes:
        """Adds the games of an iteration, as messages in their order, with this λ; returns the message with the
        report."""
    def weights(self) -> NDArray[np.float32]:
        """The weights for self-play."""
    def average(self) -> NDArray[np.float32]:
        """The weights for evaluation and export."""
    def save(self) -> tuple[_Files, bytes]:
        """The files of a checkpoint without the counters of the run, and the message with the state of the trainer."""

@final
class RunEvaluator:
    """Evaluates the networks of a run."""

    def __new__(cls, config: str, opponents: dict[str, _PackedAgent], tables: _Files) -> RunEvaluator: ...
    def evaluate(self, weights: NDArray[np.float32]) -> bytes:
        """Runs a short evaluation; returns the message with the results."""
    def conclude(self, weights: NDArray[np.float32]) -> bytes:
        """Runs the final evaluation; returns the message with the results."""

@final
class Arena:
    """An arena: its agents, its game, and the results of games that other processes have played."""

    def __new__(
        cls,
        agents: Sequence[str | Agent | Callable[[State], int]] | Mapping[str, str | Agent | Callable[[State], int]],
        game: Game | None,
        pairs: int,
        luck: str | Agent | None,
        anchor: str | None,
        sprt: tuple[float, float] | None,
        alpha: float,
        beta: float,
        folders: _Folders,
    ) -> Arena: ...
    @property
    def blocks(self) -> int:
        """The number of blocks."""
    def play(self, first: int, end: int, seed: int) -> bytes:
        """Plays the blocks `first..end`; returns the lines of their games as JSON."""
    def add(self, lines: bytes) -> bool:
        """Adds the games of the next blocks; returns whether the arena needs no more games. Ignores games after the
        decision of a sequential test."""
    def result(self) -> ArenaResult:
        """The result of all added games."""
