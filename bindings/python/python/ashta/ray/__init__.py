"""Training, arenas and sweeps on many machines, by Ray.

`train` spreads a run over a cluster: actors play whole games, one core each, a learner learns from them and an
evaluator evaluates, all in Rust as in `ashta train`; the folder of the run, the metrics, the checkpoints and the bot are
the same. `arena` spreads the games of an arena, `sweep` runs configurations side by side. `python -m ashta.ray` is all
three on the command line. Needs `pip install "ashta[ray]"`, on every machine of the cluster.
"""

from .._extras import needs

with needs("ray"):
    import ray as _ray  # noqa: F401
    from ray import tune as _tune  # noqa: F401

from .arenas import arena
from .sweeps import sweep
from .training import Interrupted, WorkersDied, resume, train

__all__ = ["Interrupted", "WorkersDied", "arena", "resume", "sweep", "train"]
