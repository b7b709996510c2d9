"""An environment of PettingZoo's kind for several agents, one after the other (AEC)."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from pettingzoo import AECEnv, ParallelEnv

from . import Game, State
from ._game import game_of

__all__ = ["ParallelRaceEnv", "RaceEnv", "env", "parallel_env", "raw_env"]


def env(
    game: str | Game = "ashtapada",
    seats: int | str | None = None,
    render_mode: str | None = None,
    max_turns: int | None = None,
) -> AECEnv:
    """The environment with PettingZoo's usual wrappers, which catch wrong use."""
    from pettingzoo.utils import wrappers

    wrapped = wrappers.TerminateIllegalWrapper(raw_env(game, seats, render_mode, max_turns), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


def raw_env(
    game: str | Game = "ashtapada",
    seats: int | str | None = None,
    render_mode: str | None = None,
    max_turns: int | None = None,
) -> RaceEnv:
    """The environment without wrappers: an illegal action is a `ValueError`."""
    return RaceEnv(game, seats, render_mode, max_turns)


def parallel_env(
    game: str | Game = "ashtapada",
    seats: int | str | None = None,
    max_cycles: int | None = None,
    max_turns: int | None = None,
) -> ParallelRaceEnv:
    """The environment in which everybody submits an action each time, and that of the agent to act counts."""
    return ParallelRaceEnv(game, seats, max_cycles, max_turns)


class RaceEnv(AECEnv):
    """One game; between two decisions the environment throws the dice.

    `game` is a name, with which `seats` and `max_turns` go, or an `ashta.Game`, which has its own: it is also the way to
    games of sheets. Agents are the letters of the seats, `S`, `E`, `N` and `W`. An observation is a dict of `observation`,
    `float32[n]` of zeros and ones as the agent sees the board, and `action_mask`, `int8[actions]`, which `info` has,
    too. Rewards come at the end: what the seat got, from 0 to 1, times two less one. A game that reaches the turn limit
    is truncated and rewards no agent. At the end each agent observes the last position.
    """

    metadata = {"name": "ashta_v0", "is_parallelizable": False, "render_modes": ["ansi", "human"], "render_fps": 1}

    def __init__(
        self,
        game: str | Game = "ashtapada",
        seats: int | str | None = None,
        render_mode: str | None = None,
        max_turns: int | None = None,
    ) -> None:
        super().__init__()
        self.game = game_of(game, seats, max_turns)
        self.render_mode = render_mode
        self.possible_agents = list(self.game.seats)
        self.observation_spaces = {agent: self._observation_space() for agent in self.possible_agents}
        actions = self.game.num_distinct_actions()
        self.action_spaces = {agent: gymnasium.spaces.Discrete(actions) for agent in self.possible_agents}
        self._random = np.random.default_rng()
        self.state_: State | None = None

    def _observation_space(self) -> gymnasium.spaces.Dict:
        shape, actions = (self.game.observation_tensor_size(),), self.game.num_distinct_actions()
        return gymnasium.spaces.Dict(
            {
                "observation": gymnasium.spaces.Box(0.0, 1.0, shape, np.float32),
                "action_mask": gymnasium.spaces.Box(0, 1, (actions,), np.int8),
            }
        )

    def observation_space(self, agent: str) -> gymnasium.spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        if seed is not None:
            self._random = np.random.default_rng(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.turns = 0
        self.state_ = self.game.new_initial_state(int(self._random.integers(len(self.agents))))
        self._go_on()

    def _go_on(self) -> None:
        """Throws the dice up to the next decision or the end, and names the agent to act."""
        state = self.state_
        if state.is_chance_node():
            self.turns += 1
        is_truncated = self.turns > self.game.max_game_length()
        while state.is_chance_node() and not is_truncated:
            outcomes, chances = zip(*state.chance_outcomes())
            state.apply_action(int(self._random.choice(outcomes, p=np.array(chances) / sum(chances))))
        if state.is_terminal():
            self.terminations = dict.fromkeys(self.agents, True)
            self.rewards = {agent: 2 * got - 1 for agent, got in zip(self.possible_agents, state.returns())}
        elif is_truncated:
            self.truncations = dict.fromkeys(self.agents, True)
        player = state.turn_player()
        if player is not None:
            self.agent_selection = self.possible_agents[player]
        self.infos = {agent: {"action_mask": self._mask(agent)} for agent in self.agents}

    def _mask(self, agent: str) -> np.ndarray:
        return self.state_.legal_actions_mask(self.possible_agents.index(agent)).astype(np.int8)

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        observation = self.state_.observation_tensor(self.possible_agents.index(agent))
        return {"observation": observation, "action_mask": self._mask(agent)}

    def step(self, action: int | None) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self.state_.apply_action(int(action))
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._go_on()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        if self.render_mode is None:
            gymnasium.logger.warn("render() without a render_mode")
            return None
        if self.render_mode == "ansi":
            return str(self.state_)
        print(self.state_)
        return None

    def close(self) -> None:
        pass


class ParallelRaceEnv(ParallelEnv):
    """One game in which all agents submit an action at each step.

    That of the agent to act is taken, those of the others are ignored; their masks allow nothing. An action that is
    not legal counts as a legal one drawn at random, since such environments are often given actions that were
    not masked. `max_cycles` truncates a game after so many steps.
    """

    metadata = {"name": "ashta_parallel_v0", "render_modes": []}

    def __init__(
        self,
        game: str | Game = "ashtapada",
        seats: int | str | None = None,
        max_cycles: int | None = None,
        max_turns: int | None = None,
    ) -> None:
        self._env = RaceEnv(game, seats, max_turns=max_turns)
        self.game, self.render_mode, self.max_cycles = self._env.game, None, max_cycles
        self.possible_agents = self._env.possible_agents
        self.observation_spaces, self.action_spaces = self._env.observation_spaces, self._env.action_spaces

    def observation_space(self, agent: str) -> gymnasium.spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict, dict]:
        self._env.reset(seed, options)
        self.agents = self.possible_agents[:]
        self._cycles = 0
        return self._observations(), self._env.infos

    def _observations(self) -> dict[str, dict[str, np.ndarray]]:
        return {agent: self._env.observe(agent) for agent in self.possible_agents}

    def step(self, actions: dict[str, int]) -> tuple[dict, dict, dict, dict, dict]:
        env = self._env
        legal = env.state_.legal_actions()
        action = int(actions[env.agent_selection])
        env.step(action if action in legal else int(env._random.choice(legal)))
        self._cycles += 1
        if self.max_cycles is not None and self._cycles >= self.max_cycles and not any(env.terminations.values()):
            env.truncations = dict.fromkeys(self.possible_agents, True)
        is_over = any(env.terminations.values()) or any(env.truncations.values())
        self.agents = [] if is_over else self.possible_agents[:]
        return self._observations(), dict(env.rewards), dict(env.terminations), dict(env.truncations), dict(env.infos)
