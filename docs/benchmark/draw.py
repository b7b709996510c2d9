"""Prints the table of the benchmark's baselines, and draws their regret against steps and CPU time.
Needs matplotlib.

python docs/benchmark/draw.py docs/benchmark/results.jsonl -o docs/benchmark/regret.svg
"""

import argparse
import json
from collections import defaultdict
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "ashta", "svg.fonttype": "none"})
import matplotlib.pyplot as plt  # noqa: E402

TRACKS = ["policy", "one-ply", "search"]
BUDGETS = {0: "0", 1_000_000: "10⁶", 10_000_000: "10⁷"}
AXES = {"steps": "steps of training", "cpu_seconds": "CPU seconds of training"}


def curves(lines):
    """The points of each curve: a dict from task, baseline, track and budget to `[points][seeds]`
    of lines."""
    seeds = defaultdict(lambda: defaultdict(list))
    for line in sorted(lines, key=lambda line: line["steps"]):
        seeds[line["task"], line["baseline"], line["track"], line["budget"]][line["seed"]].append(
            line
        )
    # Leaves out runs that have not ended.
    return {key: list(zip(*(points for points in runs.values() if len(points) == max(map(len, runs.values())))))
            for key, runs in seeds.items()}  # fmt: skip


def table(found, tasks):
    """One row for each baseline, track and budget: mean and range over the seeds of the last
    point."""
    print("| baseline | track | steps | CPU s | µs a decision |", " | ".join(tasks), "|")
    print("|---" * (5 + len(tasks)) + "|")
    rows = sorted(dict.fromkeys(key[1:] for key in found), key=lambda row: TRACKS.index(row[1]))
    for baseline, track, budget in rows:
        ends = {
            task: found[key][-1]
            for task in tasks
            if (key := (task, baseline, track, budget)) in found
        }
        lines = [line for end in ends.values() for line in end]
        cpu = np.mean([line["cpu_seconds"] for line in lines])
        micros = np.mean([line["cpu_seconds_per_decision"] for line in lines]) * 1e6
        cells = [
            baseline,
            track,
            BUDGETS[budget],
            f"{cpu:.0f}",
            f"{micros:,.1f}" if micros < 100 else f"{micros:,.0f}",
        ]
        for task in tasks:
            values = [line["regret"] * 1000 for line in ends.get(task, [])]
            cells.append(
                f"{np.mean(values):.2f} ({min(values):.2f}–{max(values):.2f})" if values else ""
            )
        print("|", " | ".join(cells), "|")


def draw(found, tasks, output):
    learners = list(
        dict.fromkeys(baseline.split("+")[0] for _, baseline, _, budget in found if budget)
    )
    others = list(dict.fromkeys(baseline for _, baseline, _, budget in found if not budget))
    figure, grid = plt.subplots(
        len(tasks), 2, figsize=(10, 11), sharex="col", sharey="row", layout="constrained"
    )
    for (task, baseline, track, budget), points in found.items():
        for axes, by in zip(grid[tasks.index(task)], AXES):
            values = np.array([[line["regret"] for line in point] for point in points])
            if not budget:
                style = ["-", "--", "-.", ":"][others.index(baseline) % 4]
                axes.axhline(
                    values.mean(),
                    label=f"{baseline} ({track})",
                    linewidth=1,
                    color="0.45",
                    linestyle=style,
                )
                continue
            at = np.mean([[line[by] for line in point] for point in points], axis=1)
            color = f"C{learners.index(baseline.split('+')[0])}"
            label = f"{baseline} ({track})"
            if track == "search":
                axes.plot(
                    at,
                    values.mean(1),
                    "*",
                    color=color,
                    label=label,
                    markersize=7,
                    markeredgecolor="k",
                )
                continue
            label += f", {BUDGETS[budget]} steps" if budget > 1_000_000 else ""
            style = ("s" if track == "policy" else "o") + ("--" if budget > 1_000_000 else "-")
            axes.plot(
                at, values.mean(1), style, label=label, color=color, markersize=4, linewidth=1.2
            )
            axes.fill_between(
                at, values.min(1), values.max(1), color=color, alpha=0.15, linewidth=0
            )
    for row, task in zip(grid, tasks):
        row[0].set_ylabel(f"{task}: regret per decision")
        for axes in row:
            axes.set(xscale="log", yscale="log")
            axes.grid(alpha=0.3)
    for axes, label in zip(grid[-1], AXES.values()):
        axes.set_xlabel(label)
    labels = {
        label: line for line, label in zip(*map(list, grid[0][0].get_legend_handles_labels()))
    }
    figure.legend(
        labels.values(), labels.keys(), loc="outside lower center", ncols=3, fontsize="small"
    )
    figure.savefig(output, metadata={"Date": None})


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", type=Path)
    parser.add_argument("-o", "--output", required=True, help="the SVG file to write")
    options = parser.parse_args()
    lines = [json.loads(line) for line in options.results.read_text(encoding="utf-8").splitlines()]
    found, tasks = curves(lines), list(dict.fromkeys(line["task"] for line in lines))
    table(found, tasks)
    draw(found, tasks, options.output)


if __name__ == "__main__":
    main()
