"""Training, solving and exporting as functions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from ._ashta import Game, Table, train_run
from ._ashta import export as _export
from ._ashta import solve as _solve

__all__ = ["TrainedRun", "export", "solve", "train"]


@dataclass(frozen=True)
class TrainedRun:
    """A training run that has ended."""

    path: Path
    """The folder of the run."""
    bot: Path | None
    """The bot, `None` where the run was stopped: `ashta.train(resume=run.path)` goes on with it."""
    results: list[dict[str, Any]] | None
    """The matches at the end, one an opponent: `opponent`, `score` with its `interval`, `games`, and against perfect play
    `regret`."""


def train(
    config: str | PathLike[str] | None = None,
    settings: Mapping[str, Any] | None = None,
    *,
    resume: str | PathLike[str] | None = None,
    fallback: bool = False,
    callback: Callable[[dict[str, Any]], bool | None] | None = None,
    progress: bool = True,
    folders: Sequence[str | PathLike[str]] | None = None,
) -> TrainedRun:
    """Trains, evaluates and exports a bot as `ashta train` does.

    `config` is the name of a configuration that comes with the package (`"pagade"`, `"ashte-kashte?pieces=2"`), a file
    of settings or a sheet; without one the defaults hold. `settings` change single keys, such as
    `{"selfplay.games": 20_000}`. `resume` is the folder of a run that was interrupted, with which it goes on;
    with `fallback` damaged checkpoints are set aside, and it goes on from the newest one that is whole.

    `callback` is called after each iteration with its metrics, by the names of docs/metrics.md, and `run`, the folder as a
    `Path`; where it returns something true the run stops and can be resumed. So it does on Ctrl-C, which raises
    `KeyboardInterrupt` once what was learned is saved. With `progress` a line or a bar on standard error shows how the
    run stands. `folders` are those of bots and tables, by default `ashta.folders()`.

    Raises `ValueError` with every problem of the settings, and when the run cannot be read or written.
    """
    if config is not None and resume is not None:
        raise ValueError("`config` begins a run and `resume` goes on with one: give one of them")
    changes = [f"{key}={json.dumps(_none(value))}" for key, value in (settings or {}).items()]
    path, bot, results = train_run(config, changes, resume, fallback, callback, progress, folders)
    return TrainedRun(path, bot, results)


def _none(value: Any) -> Any:
    """A value as TOML has it, which knows no null: the settings call it "none"."""
    return "none" if value is None else value


def solve(
    game: str | Game,
    output: str | PathLike[str],
    *,
    bits: int = 16,
    threads: int | None = None,
    tolerance: float = 2e-9,
    proof: bool = True,
) -> Table:
    """Solves a small enough game, writes perfect play to the table `output`, and reads it.

    `bits`, 16 or 32, are those of a value; a value has settled when looking ahead changes it by no more than
    `tolerance`. `proof` finds how exact the values are and takes as much memory again. `threads`, by default one a
    processor, do not change the table. Ctrl-C ends it at the next sweep. Raises `ValueError` when the game is too large
    or the table cannot be written.
    """
    game = game if isinstance(game, Game) else Game(game)
    _solve(game, Path(output), bits=bits, threads=threads, tolerance=tolerance, proof=proof)
    return Table.load(Path(output))


def export(
    source: str | PathLike[str],
    output: str | PathLike[str] | None = None,
    *,
    format: str = "bot",
    checkpoint: str | int | None = None,
    folders: Sequence[str | PathLike[str]] | None = None,
) -> Path:
    """Writes the bot of a run, or a bot by its file or name, as one file, with its card beside it; gives the file.

    `format` is `"bot"` or `"onnx"`; of a run `checkpoint` is `"latest"`, `"best"` or the number of an iteration, by
    default the latest. Without `output` the file has the bot's name in the current folder. Raises `ValueError` when
    there is no such run, checkpoint or bot, or the file cannot be written.
    """
    which = None if checkpoint is None else str(checkpoint)
    return _export(source, output, format=format, checkpoint=which, folders=folders)[0]
