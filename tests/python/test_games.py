"""Games as sheets on the command line: the program shows, checks and plays sheets that it does not
contain."""

import json
import re

import program

SHEETS = program.ROOT / "env" / "games"


def own(folder, game="siga", name="my-race"):
    """Writes the sheet of a built-in game with another name into a file."""
    text = (SHEETS / f"{game}.toml").read_text()
    path = folder / "my-race.toml"
    path.write_text(re.sub(r'^name = ".*"$', f'name = "{name}"', text, count=1, flags=re.MULTILINE))
    return path


def test_all_games_are_listed():
    names = sorted(path.stem for path in SHEETS.glob("*.toml"))
    assert [
        line.split()[0] for line in program.done("game").splitlines() if re.match(r"\S+  ", line)
    ] == names
    games = json.loads(program.run("game", "--json").stdout)["games"]
    assert [game["name"] for game in games] == names
    with program.Engine() as engine:
        assert engine.get(op="games")["games"] == games
        assert engine.get(op="hello")["games"] == names


def test_each_game_is_shown():
    for path in SHEETS.glob("*.toml"):
        finished = program.done("game", path.stem)
        assert all(len(line) <= 80 for line in finished.splitlines()), finished
        understood = "The rules as the program understands them"
        parts = [
            "The board at the beginning",
            "South's course",
            "Throws",
            understood,
            "House rules",
            "Rules",
            "Sources",
        ]
        assert all(f"\n\n{part}\n\n" in finished for part in parts), finished
        assert program.run("game", path).stdout == finished, (
            "a sheet is shown as the game that it is"
        )
    assert "no_cut=lap" in program.run("game", "pagade?no_cut=lap").stdout


def test_the_rules_are_said_as_they_are_understood(tmp_path):
    def shown(game):
        text = program.run("game", game).stdout
        part = text.split("\n\nThe rules as the program understands them\n\n")[1].split("\n\n")[0]
        return " ".join(part.split())

    with program.Engine() as engine:
        for game in ("siga", "pagade?teams=true", "thaayam?hop=each&pieces=2"):
            described = json.loads(program.run("game", game, "--json").stdout)
            assert engine.get(op="rules", game=game)["understood"] == described["understood"]
            lines = [
                [topic["topic"], *(f"* {text}" for text in topic["sentences"])]
                for topic in described["understood"]
            ]
            assert shown(game) == " ".join(text for topic in lines for text in topic)
        answer = engine.get(op="sheet", sheet=own(tmp_path).read_text())["game"]
        assert answer["understood"] == engine.get(op="rules", game="siga")["understood"]
        assert engine.ask(op="rules", game="siga?stack=two")["error"]["code"] == "bad-game"
    assert shown(own(tmp_path)) == shown("siga") != shown("siga?stack=none")
    # Prose changes nothing.
    sheet = own(tmp_path)
    sheet.write_text(
        re.sub(r'^rules = """.*?"""', 'rules = "A 2 enters."', sheet.read_text(), flags=re.M | re.S)
    )
    assert "A throw of 1 lets a waiting piece enter." in shown(sheet) == shown("siga")


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
        finished = program.run(*arguments, stdin=program.subprocess.DEVNULL)
        assert finished.returncode == 1 and finished.stdout == "", arguments
        for key in ("sides", "counts"):
            number = next(at for at, line in enumerate(lines, 1) if line.startswith(key))
            assert re.search(
                rf"^\s*{re.escape(str(sheet))}:{number}: \w+\.{key}: ", finished.stderr, re.M
            ), finished.stderr
    for name, part in [("missing.toml", "missing.toml"), ("chess", "unknown game `chess`")]:
        assert part in program.refused("game", name, cwd=tmp_path)
    taken = own(tmp_path, name="pagade")
    assert "give this sheet another `name`" in program.run("game", taken).stderr


def test_a_game_of_ones_own_outlives_its_file(tmp_path):
    sheet = own(tmp_path)
    (tmp_path / "mine.toml").write_text('[ruleset]\ngame = "my-race.toml?pieces=1"\n')
    table = tmp_path / "my-race.table"
    program.done("solve", tmp_path / "mine.toml", "-o", table, "--tolerance", "1e-4", "--no-proof")
    run, bot = program.train(
        tmp_path, f'ruleset.game="{sheet}?pieces=1"', "ruleset.flags.pieces=1", "selfplay.games=32"
    )
    record = tmp_path / "game.txt"
    arguments = ["play", "greedy", "--game", f"{sheet}?pieces=1", "--record", record, "--seed", "1"]
    assert program.run(*arguments, input="1\n1\nq\n").returncode == 0
    program.done("analyze", record, "--game", sheet, "--by", "greedy")
    sheet.unlink()
    program.done("analyze", record, "--by", bot)

    program.done("train", "--resume", run, "--set", "selfplay.games=48")
    exported = tmp_path / "exported.bot"
    assert program.run("export", run, "-o", exported).returncode == 0
    assert not (tmp_path / "README.md").exists()
    assert program.manifest(exported)["sheet"].startswith('name = "my-race"')
    games = tmp_path / "games.jsonl"
    arena = ["arena", exported, table, "--pairs", "3", "--luck", "none", "--games", games, "--json"]
    assert json.loads(program.done(*arena))["game"] == "my-race?pieces=1"
    assert json.loads(program.run(*arena[:-1], "--json").stdout)["games"] == 6, (
        "it goes on with the file"
    )
    program.done("analyze", games, "--by", exported)
    program.done(
        "eval",
        exported,
        "--against",
        f"{table}",
        "--pairs",
        "3",
        "--game",
        "my-race?pieces=1",
        "--json",
    )
    with program.Engine(exported) as engine:
        assert engine.get(op="hello")["games"][-1] == "my-race"
        position = engine.get(op="new", game="my-race?pieces=1", start="S")["position"]
        assert len(engine.get(op="evaluate", position=position)["values"]) == 2


def test_a_game_that_two_cannot_play_needs_no_setting(tmp_path):
    sheet = own(tmp_path)
    sheet.write_text(sheet.read_text().replace('allowed = ["SN"]', 'allowed = ["SENW"]'))
    table = tmp_path / "mine.table"
    solved = program.done(
        "solve", f"{sheet}?pieces=1", "-o", table, "--tolerance", "1e-3", "--no-proof", "--json"
    )
    assert json.loads(solved)["ruleset"]["seats"] == "SENW"
    tiny = [
        "selfplay.games=16",
        "selfplay.games_per_iteration=8",
        "learning.batch=32",
        "learning.replay_capacity=4096",
    ]
    tiny += [
        "evaluation.final_pairs=2",
        'evaluation.opponents=["random"]',
        "export.probes=4",
        "run.time_limit_minutes=9",
    ]
    arguments = ["train", sheet, "--set", f"run.directory={tmp_path}"]
    trained = program.run(*arguments, *(part for setting in tiny for part in ("--set", setting)))
    assert trained.returncode == 0, trained.stderr
    assert "all 16 games are played after 0.0 of 9 minutes" in trained.stderr
    run, bot = program.folders(trained.stdout)
    assert "\nseats = 4\n" in (run / "config.toml").read_text()
    judged = program.run("eval", bot, "--against", "random", "--pairs", "2", "--json")
    assert json.loads(judged.stdout)["seats"] == 4, judged.stderr
    # An explicit number of two seats is refused.
    asked = program.run("train", sheet, "--set", "ruleset.seats=2", "--dry-run")
    assert "is not played on the seats `SN`" in asked.stderr


def test_an_engine_meets_a_game_of_ones_own(tmp_path):
    sheet = own(tmp_path)
    engine = f"engine:{program.ASHTA} engine --agent runner"
    met = program.done(
        "arena",
        "greedy",
        engine,
        "--game",
        f"{sheet}?pieces=1",
        "--pairs",
        "2",
        "--luck",
        "none",
        "--json",
    )
    assert [agent["forfeits"] for agent in json.loads(met)["agents"]] == [0, 0]
