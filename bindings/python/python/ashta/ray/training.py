"""A training run on a cluster: the same games, metrics, checkpoints and bots as `ashta train`."""

import itertools
import os
import signal
import sys
import threading
import time
import tomllib
from collections import deque, namedtuple
from contextlib import closing, contextmanager

import ray

from .._ashta import RunEvaluator, SelfPlay, Trainer, TrainingRun, check_settings
from .pool import Pool, WorkersDied, pump, worker

__all__ = ["Interrupted", "WorkersDied", "resume", "train"]

# The messages with the games of a plan, `None` while they are played; and how far their weights lag behind.
Gathering = namedtuple("Gathering", "lag messages")
Actor, Learner, Evaluator = map(worker, ("ActorProcess", "LearnerProcess", "EvaluatorProcess"))


class Interrupted(RuntimeError):
    """The run was interrupted; everything is saved."""


class Driver:
    """The workers of a run: the loop of `ashta train` calls it for all work, and it has that done on the cluster.

    The weights of each iteration are a *version*: version i is what `ashta train` plays the games of iteration i with,
    and is there once the learner has learned in iteration i - 1. Games are planned as soon as their version is there,
    so actors need not wait for the games of the iteration before.
    """

    def __init__(self, run):
        self.run, config, self.stops = run, run.config, lambda: False
        settings = tomllib.loads(config)
        # `None` is "auto".
        self.settings = {key: None if value == "auto" else value for key, value in settings["cluster"].items()}
        self.settings["learner_gpus"] = int(settings["run"]["device"] != "cpu")
        self._check_room()
        self.staleness = self.settings["staleness"]
        cores, gpus = self.settings["learner_cores"], self.settings["learner_gpus"]
        learner = Learner.options(num_cpus=cores, num_gpus=gpus)
        evaluator = Evaluator.options(num_cpus=self.settings["evaluator_cores"])
        opponents = [ray.put(part) for part in run.opponents()]
        self.learners = Pool("learners", lambda: learner.remote(Trainer, config, run.checkpoint()), lambda: 1, self._replay, 2)
        self.evaluators = Pool("evaluators", lambda: evaluator.remote(RunEvaluator, config, *opponents), lambda: 1, most_deaths=2)
        actor = Actor.options(num_cpus=1)
        greet = lambda found: self._compare("actor", found)  # noqa: E731
        self.pool = Pool("actors", lambda: actor.remote(SelfPlay, config), self._wanted, greet)
        # Other ways to round than that of the run, each said once.
        self.rounds = {run.numerics}
        # What has changed the learner since the newest checkpoint.
        self.asked = []
        self.versions = {}
        self.first_version = 1
        # Plans whose weights are not there yet: iteration, first game, end.
        self.ahead = deque()
        self.gatherings = {}
        # What is asked of the evaluator, if anything is, and its answer once it is there.
        self.evaluation = None
        self.lost_tasks = 0
        self.broadcast = 0

    def _check_room(self):
        """Refuses what this cluster could never begin."""
        has, settings = ray.cluster_resources(), self.settings
        cores = settings["learner_cores"] + settings["evaluator_cores"] + 1
        if has.get("CPU", 0) < cores:
            raise ValueError(f"learner, evaluator and one actor need {cores} cores, the cluster has {has.get('CPU', 0):g}")
        if settings["learner_gpus"] and not has.get("GPU"):
            raise ValueError("`run.device` asks for a GPU, and the cluster has none")
        # Each is on one machine; there are few ways to place three.
        nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
        needs = {
            "the learner": (settings["learner_cores"], settings["learner_gpus"]),
            "the evaluator": (settings["evaluator_cores"], 0),
            "an actor": (1, 0),
        }
        for name, (cpus, gpus) in needs.items():
            if not any(node.get("CPU", 0) >= cpus and node.get("GPU", 0) >= gpus for node in nodes):
                wanted = f"{cpus} cores{' and a GPU' if gpus else ''}"
                raise ValueError(f"{name} needs {wanted} on one machine, and no machine of the cluster has that")
        if not any(fits(needs.values(), places, nodes) for places in itertools.product(range(len(nodes)), repeat=3)):
            raise ValueError("learner, evaluator and one actor do not fit onto the machines of the cluster at once")

    def _compare(self, worker, numerics):
        """Says so where a worker rounds otherwise than the machine that began the run."""
        if numerics not in self.rounds:
            self.rounds.add(numerics)
            print(
                f"an {worker} is on a machine that rounds otherwise ({numerics}) than the one of the run ({self.run.numerics}): "
                "the run is not the same to the last bit as on one machine", file=sys.stderr,
            )

    def _wanted(self):
        if self.settings["actors"] is not None:
            return self.settings["actors"]
        cores = ray.cluster_resources().get("CPU", 1)
        return int(cores) - self.settings["learner_cores"] - self.settings["evaluator_cores"]

    def train(self, stops):
        """Trains to the end, or until `stops()`, asked before each iteration; whether it is the end."""
        self.stops = stops
        return self.run.train(self)

    def is_stopped(self):
        """Whether the run is to end before its next iteration."""
        return bool(self.stops())

    # The learner.

    def _ask(self, method, *arguments):
        """What the learner answers, and the seconds that it took."""
        self.answered = None
        self.learners.give(method, method, *arguments)
        while self.answered is None:
            self._pump()
        return self.answered

    def _change(self, method, *arguments):
        """As `_ask`, for what a new learner has to do again."""
        answered = self._ask(method, *arguments)
        self.asked.append((method, *arguments))
        return answered

    def _replay(self, numerics):
        """Brings a new learner from the newest checkpoint to where the lost one was."""
        self._compare("learner", numerics)
        self.learners.give_first(self.asked)

    def begin(self, version):
        """Publishes the weights to begin with, those of this version."""
        self.first_version = version
        self._publish(version, self._ask("weights")[0])

    def iterate(self, ahead, games, kept):
        """Learns, and takes in the games of an iteration: those that were kept, or those of the actors.

        `ahead` are the next plans for actors. Returns what was learned, what the games were like, the messages with
        the games of actors, and more metrics.
        """
        iteration, size, learning_rate, lambda_, wants_details = games
        self.ahead.extend(ahead)
        (weights, losses), learner_seconds = self._change("learn", learning_rate)
        self._publish(iteration + 1, weights)
        numbers, messages = {"cluster/learner_seconds": learner_seconds}, kept
        if kept is None:
            waited = time.monotonic()
            while None in self.gatherings[iteration].messages:
                self._pump()
            lag, messages = self.gatherings.pop(iteration)
            numbers |= {"cluster/wait_seconds": time.monotonic() - waited, "cluster/staleness": lag}
        report, _ = self._change("take_in", ray.put(messages), lambda_, wants_details)
        lost, self.lost_tasks = self.pool.lost_tasks - self.lost_tasks, self.pool.lost_tasks
        numbers |= {
            "cluster/actors": self.pool.ready,
            "cluster/bytes_per_game": sum(map(len, messages)) / size,
            "cluster/broadcast_bytes": self.broadcast,
            "cluster/lost_tasks": lost,
        }
        return losses, report, None if kept else messages, numbers

    def learn(self, learning_rate):
        """Learns from the games that were taken in last."""
        self._change("learn", learning_rate)

    def average(self):
        """The weights to evaluate and to export."""
        return self._ask("average")[0]

    def save(self):
        """The files of a checkpoint, and what else the learner goes on from."""
        saved, _ = self._ask("save")
        self.asked = []
        return saved

    # The actors.

    def _pump(self):
        """Gives to actors what can be played, and waits until something happens."""
        self._schedule()
        learned, evaluated, played = pump(self.learners, self.evaluators, self.pool)
        for task, answered in learned:
            # What is learned again only, has no task.
            self.answered = answered if task else None
        for iteration, (found, _) in evaluated:
            self.evaluation = iteration, found
        for (iteration, place), (message, _) in played:
            self.gatherings[iteration].messages[place] = message

    def _schedule(self):
        while self.ahead:
            iteration, first, end = self.ahead[0]
            version = max(iteration - self.staleness, self.first_version)
            if version not in self.versions:
                return
            self.ahead.popleft()
            size = self.settings["games_per_task"] or -(-(end - first) // max(1, self.pool.size))
            firsts = range(first, end, size)
            self.gatherings[iteration] = Gathering(iteration - version, [None] * len(firsts))
            for place, at in enumerate(firsts):
                self.pool.give((iteration, place), "play", self.versions[version], at, min(at + size, end))

    def _publish(self, version, weights):
        self.broadcast = weights.nbytes
        self.versions[version] = ray.put(weights)
        for old in [old for old in self.versions if old < version - self.staleness]:
            del self.versions[old]

    # The evaluator.

    def evaluate(self, method, iteration, weights):
        """Begins an evaluation of the weights after an iteration."""
        self.evaluation = iteration, None
        self.evaluators.give(iteration, method, weights)

    def late_evaluation(self, waits):
        """The evaluation that was begun with its iteration, if it is there or `waits`."""
        while waits and self.evaluation and self.evaluation[1] is None:
            self._pump()
        if not self.evaluation or self.evaluation[1] is None:
            return None
        found, self.evaluation = self.evaluation, None
        return found

    def conclude(self):
        """Evaluates and exports the bot; the table of results, and the path of the bot."""
        self.ahead.clear()
        self.pool.drop()
        return self.run.conclude()

    def close(self):
        """Ends all workers, and lets others go on with the run."""
        try:
            for part in (self.pool, self.learners, self.evaluators):
                part.close()
        finally:
            self.run.close()


def fits(needs, places, nodes):
    """Whether workers that need so many cores and GPUs find room, each on the node of its place."""
    left = [[node.get("CPU", 0), node.get("GPU", 0)] for node in nodes]
    for (cpus, gpus), place in zip(needs, places, strict=True):
        left[place][0] -= cpus
        left[place][1] -= gpus
    return all(cpus >= 0 and gpus >= 0 for cpus, gpus in left)


def train(config=None, set=(), *, address=None, folders=None, stops=None):
    """Trains a bot on a cluster, evaluates it and exports it; where the bot is.

    `config` is the path of a file with settings and `set` a list of `"section.key=value"`, as of `ashta train`; the
    section `[cluster]` says how the run is spread. `address` is that of the cluster, as of `ray.init`, if there is no
    connection yet; `folders` are those of `ashta.folders()` unless given. Raises `ValueError` for what is wrong with
    the settings, `Interrupted` when `stops()`, asked before each iteration, said so, and `WorkersDied`.
    """
    check_settings(config, list(set), folders)
    connect(address)
    return _train(TrainingRun(config, list(set), folders), stops)


def resume(path, set=(), *, address=None, folders=None, stops=None, fallback=False):
    """Goes on with a run from its folder, on as many machines as there are now; see `train`.

    With `fallback` damaged checkpoints are set aside, and it goes on from the newest one that is whole.
    """
    connect(address)
    return _train(TrainingRun(None, list(set), folders, path, fallback), stops)


def connect(address):
    """Connects to a cluster, unless that was done."""
    if not ray.is_initialized():
        ray.init(address=address or os.environ.get("RAY_ADDRESS"), log_to_driver=False)


def _train(run, stops):
    print(f"training in {run.path}", file=sys.stderr)
    with closing(run), closing(Driver(run)) as driver:
        with _signals() as stopped:
            if not driver.train(lambda: bool(stopped) or (stops is not None and stops())):
                raise Interrupted(f"interrupted; go on with\n    python -m ashta.ray train --resume {run.path}")
        table, bot = driver.conclude()
    print(table, end="")
    print(f"bot: {bot}")
    return bot


@contextmanager
def _signals():
    """Ctrl-C and termination end the run after the iteration, a second time at once; the signals that came."""
    came = []

    def stop(number, _):
        if came:
            raise KeyboardInterrupt
        came.append(number)
        print("stopping after this iteration (again: at once, losing what was not saved)", file=sys.stderr)

    is_main = threading.current_thread() is threading.main_thread()
    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM) if is_main}
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
