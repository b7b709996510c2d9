"""Compares the games by measurements and draws the atlas: README.md, atlas.json and diagrams. Needs
matplotlib.

  python docs/atlas/make.py -o docs/atlas
  python docs/atlas/make.py siga 'ashtapada?pieces=1' --pairs 50 --table one.table -o atlas

For every number of seats, the best available player plays against itself and against weaker
players. The best player is perfect play if there is a table, else the bot with the largest network,
else `hunter`. `--table` names tables of perfect play that are not in the folders of the package.
The result does not depend on the number of threads.
"""

import argparse
import json
import math
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import ashta

FALLBACK = "hunter"
WEAKER = ("random", "greedy", "novice")
# Columns of the table: name, meaning, digits, and whether the figure is a share that is shown in
# percent.
COLUMNS = {
    "turns": (
        "turns of all seats in a game, median; a turn is the throws before a decision, and the decision",
        0,
        False,
    ),
    "throws": ("throws of all seats in a game, median", 0, False),
    "choice %": ("turns in which the throws can be used in more than one way", 1, True),
    "ways": ("ways to use the throws of a turn that lead to different positions", 2, False),
    "captures": ("captured pieces in a game", 2, False),
    "first %": (
        "score of the seat that throws first, luck-adjusted where a bot or a table measures luck",
        1,
        True,
    ),
    "luck": ("change of a seat's expected score by the throws of its turn, in points", 1, True),
    "random %": ("score of the player against the agent `random`", 1, True),
    "greedy %": ("score against the agent `greedy`", 1, True),
    "novice %": ("score against the same bot at its level `novice`", 1, True),
}
# Diagrams: file, title, axis, columns, and whether bars start at the score of equal players.
DIAGRAMS = (
    ("length.svg", "How long games are", "turns of all seats (median; 5 to 95 % of the games)", ("turns",), False),
    ("skill.svg", "Skill: the player against weaker ones", "score (%, 95 % confidence)", tuple(f"{name} %" for name in WEAKER), True),
    ("first-seat.svg", "The seat that throws first", "score (%, 95 % confidence)", ("first %",), True),
    ("choice.svg", "How often there is a choice", "turns (%, 95 % confidence)", ("choice %",), False),
)  # fmt: skip


def mean(numbers):
    """The mean of numbers with its 95 % interval, as a dict; None if there are no numbers."""
    if not numbers:
        return None
    middle = sum(numbers) / len(numbers)
    variance = sum((number - middle) ** 2 for number in numbers) / max(len(numbers) - 1, 1)
    half = 1.96 * math.sqrt(variance / len(numbers))
    return {"mean": middle, "interval": [middle - half, middle + half]}


def median(numbers):
    """The median of numbers with its 95 % interval, and the range of 5 to 95 % of the numbers; None
    if there are no numbers."""
    if not numbers:
        return None
    ordered, half = sorted(numbers), 0.98 / math.sqrt(len(numbers))

    def at(share):
        return ordered[min(max(math.ceil(share * len(ordered)) - 1, 0), len(ordered) - 1)]

    return {
        "mean": at(0.5),
        "interval": [at(0.5 - half), at(0.5 + half)],
        "range": [at(0.05), at(0.95)],
    }


class Form:
    """A game for one number of seats, and its best player."""

    def __init__(self, game, tables, folders):
        self.game, self.folders = game, folders
        table = next((path for path, table in tables if table.game == game), None)
        probe = ashta.arena({"a": FALLBACK, "b": FALLBACK}, game, pairs=1, folders=folders)
        self.has_luck = table is not None or probe.report["luck_by"] is not None
        self.player = str(table) if table else probe.report["luck_by"] or FALLBACK
        self.name = "perfect" if table else Path(self.player).stem
        self.even = probe.report["chance_level"]

    def self_play(self, pairs, seed, pool):
        """Plays the player against itself; returns the analysis of one game from each block."""
        found = self.arena({"first": self.player, "second": self.player}, pairs, seed, luck="none")
        games = [game for game in found.games if game["leg"] == 0]
        by = self.player if self.has_luck else FALLBACK
        analyze = lambda game: ashta.analyze(game, self.game, by=by, folders=self.folders)  # noqa: E731
        return list(pool.map(analyze, games))

    def arena(self, agents, pairs, seed, **options):
        return ashta.arena(
            agents, self.game, pairs=pairs, seed=seed, folders=self.folders, **options
        )

    def against(self, opponent, pairs, seed):
        """The score against an opponent; None if the opponent is not available."""
        spec = opponent
        if opponent == "novice":
            if self.name == FALLBACK:
                return None
            # Perfect play has no levels, so take the small bot of the game.
            spec = f"{self.game.name if self.name == 'perfect' else self.player}+novice"
        try:
            found = self.arena(
                {"player": self.player, opponent: spec}, pairs, seed, luck="none", keep_games=False
            )
        except ValueError as error:
            print(f"{self.game.name}: skipped {opponent}: {error}", file=sys.stderr)
            return None
        return {key: found.report["agents"][0]["score"][key] for key in ("mean", "interval")}

    def measure(self, pairs, seed, pool):
        """Returns the figures of all columns."""
        analyses = self.self_play(pairs, seed, pool)
        over = [game for game in analyses if game.get("returns") is not None]
        own = [{"turns": game["turns"], **first(game)} for game in over]
        share = lambda of: [
            sum(of(turn) for turn in game["turns"]) / len(game["turns"]) for game in own
        ]  # noqa: E731
        figures = {
            "turns": median([len(game["turns"]) for game in own]),
            "throws": median([sum(len(turn["throw"]) for turn in game["turns"]) for game in own]),
            "choice %": mean(share(lambda turn: turn["results"] > 1)),
            "ways": mean(share(lambda turn: max(turn["results"], 1))),
            "captures": mean([sum(turn["captured"] for turn in game["turns"]) for game in own]),
            "first %": mean(
                [game["score"] - (game["luck"] if self.has_luck else 0) for game in own]
            ),
            "luck": mean(share(lambda turn: abs(turn["luck"]))) if self.has_luck else None,
        }
        figures |= {f"{name} %": self.against(name, pairs, seed) for name in WEAKER}
        return {
            "game": self.game.name, "seats": len(self.game.seats), "player": self.name, "even": self.even,
            "games": len(own), "truncated_games": len(analyses) - len(own), "figures": figures,
        }  # fmt: skip


def first(game):
    """The score and the luck of the seat that throws first in an analyzed game."""
    seat = game["turns"][0]["seat"]
    at = next(at for at, player in enumerate(game["players"]) if player["seat"] == seat)
    return {"score": game["returns"][at], "luck": game["players"][at]["luck"]}


def cell(figure, digits, is_share):
    """A figure with its interval, as in a table."""
    if figure is None:
        return "–"
    scale = 100 if is_share else 1
    middle, low, high = (
        f"{scale * number:.{digits}f}" for number in (figure["mean"], *figure["interval"])
    )
    return f"{middle} [{low}, {high}]"


def page(atlas, command):
    """The page as Markdown."""
    lines = [
        "# Atlas",
        "",
        "This page compares the games. The numbers come from games of the best available player:",
        "",
        f"```sh\n{command}\n```",
        "",
        f"The player is perfect play if there is a table, else the bot with the largest network, else `{FALLBACK}`. It plays at least",
        f"{atlas['pairs']} games against itself and {atlas['pairs']} pairs of games against each weaker player; with three",
        "or four sides both agents take several seats, in every arrangement. Brackets are 95 % intervals; [atlas.json](atlas.json)",
        "has all figures. A score is a mean return: 100 % wins every game.",
        "",
        "| column | meaning |\n|---|---|",
        "| even % | score of a seat if all players are equal |",
        *(f"| {name} | {meaning} |" for name, (meaning, *_) in COLUMNS.items()),
        "",
        f"| game | seats | player | even % | {' | '.join(COLUMNS)} |\n|---|---|---|---|{'---|' * len(COLUMNS)}",
    ]
    for form in atlas["forms"]:
        cells = [
            cell(form["figures"][name], digits, share)
            for name, (_, digits, share) in COLUMNS.items()
        ]
        head = [
            form["game"],
            str(form["seats"]),
            f"`{form['player']}`",
            f"{100 * form['even']:.0f}",
        ]
        lines.append(f"| {' | '.join(head + cells)} |")
    truncated = [
        f"{form['truncated_games']} {'game' if form['truncated_games'] == 1 else 'games'} of {form['game']} with {form['seats']} seats"
        for form in atlas["forms"]
        if form["truncated_games"]
    ]
    if truncated:
        lines += ["", f"Games that reached the turn limit do not count: {', '.join(truncated)}."]
    return "\n".join([*lines, "", *(f"![{title}]({file})" for file, title, *_ in DIAGRAMS), ""])


def draw(path, forms, title, axis, columns, from_even):
    """Draws one diagram. Games in a panel have the same number of seats and the same score of equal
    players."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "ashta", "svg.fonttype": "none"})
    import matplotlib.pyplot as plt

    panels = sorted({(form["seats"], -round(100 * form["even"])) for form in forms})
    rows = [
        [form for form in forms if (form["seats"], -round(100 * form["even"])) == panel]
        for panel in panels
    ]
    figure, all_axes = plt.subplots(
        len(panels), squeeze=False, layout="constrained", figsize=(9, 1.2 + 0.28 * sum(map(len, rows)) + 0.6 * len(panels)),
        height_ratios=[len(row) + 1 for row in rows],
    )  # fmt: skip
    for axes, (seats, even), row in zip(all_axes[:, 0], panels, rows, strict=True):
        for at, column in enumerate(columns):
            _, _, is_share = COLUMNS[column]
            scale, base = 100 if is_share else 1, -even if from_even else 0
            found = [
                (place, form["figures"][column])
                for place, form in enumerate(row)
                if form["figures"][column]
            ]
            places = [place + 0.8 * (at + 0.5) / len(columns) - 0.4 for place, _ in found]
            middles = [scale * figure["mean"] for _, figure in found]
            ends = [
                [scale * end for end in figure.get("range", figure["interval"])]
                for _, figure in found
            ]
            errors = [[max(m - low, 0) for m, (low, _) in zip(middles, ends)], [max(high - m, 0) for m, (_, high) in zip(middles, ends)]]  # fmt: skip
            axes.barh(
                places, [middle - base for middle in middles], 0.8 / len(columns), left=base, xerr=errors,
                label=f"against {column.removesuffix(' %')}", error_kw={"elinewidth": 0.8},
            )  # fmt: skip
        axes.set_yticks(range(len(row)), [form["game"] for form in row])
        axes.invert_yaxis()
        axes.set_title(f"{seats} seats, score among equals {-even} %", fontsize=10)
    if len(columns) > 1:
        figure.legend(
            *all_axes[0, 0].get_legend_handles_labels(),
            loc="outside lower center",
            ncols=3,
            fontsize=8,
        )
    all_axes[-1, 0].set_xlabel(axis)
    figure.suptitle(title)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "games", nargs="*", help="games with house rules; by default every game of the package"
    )
    parser.add_argument(
        "--pairs", type=int, default=400, help="pairs of games against each opponent"
    )
    parser.add_argument("--seed", type=int, default=7919, help="seed of the throws")
    parser.add_argument(
        "--table", type=Path, action="append", default=[], help="a table of perfect play"
    )
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("docs/atlas"), help="the folder to write to"
    )
    args = parser.parse_args()
    if (args.output / "README.md").exists() and not (args.output / "atlas.json").exists():
        sys.exit(f"{args.output} has a README.md of something else: choose another folder")
    folders = ashta.folders()
    paths = [*args.table, *sorted(path for folder in folders for path in folder.glob("*.table"))]
    try:
        tables = [(path, ashta.Table.load(path)) for path in paths]
        games = [
            ashta.Game(name, seats=seats)
            for name in args.games or ashta.Game.names()
            for seats in sorted({len(letters) for letters in ashta.Game(name).describe()["seats"]})
        ]
    except ValueError as error:
        sys.exit(str(error))
    atlas = {"format": 2, "pairs": args.pairs, "seed": args.seed, "forms": []}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for game in games:
            print(f"{game.name} for {len(game.seats)}", file=sys.stderr, flush=True)
            atlas["forms"].append(Form(game, tables, folders).measure(args.pairs, args.seed, pool))
    args.output.mkdir(parents=True, exist_ok=True)
    named = [f"'{game}'" for game in args.games] + [f"--table '{path}'" for path in args.table]
    command = " ".join(
        ["python docs/atlas/make.py", *named, f"--pairs {args.pairs} --seed {args.seed}"]
    )
    (args.output / "atlas.json").write_text(json.dumps(atlas, indent=1) + "\n", encoding="utf-8")
    (args.output / "README.md").write_text(page(atlas, command), encoding="utf-8")
    for file, title, axis, columns, from_even in DIAGRAMS:
        draw(args.output / file, atlas["forms"], title, axis, columns, from_even)
    print(f"wrote {args.output}: README.md, atlas.json, {', '.join(file for file, *_ in DIAGRAMS)}")


if __name__ == "__main__":
    main()
