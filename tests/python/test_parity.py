"""The same answers everywhere: positions of every game through Rust, the engine protocol, Python,
WebAssembly, C and ONNX.

Legal actions and observations must be equal, and the values of each seat equal to 1e-5. The chosen
actions are compared with one ply and with the policy. Processors round differently, so two actions
whose values differ by at most 1e-5 count as equal. The reader of bots in JavaScript must compute
the same values and logits.
"""

import json
import os

import numpy as np
import onnxruntime
import pytest

import ashta
from play import walked
import program

# One game for each way to use several throws is compared at more length, the others shortly;
# `./test deep` compares all.
FULL = ("ashtapada", "chaupar-teams", "pagade")
DEEP = "ASHTA_DEEP" in os.environ
PACKAGE = program.ROOT / "bindings" / "js" / "index.js"
MODULE = program.TARGET / "wasm32-unknown-unknown" / "wasm" / "ashta.wasm"
LIBRARY = program.TARGET / "release"


def lines(command, positions):
    text = "".join(f"{position}\n" for position in positions)
    return [
        json.loads(line)
        for line in program.succeeded(program.execute(*command, input=text)).splitlines()
    ]


def by_rust(bot, suffix, positions):
    return lines([program.TARGET / "release" / "examples" / "ask", f"{bot}{suffix}"], positions)


def by_protocol(bot, suffix, positions):
    # Observations are long, and the policy has the same ones.
    operations = ["legal", "evaluate", "bestmove", *([] if suffix else ["observe"])]
    requests = [
        {"op": operation, "position": position, **({"seed": 0} if operation == "bestmove" else {})}
        for position in positions
        for operation in operations
    ]
    answers = lines(
        [program.ASHTA, "engine", "--agent", f"{bot}{suffix}"], map(json.dumps, requests)
    )
    for nth in range(0, len(answers), len(operations)):
        legal, evaluated, best, *observed = answers[nth : nth + len(operations)]
        yield {
            "legal": [action["id"] for action in legal["actions"]],
            **(
                {"observation": list(np.flatnonzero(observed[0]["observation"]))}
                if observed
                else {}
            ),
            "values": evaluated["values"],
            "action": best.get("action"),
        }


def by_package(bot, suffix, states):
    agent = ashta.Bot.load(bot).agent(suffix.removeprefix("+") or "1ply")
    values = agent.values(states)
    choices = iter(agent.act([state for state in states if not state.is_chance_node()], seed=0))
    for state, own in zip(states, values, strict=True):
        is_chance = state.is_chance_node()
        yield {
            "legal": [] if is_chance else state.legal_actions(),
            "observation": list(np.flatnonzero(state.observation_tensor())),
            "values": list(own),
            "action": None if is_chance else next(choices),
        }


def by_wasm(bot, suffix, positions):
    script = program.ROOT / "tests" / "python" / "parity.mjs"
    return lines(["node", script, PACKAGE, MODULE, bot, suffix.removeprefix("+")], positions)


@pytest.fixture(scope="module")
def c_program(tmp_path_factory):
    built = tmp_path_factory.mktemp("c") / "parity"
    source = program.ROOT / "tests" / "python" / "parity.c"
    include = program.ROOT / "bindings" / "c" / "include"
    link = [f"-L{LIBRARY}", f"-Wl,-rpath,{LIBRARY}", "-lashta"]
    program.succeeded(
        program.execute("cc", "-Wall", "-Werror", f"-I{include}", source, "-o", built, *link)
    )
    return built


def by_c(built, bot, suffix, positions):
    for answer in lines([built, f"{bot}{suffix}"], positions):
        yield {
            "legal": [action["id"] for action in answer["legal"]["actions"]],
            "observation": list(np.flatnonzero(answer["observe"]["observation"])),
            "values": answer["values"],
            "action": answer["action"] if answer["action"] >= 0 else None,
        }


def by_onnx(path, game, states, answers):
    """Values and policy of the networks; legal actions and observations are the inputs."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    observation = np.array([state.observation_tensor() for state in states])
    legal = np.array([state.legal_actions_mask() for state in states])
    policies, values = session.run(
        ["policy", "values"], {"observation": observation, "legal_actions": legal}
    )
    count = game.num_players()
    for state, policy, own, answer in zip(states, policies, values, answers, strict=True):
        observer = state.turn_player()
        relative = [(player - observer) % count for player in range(count)]
        if len(own) < count:
            # Partners sit opposite each other.
            relative = [player % 2 for player in relative]
        action = None if state.is_chance_node() else int(policy.argmax())
        yield {**answer, "values": [own[place] for place in relative], "action": action}


@pytest.mark.parametrize("name", program.SMALL)
def test_all_give_the_same_answers(name, c_program, tmp_path):
    bot = program.CHECKPOINTS / f"{name}.bot"
    game = ashta.Bot.load(bot).game
    count = 1000 if DEEP else 300 if name in FULL else 24
    found = walked(game, name, count)
    positions, states = list(found), list(found.values())
    assert len(positions) == count
    assert 0.2 < sum(state.is_chance_node() for state in states) / count < 0.8
    for suffix in ["", "+policy"]:
        reference = by_rust(bot, suffix, positions)
        others = {
            "protocol": by_protocol(bot, suffix, positions),
            "python": by_package(bot, suffix, states),
            "wasm": by_wasm(bot, suffix, positions),
            "c": by_c(c_program, bot, suffix, positions),
        }
        if suffix == "+policy":
            path = tmp_path / f"{name}.onnx"
            assert program.run("export", bot, "--format", "onnx", "-o", path).returncode == 0
            others["onnx"] = by_onnx(path, game, states, reference)
        for other, answers in others.items():
            answers = list(answers)
            assert all("observation" in answer for answer in answers) or suffix, other
            compare(reference, answers, positions, bot, suffix, f"{name}{suffix} by {other}")


FORWARD = f"""
import {{ readFileSync }} from "node:fs";
import {{ read }} from "{(program.ROOT / "docs" / "bot-reader.mjs").as_uri()}";
for (const {{ path, observations }} of JSON.parse(readFileSync(0, "utf8")))
  console.log(JSON.stringify(observations.map(read(readFileSync(path)).forward)));
"""


def test_the_reader_in_javascript_computes_the_same():
    bots = {path: ashta.Bot.load(path) for path in program.RELEASED}
    states = {path: walked(bot.game, path.stem, 12).values() for path, bot in bots.items()}
    seen = {
        path: np.array([state.observation_tensor() for state in found])
        for path, found in states.items()
    }
    request = json.dumps(
        [{"path": str(path), "observations": seen[path].tolist()} for path in bots]
    )
    for path, answers in zip(
        bots, lines(["node", "--input-type=module", "-e", FORWARD], [request]), strict=True
    ):
        for answer, values, policy in zip(answers, *bots[path].forward(seen[path]), strict=True):
            # Bots have no logits for the start of a turn; the package returns zeros.
            logits = answer["policy"] or [0] * len(policy)
            np.testing.assert_allclose(
                [*answer["values"], *logits], [*values, *policy], 1e-5, 1e-5, err_msg=path.stem
            )


@pytest.mark.parametrize("content, reason", [
    (program.RELEASED[0].read_bytes()[:-1] + b"?", "the file is damaged"),
    ((program.ROOT / "tests" / "python" / "format2.bot").read_bytes(), "the bot has format 2, not 3"),
], ids=["damaged", "old"])  # fmt: skip
def test_the_reader_in_javascript_refuses_other_files(content, reason, tmp_path):
    (tmp_path / "my.bot").write_bytes(content)
    request = json.dumps([{"path": str(tmp_path / "my.bot"), "observations": []}])
    ran = program.execute("node", "--input-type=module", "-e", FORWARD, input=request)
    assert ran.returncode != 0 and reason in ran.stderr


def compare(reference, answers, positions, bot, suffix, what):
    assert len(answers) == len(reference) == len(positions), what
    for position, expected, answer in zip(positions, reference, answers, strict=True):
        for key in answer.keys() & {"legal", "observation"}:
            assert answer[key] == expected[key], f"{what}: {key} of {position}"
        np.testing.assert_allclose(
            answer["values"], expected["values"], atol=1e-5, err_msg=f"{what}: {position}"
        )
        if answer["action"] != expected["action"]:
            assert are_equally_good(bot, suffix, position, answer["action"], expected["action"]), (
                f"{what}: {position}"
            )


def are_equally_good(bot, suffix, position, one, other):
    """Whether the values of two actions differ only by rounding; false if one is not an action."""
    if one is None or other is None:
        return False
    with program.Engine(bot) as engine:
        if suffix == "+policy":
            worth = dict(engine.get(op="bestmove", position=position)["policy"])
        else:
            seat = position.split(" ")[-2]
            place = ashta.Bot.load(bot).game.seats.index(seat)
            hint = engine.get(op="hint", position=position)
            worth = {action["id"]: action["values"][place] for action in hint["actions"]}
        return abs(worth[one] - worth[other]) <= 2e-5
