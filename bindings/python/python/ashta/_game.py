"""Games as other modules of the package take and make them."""

from __future__ import annotations

from functools import lru_cache

from ._ashta import Game


def game_of(game: str | Game, seats: int | str | None, turn_limit: int | None) -> Game:
    """The game of this name for these seats, or the `Game` that is given, which has its seats and its turn limit."""
    if not isinstance(game, Game):
        return Game(game, seats, turn_limit=turn_limit)
    if seats is not None or turn_limit is not None:
        raise ValueError("`seats` and `turn_limit` go with the name of a game: an `ashta.Game` has its own")
    return game


_made = lru_cache(64)(lambda game, seats, sheet, flags, most: Game(game, seats, sheet, dict(flags), most))


def restored(
    game: str | None, seats: str, sheet: str | None, flags: tuple[tuple[str, str], ...], turn_limit: int | None
) -> Game:
    """The game that was pickled: one object for all states that have it."""
    return _made(game, seats, sheet, flags, turn_limit)
