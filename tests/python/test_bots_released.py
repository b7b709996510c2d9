"""The released bots: the list, the bots with their cards, the tables of the pages; and how
`release/bots` makes them."""

import json
import os
import runpy
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import ashta
import program

SCRIPT = program.ROOT / "release" / "bots"
sys.path.insert(0, str(SCRIPT.parent))
RELEASE = runpy.run_path(str(SCRIPT))
LISTED = RELEASE["Bots"](SCRIPT.with_name("bots.toml"), None)
# One bot, a few games.
TINY = """
pages = ["page.md"]

[defaults]
seed = 1
minutes = 2
threads = 1
pairs = 3
measured = [{ bot = "policy", against = "greedy", pairs = 2 }]
level_pairs = 50

[strong]
minutes = 3
settings = { "network.hidden" = [12] }

[defaults.settings]
"network.hidden" = [8]
"network.policy_hidden" = [8]
"selfplay.games" = 64
"selfplay.games_per_iteration" = 8
"run.checkpoint_iterations" = 1
"evaluation.pairs" = 2
"evaluation.during" = ["random"]
"evaluation.opponents" = ["random"]

[tables.all]
columns = ["bot", "units", "games", "novice", "random", "regret"]

[tables.more]
rows = "measured"

[[bots]]
name = "siga"
"""
PAGE = "Bots\n\n<!-- bots: all -->\n<!-- /bots -->\n\nMore\n\n<!-- bots: more -->\n<!-- /bots -->\nend\n"


def command(folder, *arguments):
    """The command of the script with the list of a folder."""
    own = ["--list", folder / "bots.toml", "--into", folder / "into", "--program", program.ASHTA]
    return [str(part) for part in [sys.executable, SCRIPT, *arguments, *own]]


def bots(folder, *arguments):
    return program.execute(*command(folder, *arguments), timeout=120)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "bots.toml").write_text(TINY)
    (tmp_path / "page.md").write_text(PAGE)
    return tmp_path


def change(path, old, new):
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def test_tables_of_the_pages_are_those_of_the_manifests():
    pages = list(RELEASE["pages"](LISTED))
    marked = {
        page: [mark[1] for mark in RELEASE["MARKED"].findall(text)] for page, text, _ in pages
    }
    assert {page.relative_to(program.ROOT).as_posix(): marks for page, marks in marked.items()} == {
        "README.md": ["short"], "docs/results.md": ["small", "strong", "measured"], "docs/playing.md": ["levels"],
        "checkpoints/README.md": ["files"],
    }  # fmt: skip
    for page, _, is_current in pages:
        assert is_current, f"{page}: release/bots --tables"


def test_listed_bots_are_there_and_no_others():
    small = {name for name in LISTED.entries if RELEASE["group"](name) == "small"}
    assert {path.stem for path in program.RELEASED} == LISTED.entries.keys()
    for name in small:
        assert LISTED.file(name).stat().st_size <= RELEASE["SMALL"], name


def test_every_game_has_a_bot_for_two_and_one_for_four():
    small = [LISTED.file(name) for name in LISTED.entries if RELEASE["group"](name) == "small"]
    forms = {(bot["ruleset"], len(bot["seats"])) for bot in map(RELEASE["manifest"], small)}
    for name in ashta.Game.names():
        for seats in {len(allowed) for allowed in ashta.Game(name).describe()["seats"]} & {2, 4}:
            # Teams can be a house rule; both rulesets have a bot.
            assert (name, seats) in forms, (name, seats)


def test_bots_beat_every_baseline():
    for name in LISTED.entries:
        manifest = RELEASE["manifest"](LISTED.file(name))
        even = 0.5 if "teams" in name else 1 / len(manifest["seats"])
        for measured in manifest["strength"]:
            if (
                measured["opponent"].endswith("(the bot looks one ply ahead)")
                and "perfect" not in measured["opponent"]
            ):
                assert measured["low"] > even, (name, measured)


def test_bots_do_not_say_on_which_machine_they_were_trained():
    for path in program.RELEASED:
        settings = tomllib.loads(RELEASE["manifest"](path)["training"]["config"])
        assert settings["run"]["name"] == path.stem and "directory" not in settings["run"], path


def test_every_entry_of_the_list_can_be_trained():
    finished = program.execute(SCRIPT, "--check", "--program", program.ASHTA)
    assert finished.returncode in (0, 1) and not finished.stderr, finished.stderr
    assert [line.split(": ")[0] for line in finished.stdout.splitlines()] == list(LISTED.entries)


def test_a_bot_is_trained_once_and_again_when_its_recipe_changes(folder):
    checked = bots(folder, "--check")
    assert checked.returncode == 1 and checked.stdout.splitlines()[0] == "siga: missing"
    assert not (folder / "into").exists()
    finished = bots(folder)
    assert finished.returncode == 0, finished.stderr
    bot = folder / "into" / "siga.bot"
    found = program.manifest(bot)
    assert [entry["opponent"] for entry in found["strength"]] == [
        "random (the bot looks one ply ahead)",
        "perfect (the bot looks one ply ahead)",
        "greedy (the bot plays without looking ahead)",
    ]
    assert [entry["games"] for entry in found["strength"]] == [6, 6, 4] and len(
        found["levels"]
    ) == 4
    page = (folder / "page.md").read_text()
    assert page.startswith("Bots\n") and page.endswith("<!-- /bots -->\nend\n")
    novice = next(level for level in found["levels"] if level["level"] == "novice")
    assert (
        f"\n| siga | 8, 8 | 64 | {novice['regret']:.4f}, {round(100 * novice['score'])} % | "
        in page
    )
    assert "\n| siga | plays without looking ahead | greedy | 4 | " in page

    written = bot.stat().st_mtime_ns
    again = bots(folder)
    assert again.returncode == 0 and again.stdout == "siga: up to date\n"
    assert bots(folder, "--check").returncode == 0 and bot.stat().st_mtime_ns == written

    change(folder / "page.md", "| siga | 8, 8 | 64 |", "| siga | 8, 8 | 65 |")
    assert "its tables differ from the manifests" in bots(folder, "--check").stdout
    assert bots(folder, "--tables").returncode == 0 and (folder / "page.md").read_text() == page

    change(folder / "bots.toml", "threads = 1", "threads = 2")
    assert bots(folder, "--check").returncode == 0, "the number of threads is no part of the recipe"
    change(folder / "bots.toml", '"network.hidden" = [8]', '"network.hidden" = [9]')
    checked = bots(folder, "--check")
    recipe = found["training"]["recipe"]
    assert checked.returncode == 1 and checked.stdout.startswith(
        f"siga: its recipe is {recipe}, not "
    )
    finished = bots(folder)
    assert finished.returncode == 0, finished.stderr
    assert program.manifest(bot)["shape"]["value"]["hidden"] == [9]


def test_what_a_bot_was_made_for_is_compared(folder):
    """Another encoding or ruleset is a reason, also where the program refuses to play with the
    bot."""
    bot = program.CHECKPOINTS / "siga.bot"
    shipped, content = program.manifest(bot), bot.read_bytes()
    (folder / "into").mkdir()
    encoding, ruleset = shipped["encoding"], shipped["ruleset_hash"]
    for old, new, message in [
        (
            rf"\"encoding\":{encoding}",
            r"\"encoding\":1",
            f"its encoding is 1, not {encoding}",
        ),
        (ruleset, "0123456789abcdef", f"its ruleset is 0123456789abcdef, not {ruleset}"),
    ]:
        assert content.count(old.encode()) == 1 and len(old) == len(new)
        changed = program.sealed(content.replace(old.encode(), new.encode()))
        (folder / "into" / "siga.bot").write_bytes(changed)
        assert message in bots(folder, "--check").stdout


def interrupted(folder, how=signal.SIGINT):
    """Interrupts script and program once there is a checkpoint, by default as Ctrl-C does; returns
    the folder of the run."""
    run = folder / "into" / "runs" / "siga" / "siga-1"
    process = subprocess.Popen(command(folder), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               start_new_session=True)  # fmt: skip
    program.wait_until((run / "latest").exists, process)
    os.killpg(process.pid, how)
    output, _ = process.communicate(timeout=program.PATIENCE)
    if how == signal.SIGINT:
        assert process.returncode == 130 and "run the same command to resume" in output, output
    return run


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_training_goes_on(folder, how):
    change(folder / "bots.toml", '"selfplay.games" = 64', '"selfplay.games" = 1600')
    run = interrupted(folder, how)
    before = len((run / "metrics.jsonl").read_text().splitlines())
    assert before < 200 and not (folder / "into" / "siga.bot").exists()
    finished = bots(folder)
    assert finished.returncode == 0 and f"train --resume {run}" in finished.stdout, (
        finished.stdout + finished.stderr
    )
    iterations = [
        json.loads(line)["iteration"]
        for line in Path(f"{run.parent}.done", run.name, "metrics.jsonl").open()
    ]
    assert iterations == list(range(1, 201))
    assert program.manifest(folder / "into" / "siga.bot")["training"]["games"] == "1600"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("minutes = 2", "minutes = 21", "at most 20"),
        ("minutes = 2", "minute = 2", "unknown key `minute`"),
        ("pairs = 3", 'pairs = "3"', "`pairs` has the wrong type"),
        ('name = "siga"', 'name = "../siga"', "is not a possible file name"),
        ('name = "siga"', 'name = "siga"\nconfig = "nothing"', "cannot read nothing"),
        ('name = "siga"', 'name = "siga"\nsettings = { "network.hiden" = [8] }', "network.hidden"),
    ],
)
def test_what_is_wrong_with_the_list_is_named(folder, old, new, message):
    change(folder / "bots.toml", old, new)
    refused = bots(folder)
    assert refused.returncode == 1 and message in refused.stderr, refused.stderr
    assert not (folder / "into").exists()


def test_a_small_bot_that_is_too_large_is_refused(folder):
    change(folder / "bots.toml", '"network.hidden" = [8]', '"network.hidden" = [512]')
    refused = bots(folder)
    assert refused.returncode == 1 and "a small bot has at most 204800" in refused.stderr, (
        refused.stderr
    )
    assert not list((folder / "into").glob("*.bot"))


def test_results_are_recorded_in_the_bot(smoke, tmp_path):
    """Levels and other results stay, the regret is there against perfect play, the same result is
    replaced."""
    bot = tmp_path / "measured.bot"
    before = program.manifest(smoke[1])["strength"]
    for agent, pairs in [(smoke[1], 2), (bot, 3)]:
        words = ["eval", f"{agent}+policy", "--against", "perfect", "--pairs", pairs]
        [result] = program.read_json(*words, "--record", bot, cwd=program.ROOT)["results"]
    *others, added = program.manifest(bot)["strength"]
    assert others == before and added["opponent"] == "perfect (the bot plays without looking ahead)"
    assert added["games"] == 6 and added["score"] == result["score"]
    mean = result["regret"]["regret_per_decision"]
    assert added["regret"] == {
        "mean": mean["mean"],
        "low": mean["interval"][0],
        "high": mean["interval"][1],
    }
    assert f" {mean['mean']:.6f} [" in program.run("card", bot).stdout
    assert "greedy is not a bot" in program.refused(
        "eval", "greedy", "--against", "random", "--game", "siga", "--record", bot
    )


def test_a_dry_run_writes_nothing(tmp_path):
    arguments = [*program.training(tmp_path / "runs"), "--dry-run"]
    told = program.read_json(*arguments)
    shown = program.done(*arguments)
    assert told["recipe"] in shown.splitlines()[0] and told["ruleset_hash"] in shown.splitlines()[0]
    assert shown.endswith(told["config"]) and "[network]\nhidden = [16]" in told["config"]
    (tmp_path / "again.toml").write_text(shown)
    assert program.read_json("train", tmp_path / "again.toml", "--dry-run") == told
    other = program.read_json(*arguments, "--set", "learning.batch=33")
    assert other["recipe"] != told["recipe"]
    assert "nobody" in program.refused(*arguments, "--set", 'evaluation.opponents=["nobody"]')
    assert not (tmp_path / "runs").exists()
