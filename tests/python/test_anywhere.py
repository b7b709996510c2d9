"""The program alone, copied to another folder: its own files, and the folders in which it looks for
more."""

import json
import os
import shutil
from types import SimpleNamespace

import pytest

import program


@pytest.fixture
def copied(tmp_path):
    """A copy of the program alone: `run(*arguments, **environment)` in an empty folder of a user
    without data."""
    home, folder = tmp_path / "home", tmp_path / "folder"
    home.mkdir()
    folder.mkdir()
    ashta = shutil.copy(program.ASHTA, tmp_path / "ashta")
    usual = {
        name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "ASHTA_"))
    }

    def run(*arguments, **environment):
        environment = usual | {"HOME": str(home)} | environment
        return program.execute(ashta, *arguments, cwd=folder, env=environment)

    return SimpleNamespace(run=run, home=home, folder=folder)


def bots(finished):
    """The bots that `ashta bots --json` has listed, by name."""
    return {bot["name"]: bot for bot in json.loads(program.succeeded(finished))}


def test_small_bots_and_configurations_are_in_the_program(copied):
    listed = bots(copied.run("bots", "--json"))
    assert set(listed) == set(program.SMALL) and all(bot["path"] is None for bot in listed.values())
    configured = {path.stem for path in (program.ROOT / "configs").glob("*.toml")} - {"default"}
    refused = copied.run("train", "no-such-game").stderr
    assert set(refused.splitlines()[0].rsplit(" are ", 1)[1].split(", ")) == configured


def test_the_program_plays_judges_trains_and_solves_anywhere(copied):
    judged = copied.run("eval", "siga+novice", "--against", "greedy,siga", "--pairs", 20)
    assert program.succeeded(judged).startswith("siga+novice in siga SN\n")
    run, bot = program.folders(program.succeeded(copied.run("train", "smoke")))
    assert run.name == "smoke-1" and (copied.folder / bot).is_file()
    played = copied.run("arena", bot, f"{bot}+policy", "greedy", "--pairs", 5)
    assert "smoke.bot+policy" in program.succeeded(played)
    for words in (
        ["solve", "ashte-kashte?pieces=1", "--no-proof", "-o", "one.table"],
        ["eval", "one.table", "--against", "greedy", "--pairs", 5],
    ):
        program.succeeded(copied.run(*words))


def test_files_come_before_what_is_in_the_program(copied):
    """The folders in their order; each holds another bot under the name `siga`."""
    names = ["gavalata", "thaayam", "chowka-5", "chowka-7"]
    data, listed, user = copied.home / "data", copied.home / "listed", copied.home / "xdg"
    folders = [data, listed, user / "ashta", copied.folder / "checkpoints"]
    for folder, name in zip(folders, names, strict=True):
        folder.mkdir(parents=True)
        shutil.copy(program.CHECKPOINTS / f"{name}.bot", folder / "siga.bot")
    environment = {
        "ASHTA_CHECKPOINTS": f"{copied.home / 'missing'}{os.pathsep}{listed}",
        "XDG_DATA_HOME": str(user),
    }
    for at, name in enumerate(names):
        arguments = ["--data", data] if at == 0 else []
        found = bots(copied.run("bots", "--json", *arguments, **environment))["siga"]
        assert found["ruleset"].split("?")[0] == name and found["path"].endswith("siga.bot")
        shutil.rmtree(folders[at])
    assert bots(copied.run("bots", "--json", **environment))["siga"]["path"] is None


def test_tables_are_found_in_the_folders(copied):
    words = ["eval", "ashtapada", "--against", "perfect", "--pairs", 5]
    missing = copied.run(*words)
    assert missing.returncode == 1 and "no table of ashtapada SN" in missing.stderr
    share = copied.home / ".local" / "share" / "ashta"
    share.mkdir(parents=True)
    shutil.copy(program.CHECKPOINTS / "ashtapada.table", share / "any-name.table")
    assert "perfect" in program.succeeded(copied.run(*words))


def test_a_data_folder_that_is_not_there_is_named(copied):
    refused = copied.run("bots", "--data", "nowhere")
    assert (
        refused.returncode == 1 and "--data nowhere: this folder does not exist" in refused.stderr
    )
