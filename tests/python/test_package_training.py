"""Training, solving and exporting from Python, and the program that is installed with the
package."""

import json
import os
import signal
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

import ashta
import program
from ashta._ashta import SelfPlay

TINY = {"selfplay.games": 64, "evaluation.pairs": 2, "evaluation.final_pairs": 2, "run.threads": 1}


def weights(bot):
    """The checksum of the weights of a bot; its settings name folders."""
    return program.manifest(bot)["checksum"]


def test_a_run_is_that_of_the_program(tmp_path):
    lines = []
    settings = TINY | {"run.directory": str(tmp_path / "here"), "evaluation.opponents": ["random"]}
    run = ashta.train("smoke", settings, callback=lines.append, progress=False)
    written = [json.loads(line) for line in (run.path / "metrics.jsonl").read_text().splitlines()]
    assert [line.pop("run") for line in lines] == [run.path] * len(lines) and lines == written
    assert run.results[0]["opponent"] == "random" and run.bot == run.path / "bots" / "smoke.bot"
    changes = [
        part for key, value in settings.items() for part in ("--set", f"{key}={json.dumps(value)}")
    ]
    there = program.done(
        "train", program.SMOKE, *changes, "--set", f"run.directory={tmp_path / 'there'}"
    )
    assert weights(program.folders(there)[1]) == weights(run.bot)


def test_a_callback_stops_a_run_and_it_goes_on_to_the_same_bot(tmp_path):
    whole = ashta.train("smoke", TINY | {"run.directory": str(tmp_path / "whole")}, progress=False)
    settings = TINY | {"run.directory": str(tmp_path / "parts")}
    part = ashta.train(
        "smoke", settings, callback=lambda line: line["iteration"] == 2, progress=False
    )
    assert part.bot is None and part.results is None
    assert len((part.path / "metrics.jsonl").read_text().splitlines()) == 2
    rest = ashta.train(resume=part.path, progress=False)
    assert rest.path == part.path and weights(rest.bot) == weights(whole.bot)


def test_actors_play_the_games_of_the_program(tmp_path):
    played = []

    def actors(config):
        player = SelfPlay(config)

        def play(weights, first, end):
            played.append((first, end))
            half = (first + end) // 2
            return [player.play(weights, first, half), player.play(weights, half, end)]

        return play

    def train(**options):
        settings = TINY | {"run.directory": str(tmp_path)}
        return ashta.train("smoke", settings, progress=False, **options)

    assert train(actors=actors).bot.read_bytes() == train().bot.read_bytes()
    assert played == [(0, 16), (16, 32), (32, 48), (48, 64)]
    for change in [lambda games: games[::-1], lambda games: games[1:], lambda games: games * 2]:
        wrong = lambda config, change=change: lambda *of: change(actors(config)(*of))  # noqa: E731
        with pytest.raises(ValueError, match="do not contain the games 0 to 15, each once"):
            train(actors=wrong)
    with pytest.raises(ValueError, match="damaged"):
        train(actors=lambda config: lambda *of: [actors(config)(*of)[0][:-9]])
    with pytest.raises(ZeroDivisionError):
        train(actors=lambda config: lambda *of: 1 / 0)
    before = sorted(tmp_path.iterdir())
    with pytest.raises(ZeroDivisionError):
        train(actors=lambda config: 1 / 0)
    assert sorted(tmp_path.iterdir()) == before


def test_what_a_callback_raises_ends_the_run(tmp_path):
    def fail(line):
        raise ZeroDivisionError(line["games"])

    with pytest.raises(ZeroDivisionError, match="16"):
        ashta.train("smoke", TINY | {"run.directory": str(tmp_path)}, callback=fail, progress=False)


def test_wrong_settings_are_named(tmp_path):
    with pytest.raises(ValueError, match=r"selfplay\.gams: unknown key") as refused:
        ashta.train("smoke", {"selfplay.gams": 3, "run.threads": 0, "run.directory": str(tmp_path)})
    assert "run.threads" in str(refused.value) and not any(tmp_path.iterdir())
    with pytest.raises(ValueError, match="built-in configurations"):
        ashta.train("no-such-game")
    for settings in ("selfplay.games=64", [("selfplay.games", 64)]):
        with pytest.raises(TypeError, match="a list of texts KEY=VALUE"):
            ashta.train("smoke", settings)
    with pytest.raises(ValueError, match=r"selfplay\.gams"):
        ashta.train("smoke", ["selfplay.gams=64"])
    with pytest.raises(ValueError, match="give only one of them"):
        ashta.train("smoke", resume=tmp_path)
    with pytest.raises(ValueError, match=r"no config\.toml"):
        ashta.train(resume=tmp_path)


def test_ctrl_c_ends_training_and_saves_it(tmp_path):
    script = f"""if True:
        import ashta, signal
        # A shell has processes in its background ignore it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        settings = {{"run.directory": {str(tmp_path)!r}, "selfplay.games": 10_000_000}}
        def tell(line):
            print(line["iteration"], flush=True)
        try:
            ashta.train("smoke", settings, callback=tell, progress=False)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "1\n"
        process.send_signal(signal.SIGINT)
        last = process.communicate(timeout=program.PATIENCE)[0].splitlines()
        assert last[-1] == "interrupted" and process.returncode == 0
    run = tmp_path / "smoke-1"
    lines = (run / "metrics.jsonl").read_text().splitlines()
    newest = max(int(path.name) for path in (run / "checkpoints").iterdir())
    assert json.loads(lines[-1])["iteration"] == newest


def test_a_game_is_solved_to_the_table_of_the_program(tmp_path):
    table = ashta.solve("ashte-kashte?pieces=1", tmp_path / "one.table", proof=False, threads=1)
    state = table.game.new_initial_state()
    assert table.values([state]).sum() == pytest.approx(1, abs=1e-4)
    command = [
        "solve",
        "ashte-kashte?pieces=1",
        "--no-proof",
        "--threads",
        1,
        "-o",
        tmp_path / "two.table",
    ]
    assert program.run(*command).returncode == 0
    assert (tmp_path / "one.table").read_bytes() == (tmp_path / "two.table").read_bytes()
    for wrong, words in [
        ({"bits": 8}, "`bits` is 8"),
        ({"threads": 0}, "`threads` is 0"),
        ({"tolerance": 0.0}, "`tolerance` is 0"),
    ]:
        with pytest.raises(ValueError, match=words):
            ashta.solve("ashte-kashte?pieces=1", tmp_path / "x.table", **wrong)
    with pytest.raises(ValueError, match="cannot write|No such file"):
        ashta.solve("ashte-kashte?pieces=1", tmp_path / "nowhere" / "x.table")


def test_runs_and_bots_are_exported(smoke, tmp_path):
    run, bot = smoke
    file = ashta.export(run, tmp_path / "last.bot", checkpoint="latest")
    assert file == tmp_path / "last.bot" and ashta.Bot.load(file).game == ashta.Bot.load(bot).game
    model = ashta.export("siga", tmp_path / "siga.onnx", format="onnx")
    assert model.stat().st_size > 10_000 and not (tmp_path / "README.md").exists()
    ashta.export("siga", tmp_path / "siga.onnx", card=tmp_path / "siga.md", format="onnx")
    assert "# siga\n" in (tmp_path / "siga.md").read_text()
    with pytest.raises(ValueError, match="no checkpoint"):
        ashta.export(run, tmp_path / "x.bot", checkpoint=7)
    with pytest.raises(ValueError, match="`format` is"):
        ashta.export("siga", tmp_path / "x", format="zip")


# The files that the installed package finds.
WHEEL = """
import ashta, ashta.benchmark
[folder] = ashta.folders()
print(*sorted(file.name for file in folder.glob("*.table")))
assert len(ashta.benchmark.decisions("pagade")[0]) == 10_000
for name in SMALL:
    ashta.Bot.load(name)
assert ashta.arena(["ashtapada+2ply", "greedy"], pairs=1).report["luck_by"] == "perfect"
assert ashta.arena(["thaayam", "greedy"], pairs=1).report["luck_by"] == "thaayam"
"""


def test_the_wheel_is_the_whole_thing(tmp_path):
    """The command, the small bots, tables and licences work in an empty folder."""
    command = Path(sys.executable).with_name("ashta")
    usual = {
        name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "ASHTA_"))
    }
    options = {"cwd": tmp_path, "env": usual | {"HOME": str(tmp_path)}}

    def run(*arguments):
        return program.execute(command, *arguments, **options)

    assert run("--version").stdout.split() == ["ashta", ashta.__version__]
    listed = json.loads(run("bots", "--json").stdout)
    assert {bot["name"] for bot in listed} >= set(program.SMALL)
    judged = run("eval", "ashtapada", "--against", "perfect", "--pairs", "5")
    assert judged.returncode == 0 and "perfect" in judged.stdout, judged.stderr
    assert run("eval", "nobody").returncode == 1
    shown = program.python("-c", f"SMALL = {program.SMALL}\n{WHEEL}", **options)
    tables = ["ashtapada", "ashte-kashte-2", "gavalata", "siga"]
    assert shown.split() == [f"{table}.table" for table in tables]
    licences = [file.name for file in distribution("ashta").files if "licenses" in file.parts]
    assert sorted(licences) == ["LICENSE-APACHE", "LICENSE-MIT"]


def test_ctrl_c_ends_the_installed_program(tmp_path):
    command = [Path(sys.executable).with_name("ashta"), "serve", "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=tmp_path, text=True) as process:
        assert process.stdout.readline().startswith("page: ")
        process.send_signal(signal.SIGINT)
        assert process.wait(program.PATIENCE) == -signal.SIGINT


def test_ctrl_c_ends_the_last_evaluation_without_a_bot(tmp_path):
    settings = {
        "run.directory": str(tmp_path),
        "selfplay.games": 16,
        "evaluation.final_pairs": 10_000_000,
    }
    script = f"""if True:
        import ashta, signal
        signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            ashta.train("smoke", {settings!r}, callback=lambda line: print(line["iteration"], flush=True), progress=False)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
    """
    run = tmp_path / "smoke-1"
    for command in [[sys.executable, "-c", script], [program.ASHTA, "train", "--resume", run]]:
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            # Only the evaluation is left: the only iteration is already saved or reported.
            line = (
                process.stdout.readline()
                if command[0] == sys.executable
                else process.stderr.readline()
            )
            assert line == "1\n" or line.startswith("training in")
            process.send_signal(signal.SIGINT)
            told = "".join(process.communicate(timeout=program.PATIENCE))
            assert "interrupted" in told and process.returncode in (0, 130)
        assert not (run / "bots").exists() or not any((run / "bots").iterdir())
    done = ashta.train(resume=run, settings={"evaluation.final_pairs": 2}, progress=False)
    assert done.bot.is_file() and done.results[0]["games"] == 4
