"""Games as other modules of the package take and make them."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ._ashta import Game, State


def game_of(game: str | Game, seats: int | str | None, turn_limit: int | None) -> Game:
    """The game of this name for these seats, or the `Game` that is given, which has its seats and its turn limit."""
    if not isinstance(game, Game):
        return Game(game, seats, turn_limit=turn_limit)
    if seats is not None or turn_limit is not None:
        raise ValueError("`seats` and `turn_limit` go with the name of a game: an `ashta.Game` has its own")
    return game


def options_of(options: dict[str, Any] | None, *known: str) -> dict[str, Any]:
    """The options of `reset`, which must be `known`."""
    for name in options or {}:
        if name not in known:
            raise ValueError(f"`options` has no {name!r}, only {', '.join(known)}")
    return options or {}


def position_of(game: Game, position: str | State | None, key: str = "position") -> State | None:
    """The state in which a game is to begin, by `options[key]` of `reset`; `None` where the rules say it."""
    if position is None:
        return None
    try:
        state = game.deserialize_state(str(position))
    except ValueError as error:
        raise ValueError(f"`options` has a wrong {key}: {error}") from None
    if state.is_terminal():
        raise ValueError(f"`options` has a wrong {key}: the game is over at `{state}`")
    return state


_made = lru_cache(64)(lambda game, seats, sheet, flags, most: Game(game, seats, sheet, dict(flags), most))


def restored(
    game: str | None, seats: str, sheet: str | None, flags: tuple[tuple[str, str], ...], turn_limit: int | None
) -> Game:
    """The game that was pickled: one object for all states that have it."""
    return _made(game, seats, sheet, flags, turn_limit)
