"""Ashtapada, Ashte Kashte and Pagade: exact environments, trained bots and perfect play.

`Game` and `State` have the method names of OpenSpiel. `VectorGame` steps many games at once, for
all players or for one player against an opponent. `Agent` and `Bot` play, `arena` ranks agents, and
`Table` has the values of perfect play. `ashta.pettingzoo` and `ashta.gymnasium` contain
environments for these libraries.
"""

from pathlib import Path

from numpy._core._multiarray_umath import __cpu_features__ as _features  # type: ignore[import-not-found]

# numpy has asked the processor. The compiled part cannot raise this exception: all its code needs
# AVX2.
if _features.get("SSE2") and not (_features["AVX2"] and _features["FMA3"]):
    raise ImportError("ashta needs a processor with AVX2 and FMA")

from ._ashta import (
    Agent,
    Bot,
    Game,
    State,
    States,
    Table,
    VectorGame,
    __version__,
    analyze,
    arena,
    data_folders,
    exploitability,
    export,
    positions,
    regret,
    rollout,
    solve,
    train,
)
from ._results import ArenaResult, TrainedRun

__all__ = [
    "Agent",
    "ArenaResult",
    "Bot",
    "Game",
    "State",
    "States",
    "Table",
    "TrainedRun",
    "VectorGame",
    "__version__",
    "analyze",
    "arena",
    "exploitability",
    "export",
    "folders",
    "positions",
    "regret",
    "rollout",
    "solve",
    "train",
]


def folders() -> list[Path]:
    """Returns the folders in which bots and tables are looked up by name. The small bots need no
    folder: they are inside the package.

    In this order, if they exist: the folders in the environment variable `ASHTA_CHECKPOINTS`, the
    folder `ashta` in the user's data folder, `checkpoints` in the current folder, and a folder of
    the package with tables of perfect play.
    """
    own = Path(__file__).with_name("checkpoints")
    return [*map(Path, data_folders()), *([own] if own.is_dir() else [])]
