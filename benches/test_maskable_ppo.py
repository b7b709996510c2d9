"""Tests of the rules, the environment and the opponents. Run them with `pytest benches`; see
README.md."""

import json
import math
import random

import numpy as np
import pytest

import maskable_ppo
from race_env import RaceEnv, Snapshot, hunter_opponent, interval, match, random_opponent
from race_rules import ACTIONS, PASS, AshteKashte, Position, hunter_choice

PIECES = [4, 2]


def play(game, rng, choose):
    """Plays a game; returns its decisions and its last position."""
    position = game.start(rng.randrange(2))
    decisions = []
    while game.winner(position) is None:
        if position.pending is None:
            position = game.throw(position, rng)
        else:
            decisions.append(position)
            position = game.apply(position, choose(game, position, rng))
    return decisions, position


def test_a_capture_brings_no_turn():
    game = AshteKashte(pieces=1)
    [(_, result)] = game.turn_results(Position(((8,), (22,)), 0, 2))
    assert (result.pieces, result.mover) == (((10,), (0,)), 1)


@pytest.mark.parametrize("pieces", PIECES)
def test_whole_games(pieces):
    """Games end with a winner; masks, observations and texts are correct in all positions."""
    game, rng = AshteKashte(pieces), random.Random(3)
    for choose in (random_opponent, hunter_opponent):
        decisions, last = play(game, rng, choose)
        assert last.pieces[game.winner(last)] == (game.home,) * pieces
        assert game.text(last).endswith(" - -")
        for position in decisions:
            legal = game.legal(position)
            assert legal and legal == sorted(set(legal)) and set(legal) <= set(range(ACTIONS))
            active = game.active(position)
            assert len(active) == len(set(active)) and max(active) < game.observation_size
            assert game.observe(position).sum() == len(active)
            assert hunter_choice(game, position) in legal


@pytest.mark.parametrize(("pieces", "size"), [(4, 731), (1, 454)])
def test_observations_have_the_length_of_the_program(pieces, size):
    assert AshteKashte(pieces).observation_size == size


def test_relations_are_indexed_by_distance():
    game = AshteKashte(pieces=2)
    columns = game.columns
    # Place 10 of South is place 22 of North, 4 squares ahead of North's 18. Place 17 of South is
    # place 5 of North, 5 squares ahead of a piece in hand.
    entries = set(game.seat_entries((10, 17), (0, 18)))
    lone = {columns.hunted + 3, columns.staged + 3, columns.hunted + 4, columns.staged + 16 + 4}
    progress = columns.progress + (11 + 18) * 16 // 99
    assert entries == {*columns.pieces((10, 17)), *lone, columns.apart + 6, progress}
    # A double is not a lone piece, and a piece on 18 is protected. Place 18 of South is place 6 of
    # North.
    assert columns.followed + 3 in game.seat_entries((10, 10), (0, 18))
    assert columns.followed + 5 in game.seat_entries((18, 48), (0, 48))
    assert game.lead_entry(Position(((4, 6), (4, 6)), 0, 1)) == columns.lead + 8
    assert game.lead_entry(Position(((4, 6), (4, 5)), 0, 1)) == columns.lead + 7
    assert game.lead_entry(Position(((4, 6), (4, 40)), 0, 1)) == columns.lead + 15


@pytest.mark.parametrize("pieces", PIECES)
def test_courses_of_opposite_seats_meet(pieces):
    game = AshteKashte(pieces)
    on_course = [place for place in range(game.home + 1) if game.mirror[place] > 0]
    assert all(game.mirror[game.mirror[place]] == place for place in on_course)


def test_texts():
    game = AshteKashte()
    assert (
        game.text(game.start(1)) == "ashte-kashte S:hand,hand,hand,hand/N:hand,hand,hand,hand N *"
    )
    assert (
        AshteKashte(2).text(Position(((5, 48), (0, 22)), 0, 3))
        == "ashte-kashte?pieces=2 S:5,home/N:hand,22 S 3"
    )


def test_hunter_hunts_then_runs():
    game = AshteKashte(pieces=2)
    # Place 10 of South is place 22 of North: the first piece captures, although the other piece is
    # ahead.
    assert hunter_choice(game, Position(((8, 30), (22, 40)), 0, 2)) == 0
    assert hunter_choice(game, Position(((8, 30), (21, 40)), 0, 2)) == 1
    # A player can pass instead of a merge; `hunter` merges.
    assert game.legal(Position(((46, 47), (0, 0)), 0, 1)) == [0, 1]
    assert game.legal(Position(((45, 47), (0, 0)), 0, 2)) == [0, PASS]
    assert hunter_choice(game, Position(((45, 47), (0, 0)), 0, 2)) == 0


@pytest.mark.parametrize("pieces", PIECES)
@pytest.mark.parametrize("asks_forced", [False, True])
def test_environment(pieces, asks_forced):
    """Episodes begin and end as Gymnasium requires; the agent chooses only where it should."""
    env = RaceEnv(pieces, "hunter", asks_forced)
    rng = random.Random(5)
    rewards = []
    for episode in range(6):
        seen, _ = env.reset(seed=episode)
        assert env.observation_space.contains(seen)
        is_over, length = False, 0
        while not is_over:
            mask = env.action_masks()
            assert mask.shape == (ACTIONS,) and mask.sum() >= (1 if asks_forced else 2)
            assert env.position.mover == env.seat
            seen, reward, terminated, truncated, _ = env.step(rng.choice(np.flatnonzero(mask)))
            assert env.observation_space.contains(seen) and not truncated
            is_over = terminated
            assert reward == 0 or is_over
            length += 1
        rewards.append(reward)
        assert length < env.decisions
    assert set(rewards) <= {-1.0, 1.0}


def test_environments_repeat():
    def episode(seed):
        env, rng = RaceEnv(2, "random"), random.Random(1)
        env.reset(seed=seed)
        trace, is_over = [], False
        while not is_over:
            _, _, is_over, _, _ = env.step(rng.choice(env.legal))
            trace.append(env.position)
        return trace

    assert episode(4) == episode(4)
    assert episode(4) != episode(5)


def test_a_game_that_never_ends_is_truncated():
    env = RaceEnv(4, "random")
    env.game.turn_limit = 30
    env.reset(seed=1)
    is_over = False
    while not is_over:
        _, reward, terminated, is_over, _ = env.step(env.legal[0])
        assert reward == 0 and not terminated


def test_matches_count_wins():
    def first(observations, masks):
        return masks.argmax(axis=1)

    games = 40
    wins = match(first, 2, "random", games, seed=1)
    assert 0 < wins < games
    assert wins == match(first, 2, "random", games, seed=1)


def test_random_play_is_measured(capsys):
    assert maskable_ppo.run_environment(tiny_options("--environment", "0.2", "--json")) == 0
    measured = json.loads(capsys.readouterr().out)
    assert 0 < measured["steps_per_second"] < measured["decisions_per_second"]


def test_intervals():
    low, high = interval(500, 1_000)
    assert (low, high) == pytest.approx((0.4691, 0.5309), abs=1e-4)
    assert interval(0, 10)[0] == 0 and interval(10, 10)[1] == 1


def tiny_options(*more):
    return maskable_ppo.arguments(
        ["--pieces", "2", "--envs", "2", "--rollout", "16", "--batch", "16", *more]
    )


def test_snapshots_play_as_the_network():
    """The choices of a snapshot have the probabilities that torch computes."""
    torch = pytest.importorskip("torch")
    model = maskable_ppo.make_model(tiny_options("--units", "8"))
    game, rng = AshteKashte(pieces=2), random.Random(2)
    position = next(
        decision
        for decision in play(game, rng, random_opponent)[0]
        if len(game.legal(decision)) > 1
    )
    mask = np.isin(np.arange(ACTIONS), game.legal(position))
    seen = torch.as_tensor(game.observe(position)[None])
    with torch.no_grad():
        expected = model.policy.get_distribution(seen, mask[None]).distribution.probs[0].numpy()
    snapshot, draws = Snapshot(maskable_ppo.policy_weights(model)), 4_000
    counts = np.zeros(ACTIONS)
    for _ in range(draws):
        counts[snapshot(game, position, rng)] += 1
    assert np.all(np.abs(counts / draws - expected) < 4 * math.sqrt(0.25 / draws))


def test_training_measures_and_ends(capsys):
    pytest.importorskip("torch")
    options = tiny_options(
        "--minutes",
        "0.02",
        "--eval-minutes",
        "0.01",
        "--eval-games",
        "8",
        "--json",
        "--renew",
        "32",
    )
    assert maskable_ppo.run_training(options) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[0]["kind"] == "settings"
    evaluations = [line for line in lines if line["kind"] == "evaluation"]
    assert len(evaluations) >= 2 and evaluations[-1]["steps"] > 0
    assert all(line["low"] <= line["win_rate"] <= line["high"] for line in evaluations)
