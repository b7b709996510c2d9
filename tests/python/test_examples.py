"""The example scripts of the Python package, as a user runs them: elsewhere, with the installed package alone."""

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


def test_maskable_ppo_trains(tmp_path):
    arguments = ["--game", "ashtapada", "--opponent", "random", "--steps", 4096, "--envs", 8, "--pairs", 40]
    shown = run(tmp_path, "train_maskable_ppo.py", *arguments, "--save", tmp_path / "model.zip")
    head, *scores = shown.splitlines()
    assert head == "4096 steps of ashtapada, then 80 games against random:"
    for name, line in zip(["score", "luck_adjusted_score"], scores, strict=True):
        found = re.fullmatch(rf"{name} (\d\.\d+) \[(\d\.\d+), (\d\.\d+)\], chance level 0\.500", line)
        score, low, high = map(float, found.groups())
        assert low < score < high <= 1 and high - low < 0.4
        assert score > 0.5, "it has learned something"
    assert (tmp_path / "model.zip").stat().st_size > 10_000
