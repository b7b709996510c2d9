"""Sweeps: many training runs at the same time, with Ray Tune."""

import json
import os
from pathlib import Path

import ray
from ray import tune

import ashta

from .._ashta import check_settings
from .training import connect

# The objectives of a sweep: metric and direction.
OBJECTIVES = {"regret": "min", "score": "max", "rating": "max"}


def objective_of(line):
    """Computes the objectives from a line of metrics."""
    scores = [
        value
        for tag, value in line.items()
        if tag.startswith("eval/vs_") and tag.endswith("/score")
    ]
    found = {
        "score": sum(scores) / len(scores) if scores else None,
        "regret": line.get("eval/regret_per_decision"),
    }
    return {objective: value for objective, value in found.items() if value is not None}


def _rating(run, folders):
    """Rates the bot of a run in an arena with the opponents in its settings; the first opponent has
    the rating 0."""
    bot, opponents = str(run.bot), [match["opponent"] for match in run.results]
    found = ashta.arena(
        [bot, *opponents], pairs=200, threads=1, anchor=opponents[0], folders=folders
    )
    return next(agent["rating"]["elo"] for agent in found.report["agents"] if agent["name"] == bot)


def _change(key, value):
    return f"{key}={json.dumps(value)}"


def _check(configs, space, set, folders):
    """Checks all settings before the first run, except random values, which are checked when they
    are drawn."""
    for config in configs:
        check_settings(config, set, folders)
        for key, values in space.items():
            for value in values.get("grid_search", []) if isinstance(values, dict) else []:
                check_settings(config, [*set, _change(key, value)], folders)


def trial(given, *, config, set, objective, folders, directory):
    """Runs one trial; reports after each short evaluation and at the end."""
    changes = [*set, *(_change(key, value) for key, value in given.items() if key != "config")]
    name = tune.get_context().get_trial_name() or "trial"
    changes += [f"run.name={json.dumps(name)}", f"run.directory={json.dumps(str(directory))}"]
    latest = {}

    def watch(line):
        found = objective_of(line)
        if found:
            latest.update(found, run=str(line["run"]), iteration=line["iteration"])
            if objective in latest:
                tune.report(dict(latest))

    run = ashta.train(given.get("config", config), changes, callback=watch, folders=folders)
    for line in Path(run.path, "metrics.jsonl").read_text().splitlines():
        latest.update(objective_of(json.loads(line)))
    latest |= {"run": str(run.path), "bot": str(run.bot)}
    if objective == "rating":
        latest["rating"] = _rating(run, folders)
    if objective not in latest:
        raise ValueError(
            f"the run has no {objective}: regret needs a solved game, score and rating need opponents"
        )
    tune.report(dict(latest))


def sweep(
    config=None,
    space=None,
    *,
    configs=None,
    set=(),
    objective="regret",
    samples=1,
    cores=1,
    directory="runs/sweep",
    scheduler=None,
    search=None,
    folders=None,
    address=None,
):
    """Trains several configurations at the same time; returns Ray Tune's `ResultGrid`.

    `configs` lists files with settings; `config` is a single file. `space` maps keys such as
    `"learning.lambda"` to values or to search spaces of Ray Tune (`tune.grid_search([...])`,
    `tune.loguniform(...)`). `set` changes settings of all runs. Each trial is a run like
    `ashta train` on `cores` cores, in a folder in `directory`; each combination of values has
    `samples` trials. With `objective`, the sweep looks for the lowest `"regret"` (for solved
    games), the highest mean `"score"` against the opponents of the short evaluations, or the
    highest `"rating"` in an arena. The arena has the opponents in the settings; the first opponent
    has the rating 0. Trials report after each short evaluation, so that a `scheduler` of Ray Tune
    can stop weak trials early. `search` is a search algorithm of Ray Tune.
    """
    if objective not in OBJECTIVES:
        raise ValueError(
            f"`objective` is {objective!r}, but must be one of {', '.join(OBJECTIVES)}"
        )
    space, set = dict(space or {}), list(set)
    folders = [str(folder.absolute()) for folder in map(Path, folders or ashta.folders())]
    configs = [str(Path(path).absolute()) for path in configs or []]
    config = None if config is None else str(Path(config).absolute())
    _check(configs or [config], space, set, folders)
    if configs:
        space["config"] = tune.grid_search(configs)
    directory = Path(directory).absolute()
    directory.mkdir(parents=True, exist_ok=True)
    connect(address)
    given = {
        "config": config,
        "set": [*set, f"run.threads={cores}"],
        "folders": folders,
        "directory": directory,
    }
    trainable = tune.with_parameters(trial, objective=objective, **given)
    tuner = tune.Tuner(
        tune.with_resources(trainable, {"cpu": cores}),
        param_space=space,
        tune_config=tune.TuneConfig(
            metric=objective,
            mode=OBJECTIVES[objective],
            num_samples=samples,
            scheduler=scheduler,
            search_alg=search,
        ),
        run_config=tune.RunConfig(
            storage_path=str(directory),
            name="tune",
            verbose=0,
            log_to_file=True,
            failure_config=tune.FailureConfig(max_failures=2),
        ),
    )
    return tuner.fit()


def table(results, objective):
    """Formats the trials of a sweep as text; the best trial comes first."""
    rows = []
    for result in results:
        of = result.metrics or {}
        rows.append(
            (of.get(objective), result.error, result.config, of.get("bot") or of.get("run") or "")
        )
    sign = 1 if OBJECTIVES[objective] == "min" else -1
    rows.sort(key=lambda row: float("inf") if row[0] is None else sign * row[0])
    lines = [f"{objective:>12}  settings"]
    for value, error, config, bot in rows:
        shown = "failed" if value is None else f"{value:.6f}"
        settings = " ".join(
            f"{key}={os.path.basename(str(of))}" for key, of in (config or {}).items()
        )
        reason = str(error).strip().splitlines()[-1] if error is not None else bot
        lines.append(f"{shown:>12}  {settings}  {reason}")
    return "\n".join(lines)
