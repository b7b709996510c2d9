"""The results of training runs and arenas, and the keys of results that are dicts; new versions can
add keys."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import numpy as np
from numpy.typing import NDArray

class _Mean(TypedDict):
    """A mean with its 95 % interval. A bound that cannot be estimated is `None`."""

    mean: float
    interval: list[float | None]

class _Blunder(TypedDict):
    """A decision with a large regret."""

    position: str
    played: str
    best: str
    regret: float

class _Regret(TypedDict):
    """The regret of a policy."""

    decisions: int
    regret_per_decision: _Mean
    regret_per_game: _Mean
    optimal_choices: _Mean
    luck_adjusted_score: _Mean
    quantiles: list[float]
    worst: list[_Blunder]

class _Match(TypedDict):
    opponent: str
    score: float | None
    standard_error: float | None
    interval: list[float]
    chance_level: float
    blocks: int
    games: int
    drawn_games: int
    truncated_blocks: int
    truncated_games: int
    decisions_per_game: float
    turns_per_game: float
    sides: dict[str, int] | None

class _MatchResult(_Match):
    """The result of a match, with the regret if the game is solved."""

    regret: NotRequired[_Regret]

class _RegretResult(_Match):
    """The result of `ashta.regret`."""

    agent: str
    game: str
    seats: int
    pairs: int
    seed: int
    regret: NotRequired[_Regret]

class _BestResponse(TypedDict):
    """The scores of the best response by its place in the order of throws, and on each seat."""

    first: float
    second: float
    third: NotRequired[float]
    fourth: NotRequired[float]
    mean: float
    seats: NotRequired[dict[str, float]]

class _Exploitability(TypedDict):
    """The result of `ashta.exploitability`."""

    agent: str
    game: str
    best_response: _BestResponse
    exploitability: float

class _Rollout(TypedDict):
    """The result of `ashta.rollout`."""

    mean: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    games: NDArray[np.int64]
    truncated: NDArray[np.int64]

class _Certificate(TypedDict):
    """The proven bounds of a table."""

    error: float
    start_error: float
    longest: float

class _Facts(TypedDict):
    """The facts of a table."""

    positions: int
    sweeps: float
    cut_off: float
    residual: float
    certificate: _Certificate | None

class _Value(TypedDict):
    """A value of a house rule."""

    name: str
    about: str

class _Flag(TypedDict):
    """A house rule."""

    name: str
    about: str
    values: list[_Value]
    default: str
    value: str

class _Topic(TypedDict):
    """Rules in sentences."""

    topic: str
    sentences: list[str]

class _Pieces(TypedDict):
    """The numbers of pieces of a seat."""

    count: int
    allowed: list[int]
    value: int

class _Description(TypedDict):
    """The result of `Game.describe`."""

    name: str
    title: str
    summary: str
    place: str
    minutes: int | None
    rules: str
    sources: list[str]
    seats: list[str]
    pieces: _Pieces
    throws: dict[str, Any]
    words: dict[str, str]
    flags: list[_Flag]
    understood: list[_Topic]

_Measured = TypedDict(
    "_Measured",
    {
        "train/value_loss": float,
        "train/policy_loss": float,
        "train/policy_entropy": float,
        "train/gradient_norm": float,
        "train/learning_rate": float,
        "train/lambda": float,
        "selfplay/turns_per_game": float,
        "selfplay/games_per_second": float,
        "selfplay/samples_per_second": float,
        "selfplay/luck_coefficient": float,
        "selfplay/first_seat_score": float,
        "selfplay/drawn_share": float,
        "selfplay/truncated_share": float,
        "eval/regret_per_decision": float,
        "eval/optimal_choices": float,
        "eval/luck_adjusted_score": float,
        "eval/exploitability": float,
    },
    total=False,
)

class _Metrics(_Measured):
    """The metrics of an iteration (docs/metrics.md). The keys of opponents, such as
    `eval/vs_greedy/score`, are not in the type: `dict(metrics)` has all keys."""

    iteration: int
    games: int
    samples: int
    seconds: float
    run: Path

@dataclass(frozen=True)
class TrainedRun:
    """The result of a training run."""

    path: Path
    """The folder of the run."""
    bot: Path | None
    """The bot; `None` if the run was stopped. `ashta.train(resume=run.path)` resumes the run."""
    results: list[_MatchResult] | None
    """The final matches, one for each opponent."""

class ArenaResult:
    """The result of an arena."""

    def __init__(self, report: str, games: str, shown: str) -> None: ...
    @property
    def report(self) -> dict[str, Any]:
        """The report that `ashta arena --json` prints, with the same keys. A bound of an interval
        is `None` if it cannot be estimated."""
    @property
    def games(self) -> list[dict[str, Any]]:
        """The games as dicts, with the keys of a games file; empty with `keep_games=False`. Each
        access parses the games again."""
