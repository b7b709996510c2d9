"""What training and arenas return."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class TrainedRun:
    """A training run that has ended."""

    path: Path
    """The folder of the run."""
    bot: Path | None
    """The bot, `None` where the run was stopped: `ashta.train(resume=run.path)` goes on with it."""
    results: list[dict[str, Any]] | None
    """The matches at the end, one an opponent: `opponent`, `score` with its `interval`, `games`, of them `drawn_games`,
    `truncated_games` at the turn limit, and against perfect play `regret`."""


class ArenaResult:
    """What an arena found."""

    def __init__(self, report: str, games: str, shown: str) -> None:
        self._report, self._games, self._shown = report, games, shown

    @property
    def report(self) -> dict[str, Any]:
        """What `ashta arena --json` prints, with the same keys; bounds that are not known are `None`."""
        return json.loads(self._report)

    @property
    def games(self) -> list[dict[str, Any]]:
        """The games, each as a line of a file of games has it; none with `keep_games=False`. Made anew each time."""
        return json.loads(self._games)

    def __repr__(self) -> str:
        return self._shown
