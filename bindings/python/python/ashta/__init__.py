"""Ashtapada, Ashte Kashte and Pagade: exact environments, trained bots and perfect play.

`Game` and `State` speak the words of OpenSpiel, `VectorGame` steps many games at once, `VersusGame` many games of one
player against an agent; `Agent` and `Bot` play, `arena` ranks agents, and `Table` is perfect play position by
position. `ashta.pettingzoo` and `ashta.gymnasium` are environments for these libraries.
"""

import os
from pathlib import Path

from ._ashta import Agent, ArenaResult, Bot, Game, State, Table, VectorGame, VersusGame, arena

__all__ = [
    "Agent",
    "ArenaResult",
    "Bot",
    "Game",
    "State",
    "Table",
    "VectorGame",
    "VersusGame",
    "arena",
    "folders",
]


def folders() -> list[Path]:
    """Where bots and tables with names are looked for.

    The folders of the environment variable `ASHTA_CHECKPOINTS`, that of the package, which has the small bots, and
    `checkpoints` in the current one, as far as they exist.
    """
    places = [Path(place) for place in os.environ.get("ASHTA_CHECKPOINTS", "").split(os.pathsep) if place]
    places += [Path(__file__).with_name("checkpoints"), Path("checkpoints")]
    return [place for place in places if place.is_dir()]
