"""Race games for chat models: a server of the Model Context Protocol, `python -m ashta.mcp`.

A position is one line of text. At a `chance` node the dice are thrown, at a `decision` node the
mover chooses. Values and returns are from 0 to 1. The agent `auto` is perfect play if there is a
table, otherwise the largest bot."""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from ._extras import needs

with needs("mcp"):
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.types import ToolAnnotations
    from pydantic import Field

from . import Agent, Game, State, States, __version__, analyze
from ._ashta import seed_of

__all__ = ["server"]

_Answer = dict[str, Any]
_Name = Annotated[
    str, Field(description="A name of `list_games`; house rules can follow: `pagade?teams=true`")
]
_Seats = Annotated[
    int | str | None, Field(description="The number of seats or their letters, such as `SEW`")
]
_Position = Annotated[
    str, Field(description="A position, such as `ashtapada S:5,30/N:off,23 S 4,2`")
]
_Sheet = Annotated[
    str | None, Field(description="The sheet of a game that is not built in: TOML, or a .toml file")
]
_By = Annotated[
    str,
    Field(
        description="`auto`, `perfect`, `greedy`, a bot by name or file: `pagade`, `pagade+2ply`"
    ),
]


def _game(name: str, seats: int | str | None, sheet: str | None) -> Game:
    if isinstance(seats, str) and seats.isdecimal():
        seats = int(seats)
    if sheet is None:
        return Game(name, seats)
    flags = dict(flag.partition("=")[::2] for flag in name.partition("?")[2].split("&") if flag)
    return Game(sheet=sheet, seats=seats, flags=flags)


def _state(position: str, sheet: str | None) -> State:
    if sheet is None:
        return States.parse([position.strip()])[0]
    name, seats, *_ = [*position.split(), "", ""]
    letters = "".join(seat[:1] for seat in seats.split("/"))
    return _game(name, letters or None, sheet).deserialize_state(position.strip())


def _agent(by: str, game: Game) -> Agent:
    # The analysis of a game without moves says which agent `auto` is.
    return Agent.of(
        analyze(str(game.new_initial_state(0)), game)["by"] if by == "auto" else by, game
    )


def _by_seat(state: State, numbers: Iterable[float]) -> dict[str, float]:
    return dict(zip(state.get_game().seats, map(float, numbers)))


def _view(state: State) -> _Answer:
    player = state.turn_player()
    view = {"position": str(state), "board": state.draw()}
    if player is None:
        return view | {"node": "over", "returns": _by_seat(state, state.returns())}
    return view | {
        "node": "chance" if state.is_chance_node() else "decision",
        "mover": state.get_game().seats[player],
    }


def _apply(state: State, move: int | str) -> str:
    legal = {state.action_to_string(action): action for action in state.legal_actions()}
    number = legal.get(move, -1) if isinstance(move, str) else move
    if number not in state.legal_actions():
        raise ValueError(f"{move!r} is not legal at `{state}`; legal moves: {legal}")
    text = state.action_to_string(number)
    state.apply_action(number)
    return text


def list_games() -> list[_Answer]:
    """Lists the built-in games with the sets of seats that can play."""
    games = [Game(name).describe() for name in Game.names()]
    return [
        {key: game[key] for key in ("name", "title", "summary", "place", "seats")} for game in games
    ]


def rules(game: _Name = "", seats: _Seats = None, sheet: _Sheet = None) -> str:
    """Returns the rules of a game with the given house rules, and the house rules that can be
    chosen."""
    found = _game(game, seats, sheet).describe()
    lines = [f"# {found['title']} (`{found['name']}`)", found["summary"]]
    for topic in found["understood"]:
        lines += [f"\n## {topic['topic']}", *topic["sentences"]]
    lines += ["\n## House rules"] if found["flags"] else []
    for flag in found["flags"]:
        values = " ".join(f"`{value['name']}`: {value['about']}" for value in flag["values"])
        lines.append(f"* `{flag['name']}={flag['value']}`: {flag['about']} {values}")
    return "\n".join(lines)


def new_game(
    game: _Name = "", seats: _Seats = None, first: int | None = None, sheet: _Sheet = None
) -> _Answer:
    """Returns the first position. `first` is the number of the player who throws first, from 0; by
    default random."""
    return _view(_game(game, seats, sheet).new_initial_state(first))


def view(position: _Position, sheet: _Sheet = None) -> _Answer:
    """Draws a position, and says which seat throws or chooses, or the returns of the seats if the
    game is over."""
    return _view(_state(position, sheet))


def legal_moves(position: _Position, sheet: _Sheet = None) -> list[_Answer]:
    """Lists the legal actions with the positions after them; at a `chance` node, the throws with
    probabilities."""
    state = _state(position, sheet)
    chances = dict(state.chance_outcomes()) if state.is_chance_node() else {}
    return [
        {"move": move, "text": state.action_to_string(move), "position": str(state.child(move))}
        | ({"probability": chances[move]} if chances else {})
        for move in state.legal_actions()
    ]


def best_turns(
    position: _Position, by: _By = "auto", most: int = 10, sheet: _Sheet = None
) -> _Answer:
    """Lists whole turns from a `decision` node, at most `most`, with the values of the seats after
    them. The best turn for the mover is the first. `count` is the number of all turns."""
    state = _state(position, sheet)
    if not state.is_player_node():
        raise ValueError(f"no seat chooses at `{state}`")
    agent, player, ends = _agent(by, state.get_game()), state.current_player(), state.turn_results()
    valued = zip(agent.values([end for end, _ in ends]), ends)
    turns = [
        {
            "text": state.turn_to_string(moves),
            "moves": moves,
            "position": str(end),
            "values": _by_seat(state, values),
        }
        for values, (end, moves) in sorted(valued, key=lambda turn: -turn[0][player])[
            : max(most, 1)
        ]
    ]
    return {"by": agent.name, "count": len(ends), "turns": turns}


def play(
    position: _Position,
    moves: list[int | str] = [],
    by: _By = "auto",
    seed: int | None = None,
    sheet: _Sheet = None,
) -> _Answer:
    """Plays moves in their order: actions or throws, each as number or text of `legal_moves`.
    Without moves, throws the dice until a seat chooses, or lets the agent `by` complete the turn;
    the same `seed` repeats throws and choices."""
    state, seed = _state(position, sheet), seed_of(seed)
    generator = random.Random(seed)
    played = [_apply(state, move) for move in moves]
    begun = state.turn_player(), state.is_chance_node()
    agent = None if moves or state.is_chance_node() else _agent(by, state.get_game())
    while not moves and (state.turn_player(), state.is_chance_node()) == begun:
        bits = generator.getrandbits(64)
        played.append(
            _apply(state, state.clone().throw(bits) if agent is None else agent.step(state, bits))
        )
    return {"played": played, "seed": seed} | _view(state)


def values(position: _Position, by: _By = "auto", sheet: _Sheet = None) -> _Answer:
    """Returns the value of a position for each seat: its probability of winning, or its expected
    return."""
    state = _state(position, sheet)
    agent = _agent(by, state.get_game())
    return {"by": agent.name, "values": _by_seat(state, agent.values([state])[0])}


def analyze_game(
    record: str | list[str] | _Answer, by: _By = "auto", sheet: _Sheet = None
) -> _Answer:
    """Analyzes a game: luck, errors and better choices of each turn. `record` is a game of an
    arena, or the positions of a game, as lines or as a list: the start, and the positions after
    each throw and each turn."""
    text = "\n".join(record) if isinstance(record, list) else record
    return analyze(text, None if sheet is None else Game(sheet=sheet), by=by)


@contextmanager
def _messages() -> Iterator[None]:
    try:  # The library hides the messages of other exceptions from clients.
        yield
    except Exception as error:
        raise ToolError(str(error)) from error


server = MCPServer("ashta", version=__version__, log_level="WARNING", instructions=__doc__)
for _tool in (
    list_games,
    rules,
    new_game,
    view,
    legal_moves,
    best_turns,
    play,
    values,
    analyze_game,
):
    server.add_tool(
        _messages()(_tool), annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False)
    )

if __name__ == "__main__":
    argparse.ArgumentParser(prog="python -m ashta.mcp", description=__doc__).parse_args()
    server.run()
