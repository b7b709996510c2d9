"""Random play and simple policies that tests of the package share."""

import random

import numpy as np


def first_legal(states):
    """A policy: the legal action with the lowest number."""
    return states.masks().argmax(axis=1)


def legal(mask, generator):
    """A random legal action for each row; 0 for a row without one."""
    return np.argmax(mask * (generator.random(mask.shape) + 1), axis=-1)


def played(game, count=60, steps=40, seed=1):
    """States at all kinds of nodes, from random play."""
    rng = np.random.default_rng(seed)
    states = [game.new_initial_state(seed=row) for row in range(count)]
    for row, state in enumerate(states):
        for _ in range(rng.integers(steps) if row % 5 else 1 << 20):
            if state.is_terminal():
                break
            state.apply_action(int(rng.choice(state.legal_actions())))
    return states


def walked(game, seed, count):
    """So many positions of random games, before throws and at decisions."""
    generator, found = random.Random(seed), {}
    while len(found) < count:
        state = game.new_initial_state(generator.randrange(game.num_players()))
        while not state.is_terminal() and len(found) < count:
            if generator.random() < 0.2:
                found[state.serialize()] = state.clone()
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes())
                state.apply_action(generator.choices(outcomes, chances)[0])
            else:
                state.apply_action(generator.choice(state.legal_actions()))
    return found
