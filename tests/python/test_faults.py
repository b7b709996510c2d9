"""A run survives the faults of tests/faults, here at a few places of each kind."""

import functools
import json
import os
import re
import shutil
import sys
import zlib

import pytest

import program

sys.path.insert(0, str(program.ROOT / "tests" / "faults"))
import faults  # noqa: E402

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="files are watched by a library of Linux"
)


@pytest.fixture
def trained(tmp_path):
    """The folder of a short run."""
    finished = faults.ashta(*faults.settings(tmp_path))
    assert finished.returncode == 0, finished.stderr
    return faults.Faults.run_of(tmp_path)


def resume(run, *options, status=0):
    """Resumes a run, which must end with this status; returns its standard error."""
    finished = faults.ashta("train", "--resume", run, *options)
    assert finished.returncode == status, finished.stderr
    return finished.stderr


def test_runs_survive_ends_failing_disks_lost_power_and_damage(tmp_path):
    tried = faults.all_kinds(tmp_path, 5)
    assert not tried.lost, "\n".join(tried.lost)
    assert tried.tried == {"kill": 5, "EIO": 5, "ENOSPC": 5, "power": 10, "damage": 5}


def test_a_checkpoint_that_is_damaged_twice_is_set_aside_twice(trained):
    for number in (1, 2):
        (trained / "checkpoints" / "4" / "loop.json").write_text("{}")
        (trained / "run.json").write_text("")
        resume(trained, "--fallback")
        aside = trained / "checkpoints" / f"4.damaged-{number}"
        assert (aside / "loop.json").read_text() == "{}"


def test_marks_and_the_facts_of_a_run_are_found_again(trained):
    (trained / "run.json").write_text("")
    (trained / "best").unlink()
    metrics = trained / "metrics.jsonl"
    lines = metrics.read_text().splitlines(keepends=True)
    metrics.write_text(lines[0] + lines[1].replace("{", "[", 1) + "".join(lines[2:]))
    said = resume(trained)
    assert "run.json is damaged" in said
    assert "metrics.jsonl, line 2: skipped a damaged line" in said
    assert '"ruleset": "ashte-kashte?pieces=2 SN"' in (trained / "run.json").read_text()
    assert (trained / "best").exists()


def test_settings_of_a_run_name_every_key(trained):
    config = trained / "config.toml"
    for shortened in ("", config.read_text().replace("batch = 32\n", "")):
        config.write_text(shortened)
        assert "`learning.batch` is missing" in resume(trained, status=1)
        assert config.read_text() == shortened


def test_a_run_that_lost_all_checkpoints_is_not_begun_anew_silently(trained):
    (trained / "checkpoints").rename(trained / "elsewhere")
    (trained / "checkpoints").mkdir()
    metrics = (trained / "metrics.jsonl").read_text()
    assert "contains none now" in resume(trained, status=1)
    assert (trained / "metrics.jsonl").read_text() == metrics


def test_a_bot_that_could_not_be_read_again_is_not_trained(tmp_path):
    wide = f"network.hidden={[4096] * 8}"
    finished = faults.ashta(*faults.settings(tmp_path, wide, f"network.policy_hidden={[4096] * 8}"))
    assert finished.returncode == 1 and "make the bot too large" in finished.stderr, finished.stderr
    assert not any(tmp_path.iterdir())


def test_limits_of_the_system_are_sentences(tmp_path):
    arena = ["arena", "greedy", "random", "--game", "siga", "--threads", "200"]
    few = faults.ashta(*arena, limits="ulimit -v 1500000; export RUST_MIN_STACK=2000000000")
    assert few.returncode == 2 and "cannot start 200 threads" in few.stderr, few.stderr
    table = tmp_path / "ur.table"
    large = faults.ashta("solve", "ur", "-o", table, limits="ulimit -v 2500000")
    assert (
        large.returncode == 1 and "GB of memory" in large.stderr and large.stderr.count("\n") == 2
    ), large.stderr
    assert not list(tmp_path.iterdir())
    small = faults.ashta(*faults.settings(tmp_path), limits="ulimit -f 20")
    assert small.returncode == 1 and "File too large" in small.stderr, small.stderr
    assert faults.ashta("train", "--resume", faults.Faults.run_of(tmp_path)).returncode == 0


def test_settings_that_cannot_be_are_refused_at_once(tmp_path):
    cold = faults.ashta(*faults.settings(tmp_path, "learning.policy_temperature=1e-300"))
    assert cold.returncode == 1 and "expected a number from 0.000001 to 10" in cold.stderr
    many = tmp_path / "many.toml"
    many.write_text(
        "".join(f"unknown{number} = 1\n" for number in range(300_000)) + "[run]\nseed = 2\n"
    )
    finished = faults.ashta("train", many)
    assert finished.returncode == 1 and "and 299900 more problems" in finished.stderr
    assert len(finished.stderr.splitlines()) < 110


def test_a_folder_of_tables_that_cannot_be_read_is_left_out_and_named(tmp_path, monkeypatch):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for folder, said in [("loop", f"cannot read {tmp_path / 'loop'}"), ("missing", "")]:
        monkeypatch.setenv("ASHTA_CHECKPOINTS", str(tmp_path / folder))
        finished = faults.ashta(*faults.settings(tmp_path))
        assert finished.returncode == 0 and said in finished.stderr, finished.stderr


NUMBERS = [
    ("trainer.value.due", 1e15),
    ("trainer.policy.due", -1.0),
    ("games", 2**63),
    ("iteration", 65),
    ("seconds", -1.0),
    ("best", 5),
]


def test_numbers_of_a_checkpoint_have_ranges(tmp_path):
    run, _ = program.train(tmp_path)
    state, manifest = (run / "checkpoints" / "4" / name for name in ("loop.json", "manifest.json"))
    whole = state.read_text()
    for name, number in NUMBERS:
        changed = json.loads(whole)
        *parts, last = name.split(".")
        functools.reduce(dict.__getitem__, parts, changed)[last] = number
        state.write_text(json.dumps(changed))
        facts = json.loads(manifest.read_text())
        facts["files"]["loop.json"] = {
            "bytes": state.stat().st_size,
            "crc32": zlib.crc32(state.read_bytes()),
        }
        manifest.write_text(json.dumps(facts))
        finished = program.refused("train", "--resume", run, "--set", "selfplay.games=128")
        assert f"`{last}` is " in finished and "checkpoints/4" in finished, finished


def test_every_input_is_read_to_a_limit(tmp_path):
    for words in (["train"], ["game"], ["analyze"], ["solve", "-o", tmp_path / "x.table"]):
        assert "/dev/zero: it is not UTF-8 text" in program.refused(*words, "/dev/zero")
    (tmp_path / "long.toml").write_text("# \n" * (3 << 20))
    for command, limit in (("train", 8192), ("game", 1024)):
        assert f"long.toml: it is longer than {limit} KiB" in program.refused(
            command, tmp_path / "long.toml"
        )
    sheet = program.renamed("pagade")
    assert "(mine)" in program.done("game", "/dev/stdin", input=sheet)
    assert program.done("train", "/dev/stdin", "--dry-run", input=sheet).startswith("# mine SN")
    start, series = "ashtapada?pieces=4 S:6,7,8,9/N:10,11,12,13 S", [4, 8] * 100 + [2]
    (tmp_path / "long.json").write_text(
        json.dumps({"players": ["a", "b"], "start": f"{start} *", "moves": [series]})
    )
    assert start in program.refused("analyze", tmp_path / "long.json", "--by", "greedy")
    position = f"{start} {','.join(map(str, series))}"
    assert "--position" in program.refused("play", "greedy", "--position", position, input="1\n")
    with open("/dev/zero", "rb") as zeros:
        finished = program.run("new", stdin=zeros)
    assert finished.returncode == 1 and "a line is longer than 64 KiB" in finished.stderr


def test_no_control_character_of_a_file_reaches_the_terminal(tmp_path):
    text = "\x1b[31m\x9b1m\x7f\u202e"
    title = f"title = {json.dumps(text)}"
    sheet = re.sub("^title = .*", lambda _: title, program.renamed("siga"), flags=re.MULTILINE)
    (tmp_path / "mine.toml").write_text(sheet)
    (tmp_path / "run.toml").write_text(f"{json.dumps(text)} = 1\n")
    line = {"players": ["<!--<script>", text], "start": "siga S:off,off/N:off,off S *", "moves": []}
    (tmp_path / "game.json").write_text(json.dumps(line))
    page = tmp_path / "page.html"
    for words in (
        ["game", "mine.toml"],
        ["train", "run.toml"],
        ["analyze", "game.json", "--html", page, "--by", "greedy"],
    ):
        finished = program.run(*words, cwd=tmp_path)
        said = finished.stdout + finished.stderr
        assert all(shown in said for shown in ("\\u001b[31m", "\\u009b", "\\u007f", "\\u202e")), (
            said
        )
        assert not any(bad in said for bad in text if bad not in "[31m"), said
    assert "<!--" not in page.read_text()


FILES = [
    "lock",
    "metrics.jsonl",
    "config.toml",
    "run.json",
    "latest",
    "best",
    "bots/smoke.bot",
    "bots/README.md",
]


def test_no_file_of_a_run_is_written_through_a_link(tmp_path):
    run, _ = program.train(tmp_path)
    for name in FILES:
        shutil.copytree(run, tmp_path / "copy")
        kept = tmp_path / "kept"
        (tmp_path / "copy" / name).rename(kept)
        before = kept.read_bytes()
        (tmp_path / "copy" / name).symlink_to(kept)
        finished = program.run("train", "--resume", tmp_path / "copy")
        assert kept.read_bytes() == before, name
        assert finished.returncode == 0 or f"{name}: it is a symbolic link" in finished.stderr, (
            name,
            finished.stderr,
        )
        shutil.rmtree(tmp_path / "copy")


def test_bad_entries_of_a_data_folder_are_left_out_and_named_once(tmp_path):
    data = tmp_path / "data"
    (data / "folder.table").mkdir(parents=True)
    (data / "folder.bot").mkdir()
    for name in ("pipe.bot", "pipe.table"):
        os.mkfifo(data / name)
    for name in ("broken.bot", "broken.table", "siga.table"):
        (data / name).write_bytes(b"broken")
    (data / "gone.bot").symlink_to(data / "nothing")
    for words in (
        ["bots"],
        ["arena", "siga", "random", "--pairs", "1"],
        program.training(tmp_path),
    ):
        finished = program.run("--data", data, *words)
        assert finished.returncode == 0, finished.stderr
        for name in ("broken", "siga") if words != ["bots"] else ():
            assert finished.stderr.count(f"skipped: table {data / name}.table") == 1
    assert "skipped: " in finished.stderr
    assert f"{data / 'pipe.table'}: it is not a regular file" in finished.stderr
    for agent, message in [
        (data / "pipe.bot", f"`{data / 'pipe.bot'}` is not a regular file"),
        ("broken", str(data / "broken.bot")),
    ]:
        words = ["--data", data, "eval", agent, "--against", "random"]
        assert message in program.refused(*words)
