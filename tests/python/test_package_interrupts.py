"""Calls that take long end with Ctrl-C, leave nothing half done, and do not get into each other's
way."""

import signal
import threading
import time
from functools import partial

import numpy as np
import pytest

import ashta
import ashta.gymnasium

POSITION = "ashtapada S:5,30/N:off,23 S 4,2"


pytestmark = pytest.mark.usefixtures("checkpoints")


@pytest.fixture
def pressed():
    """Presses Ctrl-C soon: whether the call under way then ends at once."""
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)

    def press(call, after=0.3):
        begun = time.perf_counter()
        signal.setitimer(signal.ITIMER_REAL, after)
        with pytest.raises(KeyboardInterrupt):
            call()
        took = time.perf_counter() - begun - after
        # It takes at most 0.1 s on an idle processor; a call that ignores Ctrl-C takes ten seconds
        # and more.
        assert -0.01 < took < 2, took
        return took

    yield press
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def decision(name):
    game = ashta.Game(name)
    state = game.new_initial_state(0)
    while len(state.legal_actions()) < 2 or state.is_chance_node():
        state.throw(1 << 63) if state.is_chance_node() else state.apply_action(
            state.legal_actions()[0]
        )
    return game, state


@pytest.mark.parametrize("call", ["act", "step", "values", "policy"])
@pytest.mark.parametrize("name", ["mcts:1000000", "4ply"])
def test_ctrl_c_ends_a_search(pressed, name, call):
    game, state = decision("pagade")
    agent = ashta.Agent(f"pagade+{name}", game)
    calls = {
        "act": lambda: agent.act([state] * 5),
        "step": lambda: agent.step(state),
        "values": lambda: agent.values([state] * 5),
        "policy": lambda: agent.policy(state),
    }
    pressed(calls[call])


def test_an_interrupted_agent_thinks_on(pressed):
    game, state = decision("pagade")
    agent = ashta.Agent("greedy+2ply", game)
    expected = agent.values([state]).tolist()
    pressed(lambda: agent.values([state] * 100_000))
    assert agent.values([state]).tolist() == expected and agent.step(state) in state.legal_actions()


def test_ctrl_c_ends_what_is_asked_of_many_states(pressed):
    game = ashta.Game("ashtapada")
    state = game.deserialize_state(POSITION)
    greedy, table, networks = (
        ashta.Agent("greedy+2ply", game),
        ashta.Table.load(game),
        ashta.Bot.load("ashtapada"),
    )
    many = [state] * 3_000_000
    observations = np.broadcast_to(
        state.observation_tensor(), (3_000_000, game.observation_tensor_size())
    )
    for call in [
        lambda: greedy.act(many),
        lambda: greedy.values(many),
        lambda: table.values(many),
        lambda: networks.forward(observations),
    ]:
        # After the call has taken over the states, which takes less time.
        pressed(call, after=0.8)


def test_ctrl_c_ends_the_enumeration_of_a_long_turn(pressed):
    state = ashta.Game("ashtapada?pieces=4").new_initial_state(0)
    outcomes = {state.action_to_string(outcome): outcome for outcome, _ in state.chance_outcomes()}
    for value in ["1", "4", "8"] * 16 + ["2"]:
        state.apply_action(outcomes[value])
    pressed(lambda: state.turn_results(limit=1 << 40))


def test_ctrl_c_leaves_games_as_they_were(pressed):
    game = ashta.Game("pagade")
    slow = ashta.Agent("pagade+mcts:1000000", game)
    games = ashta.VectorGame(game, 8, slow, player=0)
    pressed(lambda: games.reset(1))
    with pytest.raises(ValueError, match="call `reset` first"):
        games.step(np.zeros(8, np.int64))
    single, stands = ashta.VectorGame(game, 1, slow, player=0), []
    single.reset([next(seed for seed in range(100) if begins(game, seed))])

    def play():
        while True:
            stands[:] = single.states[0], single.observations.copy(), single.legal_actions.copy()
            single.step(single.legal_actions.argmax(axis=1))

    for _ in range(2):
        pressed(play)
        assert single.states[0] == stands[0]
        np.testing.assert_array_equal(single.observations, stands[1])
        np.testing.assert_array_equal(single.legal_actions, stands[2])


def begins(game, seed):
    """Whether the first player chooses before all others in the game of a seed."""
    asked = []

    def opponent(states):
        asked.append(len(states))
        return states.masks().argmax(axis=1)

    ashta.VectorGame(game, 1, opponent, player=0).reset([seed])
    return not asked


def test_ctrl_c_ends_an_arena_of_slow_agents(pressed):
    game = ashta.Game("pagade")
    for agents, options in [
        (["pagade+mcts:1000000", "greedy"], {"luck": "none"}),
        (["greedy", "random"], {"luck": "pagade+4ply"}),
        (
            {"mine": lambda states: states.masks().argmax(axis=1), "greedy+2ply": "greedy+2ply"},
            {"luck": "none"},
        ),
    ]:
        pressed(
            lambda: ashta.arena(agents, game, pairs=100_000, keep_games=False, **options), after=1
        )


def test_what_an_opponent_raises_leaves_games_as_they_were():
    game = ashta.Game("ashtapada")
    answers = {"now": None}

    def opponent(states):
        masks = states.masks()
        if answers["now"] is None:
            return masks.argmax(axis=1)
        if isinstance(answers["now"], Exception):
            raise answers["now"]
        return answers["now"](masks)

    games = ashta.VectorGame(game, 20, opponent)
    games.reset(3)
    for answer, kind, part in [
        (ZeroDivisionError("tired"), ZeroDivisionError, "tired"),
        (
            lambda masks: np.full(len(masks), 31),
            ValueError,
            "the opponent chose 31, which is not legal at `ashtapada ",
        ),
        (
            lambda masks: masks.argmax(axis=1)[1:],
            TypeError,
            "the opponent must return actions, int64",
        ),
    ]:
        answers["now"] = answer
        before = games.states, games.observations.copy()
        with pytest.raises(kind, match=part):
            for _ in range(20):
                games.step(games.legal_actions.argmax(axis=1))
                before = games.states, games.observations.copy()
        assert games.states == before[0]
        np.testing.assert_array_equal(games.observations, before[1])


def test_a_state_is_free_while_it_is_thought_about():
    game, state = decision("pagade")
    thinker = ashta.Agent("pagade+mcts:20000", game)
    pieces = "ashtapada?pieces=4"
    long = ashta.Game(pieces).deserialize_state(
        f"{pieces} S:off,off,off,off/N:off,off,off,off S {'1,4,8,' * 7}2"
    )
    whole = partial(ashta.State.turn_results, limit=1 << 40)
    for thought, think in [(state, thinker.step), (state, thinker.policy), (long, whole)]:
        answers, tried = [], 0
        thread = threading.Thread(target=lambda: answers.append(think(thought)))
        thread.start()
        while thread.is_alive():
            # The action is refused because it is illegal, not because a thread uses the state.
            with pytest.raises(ValueError, match="action 99 is not legal"):
                thought.apply_action(99)
            tried += 1
        thread.join(60)
        assert len(answers) == 1 and tried > 10


def test_games_are_used_by_one_thread_at_a_time():
    game = ashta.Game("ashtapada")
    asked, goes_on = threading.Event(), threading.Event()

    def patient(states):
        asked.set()
        assert goes_on.wait(30)
        return states.masks().argmax(axis=1)

    games = ashta.VectorGame(game, 30, patient)
    thread = threading.Thread(target=games.reset)
    thread.start()
    assert asked.wait(30)
    for use in [games.reset, lambda: games.step(np.zeros(30, np.int64)), lambda: games.states]:
        with pytest.raises(RuntimeError, match="one thread at a time"):
            use()
    assert games.observations.shape[0] == 30
    goes_on.set()
    thread.join(30)
    games.step(games.legal_actions.argmax(axis=1))

    within = ashta.VectorGame(game, 30, lambda states: within.states)
    with pytest.raises(RuntimeError, match="not from their own opponent"):
        within.reset(1)
