"""`ashta.benchmark`: results that anybody can verify, and frozen decisions."""

import copy
import hashlib
import json
import re

import ashta
import numpy as np
import program
import pytest
from ashta import benchmark

pytestmark = pytest.mark.usefixtures("checkpoints")


@pytest.fixture(scope="module")
def result():
    budget = {"steps": 0}
    return benchmark.play(
        "ashte-kashte", "greedy", name="mine", track="one-ply", budget=budget, pairs=40, seed=3
    )


def test_a_result_has_the_regret_of_its_games(result, tmp_path):
    game = benchmark.game("ashte-kashte")
    assert (
        result["regret"]
        == ashta.regret("greedy", game, pairs=40, seed=3)["regret"]
        == benchmark.verify(result)
    )
    table = ashta.Table.load(game)
    assert benchmark.verify(result, table=table) == result["regret"]
    file = tmp_path / "result.json"
    file.write_text(json.dumps(result))
    told = json.loads(program.run("benchmark", "verify", file, "--json").stdout)
    assert told["regret"] == result["regret"] and told["class"] == "1,000,000 steps"
    shown = program.run("benchmark", "verify", file).stdout
    assert (
        "all 80 games are legal and have the throws of the seed 3" in shown
        and "not a complete result" in shown
    )


def test_wrong_results_are_refused_with_the_place(result, tmp_path):
    def wrong(change):
        changed = copy.deepcopy(result)
        change(changed)
        with pytest.raises(ValueError) as refused:
            benchmark.verify(changed)
        return str(refused.value)

    first = result["games"][0]["moves"][0]
    other = [value for value in (1, 2, 3, 4) if [value] != first][0]
    assert "game 0 of block 0" in wrong(
        lambda it: it["games"][0].update(moves=[[other], *it["games"][0]["moves"][1:]])
    )
    assert "the seed 4" in wrong(lambda it: it.update(seed=4))
    assert "but there are 79 games" in wrong(lambda it: it["games"].pop())
    assert "game 1 of block 2 is in its place" in wrong(
        lambda it: it["games"].__setitem__(3, it["games"][5])
    )
    for figure in ("regret_per_decision", "luck_adjusted_score"):
        assert "`regret` is wrong: the games give" in wrong(
            lambda it: it["regret"][figure].update(mean=0.001)
        )
    forfeit = {
        "ending": {"forfeited": {"seat": "N", "reason": "it ended"}},
        "moves": [first],
        "turns": 1,
    }
    assert "not played to its end" in wrong(lambda it: it["games"][0].update(forfeit))
    assert "3,600 CPU seconds" in wrong(lambda it: it.update(budget={"cpu_seconds": 1e5}))
    assert "unknown field `team`" in wrong(lambda it: it.update(team="a"))
    false = ashta.arena(
        {"mine": "greedy", "perfect": "random"},
        benchmark.game("ashte-kashte"),
        pairs=3,
        luck="none",
    )
    whole = {**result, "pairs": 3, "seed": 7919, "games": false.games}
    with pytest.raises(ValueError, match="game 0 of block 0: the opponent is not perfect"):
        benchmark.verify(whole)
    file = tmp_path / "result.json"
    file.write_text("{}")
    assert "result.json: this is not a result of the benchmark" in program.refused(
        "benchmark", "verify", file
    )
    for arguments, message in [
        ({"track": "two-ply"}, "there is no track 'two-ply'"),
        ({"budget": {"steps": 10**8}}, "`budget` is"),
        ({"name": "perfect"}, "the name of the opponent"),
    ]:
        with pytest.raises(ValueError, match=message):
            benchmark.play(
                "pagade",
                "greedy",
                **{"name": "a", "track": "policy", "budget": {"steps": 1}, **arguments},
            )


@pytest.mark.parametrize("task", benchmark.TASKS)
def test_frozen_decisions_are_those_of_the_page(task):
    states, regret = benchmark.decisions(task)
    assert len(states) == 10_000 and (
        (np.isnan(regret) == ~states.masks()).all() and np.nanmin(regret) == 0
    )
    assert (
        len(np.unique(states.array, axis=0)) == len(states)
        and (states.masks().sum(axis=1) > 1).all()
    )
    content = (program.ROOT / "checkpoints" / f"benchmark-{task}.npz").read_bytes()
    page = (program.ROOT / "docs" / "benchmark.md").read_text()
    assert re.search(rf"\| {task} \|.*{hashlib.sha256(content).hexdigest()}", page)
    if task != "pagade":
        some, table = states[:500], ashta.Table.load(benchmark.game(task))
        owners, actions = np.nonzero(some.masks())
        values = table.values(some[owners].apply(actions))[
            np.arange(len(owners)), some.players()[owners]
        ]
        best = np.maximum.reduceat(values, np.flatnonzero(np.diff(owners, prepend=-1)))
        assert np.abs(best[owners] - values - regret[owners, actions]).max() < 4e-5
