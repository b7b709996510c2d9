"""Self-play and arenas on many machines, with Ray.

`train` trains like `ashta.train`, but actors on a cluster play the games; each actor uses one core.
The calling process learns and evaluates. The run folder and the bot are the same as on one
machine. `arena` distributes the games of an arena. `python -m ashta.ray` has the commands `train`
and `arena`. Every machine of the cluster needs `pip install "ashta[ray]"`.

All functions use the cluster to which Ray is connected, otherwise the cluster at the address in the
environment variable `RAY_ADDRESS`, otherwise a new cluster on this machine.
"""

from .._extras import needs

with needs("ray"):
    import ray as _ray  # noqa: F401

from .arenas import arena
from .training import actors, train

__all__ = ["actors", "arena", "train"]
