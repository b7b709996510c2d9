"""Compares the rules in Python with those of the program, position by position."""

from __future__ import annotations

import json
import random
import subprocess
from dataclasses import dataclass
from typing import Any

from race_rules import ACTIONS, THROWS, THROW_WEIGHTS, AshteKashte, Position, hunter_choice


class Engine:
    """The program `ashta engine --agent hunter`."""

    def __init__(self, binary: str) -> None:
        command = [binary, "engine", "--agent", "hunter"]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(timeout=30)

    def ask(self, requests: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Returns one answer for each request, in order. Pass few requests at a time, so that the
        pipes do not fill up."""
        for request in requests:
            self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return [json.loads(self.process.stdout.readline()) for _ in requests]


@dataclass
class Tally:
    """The numbers of comparisons."""

    decisions: int = 0
    results: int = 0
    turns: int = 0
    games: int = 0
    choices: int = 0
    captures: int = 0


class Difference(AssertionError):
    """Python and the program disagree."""


def agree(what: str, position: str, ours: object, theirs: object) -> None:
    if ours != theirs:
        raise Difference(f"{what} at `{position}`:\n  Python  {ours}\n  program {theirs}")


def check_decision(game: AshteKashte, position: Position, engine: Engine, tally: Tally) -> None:
    """Compares the mask, the observation, the results of all actions and the action of `hunter`."""
    text = game.text(position)
    legal = game.legal(position)
    asked = [{"op": "observe", "position": text}, {"op": "bestmove", "position": text}]
    asked += [{"op": "apply", "position": text, "action": action} for action in legal]
    observed, best, *applied = engine.ask(asked)
    if "error" in observed:
        raise Difference(f"the program refuses `{text}`: {observed['error']['message']}")
    agree("mask", text, [int(action in legal) for action in range(ACTIONS)], observed["mask"])
    agree("observation", text, game.observe(position).astype(int).tolist(), observed["observation"])
    after = [game.apply(position, action) for action in legal]
    agree(
        "results",
        text,
        [game.text(next_position) for next_position in after],
        [a["position"] for a in applied],
    )
    for next_position, answer in zip(after, applied, strict=True):
        winner = game.winner(next_position)
        returns = None if winner is None else [float(seat == winner) for seat in (0, 1)]
        agree("returns", text, returns, answer.get("returns"))
    agree("hunter's action", text, hunter_choice(game, position), best["action"])
    tally.decisions += 1
    tally.choices += len(legal) > 1
    tally.results += len(after)


def check_turn(game: AshteKashte, before: Position, position: Position, engine: Engine) -> None:
    """Compares the positions in which a whole turn can end."""
    text = game.text(before)
    [answer] = engine.ask([{"op": "turns", "position": text, "throws": [position.pending]}])
    ours = sorted(game.text(result) for _, result in game.turn_results(position))
    agree(f"turns with {position.pending}", text, ours, answer["positions"])


def check_throws(game: AshteKashte, engine: Engine) -> None:
    [answer] = engine.ask([{"op": "chance", "position": game.text(game.start(0))}])
    theirs = {outcome["throw"][0]: outcome["p"] for outcome in answer["outcomes"]}
    agree(
        "chances",
        game.name,
        {t: weight / 16 for t, weight in zip(THROWS, THROW_WEIGHTS, strict=True)},
        theirs,
    )


def check(game: AshteKashte, binary: str, positions: int, seed: int) -> Tally:
    """Plays whole games until `positions` decisions are compared; raises [Difference] at the first
    difference.

    The actions of a game are random, from `hunter`, or mixed, so that captures and ends of games
    occur.
    """
    rng = random.Random(seed)
    tally = Tally()
    with Engine(binary) as engine:
        check_throws(game, engine)
        while tally.decisions < positions:
            share_of_hunter = rng.choice((0.0, 0.5, 1.0))
            position = game.start(rng.randrange(2))
            while game.winner(position) is None:
                if position.pending is None:
                    before, position = position, game.throw(position, rng)
                    check_turn(game, before, position, engine)
                    tally.turns += 1
                    continue
                check_decision(game, position, engine, tally)
                is_hunter = rng.random() < share_of_hunter
                action = (
                    hunter_choice(game, position) if is_hunter else rng.choice(game.legal(position))
                )
                enemy = position.pieces[1 - position.mover]
                after = game.apply(position, action)
                tally.captures += after.pieces[1 - position.mover] != enemy
                position = after
            tally.games += 1
    return tally
