"""The compiled part of the package."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

class Game:
    """The rules of one game for certain seats.

    `game` is a name, which may have house rules as in the notation: `"pagade?teams=true"`. `sheet` is a game of your own
    instead: the text of a sheet (TOML), or the path of one, which ends in `.toml`. `flags` are house rules by name with
    their values: `{"teams": True}`. `seats` is the number of seats, or their letters: `"SEW"`; by default the first that
    the game names. Players are the seats that take part by number, in the order S, E, N, W. `max_turns`, 1 or more, is
    the number of turns after which environments truncate a game, by default that of the sheet; it is no part of the rules:
    games that differ in nothing else are equal, and share states and agents.

    What is wrong is a `ValueError` that names every problem, of a sheet with file, line and key.
    """

    def __new__(
        cls,
        game: str | None = None,
        seats: int | str | None = None,
        sheet: str | PathLike[str] | None = None,
        flags: Mapping[str, str | int | bool] | None = None,
        max_turns: int | None = None,
    ) -> Game: ...
    @staticmethod
    def names() -> list[str]:
        """The names of the games that come with the package."""
    @property
    def name(self) -> str:
        """The game with its house rules."""
    def describe(self) -> dict[str, Any]:
        """What the game is, for people.

        Texts: `name`, `title`, `summary`, `rules` in prose, a list of `sources`. `seats` are the sets of seats that can
        play, `pieces` their number (`count`, which are `allowed`, the `value` here), `throws` and `words` are tables of
        the sheet. `flags` are the house rules, each a dict of its `name`, what it is `about`, its `values` (a list of
        dicts of `name` and `about`), its `default` and the `value` that it has here.
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
    def num_players(self) -> int: ...
    def num_distinct_actions(self) -> int: ...
    def max_chance_outcomes(self) -> int: ...
    def observation_tensor_size(self) -> int: ...
    def observation_tensor_shape(self) -> list[int]: ...
    def min_utility(self) -> float: ...
    def max_utility(self) -> float: ...
    def utility_sum(self) -> float:
        """What the returns of all players sum to."""
    def max_game_length(self) -> int:
        """Turns after which environments truncate a game: `max_turns`, or those of the sheet."""
    def new_initial_state(self, first_player: int | None = None, seed: int = 0) -> State:
        """The position before the first throw; the first player is drawn from `seed` if none is named."""
    def deserialize_state(self, text: str) -> State:
        """The state of a position in the notation."""

class State:
    """A position. It remembers nothing of how it came about."""

    def get_game(self) -> Game: ...
    def current_player(self) -> int:
        """The player to choose; -1 where the dice are thrown, -4 at the end."""
    def turn_player(self) -> int | None:
        """The player whose turn it is, also where the dice are thrown; `None` at the end."""
    def is_chance_node(self) -> bool: ...
    def is_terminal(self) -> bool: ...
    def legal_actions(self, player: int | None = None) -> list[int]:
        """The legal actions in ascending order, at a chance node the outcomes; none of who is not to choose."""
    def legal_actions_mask(self, player: int | None = None) -> NDArray[np.bool_]:
        """Whether each action is legal, `bool[num_distinct_actions]`; all `False` at a chance node."""
    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The outcomes of a chance node with their exact probabilities."""
    def apply_action(self, action: int) -> None:
        """Takes an action, or an outcome at a chance node; `ValueError` when it is not legal."""
    def child(self, action: int) -> State:
        """A new state after an action or outcome."""
    def action_to_string(self, action: int) -> str: ...
    def turn_to_string(self, actions: Sequence[int]) -> str:
        """What actions of one turn, taken one after the other, do: `"H4 to H7 by 3, captures N on H7, throws again"`."""
    def draw(self) -> str:
        """The board as a drawing of several lines."""
    def returns(self) -> list[float]:
        """What each player gets, 0 to 1; zeros before the end."""
    def player_return(self, player: int) -> float: ...
    def observation_tensor(self, player: int | None = None) -> NDArray[np.float32]:
        """What a player sees, `float32[observation_tensor_size]` of zeros and ones.

        By default it is the player whose turn it is; at the end there is none, and the answer zeros. A player that is
        named sees the pieces of all seats at the end, too.
        """
    def turn_results(self, limit: int | None = None) -> list[tuple[State, list[int]]]:
        """Every state in which the turn under way can end, with the actions that lead there.

        `ValueError` when the turn leads through more than `limit` positions: by default 32768, after more than 16 throws
        with more than two pieces 4096. Only the longest series of throws do.
        """
    def serialize(self) -> str:
        """The position in the notation."""
    def clone(self) -> State: ...
    def __copy__(self) -> State: ...
    def __deepcopy__(self, memo: object) -> State: ...

class VectorGame:
    """Many games that are stepped together, in arrays that stay where they are.

    A game that ends begins anew at once: `observations` are already those of the next game. Its last position is in
    `final_observations`, as Gymnasium's `final_obs`.
    """

    def __new__(cls, game: Game, num_games: int) -> VectorGame: ...
    @property
    def game(self) -> Game: ...
    @property
    def num_games(self) -> int: ...
    def reset(self, seed: int = 0) -> None:
        """Begins all games; game `i` throws by stream `i` of `seed`."""
    def step(self, actions: NDArray[np.int64]) -> None:
        """Takes one action in every game. When one is not legal, it is a `ValueError` and no game has moved."""
    @property
    def observations(self) -> NDArray[np.float32]:
        """What the players to act see, `float32[num_games, observation]`."""
    @property
    def legal_actions(self) -> NDArray[np.bool_]:
        """What they may do, `bool[num_games, actions]`."""
    @property
    def players(self) -> NDArray[np.int64]:
        """Who they are, `int64[num_games]`."""
    @property
    def returns(self) -> NDArray[np.float32]:
        """What each player got from a game that the last step ended, else zeros, `float32[num_games, num_players]`."""
    @property
    def terminated(self) -> NDArray[np.bool_]:
        """Whether the last step ended the game by its rules, `bool[num_games]`."""
    @property
    def truncated(self) -> NDArray[np.bool_]:
        """Whether the last step truncated the game at the turn limit, `bool[num_games]`."""
    @property
    def final_observations(self) -> NDArray[np.float32]:
        """The last position of a game that the last step ended, as its player of `final_players` sees it, else zeros.

        `float32[num_games, observation]`. Of a truncated game it is the position before the next throw; at the end by
        the rules it shows the pieces of all seats, but no mover, phase or throws.
        """
    @property
    def final_players(self) -> NDArray[np.int64]:
        """Who sees the final observation, `int64[num_games]`; -1 where the last step did not end the game.

        Where it truncated the game, the player to throw next; where the game is over, the player of the last move.
        """

class VersusGame:
    """Many games of one player against an agent, who plays all other seats, stepped together.

    `player` is who the caller is, by number; `None`: drawn anew for each game. Every step ends where the caller has to
    choose, or where the game is over; a game that is over begins anew with the next step, whatever its action. So the
    observation of the step that ends a game is its last position.
    """

    def __new__(cls, game: Game, num_games: int, opponent: Agent, player: int | None = None) -> VersusGame: ...
    @property
    def game(self) -> Game: ...
    @property
    def num_games(self) -> int: ...
    def reset(self, seed: int = 0) -> None:
        """Begins all games; game `i` throws by stream `i` of `seed`."""
    def step(self, actions: NDArray[np.int64]) -> None:
        """Takes one action in every game. When one is not legal, it is a `ValueError` and no game has moved."""
    def states(self) -> list[State]: ...
    @property
    def players(self) -> NDArray[np.int64]:
        """Who the caller is, `int64[num_games]`; a new array."""
    @property
    def observations(self) -> NDArray[np.float32]:
        """What the caller sees, `float32[num_games, observation]`; where the game is over, its last position."""
    @property
    def legal_actions(self) -> NDArray[np.bool_]:
        """What the caller may do, `bool[num_games, actions]`; nothing where the game is over."""
    @property
    def rewards(self) -> NDArray[np.float32]:
        """At the end of a game what the caller got, -1 to 1, else 0, `float32[num_games]`."""
    @property
    def terminated(self) -> NDArray[np.bool_]:
        """Whether the last step ended the game by its rules, `bool[num_games]`."""
    @property
    def truncated(self) -> NDArray[np.bool_]:
        """Whether the last step truncated the game at the turn limit, `bool[num_games]`."""

class Agent:
    """An agent that plays `game`.

    `random`, `runner`, `hunter`, `greedy`, `greedy+2ply`, `perfect`, or a bot by name or file, with how far it looks
    ahead: `ashtapada+2ply`, `ashtapada+policy`, `ashtapada+mcts:800`, `ashtapada+novice`. Names are looked for in
    `folders`, by default `ashta.folders()`.
    """

    def __new__(cls, spec: str, game: Game, folders: Sequence[str | PathLike[str]] | None = None) -> Agent: ...
    @property
    def name(self) -> str: ...
    def act(self, states: Sequence[State], seed: int = 0) -> list[int]:
        """A legal action for each state; who draws draws for state `i` by stream `i` of `seed`."""
    def step(self, state: State, seed: int = 0) -> int:
        """A legal action for one state."""
    def values(self, states: Sequence[State]) -> NDArray[np.float32]:
        """Values of the states for each player, `float32[states, num_players]`, 0 to 1."""
    def policy(self, state: State, seed: int = 0) -> list[tuple[int, float]]:
        """Actions and probabilities: of a bot those of its policy network, of others 1 for what they choose."""

class Bot:
    """A bot file: networks, and everything that is known of them."""

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

class Table:
    """The values of perfect play of one game, position by position."""

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

class ArenaResult:
    """What an arena found."""

    @property
    def report(self) -> dict[str, Any]:
        """What `ashta arena --json` prints, with the same keys; bounds that are not known are `None`."""
    @property
    def games(self) -> list[dict[str, Any]]:
        """The games, each as a line of a file of games has it; none with `keep_games=False`. Made anew each time."""

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
