"""The C# file over the C library, compiled and run by Mono. Installs Mono from Debian's packages if
it is missing."""

import os
import shutil

import pytest

import program

SUDO = "sudo -n " if shutil.which("sudo") else ""
INSTALL = f"{SUDO}apt-get update && {SUDO}apt-get install -y --no-install-recommends mono-mcs"


def mono(*command):
    environment = {**os.environ, "LD_LIBRARY_PATH": str(program.TARGET / "release")}
    return program.succeeded(program.execute(*command, env=environment, timeout=120))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Compiles a program with Ashta.cs, as C# 7 and with warnings as errors, and runs it."""
    if (
        shutil.which("mcs") is None
        and program.execute("sh", "-c", INSTALL, timeout=None).returncode
    ):
        pytest.fail(f"cannot find or install the C# compiler `mcs`: {INSTALL}")
    binding = program.ROOT / "bindings" / "csharp" / "Ashta.cs"
    built = tmp_path_factory.mktemp("csharp")

    def run(source, *arguments):
        compiled = built / f"{source.stem}.exe"
        if not compiled.exists():
            mono(
                "mcs",
                "-langversion:7",
                "-warn:4",
                "-warnaserror",
                f"-out:{compiled}",
                binding,
                source,
            )
        return mono("mono", compiled, *arguments)

    return run


CHECK = program.ROOT / "tests" / "csharp" / "Check.cs"


def test_whole_games_of_every_built_in_game_and_of_a_sheet(run, engine, tmp_path):
    games = engine.get(op="games")["games"]
    sheet = tmp_path / "own.toml"
    text = (program.ROOT / "env" / "games" / "ur.toml").read_text()
    sheet.write_text(text.replace('name = "ur"', 'name = "own"'))
    arguments = [part for game in games for part in (game["name"], game["seats"][0], "-")]
    run(CHECK, "games", *arguments, "pagade?teams=true", "SENW", "-", "own", "SN", sheet)


def test_broken_input_raises_an_exception_with_the_message_of_the_library(run):
    run(CHECK, "broken", program.ROOT / "checkpoints" / "ashtapada.bot")


def test_ten_thousand_loads_and_frees_do_not_use_more_memory(run):
    run(CHECK, "loads", program.ROOT / "tests" / "python" / "format2.bot")


def test_the_example_of_the_page_plays_a_game(run, tmp_path):
    source = tmp_path / "Example.cs"
    source.write_text(
        f"static class Example {{ static void Main() {{ {program.blocks('csharp.md', 'csharp')[0]} }} }}"
    )
    assert " - - " in run(source)
