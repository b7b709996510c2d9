"""`ashta analyze`: a played game from either kind of file, and the errors of broken files."""

import json

import pytest

import program


def analyze(path, *arguments):
    return program.read_json("analyze", path, *arguments)


@pytest.fixture(scope="module")
def games(tmp_path_factory):
    """A file of games: `perfect` against `greedy` in Ashtapada."""
    path = tmp_path_factory.mktemp("arena") / "games.jsonl"
    program.done(
        "arena", "perfect", "greedy", "--game", "ashtapada", "--pairs", "2", "--games", path
    )
    return path


def test_luck_and_errors_make_what_happened(games):
    lines = [json.loads(line) for line in games.read_text().splitlines()[1:]]
    for number, line in enumerate(lines, 1):
        found = analyze(games, "--number", str(number))
        assert found["by"] == "perfect" and found["returns"] == line["returns"]
        assert len(found["turns"]) == line["turns"]
        thrown = [throw for move in line["moves"] if isinstance(move, list) for throw in move]
        assert [throw for turn in found["turns"] for throw in turn["throw"]] == thrown
        for turn in found["turns"]:
            own = "SN".index(turn["seat"])
            before, thrown, after = (turn[time][own] for time in ("before", "thrown", "after"))
            assert before + turn["luck"] == pytest.approx(thrown, abs=1e-6)
            assert thrown - turn["regret"] == pytest.approx(after, abs=2e-6)
            assert ("better" in turn) == (turn["regret"] > 0) and turn["played"]
            assert ("mark" in turn) == (turn["regret"] >= 0.02)
        players = {player["name"]: player for player in found["players"]}
        perfect, greedy = players["perfect"], players["greedy"]
        assert perfect["regret"] < 1e-3 and perfect["verdict"] == "perfect"
        assert greedy["regret"] > perfect["regret"]
        assert perfect["luck"] == pytest.approx(-greedy["luck"], abs=1e-5)
        for player in players.values():
            own = [turn for turn in found["turns"] if turn["seat"] == player["seat"]]
            assert player["choices"] == sum(turn["results"] > 1 for turn in own)
            assert sum(player["marks"]) == sum("mark" in turn for turn in own)


def test_the_record_of_a_game_in_the_terminal_is_read(tmp_path):
    for game, by in [("ashtapada", "perfect"), ("ashte-kashte", "greedy"), ("pagade", "greedy")]:
        record = tmp_path / f"{game}.txt"
        play = ["play", "greedy", "--game", game, "--seed", "5", "--record", record]
        program.done(*play, input="1\n" * 500)
        lines = record.read_text().splitlines()
        found = analyze(record, "--by", by)
        assert found["end"] == lines[-1] and len(found["turns"]) >= len(lines) - 2
        assert [player["name"] for player in found["players"]] == ["South", "North"]
        shown = program.done("analyze", record, "--by", by)
        assert f"evaluated by {by}" in shown and "blunders" in shown and found["end"] in shown


def test_a_record_may_begin_within_a_turn(tmp_path):
    record = tmp_path / "game.txt"
    record.write_text("ashtapada S:5,30/N:9,23 N 3\nashtapada S:5,30/N:12,23 S *\n")
    turn = analyze(record)["turns"][0]
    assert (turn["seat"], turn["throw"], turn["luck"]) == ("N", [], 0)
    assert turn["results"] > 1 and turn["after"][1] + turn["regret"] == pytest.approx(
        turn["thrown"][1], abs=1e-6
    )
    assert turn["before"] == turn["thrown"]


def test_what_is_no_game_is_refused_with_its_place(games, tmp_path):
    text = games.read_text().splitlines()
    game = json.loads(text[1])
    wrong = tmp_path / "wrong.jsonl"
    jump = "ashtapada S:off,off/N:off,off S *\nashtapada S:5,30/N:off,23 S 4,2"
    for content, message, *arguments in [
        ("", "it contains no game"),
        ("{", "line 1: not the record of a game"),
        ("\n".join(text), "fewer than 9 games", "--number", "9"),
        (json.dumps(game | {"moves": [[2], 77]}), "`moves`, number 2 at `ashtapada"),
        (json.dumps(game | {"moves": [[5]]}), "`moves`, number 1 at `ashtapada"),
        (json.dumps(game | {"start": "ashtapada S:1"}), "`start`: `ashtapada S:1`"),
        (json.dumps(game | {"players": ["me"]}), "`players` has 1 names, but"),
        ("hello", "line 1"),
        (jump, "line 2: no turn leads to this position"),
    ]:
        wrong.write_text(content)
        error = program.refused("analyze", wrong, *arguments)
        assert message in error and str(wrong) in error, error
    assert "nowhere.txt" in program.refused("analyze", tmp_path / "nowhere.txt")
    assert "--by nobody" in program.refused("analyze", games, "--by", "nobody")


def test_who_had_no_choice_gets_no_verdict(tmp_path):
    line = tmp_path / "game.jsonl"
    line.write_text(
        '{"players":["a","b"],"start":"ashtapada S:off,off/N:off,off S *","moves":[[2],8]}\n'
    )
    found = analyze(line)
    assert [player["verdict"] for player in found["players"]] == [None, None]
    assert [player["regret"] for player in found["players"]] == [0, 0]
    shown = program.run("analyze", line).stdout
    assert "-0.0" not in shown and shown.splitlines()[-1].endswith(" -"), shown


def test_verdicts_are_measured_for_the_game(tmp_path):
    path = tmp_path / "games.jsonl"
    words = ["--pairs", "1", "--seed", "4", "--luck", "none", "--games", path]
    program.done("arena", "random", "ludo", *words)
    players = analyze(path)["players"]
    assert {player["name"]: player["verdict"] for player in players} == {
        "random": "like random play",
        "ludo": "expert",
    }
    assert {player["verdict"] for player in analyze(path, "--by", "greedy")["players"]} == {None}
