"""An arena whose games are played on a cluster: the same games and the same result as on one machine."""

import pickle

import ray

from .._ashta import Arena
from .pool import Pool, pump, worker
from .training import connect

# Seconds that a task should take: long beside a call, short beside the arena.
TASK_SECONDS = 5.0
# Blocks of the first tasks, which tell how long one takes.
FIRST_BLOCKS = 4

Player = worker("PlayerProcess")


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

    Agents are texts, or agents of this package, also with names as keys of a dict; bots and tables go along to the other machines. Games and results are those of one machine but for
    the times, which are not taken. Blocks that were being played on a machine that is lost are played again.
    """
    # Errors of the agents come before the connection to a cluster.
    spread = Arena(agents, game, pairs, luck, anchor, sprt, alpha, beta, folders)
    packed = pickle.dumps(spread)
    connect(address)
    share = ray.put(packed)
    cores = lambda: int(ray.cluster_resources().get("CPU", 1))  # noqa: E731
    pool = Pool("players", lambda: Player.options(num_cpus=1).remote(pickle.loads, share), lambda: players or cores())
    blocks, given, added, is_over = spread.blocks, 0, 0, False
    found, under_way, size = {}, 0, FIRST_BLOCKS
    try:
        while not is_over and added < blocks:
            # A task for everybody and one that waits, so that no actor idles and little is played in vain.
            while given < blocks and under_way < 2 * pool.size:
                end = min(given + size, blocks)
                pool.give((given, end), "play", given, end, seed)
                given, under_way = end, under_way + 1
            [finished] = pump(pool)
            for (first, end), (lines, seconds) in finished:
                found[first] = end, lines
                under_way -= 1
                fitting = (end - first) * TASK_SECONDS / max(seconds, 1e-6)
                size = max(1, min(4 * size, int(fitting), -(-blocks // pool.size)))
            while not is_over and added in found:
                end, lines = found.pop(added)
                is_over, added = spread.add(lines), end
    finally:
        pool.close()
    return spread.result()
