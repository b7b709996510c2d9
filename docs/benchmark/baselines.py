"""Trains and measures the baselines of the benchmark; adds one line for each measurement to a file
of JSON lines.

    pip install ashta[open_spiel] sb3-contrib matplotlib
    python docs/benchmark/baselines.py docs/benchmark/results.jsonl

A second start skips the measurements that the file contains. All learners use one thread. A step is
one action of any player that the environment plays during training. CPU time is the time of the
training without the measurements.
"""

import argparse
import itertools
import json
import sys
import tempfile
import time
from pathlib import Path

import gymnasium
import numpy as np
import pyspiel
import torch
from open_spiel.python.algorithms import mcts
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from stable_baselines3.common.vec_env import VecEnv

import ashta
import ashta.open_spiel  # registers the games

sys.path.append(str(Path(__file__).parents[2] / "bindings/python/examples"))
import td_lambda  # noqa: E402

TASKS = {name: f"{name}?pieces=2" for name in ["ashte-kashte", "ashtapada", "pagade"]}
POINTS = [10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000]


def regret(task, policy, seed, pairs, table):
    """The regret per decision of a policy: a dict with `mean` and `interval`."""
    game = ashta.Game(TASKS[task], 2)
    return ashta.regret(policy, game, pairs=pairs, seed=seed, table=table, threads=1)["regret"][
        "regret_per_decision"
    ]


def look(game, perfect, throws=400, games=256):
    """Plays perfectly; returns the states of some decisions, and the decisions per throw, per turn
    and per game."""
    starts = ashta.States([game.new_initial_state(player) for player in range(2)])[
        np.arange(games) % 2
    ]
    states, seen, counts = starts, [], []
    for seed in range(throws):
        before, states, decisions = states.turn_players(), states.throw(seed=seed), 0
        has_choice = states.players() >= 0
        seen.append(states[has_choice][: games // 64])
        while len(live := np.flatnonzero(states.players() >= 0)):
            actions = np.full(games, -1)
            actions[live] = perfect.act(states[live])
            states, decisions = states.apply(actions), decisions + len(live)
        over = states.players() == -4
        # If nobody decides and the same player throws again, the turn continues.
        ended = has_choice | (states.turn_players() != before)
        counts.append([decisions, games, ended.sum(), over.sum()])
        order = np.argsort(np.concatenate([np.flatnonzero(~over), np.flatnonzero(over)]))
        states = ashta.States.concatenate([states[~over], starts[over]])[order]
    decisions, *others = np.sum(counts[throws // 4 :], axis=0)
    return ashta.States.concatenate(seen), *(decisions / other for other in others)


def decision_seconds(policy, states):
    """The CPU seconds that a policy needs for a decision; it makes up to 256 decisions together."""
    agent, spent = ashta.Agent.of(policy, states.game), 0.0
    for count in [1, 4, 16, 64, 256]:
        if spent < 0.2:
            some, begun = states[:: len(states) // count], time.process_time()
            agent.act(some)
            spent = time.process_time() - begun
    return spent / len(some)


# A learner is a generator: after an update, it yields the number of steps and its policies. The key
# of a policy is a suffix of the name and the track.


def td(game, seed, facts, budget):
    """The example of TD(λ) with a quarter of its games at the same time, so that it makes more
    updates."""
    _, per_throw, *_ = facts
    for _, throws, agent in td_lambda.train(game, seed, limit=budget / per_throw - 3072, games=128):
        yield throws * per_throw, {("", "one-ply"): agent}


def bot(game, seed, facts, budget):
    """`ashta train` with the configuration of the game; it uses each sample three times."""
    *_, per_turn, per_game = facts
    branches = 2  # each turn has at most one side branch, of one turn
    with tempfile.TemporaryDirectory() as folder:
        settings = {
            "run.seed": seed, "run.threads": 1, "run.time_limit_minutes": "none", "run.directory": folder,
            "run.checkpoint_iterations": 1_000_000, "selfplay.games": int(0.95 * budget / per_game / branches),
            "selfplay.games_per_iteration": 16, "selfplay.alternatives": 1, "learning.replays": 3.0,
            "evaluation.every_iterations": 1_000_000, "evaluation.final_pairs": 1, "evaluation.opponents": ["random"],
        }  # fmt: skip
        played, points = [], [point for point in POINTS if point <= budget]

        def is_at_point(metrics):
            played.append(metrics["selfplay/turns_per_game"] * 16 * per_turn * branches)
            return sum(played) + 1.1 * played[-1] > points[0] and points.pop(0)

        run = ashta.train(game.name, settings, callback=is_at_point, progress=False)
        while True:
            path = str(run.bot or ashta.export(run.path, Path(folder) / "now.bot"))
            policies = {("", "one-ply"): path, ("", "policy"): path + "+policy"}
            if is_last := run.bot or not points:
                policies[("+2ply", "search")] = path + "+2ply"
            yield sum(played), policies
            if is_last:
                return
            run = ashta.train(resume=run.path, callback=is_at_point, progress=False)


class Games(VecEnv):
    """A `VectorGame` for stable-baselines; the learner plays both players."""

    def __init__(self, game, count, seed):
        self.games, self.seeds = ashta.VectorGame(game, count), np.random.default_rng(seed)
        box = gymnasium.spaces.Box(0, 1, (game.observation_tensor_size(),))
        super().__init__(count, box, gymnasium.spaces.Discrete(game.num_distinct_actions()))
        self.players = []

    def reset(self, only=None):
        self.games.reset(int(self.seeds.integers(2**63)), only=only)
        return self.games.observations.copy()

    def step_async(self, actions):
        self.players.append(self.games.players.copy())
        self.games.step(actions)

    def step_wait(self):
        over, rewards = self.games.terminated | self.games.truncated, self.games.rewards.copy()
        return self.reset(over), rewards, over, [{} for _ in over]

    def env_method(self, *_):
        return self.games.legal_actions.copy()  # only `action_masks` is called

    def get_attr(self, *_):
        return [None] * self.num_envs

    def close(self, *_):
        pass

    env_is_wrapped, set_attr = get_attr, close


class Rollouts(MaskableRolloutBuffer):
    """Computes advantages from the view of player 0, and turns them to the player of each step."""

    def __init__(self, *args, env, **kwargs):
        super().__init__(*args, **kwargs)
        self.env = env

    def compute_returns_and_advantage(self, last_values, dones):
        views = 1 - 2 * np.array(self.env.players, np.float32)
        self.env.players.clear()
        self.values *= views
        self.rewards *= views
        last = torch.from_numpy(1 - 2 * self.env.games.players.astype(np.float32))
        super().compute_returns_and_advantage(last_values.flatten() * last, dones)
        for array in (self.values, self.rewards, self.advantages, self.returns):
            array *= views


def ppo(game, seed, facts, budget):
    """MaskablePPO in self-play: both players are the current policy and learn."""
    env = Games(game, 128, seed)
    model = MaskablePPO(
        "MlpPolicy", env, n_steps=64, batch_size=512, n_epochs=4, gamma=1.0, gae_lambda=0.95, ent_coef=0.01,
        policy_kwargs={"net_arch": [128], "activation_fn": torch.nn.ReLU}, seed=seed, device="cpu",
        rollout_buffer_class=Rollouts, rollout_buffer_kwargs={"env": env},
    )  # fmt: skip

    model.lr_schedule = lambda _: 1e-3 * max(0.02, 1 - model.num_timesteps / budget)

    def policy(observations, action_masks):
        return model.predict(observations, action_masks=action_masks, deterministic=True)[0]

    while model.num_timesteps + 8192 <= budget:
        model.learn(8192, reset_num_timesteps=False)
        yield (
            model.num_timesteps,
            {("", "policy"): ashta.Agent.of(policy, game, takes="observations")},
        )


def dqn(game, seed, facts, budget, count=128, length=1600, ahead=3, batch=512):
    """Double DQN with masks in self-play: three-step targets, whose signs follow the player, and a
    slow target."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    inputs, actions = game.observation_tensor_size(), game.num_distinct_actions()

    def network():
        return torch.nn.Sequential(
            torch.nn.Linear(inputs, 128), torch.nn.ReLU(), torch.nn.Linear(128, actions)
        )

    online, target = network(), network()
    target.load_state_dict(online.state_dict())
    optimizer = torch.optim.Adam(online.parameters(), 1e-3)
    games = ashta.VectorGame(game, count, dtype="uint8")
    games.reset(int(rng.integers(2**63)))
    memory = {
        "seen": np.zeros((length, count, inputs), np.uint8), "masks": np.zeros((length, count, actions), bool),
        "views": np.zeros((length, count), np.float32), "actions": np.zeros((length, count), np.int64),
        "rewards": np.zeros((length, count), np.float32), "over": np.zeros((length, count), bool),
    }  # fmt: skip

    @torch.no_grad()
    def best(net, observations, action_masks):
        values = net(torch.from_numpy(observations))
        return torch.where(torch.from_numpy(action_masks) != 0, values, -1e9).argmax(1)

    def policy(observations, action_masks):
        return best(target, observations, action_masks).numpy()

    for now in range(budget // count):
        steps, row = now * count, now % length
        share = steps / budget
        masks, explores = games.legal_actions, rng.random(count) < max(0.05, 1 - share / 0.1 * 0.95)
        chosen = best(online, games.observations.astype(np.float32), masks).numpy()
        chosen = np.where(explores, (rng.random(masks.shape) * masks).argmax(1), chosen)
        before = {
            "seen": games.observations,
            "masks": masks,
            "views": 1 - 2 * games.players,
            "actions": chosen,
        }
        for name, values in before.items():
            memory[name][row] = values
        games.step(chosen)
        over = games.terminated | games.truncated
        memory["rewards"][row], memory["over"][row] = games.rewards, over
        games.reset(int(rng.integers(2**63)), only=over)
        filled = min(now + 1, length)
        if filled > 40:
            times = now - ahead - rng.integers(filled - ahead, size=batch)
            picks, wheres = (
                rng.integers(count, size=batch),
                [(times + k) % length for k in range(ahead + 1)],
            )
            views = memory["views"][wheres[0], picks]
            returns, alive = np.zeros(batch, np.float32), np.ones(batch, np.float32)
            for where in wheres[:-1]:
                returns += alive * memory["rewards"][where, picks] * memory["views"][where, picks]
                alive *= ~memory["over"][where, picks]
            last = wheres[-1], picks
            with torch.no_grad():
                after = memory["seen"][last].astype(np.float32)
                follow = best(online, after, memory["masks"][last])
                value = target(torch.from_numpy(after)).gather(1, follow[:, None])[:, 0].numpy()
            goals = torch.from_numpy((returns + alive * value * memory["views"][last]) * views)
            guesses = online(torch.from_numpy(memory["seen"][wheres[0], picks]).float())
            guesses = guesses.gather(
                1, torch.from_numpy(memory["actions"][wheres[0], picks])[:, None]
            )[:, 0]
            loss = torch.nn.functional.smooth_l1_loss(guesses, goals)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            with torch.no_grad():
                for slow, fast in zip(target.parameters(), online.parameters()):
                    slow.lerp_(fast, 0.005)
        optimizer.param_groups[0]["lr"] = 1e-3 * max(0.02, 1 - share)
        yield steps + count, {("", "policy"): ashta.Agent.of(policy, game, takes="observations")}


class Rollout(mcts.RandomRolloutEvaluator):
    """The means of 8 random games, which `ashta.rollout` plays faster than OpenSpiel."""

    def __init__(self, seed):
        self.seeds = np.random.default_rng(seed)

    def evaluate(self, state):
        seed = int(self.seeds.integers(2**63))
        return (
            2 * ashta.rollout([state.state], "random", games=8, seed=seed, threads=1)["mean"][0] - 1
        )


def open_spiel(game, seed, simulations=100):
    """OpenSpiel's MCTS (UCT)."""
    name, _, flags = game.name.replace("-", "_").partition("?")
    spiel = pyspiel.load_game(f"ashta_{name}({flags})")
    search = mcts.MCTSBot(
        spiel, 2.0, simulations, Rollout(seed), False, np.random.RandomState(seed)
    )

    def policy(state):
        if len(actions := state.legal_actions()) == 1:
            return actions[0]
        node = spiel.new_initial_state()
        node.state = state.clone()
        return search.step(node)

    return ashta.Agent.of(policy, game, takes="state")


LEARNERS = {"TD(λ) in PyTorch": td, "ashta": bot, "MaskablePPO": ppo, "DQN": dqn}
# Track, pairs of games, and the policy of a game and a seed.
SEARCHES = {
    "random": ("policy", 200, lambda *_: "random"),
    "greedy": ("one-ply", 200, lambda *_: "greedy"),
    "greedy+2ply": ("search", 200, lambda *_: "greedy+2ply"),
    "OpenSpiel MCTS": ("search", 20, open_spiel),
}


class Results:
    """The file of results."""

    def __init__(self, path):
        self.path = path
        self.lines = (
            [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
        )

    def find(self, **keys):
        return [line for line in self.lines if keys.items() <= line.items()]

    def measure(self, policy, table, states, pairs, cpu_seconds=0.0, **keys):
        """Measures a policy and adds a line, unless there is a line with these `keys`."""
        if self.find(**keys):
            return
        found = regret(keys["task"], policy, keys["seed"], pairs, table)
        per_decision = decision_seconds(policy, states)
        line = {
            **keys,
            "cpu_seconds": round(cpu_seconds, 2),
            "cpu_seconds_per_decision": float(f"{per_decision:.3g}"),
        }
        line |= {"regret": found["mean"], "interval": found["interval"], "pairs": pairs}
        self.lines.append(line)
        with self.path.open("a") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
        print(*line.values(), flush=True)

    def learn(self, name, table, facts, budget, pairs, **keys):
        """Trains a learner and measures it just before each of the `POINTS`, unless this has been
        done."""
        keys |= {"budget": budget}
        if any(line["steps"] > budget / 2 for line in self.find(baseline=name, **keys)):
            return
        states, spent, steps, begun = facts[0], 0.0, 0, time.process_time()
        for now, policies in LEARNERS[name](states.game, keys["seed"], facts, budget):
            spent += time.process_time() - begun
            before, steps = steps, now
            if any(steps <= point < 2 * steps - before and point <= budget for point in POINTS):
                for (suffix, track), policy in policies.items():
                    more = {"baseline": name + suffix, "track": track, "steps": round(steps)}
                    self.measure(policy, table, states, pairs, spent, **keys, **more)
            begun = time.process_time()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", type=Path)
    parser.add_argument(
        "--pagade", required=True, metavar="TABLE", help="the table of `pagade?pieces=2`"
    )
    parser.add_argument(
        "--only", nargs="+", default=[*LEARNERS, *SEARCHES], help="names of baselines"
    )
    parser.add_argument("--steps", type=int, default=1_000_000, help="steps of each training")
    options = parser.parse_args()
    torch.set_num_threads(1)
    results = Results(options.results)
    for seed, task in itertools.product([1, 2, 3], TASKS):
        game = ashta.Game(TASKS[task], 2)
        table = ashta.Table.load(options.pagade if task == "pagade" else game)
        facts = look(game, ashta.Agent(options.pagade if task == "pagade" else "perfect", game))
        for name in options.only:
            if name in LEARNERS:
                results.learn(name, table, facts, options.steps, 200, task=task, seed=seed)
            else:
                track, pairs, policy = SEARCHES[name]
                keys = {
                    "task": task,
                    "seed": seed,
                    "budget": 0,
                    "baseline": name,
                    "track": track,
                    "steps": 0,
                }
                results.measure(policy(game, seed), table, facts[0], pairs, **keys)


if __name__ == "__main__":
    main()
