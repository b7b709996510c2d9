"""Fault-tolerant workers: a pool of equal ones, and one that is started anew when it fails."""

import time
from collections import deque

import ray
from ray.exceptions import RayError, RayTaskError

# How often the size of the cluster is asked for, in seconds.
LOOKS_AROUND = 2.0
# How long one waits for anything before looking around again, in seconds.
PATIENCE = 0.5


class WorkersDied(RuntimeError):
    """Workers died again and again without finishing anything."""


def is_lost(error: RayError) -> bool:
    """Whether a worker is gone, and not an error of what it was asked to do."""
    return not isinstance(error, RayTaskError)


def answer(ref):
    """What a worker answered; its own errors as they were raised there."""
    try:
        return ray.get(ref)
    except RayTaskError as error:
        cause = getattr(error, "cause", None)
        raise (cause if isinstance(cause, Exception) else error) from None


class Deaths:
    """Counts deaths since something was finished, and gives up when there are too many."""

    def __init__(self, what, most):
        self.what, self.most, self.count = what, most, 0

    def add(self, error):
        self.count += 1
        if self.count > self.most:
            raise WorkersDied(f"{self.what} died {self.count} times in a row, last because of: {error}") from error

    def reset(self):
        self.count = 0


class Pool:
    """Actors that do tasks, each one at a time, in the order in which they were given.

    `start()` makes an actor with a method `ready`, whose answer `greet` gets; `wanted()` says how many there should be. A
    task is any object
    with a method `start(actor)` that returns a reference. What an actor was doing when it died goes to another one.
    """

    def __init__(self, start, wanted, greet=lambda answered: None):
        self._start, self._wanted, self._greet = start, wanted, greet
        self._starting = {}
        self._idle = deque()
        self._busy = {}
        self._waiting = deque()
        self._looked = 0.0
        self._deaths = Deaths("actors", 0)
        self.lost_tasks = 0
        self.size = max(1, wanted())

    @property
    def ready(self):
        """Actors that are at work, or could be."""
        return len(self._idle) + len(self._busy)

    def give(self, task):
        """Puts a task behind those that wait."""
        self._waiting.append(task)

    def pump(self, others=()):
        """Keeps actors busy, and waits until something happens.

        Returns the tasks that were finished, as pairs with their answers, and those of the references `others` that
        are there.
        """
        self._look_around()
        while self._waiting and self._idle:
            actor, task = self._idle.popleft(), self._waiting.popleft()
            self._busy[task.start(actor)] = (actor, task)
        refs = [*others, *self._busy, *self._starting]
        found, _ = ray.wait(refs, num_returns=len(refs), timeout=0) if refs else ([], [])
        if not found and refs:
            found, _ = ray.wait(refs, num_returns=1, timeout=PATIENCE)
        finished, there = [], []
        for ref in found:
            if ref in self._busy:
                finished += self._finish(ref)
            elif ref in self._starting:
                self._begin(ref)
            else:
                there.append(ref)
        return finished, there

    def _look_around(self):
        now = time.monotonic()
        if now - self._looked < LOOKS_AROUND and self.size == self._count():
            return
        self._looked = now
        self.size = max(1, self._wanted())
        # A machine that is lost takes all its actors with it.
        self._deaths.most = max(self._deaths.most, 10 + 3 * self.size)
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
        actor, task = self._busy.pop(ref)
        try:
            result = answer(ref)
        except RayError as error:
            self._waiting.appendleft(task)
            self.lost_tasks += 1
            self._bury(actor, error)
            return []
        self._deaths.reset()
        self._idle.append(actor)
        return [(task, result)]

    def _bury(self, actor, error):
        if not is_lost(error):
            raise error
        # It may be out of reach only; the pool does not wait for it.
        ray.kill(actor)
        self._deaths.add(error)

    def drop(self):
        """Forgets the tasks that wait."""
        self._waiting.clear()

    def close(self):
        """Ends all actors."""
        for actor in [*self._idle, *self._starting.values(), *(actor for actor, _ in self._busy.values())]:
            ray.kill(actor)
