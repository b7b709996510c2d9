"""A training run on a cluster: the same games, metrics, checkpoints and bots as `ashta train`."""

import itertools
import os
import signal
import sys
import threading
import time
import tomllib
from collections import namedtuple
from contextlib import closing, contextmanager
from pathlib import Path

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
    """Plans, gathers, learns, evaluates, saves: the loop of `ashta train` with its parts elsewhere.

    The weights of each iteration are a *version*: version i is what `ashta train` plays the games of iteration i with,
    and is there once the learner has learned in iteration i - 1. Games are planned as soon as their version is there,
    so actors need not wait for the games of the iteration before.
    """

    def __init__(self, run):
        self.run, config = run, run.config
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
        # What the learner was asked since the newest checkpoint.
        self.asked = []
        self.versions = {}
        self.first_version = 1
        self.planned = None
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

    # The learner.

    def _ask(self, method, *arguments):
        """What the learner answers, and the seconds that it took."""
        self.answered = None
        self.learners.give(method, method, *arguments)
        while self.answered is None:
            self._pump()
        return self.answered

    def _learn(self, learning_rate):
        answered = self._ask("learn", learning_rate)
        self.asked.append(("learn", learning_rate))
        return answered

    def _replay(self, numerics):
        """Brings a new learner from the newest checkpoint to where the lost one was."""
        self._compare("learner", numerics)
        self.learners.give_first([self._again(*asked) for asked in self.asked])

    def _again(self, method, what):
        if method == "learn":
            return method, what
        plan, messages, _ = self.run.kept(what)
        return method, messages, plan.lambda_, False

    def _save(self):
        if self.run.saved < self.run.iteration:
            saved, _ = self._ask("save")
            self.run.save(*saved)
            self.asked = []

    # The actors.

    def _pump(self):
        """Plans what can be planned, and waits until something happens."""
        self._schedule()
        learned, evaluated, played = pump(self.learners, self.evaluators, self.pool)
        for task, answered in learned:
            # What is learned again only, has no task.
            self.answered = answered if task else None
        for asked, (found, _) in evaluated:
            self.evaluation = asked, found
        for (iteration, place), (message, _) in played:
            self.gatherings[iteration].messages[place] = message

    def _schedule(self):
        while (plan := self.run.plan(self.planned)) is not None:
            version = max(plan.iteration - self.staleness, self.first_version)
            if version not in self.versions:
                return
            self.planned = plan
            games = plan.end - plan.first
            size = self.settings["games_per_task"] or -(-games // max(1, self.pool.size))
            firsts = range(plan.first, plan.end, size)
            self.gatherings[plan.iteration] = Gathering(plan.iteration - version, [None] * len(firsts))
            for place, first in enumerate(firsts):
                weights, end = self.versions[version], min(first + size, plan.end)
                self.pool.give((plan.iteration, place), "play", weights, first, end)

    def _publish(self, version, weights):
        self.broadcast = weights.nbytes
        self.versions[version] = ray.put(weights)
        for old in [old for old in self.versions if old < version - self.staleness]:
            del self.versions[old]

    # The evaluator.

    def _evaluate(self):
        """Begins a short evaluation of the weights as they are."""
        self._end_evaluation()
        weights, _ = self._ask("average")
        self.run.weights(weights)
        self._ask_evaluator(self.run.iteration, "evaluate", weights)

    def _ask_evaluator(self, asked, *question):
        self.evaluation = asked, None
        self.evaluators.give(asked, *question)

    def _note_evaluation(self):
        """Adds to the metrics what the evaluation found, if it is there."""
        if self.evaluation and self.evaluation[1] is not None:
            self.run.evaluated(*self.evaluation)
            self.evaluation = None

    def _await_evaluation(self):
        while self.evaluation and self.evaluation[1] is None:
            self._pump()

    def _end_evaluation(self):
        self._await_evaluation()
        self._note_evaluation()

    # The loop.

    def train(self, stops):
        """Trains to the end, or until `stops()`; whether it is the end."""
        run = self.run
        self.first_version = run.iteration + 1
        weights, _ = self._ask("weights")
        # The learner has taken what there is: the settings fit.
        run.accept()
        kept = self._kept_plans()
        self._publish(self.first_version, weights)
        if run.iteration and run.evaluates_after(run.iteration) and not run.is_over:
            # Its evaluation may not be in the checkpoint.
            self._evaluate()
        begun = time.monotonic()
        stopped = not run.is_over and stops()
        while not stopped and (plan := kept.pop(0) if kept else run.plan()) is not None:
            (weights, losses), learner_seconds = self._learn(plan.learning_rate)
            self._publish(plan.iteration + 1, weights)
            numbers = {"cluster/learner_seconds": learner_seconds}
            if plan.iteration not in self.gatherings:
                _, messages, seconds = run.kept(plan.iteration)
                begun = time.monotonic()
            else:
                waited = time.monotonic()
                while None in self.gatherings[plan.iteration].messages:
                    self._pump()
                gathering = self.gatherings.pop(plan.iteration)
                now = time.monotonic()
                messages, seconds, begun = gathering.messages, now - begun, now
                numbers["cluster/wait_seconds"] = now - waited
                numbers["cluster/staleness"] = gathering.lag
                run.keep(plan, messages, seconds)
            evaluates = run.evaluates_after(plan.iteration)
            report, _ = self._ask("take_in", messages, plan.lambda_, evaluates)
            self.asked.append(("take_in", plan.iteration))
            lost, self.lost_tasks = self.pool.lost_tasks - self.lost_tasks, self.pool.lost_tasks
            numbers |= {
                "cluster/actors": self.pool.ready,
                "cluster/bytes_per_game": sum(map(len, messages)) / (plan.end - plan.first),
                "cluster/broadcast_bytes": self.broadcast,
                "cluster/lost_tasks": lost,
            }
            run.finish(plan, report, losses, seconds, numbers)
            if run.is_over:
                self._learn(run.last_learning_rate)
            self._note_evaluation()
            if evaluates:
                self._evaluate()
            stopped = not run.is_over and stops()
            # What was found is written before the next evaluation begins: a line has room for one.
            if run.is_over or stopped or run.evaluates_after(plan.iteration + 1):
                self._end_evaluation()
            run.write()
            # The best checkpoint is one of those that were evaluated.
            if evaluates or run.saves_after(plan.iteration) or run.is_over:
                self._save()
        self._end_evaluation()
        self._save()
        self.pool.drop()
        return not stopped

    def _kept_plans(self):
        """The plans whose games were kept since the newest checkpoint."""
        plans, plan = [], self.run.plan()
        while plan is not None and (kept := self.run.kept(plan.iteration)) is not None:
            if (kept[0].first, kept[0].end) != (plan.first, plan.end):
                break
            plans.append(kept[0])
            self.planned = kept[0]
            plan = self.run.plan(kept[0])
        return plans

    def conclude(self):
        """Evaluates and exports the bot; the table of results, and the path of the bot."""
        (weights, _), ((_, state), _) = self._ask("average"), self._ask("save")
        self._ask_evaluator("bot", "conclude", weights, self.run.state(state))
        self._await_evaluation()
        (_, (bot, table)), self.evaluation = self.evaluation, None
        return table, Path(self.run.write_bot(bot))

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
