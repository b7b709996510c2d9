"""The C library: its example compiled with the C compiler, and the whole interface under
AddressSanitizer."""

import ctypes
import itertools
import os
import random
import re
from pathlib import Path

import pytest

import program

LIBRARY = program.TARGET / "release"
C = program.ROOT / "bindings" / "c"
# Libraries of the system that the static library needs; `cargo rustc -- --print native-static-libs`
# lists it.
SYSTEM = ["-lgcc_s", "-lutil", "-lrt", "-lpthread", "-lm", "-ldl", "-lc"]
BOT = program.ROOT / "checkpoints" / "ashtapada.bot"
SANITIZED = {**os.environ, "ASAN_OPTIONS": "detect_leaks=1:exitcode=99"}


def compiled(folder, source, *options):
    built = folder / Path(source).stem
    command = [
        "cc",
        "-std=c11",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-pedantic",
        "-g",
        f"-I{C / 'include'}",
        source,
    ]
    program.succeeded(program.execute(*command, "-o", built, *options))
    return built


@pytest.mark.parametrize("linked", ["static", "shared"])
def test_the_example_plays_a_game_or_says_what_is_wrong(linked, tmp_path):
    static = [str(LIBRARY / "libashta.a"), *SYSTEM]
    shared = [f"-L{LIBRARY}", f"-Wl,-rpath,{LIBRARY}", "-lashta"]
    play = compiled(
        tmp_path, C / "examples" / "play.c", *(static if linked == "static" else shared)
    )
    broken = tmp_path / "broken.bot"
    broken.write_bytes(BOT.read_bytes()[:-9])
    shown = program.succeeded(program.execute(play, BOT, "ashtapada", "2", "7"))
    assert re.match(r"returns (1 0|0 1) 0 0", shown.splitlines()[-1])
    for *arguments, message in [
        ("nobody", "ashtapada", "2", "`nobody` is not an agent"),
        (broken, "ashtapada", "2", f"bot file {broken}: "),
        (BOT, "pagade", "2", "the bot was made for the game ashtapada"),
        ("greedy", "ashtapada", "5", "`seats` must be 2, 3 or 4"),
    ]:
        ran = program.execute(play, *arguments)
        assert ran.returncode == 1 and ran.stderr.startswith(message), ran.stderr


def written(value):
    """A value of an answer as the library writes it."""
    return (
        ",".join(map(str, value)) or "-"
        if isinstance(value, list)
        else "-"
        if value is None
        else str(value)
    )


@pytest.mark.parametrize("bot", ["ashtapada", "pagade", "saturankam-4p"])
def test_games_without_json_are_those_of_the_protocol(bot):
    path = program.ROOT / "checkpoints" / f"{bot}.bot"
    library = ctypes.CDLL(LIBRARY / "libashta.so")
    library.ashta_agent_named.restype = ctypes.c_void_p
    agent = ctypes.c_void_p(library.ashta_agent_named(str(path).encode()))
    seat, returns, generator = ctypes.c_int(), (ctypes.c_float * 4)(), random.Random(bot)
    game, seats = program.manifest(path)["ruleset"], program.manifest(path)["seats"]

    def lines(name, *arguments):
        function = getattr(library, f"ashta_{name}")
        function.restype = ctypes.c_char_p
        return [line.split("\t") for line in function(agent, *arguments).decode().splitlines()]

    with program.Engine(path) as engine:
        [[position]] = lines("new_game", game.encode(), seats.encode(), b"S", ctypes.c_uint64(0))
        while True:
            at = f"{position}\tmore".encode()
            view = engine.get(op="view", position=position)
            node = library.ashta_node(agent, at, ctypes.byref(seat), returns)
            assert (["chance", "decision", "over"][node], (*seats, None)[seat.value]) == (
                view["node"],
                view["mover"],
            )
            assert list(returns) == pytest.approx([*view.get("returns", []), 0, 0, 0, 0][:4])
            if node == 2:
                break
            if node == 0:
                bits = generator.choice([0, 2**64 - 1, generator.getrandbits(64)])
                [[position_after, throw]] = lines("throw", at, ctypes.c_uint64(bits))
                outcomes = engine.get(op="chance", position=position)["outcomes"]
                sums = [*itertools.accumulate(outcome["p"] for outcome in outcomes)][:-1]
                thrown = outcomes[sum(total <= (bits >> 11) / 2**53 for total in sums)]["throw"]
                after = engine.get(op="apply", position=position, throw=thrown)["position"]
                assert (position_after, throw) == (after, written(thrown))
            else:
                turns = lines("turns", at)
                keys, moves = (
                    ("position", "actions", "words", "captures"),
                    ("pieces", "from", "path", "place", "throws"),
                )
                assert turns == [
                    [written(turn[key]) for key in keys]
                    + [" ".join(written(move[key]) for key in moves) for move in turn["moves"]]
                    for turn in engine.get(op="choices", position=position)["turns"]
                ]
                after = position
                while after not in [turn[0] for turn in turns]:
                    legal = engine.get(op="legal", position=after)["actions"]
                    assert lines("legal", after.encode()) == [
                        [str(action["id"]), action["text"]] for action in legal
                    ]
                    action = engine.get(op="bestmove", position=after, seed=5)["action"]
                    [[after]] = lines("apply", after.encode(), action)
                assert lines("choose_turn", at, ctypes.c_uint64(5)) == [
                    turn for turn in turns if turn[0] == after
                ]
            position = after


def test_nothing_leaks_or_is_touched_wrongly(tmp_path):
    """Every function with valid and broken input, under the sanitizer of the C compiler."""
    source = program.ROOT / "tests" / "python" / "sanitized.c"
    options = [
        "-fsanitize=address,undefined",
        "-fno-sanitize-recover=all",
        str(LIBRARY / "libashta.a"),
        *SYSTEM,
    ]
    built = compiled(tmp_path, source, *options)
    assert (
        program.succeeded(program.execute(built, BOT, env=SANITIZED)).splitlines()[-1]
        == "all as it should be"
    )


def test_the_sanitizer_is_at_work(tmp_path):
    """An agent that is not freed is found: otherwise the test above says nothing."""
    source = tmp_path / "leak.c"
    leak = 'int main(void) { for (int i = 0; i < 9; i++) ashta_agent_named("greedy"); return 0; }'
    source.write_text(f'#include "ashta.h"\n{leak}\n')
    built = compiled(tmp_path, source, "-fsanitize=address", str(LIBRARY / "libashta.a"), *SYSTEM)
    ran = program.execute(built, env=SANITIZED)
    assert ran.returncode == 99 and "LeakSanitizer" in ran.stderr, ran.stderr
