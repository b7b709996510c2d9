"""Ashtapada, Ashte Kashte and Pagade: exact environments, trained bots and perfect play.

`Game` and `State` speak the words of OpenSpiel, `VectorGame` steps many games at once, of all players or of one player
against an opponent; `Agent` and `Bot` play, `arena` ranks agents, and `Table` is perfect play position by
position. `ashta.pettingzoo` and `ashta.gymnasium` are environments for these libraries.
"""

from pathlib import Path

from ._ashta import (
    Agent,
    Bot,
    Game,
    State,
    Table,
    VectorGame,
    __version__,
    analyze,
    arena,
    data_folders,
    export,
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
    "Table",
    "TrainedRun",
    "VectorGame",
    "__version__",
    "analyze",
    "arena",
    "export",
    "folders",
    "solve",
    "train",
]


def folders() -> list[Path]:
    """The folders in which bots and tables with names are looked for; the small bots are in the package itself.

    Those of the environment variable `ASHTA_CHECKPOINTS`, the folder `ashta` of the user's data, `checkpoints` in the
    current one, and that of the package, which has tables of perfect play; as far as they exist.
    """
    own = Path(__file__).with_name("checkpoints")
    return [*map(Path, data_folders()), *([own] if own.is_dir() else [])]
