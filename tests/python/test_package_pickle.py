"""Pickles and copies equal the original, also in another process and in another folder, and behave
identically."""

import copy
import itertools
import json
import pickle
import random
import shutil

import gymnasium
import numpy as np
import pytest

import ashta
import ashta.gymnasium
import ashta.pettingzoo
import program
from play import legal

GAMES = [
    ("ashtapada", 2),
    ("ashte-kashte", "SEW"),
    ("pagade?teams=true", 4),
    ("siga?stack=none", 2),
]
POSITION = "ashtapada S:5,30/N:off,23 S 4,2"


pytestmark = pytest.mark.usefixtures("checkpoints")


def pickled(thing):
    return pickle.loads(pickle.dumps(thing))


def copies(thing):
    """The same thing, made again in every way."""
    made = [
        pickle.loads(pickle.dumps(thing, protocol))
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)
    ]
    return [*made, copy.deepcopy(thing)]


def own_game():
    return ashta.Game(sheet=program.renamed("siga"), flags={"stack": "none"}, turn_limit=70)


def fewest(states):
    """An opponent as users write it: here the last legal action."""
    masks = states.masks()
    return masks.shape[1] - 1 - np.argmax(masks[:, ::-1], axis=1)


@pytest.mark.parametrize(
    "game", [*(ashta.Game(name, seats) for name, seats in GAMES), own_game()], ids=repr
)
def test_a_state_is_the_same_again(game):
    generator = random.Random(2)
    state = game.new_initial_state(seed=1)
    for _ in range(120):
        for again in copies(state):
            assert again == state and hash(again) == hash(state) and str(again) == str(state)
            assert (
                again.get_game() == game
                and again.get_game().max_game_length() == game.max_game_length()
            )
            assert (
                again.legal_actions() == state.legal_actions()
                and again.returns() == state.returns()
            )
            np.testing.assert_array_equal(again.observation_tensor(0), state.observation_tensor(0))
        if state.is_terminal():
            break
        before = copy.deepcopy(state)
        if state.is_chance_node():
            state.throw(generator.getrandbits(64))
        else:
            state.apply_action(generator.choice(state.legal_actions()))
        assert str(before) != str(state) or before.is_chance_node()
    assert [str(again) for again in pickled([state] * 3)] == [str(state)] * 3


def test_a_throw_is_that_of_its_bits():
    state = ashta.Game("pagade").new_initial_state(0)
    generator, thrown = random.Random(3), set()
    for _ in range(400):
        after = state.clone()
        outcome = after.throw(generator.getrandbits(64))
        assert after == state.child(outcome)
        thrown.add(outcome)
    assert thrown == set(state.legal_actions())
    with pytest.raises(ValueError, match="not a chance node"):
        state.child(0).throw(1)


@pytest.mark.parametrize(
    "game", [ashta.Game("ashtapada"), ashta.Game("pagade", 4, turn_limit=30), own_game()], ids=repr
)
@pytest.mark.parametrize("kind", ["vector", "greedy", "function"])
def test_many_games_go_on_where_they_stood(game, kind):
    opponent = {"vector": None, "function": fewest}.get(kind, ashta.Agent("greedy", game))
    many = ashta.VectorGame(game, 16, opponent)
    for one in copies(many):
        with pytest.raises(ValueError, match="call `reset` first"):
            one.step(np.zeros(16, np.int64))
        one.reset(3)
    many.reset(5)
    names = [name for name in dir(many) if isinstance(getattr(many, name), np.ndarray)]
    assert len(names) == 7
    generator, others, ended = np.random.default_rng(1), [], 0
    for step in range(450):
        if step % 100 == 50:
            others, ended = copies(many), 0
        for other, name in itertools.product(others, names):
            np.testing.assert_array_equal(getattr(other, name), getattr(many, name), err_msg=name)
        actions = legal(many.legal_actions, generator)
        for one in (many, *others):
            one.step(actions)
        ended += (many.terminated | many.truncated).sum()
    assert ended > 0, "games have ended since they were copied"


def played(env, steps, seed=None):
    """The answers of a Gymnasium environment to some steps from its current position."""
    generator, seen = np.random.default_rng(7), []
    for _ in range(steps):
        mask = env.unwrapped._info()["action_mask"]
        observation, reward, terminated, truncated, info = env.step(legal(mask, generator))
        seen.append([observation, reward, terminated, truncated, info["action_mask"]])
        if mask.ndim == 1 and (terminated or truncated):
            observation, info = env.reset()
            seen.append([observation, info["action_mask"]])
    return seen


@pytest.mark.parametrize("opponent", ["hunter", "ashtapada", fewest])
@pytest.mark.parametrize("make", [
    lambda opponent: ashta.gymnasium.RaceEnv("ashtapada", opponent=opponent, turn_limit=60),
    lambda opponent: gymnasium.make("ashta/Race-v0", game="ashtapada", opponent=opponent, turn_limit=60),
    lambda opponent: ashta.gymnasium.RaceVectorEnv(5, "ashtapada", opponent=opponent, turn_limit=60),
])  # fmt: skip
def test_environments_of_gymnasium_go_on_where_they_stood(make, opponent):
    env = make(opponent)
    env.reset(seed=4)
    played(env, 25)
    others = copies(env)
    expected = played(env, 150)
    for other in others:
        for found, wanted in zip(played(other, 150), expected, strict=True):
            assert len(found) == len(wanted)
            for one, two in zip(found, wanted):
                np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("make", [ashta.pettingzoo.env, ashta.pettingzoo.raw_env])
def test_environments_of_pettingzoo_go_on_where_they_stood(make):
    def go_on(env, steps):
        generator, seen = random.Random(1), []
        for _ in range(steps):
            if not env.agents:
                env.reset()
            observation, *rest = env.last()
            seen.append((observation, *rest, env.agent_selection))
            legal = np.flatnonzero(observation["action_mask"])
            env.step(int(generator.choice(legal)) if len(legal) else None)
        return seen

    env = make("ashte-kashte?pieces=1", 3)
    env.reset(seed=9)
    go_on(env, 30)
    others = copies(env)
    expected = go_on(env, 200)
    for other in others:
        np.testing.assert_equal(go_on(other, 200), expected)


def test_agents_and_bots_go_where_their_files_are_not(tmp_path, monkeypatch):
    game = ashta.Game("ashtapada")
    state = game.deserialize_state(POSITION)
    folder, elsewhere = tmp_path / "bots", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    shutil.copy(program.CHECKPOINTS / "ashtapada.bot", folder / "mine.bot")
    monkeypatch.chdir(tmp_path)
    bot = ashta.Bot.load("bots/mine.bot")
    agents = [
        *(
            ashta.Agent(spec, game, folders=["bots"])
            for spec in ["mine", "mine+2ply", "mine+policy", "bots/mine.bot", "greedy"]
        ),
        bot.agent("policy"),
        ashta.Agent("perfect", game),
        ashta.Agent(str(program.CHECKPOINTS / "ashtapada.table"), game),
    ]
    table, named = ashta.Table.load(game), ashta.Table.load("ashtapada")
    things = [bot, *agents, table, named]
    answers = [
        bot.manifest_json,
        *(agent.values([state]).tolist() for agent in [*agents, table, named]),
    ]
    names = [agent.name for agent in agents]
    (tmp_path / "things").write_bytes(pickle.dumps(things))
    shutil.rmtree(folder)
    script = f"""
import json, pickle, ashta
things = pickle.load(open({str(tmp_path / "things")!r}, "rb"))
bot, *others = pickle.loads(pickle.dumps(things))
state = ashta.Game("ashtapada").deserialize_state({POSITION!r})
assert bot.agent().step(state) in state.legal_actions()
print(json.dumps([bot.manifest_json, *(one.values([state]).tolist() for one in others)]))
print(json.dumps([one.name for one in others[:-2]]))
"""
    shown = program.python("-c", script, cwd=elsewhere, env={"PATH": "/usr/bin"})
    assert [json.loads(line) for line in shown.splitlines()] == [answers, names]
    assert copy.deepcopy(agents[0]) is agents[0] and copy.copy(table) is table


def test_a_result_is_the_same_again():
    result = ashta.arena(["greedy", "random"], ashta.Game("ashtapada"), pairs=3)
    for again in copies(result):
        assert (
            again.report == result.report
            and again.games == result.games
            and repr(again) == repr(result)
        )
