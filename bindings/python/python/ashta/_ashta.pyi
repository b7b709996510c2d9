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
    """The rules of one game for certain seats.

    `game` is a name, which may have house rules as in the notation: `"pagade?teams=true"`. `sheet` is a game of your
    own instead: the text of a sheet (TOML), or the path of one, which ends in `.toml`. `flags` are house rules by name
    with their values: `{"teams": True}`. `seats` is the number of seats, or their letters: `"SEW"`; by default the
    first that the game names. Players are the seats that take part by number, in the order S, E, N, W. `turn_limit`, 1
    or more, is the number of turns after which environments truncate a game, by default that of the sheet; it is no
    part of the rules: games that differ in nothing else are equal, and share states and agents.

    What is wrong is a `ValueError` that names every problem, of a sheet with file, line and key.
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
        """The names of the games that come with the package."""
    @property
    def name(self) -> str:
        """The game with its house rules."""
    def describe(self) -> dict[str, Any]:
        """What the game is, for people.

        Texts: `name`, `title`, `summary`, `place` (its region), `rules` in prose, a list of `sources`. `minutes` is
        the usual length of a game at a table, or None. `seats` are the sets of seats that can play, `pieces` their
        number (`count`, which are `allowed`, the `value` here), `throws` and `words` are tables of the sheet. `flags`
        are the house rules, each a dict of its `name`, what it is `about`, its `values` (a list of dicts of `name` and
        `about`), its `default` and the `value` that it has here. `understood` are the rules as the program
        understands them, with these house rules: a list of dicts of `topic` and `sentences`.
        """
    @property
    def seats(self) -> str:
        """The letters of the seats that take part, in the order of the players."""
    @property
    def outlook(self) -> str:
        """What returns mean: `"winner"` and `"teams"`: 1 for who wins; `"placings"`: 1, 2/3, 1/3 and 0."""
    @property
    def encoding(self) -> int:
        """Version of the meaning of observations and actions."""
    @property
    def ruleset_hash(self) -> str:
        """16 hexadecimal digits that tell these rules from all others."""
    def num_players(self) -> int:
        """How many players there are, 2 to 4."""
    def num_distinct_actions(self) -> int:
        """How many actions there are: they are numbered from 0, in all states."""
    def max_chance_outcomes(self) -> int:
        """How many outcomes a throw has."""
    def observation_tensor_size(self) -> int:
        """The length of an observation."""
    def observation_tensor_shape(self) -> list[int]:
        """The shape of an observation: its length."""
    def min_utility(self) -> float:
        """The least that a player can get: 0."""
    def max_utility(self) -> float:
        """The most that a player can get: 1."""
    def utility_sum(self) -> float:
        """What the returns of all players sum to."""
    def max_game_length(self) -> int:
        """Turns after which environments truncate a game: `turn_limit`, or those of the sheet."""
    def new_initial_state(self, first_player: int | None = None, seed: int = 0) -> State:
        """The position before the first throw; the first player is drawn from `seed` if none is named."""
    def deserialize_state(self, text: str) -> State:
        """The state that `State.serialize` wrote: a position in the notation."""
    def __copy__(self) -> Game: ...
    def __deepcopy__(self, memo: object) -> Game: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class State:
    """A position of a game. It remembers nothing of how it came about.

    `Game.new_initial_state` and `Game.deserialize_state` make states. What is pickled is the position in the notation
    with its game.
    """

    def get_game(self) -> Game:
        """The game that is played."""
    def current_player(self) -> int:
        """The player to choose; -1 where the dice are thrown, -4 at the end."""
    def turn_player(self) -> int | None:
        """The player whose turn it is, also where the dice are thrown; `None` at the end."""
    def num_players(self) -> int:
        """How many players there are, 2 to 4."""
    def num_distinct_actions(self) -> int:
        """How many actions the game has."""
    def is_player_node(self) -> bool:
        """Whether a player is to choose."""
    def is_simultaneous_node(self) -> bool:
        """Whether several players choose at once: never."""
    def is_chance_node(self) -> bool:
        """Whether the dice are to be thrown."""
    def is_terminal(self) -> bool:
        """Whether the game is over."""
    def legal_actions(self, player: int | None = None) -> list[int]:
        """The legal actions in ascending order, at a chance node the outcomes; none of a `player` who is not to choose.
        Chance is player -1."""
    def legal_actions_mask(self, player: int | None = None) -> NDArray[np.bool_]:
        """Whether each action is legal, `bool[num_distinct_actions]`; all `False` at a chance node. Of player -1 whether
        each outcome is possible, `bool[max_chance_outcomes]`."""
    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The outcomes of a chance node with their exact probabilities; `ValueError` elsewhere."""
    def apply_action(self, action: int) -> None:
        """Takes an action, or an outcome at a chance node; `ValueError` when it is not legal."""
    def throw(self, bits: int) -> int:
        """Throws the dice at a chance node by 64 random bits, as environments do:
        `state.throw(random.getrandbits(64))`. The outcome."""
    def child(self, action: int) -> State:
        """A new state after an action or outcome."""
    def action_to_string(self, player: int | None = None, action: int | None = None) -> str:
        """An action in words, of an outcome the values of the dice: `action_to_string(action)`, or with the player who
        is to act before it, `action_to_string(player, action)`."""
    def turn_to_string(self, actions: Sequence[int]) -> str:
        """What actions of one turn, taken one after the other, do: `"H4 to H7 by 3, captures N on H7, throws again"`.
        """
    def draw(self) -> str:
        """The board as a drawing of several lines."""
    def returns(self) -> list[float]:
        """What each player gets, 0 to 1; zeros before the end."""
    def player_return(self, player: int) -> float:
        """What a player gets, 0 to 1; 0 before the end."""
    def observation_tensor(self, player: int | None = None) -> NDArray[np.float32]:
        """What a player sees, `float32[observation_tensor_size]` of zeros and ones.

        By default it is the player whose turn it is; at the end there is none, and the answer zeros. A player that is
        named sees the pieces of all seats at the end, too.
        """
    def turn_results(self, limit: int | None = None) -> list[tuple[State, list[int]]]:
        """Every state in which the turn under way can end, with the actions that lead there.

        `ValueError` when the turn leads through more than `limit` positions: by default 32768, after more than 16
        throws with more than two pieces 4096. Only the longest series of throws do.
        """
    def serialize(self) -> str:
        """The position in the notation."""
    def clone(self) -> State:
        """A copy, which goes its own way."""
    def __copy__(self) -> State: ...
    def __deepcopy__(self, memo: object) -> State: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class VectorGame:
    """Many games that are stepped together, in arrays that stay the same. A game that is over begins anew with the next
    step, which ignores its action. So the observation of the step that ends a game is its last position.

    The caller chooses for all players. If there is an `opponent`, the caller plays one player and the opponent plays
    all others: each step goes on to where the caller has to choose, or to the end of the game. `opponent` is an
    `Agent`, or a function that gets `observations`, `float32[n, observation]`, as the seats to choose see them, and
    `action_masks`, `int8[n, actions]`, and returns a legal action for each of the `n` games that wait for it. `player`
    is who the caller is, by number; `None`: drawn anew for each game.

    One thread at a time can use the games. A step or a reset that fails or is interrupted leaves all games as they
    were.
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
        """The game that is played."""
    @property
    def num_games(self) -> int:
        """How many games there are."""
    def reset(
        self,
        seed: int | Sequence[int] = 0,
        only: Sequence[bool] | NDArray[np.bool_] | None = None,
        positions: Sequence[State | None] | None = None,
    ) -> None:
        """Begins the games anew: all, or those where `only`, `bool[num_games]`, says so. Game `i` throws by stream `i`
        of `seed`; where `seed` is a list, by stream 0 of its own one, as the only game of that seed would. `positions` has
        the state in which each game begins, or `None`."""
    def step(self, actions: ArrayLike) -> None:
        """Takes one action in every game, `int[num_games]`, and goes on to where the caller has to choose again. A game
        that is over begins anew instead. When an action is not legal, it is a `ValueError` and no game has moved."""
    def states(self) -> list[State]:
        """The states of the games, as copies."""
    @property
    def observations(self) -> NDArray[np.float32]:
        """What `players` see, `float32[num_games, observation]`; the same array all the time.

        Where the game is over, its last position. Of a truncated game it is the position before the next throw; at the
        end by the rules it shows the pieces of all seats, but no mover, phase or throws.
        """
    @property
    def legal_actions(self) -> NDArray[np.bool_]:
        """What the caller may do, `bool[num_games, actions]`; nothing where the game is over."""
    @property
    def players(self) -> NDArray[np.int64]:
        """Who has to choose, `int64[num_games]`. With an opponent it is who the caller is.

        Where a game of all players is over: if it is truncated, the player to throw next, else the player of the last
        move.
        """
    @property
    def returns(self) -> NDArray[np.float32]:
        """What each player got from a game that the last step ended, else zeros, `float32[num_games, num_players]`."""
    @property
    def rewards(self) -> NDArray[np.float32]:
        """What `players` got from a game that the last step ended, -1 to 1, else 0, `float32[num_games]`."""
    @property
    def terminated(self) -> NDArray[np.bool_]:
        """Whether the last step ended the game by its rules, `bool[num_games]`."""
    @property
    def truncated(self) -> NDArray[np.bool_]:
        """Whether the last step truncated the game at the turn limit, `bool[num_games]`."""

@final
class Agent:
    """An agent that plays `game`.

    `random`, `runner`, `hunter`, `greedy`, `greedy+2ply`, `perfect`, or a bot by name or file, with how far it looks
    ahead: `ashtapada+2ply`, `ashtapada+policy`, `ashtapada+mcts:800`, `ashtapada+novice`. Names are looked for in
    `folders`, by default `ashta.folders()`. Several threads can ask an agent at once. What is pickled has the content
    of a bot with it, but finds tables by their paths.
    """

    def __new__(cls, spec: str, game: Game, folders: Sequence[str | PathLike[str]] | None = None) -> Agent: ...
    @property
    def name(self) -> str:
        """Who it is, as it was written."""
    def act(self, states: Sequence[State], seed: int = 0) -> list[int]:
        """A legal action for each state, all at decision nodes; who draws draws for state `i` by stream `i` of `seed`.
        """
    def step(self, state: State, seed: int = 0) -> int:
        """A legal action for one state."""
    def values(self, states: Sequence[State]) -> NDArray[np.float32]:
        """Values of the states for each player, `float32[states, num_players]`, 0 to 1."""
    def policy(self, state: State, seed: int = 0) -> list[tuple[int, float]]:
        """Actions and probabilities: of a bot those of its policy network, of others 1 for what they choose."""
    def __copy__(self) -> Agent: ...
    def __deepcopy__(self, memo: object) -> Agent: ...

@final
class Bot:
    """A bot file: networks, and everything that is known of them. What is pickled is its content."""

    @staticmethod
    def load(bot: str | PathLike[str], folders: Sequence[str | PathLike[str]] | None = None) -> Bot:
        """Reads a bot: a file, or the name of one in `folders`, by default `ashta.folders()`."""
    @property
    def game(self) -> Game:
        """The game that it plays."""
    @property
    def manifest_json(self) -> str:
        """Everything that is known of it, as JSON."""
    def agent(self, lookahead: str = "1ply") -> Agent:
        """The bot as a player: `"policy"`, `"1ply"`, `"2ply"`, `"mcts:800"` or a level of difficulty."""
    def forward(self, observations: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        """Values, relative to the observing seat, and policy logits of observations `float32[n, observation]`.

        Values are `float32[n, values]`; logits `float32[n, actions]`, zeros at the start of a turn.
        """
    def __copy__(self) -> Bot: ...
    def __deepcopy__(self, memo: object) -> Bot: ...

@final
class Table:
    """The values of perfect play of one game, position by position. What is pickled finds its file again by its path.
    """

    @staticmethod
    def load(table: str | PathLike[str] | Game, folders: Sequence[str | PathLike[str]] | None = None) -> Table:
        """Reads a table: a file, or the name or the game of one in `folders`, by default `ashta.folders()`.

        `ValueError` when there is none, or it is damaged or not finished.
        """
    @property
    def game(self) -> Game:
        """The game that was solved."""
    @property
    def bits(self) -> int:
        """Bits of a value in the file: 16 or 32."""
    @property
    def facts(self) -> dict[str, Any]:
        """What is known of the values, as in the header of the file: `positions`, `sweeps`, `cut_off`, `residual` and
        `certificate`, the proof of how exact they are, or `None`."""
    @property
    def error(self) -> float | None:
        """How far any value may be from perfect play by the proof and by rounding to `bits`; `None` without a proof."""
    def values(self, states: Sequence[State]) -> NDArray[np.float32]:
        """Values of the states for each player, `float32[states, num_players]`, 0 to 1."""
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
    """Lets 2 to 256 agents meet in games with the same throws, as `ashta arena` does.

    An agent is a text as `Agent` takes it, an `Agent`, or a function from a state to a legal action. `game` is that of
    the first bot or table if nothing is said. `pairs`, 1 to 10,000,000, are blocks of games for each lineup; `seed` is
    that of the throws; `threads`, 1 to 256, are by default as many as there are processors, and one where a function
    plays. Without functions the result depends neither on threads nor on the time. `luck` says by whose values luck is
    measured: `"auto"`, `"none"` or an agent. `anchor` is the name of who is rated 0; `sprt` are differences in Elo
    between which a sequential test decides, wrongly with the probabilities `alpha` and `beta`.

    What a function raises ends the arena; so does what is no legal action, as a `ValueError`. Ctrl-C ends it, too.
    """

def analyze(
    record: str | Mapping[str, Any],
    game: Game | None = None,
    *,
    by: str | Agent = "auto",
    folders: Sequence[str | PathLike[str]] | None = None,
) -> dict[str, Any]:
    """Analyzes a played game, turn by turn, as `ashta analyze --json` does.

    `record` is a game of `ArenaResult.games`, or the text of a game as `ashta analyze` reads it. `game` names the rules
    of a sheet that is not in the record. `by` is the agent whose values are used: `"auto"`, the default, takes perfect
    play where there is a table, else the largest bot.
    """

def data_folders() -> list[Path]:
    """Where `ashta` looks for bots and tables with names: folders that exist."""

# The parts of a run and of an arena that `ashta.ray` spreads over machines.

_Folders = Sequence[str | PathLike[str]] | None
_Files = dict[str, bytes]
_PackedAgent = tuple[str, str, bytes]

def check_settings(
    config: str | PathLike[str] | None = None, set: Sequence[str] = ..., folders: _Folders = None
) -> None:
    """Checks settings as a run does before it begins: that they are known, and that all that they name is there.

    `ValueError` with every problem."""
def export(
    source: str | PathLike[str],
    output: str | PathLike[str] | None = None,
    *,
    card: str | PathLike[str] | None = None,
    format: str = "bot",
    checkpoint: str | int | None = None,
    folders: _Folders = None,
) -> Path:
    """Writes the bot of a run, or a bot by its file or name, as one file, and its model card to `card`; gives the file.

    `format` is `"bot"` or `"onnx"`; of a run `checkpoint` is `"latest"`, `"best"` or the number of an iteration, by
    default the latest. Without `output` the file has the bot's name in the current folder. Raises `ValueError` when
    there is no such run, checkpoint or bot, or the file cannot be written.
    """
def numerics() -> str:
    """How this machine rounds: with others games and networks are not the same to the last bit."""
def run_program(arguments: Sequence[str], installed: str | PathLike[str]) -> int:
    """Runs the program `ashta` with these arguments, its name first; gives its exit code. Bots and tables are looked
    for in `installed` after all other folders."""
def solve(
    game: str | Game,
    output: str | PathLike[str],
    *,
    bits: int = 16,
    threads: int | None = None,
    tolerance: float = 2e-9,
    proof: bool = True,
) -> Table:
    """Solves a small enough game, writes perfect play to the table `output`, and reads it.

    `game` is a name or a `Game`. `bits`, 16 or 32, are those of a value; a value has settled when looking ahead changes
    it by no more than `tolerance`. `proof` finds how exact the values are and takes as much memory again. `threads`, by
    default one a processor, do not change the table. Ctrl-C ends it at the next sweep. Raises `ValueError` when the game
    is too large or the table cannot be written.
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
    """Trains, evaluates and exports a bot as `ashta train` does.

    `config` is the name of a configuration that comes with the package (`"pagade"`, `"ashte-kashte?pieces=2"`), a file
    of settings or a sheet; without one the defaults hold. `settings` change single keys, such as
    `{"selfplay.games": 20_000}`, or are texts such as `"selfplay.games=20000"`. `resume` is the folder of a run that was
    interrupted, with which it goes on; with `fallback` damaged checkpoints are set aside, and it goes on from the newest
    one that is whole.

    `callback` is called after each iteration with its metrics, by the names of docs/metrics.md, and `run`, the folder as
    a `Path`; where it returns something true the run stops and can be resumed. So it does on Ctrl-C, which raises
    `KeyboardInterrupt` once what was learned is saved. With `progress` a line or a bar on standard error shows how the
    run stands. `folders` are those of bots and tables, by default `ashta.folders()`.

    Raises `ValueError` with every problem of the settings, and when the run cannot be read or written.
    """

@final
class TrainingRun:
    """A run under way whose workers are those of a cluster.

    It begins in a folder of its own, with settings as for `ashta train`; or goes on in the folder `resume`, from its
    newest checkpoint, and from the games that were kept since, unless settings change. With `fallback` damaged
    checkpoints are set aside.
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
        """How the machine rounds that began the run."""
    @property
    def path(self) -> Path:
        """The folder of the run."""
    @property
    def config(self) -> str:
        """Every setting, as TOML."""
    def checkpoint(self) -> _Files | None:
        """The files of the newest checkpoint, if there is one."""
    def opponents(self) -> tuple[dict[str, _PackedAgent], _Files]:
        """The opponents of the settings with their files, by how the settings name them, and the table of perfect play,
        for `RunEvaluator`."""
    def train(self, workers: object) -> bool:
        """Trains to the end, or until the workers say so, by `workers`, a `Driver` of `ashta.ray`; whether it is the
        end."""
    def conclude(self) -> tuple[str, Path]:
        """Evaluates and exports the bot of a run that has ended; the table of results, and the path of the bot."""
    def close(self) -> None:
        """Ends what is shown of the run while it goes on, and lets others go on with it."""

@final
class SelfPlay:
    """Plays games of a run."""

    def __new__(cls, config: str) -> SelfPlay: ...
    def play(self, weights: NDArray[np.float32], first: int, end: int) -> bytes:
        """Plays the games from number `first` up to `end` with these weights; the message with their records."""

@final
class Trainer:
    """Learns from the games of a run."""

    def __new__(cls, config: str, files: _Files | None = None) -> Trainer: ...
    def learn(self, learning_rate: float) -> tuple[NDArray[np.float32], bytes]:
        """Learns what is due with steps of this size; the weights for self-play, and the message with the losses."""
    def take_in(self, messages: Sequence[bytes], lambda_: float, wants_details: bool) -> bytes:
        """Takes in the games of an iteration, the messages in their order, with this λ; the message with what they were
        like."""
    def weights(self) -> NDArray[np.float32]:
        """The weights for self-play."""
    def average(self) -> NDArray[np.float32]:
        """The weights to evaluate and to export."""
    def save(self) -> tuple[_Files, bytes]:
        """The files of a checkpoint but for the counters of the run, and the message with what goes there."""

@final
class RunEvaluator:
    """Evaluates the networks of a run."""

    def __new__(cls, config: str, opponents: dict[str, _PackedAgent], tables: _Files) -> RunEvaluator: ...
    def evaluate(self, weights: NDArray[np.float32]) -> bytes:
        """A short evaluation; the message with what it found."""
    def conclude(self, weights: NDArray[np.float32]) -> bytes:
        """The evaluation at the end; the message with what it found."""

@final
class Arena:
    """An arena: who meets in which game, and the games that others have played."""

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
        """How many blocks there are."""
    def play(self, first: int, end: int, seed: int) -> bytes:
        """Plays the blocks from `first` up to `end`; the lines of their games, as JSON."""
    def add(self, lines: bytes) -> bool:
        """Adds the games of the blocks that follow those before; whether no more are needed. Those after the decision
        of a sequential test do not count."""
    def result(self) -> ArenaResult:
        """What the games say together."""
