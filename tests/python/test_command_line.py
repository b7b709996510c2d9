"""The command line as people use it: errors that help, interruptions that lose nothing, answers for
programs."""

import json
import shutil
import signal
import subprocess

import numpy
from safetensors import safe_open

import program


def test_a_broken_bot_is_named(smoke, tmp_path):
    broken, missing, other = (tmp_path / f"{name}.bot" for name in ("broken", "missing", "text"))
    broken.write_bytes(smoke[1].read_bytes()[:-8])
    other.write_text("no bot at all")
    for path in (broken, missing, other):
        for arguments in (["eval", path, "--pairs", "1"], ["engine", "--agent", path]):
            assert path.name in program.refused(*arguments, input="")


def test_a_bot_refuses_another_game(smoke):
    refused = program.refused("eval", smoke[1], "--game", "ashtapada", "--pairs", "1")
    assert "ashte-kashte?pieces=2" in refused
    with program.Engine(smoke[1]) as engine:
        answer = engine.ask(op="evaluate", position="ashtapada S:5,30/N:off,23 S *")
        assert answer["error"]["code"] == "no-agent"


def test_a_match_as_json(smoke):
    arguments = ["eval", smoke[1], "--against", "random,runner", "--pairs", "10", "--json"]
    told = program.done(*arguments)
    report = json.loads(told)
    assert [result["opponent"] for result in report["results"]] == ["random", "runner"]
    for result in report["results"]:
        low, high = result["interval"]
        assert result["games"] == 20 and 0 <= low <= result["score"] <= high <= 1
    assert program.run(*arguments, "--threads", "1").stdout == told


def test_an_interrupted_run_goes_on_as_if_it_had_not_been(tmp_path):
    settings = ["selfplay.games=4096", "selfplay.games_per_iteration=64", "learning.ema=0.99"]
    settings += ["evaluation.every_iterations=25", "run.checkpoint_iterations=1000"]
    _, whole = program.train(tmp_path / "whole", *settings)

    run, pipe = tmp_path / "halves" / "smoke-1", subprocess.PIPE
    command = [program.ASHTA, *program.training(run.parent, *settings)]
    process = subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True)
    metrics = run / "metrics.jsonl"
    program.wait_until(lambda: metrics.exists() and metrics.read_text().count("\n") >= 3, process)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=program.PATIENCE)
    assert process.returncode == 130 and "bot:" not in output
    assert f"ashta train --resume {run}" in errors
    assert metrics.read_text().count("\n") < 64

    resumed = program.folders(program.done("train", "--resume", run))
    assert resumed[0] == run
    iterations = [json.loads(line)["iteration"] for line in metrics.read_text().splitlines()]
    assert iterations == list(range(1, 65))
    one, other = (safe_open(bot, framework="numpy") for bot in (whole, resumed[1]))
    assert set(one.keys()) == set(other.keys())
    for name in one.keys():
        numpy.testing.assert_array_equal(one.get_tensor(name), other.get_tensor(name))


def test_signals_that_were_ignored_at_the_start_stay_ignored(tmp_path):
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    command = ["nohup", program.ASHTA, *program.training(tmp_path)]
    process = subprocess.Popen(command, **pipes)
    program.wait_until((tmp_path / "smoke-1" / "metrics.jsonl").exists, process)
    process.send_signal(signal.SIGHUP)
    output, _ = process.communicate(timeout=program.PATIENCE)
    assert process.returncode == 0 and b"stopping" not in output, output


def test_negative_numbers_are_numbers_out_of_range():
    for command in [
        "serve --port",
        "eval siga --pairs",
        "eval siga --seed",
        "play siga --seats",
        "engine --check true --move-seconds",
    ]:
        refused = program.run(*command.split(), "-1")
        assert (
            refused.returncode == 2
            and f"invalid value '-1' for '{command.split()[-1]} " in refused.stderr
        )


def test_completions_name_the_commands():
    completions = program.done("completions", "bash")
    assert all(command in completions for command in ("train", "eval", "play", "export", "engine"))


def test_a_refused_resumption_changes_nothing(smoke):
    run, _ = smoke
    before = (run / "config.toml").read_bytes()
    refused = program.refused("train", "--resume", run, "--set", "network.hidden=[24]")
    assert "hidden [16]" in refused and "hidden [24]" in refused
    assert (run / "config.toml").read_bytes() == before
    program.done("train", "--resume", run)


def test_a_device_that_does_not_exist_leaves_no_run_behind(tmp_path):
    assert "run.device: expected" in program.refused(*program.training(tmp_path, "run.device=tpu"))
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_goes_away_is_no_panic():
    pipes = {name: subprocess.PIPE for name in ("stdin", "stdout", "stderr")}
    process = subprocess.Popen([program.ASHTA, "engine"], text=True, **pipes)
    process.stdout.close()
    with process.stdin as requests:
        requests.write('{"op": "games"}\n')
    assert process.wait(timeout=program.PATIENCE) == 1
    assert process.stderr.read() == ""
    process.stderr.close()


def test_the_record_of_a_game_is_there_when_the_game_is_left(tmp_path):
    record = tmp_path / "game.txt"
    play = ["play", "greedy", "--game", "pagade", "--seed", "1", "--record", record]
    program.done(*play, input="1\n1\n")
    lines = record.read_text().splitlines()
    assert len(lines) >= 4 and all(line.startswith("pagade S") for line in lines)
    assert str(record) in program.refused(*play, input="")
    assert record.read_text().splitlines() == lines


def test_bots_that_come_with_the_program_go_by_their_names(tmp_path):
    for bot in program.read_json("bots", cwd=tmp_path):
        assert bot["bytes"] > 1000 and bot["hidden"] and "games" in bot["training"]
        assert bot["strength"][0]["games"] > 0
    table = program.run("bots", cwd=program.ROOT).stdout
    assert all(f"\n{path.stem} " in table for path in program.RELEASED), table
    unknown = program.refused("eval", "ashtapda", "--against", "random")
    assert "`ashtapda` is not an agent" in unknown
    assert all(name in unknown for name in program.SMALL), unknown
    assert "not a look-ahead" in program.refused("eval", "ashtapada+3plies")


def test_the_error_for_a_run_names_its_bot(smoke):
    run, bot = smoke
    for command, spec, named in [
        ("eval", run, bot),
        ("eval", f"{run}+2ply", f"{bot}+2ply"),
        ("levels", run, bot),
    ]:
        assert f"is the folder of a run, not an agent; write `{named}`" in program.refused(
            command, spec
        )


def test_levels_of_difficulty_are_calibrated_and_played(smoke, tmp_path):
    """Every level loses less than the one before, plays, and stays in the file; other names are
    refused."""
    assert "ashta levels" in program.refused("eval", f"{smoke[1]}+novice", "--pairs", "1")
    bot = tmp_path / "levelled.bot"
    options = ["--pairs", "100", "--threads", "1", "-o", bot]
    levels = program.read_json("levels", smoke[1], *options)["levels"]
    names = ["beginner", "novice", "intermediate", "advanced"]
    assert [level["level"] for level in levels] == names
    regrets = [level["regret"] for level in levels]
    assert all(weaker > 1.3 * stronger > 0 for weaker, stronger in zip(regrets, regrets[1:])), (
        regrets
    )
    kept = program.manifest(bot)["levels"]
    assert [(level["level"], level["regret"]) for level in kept] == list(zip(names, regrets))
    for name in names + ["expert"]:
        report = program.read_json("eval", f"{bot}+{name}", "--against", "random", "--pairs", "20")
        assert report["agent"].endswith(f"+{name}") and report["results"][0]["games"] == 40
    perfect = program.read_json("eval", f"{bot}+perfect", "--against", "perfect", "--pairs", "5")
    assert perfect["results"][0]["score"] == 0.5, "it plays by the table of its game"
    assert "no table of pagade" in program.refused("eval", "pagade+perfect", "--pairs", "5")
    assert "+beginner, +novice" in program.refused("eval", f"{bot}+master", "--pairs", "1")
    nowhere = tmp_path / "nowhere" / "x.bot"
    other = tmp_path / "other.bot"
    written = smoke[1].read_bytes()
    assert written.count(rb"\"encoding\":4") == 1
    other.write_bytes(program.sealed(written.replace(rb"\"encoding\":4", rb"\"encoding\":2")))
    for arguments, message in [
        (["greedy"], "greedy is not a bot"),
        ([f"{smoke[1]}+policy"], "leave out `+policy`"),
        ([smoke[1], "--pairs", "1"], "at least 2"),
        ([other], "made for encoding 2, not 4"),
        ([smoke[1], "--pairs", "10000000", "-o", nowhere], str(nowhere)),
    ]:
        assert message in program.refused("levels", *arguments)


def test_a_run_of_another_game_is_not_exported(smoke, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(smoke[0], run)
    facts = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps(facts | {"encoding": 2}))
    assert "its encoding is 2, but now it is 4" in program.refused(
        "export", run, "-o", tmp_path / "x.bot"
    )
    assert not (tmp_path / "x.bot").exists()


def test_a_card_tells_what_the_manifest_says(smoke, tmp_path):
    """Printed or written, for a file or the name of a shipped bot; settings, strength and hash are
    in it."""
    written = tmp_path / "card.md"
    program.done("card", smoke[1], "-o", written)
    card = written.read_text()
    assert program.done("card", smoke[1]) == card
    manifest = program.manifest(smoke[1])
    assert card.startswith("---\nlicense:\n- mit\n- apache-2.0\n")
    for part in [
        f"# {smoke[1].stem}\n",
        manifest["ruleset_hash"],
        manifest["training"]["config"].strip(),
        "| random (the bot looks one ply ahead) |",
    ]:
        assert part in card, part
    assert "# ashtapada\n" in program.done("card", "ashtapada")
    folder = tmp_path / "folder"
    folder.mkdir()
    for arguments, message in [
        (["greedy"], "greedy is not a bot"),
        ([f"{smoke[1]}+2ply"], "leave out `+2ply`"),
        ([smoke[1], "-o", folder], str(folder)),
    ]:
        assert message in program.refused("card", *arguments)
    assert not list(tmp_path.glob("*.tmp")), "nothing is left behind"
