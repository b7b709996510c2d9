"""Measures the speed of a run on a cluster with many actors, on a machine with few cores.

The driver and the learner are real. The actors are stand-ins: each waits for the time that its
games would take on its own core, plus the delay of a network, and then answers with games that were
played before. Many stand-ins share one core, so the measurement shows how many actors the driver
and the learner can serve.
"""

import argparse
import json
import tempfile
import time
import tomllib
from pathlib import Path

import ray

from ashta._ashta import SelfPlay, Trainer, TrainingRun, numerics
from ashta.ray.training import Driver


@ray.remote(num_cpus=0)
class StandIn:
    """Waits, then answers with a message from `stock`, which has a message for each number of
    games."""

    def __init__(self, stock, seconds_per_game, latency):
        self.stock, self.seconds_per_game, self.latency = stock, seconds_per_game, latency

    def ready(self):
        return numerics()

    def ask(self, method, weights, first, end):
        del method, weights
        seconds = (end - first) * self.seconds_per_game + self.latency
        time.sleep(seconds)
        return self.stock[end - first], seconds


def begin(config, set, folder, games):
    more = [
        "evaluation.during=[]",
        "evaluation.every_iterations=1000000",
        "run.checkpoint_iterations=1000000",
    ]
    return TrainingRun(
        config, [*set, *more, f'run.directory="{folder}"', f"selfplay.games={games}"]
    )


def games_of_iteration(run):
    return tomllib.loads(run.config)["selfplay"]["games_per_iteration"]


def costs(config, set, folder, warm=40, rounds=10):
    """Measures, after `warm` iterations, the CPU seconds to play a game and to learn from it, and
    the bytes of a game."""
    run = begin(config, set, folder, 10**9)
    player, trainer, size_of_iteration = (
        SelfPlay(run.config),
        Trainer(run.config),
        games_of_iteration(run),
    )
    learning = tomllib.loads(run.config)["learning"]
    weights, played, learned, size, games = trainer.weights(), 0.0, 0.0, 0, 0
    for number in range(warm + rounds):
        begun, first = time.process_time(), number * size_of_iteration
        message = player.play(weights, first, first + size_of_iteration)
        middle = time.process_time()
        weights, _ = trainer.learn(learning["learning_rate"])
        trainer.add_games([message], learning["lambda"], False)
        if number >= warm:
            played += middle - begun
            learned += time.process_time() - middle
            size += len(message)
            games += size_of_iteration
    run.close()
    return played / games, learned / games, size / games, weights


def stock(run, weights, sizes):
    """Makes a message for each number of games in `sizes`."""
    player = SelfPlay(run.config)
    return {size: player.play(weights, 0, size) for size in sizes}


def measure(config, set, folder, actors, per_task, weights, seconds_per_game, latency, iterations):
    """Measures the games per second with `actors` stand-ins."""
    probe = begin(config, set, folder, 10**9)
    per_iteration = games_of_iteration(probe)
    probe.close()
    run = begin(
        config,
        [*set, f"cluster.actors={actors}", f"cluster.games_per_task={per_task}"],
        folder,
        per_iteration * iterations,
    )
    sizes = {min(per_task, per_iteration - first) for first in range(0, per_iteration, per_task)}
    share = ray.put(stock(run, weights, sizes))
    driver = Driver(run)
    driver.pool._start = lambda: StandIn.remote(share, seconds_per_game, latency)
    try:
        driver.train(lambda: False)
    finally:
        driver.close()
    lines = [json.loads(line) for line in Path(run.path, "metrics.jsonl").read_text().splitlines()]
    steady = lines[len(lines) // 4 :]
    # The median ignores the iterations in which a shared machine is slow.
    seconds = sorted(
        after["seconds"] - before["seconds"] for before, after in zip(steady, steady[1:])
    )
    return per_iteration / seconds[len(seconds) // 2]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("config", help="file with settings")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="change a setting"
    )
    parser.add_argument(
        "--actors",
        default="1,2,4,8,16",
        help="numbers of stand-ins to measure [default: 1,2,4,8,16]",
    )
    parser.add_argument(
        "--latency", default="0,0.05", help="seconds added to each task [default: 0,0.05]"
    )
    parser.add_argument(
        "--slower",
        type=float,
        default=1.0,
        help="factor by which games are slower than on this machine [default: 1]",
    )
    parser.add_argument(
        "--iterations", type=int, default=60, help="iterations of each run [default: 60]"
    )
    args = parser.parse_args()
    ray.init(log_to_driver=False, include_dashboard=False)
    with tempfile.TemporaryDirectory() as folder:
        played, learned, size, weights = costs(args.config, args.set, folder)
        played *= args.slower
        run = begin(args.config, args.set, folder, 10**9)
        games = games_of_iteration(run)
        run.close()
        print(
            f"a game is {size:.0f} bytes; played in {1000 * played:.2f} ms of a core, learned in {1000 * learned:.2f}"
        )
        print(f"weights: {4 * len(weights)} bytes, sent once an iteration of {games} games")
        print("actors  latency  games/s  model")
        for latency in map(float, args.latency.split(",")):
            for actors in map(int, args.actors.split(",")):
                per_task = -(-games // actors)
                found = measure(
                    args.config,
                    args.set,
                    folder,
                    actors,
                    per_task,
                    weights,
                    played,
                    latency,
                    args.iterations,
                )
                # Actors and the learner work at the same time; the slower side determines the
                # speed.
                model = games / max(per_task * played + latency, games * learned)
                print(f"{actors:6}  {latency:7.3f}  {found:7.0f}  {model:5.0f}", flush=True)


if __name__ == "__main__":
    main()
