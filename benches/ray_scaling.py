"""Measures the speed of a run on a cluster with many actors, on a machine with few cores.

The process that learns is real. The actors are stand-ins: each waits for the time that its games
would take on its own core, plus the delay of a network, and then answers with games that were
played before.
"""

import argparse
import tempfile
import time
import tomllib

import ray

import ashta
from ashta._ashta import SelfPlay
from ashta.ray import training

# These settings leave only self-play and learning.
ALONE = ["evaluation.every_iterations=1000000", "run.checkpoint_iterations=1000000"]


def costs(config, set, folder, iterations):
    """Plays all games of a run once; returns the messages with the games, the CPU seconds to play a
    game, and the number of games in an iteration."""
    found, seconds, size = {}, 0.0, 0

    def actors(toml):
        nonlocal size
        player, size = SelfPlay(toml), tomllib.loads(toml)["selfplay"]["games_per_iteration"]

        def play(weights, first, end):
            nonlocal seconds
            begun = time.thread_time()
            games = [player.play(weights, game, game + 1) for game in range(first, end)]
            seconds += time.thread_time() - begun
            found.update(zip(range(first, end), games, strict=True))
            return games

        return play

    run = ashta.train(
        config,
        [*set, *ALONE, f'run.directory="{folder}"'],
        actors=actors,
        callback=lambda line: line["iteration"] == iterations,
        progress=False,
    )
    assert run.path
    return found, seconds / len(found), size


def measure(config, set, folder, actors, per_task, stock, seconds_per_game, latency, iterations):
    """Measures the seconds of an iteration with `actors` stand-ins."""
    share, cached = ray.put(stock), []

    @ray.remote(num_cpus=0)
    def stand_in(_config, _weights, first, end):
        time.sleep((end - first) * seconds_per_game + latency)
        if not cached:
            cached.append(ray.get(share))
        return [cached[0][game] for game in range(first, end)]

    def start(toml):
        play = training.actors(toml, stand_in)
        return lambda *games: [game for task in play(*games) for game in task]

    times = []

    def watch(line):
        times.append(line["seconds"])
        return line["iteration"] == iterations

    sizes = [f"cluster.actors={actors}", f"cluster.games_per_task={per_task}"]
    settings = [*set, *ALONE, *sizes, f'run.directory="{folder}"']
    ashta.train(config, settings, actors=start, callback=watch, progress=False)
    # The processes of the actors start in the first iterations. The median ignores the iterations
    # in which a shared machine is slow.
    steady = times[len(times) // 4 :]
    seconds = sorted(after - before for before, after in zip(steady, steady[1:]))
    return seconds[len(seconds) // 2]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("config", help="file with settings")
    parser.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="change a setting"
    )
    parser.add_argument(
        "--actors", default="1,2,4", help="numbers of stand-ins to measure [default: 1,2,4]"
    )
    parser.add_argument(
        "--latency", type=float, default=0.0, help="seconds added to each task [default: 0]"
    )
    parser.add_argument(
        "--slower",
        type=float,
        default=1.0,
        help="factor by which games are slower than on this machine [default: 1]",
    )
    parser.add_argument(
        "--iterations", type=int, default=20, help="iterations of each run [default: 20]"
    )
    args = parser.parse_args()
    ray.init(log_to_driver=False, include_dashboard=False)
    with tempfile.TemporaryDirectory() as folder:
        stock, played, size = costs(args.config, args.set, folder, args.iterations)
        played *= args.slower
        length = sum(map(len, stock.values())) / len(stock)
        print(f"a game is {length:.0f} bytes, played in {1000 * played:.2f} ms of a core")
        print("actors  games/s  share of the time that actors play")
        for actors in map(int, args.actors.split(",")):
            seconds = measure(
                args.config,
                args.set,
                folder,
                actors,
                -(-size // actors),
                stock,
                played,
                args.latency,
                args.iterations,
            )
            speed = size / seconds
            print(f"{actors:6}  {speed:7.0f}  {speed * played / actors:34.2f}", flush=True)


if __name__ == "__main__":
    main()
