"""The games in OpenSpiel: its own tests and algorithms run on them."""

import pytest

import ashta
import program

# The algorithms import libraries that they do not need here.
BEGIN = """
import sys, threading, types
for name in ["open_spiel.python.games", "open_spiel.python.algorithms.lp_solver"]:
    sys.modules[name] = types.ModuleType(name)
import pyspiel
import ashta.open_spiel
"""
# Solves Ashte Kashte with one piece. The search is recursive, so it needs a large stack.
SOLVE = """
from open_spiel.python.algorithms.value_iteration import value_iteration

found = []

def solve():
    game = pyspiel.load_game("ashta_ashte_kashte(pieces=1,first_player=0)")
    values, state = value_iteration(game, -1, 1e-6, cyclic_game=True), game.new_initial_state()
    value = sum(chance * values[str(state.child(outcome))] for outcome, chance in state.chance_outcomes())
    found.append(value)

sys.setrecursionlimit(100_000)
threading.stack_size(1 << 28)
thread = threading.Thread(target=solve)
thread.start()
thread.join()
assert abs((1 + found[0]) / 2 - 0.5205909) < 2e-6, found
"""
SIMULATE = """
for name in ashta.Game.names():
    game = pyspiel.load_game("ashta_" + name.replace("-", "_"))
    pyspiel.random_sim_test(game, 1, name in ("siga", "ur-blitz"), False)
pyspiel.random_sim_test(pyspiel.load_game("ashta_pagade(players=4,teams=true)"), 1, False, False)
"""
PLAY = """
import numpy
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import mcts, minimax

random = numpy.random.RandomState(1)
game = pyspiel.load_game("ashta_siga")
bot, state = mcts.MCTSBot(game, 2, 5, mcts.RandomRolloutEvaluator(1, random), random_state=random), game.new_initial_state()
moves = 0
while not state.is_terminal() and moves < 60:
    if state.is_chance_node():
        outcomes, chances = zip(*state.chance_outcomes())
        state.apply_action(int(random.choice(outcomes, p=chances)))
    else:
        state.apply_action(bot.step(state))
    moves += 1
assert len(state.history()) == moves and len(state.clone().history()) == moves
value, _ = minimax.expectiminimax(game.new_initial_state(), 2, lambda state: 0.0, 0)
assert value == 0
environment = rl_environment.Environment(pyspiel.load_game("ashta_ur(pieces=1)"), seed=3)
step = environment.reset()
while not step.last():
    player = step.observations["current_player"]
    assert len(step.observations["info_state"][player]) == ashta.Game("ur?pieces=1").observation_tensor_size()
    step = environment.step([step.observations["legal_actions"][player][0]])
assert sorted(step.rewards) == [-1, 1]
game = pyspiel.load_game("ashta_ur", {"dice": "3"})
assert str(game) == "ashta_ur(dice=3)" and game.race == ashta.Game("ur?dice=3")
for wrong in ["ashta_ur(colour=3)", "ashta_ur(players=3)", "ashta_ur(first_player=2)"]:
    try:
        pyspiel.load_game(wrong)
    except (pyspiel.SpielError, ValueError):
        continue
    raise AssertionError(wrong)
"""


@pytest.mark.parametrize("script", [SOLVE, SIMULATE, PLAY])
def test_open_spiel_runs_its_algorithms(script, tmp_path):
    program.python("-c", BEGIN + script, cwd=tmp_path, timeout=240)


def test_games_and_states_have_the_names_of_open_spiel():
    game = ashta.Game("pagade?teams=true", 4)
    assert game.get_parameters() == {"players": 4, "teams": "true"}
    assert (
        game.get_type().dynamics == "sequential"
        and game.get_type().long_name == game.describe()["title"]
    )
    state = game.new_initial_state()
    assert (
        state.rewards() == [0] * 4
        and (state.information_state_tensor() == state.observation_tensor()).all()
    )
