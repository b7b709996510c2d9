"""Training, arenas and sweeps on many machines, with Ray.

`train` distributes a training run over a cluster. Actors play whole games; each actor uses one
core. A learner learns from the games, and an evaluator evaluates the networks. All of them run the
Rust code of `ashta train`, and produce the same run folder, metrics, checkpoints and bot. `arena`
distributes the games of an arena. `sweep` trains several configurations at the same time.
`python -m ashta.ray` has the commands `train`, `arena` and `sweep`. Every machine of the cluster
needs `pip install "ashta[ray]"`.
"""

from .._extras import needs

with needs("ray"):
    import ray as _ray  # noqa: F401
    from ray import tune as _tune  # noqa: F401

from .arenas import arena
from .sweeps import sweep
from .training import Interrupted, WorkersDied, resume, train

__all__ = ["Interrupted", "WorkersDied", "arena", "resume", "sweep", "train"]
