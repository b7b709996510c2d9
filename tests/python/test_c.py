"""The C library: its example compiled with the C compiler, and the whole interface under AddressSanitizer."""

import json
import os
import subprocess
from pathlib import Path

import pytest

import program

LIBRARY = program.TARGET / "release"
C = program.ROOT / "bindings" / "c"
# Libraries of the system that the static library needs; `cargo rustc -- --print native-static-libs` lists it.
SYSTEM = ["-lgcc_s", "-lutil", "-lrt", "-lpthread", "-lm", "-ldl", "-lc"]
POSITION = "ashtapada S:5,30/N:off,23 S 4,2"


def compiled(folder, source, *options):
    built = folder / Path(source).stem
    command = ["cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-g", f"-I{C / 'include'}", str(source)]
    subprocess.run([*command, "-o", str(built), *options], check=True)
    return built


@pytest.fixture(scope="module", params=["static", "shared"])
def choose(request, tmp_path_factory):
    """The example, linked in either way."""
    folder = tmp_path_factory.mktemp(request.param)
    static = [str(LIBRARY / "libashta.a"), *SYSTEM]
    shared = [f"-L{LIBRARY}", f"-Wl,-rpath,{LIBRARY}", "-lashta"]
    return compiled(folder, C / "examples" / "choose.c", *(static if request.param == "static" else shared))


def test_the_example_chooses_as_the_engine_does(choose):
    bot = program.ROOT / "checkpoints" / "ashtapada.bot"
    ran = subprocess.run([choose, bot, POSITION], capture_output=True, text=True, check=True)
    action, *values, legal = ran.stdout.splitlines()
    with program.Engine(bot) as engine:
        best = engine.get(op="bestmove", position=POSITION)
        assert action == f"action {best['action']}"
        assert [float(value.split()[1]) for value in values] == pytest.approx(best["values"], abs=1e-6)
        assert json.loads(legal) == engine.get(op="legal", position=POSITION)


def test_the_example_says_what_is_wrong(choose, tmp_path):
    bot = program.ROOT / "checkpoints" / "ashtapada.bot"
    broken = tmp_path / "broken.bot"
    broken.write_bytes(bot.read_bytes()[:-9])
    for agent, position, message in [
        ("nobody", POSITION, "agent: `nobody` is not an agent"),
        (broken, POSITION, f"agent: bot file {broken}: "),
        (bot, "ashtapada S:5,99/N:off,23 S 4,2", "position: seat `S:5,99`: there is no place `99`"),
        (bot, "pagade S:6,7,12,12/N:6,7,12,12 S 1,3", "position: "),
        (bot, "ashtapada S:5,30/N:off,23 S *", "position: the position is not a decision"),
    ]:
        ran = subprocess.run([choose, agent, position], capture_output=True, text=True, check=False)
        assert ran.returncode == 1 and ran.stderr.startswith(message), ran.stderr
        assert ran.stdout == ""


def test_nothing_leaks_or_is_touched_wrongly(tmp_path):
    """Every function with valid and broken input, under the sanitizer of the C compiler."""
    source = program.ROOT / "tests" / "python" / "sanitized.c"
    options = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", str(LIBRARY / "libashta.a"), *SYSTEM]
    built = compiled(tmp_path, source, *options)
    bot = program.ROOT / "checkpoints" / "ashtapada.bot"
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=1:exitcode=99"}
    ran = subprocess.run([built, bot], capture_output=True, text=True, env=environment, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.splitlines()[-1] == "all as it should be"


def test_the_sanitizer_is_at_work(tmp_path):
    """An agent that is not freed is found: otherwise the test above says nothing."""
    source = tmp_path / "leak.c"
    leak = 'int main(void) { for (int i = 0; i < 9; i++) ashta_agent_named("greedy"); return 0; }'
    source.write_text(f'#include "ashta.h"\n{leak}\n')
    built = compiled(tmp_path, source, "-fsanitize=address", str(LIBRARY / "libashta.a"), *SYSTEM)
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=1:exitcode=99"}
    ran = subprocess.run([built], capture_output=True, text=True, env=environment, check=False)
    assert ran.returncode == 99 and "LeakSanitizer" in ran.stderr, ran.stderr
