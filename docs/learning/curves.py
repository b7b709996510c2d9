"""Draws how training runs have learned: one metric of several runs, as an SVG. Needs matplotlib.

  python docs/learning/curves.py two=runs/a-1,runs/a-2 one=runs/b-1 --metric train/value_loss -o
  curves.svg

NAME=RUN,RUN draws one line: the mean of these runs where all runs have values, with a band from the
smallest value to the largest. RUN alone draws the line of one run, with the name of its folder.
"""

import argparse
import json
import sys
from pathlib import Path

import matplotlib
import numpy as np

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "ashta", "svg.fonttype": "none"})
import matplotlib.pyplot as plt  # noqa: E402

AXES = {
    "seconds": "seconds of training", "games": "games of self-play", "samples": "samples", "iteration": "iterations",
}  # fmt: skip


def curve(run, metric, by):
    """The values of a metric in a run: two arrays, positions on the axis `by` and values."""
    path = Path(run) / "metrics.jsonl"
    try:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except (OSError, ValueError) as error:
        sys.exit(f"cannot read {path}: {error}")
    points = [(row[by], row[metric]) for row in rows if row.get(metric) is not None]
    if not points:
        names = sorted({name for row in rows for name in row if "/" in name})
        sys.exit(f"{path} has no values of {metric}; it has {', '.join(names)}")
    return np.array(points, dtype=float).T


def together(curves):
    """Mean, minimum and maximum of curves, at every position where all curves have values."""
    at = np.unique(np.concatenate([x for x, _ in curves]))
    at = at[(at >= max(x[0] for x, _ in curves)) & (at <= min(x[-1] for x, _ in curves))]
    values = np.array([np.interp(at, x, y) for x, y in curves])
    return at, values.mean(axis=0), values.min(axis=0), values.max(axis=0)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("lines", nargs="+", metavar="RUN|NAME=RUN,RUN")
    parser.add_argument(
        "--metric", default="eval/regret_per_decision", help="name of the metric in metrics.jsonl"
    )
    parser.add_argument("--by", choices=AXES, default="seconds", help="horizontal axis")
    parser.add_argument("--log", action="store_true", help="use a logarithmic vertical axis")
    parser.add_argument("--title", help="title; by default the name of the metric")
    parser.add_argument("-o", "--output", required=True, help="the SVG file to write")
    args = parser.parse_args()
    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    for text in args.lines:
        label, _, runs = text.rpartition("=")
        curves = [curve(run, args.metric, args.by) for run in runs.split(",")]
        at, mean, low, high = together(curves)
        if not len(at):
            sys.exit(f"{text}: there is no position where all runs have values")
        if args.log and low.min() <= 0:
            sys.exit(f"{text}: {args.metric} has the value {low.min()}, which has no logarithm")
        (line,) = axes.plot(
            at, mean, label=label or Path(runs).name, marker="." if len(at) < 50 else ""
        )
        if len(curves) > 1:
            axes.fill_between(at, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
    axes.set(xlabel=AXES[args.by], ylabel=args.metric, title=args.title or args.metric)
    if args.log:
        axes.set_yscale("log")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(args.output, metadata={"Date": None})


if __name__ == "__main__":
    main()
