"""Fault-tolerant pools of workers that all do the same work."""

import time
from collections import deque

import ray
from ray.exceptions import RayError, RayTaskError

# Seconds between two checks of the size of the cluster.
RESIZE_INTERVAL = 2.0
# Seconds to wait for a result before checking the cluster again.
WAIT = 0.5


class WorkersDied(RuntimeError):
    """Too many workers died in a row without finishing a task."""


class WorkerProcess:
    """Owns one object and calls its methods."""

    def __init__(self, made, *arguments):
        """Without arguments, `made` is the object. With arguments, the object is
        `made(*arguments)`."""
        self.inner = made(*arguments) if arguments else made

    def ready(self):
        return True

    def ask(self, method, *arguments):
        """Calls a method; returns its result and the seconds that it took."""
        begun = time.perf_counter()
        return getattr(self.inner, method)(*arguments), time.perf_counter() - begun


def worker(name):
    """Makes a class of workers; Ray displays the class with this name."""
    return ray.remote(max_restarts=0, max_task_retries=0)(type(name, (WorkerProcess,), {}))


def answer(ref):
    """Returns the result of a worker, or raises its original error."""
    try:
        return ray.get(ref)
    except RayTaskError as error:
        cause = getattr(error, "cause", None)
        raise (cause if isinstance(cause, Exception) else error) from None


class Pool:
    """Workers that take tasks from a queue; each worker does one task at a time.

    `start()` makes a worker and `wanted()` returns the wanted number of workers. `what` names the
    workers in messages. If a worker dies, another worker repeats its task. The pool gives up after more than
    `most_deaths` deaths in a row, plus three for each worker.
    """

    def __init__(self, what, start, wanted, most_deaths=10):
        self._what, self._start, self._wanted = what, start, wanted
        self._starting = {}
        self._idle = deque()
        self._busy = {}
        self._waiting = deque()
        self._resized = 0.0
        # The deaths since the last finished task, the limit for them, and `most_deaths`.
        self._deaths, self._most_deaths, self._tolerated = 0, 0, most_deaths
        self.lost_tasks = 0
        self.size = max(1, wanted())

    @property
    def ready(self):
        """The number of started workers."""
        return len(self._idle) + len(self._busy)

    def give(self, task, *question):
        """Queues a question (a method and its arguments); `task` identifies the question."""
        self._waiting.append((task, question))

    def give_first(self, questions):
        """Queues these questions before all others, with the task `None`. They replace queued
        questions with the task `None`."""
        given = [(task, question) for task, question in self._waiting if task is not None]
        self._waiting = deque([*((None, question) for question in questions), *given])

    def refs(self):
        """Gives queued questions to idle workers; returns the references to all pending results."""
        self._resize()
        while self._waiting and self._idle:
            actor, (task, question) = self._idle.popleft(), self._waiting.popleft()
            self._busy[actor.ask.remote(*question)] = actor, task, question
        return [*self._busy, *self._starting]

    def take(self, ref):
        """Handles a reference that is ready; returns the finished task with its result, if there is
        one."""
        if ref in self._starting:
            self._begin(ref)
        return self._finish(ref) if ref in self._busy else []

    def _resize(self):
        now = time.monotonic()
        if now - self._resized < RESIZE_INTERVAL and self.size == self._count():
            return
        self._resized = now
        self.size = max(1, self._wanted())
        # If a machine is lost, all its workers die at once, so the limit depends on the number of
        # workers.
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
            answer(ref)
            self._idle.append(actor)
        except RayError as error:
            self._remove(actor, error)

    def _finish(self, ref):
        actor, task, question = self._busy.pop(ref)
        try:
            result = answer(ref)
        except RayError as error:
            self._waiting.appendleft((task, question))
            self.lost_tasks += 1
            self._remove(actor, error)
            return []
        if task is not None:
            # A repeated question (task `None`) does not show that a worker can finish a new
            # question.
            self._deaths = 0
        self._idle.append(actor)
        return [(task, result)]

    def _remove(self, actor, error):
        if isinstance(error, RayTaskError):
            # The worker still runs, but its task has raised an error.
            raise error
        # The worker may only be unreachable; the pool does not wait for it.
        ray.kill(actor)
        self._deaths += 1
        if self._deaths > self._most_deaths:
            raise WorkersDied(
                f"{self._what} died {self._deaths} times in a row, last with: {error}"
            ) from error

    def drop(self):
        """Removes all queued tasks."""
        self._waiting.clear()

    def close(self):
        """Ends all workers."""
        for actor in [
            *self._idle,
            *self._starting.values(),
            *(actor for actor, *_ in self._busy.values()),
        ]:
            ray.kill(actor)


def pump(*pools):
    """Keeps the workers of pools busy and waits for results.

    For each pool, returns a list of the finished tasks with their results.
    """
    refs = [ref for pool in pools for ref in pool.refs()]
    found, _ = ray.wait(refs, num_returns=len(refs), timeout=0) if refs else ([], [])
    if not found and refs:
        found, _ = ray.wait(refs, num_returns=1, timeout=WAIT)
    return [[done for ref in found for done in pool.take(ref)] for pool in pools]
