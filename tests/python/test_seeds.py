"""Without a seed, every play is another; a seed, or the seed that a result reports, repeats the play."""

import copy
import multiprocessing
import pickle

import numpy as np
import pytest

import ashta
import ashta.gymnasium
import ashta.mcp
import ashta.pettingzoo

pytestmark = pytest.mark.usefixtures("checkpoints")

GAME = ashta.Game("ashte-kashte?pieces=2")
STATE = GAME.deserialize_state("ashte-kashte?pieces=2 S:12,14/N:hand,hand S 1")
STARTS = ashta.States([GAME.new_initial_state(0)] * 20)


def uniform(states):
    masks = states.masks()
    return masks / masks.sum(axis=1, keepdims=True)


def vector(seed):
    many = ashta.VectorGame(GAME, 4)
    used = many.reset() if seed is None else many.reset(seed)
    return many.states.text(), used


def single(seed):
    observation, info = ashta.gymnasium.RaceEnv(GAME).reset(seed=seed)
    return observation.tolist(), info["seed"]


def several(seed):
    observations, info = ashta.gymnasium.RaceVectorEnv(4, GAME).reset(seed=seed)
    return observations.tolist(), info["seed"] if seed is None else seed


def alternating(seed):
    env = ashta.pettingzoo.env(GAME)
    env.reset(seed)
    return str(env.state_), env.infos["player_0"]["seed"]


def parallel(seed):
    env = ashta.pettingzoo.parallel_env(GAME)
    _, infos = env.reset(seed)
    return str(env._env.state_), infos["player_1"]["seed"]


def chat(seed):
    answer = ashta.mcp.play(str(GAME.new_initial_state(0)), seed=seed)
    return answer["position"], answer["seed"]


def acts(seed):
    return ashta.Agent("random", GAME).act([STATE] * 9, seed), seed


def steps(seed):
    return ashta.Agent("random", GAME).step(STATE, seed), seed


def draws(seed):
    return ashta.Agent.of(uniform, GAME).step(STATE, seed=seed), seed


def throws(seed):
    return STARTS.draw_outcomes(seed).tolist(), seed


def begins(seed):
    return str(GAME.new_initial_state(seed=seed)), seed


REPORTS = [vector, single, several, alternating, parallel, chat]
ALL = [*REPORTS, acts, steps, draws, throws, begins]


@pytest.mark.parametrize("play", ALL)
def test_without_a_seed_each_play_is_another(play):
    found = [play(None) for _ in range(30)]
    assert len({str(result) for result, _ in found}) > 1
    assert play(7) == play(7) == play(np.int64(7))
    if play in REPORTS:
        for result, seed in found[:5]:
            assert play(seed)[0] == result


@pytest.mark.parametrize("play", ALL)
@pytest.mark.parametrize("wrong", [-1, 1.5, 2**64, "7"])
def test_a_wrong_seed_is_a_value_error(play, wrong):
    with pytest.raises(ValueError, match="must be a number from 0 to"):
        play(wrong)


def test_functions_that_measure_have_a_default_seed():
    for measure in [
        lambda **seed: ashta.regret("random", GAME, pairs=2, **seed)["score"],
        lambda **seed: ashta.rollout([STATE], "random", games=9, **seed)["mean"].tolist(),
        lambda **seed: ashta.arena(["random", "greedy"], GAME, pairs=2, **seed).games,
    ]:
        assert measure() == measure() == measure(seed=7919)
        with pytest.raises(ValueError, match="must be a number from 0 to"):
            measure(seed=-1)


@pytest.mark.parametrize(
    "wrong, index", [([1.5, 2, 3], 0), ([1, -1, 3], 1), ([1, 2, 2**64], 2), (["a", 1, 2], 0), (np.ones(3), 0), ("123", None), ([[1], 2, 3], 0)]
)
def test_a_wrong_list_of_seeds_names_the_index(wrong, index):
    for env in [ashta.VectorGame(GAME, 3), ashta.gymnasium.RaceVectorEnv(3, GAME)]:
        with pytest.raises(ValueError, match="a seed must be" if index is None else rf"`seed` \[{index}\]: a seed must be"):
            env.reset(seed=wrong)


def _first(_):
    return vector(None)[1]


def test_forked_processes_draw_other_seeds():
    with multiprocessing.get_context("fork").Pool(4) as pool:
        assert len(set(pool.map(_first, range(8), chunksize=2))) == 8


def test_outcomes_repeat_a_game():
    many = ashta.VectorGame(GAME, 8)
    many.reset(5)
    before = many.states
    for _ in range(60):
        over = before.players() < 0
        many.step(many.legal_actions.argmax(axis=1))
        for row in np.flatnonzero(~over):
            state = before[int(row)]
            state.apply_action(before.masks()[row].argmax())
            for outcome in many.outcomes[row]:
                state.apply_action(outcome)
            assert state == many.states[int(row)]
        before = many.states
    env = ashta.pettingzoo.env(GAME)
    env.reset(3)
    for _ in range(30):
        state = env.state_.clone()
        action = int(env.last()[4]["action_mask"].argmax())
        state.apply_action(action)
        env.step(action)
        for outcome in env.last()[4]["outcomes"]:
            state.apply_action(outcome)
        assert state == env.state_


def test_environments_report_all_throws_since_the_last_action():
    one, many = ashta.gymnasium.RaceEnv(GAME, opponent="random"), ashta.gymnasium.RaceVectorEnv(2, GAME, opponent="random")
    _, info = one.reset(seed=4)
    _, infos = many.reset(seed=4)
    for _ in range(20):
        assert info["outcomes"] == infos["outcomes"][0] != []
        info, infos = one.step(info["action_mask"].argmax())[4], many.step(infos["action_mask"].argmax(axis=1))[4]


def test_drawn_outcomes_are_those_of_a_throw():
    thrown = STARTS.throw(seed=7)
    assert thrown == STARTS.throw(STARTS.draw_outcomes(7))
    mixed = ashta.States([STATE, STARTS[0]])
    assert mixed.draw_outcomes(1)[0] == -1 and mixed.throw(seed=1)[0] == STATE
    for throw in [lambda: mixed[:1].throw(seed=1), lambda: mixed[:1].draw_outcomes()]:
        with pytest.raises(ValueError, match="no dice are thrown in these states"):
            throw()
    assert len(STARTS[:0].draw_outcomes()) == len(STARTS[:0].throw(seed=1)) == 0


@pytest.mark.parametrize("make", [ashta.gymnasium.RaceEnv, lambda game: ashta.gymnasium.RaceVectorEnv(2, game), ashta.pettingzoo.env, ashta.pettingzoo.parallel_env])
def test_a_copy_of_an_environment_is_another_game(make):
    env = make(GAME)
    env.reset(seed=3)
    before = pickle.dumps(env)
    for copied in (copy.copy(env), copy.deepcopy(env)):
        copied.reset(seed=4)
        assert pickle.dumps(env) == before != pickle.dumps(copied)
