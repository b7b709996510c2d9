"""`python -m ashta.ray train` and `python -m ashta.ray arena`: the commands on a cluster."""

import argparse
import json
import sys
from pathlib import Path

from ray.exceptions import RayError

from .. import Game
from ..__main__ import main as program
from .arenas import arena
from .training import actors


def parser():
    arguments = argparse.ArgumentParser(
        prog="python -m ashta.ray arena", description="Ranks agents, like `ashta arena`."
    )
    arguments.add_argument("agents", nargs="+", help="agents to rank, as for `ashta arena`")
    arguments.add_argument(
        "--pairs", type=int, default=1000, help="blocks of games for each lineup [default: 1000]"
    )
    arguments.add_argument(
        "--seed", type=int, default=7919, help="seed of the throws [default: 7919]"
    )
    arguments.add_argument(
        "--game",
        help="game to play; may end with seats, as `pagade 4` [default: the game of the first bot]",
    )
    arguments.add_argument(
        "--luck", default="auto", help="agent whose values measure luck [default: auto]"
    )
    arguments.add_argument("--anchor", help="agent with the rating 0")
    arguments.add_argument(
        "--players", type=int, help="players on the cluster [default: one for each core]"
    )
    arguments.add_argument(
        "--games",
        metavar="FILE",
        type=Path,
        help="write the games to this new file, one line each; `ashta arena --games` cannot read "
        "the file, because it has no line with the settings",
    )
    return arguments


def game_of(text):
    """Returns the game of the option `--game`."""
    if text is None:
        return None
    name, _, seats = text.partition(" ")
    return Game(name, seats=int(seats) if seats.isdigit() else seats or None)


def rank(args):
    if args.games:
        # Fails early if the file cannot be written.
        try:
            args.games.open("x").close()
        except FileExistsError:
            raise ValueError(
                f"--games {args.games}: the file already exists; give the name of a new file"
            ) from None
    try:
        found = arena(
            args.agents,
            game_of(args.game),
            pairs=args.pairs,
            seed=args.seed,
            luck=args.luck,
            anchor=args.anchor,
            players=args.players,
        )
    except BaseException:
        if args.games:
            args.games.unlink()
        raise
    if args.games:
        with args.games.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in found.games)
    print(json.dumps(found.report, indent=2))


def main():
    if sys.argv[1:2] == ["train"]:
        # The program of `ashta train`, with its options.
        return program(actors)
    if sys.argv[1:2] != ["arena"]:
        return "usage: python -m ashta.ray train|arena ..."
    try:
        return rank(parser().parse_args(sys.argv[2:]))
    except (OSError, OverflowError, ValueError, RayError) as error:
        return f"error: {error}"
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
