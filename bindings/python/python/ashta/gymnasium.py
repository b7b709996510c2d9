"""Environments of Gymnasium's kind: one player against an agent, one game or many at once.

Importing this registers `ashta/Race-v0`, so that `gymnasium.make` and `gymnasium.make_vec` know it.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from . import Agent, Game
from ._ashta import VersusGame
from ._game import game_of

__all__ = ["RaceEnv", "RaceVectorEnv"]


def _spaces(game: Game) -> tuple[gymnasium.spaces.Box, gymnasium.spaces.Discrete]:
    observation = gymnasium.spaces.Box(0.0, 1.0, (game.observation_tensor_size(),), np.float32)
    return observation, gymnasium.spaces.Discrete(game.num_distinct_actions())


def _seed(generator: np.random.Generator) -> int:
    return int(generator.integers(2**63))


class RaceEnv(gymnasium.Env):
    """One player of `game`, a name or an `ashta.Game`, against `opponent`, who plays all other seats.

    With a name go `seats` and `max_turns`, which an `ashta.Game` has already: it is also the way to games of sheets.
    `opponent` is an agent as `ashta.Agent` takes it; `player` is who the caller is, by number, or `None`: drawn anew for
    each game. Observations are `float32[n]` of zeros and ones; `info["action_mask"]`, `int8[actions]`, says what is
    legal. With `illegal="error"` an illegal action is a `ValueError`, with `"random"` a legal one drawn in its place. The
    reward is what the player got at the end, from -1 to 1; a game that reaches the turn limit is truncated. The
    observation of the step that ends a game is its last position, as the caller sees it.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(
        self,
        game: str | Game = "ashtapada",
        seats: int | str | None = None,
        opponent: str = "greedy",
        player: int | None = None,
        illegal: str = "error",
        render_mode: str | None = None,
        max_turns: int | None = None,
    ) -> None:
        if illegal not in ("error", "random"):
            raise ValueError(f'`illegal` is "{illegal}", but must be "error" or "random"')
        self.game = game_of(game, seats, max_turns)
        self.observation_space, self.action_space = _spaces(self.game)
        self.render_mode = render_mode
        self._illegal = illegal
        self._games = VersusGame(self.game, 1, Agent(opponent, self.game), player)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self._games.legal_actions[0].astype(np.int8)}

    def action_masks(self) -> np.ndarray:
        """What is legal, `bool[actions]`: as sb3-contrib asks for it."""
        return self._games.legal_actions[0].copy()

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        self._games.reset(_seed(self.np_random))
        return self._games.observations[0].copy(), self._info()

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        games, action = self._games, int(action)
        if games.terminated[0] or games.truncated[0]:
            raise gymnasium.error.ResetNeeded("the game is over: call `reset`")
        legal = games.legal_actions[0]
        if self._illegal == "random" and not (0 <= action < len(legal) and legal[action]):
            action = int(self.np_random.choice(np.flatnonzero(legal)))
        games.step(np.array([action]))
        return (
            games.observations[0].copy(),
            float(games.rewards[0]),
            bool(games.terminated[0]),
            bool(games.truncated[0]),
            self._info(),
        )

    def render(self) -> str | None:
        return str(self._games.states()[0]) if self.render_mode == "ansi" else None


class RaceVectorEnv(VectorEnv):
    """Many games as `RaceEnv` has one, stepped together without the interpreter lock.

    A game that is over begins anew with the next step, whose action for it does not count (`AutoresetMode.NEXT_STEP`).
    So the observation of the step that ends a game is its last one, and `info` needs no `final_obs`, which belongs to
    `AutoresetMode.SAME_STEP`.
    With `copy=False` the arrays that `reset` and `step` return are the same all the time, and written anew.
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        num_envs: int,
        game: str | Game = "ashtapada",
        seats: int | str | None = None,
        opponent: str = "greedy",
        player: int | None = None,
        copy: bool = True,
        render_mode: str | None = None,
        max_turns: int | None = None,
    ) -> None:
        self.game = game_of(game, seats, max_turns)
        self.num_envs, self.render_mode, self.copy = num_envs, render_mode, copy
        self.single_observation_space, self.single_action_space = _spaces(self.game)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._games = VersusGame(self.game, num_envs, Agent(opponent, self.game), player)

    def _own(self, array: np.ndarray) -> np.ndarray:
        return array.copy() if self.copy else array

    def _info(self) -> dict[str, Any]:
        mask = self._own(self._games.legal_actions)
        return {"action_mask": mask, "_action_mask": np.ones(self.num_envs, bool)}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        self._games.reset(_seed(self.np_random))
        return self._own(self._games.observations), self._info()

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict]:
        games = self._games
        games.step(np.ascontiguousarray(actions, np.int64))
        arrays = [games.observations, games.rewards.astype(np.float64), games.terminated, games.truncated]
        return *map(self._own, arrays), self._info()


gymnasium.register(
    id="ashta/Race-v0",
    entry_point="ashta.gymnasium:RaceEnv",
    vector_entry_point="ashta.gymnasium:RaceVectorEnv",
    # Stepping over illegal actions is for the caller to allow.
    disable_env_checker=True,
)
