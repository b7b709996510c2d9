"""Many configurations side by side, by Ray Tune."""

import json
import os
from pathlib import Path

import ray
from ray import tune

import ashta

from .._ashta import check_settings
from .training import connect

# What a sweep can look for: the metric, and which way is better.
OBJECTIVES = {"regret": "min", "score": "max", "rating": "max"}


def objective_of(line):
    """What a line of metrics says of each objective."""
    scores = [value for tag, value in line.items() if tag.startswith("eval/vs_") and tag.endswith("/score")]
    found = {"score": sum(scores) / len(scores)} if scores else {}
    if line.get("eval/regret_per_decision") is not None:
        found["regret"] = line["eval/regret_per_decision"]
    return found


def _rating(run, folders):
    """The rating of a run's bot in an arena with the opponents of its settings, of whom the first is rated 0."""
    bot, opponents = str(run.bot), [match["opponent"] for match in run.results]
    found = ashta.arena([bot, *opponents], pairs=200, threads=1, anchor=opponents[0], folders=folders)
    return next(agent["rating"]["elo"] for agent in found.report["agents"] if agent["name"] == bot)


def _change(key, value):
    return f"{key}={json.dumps(value)}"


def _check(configs, space, set, folders):
    """Refuses settings that no run would take, before any is begun. What a space draws is seen when it is drawn."""
    for config in configs:
        check_settings(config, set, folders)
        for key, values in space.items():
            listed = values.get("grid_search", []) if isinstance(values, dict) else []
            for value in listed:
                check_settings(config, [*set, _change(key, value)], folders)


def trial(given, *, config, set, objective, folders, directory):
    """One run, which reports after each short evaluation and at its end."""
    changes = [*set, *(_change(key, value) for key, value in given.items() if key != "config")]
    # The names of trials are those of the runs; what is read beside them is what was used.
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
        raise ValueError(f"the run says nothing of {objective}: is the game solved, are there opponents?")
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
    """Runs a set of configurations side by side and returns Ray Tune's `ResultGrid`.

    `configs` are paths of files with settings, or `config` is one of them; `space` maps keys such as
    `"learning.lambda"` to values or to spaces of Ray Tune (`tune.grid_search([...])`, `tune.loguniform(...)`), and
    `set` has changes that hold for all. Each trial is a run as of `ashta train`, on `cores` cores, below `directory`;
    of `samples` times each choice of the space. The objective is `"regret"` (least, for games that are solved),
    `"score"` (largest mean score against the opponents of the short evaluations) or `"rating"` (largest, in an arena
    with the opponents of the settings, of whom the first is rated 0). Trials report after each short evaluation, so a
    `scheduler` of Ray Tune can end the worse ones early; `search` is one of its search algorithms.
    """
    if objective not in OBJECTIVES:
        raise ValueError(f"the objective is {objective!r}, but must be one of {', '.join(OBJECTIVES)}")
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
    given = {"config": config, "set": [*set, f"run.threads={cores}"], "folders": folders, "directory": directory}
    trainable = tune.with_parameters(trial, objective=objective, **given)
    tuner = tune.Tuner(
        tune.with_resources(trainable, {"cpu": cores}),
        param_space=space,
        tune_config=tune.TuneConfig(
            metric=objective, mode=OBJECTIVES[objective], num_samples=samples, scheduler=scheduler, search_alg=search
        ),
        run_config=tune.RunConfig(
            storage_path=str(directory), name="tune", verbose=0, log_to_file=True,
            failure_config=tune.FailureConfig(max_failures=2),
        ),
    )
    return tuner.fit()


def table(results, objective):
    """The trials of a sweep as lines of text, the best first."""
    rows = []
    for result in results:
        of = result.metrics or {}
        rows.append((of.get(objective), result.error, result.config, of.get("bot") or of.get("run") or ""))
    worst = float("inf") if OBJECTIVES[objective] == "min" else float("-inf")
    rows.sort(key=lambda row: worst if row[0] is None else row[0], reverse=OBJECTIVES[objective] == "max")
    lines = [f"{objective:>12}  settings"]
    for value, error, config, bot in rows:
        shown = "failed" if value is None else f"{value:.6f}"
        settings = " ".join(f"{key}={os.path.basename(str(of))}" for key, of in (config or {}).items())
        reason = str(error).strip().splitlines()[-1] if error is not None else bot
        lines.append(f"{shown:>12}  {settings}  {reason}")
    return "\n".join(lines)
