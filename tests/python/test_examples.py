"""An example script of the Python package, as a user runs it: elsewhere, with the installed package alone.

The other one needs torch: `tests/torch`.
"""

import os
import re
import subprocess
import sys

import program

EXAMPLES = program.ROOT / "bindings" / "python" / "examples"


def run(tmp_path, script, *arguments):
    elsewhere = {name: value for name, value in os.environ.items() if name != "ASHTA_CHECKPOINTS"}
    command = [sys.executable, EXAMPLES / script, *map(str, arguments)]
    finished = subprocess.run(
        command, cwd=tmp_path, env=elsewhere, capture_output=True, text=True, timeout=300, check=False
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def test_a_bot_plays_a_whole_game(tmp_path, engine):
    for arguments, game, returns in [
        (["ashtapada", "--against", "greedy", "--seed", 3], "ashtapada", 2),
        (["pagade-4p", "--lookahead", "policy"], "pagade", 4),
    ]:
        shown = run(tmp_path, "play_bot.py", *arguments)
        head, *moves, last = shown.splitlines()
        assert head.startswith(f"{game}: S is {arguments[0]}, ")
        assert len(re.findall(r"[SENW] (\d\.\d\d)", last)) == returns and last.startswith("returns: ")
        positions = [line for line in moves if line.startswith(game)]
        assert len(positions) > 10
        for position in positions:
            assert engine.get(op="chance", position=position)["outcomes"], "before a throw"
        throws = [line for line in moves if re.fullmatch(r"  [SENW] throws [\d,]+", line)]
        assert len(throws) == len(positions), "each position is followed by a throw"
        assert any(re.match(r"  [SENW]: .*\b[A-T]\d+ to [A-T]\d+ by \d", line) for line in moves)
        assert run(tmp_path, "play_bot.py", *arguments) == shown, "the seed repeats it"
