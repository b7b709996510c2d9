"""The atlas of games: a row for each form, figures within their intervals, the same bytes, nothing where a game is wrong."""

import json
import xml.etree.ElementTree as ElementTree

import pytest

import program
from table_reader import OPTIONAL, solve
from test_survey import fields

GAMES = ["siga", "ashte-kashte?pieces=1&move=optional"]
SEATS = [2, 2, 3, 4]
PICTURES = ["choice.svg", "first-seat.svg", "length.svg", "skill.svg"]


def atlas(folder, games, *options):
    """Runs `ashta atlas` with few games, where no other bots and tables are."""
    return program.run("atlas", *games, "-o", folder, "--pairs", "12", *options, cwd=folder.parent)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("tables") / "optional.table"
    return path, solve(path, OPTIONAL)


@pytest.fixture(scope="module")
def made(table, tmp_path_factory):
    """An atlas of two games: its folder and its figures."""
    folder = tmp_path_factory.mktemp("atlases") / "one"
    finished = atlas(folder, GAMES, "--table", table[0], "--threads", "1")
    assert finished.returncode == 0, finished.stderr
    return folder, json.loads((folder / "atlas.json").read_text())


def intervals(value):
    """Every mean with its interval in a value of JSON."""
    if isinstance(value, dict):
        if "interval" in value and "mean" in value:
            yield value["mean"], value["interval"]
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from intervals(part)


def test_the_file_is_what_its_page_says(made):
    _, report = made
    whole, form, profile, rule, solved = fields("json-output.md", "ashta atlas")
    assert list(report) == whole and (report["pairs"], report["seed"]) == (12, 7919)
    assert [len(entry["ruleset"]["seats"]) for entry in report["forms"]] == SEATS
    for entry in report["forms"]:
        assert list(entry) == form and list(entry["profile"]) == profile
        assert entry["profile"]["games"] + entry["profile"]["truncated_games"] == 12
        assert entry["profile"]["branching"]["mean"] > 1 + entry["profile"]["choices"]["mean"] - 1e-9
        assert [result["opponent"] for result in entry["skill"]][:2] == ["random", "greedy"]
    siga, optional, *others = report["forms"]
    assert siga["player"] == "siga" and siga["version"] and siga["skill"][2]["opponent"] == "novice"
    assert optional["player"] == "perfect" and optional["profile"]["luck"]["mean"] > 0
    assert all(entry["player"] == "hunter" and entry["profile"]["luck"] is None for entry in others)
    for entry in report["house_rules"]:
        assert list(entry) == rule
        assert list(entry["change"]) == ["turns", "captures", "first", "choices"]
    assert {entry["game"] for entry in report["house_rules"]} == set(GAMES)
    assert [list(entry) for entry in report["solved"]] == [solved]


def test_intervals_hold_their_figures(made):
    found = list(intervals(made[1]["forms"])) + list(intervals(made[1]["house_rules"]))
    assert len(found) > 60
    assert all(low <= mean <= high for mean, (low, high) in found)


def test_truths_are_those_of_the_table(made, table):
    truths = made[1]["solved"][0]["truths"]
    assert 3 <= len(truths) <= 5
    start = table[1]["start"][0]
    assert f"{100 * start:.2f} %" in truths[-1]["text"]
    with program.Engine(table[0]) as engine:
        for truth in truths:
            engine.get(op="legal", position=truth["position"])
            assert len(truth["board"].splitlines()) > 7
        behind = next(truth for truth in truths if "steps behind" in truth["text"])
        seat = behind["position"].split(" ")[2]
        worth = engine.get(op="evaluate", position=behind["position"])["values"]["SN".index(seat)]
        assert worth > 0.5 and f"wins {100 * worth:.1f} %" in behind["text"]


def test_the_page_has_a_row_for_each_form(made):
    folder, report = made
    assert sorted(path.name for path in folder.iterdir()) == ["README.md", "atlas.json", *PICTURES]
    page = (folder / "README.md").read_text()
    for entry in report["forms"]:
        flags = "?pieces=1&move=optional" if entry["ruleset"]["game"] == "ashte-kashte" else ""
        row = f"| {entry['ruleset']['game']}{flags} | {len(entry['ruleset']['seats'])} | `{entry['player']}` |"
        assert page.count(row) == 1, row
    assert "ashta atlas 'siga' 'ashte-kashte?pieces=1&move=optional' --table" in page and "--pairs 12 --seed 7919" in page
    assert all(truth["position"] in page and truth["text"] in page for truth in report["solved"][0]["truths"])
    for name in PICTURES:
        texts = [text.text.strip() for text in ElementTree.parse(folder / name).getroot().iter("{http://www.w3.org/2000/svg}text")]
        assert name in page and texts.count("siga") == 1 and texts.count(GAMES[1]) == 3, texts
        assert sum(text.startswith(("2 seats", "3 seats", "4 seats")) for text in texts) == 3


def test_threads_change_no_byte_and_the_seed_does(made, table, tmp_path):
    for name, options in [("two", ["--threads", "2"]), ("other", ["--seed", "1"])]:
        assert atlas(tmp_path / name, GAMES, "--table", table[0], *options).returncode == 0
    for name in ["README.md", "atlas.json", *PICTURES]:
        assert (tmp_path / "two" / name).read_bytes() == (made[0] / name).read_bytes(), name
    assert (tmp_path / "other" / "atlas.json").read_bytes() != (made[0] / "atlas.json").read_bytes()


def test_a_sheet_of_ones_own_has_an_atlas(tmp_path):
    sheet = program.run("game", "siga", "--sheet").stdout.replace('name = "siga"', 'name = "my-race"')
    (tmp_path / "mine.toml").write_text(sheet)
    finished = atlas(tmp_path / "atlas", ["mine.toml"])
    assert finished.returncode == 0, finished.stderr
    form, = json.loads((tmp_path / "atlas" / "atlas.json").read_text())["forms"]
    assert form["ruleset"]["game"] == "my-race" or "my-race" in json.dumps(form["ruleset"])


def test_what_is_wrong_is_said_and_nothing_is_written(table, tmp_path):
    broken = tmp_path / "broken.table"
    broken.write_bytes(table[0].read_bytes()[:-1])
    for games, options, words in [
        (["siga", "sigga"], [], ["sigga", "siga"]),
        (["siga?colour=red"], [], ["colour"]),
        (["none.toml"], [], ["none.toml"]),
        (["siga"], ["--table", broken], ["broken.table", "cut short"]),
        (["siga"], ["--pairs", "1"], ["--pairs"]),
    ]:
        refused = program.run("atlas", *games, "-o", tmp_path / "atlas", *options, cwd=tmp_path)
        assert refused.returncode != 0 and refused.stdout == "", refused.stdout
        assert all(word in refused.stderr for word in words), refused.stderr
        assert not (tmp_path / "atlas").exists()


def test_a_page_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "README.md").write_text("mine")
    refused = program.run("atlas", "siga", "-o", tmp_path, "--pairs", "2", cwd=tmp_path)
    assert refused.returncode == 1 and "README.md is of something else" in refused.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"] and (tmp_path / "README.md").read_text() == "mine"
