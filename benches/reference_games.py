"""Compares the speed of ashta and of other programs in the same games: throws per second of random
play on one thread.

    PYTHONPATH=tests/python python benches/reference_games.py

Needs the packages of tests/python/requirements.txt, the Python package, and cargo.
"""

import json
import random
import statistics
import subprocess
import time

import ashta
import pyspiel
from royalur import Game
from test_reference_games import FINKEL, MASTERS, Maedn

# Number of games that OpenSpiel plays in one call; only the throws of the first game are counted.
MANY = 50


def ashta_throws(game, rng):
    """Plays a random game with `ashta.State`; returns the number of throws."""
    state, throws = game.new_initial_state(seed=rng.getrandbits(32)), 0
    while not state.is_terminal():
        if state.is_chance_node():
            state.throw(rng.getrandbits(64))
            throws += 1
        else:
            state.apply_action(rng.choice(state.legal_actions()))
    return throws


def maedn_throws(game, rng):
    """Plays a random game with `pyspiel.State`; returns the number of throws."""
    state, throws = game.new_initial_state(), 0
    while not state.is_terminal():
        if state.is_chance_node():
            throws += 1
        state.apply_action(rng.choice(state.legal_actions()))
    return throws


def maedn_throws_by_bots(game, rng):
    """Lets random bots of OpenSpiel play many games; estimates the throws from one game, because
    counting is slow."""
    players = range(game.num_players())
    bots = [pyspiel.make_uniform_random_bot(player, rng.getrandbits(30)) for player in players]
    states = [game.new_initial_state() for _ in range(MANY)]
    for state in states:
        pyspiel.evaluate_bots(state, bots, rng.getrandbits(30))
    return MANY * sum(entry.player == pyspiel.PlayerId.CHANCE for entry in states[0].full_history())


def royalur_throws(settings, rng):
    """Plays a random game with `royalur.Game`; returns the number of throws."""
    game, throws = Game.create(settings), 0
    while not game.is_finished():
        if game.is_waiting_for_roll():
            game.roll_dice()
            throws += 1
        else:
            game.make_move(rng.choice(game.find_available_moves()))
    return throws


def throws_a_second(play, game, seconds=2.0, times=5):
    """The median of several measurements, by CPU time."""
    rates = []
    for seed in range(times):
        rng, begun, throws = random.Random(seed), time.process_time(), 0
        while time.process_time() < begun + seconds:
            throws += play(game, rng)
        rates.append(throws / (time.process_time() - begun))
    return statistics.median(rates)


def measure():
    """Measures the same games in both programs and prints a table."""
    rows = [
        ("mensch", 2, maedn_throws_by_bots, Maedn(2).other, "OpenSpiel, C++"),
        ("mensch", 2, maedn_throws, Maedn(2).other, "OpenSpiel, Python"),
        ("mensch", 4, maedn_throws_by_bots, Maedn(4).other, "OpenSpiel, C++"),
        ("mensch", 4, maedn_throws, Maedn(4).other, "OpenSpiel, Python"),
        ("ur", 2, royalur_throws, FINKEL, "RoyalUr, Python"),
        ("ur-masters", 2, royalur_throws, MASTERS, "RoyalUr, Python"),
    ]
    print(
        "| game | seats | other program | throws/s | ashta, Rust | ashta, Python |\n|---|---|---|---|---|---|"
    )
    for name, seats, play, game, other in rows:
        theirs = throws_a_second(play, game)
        command = "cargo run --release -p ashta-benches -- env --json".split()
        command += ["--game", name, "--seats", str(seats)]
        (row,) = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)[
            "results"
        ][:1]
        rust = row["chance_nodes_per_second"]
        python = throws_a_second(ashta_throws, ashta.Game(name, seats))
        compared = " | ".join(f"{own / 1e6:.2f} M, {own / theirs:,.1f} ×" for own in (rust, python))
        print(f"| {name} | {seats} | {other} | {theirs / 1e6:.3f} M | {compared} |", flush=True)


if __name__ == "__main__":
    measure()
