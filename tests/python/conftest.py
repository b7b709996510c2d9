"""Fixtures of all tests: a short training run, and an engine with a baseline."""

import pytest

import program


@pytest.fixture(scope="session")
def smoke(tmp_path_factory):
    """A finished run of configs/smoke.toml: its folder and its bot file."""
    return program.train(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def engine():
    """An engine whose agent is the baseline `greedy`."""
    with program.Engine("greedy") as engine:
        yield engine


@pytest.fixture
def checkpoints(monkeypatch):
    """Lets the package find the released bots and tables."""
    monkeypatch.setenv("ASHTA_CHECKPOINTS", str(program.ROOT / "checkpoints"))
