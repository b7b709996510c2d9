"""Draws the frozen decisions of a task of the benchmark, and computes the regret of every action.

    python docs/benchmark/freeze.py ashtapada ashtapada.table checkpoints/benchmark-ashtapada.npz

The decisions are from games in which agents of different strength play themselves. Each decision
has at least two legal actions and occurs once. Prints the number of decisions and the SHA-256
checksum of the file.
"""

import hashlib
import sys

import ashta
import numpy as np
from ashta import benchmark

COUNT, GAMES, SEED = 10_000, 256, 20261127
AGENTS = ["random", "hunter", "greedy", "perfect"]


def drawn(game: ashta.Game, table: ashta.Table) -> ashta.States:
    """Different decisions of `game`, in random order."""
    agents = [ashta.Agent.of(table if name == "perfect" else name, game) for name in AGENTS]
    games = ashta.VectorGame(game, GAMES)
    games.reset(SEED)
    found = {}
    for step in range(100 * COUNT // GAMES):
        states, actions = games.states, np.zeros(GAMES, np.int64)
        for number, agent in enumerate(agents):
            # Finished games begin again at the next step.
            rows = np.flatnonzero(
                (np.arange(GAMES) % len(agents) == number) & (states.players() >= 0)
            )
            actions[rows] = agent.act(states[rows], seed=step)
        # Neighbors in a game are similar, so only one position in ten is kept.
        for row in np.flatnonzero(
            (states.masks().sum(axis=1) > 1) & (np.arange(GAMES) % 10 == step % 10)
        ):
            found[states.array[row].tobytes()] = states.array[row].copy()
        games.step(actions)
        if len(found) >= 2 * COUNT:
            break
    rows = np.array(list(found.values()))
    return ashta.States.from_numpy(
        rows[np.random.default_rng(SEED).permutation(len(rows))[:COUNT]], game
    )


def regrets(states: ashta.States, table: ashta.Table) -> np.ndarray:
    """The regret of every action, `float32[n, actions]`; illegal actions are NaN."""
    owners, actions = np.nonzero(states.masks())
    values = np.full(states.masks().shape, np.nan, np.float32)
    after = table.values(states[owners].apply(actions))
    values[owners, actions] = after[np.arange(len(owners)), states.players()[owners]]
    return np.nanmax(values, axis=1, keepdims=True) - values


def main() -> None:
    task, table, output = sys.argv[1:]
    table = ashta.Table.load(table)
    states = drawn(benchmark.game(task), table)
    np.savez_compressed(output, states=states.array, regret=regrets(states, table))
    with open(output, "rb") as file:
        print(len(states), hashlib.sha256(file.read()).hexdigest())


if __name__ == "__main__":
    main()
