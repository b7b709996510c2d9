"""The Python package: its games equal the engine's games, and other libraries accept its
environments."""

import ast
import copy
import importlib.metadata
import inspect
import random
import re
import sys
import warnings
from functools import partial

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, seed_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

import ashta
import ashta.pettingzoo
from play import legal, played
import program

GAMES = [
    ("ashtapada", 2), ("ashtapada", 3), ("ashtapada", 4),
    ("ashte-kashte", 2), ("ashte-kashte", 3), ("ashte-kashte", "SEW"), ("ashte-kashte", 4),
    ("pagade", 2), ("pagade?no_cut=lap", 2), ("pagade", 4), ("pagade?teams=true", 4),
]  # fmt: skip


pytestmark = pytest.mark.usefixtures("checkpoints")


@pytest.mark.parametrize("name, seats", GAMES)
def test_a_game_is_that_of_the_engine(engine, name, seats):
    game, generator = ashta.Game(name, seats), random.Random(5)
    state = game.new_initial_state(0)
    answer = engine.get(op="new", game=name, seats=seats, start=game.seats[0])
    while not state.is_terminal():
        position, player = state.serialize(), state.current_player()
        assert position == answer["position"]
        observed = engine.get(op="observe", position=position)
        np.testing.assert_array_equal(state.observation_tensor(), observed["observation"])
        np.testing.assert_array_equal(state.legal_actions_mask(), observed["mask"])
        assert (
            state.observation_tensor().dtype == np.float32 and game.encoding == observed["encoding"]
        )
        assert (
            state.is_player_node() == (not state.is_chance_node())
            and not state.is_simultaneous_node()
        )
        assert (state.num_players(), state.num_distinct_actions()) == (
            game.num_players(),
            game.num_distinct_actions(),
        )
        again = game.deserialize_state(position)
        assert again == state and hash(again) == hash(state)
        action = generator.choice(state.legal_actions())
        if state.is_chance_node():
            assert player == -1 and not state.legal_actions_mask().any()
            expected = engine.get(op="chance", position=position)["outcomes"]
            found = state.chance_outcomes()
            assert [outcome for outcome, _ in found] == state.legal_actions()
            assert [chance for _, chance in found] == pytest.approx(
                [outcome["p"] for outcome in expected], abs=1e-6
            )
            texts = [",".join(map(str, outcome["throw"])) for outcome in expected]
            assert [state.action_to_string(outcome) for outcome, _ in found] == texts
            assert np.flatnonzero(state.legal_actions_mask(-1)).tolist() == state.legal_actions()
            request = {"throw": expected[state.legal_actions().index(action)]["throw"]}
        else:
            assert position.split()[-2] == game.seats[player] and state.turn_player() == player
            expected = engine.get(op="legal", position=position)["actions"]
            assert [
                (action, state.action_to_string(action)) for action in state.legal_actions()
            ] == [(action["id"], action["text"]) for action in expected]
            others = [other for other in range(game.num_players()) if other != player]
            assert not any(state.legal_actions(other) for other in others)
            request = {"action": action}
        # As OpenSpiel's examples ask: chance is a player, too.
        assert (
            state.legal_actions(player) == state.legal_actions() and state.legal_actions(-4) == []
        )
        assert state.action_to_string(player, action) == state.action_to_string(np.int64(action))
        before = state.clone()
        after = state.child(action)
        state.apply_action(action)
        # A throw that is lost leaves an equal position.
        assert (
            state == after
            and before.serialize() != after.serialize()
            and copy.deepcopy(before) == before
        )
        answer = engine.get(op="apply", position=position, **request)
    returns = state.returns()
    assert state.serialize() == answer["position"] and returns == pytest.approx(answer["returns"])
    assert sum(returns) == pytest.approx(game.utility_sum()) and len(returns) == game.num_players()
    assert [state.player_return(player) for player in range(len(returns))] == returns
    assert (state.current_player(), state.turn_player(), state.legal_actions()) == (-4, None, [])
    assert not state.observation_tensor().any()


def test_the_example_of_openspiel_plays():
    script = """
import runpy, sys, ashta, open_spiel, pyspiel
sys.modules["open_spiel.python.games"] = ashta
pyspiel.load_game = ashta.Game
sys.argv = ["example.py", "--game_string=pagade"]
runpy.run_path(open_spiel.__path__[0] + "/python/examples/example.py", run_name="__main__")
"""
    assert "Utility for player 1 is" in program.python("-c", script)


def test_whole_turns_are_those_of_the_rules(engine):
    position = "ashtapada S:5,30/N:off,23 S 4,2"
    state = ashta.Game("ashtapada").deserialize_state(position)
    found = {result.serialize(): actions for result, actions in state.turn_results()}
    start = position.replace("4,2", "*")
    assert sorted(found) == engine.get(op="turns", position=start, throws=[4, 2])["positions"]
    for end, actions in found.items():
        played = state.clone()
        for action in actions:
            played.apply_action(action)
        assert played.serialize() == end
        assert re.search(r"[A-H]\d to [A-H]\d by \d", state.turn_to_string(actions))
    with pytest.raises(ValueError, match="one action too many"):
        state.turn_to_string([*actions, 0, 0, 0])
    assert "A   B   C" in state.draw()


@pytest.mark.parametrize("name, seats", [("ashtapada", 3), ("pagade?teams=true", 4)])
def test_many_games_are_single_ones(name, seats):
    game, generator = ashta.Game(name, seats), np.random.default_rng(1)
    many = ashta.VectorGame(game, 32)

    def arrays():
        names = ["observations", "legal_actions", "players", "returns", "terminated", "truncated"]
        return [getattr(many, name) for name in names]

    many.reset(7)
    before, ended = arrays(), 0
    while ended <= 32:
        np.testing.assert_array_equal(
            many.legal_actions.any(axis=1), ~(many.terminated | many.truncated)
        )
        assert (many.players < game.num_players()).all()
        many.step(legal(many.legal_actions, generator))
        ended += many.terminated.sum()
        sums = np.where(many.terminated, game.utility_sum(), 0)
        np.testing.assert_allclose(many.returns.sum(axis=1), sums, atol=1e-6)
    assert all(one is other for one, other in zip(before, arrays())), "nothing is copied"


def test_agents_play_many_states_at_once_and_repeat_themselves():
    game = ashta.Game("ashtapada")
    states = [state for state in played(game) if state.is_player_node()]
    perfect = ashta.Agent("perfect", game)
    assert perfect.act(states) == [perfect.step(state) for state in states]
    drawn = ashta.Agent("random", game)
    assert drawn.act(states, seed=1) == drawn.act(states, seed=1) != drawn.act(states, seed=2)
    assert perfect.values([]).shape == (0, 2)


def test_what_is_wrong_is_a_value_error_that_names_it(tmp_path):
    game = ashta.Game("ashtapada")
    position = "ashtapada S:5,30/N:off,23 S 4,2"
    state = game.deserialize_state(position)
    many, greedy = ashta.VectorGame(game, 3), ashta.Agent("greedy", game)
    broken = tmp_path / "broken.bot"
    broken.write_bytes(b"no bot")
    other = "ashte-kashte S:hand,hand,hand,hand/N:hand,hand,hand,hand S *"
    for wrong, part in [
        (lambda: ashta.Game("chess"), "unknown game `chess`"),
        (lambda: ashta.Game("ashtapada", 7), "2, 3 or 4"),
        (lambda: game.new_initial_state(2), "no player 2"),
        (lambda: game.new_initial_state(-1), "no player -1"),
        (lambda: game.deserialize_state("ashtapada"), "four parts"),
        (lambda: game.deserialize_state(other), "not to `ashtapada SN`"),
        (
            lambda: state.apply_action(7),
            f"action 7 is not legal at `{position}`; legal actions: [0, 1]",
        ),
        (lambda: state.apply_action(-1), "action -1 is not legal"),
        (lambda: state.apply_action(1 << 70), "is not legal"),
        (lambda: state.chance_outcomes(), "not a chance node"),
        (lambda: state.observation_tensor(-1), "no player -1, only 0 to 1"),
        (lambda: state.player_return(-1), "no player -1, only 0 to 1"),
        (lambda: state.legal_actions(2), "no player 2, only 0 to 1"),
        (lambda: state.legal_actions(-5), "no player -5"),
        (lambda: state.legal_actions_mask(1 << 70), "only 0 to 1"),
        (lambda: state.action_to_string(2, 0), "no player 2"),
        (lambda: state.action_to_string(1, 0), f"only player 0 can act at `{position}`"),
        (
            lambda: game.deserialize_state("ashtapada S:" + "off," * 999_999 + "off/N:off S *"),
            "must have 2 pieces, not 1000000",
        ),
        (
            lambda: game.deserialize_state("ashtapada S:off," + 9999 * "x" + "/N:off,off S *"),
            "characters left out",
        ),
        (lambda: many.step(np.zeros(3, np.int64)), "call `reset` first"),
        (lambda: ashta.VectorGame(game, 0), "`num_games` is 0"),
        (lambda: ashta.VectorGame(game, 2, player=0), "`player` needs an `opponent`"),
        (lambda: ashta.VectorGame(game, 2, greedy, player=2), "no player 2"),
        (lambda: ashta.VectorGame(ashta.Game("pagade"), 2, greedy), "the game is ashtapada"),
        (
            lambda: ashta.VectorGame(game, 1 << 60, greedy),
            f"`num_games` is {1 << 60}, but must be 1 to",
        ),
        (lambda: ashta.Agent("nobody", game), "`nobody` is not an agent"),
        (lambda: ashta.Agent("pagade", game), "not ashtapada"),
        (lambda: greedy.act([game.new_initial_state(0)]), "not a decision node"),
        (lambda: ashta.Agent("greedy", ashta.Game("pagade")).values([state]), "the game is pagade"),
        (lambda: ashta.Bot.load(broken), "broken.bot"),
        (lambda: ashta.Bot.load("nobody"), "No such file"),
        (lambda: ashta.Bot.load("ashtapada").agent("9ply"), "9ply"),
        (
            lambda: ashta.Bot.load("ashtapada").forward(np.zeros((1, 3), np.float32)),
            "have length 3",
        ),
    ]:
        with pytest.raises(ValueError, match=re.escape(part)) as raised:
            wrong()
        assert len(str(raised.value)) < 1000
    many.reset()
    before = many.observations.copy()
    with pytest.raises(ValueError, match="action 31 is not legal in game 0; legal actions"):
        many.step(np.full(3, 31))
    for actions in [np.full(3, 1 << 40), np.full(3, -1), np.zeros(2, np.int64)]:
        with pytest.raises(ValueError):
            many.step(actions)
    np.testing.assert_array_equal(many.observations, before)
    assert state.serialize() == position


@pytest.mark.parametrize("name, seats", GAMES)
def test_pettingzoo_accepts_the_environment(name, seats):
    with warnings.catch_warnings():
        # An agent that has not entered the board sees zeros.
        warnings.filterwarnings("ignore", message="Observation numpy array is all zeros")
        api_test(ashta.pettingzoo.env(name, seats), num_cycles=200)
        seed_test(partial(ashta.pettingzoo.env, name, seats), num_cycles=100)
        parallel_api_test(
            turn_based_aec_to_parallel(ashta.pettingzoo.env(name, seats)), num_cycles=100
        )


def test_pettingzoo_makes_the_environment_parallel():
    env = turn_based_aec_to_parallel(ashta.pettingzoo.env("ashte-kashte?pieces=1", 3))
    _, infos = env.reset(seed=4)
    acting = next(agent for agent in env.agents if infos[agent]["action_mask"].any())
    while env.agents:
        # The actions of the other agents do not count, also if they are illegal.
        actions = {
            agent: int(infos[agent]["action_mask"].argmax()) if agent == acting else 31
            for agent in env.agents
        }
        _, rewards, terminated, truncated, infos = env.step(actions)
        acting = infos["player_0"].get("active_agent")
    assert (
        sorted(rewards.values()) == [-1, -1, 1]
        and all(terminated.values())
        and not any(truncated.values())
    )


def test_an_illegal_action_of_pettingzoo_loses():
    env = ashta.pettingzoo.env("ashte-kashte", 3)
    for wrong in [lambda: env.agents, lambda: env.last(), lambda: env.step(0)]:
        with pytest.raises(AttributeError, match="before the first game: call `reset`"):
            wrong()
    for illegal in [None, 31, -1]:
        env.reset(seed=4)
        action = (
            int(np.flatnonzero(env.last()[4]["action_mask"] == 0)[0])
            if illegal is None
            else illegal
        )
        agent, position = env.agent_selection, str(env.state_)
        env.step(action)
        assert env.rewards == {
            other: -1.0 if other == agent else 0.0 for other in env.possible_agents
        }
        assert (
            all(env.terminations.values())
            and not any(env.truncations.values())
            and str(env.state_) == position
        )
        while env.agents:
            reward, is_over = env.last()[1:3]
            assert is_over and reward == (-1 if env.agent_selection == agent else 0)
            env.step(None)
    env.reset(seed=4)
    with pytest.raises(ValueError, match="player_. has to act"):
        env.step(None)
    raw = ashta.pettingzoo.raw_env("ashte-kashte", 3)
    raw.reset(seed=4)
    with pytest.raises(ValueError, match="not legal"):
        raw.step(31)
    with pytest.raises(ValueError, match='must be "error" or "lose"'):
        ashta.pettingzoo.RaceEnv(illegal="ignore")


def test_pettingzoo_renders(capsys):
    for mode in ["ansi", "human"]:
        env = ashta.pettingzoo.env("ashtapada", render_mode=mode)
        env.reset(seed=1)
        env.step(int(env.last()[4]["action_mask"].argmax()))
        shown, printed = env.render(), capsys.readouterr().out
        assert (shown if mode == "ansi" else printed).startswith("ashtapada S:"), (shown, printed)
        assert shown is None if mode == "human" else not printed


def documented():
    """Every public thing of the compiled part with its docstring in the stub, by its dotted
    name."""
    stub = ast.parse((program.ROOT / "bindings/python/python/ashta/_ashta.pyi").read_text())
    for node in stub.body:
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            yield node.name, ast.get_docstring(node)
        for member in getattr(node, "body", []) if isinstance(node, ast.ClassDef) else []:
            if isinstance(member, ast.FunctionDef) and not member.name.startswith("_"):
                yield f"{node.name}.{member.name}", ast.get_docstring(member)


def test_help_says_what_the_stub_says():
    found = {}
    for name, told in documented():
        kind, _, member = name.partition(".")
        thing = getattr(ashta._ashta, kind)
        thing = getattr(thing, member) if member else thing
        found[name] = inspect.getdoc(thing), told
        if inspect.isroutine(thing) and not inspect.isdatadescriptor(thing):
            assert inspect.signature(thing), name
    written_in_python = {"folders", "__version__", "ArenaResult", "TrainedRun"}
    assert set(ashta.__all__) - written_in_python <= set(found)
    for name, (said, told) in found.items():
        assert said and told and said.split() == told.split(), name
    for kind in [
        getattr(ashta, name) for name in found if isinstance(getattr(ashta, name, None), type)
    ]:
        public = {
            f"{kind.__name__}.{member}" for member in vars(kind) if not member.startswith("_")
        }
        assert public <= set(found), kind


def test_the_stubs_are_those_of_the_package(tmp_path):
    # Classes of OpenSpiel have a metaclass that its stubs do not mention; stubtest takes an
    # `Annotated` for its type.
    allowed = tmp_path / "allowed"
    allowed.write_text("ashta.open_spiel.RaceGame\nashta.open_spiel.RaceState\nashta.mcp._.*\n")
    program.python("-m", "mypy.stubtest", "ashta", "--allowlist", allowed, timeout=300)


TYPED = """
from typing import Any
import ashta
game = ashta.Game("ashte-kashte?pieces=1")
found = ashta.regret("greedy", game)
low: float | None = found["regret"]["regret_per_decision"]["interval"][0]
total: float = ashta.exploitability("greedy", game)["best_response"]["first"] + found["chance_level"]
print(ashta.rollout([game.new_initial_state()], "greedy")["mean"].shape, game.describe()["flags"][0]["values"][0]["about"])
def stops(metrics: dict[str, Any]) -> bool:
    return bool(metrics["eval/vs_greedy/score"] > 0.5)
ashta.train("siga", callback=stops)
ashta.train("siga", callback=lambda metrics: metrics["seconds"] > 60 or metrics.get("train/value_loss", 1.0) < 0.1)
"""


def test_results_have_types(tmp_path):
    typed, wrong = tmp_path / "typed.py", tmp_path / "wrong.py"
    typed.write_text(TYPED)
    program.python("-m", "mypy", "--strict", typed, timeout=300)
    mistakes = [
        'ashta.regret("greedy")["skore"]',
        'ashta.Game("siga").describe()["titel"]',
        'ashta.exploitability("greedy")["mean"]',
    ]
    wrong.write_text("\n".join(["import ashta", *mistakes]))
    told = program.execute(sys.executable, "-m", "mypy", "--strict", wrong, timeout=300).stdout
    assert told.count("has no key") == len(mistakes), told
    # The stub has the keys of the results.
    stub = ast.parse((program.ROOT / "bindings/python/python/ashta/_results.pyi").read_text())
    keys = {
        node.name: {line.target.id for line in node.body if isinstance(line, ast.AnnAssign)}
        for node in stub.body
        if isinstance(node, ast.ClassDef)
    }
    siga, regret = ashta.Game("siga"), ashta.regret("greedy", ashta.Game("siga"), pairs=2)
    for names, result in [
        (["_Match", "_RegretResult"], regret),
        (["_Regret"], regret["regret"]),
        (["_Exploitability"], ashta.exploitability("greedy", ashta.Game("ashte-kashte?pieces=1"))),
        (["_Rollout"], ashta.rollout([siga.new_initial_state()], "greedy", games=2)),
        (["_Description"], siga.describe()),
        (["_Flag"], siga.describe()["flags"][0]),
        (["_Facts"], ashta.Table.load("siga").facts),
    ]:
        assert set(result) <= set().union(*(keys[name] for name in names)), names


def test_the_version_is_that_of_the_wheel():
    assert ashta.__version__ == importlib.metadata.version("ashta")


def test_the_example_of_the_readme_runs():
    readme = (program.ROOT / "bindings/python/README.md").read_text()
    shown = program.python("-c", re.search(r"```python\n(.*?)```", readme, re.DOTALL)[1])
    assert shown.startswith("ashtapada ") and shown.strip().endswith(("[1.0, 0.0]", "[0.0, 1.0]"))


@pytest.mark.parametrize("number", range(13))
def test_the_examples_of_the_page_run(number, tmp_path):
    blocks = program.blocks("python.md", "python")
    assert len(blocks) == 13
    program.python("-c", blocks[number], cwd=tmp_path)
