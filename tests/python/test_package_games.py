"""Games of the Python package: the user's own sheets, and limits of long turns."""

import copy
import pickle
import random
import re
import statistics

import gymnasium
import numpy as np
import pytest
from pettingzoo.test import api_test

import ashta
import ashta.gymnasium
import ashta.pettingzoo
import program
from play import legal

# A built-in game under another name.
SIGA = program.renamed("siga", "my-siga")
POSITION = "ashtapada S:5,30/N:off,23 S 4,2"


def throws_of_a_game(game, agents, seed):
    """How many throws a game between these agents takes."""
    generator, state, throws = random.Random(seed), game.new_initial_state(seed=seed), 0
    while not state.is_terminal():
        if state.is_chance_node():
            state.throw(generator.getrandbits(64))
            throws += 1
        else:
            state.apply_action(agents[state.current_player()].step(state, seed=0))
    return throws


def test_minutes_of_a_game_are_eight_seconds_a_throw():
    for name in ashta.Game.names():
        game = ashta.Game(name)
        minutes = game.describe()["minutes"]
        agents = [ashta.Agent(agent, game) for agent in ("greedy+2ply", "greedy")]
        measured = (
            statistics.mean(throws_of_a_game(game, agents, seed) for seed in range(20)) * 8 / 60
        )
        assert 0.75 < measured / minutes < 1.33, (name, minutes, measured)


def test_a_sheet_is_a_text_or_a_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(SIGA)
    games = [ashta.Game(sheet=sheet) for sheet in (SIGA, str(path), path)]
    assert all(game == games[0] and game.name == "my-siga" and game.seats == "SN" for game in games)
    built_in = ashta.Game("siga")
    assert games[0] != built_in and games[0].ruleset_hash != built_in.ruleset_hash
    assert ashta.Game(sheet=(program.SHEETS / "siga.toml")) == built_in, (
        "a built-in sheet is the built-in game"
    )
    flags = {"stack": "none", "divide": "none"}
    assert ashta.Game(sheet=path, flags=flags).name == "my-siga?divide=none&stack=none"
    assert ashta.Game("siga?stack=none", flags={"divide": "none"}) == ashta.Game(
        "siga", flags=flags
    )
    teams = ashta.Game("pagade", flags={"teams": True, "pieces": 2})
    assert teams == ashta.Game("pagade?teams=true&pieces=2", 4) and teams.seats == "SENW"
    chowka = program.renamed("chowka-5")
    assert ashta.Game(sheet=chowka, seats="SEW").seats == "SEW"
    assert ashta.Game(sheet=chowka, seats=4).num_players() == 4


def test_what_is_wrong_with_a_sheet_is_named(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        SIGA.replace('mark_rule = "share"', 'mark_rule = "ours"').replace(
            'group = "all"', 'group = "few"'
        )
    )
    for wrong, parts in [
        (lambda: ashta.Game(sheet=path), [f"{path}:", "board.mark_rule", "capture.group"]),
        (lambda: ashta.Game(sheet="no sheet"), ["sheet:1"]),
        (lambda: ashta.Game(sheet=tmp_path / "none.toml"), ["none.toml", "No such file"]),
        (
            lambda: ashta.Game(sheet=SIGA.replace("my-siga", "ashtapada")),
            ["`ashtapada` is the name of a built-in game"],
        ),
        (
            lambda: ashta.Game(sheet=SIGA, flags={"lap": "x", "stack": "many"}),
            ["unknown flag `lap`", "`stack` does not take"],
        ),
        (lambda: ashta.Game(sheet=SIGA, seats=4), ["my-siga is not played on the seats `SENW`"]),
        (
            lambda: ashta.Game("siga?stack=none", flags={"stack": "none"}),
            ["`stack` is given twice"],
        ),
        (lambda: ashta.Game("siga", turn_limit=0), ["`turn_limit` is 0, but must be 1 to"]),
        (lambda: ashta.Game("siga", turn_limit=1 << 32), ["must be 1 to 4294967295"]),
        (
            lambda: ashta.gymnasium.RaceEnv(ashta.Game("siga"), seats=2),
            ["an `ashta.Game` has its own"],
        ),
    ]:
        with pytest.raises(ValueError) as error:
            wrong()
        assert all(part in str(error.value) for part in parts), error.value
    for wrong in [
        lambda: ashta.Game(),
        lambda: ashta.Game("siga", sheet=SIGA),
        lambda: ashta.Game(sheet=3),
        lambda: ashta.Game("siga", flags=["stack"]),
        lambda: ashta.Game("siga", flags={"stack": None}),
    ]:
        with pytest.raises(TypeError):
            wrong()


def test_a_game_of_a_sheet_works_everywhere():
    game = ashta.Game(sheet=SIGA, flags={"stack": "none"}, turn_limit=300)
    for made in [pickle.loads(pickle.dumps(game)), copy.deepcopy(game)]:
        assert made == game and made.name == game.name and made.max_game_length() == 300
    state = game.new_initial_state(0)
    assert game.deserialize_state(state.serialize()) == state and state.get_game() == game
    with pytest.raises(ValueError, match="not to `my-siga"):
        game.deserialize_state(POSITION)
    many, generator = ashta.VectorGame(game, 8), np.random.default_rng(1)
    many.reset(1)
    for _ in range(200):
        many.step(legal(many.legal_actions, generator))
    greedy = ashta.Agent("greedy", game)
    versus = ashta.VectorGame(game, 4, greedy)
    versus.reset(1)
    for _ in range(100):
        versus.step(legal(versus.legal_actions, generator))
    waiting = [state for state in versus.states if state.current_player() >= 0]
    assert len(greedy.act(waiting)) == len(waiting)
    report = ashta.arena(["greedy", "random"], game, pairs=20).report
    assert report["games"] == 40
    api_test(ashta.pettingzoo.env(game), num_cycles=100)
    env = gymnasium.make_vec("ashta/Race-v0", num_envs=3, game=game, opponent="hunter")
    _, info = env.reset(seed=1)
    for _ in range(50):
        _, _, _, _, info = env.step(legal(info["action_mask"], generator))


def test_long_turns_are_refused():
    state = ashta.Game("ashtapada").deserialize_state(POSITION)
    assert len(state.turn_results()) == len(state.turn_results(limit=1000)) > 1
    message = f"more than 1 positions from `{POSITION}`: raise `limit`"
    with pytest.raises(ValueError, match=re.escape(message)):
        state.turn_results(limit=1)
