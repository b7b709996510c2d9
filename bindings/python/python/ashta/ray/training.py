"""Self-play of a training run on a cluster."""

import tomllib

import ray

from .. import _ashta
from . import cluster


@cluster.remote
def play(config, weights, first, end):
    """Plays the games `first` to `end - 1` with these weights; returns the games as bytes."""
    return cluster.newest(_ashta.SelfPlay, config).play(weights, first, end)


def actors(config, task=play):
    """Returns a function that plays games of a run on a cluster; `ashta.train` takes `actors` as an
    argument.

    `config` contains the settings of the run as TOML. `task` is the remote function that plays
    games on an actor.
    """
    cluster.connect()
    settings = tomllib.loads(config)["cluster"]
    config = ray.put(config)

    def play_all(weights, first, end):
        count, size = settings["actors"], settings["games_per_task"]
        if count == "auto":
            count = cluster.cores()
        if size == "auto":
            size = -(-(end - first) // count)
        return cluster.run(task, count, cluster.split(first, end, size), config, ray.put(weights))

    return play_all


def train(config=None, settings=None, **options):
    """Trains like `ashta.train`, with the same arguments, but actors on a cluster play the games.

    The settings in `[cluster]` distribute the games. The games, samples and networks are the same
    as on one machine. If an actor is lost, another actor plays its games again.
    """
    cluster.connect()
    return _ashta.train(config, settings, actors=actors, **options)
