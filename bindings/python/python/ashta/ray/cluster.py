"""Tasks on a cluster. Ray runs each task of a lost machine or process again."""

import ray
from ray.exceptions import RayTaskError

# A remote function that uses one core. If processes that run a task fail more often than this, the
# error is raised.
remote = ray.remote(num_cpus=1, max_retries=20)

# The result of `newest`.
NEWEST: dict[object, object] = {}


def connect():
    """Connects to a cluster, unless Ray is already connected."""
    if not ray.is_initialized():
        ray.init(log_to_driver=False)


def cores():
    """Returns the number of cores of the cluster, at least 1."""
    return max(1, int(ray.cluster_resources().get("CPU", 1)))


def run(task, count, ranges, *arguments):
    """Runs `task(*arguments, first, end)` for all ranges, at most `count` at the same time; returns
    the results in the order of the ranges. After an error, cancels the other tasks."""
    tasks, running, results = [], [], {}
    try:
        while len(results) < len(ranges):
            if len(tasks) < len(ranges) and len(running) < count:
                tasks.append(task.remote(*arguments, *ranges[len(tasks)]))
                running.append(tasks[-1])
            else:
                done, running = ray.wait(running)
                results.update(zip(done, ray.get(done), strict=True))
        return [results[one] for one in tasks]
    except BaseException as error:
        for one in running:
            ray.cancel(one)
        if isinstance(error, RayTaskError):
            raise (error.cause or error) from None
        raise


def newest(make, key):
    """Returns `make(key)`, and keeps only the newest result for later calls."""
    if (make, key) not in NEWEST:
        NEWEST.clear()
        NEWEST[make, key] = make(key)
    return NEWEST[make, key]


def split(first, end, size):
    """Splits a range into ranges of this size; the last one can be smaller."""
    return [(start, min(start + size, end)) for start in range(first, end, size)]
