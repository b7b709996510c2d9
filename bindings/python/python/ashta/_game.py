"""Functions that the environments share: games, reset options, start positions, unpickling."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ._ashta import Game, State


def game_of(game: str | Game, seats: int | str | None, turn_limit: int | None) -> Game:
    """Makes the game with this name, seats and turn limit; returns a `Game` unchanged."""
    if not isinstance(game, Game):
        return Game(game, seats, turn_limit=turn_limit)
    if seats is not None or turn_limit is not None:
        raise ValueError(
            "`seats` and `turn_limit` need the name of a game: an `ashta.Game` has its own"
        )
    return game


def options_of(options: dict[str, Any] | None, *known: str) -> dict[str, Any]:
    """Returns the options of `reset`; raises `ValueError` for keys that are not in `known`."""
    for name in options or {}:
        if name not in known:
            raise ValueError(f"`options` cannot have {name!r}, only {', '.join(known)}")
    return options or {}


def position_of(game: Game, position: str | State | None, key: str = "position") -> State | None:
    """Converts `options[key]` of `reset` to the state in which the game starts; `None` means the
    usual start."""
    if position is None:
        return None
    try:
        state = game.deserialize_state(str(position))
    except ValueError as error:
        raise ValueError(f"`options` has a wrong {key}: {error}") from None
    if state.is_terminal():
        raise ValueError(f"`options` has a wrong {key}: the game is over at `{state}`")
    return state


_made = lru_cache(64)(
    lambda game, seats, sheet, flags, limit: Game(game, seats, sheet, dict(flags), limit)
)


def restored(
    game: str | None,
    seats: str,
    sheet: str | None,
    flags: tuple[tuple[str, str], ...],
    turn_limit: int | None,
) -> Game:
    """Unpickles a game. States with equal games share one object."""
    return _made(game, seats, sheet, flags, turn_limit)
