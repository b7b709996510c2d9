"""The examples of the Python package that need torch, as a user runs them: elsewhere, with the
installed package alone.

This is a separate suite (`./test torch`), because its packages are ten times as large as all others
together.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

EXAMPLE = (
    Path(__file__).resolve().parents[2]
    / "bindings"
    / "python"
    / "examples"
    / "train_maskable_ppo.py"
)


def test_maskable_ppo_trains(tmp_path):
    arguments = [
        "--game",
        "ashtapada",
        "--opponent",
        "random",
        "--steps",
        "4096",
        "--envs",
        "8",
        "--pairs",
        "40",
    ]
    elsewhere = {name: value for name, value in os.environ.items() if name != "ASHTA_CHECKPOINTS"}
    finished = subprocess.run(
        [sys.executable, EXAMPLE, *arguments, "--save", tmp_path / "model.zip"],
        cwd=tmp_path,
        env=elsewhere,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    head, *scores = finished.stdout.splitlines()
    assert head == "4096 steps of ashtapada, then 80 games against random:"
    for name, line in zip(["score", "luck_adjusted_score"], scores, strict=True):
        found = re.fullmatch(
            rf"{name} (\d\.\d+) \[(\d\.\d+), (\d\.\d+)\], chance level 0\.500", line
        )
        score, low, high = map(float, found.groups())
        assert low < score < high <= 1 and high - low < 0.4
        assert score > 0.5, "it has learned something"
    assert (tmp_path / "model.zip").stat().st_size > 10_000


def test_td_lambda_comes_close_to_perfect_play(tmp_path):
    example = EXAMPLE.with_name("td_lambda.py")
    elsewhere = {name: value for name, value in os.environ.items() if name != "ASHTA_CHECKPOINTS"}
    command = [sys.executable, example, "--minutes", "0.3", "--pairs", "100"]
    finished = subprocess.run(
        command,
        cwd=tmp_path,
        env=elsewhere,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    found = re.search(
        r"regret (\d\.\d+) \[(\d\.\d+), (\d\.\d+)\]", finished.stdout.splitlines()[-1]
    )
    assert float(found[1]) < 0.002, finished.stdout
