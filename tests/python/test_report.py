"""The pages that `ashta arena --report` and `ashta analyze --html` write: complete, and with the
right numbers.

The tests check that a page fetches nothing and has every number, not its appearance.
"""

import json
import re

import pytest

import program


def contents(page):
    """Checks that a page is self-contained; returns its numbers."""
    text = page.read_text()
    assert text.startswith("<!doctype html>") and text.count("</html>") == 1
    assert not re.search(r"""(src|href)=|https?://|@import|url\(""", text), (
        "nothing comes from elsewhere"
    )
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    return json.loads(found[1])


@pytest.mark.parametrize(
    "game, seats, squares", [("ashtapada", 2, 62), ("ashte-kashte", 4, 49), ("pagade", 2, 91)]
)
def test_a_report_holds_what_the_arena_found(tmp_path, game, seats, squares):
    folder = tmp_path / "deep" / "report"
    words = ["greedy", "random", "--game", game, "--seats", seats, "--pairs", "4"]
    summary = program.read_json("arena", *words, "--luck", "greedy", "--report", folder)
    assert json.loads((folder / "report.json").read_text()) == summary
    data = contents(folder / "index.html")
    assert data["summary"] == summary and summary["luck_by"] == "greedy"
    assert "Elo" in data["verdicts"][0]
    assert sum(data["lengths"]["counts"]) == summary["games"]
    board = {(row, column) for row, column, *_ in data["board"]["squares"]}
    assert len(data["board"]["squares"]) == squares
    shown = data["games"]
    assert 4 < len(shown) <= 8
    swings = []
    for one in shown:
        turns = one["analysis"]["turns"]
        assert len(one["frames"]) == len(turns) + 1
        turn = turns[one["begins"] - 1]
        swings.append(max(abs(turn["luck"]), turn["regret"]))
        pieces = (2 if game == "ashtapada" else 4) * seats
        for frame in one["frames"]:
            off = sum(
                int(count) for _, text in frame["off"] for count in re.findall(r" (\d+)", text)
            )
            assert sum(piece[3] for piece in frame["pieces"]) + off == pieces
            assert {(row, column) for _, row, column, *_ in frame["pieces"]} <= board
    assert swings[0] > 0.1


def test_a_game_is_written_as_a_page(tmp_path):
    games, page = tmp_path / "games.jsonl", tmp_path / "game.html"
    assert program.run("arena", "greedy", "</script>", "--game", "ashtapada").returncode == 1
    program.done(
        "arena", "greedy", "hunter", "--game", "ashtapada", "--pairs", "1", "--games", games
    )
    text = games.read_text().replace('"hunter"', '"</script><b>"')
    games.write_text(text)
    told = program.done("analyze", games, "--html", page, "--json")
    data = contents(page)
    assert data["games"][0]["analysis"] == json.loads(told)
    assert data["games"][0]["analysis"]["players"][1]["name"] == "</script><b>"
    assert "summary" not in data


def test_a_report_that_cannot_be_written_is_refused_before_a_game(tmp_path):
    (tmp_path / "file").write_text("mine")
    assert str(tmp_path / "file") in program.refused(
        "arena", "greedy", "random", "--game", "ashtapada", "--report", tmp_path / "file"
    )
    assert (tmp_path / "file").read_text() == "mine"
