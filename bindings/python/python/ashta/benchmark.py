"""The benchmark: how far an agent is from perfect play in three games. docs/benchmark.md has the
rules."""

from __future__ import annotations

import json
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._ashta import Agent, Game, States, Table, arena, verify_result

if TYPE_CHECKING:
    from ._results import _Regret

TASKS = {
    "ashtapada": "ashtapada?pieces=2",
    "ashte-kashte": "ashte-kashte?pieces=2",
    "pagade": "pagade?pieces=2",
}
"""The tasks: games for two players."""

TRACKS = ("policy", "one-ply", "search")
"""The tracks: how an agent may choose."""

BUDGETS = {"steps": (1_000_000, 10_000_000), "cpu_seconds": (600, 3600)}
"""The budgets of training: numbers of actions that agents choose in games, and seconds of CPU
time."""


def game(task: str) -> Game:
    """The game of a task."""
    if task not in TASKS:
        raise ValueError(f"there is no task {task!r}; the tasks are {', '.join(TASKS)}")
    return Game(TASKS[task], 2)


def play(
    task: str,
    policy: Any,
    *,
    name: str,
    track: str,
    budget: dict[str, float],
    pairs: int = 1000,
    seed: int = 7919,
    threads: int | None = None,
    table: Table | None = None,
    folders: Sequence[str | PathLike[str]] | None = None,
) -> dict[str, Any]:
    """Plays a policy against perfect play; returns a result for `json.dump`, with all games and the
    regret.

    `policy` is anything that `Agent.of` accepts, and `name` its name in the result. `budget` is the
    work of its training that you declare: `{"steps": N}` or `{"cpu_seconds": S}`. The other
    arguments are those of `ashta.regret`.

    Raises `ValueError` for an unknown task or track, a budget that is too large, and if there is no
    table of the game.
    """
    rules = game(task)
    if name == "perfect":
        raise ValueError("`name` is 'perfect', which is the name of the opponent")
    if track not in TRACKS:
        raise ValueError(f"there is no track {track!r}; the tracks are {', '.join(TRACKS)}")
    if len(budget) != 1 or not all(
        unit in BUDGETS and 0 <= work <= BUDGETS[unit][-1] for unit, work in budget.items()
    ):
        raise ValueError(
            f"`budget` is {budget}, but must be one of the units of {BUDGETS}, with at most this much work"
        )
    budget = {unit: int(work) if unit == "steps" else float(work) for unit, work in budget.items()}
    agents = {
        name: Agent.of(policy, rules, folders),
        "perfect": Agent.of(table or "perfect", rules, folders),
    }
    found = arena(
        agents, rules, pairs=pairs, seed=seed, threads=threads, luck="none", folders=folders
    )
    result = {
        "benchmark": 1,
        "name": name,
        "track": track,
        "budget": budget,
        "pairs": pairs,
        "seed": seed,
    }
    result["games"] = found.games
    return {**result, "regret": verify(result, table=table, folders=folders)}


def verify(
    result: dict[str, Any] | str | PathLike[str],
    *,
    table: Table | None = None,
    folders: Sequence[str | PathLike[str]] | None = None,
) -> _Regret:
    """Replays all games of a result, or of the file of a result. Returns `regret` as in
    `ashta.regret`, for the turns that were played.

    Raises `ValueError` if a game is not legal, has other throws than those of the seed or an
    opponent that is not perfect, or if the stated regret is wrong.
    """
    text = (
        json.dumps(result) if isinstance(result, dict) else Path(result).read_text(encoding="utf-8")
    )
    return verify_result(text, table, folders)


def decisions(task: str) -> tuple[States, NDArray[np.float32]]:
    """10,000 frozen decisions of a task. Returns the states and the exact regret of every action,
    `float32[10000, num_distinct_actions]`; illegal actions are NaN. No training may use them."""
    rules = game(task)
    with np.load(Path(__file__).with_name("checkpoints") / f"benchmark-{task}.npz") as file:
        return States.from_numpy(file["states"], rules), file["regret"]
