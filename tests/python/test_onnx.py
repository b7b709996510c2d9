"""Bots as ONNX models, run by onnxruntime; and the cards that are written beside exported files."""

import json
import os
import re

import numpy
import onnx
import onnxruntime
import pytest
from huggingface_hub import ModelCard

import program


def export(source, output, *options):
    finished = program.run("export", source, "-o", output, *options)
    assert finished.returncode == 0, finished.stderr
    return finished


def masked_softmax(logits, legal):
    powers = (
        numpy.where(legal, numpy.exp(logits - logits[legal].max(initial=-numpy.inf)), 0)
        if legal.any()
        else logits * 0
    )
    return powers / max(powers.sum(), 1e-30)


def batch_of(manifest, probes, legal):
    """Observations `[batch, observation]` and legal actions `[batch, actions]` of probes."""
    observation = numpy.zeros(
        (len(probes), manifest["shape"]["policy"]["observation"]), numpy.float32
    )
    for row, probe in zip(observation, probes):
        row[probe["active"]] = 1
    return {"observation": observation, "legal_actions": legal}


@pytest.fixture(scope="module")
def model(smoke, tmp_path_factory):
    path = tmp_path_factory.mktemp("onnx") / "smoke.onnx"
    finished = export(smoke[0], path, "--format", "onnx")
    assert finished.stdout == f"onnx: {path}\n"
    return path


def test_the_model_is_valid_and_says_what_it_is(model, smoke):
    loaded = onnx.load(model)
    onnx.checker.check_model(loaded, full_check=True)
    # The lowest operator set, and the file format that belongs to it.
    [version] = loaded.opset_import
    assert loaded.ir_version == onnx.helper.find_min_ir_version_for([version])
    older = onnx.ModelProto.FromString(loaded.SerializeToString())
    older.opset_import[0].version -= 1
    with pytest.raises(onnx.checker.ValidationError):
        onnx.checker.check_model(older, full_check=True)
    shapes = {
        value.name: [
            dimension.dim_param or dimension.dim_value
            for dimension in value.type.tensor_type.shape.dim
        ]
        for value in [*loaded.graph.input, *loaded.graph.output]
    }
    metadata = {entry.key: entry.value for entry in loaded.metadata_props}
    manifest = json.loads(metadata["manifest"])
    policy = manifest["shape"]["policy"]
    assert shapes == {
        "observation": ["batch", policy["observation"]],
        "legal_actions": ["batch", policy["actions"]],
        "policy": ["batch", policy["actions"]],
        "values": ["batch", policy["values"]],
    }
    assert (loaded.producer_name, loaded.graph.name) == ("ashta", "smoke")
    assert (metadata["ruleset"], metadata["seats"], metadata["outlook"]) == (
        "ashte-kashte?pieces=2",
        "SN",
        "winner",
    )
    assert (
        metadata["encoding"] == str(manifest["encoding"])
        and metadata["ruleset_hash"] == manifest["ruleset_hash"]
    )
    again = model.with_name("again.bot")
    export(smoke[0], again)
    assert manifest["checksum"] == program.manifest(again)["checksum"] != "00000000"


def test_a_batch_of_any_size_is_answered_row_by_row(model):
    running = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    manifest = json.loads(running.get_modelmeta().custom_metadata_map["manifest"])
    probes = manifest["probes"]
    generator = numpy.random.default_rng(1)
    legal = generator.random((len(probes), manifest["shape"]["policy"]["actions"])) < 0.5
    legal[0] = False

    def run(rows):
        return running.run(["policy", "values"], batch_of(manifest, probes[rows], legal[rows]))

    whole = run(slice(None))
    for row, probe in enumerate(probes):
        policy, values = run(slice(row, row + 1))
        numpy.testing.assert_allclose(values[0], whole[1][row], atol=1e-6)
        numpy.testing.assert_allclose(policy[0], whole[0][row], atol=1e-6)
        numpy.testing.assert_allclose(values[0], probe["values"], atol=1e-5)
        if probe["policy"]:
            numpy.testing.assert_allclose(
                policy[0], masked_softmax(numpy.array(probe["policy"]), legal[row]), atol=1e-5
            )
    assert not whole[0][0].any(), "where nothing is legal there are no probabilities"


def test_the_bot_of_a_game_that_is_not_a_race_is_a_model(tmp_path):
    example = program.ASHTA.parent / "examples" / "own_game"
    program.succeeded(program.execute(example, 200, env={**os.environ, "TMPDIR": str(tmp_path)}))
    path = tmp_path / "pig.onnx"
    running = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    properties = running.get_modelmeta().custom_metadata_map
    manifest = json.loads(properties["manifest"])
    [probe] = manifest["probes"]
    legal = numpy.ones((1, manifest["shape"]["policy"]["actions"]), bool)
    _, values = running.run(["policy", "values"], batch_of(manifest, [probe], legal))
    assert properties["ruleset"] == "pig" and probe["position"] == "start"
    numpy.testing.assert_allclose(values[0], probe["values"], atol=1e-5)


def test_the_card_of_an_export_is_a_model_card(smoke, tmp_path):
    bot = tmp_path / "fresh.bot"
    finished = export("ashtapada", bot, "--card", tmp_path / "fresh.md")
    assert finished.stdout == f"bot: {bot}\ncard: {tmp_path / 'fresh.md'}\n"
    card = ModelCard.load(tmp_path / "fresh.md")
    assert card.data.library_name == "ashta" and card.data.pipeline_tag == "reinforcement-learning"
    assert "ashtapada" in card.data.tags and set(card.data.license) == {"mit", "apache-2.0"}
    assert card.data.model_name == "fresh"
    results = {result.metric_name: result.metric_value for result in card.data.eval_results}
    strength = {entry["opponent"]: entry["score"] for entry in program.manifest(bot)["strength"]}
    assert len(strength) >= 5
    assert results == {
        f"score against {opponent}": pytest.approx(score, abs=1e-4)
        for opponent, score in strength.items()
    }
    assert "# fresh" in card.content and "## Training" in card.content
    assert (smoke[1].with_name("README.md")).read_text().startswith("---\n"), (
        "the end of a run exports, too"
    )


def test_what_cannot_be_exported_is_named(smoke, tmp_path):
    for arguments, part in [
        (["nobody"], "nobody is not the folder of a run"),
        (["greedy"], "greedy is not a bot"),
        (["ashtapada", "--checkpoint", "best"], "only runs have checkpoints"),
        (["ashtapada", "--format", "onxx"], "a similar value exists: 'onnx'"),
        ([smoke[0], "--checkpoint", "7000"], "there is no checkpoint `7000`"),
        (["ashtapada", "--format", "onnx", "-o", tmp_path / "missing" / "x.onnx"], "cannot write"),
    ]:
        refused = program.run("export", *arguments, cwd=tmp_path)
        assert refused.returncode != 0 and part in refused.stderr, refused.stderr
    assert not list(tmp_path.iterdir())


def test_the_example_of_the_page_runs(tmp_path):
    export("ashtapada", tmp_path / "ashtapada.onnx", "--format", "onnx")
    environment = {**os.environ, "PATH": f"{program.ASHTA.parent}{os.pathsep}{os.environ['PATH']}"}
    shown = program.python(
        "-c", program.blocks("exporting.md", "python")[0], cwd=tmp_path, env=environment
    )
    assert re.fullmatch(r"ashtapada \[[\d. ]+\] \[0\.\d+ 0\.\d+\]\n", shown), shown
