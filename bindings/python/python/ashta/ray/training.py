"""A training run on a cluster, with the same games, metrics, checkpoints and bots as
`ashta train`."""

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

# `messages` are the games of a plan (`None` until they arrive); `lag` is the age of the weights
# that play them, in iterations.
Gathering = namedtuple("Gathering", "lag messages")
Actor, Learner, Evaluator = map(worker, ("ActorProcess", "LearnerProcess", "EvaluatorProcess"))


class Interrupted(RuntimeError):
    """The run was interrupted and saved."""


class Driver:
    """The workers of a run. The training loop of `ashta train` calls these methods, and the cluster
    does the work.

    The weights of each iteration are a *version*. `ashta train` plays the games of iteration i with
    version i, which exists after the learning in iteration i - 1. The driver schedules the games of
    an iteration as soon as their version exists. So actors need not wait until all games of the
    previous iteration have ended.
    """

    def __init__(self, run):
        self.run, config, self.stops = run, run.config, lambda: False
        settings = tomllib.loads(config)
        # `None` means "auto".
        self.settings = {
            key: None if value == "auto" else value for key, value in settings["cluster"].items()
        }
        self.settings["learner_gpus"] = int(settings["run"]["device"] != "cpu")
        self._check_room()
        self.staleness = self.settings["staleness"]
        cores, gpus = self.settings["learner_cores"], self.settings["learner_gpus"]
        learner = Learner.options(num_cpus=cores, num_gpus=gpus)
        evaluator = Evaluator.options(num_cpus=self.settings["evaluator_cores"])
        opponents = [ray.put(part) for part in run.opponents()]
        self.learners = Pool(
            "learners",
            lambda: learner.remote(Trainer, config, run.checkpoint()),
            lambda: 1,
            self._replay,
            2,
        )
        self.evaluators = Pool(
            "evaluators",
            lambda: evaluator.remote(RunEvaluator, config, *opponents),
            lambda: 1,
            most_deaths=2,
        )
        actor = Actor.options(num_cpus=1)
        greet = lambda found: self._compare("actor", found)  # noqa: E731
        self.pool = Pool("actors", lambda: actor.remote(SelfPlay, config), self._wanted, greet)
        # The results of `numerics()` that are known already. A new result is reported once.
        self.rounds = {run.numerics}
        # Calls that changed the learner since the newest checkpoint.
        self.asked = []
        self.versions = {}
        self.first_version = 1
        # Plans that wait for their weights: iteration, first game, last game plus one.
        self.ahead = deque()
        self.gatherings = {}
        # The iteration of the pending evaluation and its result, or `None`.
        self.evaluation = None
        self.lost_tasks = 0
        self.broadcast = 0

    def _check_room(self):
        """Raises `ValueError` if the run can never start on this cluster."""
        has, settings = ray.cluster_resources(), self.settings
        cores = settings["learner_cores"] + settings["evaluator_cores"] + 1
        if has.get("CPU", 0) < cores:
            raise ValueError(
                f"learner, evaluator and one actor need {cores} cores, but the cluster has {has.get('CPU', 0):g}"
            )
        if settings["learner_gpus"] and not has.get("GPU"):
            raise ValueError("`run.device` needs a GPU, but the cluster has none")
        # Each worker must fit on one machine. The loop below tries all placements of the three
        # workers.
        nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
        needs = {
            "the learner": (settings["learner_cores"], settings["learner_gpus"]),
            "the evaluator": (settings["evaluator_cores"], 0),
            "an actor": (1, 0),
        }
        for name, need in needs.items():
            if not any(fits([need], node) for node in nodes):
                wanted = f"{need[0]} cores{' and a GPU' if need[1] else ''}"
                raise ValueError(
                    f"{name} needs {wanted} on one machine, but no machine of the cluster has them"
                )
        for places in itertools.product(range(len(nodes)), repeat=3):
            on = [
                [need for need, place in zip(needs.values(), places) if place == at]
                for at in range(len(nodes))
            ]
            if all(map(fits, on, nodes)):
                break
        else:
            raise ValueError(
                "learner, evaluator and one actor do not fit on the machines of the cluster together"
            )

    def _compare(self, worker, numerics):
        """Warns if the machine of a worker rounds differently than the machine that started the
        run."""
        if numerics not in self.rounds:
            self.rounds.add(numerics)
            print(
                f"the machine of one {worker} rounds differently ({numerics}) than the machine that started the run "
                f"({self.run.numerics}): the run's files will differ from a run on one machine",
                file=sys.stderr,
            )

    def _wanted(self):
        if self.settings["actors"] is not None:
            return self.settings["actors"]
        cores = ray.cluster_resources().get("CPU", 1)
        return int(cores) - self.settings["learner_cores"] - self.settings["evaluator_cores"]

    def train(self, stops):
        """Trains until the run is over, or `stops()` is true before an iteration; returns whether
        the run is over."""
        self.stops = stops
        return self.run.train(self)

    def is_stopped(self):
        """Whether the run must stop before its next iteration."""
        return bool(self.stops())

    # The learner.

    def _ask(self, method, *arguments):
        """Asks the learner; returns the result and the seconds that it took."""
        self.answered = None
        self.learners.give(method, method, *arguments)
        while self.answered is None:
            self._pump()
        return self.answered

    def _change(self, method, *arguments):
        """Like `_ask`, for calls that a new learner must repeat."""
        answered = self._ask(method, *arguments)
        self.asked.append((method, *arguments))
        return answered

    def _replay(self, numerics):
        """Lets a new learner, which has loaded the newest checkpoint, repeat all later calls."""
        self._compare("learner", numerics)
        self.learners.give_first(self.asked)

    def begin(self, version):
        """Publishes the first weights, with this version."""
        self.first_version = version
        self._publish(version, self._ask("weights")[0])

    def iterate(self, ahead, games, kept):
        """Learns, then adds the games of an iteration: kept games, or games from the actors.

        `ahead` lists the next plans for actors. Returns the losses, the report on the games, the
        messages with the games from the actors (`None` for kept games), and more metrics.
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
        report, _ = self._change("add_games", ray.put(messages), lambda_, wants_details)
        lost, self.lost_tasks = self.pool.lost_tasks - self.lost_tasks, self.pool.lost_tasks
        numbers |= {
            "cluster/actors": self.pool.ready,
            "cluster/bytes_per_game": sum(map(len, messages)) / size,
            "cluster/broadcast_bytes": self.broadcast,
            "cluster/lost_tasks": lost,
        }
        return losses, report, None if kept else messages, numbers

    def learn(self, learning_rate):
        """Learns from the games that were added last."""
        self._change("learn", learning_rate)

    def average(self):
        """The weights for evaluation and export."""
        return self._ask("average")[0]

    def save(self):
        """The files of a checkpoint, and the state of the trainer as a message."""
        saved, _ = self._ask("save")
        self.asked = []
        return saved

    # The actors.

    def _pump(self):
        """Schedules games and waits for results of any worker."""
        self._schedule()
        learned, evaluated, played = pump(self.learners, self.evaluators, self.pool)
        for task, answered in learned:
            # Calls that a new learner repeats have no task.
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
                self.pool.give(
                    (iteration, place), "play", self.versions[version], at, min(at + size, end)
                )

    def _publish(self, version, weights):
        self.broadcast = weights.nbytes
        self.versions[version] = ray.put(weights)
        for old in [old for old in self.versions if old < version - self.staleness]:
            del self.versions[old]

    # The evaluator.

    def evaluate(self, method, iteration, weights):
        """Starts an evaluation of the weights after an iteration."""
        self.evaluation = iteration, None
        self.evaluators.give(iteration, method, weights)

    def late_evaluation(self, waits):
        """Returns the iteration and the result of the pending evaluation. If the evaluation is not
        finished, waits for it if `waits` is true, otherwise returns `None`."""
        while waits and self.evaluation and self.evaluation[1] is None:
            self._pump()
        if not self.evaluation or self.evaluation[1] is None:
            return None
        found, self.evaluation = self.evaluation, None
        return found

    def conclude(self):
        """Evaluates and exports the bot; returns the table of results and the path of the bot."""
        self.ahead.clear()
        self.pool.drop()
        return self.run.conclude()

    def close(self):
        """Ends all workers and unlocks the run."""
        try:
            for part in (self.pool, self.learners, self.evaluators):
                part.close()
        finally:
            self.run.close()


def fits(needs, node):
    """Whether workers fit on a node together; `needs` has the cores and the GPUs of each worker."""
    return all(
        sum(need[i] for need in needs) <= node.get(kind, 0) for i, kind in enumerate(("CPU", "GPU"))
    )


def train(config=None, set=(), *, address=None, folders=None, stops=None):
    """Trains a bot on a cluster, evaluates it and exports it; returns the path of the bot.

    `config` is a file with settings and `set` a list of `"section.key=value"`, like the options of
    `ashta train`; the settings in `[cluster]` distribute the work. If Ray is not connected yet,
    `address` is the address of the cluster for `ray.init`. `folders` defaults to `ashta.folders()`.
    Raises `ValueError` for wrong settings, `Interrupted` if `stops()` is true before an iteration,
    and `WorkersDied`.
    """
    check_settings(config, list(set), folders)
    connect(address)
    return _train(TrainingRun(config, list(set), folders), stops)


def resume(path, set=(), *, address=None, folders=None, stops=None, fallback=False):
    """Resumes a run from its folder, on any number of machines; see `train`.

    With `fallback`, damaged checkpoints are renamed, and the run resumes from the newest checkpoint
    that is not damaged.
    """
    connect(address)
    return _train(TrainingRun(None, list(set), folders, path, fallback), stops)


def connect(address):
    """Connects to a cluster, unless Ray is already connected."""
    if not ray.is_initialized():
        ray.init(address=address or os.environ.get("RAY_ADDRESS"), log_to_driver=False)


def _train(run, stops):
    print(f"training in {run.path}", file=sys.stderr)
    with closing(run), closing(Driver(run)) as driver:
        with _signals() as stopped:
            if not driver.train(lambda: bool(stopped) or (stops is not None and stops())):
                raise Interrupted(
                    f"interrupted; resume with\n    python -m ashta.ray train --resume {run.path}"
                )
        table, bot = driver.conclude()
    print(table, end="")
    print(f"bot: {bot}")
    return bot


@contextmanager
def _signals():
    """The first Ctrl-C or SIGTERM stops the run after the current iteration; the second signal
    stops the run at once. Yields the list of received signals."""
    received = []

    def stop(number, _):
        if received:
            raise KeyboardInterrupt
        received.append(number)
        print(
            "stopping after this iteration (press Ctrl-C again to stop now and lose the unsaved part)",
            file=sys.stderr,
        )

    is_main = threading.current_thread() is threading.main_thread()
    before = {
        number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM) if is_main
    }
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
