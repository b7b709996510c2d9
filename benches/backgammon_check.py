"""Compares agents/examples/backgammon.rs with OpenSpiel (rules) and gnubg (perfect play).

    cargo build --release --examples
    python benches/backgammon_check.py --positions 100000
    apt-get install gnubg && /usr/games/makehyper -c 2 -f hyper2.bd
    python benches/backgammon_check.py --checkers 2 --makehyper hyper2.bd

Positions of the first check are from random games. After each of the 21 throws, both programs list
the positions at the end of the turn. Needs the package open_spiel. A position takes about 20 ms. The
second check compares the equities of all positions with one or two checkers.
"""

import argparse
import random
import subprocess
from math import comb

PROGRAM = "target/release/examples/backgammon_gnubg"
BAR = 100
# The share of the compared throws that `--write` writes as cases for the tests.
SHARE = 0.1


def places(state, player, count):
    """The checkers of a player on the places 0 (off) to 25 (bar), as the player counts them."""
    points = [state.board(player, at) for at in range(24)]
    points = points[::-1] if player == 0 else points
    bar = state.board(player, BAR)
    return (count - sum(points) - bar, *points, bar)


def position(state, mover, count):
    return places(state, mover, count) + places(state, 1 - mover, count)


def ends(state, mover, count):
    """The positions in which `mover` can end the turn."""
    found, seen, open_states = set(), set(), [state]
    while open_states:
        state = open_states.pop()
        if state.is_chance_node() or state.is_terminal() or state.current_player() != mover:
            found.add(position(state, mover, count))
            continue
        key = str(state)
        if key not in seen:
            seen.add(key)
            open_states += [state.child(action) for action in state.legal_actions()]
    return found


def random_positions(game, number, rng):
    """Chance nodes of random games, each with the player who throws."""
    while number > 0:
        state, mover = game.new_initial_state(), None
        while not state.is_terminal() and number > 0:
            if state.is_chance_node():
                if mover is not None:
                    number -= 1
                    yield state
                outcomes, chances = zip(*state.chance_outcomes())
                state = state.child(rng.choices(outcomes, chances)[0])
                mover = state.current_player()
            else:
                state = state.child(rng.choice(state.legal_actions()))


def throws(state):
    """The decisions after each throw, with the mover and the dice, the larger die first."""
    for outcome, _ in state.chance_outcomes():
        thrown = state.child(outcome)
        dice = sorted((int(die) for die in thrown.observation_tensor()[-2:]), reverse=True)
        yield thrown, thrown.current_player(), tuple(dice)


def checksum(found):
    """Combines the numbers of positions; the tests of the example compute the same number."""
    total = 0
    for number in (number for end in sorted(found) for number in end):
        total = (31 * total + number) % 2**32
    return total


def check(name, count, number, seed, cases):
    import pyspiel

    rng, compared = random.Random(seed), 0
    game = pyspiel.load_game(name)
    start = "hyper" if "hyper" in name else "usual"
    command = [PROGRAM, "turns", start, str(count)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    for state in random_positions(game, number, rng):
        seen = set()
        for thrown, mover, dice in throws(state):
            if (mover, dice) in seen:
                continue
            seen.add((mover, dice))
            before = position(state, mover, count)
            process.stdin.write(" ".join(map(str, before + dice)) + "\n")
            process.stdin.flush()
            answer = process.stdout.readline().strip().split(";")
            own = {tuple(map(int, text.split())) for text in answer}
            theirs = ends(thrown, mover, count)
            if own != theirs:
                raise SystemExit(
                    f"{before} {dice}:\nonly ashta {own - theirs}\nonly OpenSpiel {theirs - own}"
                )
            compared += 1
            if rng.random() < SHARE:
                line = " ".join(map(str, before + dice))
                cases.append(f"{line} {len(theirs)} {checksum(theirs)}")
    process.stdin.close()
    print(f"{name}: {number} positions, {compared} throws, no difference")


def rank(places):
    """The number of a side in a file of makehyper: the combinatorial rank of bars between checkers.

    `places` has the checkers on the points 1 to 24 and on the bar.
    """
    bit = len(places) - 1 + sum(places)
    bars = [bit]
    for number in places[:-1]:
        bit -= number + 1
        bars.append(bit)
    return sum(comb(bar, len(places) - at) for at, bar in enumerate(bars))


def compare_equities(count, file):
    """Compares equities without a cube with a file of makehyper.

    After 40 bytes, the file has 28 bytes for each pair of sides. The first 15 bytes are the chances
    of a win, a gammon, a backgammon, and of a lost gammon and backgammon, with 24 bits each.
    """
    data = open(file, "rb").read()
    sides = comb(25 + count, count)
    command = [PROGRAM, "values", "hyper", str(count)]
    worst, lines = 0, subprocess.run(command, check=True, capture_output=True).stdout.splitlines()
    for line in lines:
        *places, equity = line.split()
        places = [int(number) for number in places]
        at = 40 + 28 * (rank(places[1:26]) * sides + rank(places[27:]))
        chances = [int.from_bytes(data[at + 3 * k : at + 3 * k + 3], "little") for k in range(5)]
        win, gammon, backgammon, lost, far = (chance / (2**24 - 1) for chance in chances)
        theirs = 2 * win - 1 + gammon + backgammon - lost - far
        worst = max(worst, abs(float(equity) - theirs))
    print(f"{count} checkers: {len(lines)} positions, largest difference {worst:.1e}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", metavar="FILE", help="write a tenth of the throws as cases")
    parser.add_argument("--makehyper", metavar="FILE", help="compare equities with this file")
    parser.add_argument("--checkers", type=int, default=2)
    options = parser.parse_args()
    if options.makehyper:
        compare_equities(options.checkers, options.makehyper)
        raise SystemExit
    CASES = []
    for NAME, COUNT in [("backgammon", 15), ("backgammon(hyper_backgammon=true)", 3)]:
        check(NAME, COUNT, options.positions, options.seed, CASES)
    if options.write:
        with open(options.write, "w") as file:
            file.write("\n".join(CASES) + "\n")
