"""docs/atlas/make.py measures games from Python and draws the atlas."""

import json
import sys

import pytest

import ashta
import program

SCRIPT = program.ROOT / "docs" / "atlas" / "make.py"


def make(*arguments):
    return program.execute(sys.executable, SCRIPT, *arguments, cwd=program.ROOT, timeout=300)


def test_the_atlas_measures_and_draws(tmp_path):
    program.succeeded(make("siga", "--pairs", "6", "-o", tmp_path))
    form = json.loads((tmp_path / "atlas.json").read_text())["forms"][0]
    assert (form["game"], form["seats"], form["player"], form["even"], form["games"]) == (
        "siga",
        2,
        "perfect",
        0.5,
        6,
    )
    figures = form["figures"]
    game = ashta.Game("siga")
    start = game.new_initial_state(first_player=0)
    # Perfect play scores the value of the start once the luck of the throws is subtracted.
    value = ashta.Table.load(game).values([start])[0, 0]
    assert figures["first %"]["mean"] == pytest.approx(value, abs=2e-3)
    assert figures["turns"]["mean"] <= figures["throws"]["mean"] and figures["captures"]["mean"] > 0
    assert 0 < figures["choice %"]["mean"] < 1 < figures["ways"]["mean"]
    assert figures["random %"]["mean"] > 0.5 and figures["novice %"] is not None
    page = (tmp_path / "README.md").read_text()
    assert "| siga | 2 | `perfect` | 50 | " in page
    assert (
        all(f"]({path.name})" in page for path in tmp_path.glob("*.svg"))
        and len(list(tmp_path.glob("*.svg"))) == 4
    )


def test_what_cannot_be_measured_is_named(tmp_path):
    for arguments, message in [(["sigma"], "sigma"), (["siga", "--table", SCRIPT], "make.py")]:
        refused = make(*arguments, "-o", tmp_path / "atlas")
        assert (
            refused.returncode == 1
            and message in refused.stderr
            and "Traceback" not in refused.stderr
        ), refused.stderr
    (tmp_path / "README.md").write_text("mine")
    refused = make("siga", "-o", tmp_path)
    assert (
        refused.returncode == 1
        and "README.md" in refused.stderr
        and (tmp_path / "README.md").read_text() == "mine"
    )


def test_a_game_is_analyzed_from_its_record_or_text():
    game = ashta.Game("siga")
    record = ashta.arena({"a": "hunter", "b": "greedy"}, game, pairs=1).games[0]
    found = ashta.analyze(record, by="perfect")
    assert found == ashta.analyze(json.dumps(record), game) and found["by"] == "perfect"
    assert sum(turn["captured"] for turn in found["turns"]) == sum(
        "captures" in turn["played"] for turn in found["turns"]
    )
    with pytest.raises(ValueError, match="nonsense"):
        ashta.analyze(record | {"moves": "nonsense"})
