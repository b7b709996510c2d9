"""Without a seed, every play is another; a seed, or the seed that a result reports, repeats the
play."""

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
ENVS = {
    "single": ashta.gymnasium.RaceEnv,
    "several": lambda game: ashta.gymnasium.RaceVectorEnv(3, game),
    "alternating": ashta.pettingzoo.env,
}


def vector(seed):
    many = ashta.VectorGame(GAME, 4)
    used = many.reset(seed)
    return many.states.text(), used


def reset(kind):
    """A function that starts a game, and returns the observations and the reported seed."""

    def play(seed):
        env = ENVS[kind](GAME)
        observation, info = env.reset(seed=seed) or (
            [*env.observe("player_0").values()],
            env.infos["player_0"],
        )
        return pickle.dumps(observation), info["seed"]

    return play


def chat(seed):
    answer = ashta.mcp.play(str(STARTS[0]), seed=seed)
    return answer["position"], answer["seed"]


REPORTS = [vector, chat, *map(reset, ["single", "alternating"])]
OTHERS = [
    lambda seed: (reset("several")(seed)[0], None),
    lambda seed: (ashta.Agent("random", GAME).act([STATE] * 9, seed), None),
    lambda seed: (ashta.Agent("random", GAME).step(STATE, seed), None),
    lambda seed: (STARTS.draw_outcomes(seed).tolist(), None),
    lambda seed: (str(GAME.new_initial_state(seed=seed)), None),
]


@pytest.mark.parametrize("play", [*REPORTS, *OTHERS])
def test_without_a_seed_each_play_is_another(play):
    found = [play(None) for _ in range(30)]
    assert len({str(result) for result, _ in found}) > 1
    assert play(7)[0] == play(np.int64(7))[0]
    for result, seed in found[:5] if play in REPORTS else []:
        assert play(seed)[0] == result
    for wrong in [-1, 1.5, 2**64, "7"]:
        with pytest.raises(ValueError, match="must be a number from 0 to"):
            play(wrong)


def test_functions_that_measure_have_a_default_seed():
    for measure in [
        lambda **seed: ashta.regret("random", GAME, pairs=2, **seed)["score"],
        lambda **seed: ashta.rollout([STATE], "random", games=9, **seed)["mean"].tolist(),
        lambda **seed: ashta.arena(["random", "greedy"], GAME, pairs=2, **seed).games,
    ]:
        assert measure() == measure(seed=7919)
        with pytest.raises(ValueError, match="must be a number from 0 to"):
            measure(seed=-1)


def test_a_wrong_list_of_seeds_names_the_index():
    for env in [ashta.VectorGame(GAME, 3), ENVS["several"](GAME)]:
        for index, wrong in [
            (0, [1.5, 2, 3]),
            (1, [1, -1, 3]),
            (2, [1, 2, 2**64]),
            (0, ["a", 1, 2]),
            (0, np.ones(3)),
        ]:
            with pytest.raises(
                ValueError, match=rf"`seed` \[{index}\]: a seed must be a number from 0"
            ):
                env.reset(seed=wrong)


def test_forked_processes_draw_other_seeds():
    with multiprocessing.get_context("fork").Pool(4) as pool:
        assert len({seed for _, seed in pool.map(vector, [None] * 8, chunksize=2)}) == 8


def test_outcomes_lead_to_the_next_decision():
    many, aec = ashta.VectorGame(GAME, 1), ENVS["alternating"](GAME)
    many.reset([5])
    aec.reset(3)
    one, several = (
        ENVS["single"](GAME, opponent="random"),
        ashta.gymnasium.RaceVectorEnv(2, GAME, opponent="random"),
    )
    _, info = one.reset(seed=4)
    _, infos = several.reset(seed=4)
    for _ in range(20):
        two = many.states[0], aec.state_.clone()
        for state in two:
            state.apply_action(state.legal_actions()[0])
        many.step(many.legal_actions.argmax(axis=1))
        aec.step(int(aec.last()[4]["action_mask"].argmax()))
        for state, outcomes in zip(two, [many.outcomes[0], aec.last()[4]["outcomes"]]):
            for outcome in outcomes:
                state.apply_action(outcome)
        assert two == (many.states[0], aec.state_)
        assert info["outcomes"] == infos["outcomes"][0] != []
        info, infos = (
            one.step(info["action_mask"].argmax())[4],
            several.step(infos["action_mask"].argmax(axis=1))[4],
        )


def test_drawn_outcomes_are_those_of_a_throw():
    assert STARTS.throw(seed=7) == STARTS.throw(STARTS.draw_outcomes(7))
    mixed = ashta.States([STATE, STARTS[0]])
    assert mixed.draw_outcomes(1)[0] == -1 and mixed.throw(seed=1)[0] == STATE
    for throw in [lambda: mixed[:1].throw(seed=1), lambda: mixed[:1].draw_outcomes()]:
        with pytest.raises(ValueError, match="no dice are thrown in these states"):
            throw()
    assert len(STARTS[:0].draw_outcomes()) == len(STARTS[:0].throw(seed=1)) == 0


@pytest.mark.parametrize("kind", ENVS)
def test_a_copy_of_an_environment_is_another_game(kind):
    env = ENVS[kind](GAME)
    env.reset(seed=3)
    before = pickle.dumps(env)
    copied = copy.copy(env)
    copied.reset(seed=4)
    assert pickle.dumps(env) == before != pickle.dumps(copied)
