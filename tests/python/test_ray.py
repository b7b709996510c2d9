"""`ashta.ray` on a cluster of two simulated machines: its results equal the results of one machine,
whatever is killed."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import program

ray = pytest.importorskip("ray")

import ashta  # noqa: E402
import ashta.ray  # noqa: E402
from ashta._ashta import Trainer, TrainingRun  # noqa: E402
from ashta.ray import pool  # noqa: E402
from ashta.ray.training import Driver, Learner  # noqa: E402
from ray.cluster_utils import Cluster  # noqa: E402

SMOKE = program.ROOT / "configs" / "smoke.toml"
# Twelve iterations; every third one is evaluated and saved.
SETTINGS = [
    "selfplay.games=192",
    "run.checkpoint_iterations=3",
    "run.keep_checkpoints=20",
    "evaluation.every_iterations=3",
    "evaluation.opponents=['random']",
    "run.threads=1",
]
ITERATIONS = 12
FILES = [
    f"{network}/{name}.safetensors"
    for network in ("value", "policy")
    for name in ("learner", "replay")
]


@pytest.fixture(scope="module")
def cluster():
    """A head, where the driver is, and one more machine; other tests may add some."""
    os.environ["RAY_AUTH_MODE"] = "disabled"
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    head = {"num_cpus": 2, "include_dashboard": True, "dashboard_port": port}
    found = Cluster(initialize_head=True, head_node_args=head)
    found.dashboard = f"http://127.0.0.1:{port}"
    ray.init(address=found.address, log_to_driver=False)
    yield found
    ray.shutdown()
    found.shutdown()


@pytest.fixture(scope="module")
def local(tmp_path_factory):
    """The folder of the run that `ashta train` makes on one thread."""
    folder = tmp_path_factory.mktemp("local")
    program.done("train", SMOKE, *sets(folder))
    return folder / "smoke-1"


def sets(folder, *more):
    texts = [*SETTINGS, f'run.directory="{folder}"', *more]
    return [word for text in texts for word in ("--set", text)]


def begin(folder, *more):
    return TrainingRun(SMOKE, [*SETTINGS, f'run.directory="{folder}"', *more])


def outcome(run, iteration=None):
    """The contents of a checkpoint: networks, samples, counters; without seconds and later
    evaluations."""
    folder = Path(run, "checkpoints", str(iteration or ITERATIONS))
    state = json.loads((folder / "loop.json").read_text())
    kept = {key: state[key] for key in ("iteration", "games", "trainer")}
    return kept, [(folder / name).read_bytes() for name in FILES]


def metrics(run):
    return [json.loads(line) for line in Path(run, "metrics.jsonl").read_text().splitlines()]


def check(run, local):
    """The run made what the local one made, told once of each iteration, and left no games
    behind."""
    assert outcome(run) == outcome(local)
    lines, expected = metrics(run), metrics(local)
    assert [line["iteration"] for line in lines] == list(range(1, ITERATIONS + 1))
    for line, other in zip(lines, expected, strict=True):
        for key in (
            "games",
            "samples",
            "selfplay/turns_per_game",
            "selfplay/first_seat_score",
            "train/lambda",
        ):
            assert line[key] == other[key], (key, line)
        assert line.get("train/value_loss") == other.get("train/value_loss")
    assert not list(Path(run, "games").iterdir())


class Saboteur:
    """Does something once, before an iteration of a run."""

    def __init__(self, iteration, act):
        self.iteration, self.act, self.asked, self.done = iteration, act, 0, 0

    def __call__(self):
        self.asked += 1
        if self.asked == self.iteration:
            self.act()
            self.done += 1
        return False


def drive(run, saboteur):
    driver = Driver(run)
    saboteur.driver = driver
    try:
        assert driver.train(saboteur)
        table, bot = driver.conclude()
    finally:
        driver.close()
    assert saboteur.done == 1
    assert "random" in table
    return bot


@pytest.mark.parametrize("actors", [pytest.param(1, marks=pytest.mark.deep), 3])
def test_a_run_makes_what_one_machine_makes(cluster, local, tmp_path, actors, capfd):
    settings = [
        *SETTINGS,
        f'run.directory="{tmp_path}"',
        f"cluster.actors={actors}",
        "cluster.games_per_task=7",
    ]
    bot = ashta.ray.train(SMOKE, settings)
    run = tmp_path / "smoke-1"
    check(run, local)
    # The metrics contain every evaluation of the local run, and the best checkpoint is equal.
    judged = {
        line["eval/iteration"]: line["eval/vs_random/score"]
        for line in metrics(run)
        if "eval/iteration" in line
    }
    expected = {
        line["iteration"]: line["eval/vs_random/score"]
        for line in metrics(local)
        if line["iteration"] % 3 == 0
    }
    assert judged == expected
    assert (run / "best").read_text() == (local / "best").read_text()
    assert all(line["cluster/staleness"] == 0 for line in metrics(run))
    named = {row[0].strip("`") for row in program.rows("metrics.md", "Many machines")}
    assert named == {key for line in metrics(run) for key in line} - {
        key for line in metrics(local) for key in line
    }
    made, other = program.manifest(bot), program.manifest(local / "bots" / "smoke.bot")
    assert made["strength"] == other["strength"] and made["training"]["games"] == "192"
    assert made["training"]["recipe"] == other["training"]["recipe"]
    assert (run / "bots" / "README.md").is_file()
    assert f"bot: {bot}" in capfd.readouterr().out


@pytest.mark.deep
def test_weights_lag_behind_by_no_more_than_is_allowed(cluster, local, tmp_path):
    bot = ashta.ray.train(
        SMOKE, [*SETTINGS, f'run.directory="{tmp_path}"', "cluster.actors=2", "cluster.staleness=2"]
    )
    made, other = (
        program.manifest(path)["training"] for path in (bot, local / "bots" / "smoke.bot")
    )
    assert made["recipe"] != other["recipe"] and "changes" not in made
    lags = [line["cluster/staleness"] for line in metrics(tmp_path / "smoke-1")]
    assert lags == [0, 1] + [2] * (ITERATIONS - 2)
    assert outcome(tmp_path / "smoke-1") != outcome(local), "other weights play other games"
    bot = ashta.ray.resume(tmp_path / "smoke-1", ["selfplay.games=224", "cluster.staleness=0"])
    made = program.manifest(bot)["training"]
    assert all(
        part in made["changes"]
        for part in ("cluster.staleness = 2 → 0", "selfplay.games = 192 → 224")
    ), made


def kill_one(pool):
    ray.kill(
        [*(actor for actor, *_ in pool._busy.values()), *pool._idle, *pool._starting.values()][0]
    )


def kill_actor(driver):
    kill_one(driver.pool)


def kill_learner(driver):
    kill_one(driver.learners)


def kill_evaluator(driver):
    kill_one(driver.evaluators)


# Every worker is lost while the others wait for it, or do not.
LOST = [pytest.param(kill, at, marks=[] if (kill, at) == (kill_learner, 5) else pytest.mark.deep)
        for kill in (kill_actor, kill_learner, kill_evaluator) for at in (5, 7)]  # fmt: skip


@pytest.mark.parametrize("kill, iteration", LOST)
def test_whoever_is_killed_nothing_is_lost_or_counted_twice(
    cluster, local, tmp_path, kill, iteration
):
    saboteur = Saboteur(iteration, lambda: kill(saboteur.driver))
    drive(begin(tmp_path, "cluster.actors=2"), saboteur)
    check(tmp_path / "smoke-1", local)


@pytest.mark.deep
def test_a_whole_machine_is_lost_and_another_one_joins(cluster, local, tmp_path):
    other = cluster.add_node(num_cpus=2)
    run = begin(tmp_path)
    # The learner is there, too.
    node = other.node_id
    strategy = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
        node_id=node, soft=True
    )
    joined = []

    def lose():
        assert saboteur.driver.pool.size == 4
        cluster.remove_node(other)
        joined.append(cluster.add_node(num_cpus=1))

    saboteur = Saboteur(5, lose)
    driver = Driver(run)
    saboteur.driver = driver
    learner = Learner.options(num_cpus=0, scheduling_strategy=strategy)
    driver.learners._start = lambda: learner.remote(Trainer, run.config, run.checkpoint())
    try:
        assert driver.train(saboteur)
        driver.conclude()
    finally:
        driver.close()
        for node in joined:
            cluster.remove_node(node)
    assert saboteur.done == 1
    check(tmp_path / "smoke-1", local)


@pytest.mark.deep
def test_a_killed_driver_goes_on_from_the_folder_of_its_run(cluster, local, tmp_path):
    script = f"""
import os, signal, sys
import ray
from ashta._ashta import TrainingRun
from ashta.ray.training import Driver
ray.init(address={cluster.address!r}, log_to_driver=False)
driver = Driver(TrainingRun({str(SMOKE)!r}, {[*SETTINGS, f'run.directory="{tmp_path}"', "cluster.actors=2"]!r}))
asked = 0
def stops():
    global asked
    asked += 1
    if asked == 9:
        os.kill(os.getpid(), signal.SIGKILL)
driver.train(stops)
"""
    killed = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    run = tmp_path / "smoke-1"
    assert sorted(int(path.name) for path in (run / "games").iterdir()) == [7, 8], (
        "the games since the checkpoint"
    )
    ashta.ray.resume(run)
    check(run, local)
    # Nothing of the games that were kept was played again.
    assert [line["iteration"] for line in metrics(run) if "cluster/staleness" not in line] == [7, 8]


def test_a_run_is_interrupted_and_goes_on(cluster, local, tmp_path):
    asked = iter(range(100))
    with pytest.raises(ashta.ray.Interrupted, match="python -m ashta.ray train --resume .*smoke-1"):
        settings = [*SETTINGS, f'run.directory="{tmp_path}"', "cluster.actors=2"]
        ashta.ray.train(SMOKE, settings, stops=lambda: next(asked) == 4)
    run = tmp_path / "smoke-1"
    assert (run / "latest").read_text() == "4\n"
    # The program of one machine could also resume the run.
    ashta.ray.resume(run)
    check(run, local)


def test_other_settings_are_refused_before_anything_is_written(cluster, tmp_path):
    directory = f'run.directory="{tmp_path}/runs"'
    for settings, message in [
        (["cluster.actor=3"], "unknown key `cluster.actor`; did you mean `cluster.actors`"),
        (["cluster.actors=0"], 'must be a whole number from 1 to 100000 or "auto"'),
        (["evaluation.during=['nobody']"], "opponent `nobody`"),
        (["run.device=tpu"], "`run.device` is"),
        (["cluster.learner_cores=9"], "need 10 cores, but the cluster has 2"),
    ]:
        with pytest.raises(ValueError, match=message.replace("[", r"\[")):
            ashta.ray.train(SMOKE, [directory, *settings])
    assert not list((tmp_path / "runs").glob("*/checkpoints/*"))
    with pytest.raises(ValueError, match="is not the folder of a run"):
        ashta.ray.resume(tmp_path)


@pytest.mark.deep
def test_workers_that_fit_no_machine_are_named_at_once(cluster, tmp_path):
    node = cluster.add_node(num_cpus=2)
    cluster.wait_for_nodes()
    try:
        for settings, message in [
            (
                ["cluster.learner_cores=3"],
                "the learner needs 3 cores on one machine, but no machine of the cluster has them",
            ),
            (["cluster.evaluator_cores=3"], "the evaluator needs 3 cores on one machine"),
        ]:
            with pytest.raises(ValueError, match=message):
                ashta.ray.train(
                    SMOKE, [f'run.directory="{tmp_path}"', "cluster.actors=1", *settings]
                )
    finally:
        cluster.remove_node(node)


def test_machines_that_round_otherwise_are_named_once(cluster, local, tmp_path, capfd):
    driver = Driver(begin(tmp_path, "cluster.actors=1"))
    try:
        driver._compare("actor", driver.run.numerics)
        driver._compare("actor", "0badcafe")
        driver._compare("actor", "0badcafe")
    finally:
        driver.close()
    said = capfd.readouterr().err
    assert said.count("rounds differently (0badcafe)") == 1 and driver.run.numerics in said
    facts = json.loads((local / "run.json").read_text())
    assert facts["numerics"] == driver.run.numerics


@pytest.mark.deep
def test_the_program_makes_up_the_evaluation_that_a_cluster_had_not_written(cluster, tmp_path):
    asked = iter(range(100))
    with pytest.raises(ashta.ray.Interrupted):
        ashta.ray.train(
            SMOKE,
            [*SETTINGS, f'run.directory="{tmp_path}"', "cluster.actors=1"],
            stops=lambda: next(asked) == 3,
        )
    run = tmp_path / "smoke-1"
    lines = (run / "metrics.jsonl").read_text().splitlines(keepends=True)
    # As a driver leaves it that is killed before the evaluation of its newest checkpoint was there.
    kept = [
        {key: value for key, value in json.loads(line).items() if not key.startswith("eval/")}
        for line in lines
    ]
    (run / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in kept[:3]))
    assert sorted(path.name for path in (run / "checkpoints").iterdir())[0] == "3"
    program.done("train", "--resume", run)
    metrics = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    evaluated = [
        line.get("eval/iteration", line["iteration"])
        for line in metrics
        if any(key.startswith("eval/vs") for key in line)
    ]
    assert 3 in evaluated, evaluated


@pytest.mark.deep
def test_a_checkpoint_of_other_networks_ends_the_run_with_its_reason(cluster, tmp_path):
    settings = [*SETTINGS, f'run.directory="{tmp_path}"', "cluster.actors=1"]
    asked = iter(range(100))
    with pytest.raises(ashta.ray.Interrupted):
        ashta.ray.train(SMOKE, settings, stops=lambda: next(asked) == 3)
    with pytest.raises((ValueError, ashta.ray.WorkersDied), match="the shape"):
        ashta.ray.resume(tmp_path / "smoke-1", ["network.hidden=[24]"])
    # The refused settings have changed nothing.
    ashta.ray.resume(tmp_path / "smoke-1")


class Dying:
    """A worker that answers old questions and dies of new ones."""

    def again(self):
        return True

    def new(self):
        os._exit(1)


def test_a_worker_that_dies_of_each_new_question_is_given_up(cluster):
    Worker = pool.worker("DyingProcess")
    dying = pool.Pool(
        "workers",
        lambda: Worker.remote(Dying()),
        lambda: 1,
        lambda _: dying.give_first([("again",)]),
        0,
    )
    dying.give("task", "new")
    try:
        with pytest.raises(ashta.ray.WorkersDied, match="workers died 4 times in a row"):
            for _ in range(1000):
                pool.pump(dying)
    finally:
        dying.close()


def test_agents_that_cannot_go_along_are_refused_before_a_cluster_is_asked(cluster, monkeypatch):
    def connect(_):
        raise AssertionError("it connects")

    monkeypatch.setattr("ashta.ray.arenas.connect", connect)
    game = ashta.Game("ashtapada", 2)
    with pytest.raises(
        ValueError, match="is a function or a model and cannot be sent to other machines"
    ):
        ashta.ray.arena(["greedy", lambda states: 0], game)
    with pytest.raises(TypeError):
        ashta.ray.arena("greedy", game)


def test_an_arena_has_the_games_and_the_result_of_one_machine(cluster):
    def told(result):
        agents = [
            {key: of for key, of in agent.items() if "millis" not in key}
            for agent in result.report["agents"]
        ]
        return {**result.report, "agents": agents}, result.games

    agents = ["greedy", "runner", "ashte-kashte"]
    spread = ashta.ray.arena(agents, pairs=20, seed=5, players=3)
    assert told(spread) == told(ashta.arena(agents, pairs=20, seed=5, threads=1))
    test = {"pairs": 2000, "seed": 5, "sprt": (0, 200), "luck": "none"}
    game = ashta.Game("ashte-kashte")
    decided = ashta.ray.arena(["greedy", "random"], game, **test)
    assert told(decided) == told(ashta.arena(["greedy", "random"], game, threads=1, **test))
    assert decided.report["sprt"][0]["verdict"] != "open" and len(decided.games) < 4000
    sheet = (
        (program.ROOT / "env" / "games" / "siga.toml")
        .read_text()
        .replace('name = "siga"', 'name = "mine"')
    )
    mine = ashta.Game(sheet=sheet)
    spread = ashta.ray.arena(["greedy", "random"], mine, pairs=4, seed=1, luck="none")
    assert told(spread) == told(
        ashta.arena(["greedy", "random"], mine, pairs=4, seed=1, luck="none", threads=1)
    )
    with pytest.raises(ValueError, match="`nobody` is not an agent"):
        ashta.ray.arena(["greedy", "nobody"], game)


@pytest.mark.deep
def test_a_job_is_submitted(cluster, tmp_path):
    job = [
        "ray",
        "job",
        "submit",
        "--address",
        cluster.dashboard,
        "--",
        sys.executable,
        "-m",
        "ashta.ray",
        "train",
    ]
    program_folder = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{program_folder}{os.pathsep}{os.environ['PATH']}"}
    submitted = subprocess.run(
        [*job, SMOKE, *sets(tmp_path, "selfplay.games=32")],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert submitted.returncode == 0, submitted.stderr + submitted.stdout
    assert (tmp_path / "smoke-1" / "bots" / "smoke.bot").is_file()


@pytest.mark.deep
def test_a_sweep_finds_the_best_settings(cluster, tmp_path):
    # Steps of nearly nothing learn nothing.
    space = {"learning.learning_rate": ray.tune.grid_search([1e-9, 3e-3])}
    settings = ["selfplay.games=2048", "evaluation.every_iterations=64", "evaluation.pairs=40"]
    found = ashta.ray.sweep(SMOKE, space, set=settings, objective="score", directory=tmp_path)
    assert not found.errors and len(found) == 2
    best = found.get_best_result()
    assert best.config["learning.learning_rate"] == 3e-3
    assert best.metrics["score"] > 0.6 and Path(best.metrics["bot"]).is_file()
    assert program.manifest(Path(best.metrics["bot"]))["training"]["games"] == "2048"
    with pytest.raises(ValueError, match="must be one of regret, score, rating"):
        ashta.ray.sweep(SMOKE, objective="luck")
    for space, set, message in [
        ({}, ["selfplay.game=3"], "unknown key `selfplay.game`"),
        ({"learning.lamda": ray.tune.grid_search([0.5])}, [], "did you mean `learning.lambda`"),
        ({"learning.lambda": ray.tune.grid_search([0.5, 1.5])}, [], "a number from 0 to 1"),
    ]:
        with pytest.raises(ValueError, match=message):
            ashta.ray.sweep(
                SMOKE, space, set=set, objective="score", directory=tmp_path / "refused"
            )
    assert not (tmp_path / "refused").exists()


@pytest.mark.deep
def test_the_example_of_the_page_runs(cluster, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    [example] = program.blocks("scaling.md", "python")
    for written, less in [
        ("configs/ashtapada.toml", str(SMOKE)),
        ('objective="regret"', 'objective="score"'),
        ("samples=20", "samples=2, set=['selfplay.games=64']"),
    ]:
        assert written in example
        example = example.replace(written, less)
    exec(example, names := {})
    assert len(names["results"]) == 2 and not names["results"].errors


@pytest.mark.deep
def test_the_command_line(cluster, tmp_path):
    def told(*words, code=0):
        command = [sys.executable, "-m", "ashta.ray", *map(str, words)]
        environment = {**os.environ, "RAY_ADDRESS": cluster.address}
        ran = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        assert ran.returncode == code, ran.stderr
        return ran

    trained = told("train", SMOKE, *sets(tmp_path, "selfplay.games=32"), "--address", "auto")
    bot = tmp_path / "smoke-1" / "bots" / "smoke.bot"
    assert trained.stdout.endswith(f"bot: {bot}\n") and "random" in trained.stdout
    games = tmp_path / "games.jsonl"
    met = told("arena", bot, "random", "--pairs", 3, "--games", games)
    assert len(games.read_text().splitlines()) == json.loads(met.stdout)["games"] == 6
    swept = told(
        "sweep",
        SMOKE,
        "--try",
        "learning.lambda=[0.5,0.9]",
        "--objective",
        "score",
        "--set",
        "selfplay.games=32",
        "--directory",
        tmp_path / "sweep",
    )
    assert swept.stdout.count("learning.lambda=") == 2
    wrong = told("train", SMOKE, "--set", "cluster.actor=3", code=1)
    assert wrong.stderr.startswith("error: --set cluster.actor=3: unknown key")
    assert told("train", SMOKE, "--resume", tmp_path, code=1).stderr.startswith(
        "error: --resume takes the settings"
    )
    assert "not JSON" in told("sweep", SMOKE, "--try", "learning.lambda=[0.5", code=1).stderr
