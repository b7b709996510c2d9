"""PettingZoo environments, in which the agents act one after the other (AEC)."""

from __future__ import annotations

import random
from copy import deepcopy
from typing import Any

from ._extras import needs

with needs("pettingzoo"):
    import gymnasium
    from gymnasium.spaces import Box, Dict, Discrete
    from pettingzoo import AECEnv  # type: ignore[import-untyped]

import numpy as np
from numpy.typing import NDArray

from . import Game
from ._ashta import seed_of
from ._game import game_of, options_of, position_of

__all__ = ["RaceEnv", "env", "raw_env"]


class RaceEnv(AECEnv):
    """One game; the environment throws the dice between decisions.

    `game` is the name of a game, with `seats` and `turn_limit`, or an `ashta.Game`, which has its
    own seats and turn limit. For a game of your own, pass an `ashta.Game`. The agents `player_0`,
    `player_1` and so on are the players of the game in their order: `player_1` has the seat
    `game.seats[1]`. An observation is a dict. It contains `observation`, `float32[n]` of zeros and
    ones as the agent sees the board, and `action_mask`, `int8[actions]`; `info` contains the mask,
    too, and `outcomes`, the outcomes of all throws since the last action. At the end of a game, the
    reward of an agent is twice its return minus one, from -1 to 1; before, it is 0. At the turn
    limit, the game is truncated and no agent gets a reward. At the end, each agent observes the
    last position. With `illegal="error"`, an illegal action raises `ValueError`. With `"lose"`, an
    illegal action ends the game: the agent that chose it gets -1, the others 0.
    """

    metadata = {
        "name": "ashta_v0",
        "is_parallelizable": False,
        "render_modes": ["ansi", "human"],
        "render_fps": 1,
    }
    __copy__ = deepcopy

    def __init__(
        self,
        game: str | Game = "ashtapada",
        seats: int | str | None = None,
        render_mode: str | None = None,
        turn_limit: int | None = None,
        illegal: str = "error",
    ) -> None:
        super().__init__()
        if illegal not in ("error", "lose"):
            raise ValueError(f'`illegal` is "{illegal}", but must be "error" or "lose"')
        self.game = game_of(game, seats, turn_limit)
        self.render_mode = render_mode
        self._illegal, self._most_turns = illegal, self.game.max_game_length()
        self.possible_agents = [f"player_{player}" for player in range(self.game.num_players())]
        self._players = {agent: player for player, agent in enumerate(self.possible_agents)}
        shape, actions = self.game.observation_tensor_shape(), self.game.num_distinct_actions()
        self.observation_spaces = {
            agent: Dict(
                {
                    "observation": Box(0.0, 1.0, shape, np.float32),
                    "action_mask": Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: Discrete(actions) for agent in self.possible_agents}
        self._random = random.Random()
        self.state_ = self.game.new_initial_state(0)

    def observation_space(self, agent: str) -> Dict:
        """Returns the same object each time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        """Returns the same object each time."""
        return self.action_spaces[agent]

    def __getattr__(self, name: str) -> Any:
        """Called for missing attributes, such as those that exist only after `reset`."""
        if name in ("agents", "agent_selection", "rewards", "terminations", "truncations", "infos"):
            raise AttributeError(
                f"the environment has no `{name}` before the first game: call `reset`"
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a game; equal seeds and actions give equal games. Each `info` has the `seed`.

        The game starts at `options["position"]`: a position in the notation, or an `ashta.State`.
        """
        # The tests of PettingZoo pass an option with the name `options`; it has no meaning.
        position = position_of(
            self.game, options_of(options, "position", "options").get("position")
        )
        seed = seed_of(self._random.getrandbits(53) if seed is None else seed)
        self._random = random.Random(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        first = self._random.randrange(len(self.agents))
        self.state_ = position or self.game.new_initial_state(first)
        self.turns = int(self.state_.is_player_node())
        self.agent_selection = self.possible_agents[self.state_.turn_player() or 0]
        self._throw_dice()
        for info in self.infos.values():
            info["seed"] = seed

    def _empty_mask(self) -> NDArray[np.int8]:
        return np.zeros(self.game.num_distinct_actions(), np.int8)

    def _throw_dice(self) -> None:
        """Throws the dice until the next decision or the end, and selects the agent that acts."""
        state, outcomes = self.state_, list[int]()
        # Only the acting agent can choose.
        self.infos: dict[str, dict[str, Any]] = {
            agent: {"action_mask": self._empty_mask()} for agent in self.agents
        }
        if state.is_chance_node():
            self.turns += 1
            if self.turns > self._most_turns:
                self.truncations = dict.fromkeys(self.agents, True)
            else:
                while state.is_chance_node():
                    outcomes.append(state.throw(self._random.getrandbits(64)))
        for info in self.infos.values():
            info["outcomes"] = outcomes.copy()
        player = state.turn_player()
        if player is None:
            self.terminations = dict.fromkeys(self.agents, True)
            self.rewards = {
                agent: 2 * got - 1 for agent, got in zip(self.possible_agents, state.returns())
            }
        else:
            self.agent_selection = agent = self.possible_agents[player]
            self.infos[agent]["action_mask"] = state.legal_actions_mask().view(np.int8)

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """Returns the observation and the action mask of an agent."""
        info = self.infos.get(agent)
        observation = self.state_.observation_tensor(self._players[agent])
        return {
            "observation": observation,
            "action_mask": info["action_mask"] if info else self._empty_mask(),
        }

    def step(self, action: int | None) -> None:
        """Applies the action of the acting agent; after the end of the game the action is
        `None`."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError(f"{agent} has to act: `None` is only for agents whose game is over")
        if self._illegal == "lose" and action not in self.state_.legal_actions():
            self.terminations = dict.fromkeys(self.agents, True)
            self.rewards = {**dict.fromkeys(self.agents, 0.0), agent: -1.0}
        else:
            self.state_.apply_action(action)
            self._throw_dice()
        # Before the end all rewards are 0, so there is nothing to clear.
        if self.terminations[agent]:
            self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """With `render_mode="ansi"`, returns the position in the notation; with `"human"`, prints
        it."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() without a render_mode")
        elif self.render_mode == "human":
            print(self.state_)
        return str(self.state_) if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Does nothing. PettingZoo requires this method if there is `render`."""


def env(
    game: str | Game = "ashtapada",
    seats: int | str | None = None,
    render_mode: str | None = None,
    turn_limit: int | None = None,
) -> RaceEnv:
    """Makes an environment with `illegal="lose"`: an illegal action ends the game."""
    return RaceEnv(game, seats, render_mode, turn_limit, illegal="lose")


# With `illegal="error"`, an illegal action raises `ValueError`.
raw_env = RaceEnv
