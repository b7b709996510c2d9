"""Trains a PyTorch network of your own by TD(λ) on the afterstates of `ashta.States`, and judges it
by perfect play.

Many games play themselves: each seat moves to the afterstate with the highest value by the network,
and the network learns the λ-return of every turn-start state. `python td_lambda.py --minutes 5`
trains for five minutes of CPU time on one core and prints the regret per decision. Needs torch. The
package has a table of perfect play for the default game.
"""

import argparse
import copy
import math
import time

import numpy as np
import torch

import ashta


class Net(torch.nn.Module):
    """The probability that the player who throws next wins."""

    def __init__(self, inputs: int, hidden: int) -> None:
        super().__init__()
        linear, relu = torch.nn.Linear, torch.nn.ReLU
        self.layers = torch.nn.Sequential(
            linear(inputs, hidden), relu(), linear(hidden, hidden), relu(), linear(hidden, 1)
        )

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        return self.layers(observations).squeeze(-1)


class Agent:
    """Plays to the afterstate with the highest value. An instance is a policy: a function of
    `States`."""

    def __init__(self, net: Net) -> None:
        self.net = net

    @torch.no_grad()
    def values(self, states: ashta.States, players: np.ndarray) -> np.ndarray:
        """The value of each state for its player in `players`."""
        own = torch.sigmoid(self.net(torch.from_numpy(states.observations()))).numpy()
        turn = states.turn_players()
        final = states.returns()[np.arange(len(states)), players]
        return np.where(turn == -4, final, np.where(turn == players, own, 1 - own))

    def best(self, states: ashta.States) -> tuple[ashta.States, np.ndarray]:
        """The best afterstate of each decision, and the first action towards it."""
        ends, owners, actions = states.turns()
        values = self.values(ends, states.players()[owners])
        order = np.lexsort((-values, owners))
        best = order[np.searchsorted(owners[order], np.arange(len(states)))]
        return ends[best], actions[best]

    def __call__(self, states: ashta.States) -> np.ndarray:
        return self.best(states)[1]


def turn(agent: Agent, states: ashta.States, rng: np.random.Generator) -> ashta.States:
    """Throws the dice in every state and plays the decisions."""
    thrown = states.throw(seed=int(rng.integers(2**63)))
    decides = thrown.players() >= 0
    if not decides.any():
        return thrown
    ends, _ = agent.best(thrown[decides])
    order = np.argsort(np.concatenate([np.flatnonzero(~decides), np.flatnonzero(decides)]))
    return ashta.States.concatenate([thrown[~decides], ends])[order]


def lambda_returns(
    agent: Agent, path: list[ashta.States], ends: list[ashta.States], decay: float
) -> np.ndarray:
    """The λ-return of every state in `path[:-1]` for the player who throws; `ends[t]` follows
    `path[t]`."""
    returns = agent.values(path[-1], path[-1].turn_players())
    targets = []
    for states, after in zip(reversed(path[:-1]), reversed(ends)):
        players, following = states.turn_players(), after.turn_players()
        # In finished games `returns` belongs to the next game.
        mixed = np.where(following == players, returns, 1 - returns)
        values = agent.values(after, players)
        returns = np.where(following == -4, values, (1 - decay) * values + decay * mixed)
        targets.append(returns)
    return np.concatenate(targets[::-1])


def train(
    game: ashta.Game,
    seed: int,
    minutes: float = math.inf,
    limit: float = math.inf,
    games: int = 512,
    turns: int = 24,
    decay: float = 0.7,
):
    """Trains for some minutes of CPU time or until it has played `limit` turns.

    Yields after each update: the CPU minutes, the number of turns, and an agent with the mean of
    the latest weights.
    """
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    rng = np.random.default_rng(seed)
    net = Net(game.observation_tensor_size(), 128)
    mean, agent = copy.deepcopy(net), Agent(net)
    optimizer = torch.optim.Adam(net.parameters(), 2e-3)
    starts = ashta.States([game.new_initial_state(player) for player in range(2)])
    states = starts[rng.integers(2, size=games)]
    spent, played, updates = 0.0, 0, 0
    while spent < minutes and played < limit:
        begun, path, ends = time.process_time(), [states], []
        for _ in range(turns):
            ends.append(turn(agent, path[-1], rng))
            over = ends[-1].turn_players() == -4
            fresh = starts[rng.integers(2, size=over.sum())]
            order = np.argsort(np.concatenate([np.flatnonzero(~over), np.flatnonzero(over)]))
            path.append(ashta.States.concatenate([ends[-1][~over], fresh])[order])
        targets = torch.from_numpy(lambda_returns(agent, path, ends, decay).astype(np.float32))
        seen = torch.from_numpy(ashta.States.concatenate(path[:-1]).observations())
        for batch in torch.randperm(len(seen)).split(512):
            loss = torch.nn.functional.binary_cross_entropy_with_logits(
                net(seen[batch]), targets[batch]
            )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        states, played, updates = path[-1], played + games * turns, updates + 1
        optimizer.param_groups[0]["lr"] = 2e-3 * max(0.02, 1 - max(spent / minutes, played / limit))
        with torch.no_grad():
            for slow, fast in zip(mean.parameters(), net.parameters()):
                slow.lerp_(fast, max(0.02, 2 / (updates + 1)))
        spent += (time.process_time() - begun) / 60
        yield spent, played, Agent(mean)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--game", default="ashte-kashte?pieces=2", help="a game for two players that has a table"
    )
    parser.add_argument(
        "--minutes", type=float, default=5.0, help="CPU time of the training in minutes"
    )
    parser.add_argument(
        "--pairs", type=int, default=200, help="pairs of games for each measurement of regret"
    )
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    game = ashta.Game(options.game)
    shown = 0.0
    for spent, _, agent in train(game, options.seed, options.minutes):
        if spent - shown < 0.5 and spent < options.minutes:
            continue
        shown = spent
        regret = ashta.regret(agent, game, pairs=options.pairs)["regret"]["regret_per_decision"]
        low, high = regret["interval"]
        print(f"{spent:5.2f} min: regret {regret['mean']:.6f} [{low:.6f}, {high:.6f}]", flush=True)


if __name__ == "__main__":
    main()
