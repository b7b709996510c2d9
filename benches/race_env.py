"""Ashte Kashte as a Gymnasium environment for one agent, with opponents and matches against
them."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

from race_rules import ACTIONS, AshteKashte, Position, hunter_choice, random_choice

Opponent = Callable[[AshteKashte, Position, random.Random], int]
Weights = dict[str, np.ndarray]


def random_opponent(game: AshteKashte, position: Position, rng: random.Random) -> int:
    return random_choice(game, position, rng)


def hunter_opponent(game: AshteKashte, position: Position, rng: random.Random) -> int:
    return hunter_choice(game, position)


class Snapshot:
    """A fixed copy of a policy network with one hidden layer; samples actions from its
    probabilities.

    Weights are float32: `hidden` [units, observation_size], `hidden_bias` [units], `action`
    [ACTIONS, units], `action_bias` [ACTIONS]. For single positions, numpy is several times faster
    than torch.
    """

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.columns = np.ascontiguousarray(weights["hidden"].T)

    def __call__(self, game: AshteKashte, position: Position, rng: random.Random) -> int:
        legal = game.legal(position)
        hidden = self.columns[game.active(position)].sum(axis=0) + self.weights["hidden_bias"]
        logits = self.weights["action"] @ np.maximum(hidden, 0.0) + self.weights["action_bias"]
        odds = np.exp(logits[legal] - logits[legal].max())
        return rng.choices(legal, odds.tolist())[0]


BUILT_IN: dict[str, Opponent] = {"random": random_opponent, "hunter": hunter_opponent}


class RaceEnv(gymnasium.Env):
    """One game for the agent that learns; the dice and the opponent are part of the environment.

    An observation is float32 [observation_size] of zeros and ones; there are `ACTIONS` actions with
    a mask. At the end of a game, the reward is 1 for a win and -1 for a loss. The seat of the agent
    and the first player are random. If only one action is legal, the environment plays it itself,
    unless `asks_forced`.
    """

    def __init__(self, pieces: int, opponent: str, asks_forced: bool = False) -> None:
        self.game = AshteKashte(pieces)
        self.observation_space = gymnasium.spaces.Box(
            0.0, 1.0, (self.game.observation_size,), np.float32
        )
        self.action_space = gymnasium.spaces.Discrete(ACTIONS)
        # The opponent `self` is random until it gets its first weights.
        self.opponent = BUILT_IN.get(opponent, random_opponent)
        self.asks_forced = asks_forced
        self.rng = random.Random()
        self.decisions = 0
        """Number of actions of both seats in all games so far, including forced actions."""

    def set_opponent(self, weights: Weights) -> None:
        self.opponent = Snapshot(weights)

    def decisions_played(self) -> int:
        """Returns `decisions`; `env_method` can only call methods."""
        return self.decisions

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        if seed is not None:
            self.rng.seed(seed)
        options = options or {}
        while True:
            self.seat = options.get("seat", self.rng.randrange(2))
            self.position = self.game.start(options.get("first", self.rng.randrange(2)))
            self.turns = 0
            self.advance()
            if not self.is_over():
                return self.game.observe(self.position), {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        self.play(int(action))
        self.advance()
        winner = self.game.winner(self.position)
        if winner is not None or self.is_capped():
            reward = 0.0 if winner is None else 1.0 if winner == self.seat else -1.0
            nothing = np.zeros(self.game.observation_size, dtype=np.float32)
            return nothing, reward, winner is not None, winner is None, {}
        return self.game.observe(self.position), 0.0, False, False, {}

    def action_masks(self) -> np.ndarray:
        mask = np.zeros(ACTIONS, dtype=bool)
        mask[self.legal] = True
        return mask

    def is_capped(self) -> bool:
        return self.turns >= self.game.turn_limit

    def is_over(self) -> bool:
        return self.game.winner(self.position) is not None or self.is_capped()

    def play(self, action: int) -> None:
        self.position = self.game.apply(self.position, action)
        self.decisions += 1

    def advance(self) -> None:
        """Throws the dice and lets the opponent play until the agent must choose or the game is
        over."""
        while not self.is_over():
            if self.position.pending is None:
                self.position = self.game.throw(self.position, self.rng)
                self.turns += 1
                continue
            legal = self.game.legal(self.position)
            is_agent = self.position.mover == self.seat
            if is_agent and (self.asks_forced or len(legal) > 1):
                self.legal = legal
                return
            self.play(
                legal[0] if len(legal) == 1 else self.opponent(self.game, self.position, self.rng)
            )


Policy = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Chooses actions [n] from observations, float32 [n, observation_size], and masks, bool [n,
ACTIONS]."""


def match(policy: Policy, pieces: int, opponent: str, games: int, seed: int) -> int:
    """Plays games of the policy against a built-in opponent; returns the number of wins. Each seat
    and each first player occurs equally often."""
    wins = 0
    envs = [RaceEnv(pieces, opponent) for _ in range(games)]
    options = [{"seat": number % 2, "first": number // 2 % 2} for number in range(games)]
    seen = [env.reset(seed=seed + n, options=options[n])[0] for n, env in enumerate(envs)]
    while envs:
        actions = policy(np.stack(seen), np.stack([env.action_masks() for env in envs]))
        steps = [env.step(action) for env, action in zip(envs, actions, strict=True)]
        wins += sum(reward > 0 for _, reward, *_ in steps)
        going = [
            n
            for n, (_, _, terminated, truncated, _) in enumerate(steps)
            if not (terminated or truncated)
        ]
        envs = [envs[n] for n in going]
        seen = [steps[n][0] for n in going]
    return wins


def random_play(env: RaceEnv, seconds: float) -> tuple[int, float]:
    """Plays at random; returns the number of steps of the agent, and the CPU time in seconds."""
    steps, rng = 0, random.Random(1)
    end, cpu = time.perf_counter() + seconds, time.process_time()
    env.reset(seed=1)
    while time.perf_counter() < end:
        _, _, terminated, truncated, _ = env.step(rng.choice(np.flatnonzero(env.action_masks())))
        steps += 1
        if terminated or truncated:
            env.reset()
    return steps, time.process_time() - cpu


def interval(wins: int, games: int) -> tuple[float, float]:
    """The 95 % interval of a win rate (by Wilson's method)."""
    z = 1.96
    share, spread = wins / games, z * z / games
    middle = (share + spread / 2) / (1 + spread)
    half = z * math.sqrt(share * (1 - share) / games + spread / (4 * games)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)
