"""The program for beginners: questions, the command that helps after an error, the manual."""

import re
import shlex

import pytest

import program

WANTED = r"^(\d)  .+?  +(ashta .+)$"


def test_what_is_wanted_is_asked_and_answered_with_a_command(tmp_path):
    for typed, command in [
        ("1\n", "ashta serve"),
        ("2\npagade\nnovice\n", "ashta play pagade+novice"),
        ("2\nsiga\n\n", "ashta play siga+novice"),
        ("3\npagade-4p\n7.5\n", "ashta train pagade-4p --set run.time_limit_minutes=7.5"),
        ("3\nsiga\n\n", "ashta train siga"),
        ("nothing\n0\n99\n4\nsiga\nhunter\n", "ashta arena siga hunter"),
        ("6\nsiga\n", "ashta solve siga -o siga.table"),
    ]:
        for words in [(), ("new",)]:
            asked = program.run(*words, input=typed, cwd=tmp_path)
            assert asked.returncode == 0 and asked.stdout.splitlines()[-1] == command, asked.stdout


def test_commands_that_are_proposed_exist(tmp_path):
    """Runs the proposed commands with less work."""
    commands = dict(re.findall(WANTED, program.done(input="", cwd=tmp_path), re.MULTILINE))
    assert len(commands) == 6
    for line in commands.values():
        words = shlex.split(line.split(" > ")[0])[1:]
        less = {
            "train": ["--help"],
            "serve": ["--help"],
            "solve": ["--help"],
            "arena": ["--pairs", "2"],
            "play": ["--seed", "1"],
        }
        program.done(*words, *less.get(words[0], []), input="q\n", cwd=tmp_path)
    asked = program.run("new", input="5\nsiga\n", cwd=tmp_path)
    assert "ashta game siga --sheet > my-game.toml" in asked.stdout
    sheet = (program.SHEETS / "siga.toml").read_text()
    assert program.done("game", "siga", "--sheet") == sheet


@pytest.mark.parametrize(
    ("arguments", "helps"),
    [
        (["eval", "nobody"], "ashta bots"),
        (["train", "siga", "--set", "selfplay.gams=3"], "ashta train --defaults"),
        (["train", "siga", "--set", "selfplay.games=0"], "ashta help train"),
        (["solve", "siga", "--set", "ruleset.seats=9", "-o", "game"], "ashta help solve"),
        (["solve", "new", "-o", "x.table"], "ashta help solve"),
        (["solve", "siga?bad=1", "-o", "x.table"], "ashta game"),
        (["game", "nothing"], "ashta game"),
        (["arena", "greedy", "hunter"], "ashta help arena"),
        (["--data", ".", "card", "greedy"], "ashta help card"),
        (["game", "siga?pieces=1", "--sheet"], "ashta help game"),
    ],
)
def test_errors_end_with_the_command_that_helps(tmp_path, arguments, helps):
    refused = program.run(*arguments, cwd=tmp_path)
    *_, error, last = refused.stderr.splitlines()
    assert refused.returncode == 1 and error and last == f"help: {helps}"
    assert program.run(*helps.split()[1:]).returncode == 0


def test_a_missing_table_is_answered_with_the_command_that_makes_it(tmp_path):
    options = {"cwd": tmp_path, "env": {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}}

    def judge(game):
        return ["eval", "perfect", "--game", game, "--against", "greedy", "--pairs", 5]

    small = judge("ashte-kashte?pieces=1")
    refused = program.refused(*small, **options)
    assert "`ashta solve` makes one, which takes seconds" in refused
    large = program.refused(*judge("ludo"), **options)
    assert "can be solved" in large and large.endswith("help: ashta help eval\n"), large
    making = re.fullmatch(r"help: mkdir -p (\S+) && (ashta solve .+)", refused.splitlines()[-1])
    (tmp_path / making[1]).mkdir(parents=True)
    program.done(*shlex.split(making[2])[1:], "--no-proof", **options)
    program.done(*small, **options)


def test_the_manual_has_a_page_for_each_command(tmp_path):
    assert program.run("man", tmp_path / "man").returncode == 0
    pages = {path.name for path in (tmp_path / "man").iterdir()}
    commands = re.findall(
        r"^  ([a-z]+)  ", program.run("help").stdout.split("Options:")[0], re.MULTILINE
    )
    assert {f"ashta-{command}.1" for command in commands if command != "help"} | {
        "ashta.1"
    } <= pages
    assert "self\\-play" in (tmp_path / "man" / "ashta-train.1").read_text()


def test_the_defaults_can_be_read_without_the_repository():
    shown = program.run("train", "--defaults")
    assert shown.stdout == (program.ROOT / "configs" / "default.toml").read_text()
