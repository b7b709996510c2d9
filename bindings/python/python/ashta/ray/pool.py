"""Fault-tolerant workers: pools of equal ones, of which each does one thing at a time."""

import time
from collections import deque

import ray
from ray.exceptions import RayError, RayTaskError

from .._ashta import numerics

# How often the size of the cluster is asked for, in seconds.
LOOKS_AROUND = 2.0
# How long one waits for anything before looking around again, in seconds.
PATIENCE = 0.5


class WorkersDied(RuntimeError):
    """Workers died again and again without finishing anything."""


class WorkerProcess:
    """Has one object, and calls its methods."""

    def __init__(self, made, *arguments):
        """The object is `made`, or what `made` makes of the arguments."""
        self.inner = made(*arguments) if arguments else made

    def ready(self):
        """How the machine rounds."""
        return numerics()

    def ask(self, method, *arguments):
        """What the object answers, and the seconds that it took."""
        begun = time.perf_counter()
        return getattr(self.inner, method)(*arguments), time.perf_counter() - begun


def worker(name):
    """A kind of worker, by this name in what Ray shows."""
    return ray.remote(max_restarts=0, max_task_retries=0)(type(name, (WorkerProcess,), {}))


def answer(ref):
    """What a worker answered; its own errors as they were raised there."""
    try:
        return ray.get(ref)
    except RayTaskError as error:
        cause = getattr(error, "cause", None)
        raise (cause if isinstance(cause, Exception) else error) from None


class Pool:
    """Workers that are asked one thing at a time, in the order in which it was given.

    `start()` makes a worker; `greet` gets how its machine rounds. `wanted()` says how many there should be, and `what` they
    are called. What a worker was doing when it died goes to another one. After more than `most_deaths` deaths in a row,
    and three more for each worker, the pool gives up.
    """

    def __init__(self, what, start, wanted, greet=lambda answered: None, most_deaths=10):
        self._what, self._start, self._wanted, self._greet = what, start, wanted, greet
        self._starting = {}
        self._idle = deque()
        self._busy = {}
        self._waiting = deque()
        self._looked = 0.0
        # Workers that died since something was finished, and how many are tolerated.
        self._deaths, self._most_deaths, self._tolerated = 0, 0, most_deaths
        self.lost_tasks = 0
        self.size = max(1, wanted())

    @property
    def ready(self):
        """Workers that are busy, or could be."""
        return len(self._idle) + len(self._busy)

    def give(self, task, *question):
        """Puts a question, a method with arguments, behind those that wait; `task` is what it is known by."""
        self._waiting.append((task, question))

    def give_first(self, questions):
        """Puts questions, known by `None`, before all that wait, in place of those that were put there before."""
        given = [(task, question) for task, question in self._waiting if task is not None]
        self._waiting = deque([*((None, question) for question in questions), *given])

    def refs(self):
        """Keeps the workers busy; the references to what they do."""
        self._look_around()
        while self._waiting and self._idle:
            actor, (task, question) = self._idle.popleft(), self._waiting.popleft()
            self._busy[actor.ask.remote(*question)] = actor, task, question
        return [*self._busy, *self._starting]

    def take(self, ref):
        """Takes what is there of one of the references: of a task that was finished, the task and its answer."""
        if ref in self._starting:
            self._begin(ref)
        return self._finish(ref) if ref in self._busy else []

    def _look_around(self):
        now = time.monotonic()
        if now - self._looked < LOOKS_AROUND and self.size == self._count():
            return
        self._looked = now
        self.size = max(1, self._wanted())
        # A machine that is lost takes all its workers with it.
        self._most_deaths = max(self._most_deaths, self._tolerated + 3 * self.size)
        while self._count() < self.size:
            actor = self._start()
            self._starting[actor.ready.remote()] = actor
        while self._count() > self.size and (self._starting or self._idle):
            ref = next(iter(self._starting), None)
            ray.kill(self._idle.pop() if ref is None else self._starting.pop(ref))

    def _count(self):
        return len(self._starting) + self.ready

    def _begin(self, ref):
        actor = self._starting.pop(ref)
        try:
            self._greet(answer(ref))
            self._idle.append(actor)
        except RayError as error:
            self._bury(actor, error)

    def _finish(self, ref):
        actor, task, question = self._busy.pop(ref)
        try:
            result = answer(ref)
        except RayError as error:
            self._waiting.appendleft((task, question))
            self.lost_tasks += 1
            self._bury(actor, error)
            return []
        if task is not None:
            # What is only done again does not show that a worker can finish what is asked now.
            self._deaths = 0
        self._idle.append(actor)
        return [(task, result)]

    def _bury(self, actor, error):
        if isinstance(error, RayTaskError):
            # The worker is there, and could not do what it was asked.
            raise error
        # It may be out of reach only; the pool does not wait for it.
        ray.kill(actor)
        self._deaths += 1
        if self._deaths > self._most_deaths:
            died = f"{self._what} died {self._deaths} times in a row, last because of: {error}"
            raise WorkersDied(died) from error

    def drop(self):
        """Forgets the tasks that wait."""
        self._waiting.clear()

    def close(self):
        """Ends all workers."""
        for actor in [*self._idle, *self._starting.values(), *(actor for actor, *_ in self._busy.values())]:
            ray.kill(actor)


def pump(*pools):
    """Keeps the workers of pools busy, and waits until something happens.

    Returns, for each pool, the tasks that were finished, as pairs with their answers.
    """
    refs = [ref for pool in pools for ref in pool.refs()]
    found, _ = ray.wait(refs, num_returns=len(refs), timeout=0) if refs else ([], [])
    if not found and refs:
        found, _ = ray.wait(refs, num_returns=1, timeout=PATIENCE)
    return [[done for ref in found for done in pool.take(ref)] for pool in pools]
