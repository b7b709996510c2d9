"""The results of training runs and arenas."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class TrainedRun:
    """The result of a training run."""

    path: Path
    """The folder of the run."""
    bot: Path | None
    """The bot; `None` if the run was stopped. `ashta.train(resume=run.path)` resumes the run."""
    results: list[dict[str, Any]] | None
    """The final matches, one dict for each opponent: `opponent`, `score` with its `interval`, and
    the numbers `games`, `drawn_games` and `truncated_games` (at the turn limit); for solved games
    also `regret`."""


class ArenaResult:
    """The result of an arena."""

    def __init__(self, report: str, games: str, shown: str) -> None:
        self._report, self._games, self._shown = report, games, shown

    @property
    def report(self) -> dict[str, Any]:
        """The report that `ashta arena --json` prints, with the same keys. A bound of an interval
        is `None` if it cannot be estimated."""
        return json.loads(self._report)

    @property
    def games(self) -> list[dict[str, Any]]:
        """The games as dicts, with the keys of a games file; empty with `keep_games=False`. Each
        access parses the games again."""
        return json.loads(self._games)

    def __repr__(self) -> str:
        return self._shown
