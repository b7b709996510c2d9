"""Games of one player against an agent, as Gymnasium's users step them."""

import re
import sys
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import ashta
import ashta.gymnasium
import ashta.pettingzoo
from play import legal
import program

GAMES = [
    ("ashtapada", 2),
    ("ashtapada", 4),
    ("ashte-kashte", 3),
    ("pagade", 2),
    ("pagade?teams=true", 4),
]


pytestmark = pytest.mark.usefixtures("checkpoints")


def lowest(observations, action_masks):
    """An opponent as users write it: the lowest legal action of each game."""
    return action_masks.argmax(axis=1)


@pytest.mark.parametrize("name, seats", GAMES)
def test_gymnasium_accepts_the_environment(name, seats):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for opponent in [
            "hunter",
            ashta.Agent.of(lowest, ashta.Game(name, seats), takes="observations"),
        ]:
            env = gymnasium.make(
                "ashta/Race-v0",
                game=name,
                seats=seats,
                opponent=opponent,
                illegal="random",
                render_mode="ansi",
            )
            check_env(env.unwrapped)


def test_many_games_end_begin_anew_and_are_won_as_often_as_they_should():
    many = gymnasium.make_vec(
        "ashta/Race-v0", num_envs=64, game="ashtapada", opponent="random", copy=False
    )
    many = gymnasium.wrappers.vector.RecordEpisodeStatistics(many, buffer_length=1000)
    greedy = ashta.Agent("greedy", ashta.Game("ashtapada"))
    observations, infos = many.reset(seed=1)
    ended = np.zeros(64, bool)
    while many.episode_count < 300:
        states = many.env.unwrapped._games.states
        actions = np.zeros(64, np.int64)
        actions[~ended] = greedy.act(
            [state for state, is_over in zip(states, ended) if not is_over]
        )
        after, rewards, terminated, truncated, infos = many.step(actions)
        assert after is observations and not (rewards[~terminated]).any()
        ended = terminated | truncated
        for row in np.flatnonzero(ended):
            last = many.env.unwrapped._games.states[row]
            player = int(many.env.unwrapped._games.players[row])
            assert after[row].any() and (after[row] == last.observation_tensor(player)).all()
    score = (np.mean(many.return_queue) + 1) / 2
    # In the arena, greedy scores 0.83 against random play; 300 games measure it to within 0.065.
    assert 0.76 < score < 0.90, score
    assert 20 < np.mean(many.length_queue) < 200


def test_each_game_has_its_seed():
    settings = {"game": "ashtapada", "opponent": "hunter"}
    many = gymnasium.make_vec("ashta/Race-v0", num_envs=4, **settings)
    singles = [gymnasium.make("ashta/Race-v0", **settings) for _ in range(4)]
    for seed, seeds in [
        ([5, 1, 1, 2**64 - 1], [5, 1, 1, 2**64 - 1]),
        (7, [7, 8, 9, 10]),
        (np.arange(4), [0, 1, 2, 3]),
    ]:
        observations, infos = many.reset(seed=seed)
        for row, (single, own) in enumerate(zip(singles, seeds)):
            observation, info = single.reset(seed=own)
            np.testing.assert_array_equal(observations[row], observation)
            np.testing.assert_array_equal(infos["action_mask"][row], info["action_mask"])
    first, _ = many.reset(seed=3)
    drawn, _ = many.reset()
    again, _ = many.reset(seed=3)
    np.testing.assert_array_equal(again, first)
    np.testing.assert_array_equal(many.reset()[0], drawn)
    some, _ = many.reset(seed=[3, None, 5, None])
    np.testing.assert_array_equal(some[[0, 2]], first[[0, 2]])
    with pytest.raises((TypeError, ValueError), match="2 numbers for 4 games"):
        many.reset(seed=[1, 2])


def test_some_games_begin_anew():
    many, alone = (
        gymnasium.make_vec(
            "ashta/Race-v0", num_envs=6, game="ashtapada", opponent="hunter", turn_limit=40
        )
        for _ in range(2)
    )
    generator, mask = np.random.default_rng(1), np.array([True, False, False, True, False, False])
    for env in (many, alone):
        _, infos = env.reset(seed=1)
    ended = np.zeros(6, bool)
    for _ in range(15):
        actions = legal(infos["action_mask"], generator)
        observations, _, terminated, truncated, infos = many.step(actions)
        np.testing.assert_array_equal(alone.step(actions)[0], observations)
    after, infos = many.reset(seed=[9] * 6, options={"reset_mask": mask})
    np.testing.assert_array_equal(after[~mask], observations[~mask])
    np.testing.assert_array_equal(after[mask], alone.reset(seed=[9] * 6)[0][mask])
    assert (after[mask] != observations[mask]).any(axis=1).all()
    # Games that are over begin anew at once where the mask says so, and those that it leaves out
    # with the next step.
    while not (ended[mask].any() and ended[~mask].any()):
        _, _, terminated, truncated, infos = many.step(legal(infos["action_mask"], generator))
        ended = terminated | truncated
    _, infos = many.reset(options={"reset_mask": mask})
    assert infos["action_mask"][mask].any(axis=1).all()
    assert not infos["action_mask"][ended & ~mask].any()
    _, _, terminated, truncated, infos = many.step(legal(infos["action_mask"], generator))
    assert not (terminated | truncated)[ended].any() and infos["action_mask"].any(axis=1).all()
    for wrong in [mask.astype(int), mask[:3], ~np.ones(6, bool), "all"]:
        with pytest.raises(ValueError, match="reset_mask"):
            many.reset(options={"reset_mask": wrong})


def test_games_begin_in_a_position():
    start, late = "ashtapada S:5,30/N:off,23 S 4,2", "ashtapada S:5,30/N:off,23 N *"
    state = ashta.Game("ashtapada").deserialize_state(start)
    single = ashta.gymnasium.RaceEnv(player=0, render_mode="ansi")
    many = ashta.gymnasium.RaceVectorEnv(3, player=0, render_mode="ansi")
    pettingzoo = ashta.pettingzoo.env(render_mode="ansi")
    for position in (start, state):
        observation, info = single.reset(seed=1, options={"position": position})
        np.testing.assert_array_equal(observation, state.observation_tensor(0))
        np.testing.assert_array_equal(info["action_mask"], state.legal_actions_mask())
        many.reset(seed=1, options={"position": position})
        pettingzoo.reset(seed=1, options={"position": position})
        assert {single.render(), *many.render(), pettingzoo.render()} == {
            start
        } and pettingzoo.agent_selection == "player_0"
    single.reset(seed=1, options={"position": late})
    assert single._games.states[0].current_player() == 0, "the opponent has played"
    pettingzoo.reset(seed=1, options={"position": late})
    assert (
        pettingzoo.render().startswith("ashtapada S:5,30/N:off,23 ")
        and not pettingzoo.state_.is_chance_node()
    )
    many.reset(seed=1)
    before = many.render()
    many.reset(
        options={"position": [start, None, late], "reset_mask": np.array([True, False, False])}
    )
    assert many.render() == (start, *before[1:])
    over = "ashtapada S:borne,borne/N:36,keep - -"
    for env in (single, many, pettingzoo):
        for options, part in [
            ({"positon": start}, "cannot have 'positon', only position"),
            ({"position": over}, "the game is over at"),
            ({"position": "pagade"}, "wrong position.*four parts"),
            ({"position": start.replace("ashtapada", "ashtapada?pieces=1")}, "wrong position"),
        ]:
            before = env.render()
            with pytest.raises(ValueError, match=part):
                env.reset(seed=1, options=options)
            assert env.render() == before
    with pytest.raises(ValueError, match="2 positions for 3 games"):
        many.reset(options={"position": [start, late]})


def test_masks_are_small_integers_and_actions_whole_numbers():
    many = gymnasium.make_vec("ashta/Race-v0", num_envs=3, game="ashtapada", opponent="random")
    single = ashta.gymnasium.RaceEnv()
    _, infos = many.reset(seed=1)
    _, info = single.reset(seed=1)
    for mask in (infos["action_mask"], info["action_mask"], single.action_masks()):
        assert mask.dtype == np.int8
    assert single.action_space.contains(single.action_space.sample(info["action_mask"]))
    for kind in [np.int8, np.int32, np.uint64, list]:
        actions = infos["action_mask"].argmax(axis=1)
        _, _, _, _, infos = many.step(actions.tolist() if kind is list else actions.astype(kind))
    for one in [np.int32(info["action_mask"].argmax()), np.array(info["action_mask"].argmax())]:
        single.reset(seed=1)
        single.step(one)
    before, _ = many.reset(seed=1)
    for wrong in [np.zeros(3), np.zeros(3, bool), np.zeros((3, 1), int), None]:
        with pytest.raises(
            TypeError, match=re.escape("`actions` must be integers, int64[3], not an array of")
        ):
            many.step(wrong)
    single.reset(seed=1)
    with pytest.raises(TypeError, match=re.escape("not an array of float64 with the shape (1,)")):
        single.step(0.0)
    np.testing.assert_array_equal(many.unwrapped._games.observations, before)


def test_gymnasium_finds_the_environment_by_its_module():
    script = """
import gymnasium
env = gymnasium.make("ashta.gymnasium:ashta/Race-v0", game="pagade")
envs = gymnasium.make_vec("ashta.gymnasium:ashta/Race-v0", num_envs=2)
print(env.reset(seed=1)[0].shape, envs.reset(seed=1)[0].shape)
"""
    program.python("-c", script)


@pytest.mark.parametrize(
    "extra, missing",
    [
        ("gymnasium", "gymnasium"),
        ("pettingzoo", "pettingzoo"),
        ("ray", "ray"),
        ("mcp", "mcp.server.mcpserver"),
    ],
)
def test_what_is_not_installed_is_named(extra, missing):
    script = f"""
import sys
sys.modules[{missing!r}] = None
import ashta
import ashta.{extra}
"""
    finished = program.execute(sys.executable, "-c", script)
    expected = f"ImportError: ashta.{extra} needs {missing}, which is not installed: pip install 'ashta[{extra}]'"
    assert finished.returncode == 1 and finished.stderr.strip().endswith(expected), finished.stderr


def test_what_is_wrong_is_named():
    with pytest.raises(ValueError, match='must be "error" or "random"'):
        ashta.gymnasium.RaceEnv(illegal="ignore")
    env = ashta.gymnasium.RaceEnv(turn_limit=20)
    _, info = env.reset(seed=1)
    with pytest.raises(ValueError, match="not legal"):
        env.step(31)
    is_over = False
    while not is_over:
        _, _, _, is_over, info = env.step(info["action_mask"].argmax())
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)
