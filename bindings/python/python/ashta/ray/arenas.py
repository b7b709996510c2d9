"""An arena on a cluster, with the same games and the same result as on one machine."""

from pathlib import Path
from tempfile import TemporaryDirectory

import ray

from .. import _ashta
from . import cluster


def unpacked(share):
    """Writes the files of an arena to a temporary folder; returns the folder and the arguments of
    `ashta.arena`."""
    agents, luck, tables, game = ray.get(share)
    folder = TemporaryDirectory(prefix="ashta-")

    def written(file, name, lookahead, content):
        if not content:
            return name
        path = Path(folder.name, file + (".bot" if lookahead else ".table"))
        path.write_bytes(content)
        return f"{path}+{lookahead}" if lookahead else str(path)

    for name, content in tables.items():
        Path(folder.name, name).write_bytes(content)
    luck = "none" if luck is None else written("luck", *luck)
    agents = {name: written(str(i), *agent) for i, (name, agent) in enumerate(agents)}
    return folder, {"agents": agents, "game": game, "luck": luck, "folders": [folder.name]}


@cluster.remote
def play(share, options, first, end):
    """Plays the blocks `first` to `end - 1`; returns their games."""
    _, arguments = cluster.newest(unpacked, share[0])
    return _ashta.arena(**arguments, **options, threads=1, blocks=(first, end)).games


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
    keep_games=True,
    players=None,
    folders=None,
):
    """Ranks agents like `ashta.arena`, with the same arguments except `threads`, `blocks` and
    `games`; `players` actors on a cluster play, by default one on each core.

    The files of bots and tables are sent to the other machines. The games and the result are the
    same as on one machine, but contain no times. If an actor is lost, another actor plays its
    blocks again.
    """
    if players is not None and players < 1:
        raise ValueError(f"`players` is {players}, but must be at least 1")
    *data, blocks = _ashta.arena_data(agents, game, pairs, luck, anchor, sprt, alpha, beta, folders)
    cluster.connect()
    count = players or cluster.cores()
    # A list: Ray would replace the reference itself by the data.
    share, games, end = [ray.put(data)], [], 0
    while True:
        # A sequential test stops early, so it looks at the games after each round.
        first, end = end, blocks if sprt is None else min(blocks, max(8 * count, end + end // 4))
        size = -(-(end - first) // (4 * count))
        ranges = cluster.split(first, end, size)
        for found in cluster.run(play, count, ranges, share, {"pairs": pairs, "seed": seed}):
            games += found
        result = _ashta.arena(
            agents,
            game,
            pairs=pairs,
            seed=seed,
            luck=luck,
            anchor=anchor,
            sprt=sprt,
            alpha=alpha,
            beta=beta,
            blocks=(0, end),
            games=games,
            keep_games=keep_games,
            folders=folders,
        )
        is_decided = sprt and all(test["verdict"] != "open" for test in result.report["sprt"])
        if end == blocks or is_decided:
            return result
