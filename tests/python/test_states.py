"""Positions in batches, policies of all kinds as agents, regret and exploitability in Python."""

import json
import pickle

import gymnasium
import numpy as np
import pytest

import ashta
import ashta.gymnasium  # registers the environments
from play import first_legal, played
import program

pytestmark = pytest.mark.usefixtures("checkpoints")

SMALL = "ashte-kashte?pieces=2"


def uniform(states):
    masks = states.masks()
    return masks / masks.sum(axis=1, keepdims=True)


def first_of_state(state):
    return state.legal_actions()[0]


def first_of_arrays(observations, action_masks):
    assert observations.dtype == np.float32 and action_masks.dtype == np.int8
    return action_masks.argmax(axis=1)


@pytest.mark.parametrize(
    "name, seats",
    [
        ("ashtapada", 2),
        ("pagade?teams=true", 4),
        ("ashte-kashte", 3),
        ("main-pacheh?max_throws=3", 2),
        ("pachisi", 4),
    ],
)
def test_states_are_the_states_one_by_one(name, seats):
    game = ashta.Game(name, seats)
    single = played(game)
    many = ashta.States(single)
    players = np.array([state.current_player() for state in single])
    assert list(many) == single and len(many) == len(single) and many[-1] == single[-1]
    assert (
        (many.players() == players).all()
        and (players == -4).any()
        and (players == -1).any()
        and (players >= 0).any()
    )
    turns = [-4 if state.is_terminal() else state.turn_player() for state in single]
    assert many.turn_players().tolist() == turns
    assert (many.observations() == np.stack([state.observation_tensor() for state in single])).all()
    seen = many.observations(1, dtype="uint8")
    assert (
        seen.dtype == np.uint8
        and (seen == np.stack([state.observation_tensor(1) for state in single])).all()
    )
    assert (many.observations(np.full(len(many), 1)) == seen).all()
    assert (
        many.masks()
        == np.stack(
            [state.legal_actions_mask(max(player, 0)) for state, player in zip(single, players)]
        )
    ).all()
    assert (many.returns() == np.array([state.returns() for state in single], np.float32)).all()
    assert many.text() == [str(state) for state in single]
    chances = many.chance_outcomes()
    for row, state in enumerate(single):
        assert (
            state.chance_outcomes() == [(n, p) for n, p in enumerate(chances[row]) if p]
            if state.is_chance_node()
            else not chances[row].any()
        )

    actions = np.where(players >= 0, many.masks().argmax(axis=1), -1)
    outcomes = np.where(players == -1, chances.argmax(axis=1), -1)
    moved = [
        state.child(int(action)) if action >= 0 else state for state, action in zip(single, actions)
    ]
    assert list(many.apply(actions)) == moved and list(many) == single
    assert list(many.throw(outcomes)) == [
        state.child(int(n)) if n >= 0 else state for state, n in zip(single, outcomes)
    ]
    thrown = many.throw(seed=5)
    assert (
        thrown == many.throw(seed=5) != many.throw(seed=6)
        and (thrown.players()[players == -1] != -4).all()
    )
    ends, owners, firsts = many.turns()
    assert (owners == many.afterstates()[1]).all() and ends == many.afterstates()[0]
    for row, state in enumerate(single):
        results = state.turn_results()
        assert [(ends[int(at)], firsts[at]) for at in np.flatnonzero(owners == row)] == [
            (end, path[0]) for end, path in results
        ]


def test_states_are_indexed_joined_copied_and_read_from_arrays():
    game = ashta.Game("gavalata", 2)
    single = played(game)
    many = ashta.States(single)
    for index in [
        slice(3, 9),
        slice(None, None, -2),
        [1, 5, 5],
        np.arange(60) % 3 == 0,
        np.array([4, -1]),
        slice(0, 0),
    ]:
        assert list(many[index]) == [single[row] for row in np.arange(60)[index]]
    for wrong in [
        60,
        -61,
        (slice(2), slice(3)),
        (slice(None), slice(None, None, -1)),
        np.zeros((2, 2), int),
    ]:
        with pytest.raises(IndexError):
            many[wrong]
    assert (
        many != many[:59]
        and many != list(many)
        and ashta.States.concatenate([many[:7], many[7:]]) == many
    )
    assert pickle.loads(pickle.dumps(many)) == many
    own = ashta.Game(sheet=program.renamed("ur"))
    kept = pickle.loads(pickle.dumps(ashta.States([own.new_initial_state()])))
    assert kept.game == own and str(kept[0]).startswith("mine ")
    assert ashta.States.parse(many.text()) == ashta.States.parse(many.text(), game) == many
    array = many.array
    assert (
        array.dtype == np.uint8
        and np.shares_memory(array, many.array)
        and not array.flags.writeable
    )
    assert (
        ashta.States.from_numpy(array, game)
        == many
        == ashta.States.from_numpy(np.asfortranarray(array), game)
    )
    assert len(ashta.States([], game)) == len(ashta.States.from_numpy(array[:0], game)) == 0
    wrong = array.copy()
    wrong[17, 1] = 250
    other = ashta.Game("ashtapada")
    for error, part, refused in [
        (
            ValueError,
            "row 17: the field `pieces` has the place 250",
            lambda: ashta.States.from_numpy(wrong, game),
        ),
        (ValueError, "text 1: ", lambda: ashta.States.parse([str(single[0]), "nonsense"])),
        (ValueError, "the game is ashtapada", lambda: ashta.States(single, other)),
        (TypeError, "uint8", lambda: ashta.States.from_numpy(array.astype(int), game)),
        (TypeError, "uint8", lambda: ashta.States.from_numpy(array[:, :80], game)),
        (TypeError, "needs `game`", lambda: ashta.States([])),
        (TypeError, "nothing to concatenate", lambda: ashta.States.concatenate([])),
        (ValueError, "row 0: action 31 is not legal", lambda: many.apply([31] * 60)),
        (ValueError, "row 0: outcome 99 is not possible", lambda: many.throw([99] * 60)),
        (ValueError, "`actions` must have 60 numbers, not 1", lambda: many.apply([0])),
        (TypeError, "must be integers", lambda: many.apply([0.5] * 60)),
        (ValueError, "numbers of 2", lambda: many.throw(np.full(60, 2**64 - 1, np.uint64))),
        (TypeError, "either `outcomes` or `seed`", lambda: many.throw()),
        (
            TypeError,
            "`dtype` must be float32 or uint8, not float64",
            lambda: many.observations(dtype=float),
        ),
        (ValueError, "there is no player 2", lambda: many.observations(2)),
        (ValueError, "raise `limit`", lambda: many.afterstates(limit=1)),
    ]:
        with pytest.raises(error, match=part):
            refused()


def test_games_in_lock_step_have_states_and_bytes():
    game = ashta.Game("thaayam")
    games, bytes_ = ashta.VectorGame(game, 40), ashta.VectorGame(game, 40, dtype="uint8")
    for many in (games, bytes_):
        many.reset(3)
        for _ in range(25):
            many.step(many.legal_actions.argmax(axis=1))
    assert (
        bytes_.observations.dtype == np.uint8 and (bytes_.observations == games.observations).all()
    )
    assert (
        bytes_.states == games.states
        and pickle.loads(pickle.dumps(bytes_)).observations.dtype == np.uint8
    )
    before = games.states
    games.set_states([5, 2], before[[7, 8]])
    after = games.states
    assert (
        after[5] == before[7]
        and after[2] == before[8]
        and after[[0, 1, 3, 4]] == before[[0, 1, 3, 4]]
    )
    assert (games.observations[5] == games.observations[7]).all()
    games.set_states([0], [game.new_initial_state(1)])
    assert games.states[0].current_player() == games.players[0] >= 0, "the dice were thrown"
    for rows, part in [
        ([40], "no game 40"),
        ([1, 1], "has 1 twice"),
        ([1], "must have 2 numbers, not 1"),
    ]:
        with pytest.raises(ValueError, match=part):
            games.set_states(
                rows, before[:2] if len(rows) == 2 or "2 numbers" in part else before[:1]
            )
    many = gymnasium.make_vec(
        "ashta/Race-v0", num_envs=3, game="thaayam", opponent=uniform
    ).unwrapped
    many.reset(seed=1)
    start = ashta.States([game.new_initial_state(player) for player in (0, 1)])
    observations, info = many.set_states([0, 2], start)
    assert observations.shape[0] == 3 and (info["action_mask"].sum(axis=1) > 0).all()


def test_policies_of_every_kind_are_one_agent(tmp_path):
    game = ashta.Game("ashtapada")
    rows = np.eye(game.num_distinct_actions())
    kinds = [
        (first_legal, "states"),
        (first_of_state, "state"),
        (first_of_arrays, "observations"),
    ]
    kinds += [
        (lambda states: rows[first_legal(states)], "states"),
        (lambda state: rows[first_of_state(state)], "state"),
    ]
    states = ashta.States([state for state in played(game) if state.is_player_node()])
    agents = [ashta.Agent.of(policy, game, takes=takes) for policy, takes in kinds]
    expected = first_legal(states)
    reports = []
    for agent in agents:
        assert (agent.act(states) == expected).all() and agent.act(
            list(states)
        ) == expected.tolist()
        assert agent.policy(states[0]) == [(expected[0], 1.0)] or (
            expected[0],
            1.0,
        ) in agent.policy(states[0])
        report = ashta.arena({"mine": agent, "greedy": "greedy"}, game, pairs=3, luck="none").report
        reports.append(report["agents"][0]["score"])
        env = ashta.gymnasium.RaceEnv(game, opponent=agent)
        env.reset(seed=2)
        with pytest.raises(TypeError, match="has no values"):
            agent.values(states)
    assert all(report == reports[0] for report in reports)
    assert (
        agents[1].name == "first_of_state"
        and pickle.loads(pickle.dumps(agents[1])).act(states).tolist() == expected.tolist()
    )
    assert (
        ashta.Agent.of("greedy", game).act(states, 3) == ashta.Agent("greedy", game).act(states, 3)
    ).all()

    model = tmp_path / "bot.onnx"
    ashta.export("ashtapada", format="onnx", output=model)
    by_policy = ashta.Agent("ashtapada+policy", game).act(states)
    assert (ashta.Agent.of(model, game).act(states) == by_policy).all()
    assert (
        ashta.arena(iter([agents[0], "greedy"]), pairs=1, luck="none").report["game"] == "ashtapada"
    )
    with pytest.raises(ValueError, match="the game is siga"):
        ashta.arena([agents[0], "greedy"], ashta.Game("siga"), pairs=1)
    drawn = ashta.Agent.of(uniform, game)
    assert (drawn.act(states, 1) == drawn.act(states, 1)).all() and (
        drawn.act(states, 1) != drawn.act(states, 2)
    ).any()
    for error, part, policy, takes in [
        (
            AttributeError,
            'first_of_state was called with `takes="states"`',
            first_of_state,
            "states",
        ),
        (TypeError, 'first_of_arrays was called with `takes="state"`', first_of_arrays, "state"),
        (
            TypeError,
            'first_legal was called with `takes="observations"`',
            first_legal,
            "observations",
        ),
        (
            TypeError,
            r'the shape \[\]; it was called with `takes="states"`',
            lambda state: 0,
            "states",
        ),
    ]:
        with pytest.raises(error, match=part):
            ashta.Agent.of(policy, game, takes=takes).act(states)
    with pytest.raises(
        ValueError, match='`takes` must be "states", "state" or "observations", not "one"'
    ):
        ashta.Agent.of(first_of_state, game, takes="one")
    with pytest.raises(ValueError, match='`takes="state"` only works with a function'):
        ashta.Agent.of("greedy", game, takes="state")
    for error, part, policy in [
        (TypeError, "a policy must be .*, not int", 3),
        (ValueError, "`greddy` is not an agent", "greddy"),
        (ValueError, "cannot load missing.onnx", "missing.onnx"),
        (ValueError, "takes observations of length", (model, ashta.Game("pagade"))),
        (
            ValueError,
            "gave action . the probability 0.1",
            lambda states: np.full(states.masks().shape, 0.1),
        ),
        (ValueError, "with the sum [2-9]", lambda states: states.masks() * 1.0),
        (TypeError, "must return actions, int64", lambda states: states.masks()),
        (ZeroDivisionError, "division", lambda states: 1 // 0),
    ]:
        policy, own = policy if isinstance(policy, tuple) else (policy, game)
        with pytest.raises(error, match=part):
            at = (
                states
                if own == game
                else ashta.States([state for state in played(own) if state.is_player_node()])
            )
            ashta.Agent.of(policy, own).act(at)


def test_regret_is_that_of_the_program_and_exact_for_probabilities():
    game = ashta.Game(SMALL)
    told = program.run(
        "eval",
        "greedy",
        "--against",
        "perfect",
        "--game",
        SMALL,
        "--pairs",
        40,
        "--seed",
        5,
        "--json",
        cwd=program.ROOT,
    )
    report = json.loads(told.stdout)
    found = ashta.regret("greedy", game, pairs=40, seed=5)
    assert (
        found["regret"] == report["results"][0]["regret"]
        and found["score"] == report["results"][0]["score"]
    )

    table = ashta.Table.load(game)
    exact = ashta.regret(uniform, game, table=table, pairs=40)["regret"]
    drawn = ashta.regret(ashta.Agent.of(uniform, game), pairs=40)["regret"]
    assert exact == drawn and exact["decisions"] > 1000
    # The expectation of one of the worst decisions, by hand.
    [worst] = exact["worst"][:1]
    thrown = ashta.States.parse([worst["position"]], game)
    ends, _ = thrown.afterstates()
    own = table.values(ends)[:, thrown.players()[0]]
    shares = np.zeros(len(ends))
    open_ = [(thrown[0], 1.0)]
    while open_:
        state, share = open_.pop()
        for action in state.legal_actions():
            child, part = state.child(action), share / len(state.legal_actions())
            if child.current_player() == state.current_player():
                open_.append((child, part))
            else:
                shares[list(ends).index(child)] += part
    assert (own.max() - own) @ shares == pytest.approx(worst["regret"], abs=1e-6)
    best = lambda states: perfect(states, table)  # noqa: E731
    assert ashta.regret(best, game, pairs=10)["regret"]["regret_per_decision"]["mean"] == 0
    with pytest.raises(ValueError, match="no table of pagade"):
        ashta.regret("greedy", ashta.Game("pagade"))
    with pytest.raises(TypeError, match="`game` is missing"):
        ashta.regret("greedy")
    with pytest.raises(RuntimeError, match="broken"):
        ashta.regret(broken, game)


def broken(states):
    raise RuntimeError("broken")


def perfect(states, table):
    """The first action towards the afterstate with the highest value."""
    ends, owners, firsts = states.turns()
    own = table.values(ends)[np.arange(len(ends)), states.players()[owners]]
    order = np.lexsort((-own, owners))
    return firsts[order[np.searchsorted(owners[order], np.arange(len(states)))]]


def test_exploitability_and_positions_are_exact():
    game = ashta.Game("ashte-kashte?pieces=1&move=optional")
    told = program.done(
        "exploit",
        "random",
        "--game",
        "ashte-kashte?pieces=1&move=optional",
        "--json",
        cwd=program.ROOT,
    )
    by_random = ashta.exploitability("random", game)
    assert by_random == json.loads(told)
    # Here each action is one afterstate, so `random` is uniform over actions.
    assert ashta.exploitability(uniform, game)["exploitability"] == pytest.approx(
        by_random["exploitability"], abs=1e-6
    )
    three = ashta.exploitability("greedy", ashta.Game("ashte-kashte?pieces=1", 3))
    seats = three["best_response"]["seats"]
    assert set(seats) == {"S", "E", "N"} and sum(seats.values()) / 3 == pytest.approx(
        three["best_response"]["mean"]
    )
    assert 0 < three["exploitability"] == pytest.approx(three["best_response"]["mean"] - 1 / 3)

    game = ashta.Game(SMALL)
    positions = ashta.positions(game)
    assert (
        len(positions)
        == ashta.Table.load(game).facts["positions"]
        == sum(map(len, positions.blocks(100_000)))
    )
    some = positions[700_000:700_050]
    assert (some.players() == -1).all() and list(some) == [
        positions[700_000 + row] for row in range(50)
    ]
    assert (
        positions[-1] == positions[len(positions) - 1] and len(set(positions[:5000].text())) == 5000
    )
    assert next(iter(positions)) == positions[0] and len(
        pickle.loads(pickle.dumps(positions))
    ) == len(positions)
    ludo = ashta.positions(ashta.Game("ludo?pieces=1"))[:]
    assert len(set(ludo.text())) == len(ludo)
    for wrong, error in [
        (len(positions), IndexError),
        ("x", TypeError),
        ([0.5], TypeError),
        ([len(positions)], IndexError),
        (np.ones(3, bool), ValueError),
    ]:
        with pytest.raises(error):
            positions[wrong]
    for index in [
        slice(None, 700, -99_999),
        [5, -1],
        np.array([3, 3, 0]),
        np.arange(len(positions)) % 70_000 == 9,
    ]:
        assert list(positions[index]) == [
            positions[int(row)] for row in np.arange(len(positions))[index]
        ]
    with pytest.raises(ValueError, match="cannot solve|can be solved"):
        ashta.positions(ashta.Game("pagade"))


def test_rollouts_estimate_exact_values():
    game = ashta.Game(SMALL)
    table, positions = ashta.Table.load(game), ashta.positions(game)
    rng = np.random.default_rng(5)
    states = ashta.States([positions[int(row)] for row in rng.integers(len(positions), size=300)])
    exact = table.values(states)
    for values, games in [(None, 64), ("greedy", 64), (lambda some: table.values(some), 40)]:
        found = ashta.rollout(states, "perfect", values, games=games, seed=11)
        distance = np.abs(found["mean"] - exact) / found["standard_error"]
        assert (distance[:, 0] <= 2).mean() > 0.92 and (found["games"] == games).all(), values
        assert found["mean"].sum(axis=1) == pytest.approx(1)
    few = states[:20]
    assert (
        np.abs(ashta.rollout(few, "perfect", table, turns=3, games=40)["mean"] - exact[:20]).max()
        < 1e-4
    )
    stopped = ashta.rollout(few, "greedy", table, games=2000, error=0.02)
    assert (stopped["standard_error"] <= 0.02).all() and stopped["games"].min() < stopped[
        "games"
    ].max()
    one = [
        ashta.rollout(list(few), uniform, "greedy", games=33, threads=threads)["mean"]
        for threads in (1, 2)
    ]
    assert (one[0] == one[1]).all()
    for error, part, wrong in [
        (ValueError, "`turns` needs `values`", lambda: ashta.rollout(few, "greedy", turns=3)),
        (ValueError, "`games` is 1", lambda: ashta.rollout(few, "greedy", games=1)),
        (
            TypeError,
            "has no values",
            lambda: ashta.rollout(few, "greedy", ashta.Agent.of(uniform, game)),
        ),
        (
            TypeError,
            "must return an array of the shape",
            lambda: ashta.rollout(few, "greedy", lambda some: [0.5]),
        ),
        (RuntimeError, "broken", lambda: ashta.rollout(few, "greedy", broken)),
        (
            ValueError,
            "`values` must be from 0 to 1",
            lambda: ashta.rollout(few, "greedy", lambda some: np.full((len(some), 2), np.nan)),
        ),
        (
            ValueError,
            "the game is",
            lambda: ashta.rollout(few, "greedy", ashta.Table.load(ashta.Game("siga"))),
        ),
    ]:
        with pytest.raises(error, match=part):
            wrong()

    position = "ashte-kashte?pieces=2 S:5,7/N:hand,3 S 3"
    options = ["--agent", "greedy", "--values", "perfect", "--games", 50, "--seed", 4]
    told = json.loads(program.run("rollout", position, *options, "--json", cwd=program.ROOT).stdout)
    ends, _ = ashta.States.parse([position]).afterstates()
    own = ashta.rollout(ends, "greedy", "perfect", games=50, seed=4)
    assert [result["mean"]["S"] for result in told["results"]] == sorted(
        own["mean"][:, 0], reverse=True
    )
    assert {result["position"] for result in told["results"]} == set(ends.text()) and told[
        "values"
    ] == "perfect"
    shown = program.run("rollout", position, *options, cwd=program.ROOT).stdout
    assert told["results"][0]["turn"] in shown.splitlines()[2]
    assert "four parts" in program.refused("rollout", "nonsense", cwd=program.ROOT)
