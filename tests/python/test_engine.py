"""The engine protocol: broken requests, seeds, and the check of other engines."""

import sys

import pytest

import program


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"null", "bad-json"),
        (b'{"op":"hello"} {"op":"hello"}', "bad-json"),
        (b"\xff\xfe\x00garbage", "bad-json"),
        (b'{"op":"hello","x":' + b"[" * 100_000, "bad-json"),
        (b'{"op":"hello","x":"' + b"x" * (1 << 20) + b'"}', "bad-json"),
        (b'{"op":1}', "bad-request"),
        (b'{"op":"legal","position":7}', "bad-request"),
        (b'{"op":"legal","position":""}', "bad-position"),
        (b'{"op":"new","game":"pagade?teams=true","seats":2}', "bad-game"),
        (b'{"op":"new","game":"pagade","seats":"SX"}', "bad-request"),
        (b'{"op":"new","game":"pagade","start":"E"}', "bad-request"),
        (b'{"op":"bestmove","position":"ashtapada S:5,30/N:off,23 S *"}', "bad-position"),
        (b'{"op":"observe","position":"ashtapada S:borne,borne/N:off,23 - -"}', "bad-position"),
        (b'{"op":"apply","position":"ashtapada S:5,30/N:off,23 S *","throw":[]}', "illegal-throw"),
        (b'{"op":"apply","position":"ashtapada S:5,30/N:off,23 S *","throw":[256]}', "bad-request"),
        (
            b'{"op":"apply","position":"pagade S:6,7,12,12/N:6,7,12,12 S *","throw":[1]}',
            "illegal-throw",
        ),
        (
            b'{"op":"apply","position":"ashtapada S:5,30/N:off,23 S 4,2","action":1e300}',
            "bad-request",
        ),
        (
            b'{"op":"apply","position":"ashtapada S:5,30/N:off,23 S 4,2","action":0,"throw":[1]}',
            "bad-request",
        ),
        (
            b'{"op":"turns","position":"ashtapada S:5,30/N:off,23 S 4,2","throws":[2]}',
            "bad-position",
        ),
    ],
)
def test_broken_lines_are_answered_and_survived(engine, line, code):
    answer = engine.line(line)
    assert answer["error"]["code"] == code
    assert answer["error"]["message"]
    assert engine.ask(op="hello", id="still there")["id"] == "still there"


def test_ids_come_back_and_empty_lines_are_passed_over(engine):
    for identifier in (0, [1, {"b": 2.5}]):
        assert engine.ask(op="hello", id=identifier)["id"] == identifier
        assert engine.ask(op="dance", id=identifier)["id"] == identifier
    assert "id" not in engine.ask(op="hello")
    engine.process.stdin.write(b"\n   \r\n\t\n")
    assert engine.ask(op="hello", id=1)["id"] == 1


def test_the_lot_of_the_first_seat_is_repeatable_and_fair(engine):
    def first(seed):
        return engine.get(op="new", game="ashte-kashte", seats=4, seed=seed)["position"].split(" ")[
            2
        ]

    firsts = [first(seed) for seed in range(400)]
    assert firsts == [first(seed) for seed in range(400)]
    assert all(70 <= firsts.count(seat) <= 130 for seat in "SENW"), firsts


def test_each_engine_draws_its_own_seeds():
    choice = {"op": "bestmove", "position": "ashte-kashte?pieces=2 S:12,14/N:hand,hand S 1"}
    seeds = []
    for _ in range(2):
        with program.Engine("random") as engine:
            seeds += [engine.get(op="new", game="siga")["seed"] for _ in range(9)]
            seeds.append(engine.get(**choice)["seed"])
    assert len(set(seeds)) == 20 and max(seeds) < 2**53


def test_a_program_is_checked_against_the_rules_of_engines(tmp_path):
    good = program.run(
        "engine", "--check", f"{program.ASHTA} engine --agent greedy", "--game", "siga"
    )
    assert good.returncode == 0 and good.stdout.count("ok ") == 3, good.stdout + good.stderr
    script = tmp_path / "engine.py"
    script.write_text(
        """
import json, signal, sys, time
for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"name": "mine", "action": 31, "id": request["id"]}), flush=True)
time.sleep(60)
"""
    )
    bad = program.run("engine", "--check", f"{sys.executable} {script}")
    assert bad.returncode == 1 and "breaks 3 of 3 rules" in bad.stderr
    for part in [
        "legal action in time: it chose action 31",
        "has no object `error`",
        "still runs after",
    ]:
        assert part in bad.stdout
    assert "cannot be started" in program.refused("engine", "--check", "./absent")


@pytest.mark.usefixtures("checkpoints")
@pytest.mark.parametrize(
    ("agent", "by"),
    [
        ("siga", "siga"),
        ("siga+policy", "siga"),
        ("siga+novice", "siga"),
        ("siga+2ply", "siga+2ply"),
        ("runner", "greedy"),
    ],
)
def test_a_hint_names_the_agent_of_its_values_and_shares_sum_to_one(agent, by):
    with program.Engine(agent) as engine:
        assert engine.get(op="hint", position="siga S:off,5/N:off,off S 4")["by"] == by
        assert engine.get(op="hint", position="siga S:off,5/N:off,off S *")["by"] == by
        best = engine.get(op="bestmove", position="siga S:off,5/N:off,off S 4", seed=1)
    assert sum(share for _, share in best["policy"]) == pytest.approx(1, abs=1e-5)
    assert sum(best["values"]) == pytest.approx(1, abs=1e-3)
