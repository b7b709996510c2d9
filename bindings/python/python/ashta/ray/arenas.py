"""An arena on a cluster, with the same games and the same result as on one machine."""

import pickle

import ray

from .._ashta import Arena
from .pool import Pool, pump, worker
from .training import connect

# Seconds that a task should take: much longer than a call, much shorter than the arena.
TASK_SECONDS = 5.0
# Number of blocks in each of the first tasks. These tasks measure the time of a block.
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
):
    """Ranks agents like `ashta.arena`; `players` workers on a cluster play, by default one for each
    core.

    `agents` is a list of strings or `ashta.Agent`s, or a dict with their names. Their bots and
    tables are sent to the other machines. The games and the result are the same as on one machine,
    but contain no times. If a machine fails, other machines play its blocks again.
    """
    # Report errors in the agents before connecting to a cluster.
    spread = Arena(agents, game, pairs, luck, anchor, sprt, alpha, beta, folders)
    packed = pickle.dumps(spread)
    connect()
    share = ray.put(packed)
    cores = lambda: int(ray.cluster_resources().get("CPU", 1))  # noqa: E731
    pool = Pool(
        "players",
        lambda: Player.options(num_cpus=1).remote(pickle.loads, share),
        lambda: players or cores(),
    )
    blocks, given, added, is_over = spread.blocks, 0, 0, False
    found, under_way, size = {}, 0, FIRST_BLOCKS
    try:
        while not is_over and added < blocks:
            # Two tasks for each player: players need not wait for work, and little work is wasted
            # at the end.
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
