"""`python -m ashta.ray`: training, arenas and sweeps on a cluster, from the command line."""

import argparse
import json
import sys

from ray import tune

from .. import Game
from .arenas import arena
from .sweeps import OBJECTIVES, sweep, table
from .training import Interrupted, WorkersDied, resume, train


def parser():
    top = argparse.ArgumentParser(prog="python -m ashta.ray", description=__doc__)
    commands = top.add_subparsers(dest="command", required=True)

    one = commands.add_parser(
        "train",
        help="train a bot, like `ashta train`; the settings in [cluster] distribute the work",
    )
    one.add_argument("config", nargs="?", help="file with settings [default: all defaults]")
    one.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="change a setting"
    )
    one.add_argument("--resume", metavar="RUNDIR", help="resume an interrupted run in this folder")
    one.add_argument(
        "--fallback",
        action="store_true",
        help="rename damaged checkpoints and resume from an older one",
    )

    two = commands.add_parser("arena", help="rank agents, like `ashta arena`")
    two.add_argument("agents", nargs="+", help="agents to rank, as for `ashta arena`")
    two.add_argument(
        "--pairs", type=int, default=1000, help="blocks of games for each lineup [default: 1000]"
    )
    two.add_argument("--seed", type=int, default=7919, help="seed of the throws [default: 7919]")
    two.add_argument(
        "--game",
        help="game to play; may end with seats, as `pagade 4` [default: the game of the first bot]",
    )
    two.add_argument(
        "--luck", default="auto", help="agent whose values measure luck [default: auto]"
    )
    two.add_argument("--anchor", help="agent with the rating 0")
    two.add_argument(
        "--players", type=int, help="players on the cluster [default: one for each core]"
    )
    two.add_argument("--games", metavar="FILE", help="write the games to this file, one line each")

    three = commands.add_parser(
        "sweep", help="train several configurations at the same time, with Ray Tune"
    )
    three.add_argument("configs", nargs="+", help="files with settings")
    three.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="change a setting of all runs",
    )
    three.add_argument(
        "--try",
        action="append",
        default=[],
        metavar="KEY=VALUES",
        dest="tried",
        help="try each of these values, a list in JSON: learning.lambda=[0.6,0.8]",
    )
    three.add_argument(
        "--objective",
        choices=OBJECTIVES,
        default="regret",
        help="measure to optimize [default: regret]",
    )
    three.add_argument(
        "--samples", type=int, default=1, help="runs for each combination of values [default: 1]"
    )
    three.add_argument("--cores", type=int, default=1, help="cores for each run [default: 1]")
    three.add_argument(
        "--directory", default="runs/sweep", help="folder for the runs [default: runs/sweep]"
    )

    address = 'address of the cluster, or "auto" [default: RAY_ADDRESS, else a cluster on this machine alone]'
    for command in (one, two, three):
        command.add_argument("--address", help=address)
    return top


def tried(texts):
    """Returns the search space of the options `--try`."""
    space = {}
    for text in texts:
        key, found, values = text.partition("=")
        try:
            values = json.loads(values) if found else None
        except json.JSONDecodeError as error:
            raise ValueError(f"--try {text}: {values!r} is not JSON: {error}") from error
        if not isinstance(values, list) or not values:
            raise ValueError(f"--try {text}: expected section.key=[value, ...]")
        space[key.strip()] = tune.grid_search(values)
    return space


def game_of(text):
    """Returns the game of the option `--game`."""
    if text is None:
        return None
    name, _, seats = text.partition(" ")
    return Game(name, seats=int(seats) if seats.isdigit() else seats or None)


def run(args):
    if args.command == "train":
        if args.resume is None:
            train(args.config, args.set, address=args.address)
        elif args.config is None:
            resume(args.resume, args.set, address=args.address, fallback=args.fallback)
        else:
            raise ValueError(
                "--resume takes the settings from the folder of the run: leave out the file"
            )
    elif args.command == "arena":
        if args.games:
            # Fails early if the file cannot be written.
            open(args.games, "a", encoding="utf-8").close()
        found = arena(
            args.agents,
            game_of(args.game),
            pairs=args.pairs,
            seed=args.seed,
            luck=args.luck,
            anchor=args.anchor,
            players=args.players,
            address=args.address,
        )
        if args.games:
            with open(args.games, "w", encoding="utf-8") as file:
                file.writelines(json.dumps(line) + "\n" for line in found.games)
        print(json.dumps(found.report, indent=2))
    else:
        found = sweep(
            space=tried(args.tried),
            configs=args.configs,
            set=args.set,
            objective=args.objective,
            samples=args.samples,
            cores=args.cores,
            directory=args.directory,
            address=args.address,
        )
        print(table(found, args.objective))
        if found.errors:
            raise WorkersDied(f"{len(found.errors)} of {len(found)} runs failed")


def main():
    try:
        run(parser().parse_args())
    except Interrupted as interrupted:
        print(interrupted, file=sys.stderr)
        sys.exit(130)
    except (OSError, OverflowError, ValueError, WorkersDied) as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
