"""Games as sheets on the command line: the program shows, checks and plays sheets that it does not
contain."""

import re

import program
import stand_in


def own(folder, game="siga", name="my-race"):
    """Writes the sheet of a built-in game with another name into a file."""
    path = folder / "my-race.toml"
    path.write_text(program.renamed(game, name))
    return path


def test_all_games_are_listed():
    names = sorted(path.stem for path in program.SHEETS.glob("*.toml"))
    assert re.findall(r"^(\S+)  ", program.done("game"), re.MULTILINE) == names
    games = program.read_json("game")["games"]
    assert [game["name"] for game in games] == names
    with program.Engine() as engine:
        assert engine.get(op="games")["games"] == games
        assert engine.get(op="hello")["games"] == names


def test_each_game_is_shown():
    parts = [
        "The board at the beginning",
        "South's course",
        "Throws",
        "The rules as the program understands them",
        "House rules",
        "Rules",
        "Sources",
    ]
    for path in program.SHEETS.glob("*.toml"):
        finished = program.done("game", path.stem)
        assert all(len(line) <= 80 for line in finished.splitlines()), finished
        assert all(f"\n\n{part}\n\n" in finished for part in parts), finished
        assert program.done("game", path) == finished, "a sheet is shown as the game that it is"
    assert "no_cut=lap" in program.done("game", "pagade?no_cut=lap")


def test_the_rules_are_said_as_they_are_understood(tmp_path):
    def shown(game):
        text = program.done("game", game)
        part = text.split("\n\nThe rules as the program understands them\n\n")[1].split("\n\n")[0]
        return " ".join(part.split())

    sheet = own(tmp_path)
    with program.Engine() as engine:
        for game in ("siga", "pagade?teams=true", "thaayam?hop=each&pieces=2"):
            topics = program.read_json("game", game)["understood"]
            assert engine.get(op="rules", game=game)["understood"] == topics
            lines = [
                [topic["topic"], *(f"* {text}" for text in topic["sentences"])] for topic in topics
            ]
            assert shown(game) == " ".join(text for topic in lines for text in topic)
        answer = engine.get(op="sheet", sheet=sheet.read_text())["game"]
        assert answer["understood"] == engine.get(op="rules", game="siga")["understood"]
        assert engine.ask(op="rules", game="siga?stack=two")["error"]["code"] == "bad-game"
    assert shown(sheet) == shown("siga") != shown("siga?stack=none")


def test_a_broken_sheet_is_named_with_all_its_problems(tmp_path):
    sheet = own(tmp_path)
    text = re.sub(r"^side = ", "sides = 9\nside = ", sheet.read_text(), flags=re.M)
    sheet.write_text(re.sub(r"^count = ", "counts = 9\ncount = ", text, flags=re.M))
    lines = sheet.read_text().splitlines()
    for arguments in (
        ["game", sheet],
        ["play", "greedy", "--game", sheet],
        ["solve", sheet, "-o", tmp_path / "x.table"],
    ):
        error = program.refused(*arguments, input="")
        for key in ("sides", "counts"):
            number = next(at for at, line in enumerate(lines, 1) if line.startswith(key))
            assert re.search(rf"^\s*{re.escape(str(sheet))}:{number}: \w+\.{key}: ", error, re.M)
    for name, part in [
        ("missing.toml", "missing.toml"),
        ("chess", "unknown game `chess`"),
        (own(tmp_path, name="pagade"), "give this sheet another `name`"),
    ]:
        assert part in program.refused("game", name, cwd=tmp_path)


def test_a_game_of_ones_own_outlives_its_file(tmp_path):
    sheet = own(tmp_path)
    game = f"{sheet}?pieces=1"
    (tmp_path / "mine.toml").write_text('[ruleset]\ngame = "my-race.toml?pieces=1"\n')
    table = tmp_path / "my-race.table"
    program.done("solve", tmp_path / "mine.toml", "-o", table, "--tolerance", "1e-4", "--no-proof")
    run, bot = program.train(
        tmp_path, f'ruleset.game="{game}"', "ruleset.flags.pieces=1", "selfplay.games=32"
    )
    record = tmp_path / "game.txt"
    arguments = ["play", "greedy", "--game", game, "--record", record, "--seed", "1"]
    program.done(*arguments, input="1\n1\nq\n")
    program.done("analyze", record, "--game", sheet, "--by", "greedy")
    engine = f"engine:{program.ASHTA} engine --agent runner"
    options = ["--game", game, "--pairs", "2", "--luck", "none"]
    met = program.read_json("arena", "greedy", engine, *options)
    assert [agent["forfeits"] for agent in met["agents"]] == [0, 0]
    sheet.unlink()
    program.done("analyze", record, "--by", bot)

    program.done("train", "--resume", run, "--set", "selfplay.games=48")
    exported = tmp_path / "exported.bot"
    program.done("export", run, "-o", exported)
    assert not (tmp_path / "README.md").exists()
    assert program.manifest(exported)["sheet"].startswith('name = "my-race"')
    games = tmp_path / "games.jsonl"
    arena = ["arena", exported, table, "--pairs", "3", "--luck", "none", "--games", games]
    assert program.read_json(*arena)["game"] == "my-race?pieces=1"
    assert program.read_json(*arena)["games"] == 6, "it goes on with the file"
    program.done("analyze", games, "--by", exported)
    judged = ["eval", exported, "--against", table, "--pairs", "3"]
    program.done(*judged, "--game", "my-race?pieces=1")
    with program.Engine(exported) as engine:
        assert engine.get(op="hello")["games"][-1] == "my-race"
        position = engine.get(op="new", game="my-race?pieces=1", start="S")["position"]
        assert len(engine.get(op="evaluate", position=position)["values"]) == 2


def test_a_game_that_two_cannot_play_needs_no_setting(tmp_path):
    sheet = own(tmp_path)
    sheet.write_text(sheet.read_text().replace('allowed = ["SN"]', 'allowed = ["SENW"]'))
    options = ["-o", tmp_path / "mine.table", "--tolerance", "1e-3", "--no-proof"]
    solved = program.read_json("solve", f"{sheet}?pieces=1", *options)
    assert solved["ruleset"]["seats"] == "SENW"
    tiny = stand_in.TINY | {
        "run.directory": tmp_path, "run.time_limit_minutes": 9, "selfplay.games": 16,
    }  # fmt: skip
    trained = program.run("train", sheet, *stand_in.settings(tiny))
    assert trained.returncode == 0, trained.stderr
    assert "all 16 games are played after 0.0 of 9 minutes" in trained.stderr
    run, bot = program.folders(trained.stdout)
    assert "\nseats = 4\n" in (run / "config.toml").read_text()
    judged = program.read_json("eval", bot, "--against", "random", "--pairs", "2")
    assert judged["seats"] == 4
    # An explicit number of two seats is refused.
    asked = program.refused("train", sheet, "--set", "ruleset.seats=2", "--dry-run")
    assert "is not played on the seats `SN`" in asked
