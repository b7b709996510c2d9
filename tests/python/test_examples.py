"""Example scripts of the Python package. Those that need torch are in `tests/torch`."""

import json
import os
import re
import runpy
import sys

import pytest

import ashta
import program

EXAMPLES = program.ROOT / "bindings" / "python" / "examples"


def run(tmp_path, script, *arguments):
    elsewhere = {name: value for name, value in os.environ.items() if name != "ASHTA_CHECKPOINTS"}
    return program.python(EXAMPLES / script, *arguments, cwd=tmp_path, env=elsewhere, timeout=300)


def test_a_bot_plays_a_whole_game(tmp_path, engine):
    for arguments, game, returns in [
        (["ashtapada", "--against", "greedy", "--seed", 3], "ashtapada", 2),
        (["pagade-4p", "--lookahead", "policy"], "pagade", 4),
    ]:
        shown = run(tmp_path, "play_bot.py", *arguments)
        head, *moves, last = shown.splitlines()
        assert head.startswith(f"{game}: S is {arguments[0]}, ")
        assert len(re.findall(r"[SENW] (\d\.\d\d)", last)) == returns and last.startswith(
            "returns: "
        )
        positions = [line for line in moves if line.startswith(game)]
        assert len(positions) > 10
        for position in positions:
            assert engine.get(op="chance", position=position)["outcomes"], "before a throw"
        throws = [line for line in moves if re.fullmatch(r"  [SENW] throws [\d,]+", line)]
        assert len(throws) == len(positions), "each position is followed by a throw"
        assert any(re.match(r"  [SENW]: .*\b[A-T]\d+ to [A-T]\d+ by \d", line) for line in moves)
        assert run(tmp_path, "play_bot.py", *arguments) == shown, "the seed repeats it"


def test_a_language_model_plays_as_an_engine_and_as_a_policy(tmp_path):
    example = program.ROOT / "bindings/python/examples/language_model.py"
    fake = tmp_path / "model.py"
    fake.write_text(
        """
import sys
lines = sys.stdin.read().splitlines()
first = max(number for number, line in enumerate(lines) if line.startswith("Your legal moves")) + 1
has_tried = any("is not a legal move" in line for line in lines)
print("My move:", "**" + lines[first] + "**" if has_tried or "wrong" not in sys.argv else "castle", sep="\\n")
"""
    )
    engine = f"engine:{sys.executable} {example} --command '{sys.executable} {fake} wrong'"
    options = ["--game", "siga", "--pairs", 2, "--luck", "none", "--json"]
    assert [
        agent["forfeits"]
        for agent in json.loads(program.done("arena", "greedy", engine, *options))["agents"]
    ] == [0, 0]

    module = runpy.run_path(str(example))
    replies = iter(["resign", "resign"])
    state = ashta.States.parse(["siga S:off,off/N:1,17 N 8"])[0]
    with pytest.raises(ValueError, match='no legal move at `siga .*`, but "resign"'):
        module["Player"](lambda prompt: next(replies)).choose(state)
    prompts = []

    def first(prompt):
        prompts.append(prompt)
        return prompt.split("Your legal moves")[1].splitlines()[1]

    game = ashta.Game("siga")
    found = ashta.regret(
        ashta.Agent.of(module["Player"](first).choose, game, takes="state"), pairs=2
    )
    assert (
        found["regret"]["decisions"] > 5
        and game.describe()["understood"][0]["sentences"][0] in prompts[0]
    )
    wrong = module["answer"](
        module["Player"](first), {"op": "bestmove", "position": "siga S:off,off/N:1,17 N *"}
    )
    assert "no seat chooses" in wrong["error"]["message"]
