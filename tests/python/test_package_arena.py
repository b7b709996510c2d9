"""The arena and the tables of the Python package: they say what the program says, and functions
play as agents do."""

import json
import math
import re
import threading
import time

import numpy as np
import pytest

import ashta
from play import first_legal
import program


pytestmark = pytest.mark.usefixtures("checkpoints")


@pytest.mark.parametrize(
    "agents, game, seats, options",
    [
        (["ashtapada", "greedy", "greedy"], None, 2, {}),
        (
            ["greedy", "hunter"],
            "ashte-kashte?pieces=2",
            2,
            {"sprt": (0, 50), "luck": "greedy+2ply", "alpha": 0.1},
        ),
        (["greedy", "random"], "pagade", 4, {"anchor": "random", "luck": "none"}),
    ],
)
def test_an_arena_says_what_the_program_says(tmp_path, agents, game, seats, options):
    path = tmp_path / "games.jsonl"
    words = [
        f"--{name}={','.join(map(str, value)) if name == 'sprt' else value}"
        for name, value in options.items()
    ]
    words += [f"--game={game}", f"--seats={seats}"] if game else []
    finished = program.done(
        "arena",
        *agents,
        "--pairs",
        6,
        "--seed",
        3,
        "--json",
        "--games",
        path,
        *words,
        cwd=program.ROOT,
    )
    played = ashta.Game(game, seats) if game else None
    results = [
        ashta.arena(agents, played, pairs=6, seed=3, threads=threads, **options)
        for threads in (1, 3)
    ]
    for result in results:
        assert program.without_times(result.report) == program.without_times(json.loads(finished))
        assert result.games == [json.loads(line) for line in path.read_text().splitlines()[1:]]
    assert results[0].games[0]["moves"] and len(results[0].games) == results[0].report["games"]
    other = ashta.arena(agents, played, pairs=6, seed=4, keep_games=False, **options)
    assert (
        program.without_times(other.report) != program.without_times(results[0].report)
        and other.games == []
    )


def test_parts_of_an_arena_give_the_result_of_one_call():
    agents, game = ["greedy", "runner", "random"], ashta.Game("ashte-kashte")
    options = {"pairs": 4, "seed": 3, "threads": 1}

    def told(result):
        return program.without_times(result.report)

    whole = ashta.arena(agents, game, **options)
    parts = [
        ashta.arena(agents, game, blocks=blocks, **options) for blocks in [(0, 5), (5, 6), (6, 12)]
    ]
    assert [game for part in parts for game in part.games] == whole.games
    assert parts[1].report["blocks"] == 1
    joined = [game for part in reversed(parts) for game in part.games]
    for games in (joined, parts[0].games):
        result = ashta.arena(agents, game, games=games, **options)
        assert told(result) == told(whole)
        assert result.games == whole.games
    test = {"pairs": 400, "sprt": (0, 200), "seed": 3, "threads": 1, "luck": "none"}
    two = ["greedy", "random"]
    decided = ashta.arena(two, game, **test)
    every = ashta.arena(two, game, **{**test, "sprt": None})
    assert len(decided.games) < len(every.games)
    again = ashta.arena(two, game, games=every.games, **test)
    assert told(again) == told(decided)
    assert again.games == decided.games
    for wrong, message in [
        ({"games": parts[1].games}, "all games of block 0"),
        ({"games": [*parts[0].games, parts[0].games[3]]}, "each game once"),
        ({"games": parts[0].games[:-1]}, "all games of block 4"),
        ({"games": [1]}, "must be a list of games"),
        ({"games": [{**parts[0].games[0], "returns": [0.5, 0.5]}]}, "block 0"),
        ({"blocks": (5, 5)}, r"is \(5, 5\), but must be \(first, end\) with .* < end <= 12"),
        ({"blocks": (0, 13)}, "`blocks` is"),
        ({"blocks": (1, 3), "sprt": (0, 20)}, "must begin with 0, not with 1"),
    ]:
        with pytest.raises(ValueError, match=message):
            ashta.arena(agents, game, **options, **wrong)


def test_agents_are_names_objects_and_functions():
    game = ashta.Game("ashtapada")
    bot = ashta.Bot.load("ashtapada").agent("policy")
    report = ashta.arena([bot, first_legal, "greedy", "greedy"], game, pairs=2, luck=bot).report
    assert [agent["name"] for agent in report["agents"]] == [
        "ashtapada+policy",
        "first_legal",
        "greedy",
        "greedy (2)",
    ]
    assert report["luck_by"] == "ashtapada+policy" and report["blocks"] == 12
    greedy = ashta.Agent("ashtapada", game)
    mirror = ashta.arena({"mine": greedy.act, "its": "ashtapada"}, pairs=5).report
    assert [agent["score"]["mean"] for agent in mirror["agents"]] == [0.5, 0.5], (
        "the same play, the same throws"
    )
    assert [agent["name"] for agent in mirror["agents"]] == ["mine", "its"] and mirror[
        "game"
    ] == "ashtapada"


def test_what_a_function_raises_ends_the_arena():
    asked = 0

    def tired(states):
        nonlocal asked
        asked += 1
        if asked == 20:
            raise ZeroDivisionError("tired")
        return first_legal(states)

    for threads in [None, 4]:
        asked = 0
        with pytest.raises(ZeroDivisionError, match="tired"):
            ashta.arena(
                {"tired": tired, "greedy": "greedy"},
                ashta.Game("ashtapada"),
                pairs=50,
                threads=threads,
                luck="none",
            )
        assert 20 <= asked < 30
    game, illegal = (
        ashta.Game("ashtapada"),
        "mine chose {}, which is not legal at `ashtapada .*`; legal actions: ",
    )
    no_action = r"mine must return actions, .*, not an array of .*; it was called with `takes=\"state\"`, see `Agent.of`"
    for message, answer in [
        (illegal, 99),
        (illegal, -1),
        (no_action, 1 << 70),
        (no_action, None),
        (no_action, "5"),
        (no_action, 0.5),
    ]:

        def mine(state):
            return answer

        with pytest.raises((ValueError, TypeError), match=message.format(answer)):
            ashta.arena([ashta.Agent.of(mine, game, takes="state"), "greedy"], pairs=2)


def test_an_arena_that_cannot_be_is_refused_by_name():
    game = ashta.Game("ashtapada")
    two = ["greedy", "hunter"]
    for error, wrong, part in [
        (ValueError, lambda: ashta.arena(two), "pass game="),
        (
            ValueError,
            lambda: ashta.arena(["greedy"], game),
            "an arena needs 2 to 256 agents (got 1)",
        ),
        (TypeError, lambda: ashta.arena("greedy", game), "not one agent"),
        (TypeError, lambda: ashta.arena(["greedy", 3], game), "not int"),
        (ValueError, lambda: ashta.arena(["greedy", "greddy"], game), "`greddy` is not an agent"),
        (
            ValueError,
            lambda: ashta.arena(["greedy", "pagade"], game),
            "pagade: the bot was made for",
        ),
        (ValueError, lambda: ashta.arena(two, game, pairs=0), "`pairs` is 0"),
        (ValueError, lambda: ashta.arena(two, game, threads=0), "`threads` is 0"),
        (ValueError, lambda: ashta.arena(two, game, luck="nobody"), "`nobody` is not an agent"),
        (TypeError, lambda: ashta.arena(two, game, luck=3), "`luck`"),
        (ValueError, lambda: ashta.arena(two, game, anchor="random"), "anchor random"),
        (ValueError, lambda: ashta.arena(two, game, sprt=(10, 0)), "10 is not less than 0"),
        (
            ValueError,
            lambda: ashta.arena(two, game, sprt=(0, 10), alpha=0.9, beta=0.2),
            "alpha 0.9 and beta 0.2",
        ),
    ]:
        with pytest.raises(error, match=re.escape(part)):
            wrong()


def test_other_threads_of_python_run_meanwhile():
    counted, is_over = 0, False

    def count():
        nonlocal counted
        while not is_over:
            counted += 1

    game = ashta.Game("ashtapada")
    thinker = ashta.Agent("ashtapada+2ply", game)
    state = game.deserialize_state("ashtapada S:5,30/N:off,23 S 4,2")
    networks = ashta.Bot.load("ashtapada")
    many = np.repeat(state.observation_tensor()[None], 50_000, axis=0)
    # A call that keeps the lock lets no other thread count, except for one switch of threads.
    for work in [
        lambda: ashta.arena(["greedy+2ply", "greedy"], game, pairs=40, luck="none"),
        lambda: thinker.act([state] * 200),
        lambda: networks.forward(many),
        lambda: ashta.Table.load(game).values([state] * 50_000),
    ]:
        is_over = False
        thread = threading.Thread(target=count)
        thread.start()
        work()
        counted = 0
        begun = time.perf_counter()
        work()
        seconds, during = time.perf_counter() - begun, counted
        is_over = True
        thread.join()
        assert during > 1000, (during, seconds)


def test_an_agent_is_asked_by_several_threads():
    game = ashta.Game("ashtapada")
    state = game.deserialize_state("ashtapada S:5,30/N:off,23 S 4,2")
    agents = [ashta.Agent(name, game) for name in ["ashtapada+policy", "ashtapada+2ply"]]
    networks, seen = ashta.Bot.load("ashtapada"), state.observation_tensor()[None]

    def answers():
        found = [
            (agent.policy(state), agent.step(state), agent.values([state]).tolist())
            for agent in agents
        ]
        return [found, [part.tolist() for part in networks.forward(seen)]]

    expected, found = answers(), []
    threads = [
        threading.Thread(target=lambda: found.extend(answers() for _ in range(30)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(found) == 120 and all(answer == expected for answer in found)


def test_a_table_is_perfect_play():
    game = ashta.Game("ashtapada")
    table = ashta.Table.load("ashtapada")
    assert table.game == game and table.bits == 16 and table.facts["positions"] == 3_818_116
    assert 0 < table.facts["certificate"]["error"] < table.error < 1e-5
    perfect = ashta.Agent("perfect", game)
    state = game.deserialize_state("ashtapada S:5,30/N:off,23 S 4,2")
    states = [game.new_initial_state(0), state, *[end for end, _ in state.turn_results()]]
    values = table.values(states)
    np.testing.assert_array_equal(values, perfect.values(states))
    assert values.dtype == np.float32 and values.shape == (len(states), 2)
    assert values[0][0] == pytest.approx(0.517651450, abs=table.error)
    np.testing.assert_allclose(values.sum(axis=1), 1, atol=1e-6)
    assert values[1][0] == values[2:, 0].max(), "the value of a decision is that of its best result"
    for other in [
        ashta.Table.load(game),
        ashta.Table.load(program.CHECKPOINTS / "ashtapada.table"),
    ]:
        np.testing.assert_array_equal(other.values(states), values)
    assert table.values([]).shape == (0, 2) and repr(table) == "Table('ashtapada', 'SN')".replace(
        "'", '"'
    )


def test_a_table_that_is_not_there_is_refused_by_name(tmp_path):
    table = ashta.Table.load("ashte-kashte-2")
    assert table.game.name == "ashte-kashte?pieces=2" and math.isfinite(table.error)
    for error, wrong, part in [
        (ValueError, lambda: ashta.Table.load("nothing"), "nothing"),
        (ValueError, lambda: ashta.Table.load(ashta.Game("pagade")), "found no table of pagade"),
        (
            ValueError,
            lambda: ashta.Table.load(ashta.Game("ashtapada"), folders=[tmp_path]),
            str(tmp_path),
        ),
        (
            ValueError,
            lambda: ashta.Table.load(program.CHECKPOINTS / "ashtapada.bot"),
            "ashtapada.bot",
        ),
        (TypeError, lambda: ashta.Table.load(3), "`table`"),
        (
            ValueError,
            lambda: table.values([ashta.Game("ashtapada").new_initial_state(0)]),
            "not ashtapada",
        ),
    ]:
        with pytest.raises(error, match=re.escape(part)):
            wrong()
