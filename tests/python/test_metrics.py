"""What a run measured: TensorBoard reads its events, metrics.jsonl says the same, docs/metrics.md names all of it."""

import json
import re
import xml.etree.ElementTree as ElementTree

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import program

HEAD = ["iteration", "games", "samples", "seconds"]


@pytest.fixture(scope="module")
def lines(smoke):
    """The lines of metrics.jsonl."""
    return [json.loads(line) for line in (smoke[0] / "metrics.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def exploited(tmp_path_factory):
    """The lines of a run that also finds best responses."""
    settings = ("ruleset.flags.pieces=1", "evaluation.exploitability=true")
    run, _ = program.train(tmp_path_factory.mktemp("exploited"), *settings)
    return [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def events(smoke):
    """TensorBoard's own reader of the events, with nothing left out."""
    events = EventAccumulator(str(smoke[0] / "tensorboard"), size_guidance={"scalars": 0, "histograms": 0})
    return events.Reload()


def test_iterations_are_complete(lines):
    assert [line["iteration"] for line in lines] == [1, 2, 3, 4]
    assert [line["games"] for line in lines] == [16, 32, 48, 64]
    assert lines == sorted(lines, key=lambda line: (line["samples"], line["seconds"]))


def test_scalars_are_those_of_the_lines(lines, events):
    tags = {name for line in lines for name in line} - set(HEAD)
    assert set(events.Tags()["scalars"]) >= tags
    assert "eval/vs_random/score" in tags and "train/value_loss" in tags
    for tag in tags:
        expected = [(line["iteration"], line[tag]) for line in lines if tag in line]
        found = [(event.step, event.value) for event in events.Scalars(tag)]
        assert [step for step, _ in found] == [step for step, _ in expected]
        assert [value for _, value in found] == pytest.approx([value for _, value in expected], rel=1e-6)


def test_histograms_hold_every_value(events):
    tags = set(events.Tags()["histograms"])
    assert tags == {"selfplay/turns", "selfplay/value_targets", *(
        f"weights/{network}.{layer}" for network in ("value", "policy") for layer in ("torso.0", "head")
    )}
    for tag in tags:
        for event in events.Histograms(tag):
            histogram = event.histogram_value
            assert sum(histogram.bucket) == pytest.approx(histogram.num)
            assert histogram.num > 0
            assert histogram.min <= histogram.max <= histogram.bucket_limit[-1]
            assert histogram.min * histogram.num <= histogram.sum + 1e-6


def test_best_responses_are_found_where_they_are_asked_for(lines, exploited, tmp_path):
    """With one piece there is next to nothing to choose, so that nobody wins much more than a half."""
    found = [line["eval/exploitability"] for line in exploited if "eval/exploitability" in line]
    assert len(found) == 2 and all(-1e-5 < number < 0.02 for number in found), found
    assert not any("eval/exploitability" in line for line in lines)
    refused = program.run(
        "train", program.SMOKE, "--set", "ruleset.flags.pieces=4", "--set", "evaluation.exploitability=true",
        "--set", f"run.directory={tmp_path}",
    )
    assert refused.returncode == 1 and "`exploitability`" in refused.stderr, refused.stderr
    assert "cannot be solved" in refused.stderr and list(tmp_path.iterdir()) == []


def test_the_page_names_everything_and_nothing_else(lines, exploited, events):
    page = (program.ROOT / "docs" / "metrics.md").read_text()
    # What runs on a cluster measure besides is named by a section that test_ray.py reads.
    page = re.sub(r"^## Many machines$.*?(?=^## )", "", page, flags=re.MULTILINE | re.DOTALL)
    named = set(re.findall(r"^\| `([^`]+)`", page, re.MULTILINE))
    measured = {name for line in lines + exploited for name in line} | set(events.Tags()["histograms"])
    measured = {re.sub(r"^eval/vs_.*/", "eval/vs_<opponent>/", name) for name in measured}
    measured = {re.sub(r"^weights/.*", "weights/<layer>", name) for name in measured}
    assert named == measured


def texts(picture):
    """The texts of an SVG, and how many bands it has."""
    root = ElementTree.parse(picture).getroot()
    tag = "{http://www.w3.org/2000/svg}"
    return [text.text.strip() for text in root.iter(tag + "text")], len(list(root.iter(tag + "polygon")))


def test_curves_are_drawn_from_what_was_measured(lines, smoke, tmp_path):
    run, picture = smoke[0], tmp_path / "curves.svg"
    finished = program.run("curves", run, "--metric", "train/value_loss", "--by", "games", "-o", picture)
    assert finished.returncode == 0, finished.stderr
    last = lines[-1]
    assert finished.stdout == f"{run.name}: {last['train/value_loss']} after {last['games']} games of self-play\n"
    found, bands = texts(picture)
    assert {"train/value_loss", "games of self-play"} <= set(found) and bands == 0
    finished = program.run(
        "curves", f"mean={run},{run}", f"alone={run}", "--metric", "train/value_loss", "--log", "--title", "Loss",
        "-o", picture,
    )
    assert finished.returncode == 0, finished.stderr
    found, bands = texts(picture)
    assert {"Loss", "mean", "alone", "seconds of training"} <= set(found) and bands == 1


def test_what_cannot_be_drawn_is_named(smoke, tmp_path):
    picture = tmp_path / "curves.svg"
    refused = program.run("curves", smoke[0], "--metric", "train/loss", "-o", picture)
    assert refused.returncode == 1 and "has no `train/loss`; it has eval/luck_adjusted_score, " in refused.stderr
    missing = program.run("curves", f"a={smoke[0]},{tmp_path}", "--metric", "train/value_loss", "-o", picture)
    assert missing.returncode == 1 and f"cannot read {tmp_path / 'metrics.jsonl'}" in missing.stderr
    (tmp_path / "metrics.jsonl").write_text('{"iteration":1}\n{"iteration":')
    broken = program.run("curves", tmp_path, "-o", picture)
    assert broken.returncode == 1 and "metrics.jsonl, line 2" in broken.stderr, broken.stderr
    zero = program.run("curves", smoke[0], "--metric", "selfplay/truncated_share", "--log", "-o", picture)
    assert zero.returncode == 1 and "no logarithm" in zero.stderr, zero.stderr
    assert not picture.exists()
