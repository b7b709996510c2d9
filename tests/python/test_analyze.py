"""`ashta analyze`: a played game from either kind of file, and the errors of broken files."""

import json

import pytest

import program


def analyze(path, *arguments):
    return json.loads(program.done("analyze", path, "--json", *arguments))


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
            assert turn["before"][own] + turn["luck"] == pytest.approx(
                turn["thrown"][own], abs=1e-6
            )
            assert turn["thrown"][own] - turn["regret"] == pytest.approx(
                turn["after"][own], abs=2e-6
            )
            assert ("better" in turn) == (turn["regret"] > 0) and turn["played"]
            assert ("mark" in turn) == (turn["regret"] >= 0.02)
        players = {player["name"]: player for player in found["players"]}
        assert players["perfect"]["regret"] < 1e-3 and players["perfect"]["verdict"] == "perfect"
        assert players["greedy"]["regret"] > players["perfect"]["regret"]
        assert players["perfect"]["luck"] == pytest.approx(-players["greedy"]["luck"], abs=1e-5)
        for player in players.values():
            own = [turn for turn in found["turns"] if turn["seat"] == player["seat"]]
            assert player["choices"] == sum(turn["results"] > 1 for turn in own)
            assert sum(player["marks"]) == sum("mark" in turn for turn in own)


def test_the_record_of_a_game_in_the_terminal_is_read(tmp_path):
    for game, by in [("ashtapada", "perfect"), ("ashte-kashte", "greedy"), ("pagade", "greedy")]:
        record = tmp_path / f"{game}.txt"
        program.done(
            "play", "greedy", "--game", game, "--seed", "5", "--record", record, input="1\n" * 500
        )
        found = analyze(record, "--by", by)
        assert found["end"] == record.read_text().splitlines()[-1]
        assert [player["name"] for player in found["players"]] == ["South", "North"]
        assert len(found["turns"]) >= len(record.read_text().splitlines()) - 2
        shown = program.run("analyze", record, "--by", by).stdout
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

    def refused(content, message, *arguments):
        wrong.write_text(content)
        finished = program.run("analyze", wrong, *arguments)
        assert finished.returncode == 1 and not finished.stdout, finished.stdout
        assert message in finished.stderr and str(wrong) in finished.stderr, finished.stderr

    refused("", "it contains no game")
    refused("{", "line 1: not the record of a game")
    refused("\n".join(text), "fewer than 9 games", "--number", "9")
    refused(json.dumps(game | {"moves": [[2], 77]}), "`moves`, number 2 at `ashtapada")
    refused(json.dumps(game | {"moves": [[5]]}), "`moves`, number 1 at `ashtapada")
    refused(json.dumps(game | {"start": "ashtapada S:1"}), "`start`: `ashtapada S:1`")
    refused(json.dumps(game | {"players": ["me"]}), "`players` has 1 names, but")
    refused("hello", "line 1")
    refused(
        "ashtapada S:off,off/N:off,off S *\nashtapada S:5,30/N:off,23 S 4,2",
        "line 2: no turn leads to this position",
    )
    assert "nowhere.txt" in program.refused("analyze", tmp_path / "nowhere.txt")
    nobody = program.run("analyze", games, "--by", "nobody")
    assert nobody.returncode == 1 and "--by nobody" in nobody.stderr


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
    program.done(
        "arena", "random", "ludo", "--pairs", "1", "--seed", "4", "--luck", "none", "--games", path
    )
    found = analyze(path)
    assert {player["name"]: player["verdict"] for player in found["players"]} == {
        "random": "like random play",
        "ludo": "expert",
    }
    assert [player["verdict"] for player in analyze(path, "--by", "greedy")["players"]] == [
        None,
        None,
    ]
