"""The metrics of a run: TensorBoard reads the events, metrics.jsonl has the same values,
docs/metrics.md names all."""

import json
import re
import sys

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import program

HEAD = ["iteration", "games", "samples", "seconds"]


def read(run):
    return [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def lines(smoke):
    """The lines of metrics.jsonl."""
    return read(smoke[0])


@pytest.fixture(scope="module")
def exploited(tmp_path_factory):
    """The lines of a run that also finds best responses."""
    settings = ("ruleset.flags.pieces=1", "evaluation.exploitability=true")
    return read(program.train(tmp_path_factory.mktemp("exploited"), *settings)[0])


@pytest.fixture(scope="module")
def events(smoke):
    """TensorBoard's own reader of the events, with nothing left out."""
    events = EventAccumulator(
        str(smoke[0] / "tensorboard"), size_guidance={"scalars": 0, "histograms": 0}
    )
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
        assert [value for _, value in found] == pytest.approx(
            [value for _, value in expected], rel=1e-6
        )


def test_best_responses_are_found_where_they_are_asked_for(lines, exploited, tmp_path):
    """With one piece there is next to nothing to choose, so that nobody wins much more than a
    half."""
    found = [line["eval/exploitability"] for line in exploited if "eval/exploitability" in line]
    assert len(found) == 2 and all(-1e-5 < number < 0.02 for number in found), found
    assert not any("eval/exploitability" in line for line in lines)
    settings = ("ruleset.flags.pieces=4", "evaluation.exploitability=true")
    refused = program.refused(*program.training(tmp_path, *settings))
    assert "`exploitability`" in refused and "cannot be solved" in refused, refused
    assert list(tmp_path.iterdir()) == []


def test_the_page_names_everything_and_nothing_else(lines, exploited, events):
    page = (program.ROOT / "docs" / "metrics.md").read_text()
    named = set(re.findall(r"^\| `([^`]+)`", page, re.MULTILINE))
    measured = {name for line in lines + exploited for name in line} | set(
        events.Tags()["histograms"]
    )
    measured = {re.sub(r"^eval/vs_.*/", "eval/vs_<opponent>/", name) for name in measured}
    measured = {re.sub(r"^weights/.*", "weights/<layer>", name) for name in measured}
    assert named == measured


def test_the_page_of_a_run_has_its_curves(lines, smoke):
    """Every diagram has the values of metrics.jsonl, over the seconds of training."""
    text = (smoke[0] / "report.html").read_text()
    data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])
    assert data["title"] == "smoke"
    curves = {
        curve["name"]: curve["points"]
        for diagram in data["training"]
        for curve in diagram["curves"]
    }
    assert {
        "eval/vs_random/score",
        "train/value_loss",
        "train/policy_loss",
        "selfplay/games_per_second",
    } <= curves.keys()
    for name, points in curves.items():
        assert (
            points
            == [[line["seconds"], line[name]] for line in lines if line.get(name) is not None][
                : len(points)
            ]
        )
        assert points


def curves(*arguments):
    script = program.ROOT / "docs" / "learning" / "curves.py"
    return program.execute(sys.executable, script, *arguments)


def test_runs_are_compared_as_curves(smoke, tmp_path):
    run, picture, loss = smoke[0], tmp_path / "curves.svg", ["--metric", "train/value_loss"]
    options = [*loss, "--by", "games", "--log", "--title", "Loss", "-o", picture]
    program.succeeded(curves(f"mean={run},{run}", run, *options))
    for text in ("Loss", "mean", run.name, "games of self-play"):
        assert f">{text}<" in picture.read_text()
    (tmp_path / "metrics.jsonl").write_text('{"iteration":1}\n{"iteration":')
    for arguments, message in [
        ([run, "--metric", "train/loss"], "no values of train/loss; it has eval/"),
        ([tmp_path / "none", *loss], str(tmp_path / "none" / "metrics.jsonl")),
        ([tmp_path, *loss], "cannot read"),
        ([run, "--metric", "selfplay/truncated_share", "--log"], "no logarithm"),
    ]:
        refused = curves(*arguments, "-o", tmp_path / "x.svg")
        assert refused.returncode == 1 and message in refused.stderr, refused.stderr
    assert not (tmp_path / "x.svg").exists()
