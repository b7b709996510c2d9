"""The compiled part of the package."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, Literal, TypeAlias, final, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ._results import ArenaResult, TrainedRun, _Description, _Exploitability, _Facts
from ._results import _Metrics, _Regret, _RegretResult, _Rollout

__all__ = [
    "Agent",
    "Bot",
    "Game",
    "Positions",
    "SelfPlay",
    "State",
    "States",
    "Table",
    "VectorGame",
    "__version__",
    "analyze",
    "arena",
    "arena_data",
    "data_folders",
    "exploitability",
    "export",
    "positions",
    "regret",
    "rollout",
    "run_program",
    "seed_of",
    "solve",
    "train",
    "verify_result",
]

__version__: str

_Seed: TypeAlias = int | Sequence[int] | NDArray[np.integer[Any]]
_Policy: TypeAlias = str | PathLike[str] | Agent | Table | Callable[..., Any]

@final
class Game:
    """The rules of one game for a certain set of seats.

    `game` is the name of a game; house rules can follow: `"pagade?teams=true"`. For a game of your
    own, pass `sheet` instead: the rules in TOML, as text or as a path that ends in `.toml`. `flags`
    sets house rules by name: `{"teams": True}`. `seats` is the number of seats or their letters,
    such as `"SEW"`; the default is the first set of seats in the sheet. Players have numbers from
    0, in the order of the seats S, E, N, W. Environments truncate a game after `turn_limit` turns
    (1 or more; the sheet has the default). This limit is not a rule: games with different limits
    are equal and accept each other's states and agents.

    Raises one `ValueError` that lists every problem; for a sheet, with file, line and key.
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
    def describe(self) -> _Description:
        """Describes the game for people, as a dict. docs/json-output.md describes the keys;
        `pieces` and each of `flags` also have the `value` in this game. `understood` lists the
        rules as the program applies them with these house rules."""
    @property
    def seats(self) -> str:
        """The letters of the seats, in the order of the players."""
    @property
    def outlook(self) -> str:
        """The meaning of returns. With `"winner"` and `"teams"`, the winners get 1 and the others
        0. With `"placings"`, returns fall from 1 for the first rank to 0 for the last."""
    @property
    def encoding(self) -> int:
        """The version of the encoding of observations and actions."""
    @property
    def ruleset_hash(self) -> str:
        """The hash of the rules, 16 hexadecimal digits; different rules have different hashes."""
    def get_type(self) -> SimpleNamespace:
        """The type of the game, with the fields of OpenSpiel's `GameType` as texts, such as
        `dynamics`, `chance_mode` and `utility`."""
    def get_parameters(self) -> dict[str, Any]:
        """The number of players as `players`, and the house rules that differ from their defaults,
        as texts."""
    def num_players(self) -> int:
        """The number of players, 2 to 4."""
    def num_distinct_actions(self) -> int:
        """The number of different actions. An action has the same number, from 0, in all states."""
    def max_chance_outcomes(self) -> int:
        """The number of possible outcomes of a throw."""
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
        """The turn limit: environments truncate a game after this number of turns."""
    def new_initial_state(self, first_player: int | None = None, seed: int | None = None) -> State:
        """Returns the position before the first throw. Without `first_player`, `seed` determines
        the first player; without both, the first player is random."""
    def deserialize_state(self, text: str) -> State:
        """Reads a state from the text that `State.serialize` returns: a position in the
        notation."""
    def __copy__(self) -> Game: ...
    def __deepcopy__(self, memo: object) -> Game: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class State:
    """A position of a game, without the moves before it.

    `Game.new_initial_state` and `Game.deserialize_state` create states. A pickled state contains
    the game and the position in the notation.
    """

    def get_game(self) -> Game:
        """The game."""
    def current_player(self) -> int:
        """The player who must choose; -1 at chance nodes, -4 at the end of the game."""
    def turn_player(self) -> int | None:
        """The player whose turn it is, also at chance nodes; `None` at the end of the game."""
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
        """The legal actions in ascending order; at a chance node, the possible outcomes. The list
        is empty if `player` does not act now. Player -1 is chance."""
    def legal_actions_mask(self, player: int | None = None) -> NDArray[np.bool_]:
        """Whether each action is legal, `bool[num_distinct_actions]`; all `False` at a chance node.
        With player -1, the mask shows whether each outcome is possible,
        `bool[max_chance_outcomes]`."""
    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The outcomes of a chance node and their exact probabilities. Raises `ValueError` at other
        nodes."""
    def apply_action(self, action: int) -> None:
        """Applies an action; at a chance node, an outcome. Raises `ValueError` if the action or
        outcome is not legal."""
    def throw(self, bits: int) -> int:
        """Throws the dice at a chance node with 64 random bits, for example
        `state.throw(random.getrandbits(64))`. Returns the outcome."""
    def child(self, action: int) -> State:
        """Returns the state after an action or outcome; this state does not change."""
    def action_to_string(self, player: int | None = None, action: int | None = None) -> str:
        """Describes an action in words. For an outcome, returns the values of the dice. Call
        `action_to_string(action)`, or `action_to_string(player, action)` with the acting player."""
    def turn_to_string(self, actions: Sequence[int]) -> str:
        """Describes the actions of one turn, in their order:
        `"H4 to H7 by 3, captures N on H7, throws again"`."""
    def draw(self) -> str:
        """A drawing of the board in lines of text."""
    def returns(self) -> list[float]:
        """The return of each player, 0 to 1; all 0 before the end of the game."""
    def rewards(self) -> list[float]:
        """The rewards of the last action, as in OpenSpiel: the returns at the end, zeros before."""
    def player_return(self, player: int) -> float:
        """The return of a player, 0 to 1; 0 before the end of the game."""
    def observation_tensor(self, player: int | None = None) -> NDArray[np.float32]:
        """The observation of a player, `float32[observation_tensor_size]` of zeros and ones.

        `player` defaults to the player whose turn it is. At the end of the game, no player has the
        turn: without `player`, the observation contains only zeros; with `player`, it shows the
        pieces of all seats.
        """
    def information_state_tensor(self, player: int | None = None) -> NDArray[np.float32]:
        """The observation of a player: nothing is hidden, so the information state is the
        observation."""
    def turn_results(self, limit: int | None = None) -> list[tuple[State, list[int]]]:
        """Every possible end of the current turn: the state, and the actions that lead to this
        state.

        Raises `ValueError` if the search visits more than `limit` positions. The default is 32768,
        or 4096 with more than 16 throws and more than two pieces; only very long series of throws
        need more.
        """
    def serialize(self) -> str:
        """The position as text in the notation."""
    def clone(self) -> State:
        """Returns an independent copy."""
    def __copy__(self) -> State: ...
    def __deepcopy__(self, memo: object) -> State: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class States:
    """Many positions of one game in one array, like a list of `State`.

    `States(states)` copies a list of `State`; an empty list needs `game`. An index selects one
    `State`; a slice, a list of integers, `int[m]` or `bool[n]` selects `States`. `==` compares all
    positions. States never change: methods return new `States`. A pickle contains the game.

    `array` has one row of bytes for each position; docs/python.md lists the fields of the layout,
    whose version is the first byte of each row."""

    def __new__(cls, states: Sequence[State], game: Game | None = None) -> States: ...
    @staticmethod
    def parse(texts: Sequence[str], game: Game | None = None) -> States:
        """Reads positions in the notation. Without `game`, the first text defines the game, which
        must be built in.

        Raises `ValueError` with the index of the first text that is not a position of the game."""
    @staticmethod
    def from_numpy(array: NDArray[np.uint8], game: Game) -> States:
        """Copies rows with the layout of `array`, `uint8[n, 85]`, and checks every row.

        Raises `ValueError` with the index of the first row that is not a position of `game`."""
    @staticmethod
    def concatenate(parts: Sequence[States]) -> States:
        """Joins `States` of one game; the list must not be empty."""
    @property
    def game(self) -> Game:
        """The game."""
    @property
    def array(self) -> NDArray[np.uint8]:
        """The positions as read-only bytes, `uint8[n, 85]`; not a copy."""
    def observations(
        self, players: ArrayLike | None = None, *, dtype: DTypeLike = "float32"
    ) -> NDArray[Any]:
        """The observation of each state, `dtype[n, observation]` of zeros and ones; `dtype` is
        float32 or uint8.

        `players`, a number or `int[n]`, are the players who observe. By default it is the player
        whose turn it is, and a finished game has zeros."""
    def masks(self) -> NDArray[np.bool_]:
        """Whether each action is legal, `bool[n, actions]`; all `False` where no player chooses."""
    def players(self) -> NDArray[np.int64]:
        """The player who chooses in each state, `int64[n]`; -1 at chance nodes, -4 at the end."""
    def turn_players(self) -> NDArray[np.int64]:
        """The player whose turn it is in each state, `int64[n]`, also at chance nodes; -4 at the
        end."""
    def returns(self) -> NDArray[np.float32]:
        """The return of each player in each state, `float32[n, num_players]`, 0 to 1; zeros before
        the end."""
    def chance_outcomes(self) -> NDArray[np.float64]:
        """The probability of each outcome in each state, `float64[n, max_chance_outcomes]`; zeros
        where no dice are thrown."""
    def text(self) -> list[str]:
        """The positions in the notation."""
    def apply(self, actions: ArrayLike) -> States:
        """Applies one action to each state, `int[n]`; -1 leaves a state unchanged. Raises
        `ValueError` with the first action that is not legal."""
    def draw_outcomes(self, seed: int | None = None) -> NDArray[np.int64]:
        """Draws an outcome for `throw` in each state, `int64[n]`; -1 where no dice are thrown.
        State `i` uses stream `i` of `seed`; without `seed`, the seed is random.

        Raises `ValueError` if no dice are thrown in any state."""
    def throw(self, outcomes: ArrayLike | None = None, *, seed: int | None = None) -> States:
        """Throws the dice once in each state: with chosen `outcomes`, `int[n]`, where -1 leaves a
        state unchanged; or at random, with `draw_outcomes(seed)`.

        Raises `ValueError` with the first outcome that is not possible."""
    def afterstates(self, limit: int | None = None) -> tuple[States, NDArray[np.int64]]:
        """All afterstates of these states: `(afterstates, owner)`. For each afterstate, `owner` has
        the index of its state: `int64[m]`, in ascending order. States where no player chooses have
        no afterstates.

        Raises `ValueError` if a turn passes through more positions than `limit`, as
        `State.turn_results` does."""
    def turns(
        self, limit: int | None = None
    ) -> tuple[States, NDArray[np.int64], NDArray[np.int64]]:
        """Like `afterstates`, with the first action towards each afterstate:
        `(afterstates, owner, actions)`, with `actions` `int64[m]`."""
    @overload
    def __getitem__(self, index: int, /) -> State: ...
    @overload
    def __getitem__(self, index: slice | Sequence[int] | NDArray[Any], /) -> States: ...
    def __iter__(self) -> Iterator[State]: ...
    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __copy__(self) -> States: ...
    def __deepcopy__(self, memo: object) -> States: ...

@final
class VectorGame:
    """Many games that advance together. Each step overwrites the same arrays. After the step that
    ends a game, the observation shows the last position of the game. The next step ignores the
    action for this game and starts the game again.

    Without an `opponent`, the caller chooses for all players. With an `opponent`, the caller plays
    one player and the opponent plays all others; each step runs until the caller must choose again
    or the game ends. `opponent` is any policy that `Agent.of` accepts. `player` is the number of
    the caller's player; with `None`, it is random in each game. `dtype` is the type of the
    observations: float32 or uint8.

    Use the games from one thread at a time. If a step or a reset fails or is interrupted, no game
    has changed.
    """

    def __new__(
        cls,
        game: Game,
        num_games: int,
        opponent: _Policy | None = None,
        player: int | None = None,
        dtype: DTypeLike = "float32",
    ) -> VectorGame: ...
    @property
    def game(self) -> Game:
        """The game."""
    @property
    def num_games(self) -> int:
        """The number of games."""
    def reset(
        self,
        seed: _Seed | None = None,
        only: Sequence[bool] | NDArray[np.bool_] | None = None,
        positions: Sequence[State | None] | None = None,
    ) -> _Seed:
        """Starts all games again, or only the games with `True` in `only`, `bool[num_games]`. Game
        `i` takes its throws from random stream `i` of `seed`. If `seed` is a list, game `i` takes
        stream 0 of seed `i`, like a single game with this seed. Without `seed`, the games have a
        random seed. `positions` lists the first state of each game; `None` means the usual start.
        Returns the seed, which repeats the games."""
    def step(self, actions: ArrayLike) -> None:
        """Applies one action in every game, `int[num_games]`, and runs each game until the caller
        must choose again. If an action is not legal, raises `ValueError` and changes no game."""
    def set_states(self, rows: ArrayLike, states: States | Sequence[State]) -> None:
        """Puts games into other positions: game `rows[i]` into `states[i]`. `rows` are different
        indices, `int[m]`; `states` are `States` or a list of `State`. The games continue with their
        own throws, and count their turns from
        0. Raises `ValueError` if a row or a state does not fit; then no game has changed."""
    @property
    def states(self) -> States:
        """The states of the games, as a copy."""
    @property
    def outcomes(self) -> list[list[int]]:
        """For each game, the outcomes of the throws since its last step, reset or `set_states`, in
        their order. With an opponent, these are the throws of all players."""
    @property
    def observations(self) -> NDArray[Any]:
        """The observation of each game, as the player in `players` sees the game:
        `dtype[num_games, observation]`, always the same array.

        In a finished game, it shows the last position. After a truncation, this is the position
        before the next throw. After an end by the rules, the observation shows the pieces of all
        seats, but no mover, phase or throws.
        """
    @property
    def legal_actions(self) -> NDArray[np.bool_]:
        """Whether each action of the caller is legal, `bool[num_games, actions]`; all `False` in a
        finished game."""
    @property
    def players(self) -> NDArray[np.int64]:
        """The player who chooses in each game, `int64[num_games]`; with an opponent, always the
        caller's player.

        In a finished game without an opponent, this is the player of the last move; after a
        truncation, the player who would throw next.
        """
    @property
    def returns(self) -> NDArray[np.float32]:
        """The return of each player, 0 to 1, in the games that the last step ended; 0 in the other
        games. `float32[num_games, num_players]`."""
    @property
    def rewards(self) -> NDArray[np.float32]:
        """The reward of the player in `players`, -1 to 1, in the games that the last step ended by
        the rules; 0 in the other games. `float32[num_games]`."""
    @property
    def terminated(self) -> NDArray[np.bool_]:
        """Whether the last step ended the game by its rules, `bool[num_games]`."""
    @property
    def truncated(self) -> NDArray[np.bool_]:
        """Whether the last step truncated the game at the turn limit, `bool[num_games]`."""

@final
class Agent:
    """An agent that plays `game`.

    `spec` is `random`, `runner`, `hunter`, `greedy`, `greedy+2ply`, `perfect`, or the name or file
    of a bot. A look-ahead or a level can follow the bot: `ashtapada+2ply`, `ashtapada+policy`,
    `ashtapada+mcts:800`, `ashtapada+novice`. Bots and tables are looked up by name in `folders`, by
    default `ashta.folders()`. Several threads can use one agent at the same time. A pickled agent
    contains its bot file, but only the path of a table.
    """

    def __new__(
        cls, spec: str, game: Game, folders: Sequence[str | PathLike[str]] | None = None
    ) -> Agent: ...
    @staticmethod
    def of(
        policy: _Policy,
        game: Game,
        folders: Sequence[str | PathLike[str]] | None = None,
        takes: Literal["states", "state", "observations"] = "states",
    ) -> Agent:
        """Makes an agent of any policy; it works wherever an agent works. `policy` is one of these:

        * a string for `Agent`, a file, an `Agent`, or a `Table`;
        * a function that returns actions, `int[n]`, or probabilities, `float[n, actions]`; the
          agent draws actions with these probabilities;
        * the path of an ONNX model, which ends in `.onnx`: the legal action with the highest
          probability.

        A function takes `States`. With `takes="state"`, it takes one `State`, and returns one
        action or one row of probabilities. With `takes="observations"`, it takes two arguments:
        `observations`, `float32[n, observation]`, and `action_masks`, `int8[n, actions]`. Functions
        and models have no values.
        """
    @property
    def name(self) -> str:
        """The name, as in `spec`."""
    @overload
    def act(self, states: States, seed: int | None = None) -> NDArray[np.int64]: ...
    @overload
    def act(self, states: Sequence[State], seed: int | None = None) -> list[int]:
        """Chooses a legal action for each state: a list for a list of `State`, `int64[n]` for
        `States`. All states must be decision nodes. Random choices for state `i` use stream `i` of
        `seed`; without `seed`, each call draws a new seed."""
    def step(self, state: State, seed: int | None = None) -> int:
        """Chooses a legal action for one state."""
    def values(self, states: States | Sequence[State]) -> NDArray[np.float32]:
        """The value of each state for each player, `float32[states, num_players]`, 0 to 1."""
    def policy(self, state: State, seed: int | None = None) -> list[tuple[int, float]]:
        """Legal actions and their probabilities. A bot uses its policy network; other agents give
        probability 1 to the action that they choose."""
    def __copy__(self) -> Agent: ...
    def __deepcopy__(self, memo: object) -> Agent: ...

@final
class Bot:
    """A bot file: two networks and a manifest. A pickled bot contains the file."""

    @staticmethod
    def load(bot: str | PathLike[str], folders: Sequence[str | PathLike[str]] | None = None) -> Bot:
        """Reads a bot from a file, or by name from `folders`, by default `ashta.folders()`."""
    @property
    def game(self) -> Game:
        """The game of the bot."""
    @property
    def manifest(self) -> dict[str, Any]:
        """The manifest as a dict: game, training, measured strength, levels of difficulty."""
    @property
    def manifest_json(self) -> str:
        """The manifest as JSON."""
    def agent(self, lookahead: str = "1ply") -> Agent:
        """Makes an agent that uses this look-ahead: `"policy"`, `"1ply"`, `"2ply"`, `"mcts:800"` or
        a level of difficulty.
        """
    def forward(self, observations: NDArray[np.float32]) -> list[NDArray[np.float32]]:
        """Runs both networks on observations, `float32[n, observation]`; returns the values and the
        policy logits.

        Values are `float32[n, values]`; the observing seat, or its team, comes first. Logits are
        `float32[n, actions]`; for an observation at the start of a turn, all logits are 0.
        """
    def __copy__(self) -> Bot: ...
    def __deepcopy__(self, memo: object) -> Bot: ...

@final
class Table:
    """The values of perfect play in all positions of one game. A pickled table does not contain the
    values: unpickling reads the file again."""

    @staticmethod
    def load(
        table: str | PathLike[str] | Game, folders: Sequence[str | PathLike[str]] | None = None
    ) -> Table:
        """Reads a table from a file, or looks it up by name or game in `folders`, by default
        `ashta.folders()`.

        Raises `ValueError` if there is no such table, or if the table is damaged or unfinished.
        """
    @property
    def game(self) -> Game:
        """The solved game."""
    @property
    def bits(self) -> int:
        """The number of bits of a value in the file: 16 or 32."""
    @property
    def facts(self) -> _Facts:
        """Facts from the header of the file: `positions`, `sweeps`, `cut_off`, `residual`, and
        `certificate` (the proven error bounds; `None` without a proof)."""
    @property
    def error(self) -> float | None:
        """The largest possible error of a value: the proven bound plus the rounding to `bits`;
        `None` without a proof."""
    def values(self, states: States | Sequence[State]) -> NDArray[np.float32]:
        """The value of each state for each player, `float32[states, num_players]`, 0 to 1."""
    def __copy__(self) -> Table: ...
    def __deepcopy__(self, memo: object) -> Table: ...

def arena(
    agents: Sequence[str | Agent | Callable[[State], int]]
    | Mapping[str, str | Agent | Callable[[State], int]],
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
    blocks: tuple[int, int] | None = None,
    games: Sequence[Mapping[str, Any]] | None = None,
    keep_games: bool = True,
    folders: Sequence[str | PathLike[str]] | None = None,
) -> ArenaResult:
    """Lets 2 to 256 agents play against each other in games with the same throws, like
    `ashta arena`.

    An agent is any policy that `Agent.of` accepts. `game` defaults to the game of the first
    `Agent`, bot or table. `pairs`, 1 to 10,000,000, is the number of blocks for each lineup. A
    lineup assigns an agent to each seat; in the games of a block, the agents exchange their seats.
    `seed` determines the throws. `threads`, 1 to 256, defaults to the number of processors, or to 1
    if an agent is a function. If no agent is a function, the result does not depend on `threads` or
    on timing. `luck` is the agent whose values measure luck: `"auto"`, `"none"` or an agent.
    `anchor` is the name of the agent with rating 0. `sprt` contains two differences in normalised
    Elo for sequential tests of the first agent against each of the others, with the error
    probabilities `alpha` and `beta`.

    `blocks` is a range `(first, end)` of the blocks, which have numbers from 0: the arena plays
    only these blocks, so several machines can play parts of one arena. `games` are games of earlier
    calls with the same arguments: the arena continues after them. So
    `arena(…, games=[*one.games, *other.games])` has the result of one call that plays all blocks.

    An exception in a function ends the arena and is raised again. An illegal action raises
    `ValueError`, Ctrl-C raises `KeyboardInterrupt`.
    """

def arena_data(
    agents: Sequence[str | Agent] | Mapping[str, str | Agent],
    game: Game | None,
    pairs: int,
    luck: str | Agent | None,
    anchor: str | None,
    sprt: tuple[float, float] | None,
    alpha: float,
    beta: float,
    folders: _Folders,
) -> tuple[list[tuple[str, _Packed]], _Packed | None, dict[str, bytes], Game, int]:
    """An arena as data for other machines. Raises `ValueError` for functions and models."""

@final
class Positions:
    """The states of `ashta.positions`, as a sequence of `State` with the indices of `States`. All
    states together can need gigabytes: use slices or `blocks`.
    """

    @property
    def game(self) -> Game:
        """The game."""
    def blocks(self, size: int = 65536) -> Iterator[States]:
        """Iterates over all states in `States` of `size` states; the last one can be shorter."""
    @overload
    def __getitem__(self, index: int, /) -> State: ...
    @overload
    def __getitem__(self, index: slice | Sequence[int] | NDArray[Any], /) -> States: ...
    def __iter__(self) -> Iterator[State]: ...
    def __len__(self) -> int: ...
    def __copy__(self) -> Positions: ...
    def __deepcopy__(self, memo: object) -> Positions: ...

def positions(game: Game) -> Positions:
    """The turn-start states of a game that can be solved, in the order of its table. In games for
    two and four players, they are only the states in which the first player throws, because the
    other states are their mirror images.

    Raises `ValueError` if the game cannot be solved."""

def regret(
    policy: _Policy,
    game: Game | None = None,
    *,
    pairs: int = 1000,
    seed: int = 7919,
    threads: int | None = None,
    table: Table | None = None,
    folders: Sequence[str | PathLike[str]] | None = None,
) -> _RegretResult:
    """Plays a policy against perfect play in a game of two players and measures its regret: how
    much less each of its decisions is worth than the best one.

    `policy` is anything that `Agent.of` accepts. `table` is a `Table`; by default it is looked up
    in `folders` (by default `ashta.folders()`). `pairs`, 1 to 10,000,000, is the number of pairs of
    games with the same throws; `seed` determines the throws. `threads` defaults to the number of
    processors, or to 1 for functions and models.

    Returns the keys of `ashta eval --json`, with equal figures for equal agents and seeds. If a
    function returns probabilities, regret and optimal choices are exact expectations over them.

    Raises `ValueError` if there is no table of the game, or if it has more than two players."""

def verify_result(
    text: str, table: Table | None = None, folders: Sequence[str | PathLike[str]] | None = None
) -> _Regret:
    """Verifies a result of `ashta.benchmark`, given as JSON, by `table` or by a table in `folders`.
    Returns the regret.

    Raises `ValueError` if the text is not a result, if a game or the stated regret is wrong, or
    without a table.
    """

def rollout(
    states: States | Sequence[State],
    policy: _Policy,
    values: str | PathLike[str] | Agent | Table | Callable[[States], ArrayLike] | None = None,
    *,
    games: int = 1000,
    error: float = 0.0,
    turns: int | None = None,
    seed: int = 7919,
    threads: int | None = None,
    folders: Sequence[str | PathLike[str]] | None = None,
) -> _Rollout:
    """Estimates the values of positions by games that a policy plays from there on all seats. Game
    `i` has the same throws in all positions, so that differences between positions are more precise
    than their values.

    `states` are `States` or a list of `State`; `policy` is anything that `Agent.of` accepts.
    `values` corrects the luck of the throws and can be an agent with values, a `Table`, or a
    function from `States` to `float[n, num_players]`; without `values` there is no correction.
    `games`, 2 or more, is the largest number of games from each position; the games from a position
    stop sooner when its largest standard error is at most `error`. With `turns`, games end after
    this number of turns and have the value of their last position; this needs `values`. `threads`
    defaults to the number of processors, or to 1 for functions and models.

    Returns a dict of arrays: `mean` and `standard_error`, `float64[n, num_players]`, and `games`
    and `truncated`, `int64[n]`. `truncated` counts the games that reached the turn limit. With
    `values`, they have the value of their last position. Without `values`, they are not in `games`
    and `mean`, and without any other game `mean` is NaN. A standard error is at least 0.00001,
    which is about the precision of tables.
    """

def exploitability(
    policy: _Policy,
    game: Game | None = None,
    *,
    threads: int | None = None,
    tolerance: float = 1e-7,
    folders: Sequence[str | PathLike[str]] | None = None,
) -> _Exploitability:
    """Finds the exact best response to a policy in a game that can be solved: how much the best
    opponent wins against it.

    `policy` is anything that `Agent.of` accepts. With three and four players, one player plays the
    best response and the policy plays all others. In games of two players, agents that choose by
    values are evaluated once in each position; all other policies are asked at every decision of
    every turn, with their probabilities. `tolerance` is the largest change of a value in the last
    sweep. Returns the keys of `ashta exploit --json`; `exploitability` is the mean score of the
    best response minus the share of one player, such as 0.5.

    `threads` defaults to the number of processors, or to 1 for functions and models.

    Raises `ValueError` if the game cannot be solved or has too many positions.
    """

def analyze(
    record: str | Mapping[str, Any],
    game: Game | None = None,
    *,
    by: str | Agent = "auto",
    folders: Sequence[str | PathLike[str]] | None = None,
) -> dict[str, Any]:
    """Analyzes a played game, turn by turn, like `ashta analyze --json`.

    `record` is a game of `ArenaResult.games`, or the text of a game that `ashta analyze` can read.
    If the record needs a sheet that it does not contain, pass `game`. The analysis uses the values
    of the agent `by`; `"auto"` is perfect play if there is a table, otherwise the largest bot.
    """

def seed_of(seed: int | None = None) -> int:
    """Checks a seed; draws a seed if it is `None`."""

def data_folders() -> list[Path]:
    """The existing folders in which `ashta` looks up bots and tables by name."""

_Folders = Sequence[str | PathLike[str]] | None
_Packed = tuple[str, str, bytes]
_Actors = Callable[[str], Callable[[NDArray[np.float32], int, int], Sequence[bytes]]]

def export(
    source: str | PathLike[str],
    output: str | PathLike[str] | None = None,
    *,
    card: str | PathLike[str] | None = None,
    format: str = "bot",
    checkpoint: str | int | None = None,
    folders: _Folders = None,
) -> Path:
    """Exports a bot to one file; returns the path of this file. `source` is the folder of a run, or
    the file or name of a bot.

    `format` is `"bot"` or `"onnx"`. For a run, `checkpoint` is `"latest"` (the default), `"best"`
    or the number of an iteration. Without `output`, the file is in the current folder and has the
    name of the bot. `card` is a path for the model card. Raises `ValueError` if there is no such
    run, checkpoint or bot, or if the file cannot be written.
    """

def run_program(
    arguments: Sequence[str], installed: str | PathLike[str], actors: _Actors | None = None
) -> int:
    """Runs the program `ashta` and returns its exit code. The first of the `arguments` is the name
    of the program. The folder `installed` is the last folder in which the program looks for bots
    and tables. `ashta train` plays its games on `actors` (see `train`)."""

def solve(
    game: str | Game,
    output: str | PathLike[str],
    *,
    bits: int = 16,
    threads: int | None = None,
    tolerance: float = 2e-9,
    proof: bool = True,
) -> Table:
    """Solves a small game, writes the values of perfect play to the table `output`, and returns
    this table.

    `game` is a name or a `Game`. `bits`, 16 or 32, is the number of bits of each value in the file.
    Solving stops when a sweep over all positions changes no value by more than `tolerance`. `proof`
    also computes a bound for the errors of the values, which doubles the memory use. `threads`
    defaults to the number of processors and does not change the table. Ctrl-C stops solving after
    the current sweep. Raises `ValueError` if the game is too large or the table cannot be written.
    """

def train(
    config: str | PathLike[str] | None = None,
    settings: Mapping[str, Any] | Sequence[str] | None = None,
    *,
    resume: str | PathLike[str] | None = None,
    fallback: bool = False,
    callback: Callable[[_Metrics], bool | None]
    | Callable[[dict[str, Any]], bool | None]
    | None = None,
    progress: bool = True,
    folders: _Folders = None,
    actors: _Actors | None = None,
) -> TrainedRun:
    """Trains, evaluates and exports a bot, like `ashta train`.

    `config` is the name of a built-in configuration (`"pagade"`, `"ashte-kashte?pieces=2"`), a file
    with settings, or a sheet; without `config`, all settings have their defaults. `settings`
    changes single keys: a dict such as `{"selfplay.games": 20_000}`, or a list of texts such as
    `"selfplay.games=20000"`. `resume` is the folder of an interrupted run to resume. With
    `fallback`, damaged checkpoints are renamed, and the run resumes from the newest undamaged
    checkpoint.

    After each iteration, the run calls `callback` with a dict of the metrics (see docs/metrics.md)
    and `run`, the folder of the run as a `Path`. If `callback` returns a true value, the run stops;
    you can resume it. Ctrl-C also stops the run: `KeyboardInterrupt` is raised after the progress
    is saved. With `progress`, standard error shows the progress. `folders` are the folders of bots
    and tables, by default `ashta.folders()`.

    If other processes play the games, `actors` starts them (`ashta.ray` does this for Ray). The run
    calls `actors` with its settings as TOML, and then the returned function in each iteration, with
    the weights, the first game and the last game plus one. This function returns a list with the
    results of `ashta._ashta.SelfPlay.play`, in the order of the games.

    If settings are wrong, raises one `ValueError` that lists every problem. Also raises
    `ValueError` if the run cannot be read or written.
    """

@final
class SelfPlay:
    """Plays games of a run with these settings, given as TOML."""

    def __new__(cls, config: str) -> SelfPlay: ...
    def play(self, weights: NDArray[np.float32], first: int, end: int) -> bytes:
        """Plays the games `first` to `end - 1` with these weights; returns the games as bytes."""
