"""A bot read by strangers: the safetensors package, numpy, the reader of docs/bot-format.md, and
its own engine."""

import json
import sys

import numpy
import pytest
from safetensors import safe_open

import ashta
import program


@pytest.fixture(scope="module")
def bot(smoke):
    """The manifest and the tensors of the bot, read without any code of ashta."""
    with safe_open(smoke[1], framework="numpy") as file:
        manifest = json.loads(file.metadata()["ashta"])
        tensors = {name: file.get_tensor(name) for name in file.keys() if name != "checksum"}
        assert all(tensor.dtype == numpy.float16 for tensor in tensors.values())
        return manifest, {name: tensor.astype(numpy.float64) for name, tensor in tensors.items()}


def forward(manifest, tensors, active):
    """Values and policy logits as docs/bot-format.md tells it, in double precision."""
    network = "value" if max(active) < manifest["shape"]["value"]["observation"] else "policy"
    shape = manifest["shape"][network]
    x = numpy.zeros(shape["observation"])
    x[active] = 1
    for layer in range(len(shape["hidden"])):
        x = numpy.maximum(
            0,
            x @ tensors[f"{network}.torso.{layer}.weight"]
            + tensors[f"{network}.torso.{layer}.bias"],
        )
    logits = x @ tensors[f"{network}.head.weight"] + tensors[f"{network}.head.bias"]
    values, policy = logits[: shape["values"]], logits[shape["values"] :]
    if shape["value_head"] == "softmax":
        return softmax(values), policy
    return 1 / (1 + numpy.exp(-values)), policy


def softmax(logits):
    powers = numpy.exp(logits - logits.max())
    return powers / powers.sum()


def test_shapes_are_those_of_the_manifest(bot):
    manifest, tensors = bot
    expected = {}
    for network, shape in manifest["shape"].items():
        widths = [shape["observation"], *shape["hidden"]]
        expected[f"{network}.head.weight"] = (widths[-1], shape["values"] + shape["actions"])
        expected[f"{network}.head.bias"] = (shape["values"] + shape["actions"],)
        for layer in range(len(shape["hidden"])):
            expected[f"{network}.torso.{layer}.weight"] = (widths[layer], widths[layer + 1])
            expected[f"{network}.torso.{layer}.bias"] = (widths[layer + 1],)
    assert manifest["shape"]["value"]["actions"] == 0
    assert {name: tensor.shape for name, tensor in tensors.items()} == expected
    assert manifest["ruleset"] == "ashte-kashte?pieces=2"
    assert manifest["seats"] == "SN"


def test_numpy_gets_the_answers_of_every_probe(bot):
    manifest, tensors = bot
    assert len(manifest["probes"]) == 4
    for probe in manifest["probes"]:
        values, policy = forward(manifest, tensors, probe["active"])
        numpy.testing.assert_allclose(values, probe["values"], rtol=1e-4, atol=1e-4)
        numpy.testing.assert_allclose(policy, probe["policy"], rtol=1e-4, atol=1e-4)


def test_the_reader_of_the_page_passes(smoke, tmp_path):
    reader = program.blocks("bot-format.md", "python")[0]
    assert program.python("-c", reader, smoke[1]).splitlines() == [
        "plays ashte-kashte?pieces=2 with seats SN",
        "4 probes passed",
    ]
    damaged = tmp_path / "damaged.bot"
    content = bytearray(smoke[1].read_bytes())
    content[-1] ^= 1
    damaged.write_bytes(content)
    finished = program.execute(sys.executable, "-c", reader, damaged)
    assert finished.returncode != 0 and "the file is damaged" in finished.stderr


# A bot of format 2, which was trained in home/dev/runs and played against home/dev/rival.bot.
OLD = program.ROOT / "tests" / "python" / "format2.bot"


def test_a_bot_of_format_2_is_rewritten_without_its_paths(tmp_path):
    assert program.manifest(OLD)["format"] == 2 and b"home/dev" in OLD.read_bytes()
    program.done("eval", OLD, "--pairs", "2")
    with program.Engine(OLD) as engine:
        assert engine.get(op="evaluate", position=program.manifest(OLD)["probes"][0]["position"])
    bot, onnx = tmp_path / "new.bot", tmp_path / "new.onnx"
    program.done("export", OLD, "-o", bot)
    program.done("export", OLD, "--format", "onnx", "-o", onnx)
    written = bot.read_bytes() + onnx.read_bytes() + program.done("card", OLD).encode()
    assert b"home/dev" not in written
    old, new = program.manifest(OLD), program.manifest(bot)
    assert (
        new["format"] == 3 and new["checksum"] == old["checksum"] and new["probes"] == old["probes"]
    )
    assert [entry["opponent"].split(" (")[0] for entry in new["strength"]][:2] == [
        "random",
        "rival.bot",
    ]


REFUSED = {
    "another game": (b"ashte-kashte?pieces=2", b"ashte-kashte?pieces=3", "ruleset"),
    "another hash": (
        program.manifest(OLD)["ruleset_hash"].encode(),
        b"0123456789abcdef",
        "0123456789abcdef",
    ),
    "another encoding": (b'\\"encoding\\":', b'\\"encoding\\":7', "encoding"),
    "other seats": (b'\\"seats\\":\\"SN', b'\\"seats\\":\\"SE', "seat"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_contradicts_the_game_is_refused_everywhere(what, smoke, tmp_path):
    was, now, part = REFUSED[what]
    content = smoke[1].read_bytes()
    changed = content.replace(was, now)
    assert changed != content
    length = int.from_bytes(content[:8], "little") + len(changed) - len(content)
    bot = tmp_path / "changed.bot"
    bot.write_bytes(program.sealed(length.to_bytes(8, "little") + changed[8:]))
    with pytest.raises(ValueError, match=part):
        ashta.Bot.load(bot)
    for command in [
        ["card", bot], ["export", bot, "-o", tmp_path / "x.bot"], ["export", bot, "--format", "onnx", "-o", tmp_path / "x"],
        ["eval", bot, "--pairs", "2"], ["--data", tmp_path, "bots"], ["levels", bot], ["engine", "--agent", bot],
    ]:  # fmt: skip
        refused = program.run(*command, input="")
        assert part in refused.stderr and str(bot) in refused.stderr, command
        assert refused.returncode == 1 or "bots" in command, command


def test_the_exported_checkpoint_is_the_same_network(bot, smoke, tmp_path):
    exported = tmp_path / "again.bot"
    assert program.done("export", smoke[0], "--output", exported) == f"bot: {exported}\n"
    assert [path.name for path in tmp_path.iterdir()] == ["again.bot"], "no card unasked"
    with safe_open(exported, framework="numpy") as file:
        for name in file.keys():
            if name != "checksum":
                numpy.testing.assert_array_equal(file.get_tensor(name), bot[1][name])


def test_every_configured_game_has_a_small_bot():
    games = {path.stem for path in (program.ROOT / "configs").glob("*.toml")} - {"default", "smoke"}
    assert set(program.SMALL) == games
    assert {path.stem.removesuffix("-strong") for path in program.RELEASED} == games


@pytest.mark.parametrize("path", program.RELEASED, ids=lambda path: path.stem)
def test_a_released_bot_loads_passes_its_probes_and_beats_random_play(path):
    words = ["--against", "random", "--pairs", "10"]
    result = program.read_json("eval", path, *words)["results"][0]
    assert result["score"] > result["chance_level"]
    reader = program.blocks("bot-format.md", "python")[0]
    assert program.python("-c", reader, path).endswith("\n16 probes passed\n")
