"""Gymnasium environments for one player against an opponent: one game, or many games at the same
time.

Importing this module registers `ashta/Race-v0` for `gymnasium.make` and `gymnasium.make_vec`. The
name `ashta.gymnasium:ashta/Race-v0` imports it automatically.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from os import PathLike
from typing import Any

from ._extras import needs

with needs("gymnasium"):
    import gymnasium
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import Agent, Game, State, States, VectorGame
from ._ashta import seed_of
from ._game import game_of, options_of, position_of

__all__ = ["Opponent", "RaceEnv", "RaceVectorEnv"]

Opponent = str | PathLike[str] | Agent | Callable[..., Any]
"""The opponent, which plays all other seats: any policy that `ashta.Agent.of` accepts.

A function gets the `States` of the `n` games in which the opponent must choose, and returns a legal
action for each. `ashta.Agent.of` makes an opponent of a function of one `State`, or of observations
and action masks.
"""


class _Versus:
    """The common parts of both environments."""

    np_random: Any
    __copy__ = deepcopy

    def _set_up(self, num_games, game, seats, opponent, player, turn_limit):
        """Makes the games; returns the observation space and the action space of one game."""
        self.game = game_of(game, seats, turn_limit)
        self._games = VectorGame(self.game, num_games, opponent, player)
        observation = gymnasium.spaces.Box(
            0.0, 1.0, self.game.observation_tensor_shape(), np.float32
        )
        return observation, gymnasium.spaces.Discrete(self.game.num_distinct_actions())

    def _draw_seed(self) -> int:
        return int(self.np_random.integers(2**63))


class RaceEnv(_Versus, gymnasium.Env):
    """One player of `game` against `opponent`, which plays all other seats.

    `game` is the name of a game, with `seats` and `turn_limit`, or an `ashta.Game`, which has its
    own seats and turn limit. For a game of your own, pass an `ashta.Game`. `opponent` is any policy
    of `ashta.Agent.of`. `player` is the number of the caller's player; with `None`, it is random in
    each game.

    Observations are `float32[n]` of zeros and ones; `info["action_mask"]`, `int8[actions]`, marks
    the legal actions. `info["outcomes"]` lists the outcomes of all throws since the last action, as
    `State.apply_action` takes them. With `illegal="error"`, an illegal action raises `ValueError`;
    with `"random"`, a random legal action replaces it. The reward is between -1 and 1 at the end of
    the game, and 0 before. At the turn limit, the game is truncated. After the step that ends a
    game, the observation shows the last position, as the caller sees it.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(
        self,
        game: str | Game = "ashtapada",
        seats: int | str | None = None,
        opponent: Opponent = "greedy",
        player: int | None = None,
        illegal: str = "error",
        render_mode: str | None = None,
        turn_limit: int | None = None,
    ) -> None:
        if illegal not in ("error", "random"):
            raise ValueError(f'`illegal` is "{illegal}", but must be "error" or "random"')
        self.observation_space, self.action_space = self._set_up(
            1, game, seats, opponent, player, turn_limit
        )
        self.render_mode, self._illegal = render_mode, illegal

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks(), "outcomes": self._games.outcomes[0]}

    def action_masks(self) -> NDArray[np.int8]:
        """The legal actions, `int8[actions]`; sb3-contrib calls this method."""
        return self._games.legal_actions[0].astype(np.int8)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Starts a game; equal seeds and actions give equal games. `info["seed"]` is the seed.

        The game starts at `options["position"]`: a position in the notation, or an `ashta.State`.
        If the opponent ends the game before the caller can choose, no action is legal.
        """
        position = position_of(self.game, options_of(options, "position").get("position"))
        seed = self._draw_seed() if seed is None else seed_of(seed)
        super().reset(seed=seed)
        self._games.reset([seed], positions=[position])
        return self._games.observations[0].copy(), {"seed": seed, **self._info()}

    def step(self, action: int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Applies an action and runs until the caller must choose again."""
        games = self._games
        if games.terminated[0] or games.truncated[0]:
            raise gymnasium.error.ResetNeeded("the game is over: call `reset`")
        legal = games.legal_actions[0]
        if not legal.any():
            raise gymnasium.error.ResetNeeded("the game has not started: call `reset`")
        if self._illegal == "random" and not (0 <= action < len(legal) and legal[int(action)]):
            action = int(self.np_random.choice(np.flatnonzero(legal)))
        games.step(np.atleast_1d(action))
        ends = bool(games.terminated[0]), bool(games.truncated[0])
        return games.observations[0].copy(), float(games.rewards[0]), *ends, self._info()

    def render(self) -> str | None:
        """With `render_mode="ansi"`, returns the position in the notation; otherwise `None`."""
        return str(self._games.states[0]) if self.render_mode == "ansi" else None


class RaceVectorEnv(_Versus, VectorEnv):
    """Many games like the game of `RaceEnv`. All games advance together, without the interpreter
    lock.

    After the step that ends a game, the observation shows the last position of this game. The next
    step ignores the action for this game and starts the game again (`AutoresetMode.NEXT_STEP`, so
    `info` has no `final_obs`). An illegal action raises `ValueError` and changes no game. With
    `copy=False`, `reset` and `step` return the same arrays every time and overwrite them.
    """

    metadata = {"render_modes": ["ansi"], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        num_envs: int,
        game: str | Game = "ashtapada",
        seats: int | str | None = None,
        opponent: Opponent = "greedy",
        player: int | None = None,
        copy: bool = True,
        render_mode: str | None = None,
        turn_limit: int | None = None,
    ) -> None:
        spaces = self._set_up(num_envs, game, seats, opponent, player, turn_limit)
        self.num_envs, self.render_mode, self.copy = num_envs, render_mode, copy
        self.single_observation_space, self.single_action_space = spaces
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def _own(self, array: np.ndarray) -> np.ndarray:
        return array.copy() if self.copy else array

    def _info(self) -> dict[str, Any]:
        mask, has = self._games.legal_actions.astype(np.int8), np.ones(self.num_envs, bool)
        outcomes = np.fromiter(self._games.outcomes, object)
        return {"action_mask": mask, "_action_mask": has, "outcomes": outcomes, "_outcomes": has}

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Starts all games, or only games with `True` in `options["reset_mask"]`, `bool[num_envs]`.

        `seed` is a list with a seed for each game, or one number: game `i` then has the seed
        `seed + i`. Game `i` equals the game of a `RaceEnv` with this seed. With `None`, the seed is
        random. `info["seed"]` has the seeds. `options["position"]` is a position for all games, or
        a list with a position or `None` for each game. The next start of a game does not use this
        position again.
        """
        options = options_of(options, "position", "reset_mask")
        wanted = options.get("position")
        wanted = (
            [wanted] * self.num_envs
            if wanted is None or isinstance(wanted, (str, State))
            else wanted
        )
        positions = [
            position_of(self.game, one, f"position [{row}]") for row, one in enumerate(wanted)
        ]
        numbers: Sequence[int | None]
        if seed is None:
            numbers = [None] * self.num_envs
        elif isinstance(seed, (Sequence, np.ndarray)) and not isinstance(seed, str):
            numbers = seed
            if len(numbers) != self.num_envs:
                raise ValueError(f"`seed` has {len(numbers)} numbers for {self.num_envs} games")
        else:
            first = seed_of(seed)
            super().reset(seed=first)
            numbers = range(first, first + self.num_envs)
        mask = options.get("reset_mask")
        if mask is not None:
            mask = np.asarray(mask)
            if mask.dtype != np.bool_ or mask.shape != (self.num_envs,) or not mask.any():
                found = f"{mask.dtype} with the shape {mask.shape} and {np.count_nonzero(mask)} values that are not 0"
                raise ValueError(
                    f'`options["reset_mask"]` must be bool[{self.num_envs}] with a `True`, not {found}'
                )
        seeds = [self._draw_seed() if number is None else number for number in numbers]
        self._games.reset(seeds, mask, positions)
        has_seed = np.ones(self.num_envs, bool) if mask is None else mask
        info = {"seed": np.array(seeds, np.uint64), "_seed": has_seed, **self._info()}
        return self._own(self._games.observations), info

    def step(
        self, actions: NDArray[np.integer]
    ) -> tuple[
        NDArray[np.float32],
        NDArray[np.float64],
        NDArray[np.bool_],
        NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Applies one action in every game and runs until the caller must choose again."""
        games = self._games
        games.step(actions)
        ends = self._own(games.terminated), self._own(games.truncated)
        return self._own(games.observations), games.rewards.astype(np.float64), *ends, self._info()

    def set_states(
        self, rows: ArrayLike, states: States | Sequence[State]
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Puts games into other positions, as `VectorGame.set_states`; returns the observations and
        `info` of all games."""
        self._games.set_states(rows, states)
        return self._own(self._games.observations), self._info()

    def render(self) -> tuple[str, ...] | None:
        """With `render_mode="ansi"`, returns the positions in the notation; otherwise `None`."""
        return tuple(self._games.states.text()) if self.render_mode == "ansi" else None


gymnasium.register(
    id="ashta/Race-v0",
    entry_point="ashta.gymnasium:RaceEnv",
    vector_entry_point="ashta.gymnasium:RaceVectorEnv",
    # The checker of Gymnasium tries illegal actions, and these environments refuse illegal actions.
    disable_env_checker=True,
)
