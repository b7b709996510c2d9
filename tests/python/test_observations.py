"""docs/observations/*.json: the layout of the observation and 20 examples for each built-in game.

With UPDATE_GOLDEN=1 in the environment the files are written anew from the answers of the program.
"""

import itertools
import json
import os
import random
import re
import tomllib

import numpy as np
import pytest

import ashta
from play import walked
import program


def places(position, seat):
    """The names of the places of a seat's pieces, in ascending order."""
    return re.sub(r"(\d)t", r"\1", re.search(rf"[ /]{seat}[^:/]*:([^ /]+)", position)[1]).split(",")


def entries(state, observer):
    return np.flatnonzero(state.observation_tensor(observer)).tolist()


def example(game, state, observer):
    legal = [] if state.is_chance_node() or state.is_terminal() else state.legal_actions()
    return {
        "position": state.serialize(),
        "observer": game.seats[observer],
        "entries": entries(state, observer),
        "legal": legal,
    }


def layout(game, states):
    """The first entries of the parts, found from many positions."""
    n, length = game.num_players(), game.observation_tensor_size()
    pairs = [
        (text, seat, entries(state, at))
        for text, state in states.items()
        for at, seat in enumerate(game.seats)
    ]
    found = {
        name: at
        for text, seat, ones in pairs
        for name, at in reversed([*zip(places(text, seat), ones)])
    }
    found = dict(sorted(found.items(), key=lambda item: item[1]))
    before = entries(game.new_initial_state(0), 0)[-1]
    limit = tomllib.loads(
        (program.ROOT / "env" / "games" / f"{game.name.split('?')[0]}.toml").read_text()
    )["turn"].get("most_throws", 0)
    seat = (before - limit - 3 * (n == 3)) // n
    # At decisions, the entries of the place of the first piece. Finished seats can move the pieces
    # of their partners.
    first, index = set(range(before + 2 * n, length)), list(found)
    for text, seat_of, ones in pairs:
        mover, pending = text.split(" ")[2:]
        name = places(text, mover)[0] if seat_of == mover else index[-1]
        if "*" not in pending and ";" not in pending and name != index[-1]:
            first &= {entry - index.index(name) for entry in ones}
    (pieces,), count = first, len(places(text, game.seats[0]))
    reach = length - 4 * count
    assert reach - pieces - count * (len(found) + 6) in (0, 8, 9), "a place is missing"
    movers = {"before": before, "decision": before + n, "throws": before + 2 * n}
    relations = seat - 144 - 4 * (game.outlook == "placings")
    return {
        "places": found,
        "relations": relations,
        "seat": seat,
        **movers,
        "pieces": pieces,
        "reach": reach,
        "length": length,
    }


def chosen(game, states, count):
    """Examples with many different entries and kinds of positions: greedy choice."""
    pool = [
        example(game, state, observer)
        for state in states.values()
        for observer in range(game.num_players())
    ]
    random.Random(0).shuffle(pool)

    def features(one):
        mover, pending = one["position"].split(" ")[2:]
        # The signs of the pending part tell the kind of node.
        signs = re.findall(r"^-|,\*|\w-|\+0|[*;+&~^!/]|in\b", pending)
        return {
            *one["entries"],
            *itertools.product((*signs, one["observer"], mover == one["observer"]), range(90)),
        }

    found = [example(game, game.new_initial_state(0), 0)]
    while len(found) < count:
        seen = set().union(*map(features, found))
        found.append(max(pool, key=lambda one: len(features(one) - seen)))
    return found


def written(name):
    """The file of a game: the rulesets of its bots, each with its layout and its part of the
    examples."""
    games = {
        bot.game
        for bot in map(ashta.Bot.load, program.SMALL)
        if bot.game.name.split("?")[0] == name
    }
    games, blocks = sorted(games, key=lambda game: (game.num_players(), game.name)), []
    for nth, game in enumerate(games):
        states = {**walked(game, name, 3000), "start": game.new_initial_state(0)}
        over, generator = states["start"].clone(), random.Random(0)
        while not over.is_terminal():
            over.apply_action(generator.choice(over.legal_actions()))
        states = {state.serialize(): state for state in [*states.values(), over]}
        head = {
            "game": game.name,
            "seats": game.seats,
            "encoding": game.encoding,
            "layout": layout(game, states),
        }
        examples = map(json.dumps, chosen(game, states, (20 + nth) // len(games)))
        blocks.append(
            json.dumps(head)[:-1] + ', "examples": [\n  ' + ",\n  ".join(examples) + "\n]}"
        )
    return "[" + ",\n".join(blocks) + "]\n"


@pytest.mark.parametrize("name", ashta.Game.names())
def test_the_file_has_the_answers_of_the_program(name):
    path = program.ROOT / "docs" / "observations" / f"{name}.json"
    if os.environ.get("UPDATE_GOLDEN") == "1":
        path.write_text(written(name))
    rulesets = json.loads(path.read_text())
    assert sum(len(ruleset["examples"]) for ruleset in rulesets) == 20
    for ruleset in rulesets:
        game, parts = ashta.Game(ruleset["game"], seats=ruleset["seats"]), ruleset["layout"]
        assert (game.encoding, game.observation_tensor_size()) == (
            ruleset["encoding"],
            parts["length"],
        )
        assert {one["observer"] for one in ruleset["examples"]} == set(game.seats)
        slot = len(parts["places"]) + 6
        for one in ruleset["examples"]:
            position, observer = one["position"], game.seats.index(one["observer"])
            state, ones, mover = (
                game.deserialize_state(position),
                set(one["entries"]),
                position.split(" ")[2],
            )
            assert one == example(game, state, observer), position
            around = game.seats[observer:] + game.seats[:observer]
            for start, seat in zip(itertools.count(0, parts["seat"]), around, strict=False):
                own = places(position, seat)
                assert {
                    start + parts["places"][name] + own[:nth].count(name)
                    for nth, name in enumerate(own)
                } <= ones
                assert (
                    sum(112 <= entry - start - parts["relations"] < 128 for entry in ones) == 1
                ), "progress has one level"
            is_decision = not state.is_terminal() and not state.is_chance_node()
            movers = parts["decision" if is_decision else "before"]
            assert state.is_terminal() or movers + around.index(mover) in ones
            for at in range(parts["pieces"], parts["pieces"] + slot * len(own), slot):
                assert len(ones & {*range(at, at + slot - 6)}) == is_decision
