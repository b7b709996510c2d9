"""Self-play of a training run on a cluster."""

import tomllib
from functools import lru_cache

import ray
from ray.exceptions import RayTaskError

from .. import _ashta

# A machine is lost, or a process is killed: Ray lets another process play the games, at most this
# many times for each task.
MOST_RETRIES = 20


@lru_cache(maxsize=1)
def self_play(config):
    return _ashta.SelfPlay(config)


@ray.remote(num_cpus=1, max_retries=MOST_RETRIES)
def play(config, weights, first, end):
    """Plays the games `first` to `end - 1` with these weights; returns the games as bytes."""
    return self_play(config).play(weights, first, end)


def connect():
    """Connects to a cluster, unless Ray is already connected."""
    if not ray.is_initialized():
        ray.init(log_to_driver=False)


def actors(config, task=play):
    """Returns a function that plays games of a run on a cluster; `ashta.train` takes `actors` as an
    argument.

    `config` contains the settings of the run as TOML. `task` is the remote function that plays
    games on an actor.
    """
    connect()
    cluster = tomllib.loads(config)["cluster"]
    config = ray.put(config)

    def play_all(weights, first, end):
        count, size = cluster["actors"], cluster["games_per_task"]
        if count == "auto":
            count = max(1, int(ray.cluster_resources().get("CPU", 1)))
        if size == "auto":
            size = -(-(end - first) // count)
        weights, tasks, running = ray.put(weights), [], []
        for start in range(first, end, size):
            if len(running) == count:
                _, running = ray.wait(running)
            tasks.append(task.remote(config, weights, start, min(start + size, end)))
            running.append(tasks[-1])
        try:
            return ray.get(tasks)
        except RayTaskError as error:
            raise error.cause from None

    return play_all


def train(config=None, settings=None, **options):
    """Trains like `ashta.train`, with the same arguments, but actors on a cluster play the games.

    The settings in `[cluster]` distribute the games. The games, samples and networks are the same
    as on one machine. If an actor is lost, another actor plays its games again.
    """
    connect()
    return _ashta.train(config, settings, actors=actors, **options)
