"""An arena whose games are played on a cluster: the same games and the same result as on one machine."""

import time

import ray

from .._ashta import ArenaShare, SpreadArena
from .pool import Pool
from .training import connect

# Seconds that a task should take: long beside a call, short beside the arena.
TASK_SECONDS = 5.0
# Blocks of the first tasks, which tell how long one takes.
FIRST_BLOCKS = 4


class PlayerProcess:
    """Plays blocks of games."""

    def __init__(self, share):
        self.share = ArenaShare(share)

    def ready(self):
        return True

    def play(self, first, end, seed):
        begun = time.perf_counter()
        return self.share.play(first, end, seed, 1), time.perf_counter() - begun


Player = ray.remote(max_restarts=0, max_task_retries=0)(PlayerProcess)


class Blocks:
    """Blocks of an arena for one player."""

    def __init__(self, first, end, seed):
        self.first, self.end, self.seed = first, end, seed

    def start(self, player):
        return player.play.remote(self.first, self.end, self.seed)


def arena(
    agents,
    game=None,
    *,
    pairs=1000,
    seed=7919,
    luck="auto",
    anchor=None,
    sprt=None,
    alpha=0.05,
    beta=0.05,
    players=None,
    folders=None,
    address=None,
):
    """Lets agents meet as `ashta.arena` does, by `players` on a cluster, by default one for each core.

    Agents are texts; bots and tables go along to the other machines. Games and results are those of one machine but for
    the times, which are not taken. Blocks that were being played on a machine that is lost are played again.
    """
    # Errors of the agents come before the connection to a cluster.
    spread = SpreadArena(list(agents), game, pairs, luck, anchor, sprt, alpha, beta, folders)
    connect(address)
    share = ray.put(spread.share)
    cores = lambda: int(ray.cluster_resources().get("CPU", 1))  # noqa: E731
    pool = Pool(lambda: Player.options(num_cpus=1).remote(share), lambda: players or cores())
    blocks, given, added, is_over = spread.blocks, 0, 0, False
    found, under_way, size = {}, 0, FIRST_BLOCKS
    try:
        while not is_over and added < blocks:
            # A task for everybody and one that waits, so that no actor idles and little is played in vain.
            while given < blocks and under_way < 2 * pool.size:
                end = min(given + size, blocks)
                pool.give(Blocks(given, end, seed))
                given, under_way = end, under_way + 1
            finished, _ = pool.pump()
            for task, (lines, seconds) in finished:
                found[task.first] = task, lines
                under_way -= 1
                fitting = (task.end - task.first) * TASK_SECONDS / max(seconds, 1e-6)
                size = max(1, min(4 * size, int(fitting), -(-blocks // pool.size)))
            while not is_over and added in found:
                task, lines = found.pop(added)
                is_over, added = spread.add(lines), task.end
    finally:
        pool.close()
    return spread.result()
