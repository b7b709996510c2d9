"""`ashta.ray` on a cluster of two simulated machines: its results equal the results of one machine,
whatever is killed."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import program

ray = pytest.importorskip("ray")

import ashta  # noqa: E402
import ashta.ray  # noqa: E402
from ashta.ray import arenas, training  # noqa: E402
from ashta.ray import cluster as cluster_module  # noqa: E402
from ashta.ray.__main__ import parser, rank  # noqa: E402
from ray.cluster_utils import Cluster  # noqa: E402

SMOKE = program.SMOKE
# Twelve iterations; every third one is evaluated and saved.
SETTINGS = [
    "selfplay.games=192",
    "run.checkpoint_iterations=3",
    "run.keep_checkpoints=20",
    "evaluation.every_iterations=3",
    "evaluation.opponents=['random']",
    "run.threads=1",
    "cluster.actors=2",
    "cluster.games_per_task=7",
]
ITERATIONS = 12
# Metrics that depend on the clock.
TIMES = {"seconds", "selfplay/games_per_second", "selfplay/samples_per_second"}


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


def changes(folder, *more):
    return [*SETTINGS, f'run.directory="{folder}"', *more]


def sets(folder, *more):
    return [word for text in changes(folder, *more) for word in ("--set", text)]


def metrics(run):
    lines = map(json.loads, Path(run, "metrics.jsonl").read_text().splitlines())
    return [{key: of for key, of in line.items() if key not in TIMES} for line in lines]


def contents(run):
    """The files of the bot and of the newest checkpoint, without times and the folder of the run."""
    folder = Path(run, "checkpoints", str(ITERATIONS))
    state = json.loads((folder / "loop.json").read_text())
    del state["seconds"], state["config"]
    names = [path for path in folder.rglob("*.safetensors")]
    files = {str(path.relative_to(folder)): path.read_bytes() for path in names}
    assert len(files) == 4
    return state, files, Path(run, "best").read_text(), Path(run, "bots/smoke.bot").read_bytes()


def check(run, local):
    """The run has the bytes of the local run, and the same metrics."""
    assert contents(run) == contents(local)
    assert metrics(run) == metrics(local)


def test_a_run_makes_what_one_machine_makes(cluster, local, tmp_path):
    trained = ashta.ray.train(SMOKE, changes(tmp_path), progress=False)
    assert trained.path == tmp_path / "smoke-1" and trained.bot.is_file()
    check(trained.path, local)


def processes():
    """The numbers of the worker processes of Ray, by their titles."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            title = path.read_bytes().split(b"\0")[0]
        except OSError:
            continue
        if title.startswith((b"ray::play", b"ray::IDLE")):
            found[int(path.parent.name)] = title
    return found


def mortal(mark, when):
    """A task like `ashta.ray.training.play`, whose process is killed once, `when` it has played its
    games or is about to play them."""
    play = training.play._function

    @cluster_module.remote
    def task(config, weights, first, end):
        def die():
            if first >= 70 and not mark.exists():
                mark.touch()
                os.kill(os.getpid(), signal.SIGKILL)

        if when == "before":
            die()
        games = play(config, weights, first, end)
        if when == "after":
            die()
        return games

    return task


@pytest.mark.parametrize("when", ["before", "after"])
def test_the_games_of_a_killed_actor_are_played_again(cluster, local, tmp_path, when):
    mark = tmp_path / "killed"
    actors = lambda config: training.actors(config, mortal(mark, when))  # noqa: E731
    ashta.train(SMOKE, changes(tmp_path), actors=actors, progress=False)
    assert mark.exists()
    check(tmp_path / "smoke-1", local)


def test_actors_that_are_killed_between_iterations_are_replaced(cluster, local, tmp_path):
    killed = []

    def kill(line):
        if line["iteration"] in (4, 6):
            found = processes()
            killed.append(len(found))
            for number in found:
                os.kill(number, signal.SIGKILL)

    ashta.ray.train(SMOKE, changes(tmp_path), callback=kill, progress=False)
    assert len(killed) == 2 and all(killed)
    check(tmp_path / "smoke-1", local)


def test_an_actor_that_dies_every_time_ends_the_run(cluster, tmp_path):
    @ray.remote(max_retries=1)
    def task(*_):
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(ray.exceptions.WorkerCrashedError):
        ashta.train(
            SMOKE,
            changes(tmp_path),
            actors=lambda config: training.actors(config, task),
            progress=False,
        )


@pytest.mark.deep
def test_a_whole_machine_is_lost_and_another_one_joins(cluster, local, tmp_path):
    other, lost, joined = cluster.add_node(num_cpus=2), threading.Event(), threading.Event()

    def lose(line):
        if line["iteration"] == 5:
            cluster.remove_node(other)
            lost.set()
            assert joined.wait(program.PATIENCE)

    settings = changes(tmp_path, "cluster.actors=auto", "cluster.games_per_task=auto")
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(ashta.ray.train, SMOKE, settings, callback=lose, progress=False)
        assert lost.wait(program.PATIENCE)
        # Ray starts machines only in the main thread.
        other = cluster.add_node(num_cpus=1)
        joined.set()
        run = run.result().path
    cluster.remove_node(other)
    # The bot states the other settings.
    assert contents(run)[:3] == contents(local)[:3]
    assert metrics(run) == metrics(local)


@pytest.mark.parametrize("phase", ["after an iteration", "while actors play"])
def test_a_killed_driver_resumes_from_its_checkpoint(cluster, local, tmp_path, phase):
    script = f"""
import os, signal
import ashta, ashta.ray
def die(iteration, phase):
    if iteration == 8 and phase == {phase!r}:
        os.kill(os.getpid(), signal.SIGKILL)
def actors(config):
    play = ashta.ray.actors(config)
    def dying(weights, first, end):
        die(end // 16, "while actors play")
        return play(weights, first, end)
    return dying
watch = lambda line: die(line["iteration"], "after an iteration")
ashta.train({str(SMOKE)!r}, {changes(tmp_path)!r}, actors=actors, callback=watch)
"""
    killed = program.execute(
        sys.executable, "-c", script, env={**os.environ, "RAY_ADDRESS": cluster.address}
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    run = tmp_path / "smoke-1"
    assert (run / "latest").read_text() == "6\n"
    ashta.ray.train(resume=run, progress=False)
    check(run, local)


def test_a_stopped_run_resumes_on_one_machine_and_on_a_cluster(cluster, local, tmp_path):
    def until(iteration):
        return lambda line: line["iteration"] == iteration

    run = ashta.ray.train(SMOKE, changes(tmp_path), callback=until(4), progress=False).path
    assert (run / "latest").read_text() == "4\n"
    ashta.train(resume=run, callback=until(8), progress=False)
    ashta.ray.train(resume=run, progress=False)
    check(run, local)


def test_errors_of_actors_are_raised_by_the_driver(cluster, tmp_path):
    @ray.remote
    def task(config, weights, first, end):
        return training.play._function("", weights, first, end)

    with pytest.raises(ValueError, match=r"^the shape|weights, not"):
        ashta.train(
            SMOKE,
            changes(tmp_path),
            actors=lambda config: training.actors(config, task),
            progress=False,
        )
    with pytest.raises(ValueError, match="did you mean `cluster.actors`"):
        ashta.ray.train(SMOKE, ["cluster.actor=3"])


def test_an_error_cancels_the_other_tasks(cluster, tmp_path):
    @cluster_module.remote
    def task(folder, first, end):
        mark = folder / str(first)
        mark.touch()
        try:
            while first > 0 or not (folder / "1").exists():
                time.sleep(0.1)
        except KeyboardInterrupt:
            mark.unlink()
        raise ValueError("task 0 fails")

    with pytest.raises(ValueError, match="task 0 fails"):
        cluster_module.run(task, 2, [(0, 1), (1, 2), (2, 3)], tmp_path)
    limit = time.monotonic() + program.PATIENCE
    while (tmp_path / "1").exists():
        assert time.monotonic() < limit
        time.sleep(0.1)
    assert [path.name for path in tmp_path.iterdir()] == ["0"]


def test_agents_that_cannot_go_along_are_refused_before_a_cluster_is_asked(monkeypatch):
    def connect():
        raise AssertionError("it connects")

    monkeypatch.setattr("ashta.ray.cluster.connect", connect)
    game = ashta.Game("ashtapada", 2)
    with pytest.raises(
        ValueError, match="is a function or a model and cannot be sent to other machines"
    ):
        ashta.ray.arena(["greedy", lambda states: 0], game)
    with pytest.raises(TypeError):
        ashta.ray.arena("greedy", game)
    with pytest.raises(ValueError, match="`players` is 0, but must be at least 1"):
        ashta.ray.arena(["greedy", "random"], game, players=0)
    for wrong, error in [
        ({"anchor": "nobody"}, ValueError),
        ({"sprt": (0, 20), "alpha": 1.5}, ValueError),
        ({"sprt": (0, 20), "beta": 1.5}, ValueError),
        ({"anchors": "greedy"}, TypeError),
    ]:
        with pytest.raises(error, match="nobody|alpha|anchors"):
            ashta.ray.arena(["greedy", "random"], game, **wrong)


def test_an_arena_never_overwrites_a_file_of_games(monkeypatch, tmp_path):
    def connect():
        raise ValueError("it connects")

    monkeypatch.setattr("ashta.ray.cluster.connect", connect)
    file = tmp_path / "games.jsonl"
    words = ["greedy", "random", "--game", "ashtapada", "--games", str(file)]
    with pytest.raises(ValueError, match="it connects"):
        rank(parser().parse_args(words))
    assert not file.exists()
    file.write_text("mine")
    with pytest.raises(ValueError, match="already exists"):
        rank(parser().parse_args(words))
    assert file.read_text() == "mine"


def told(result):
    """The report of an arena without times, and its games."""
    return program.without_times(result.report), result.games


def test_an_arena_has_the_games_and_the_result_of_one_machine(cluster):
    agents = ["greedy", "runner", "ashte-kashte"]
    spread = ashta.ray.arena(agents, pairs=20, seed=5, players=3)
    assert told(spread) == told(ashta.arena(agents, pairs=20, seed=5, threads=1))
    test = {"pairs": 2000, "seed": 5, "sprt": (0, 200), "luck": "none"}
    game = ashta.Game("ashte-kashte")
    decided = ashta.ray.arena(["greedy", "random"], game, **test)
    assert told(decided) == told(ashta.arena(["greedy", "random"], game, threads=1, **test))
    assert decided.report["sprt"][0]["verdict"] != "open" and len(decided.games) < 4000
    mine = ashta.Game(sheet=program.renamed("siga"))
    spread = ashta.ray.arena(["greedy", "random"], mine, pairs=4, seed=1, luck="none")
    assert told(spread) == told(
        ashta.arena(["greedy", "random"], mine, pairs=4, seed=1, luck="none", threads=1)
    )
    with pytest.raises(ValueError, match="`nobody` is not an agent"):
        ashta.ray.arena(["greedy", "nobody"], game)


def test_bots_and_tables_travel_as_their_files(cluster, tmp_path):
    (tmp_path / "own").mkdir()
    bot = shutil.copy(program.ROOT / "checkpoints/ashte-kashte.bot", tmp_path / "own/mine.bot")
    table = shutil.copy(program.ROOT / "checkpoints/siga.table", tmp_path)
    for agents, game, folders in [
        ([f"{bot}+2ply", "greedy"], None, []),
        (["perfect", "greedy", str(table)], ashta.Game("siga"), [tmp_path]),
    ]:
        options = {"pairs": 6, "seed": 3, "folders": folders}
        spread = ashta.ray.arena(agents, game, **options)
        assert told(spread) == told(ashta.arena(agents, game, threads=1, **options))


def test_the_blocks_of_a_killed_actor_are_played_again(cluster, tmp_path, monkeypatch):
    mark, play = tmp_path / "killed", arenas.play._function

    @cluster_module.remote
    def task(share, options, first, end):
        games = play(share, options, first, end)
        if first >= 8 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return games

    monkeypatch.setattr(arenas, "play", task)
    options = {"game": ashta.Game("ashte-kashte"), "pairs": 40, "seed": 5, "luck": "none"}
    spread = ashta.ray.arena(["greedy", "random"], players=2, **options)
    assert mark.exists()
    assert told(spread) == told(ashta.arena(["greedy", "random"], threads=1, **options))


@pytest.mark.deep
def test_a_job_is_submitted(cluster, tmp_path):
    job = ["ray", "job", "submit", "--address", cluster.dashboard, "--"]
    train = [sys.executable, "-m", "ashta.ray", "train", SMOKE]
    folder = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    program.succeeded(
        program.execute(*job, *train, *sets(tmp_path, "selfplay.games=32"), env=environment)
    )
    assert (tmp_path / "smoke-1" / "bots" / "smoke.bot").is_file()


@pytest.mark.deep
def test_the_script_of_the_page_finds_the_best_settings(cluster, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    [script] = program.blocks("scaling.md", "python")
    assert len(script.splitlines()) <= 40
    start, end = script.index("SPACE = {"), script.index("SAMPLES")
    # Steps of nearly nothing learn nothing.
    space = {"learning.learning_rate": "tune.grid_search([1e-9, 3e-3])", "selfplay.games": "2048",
             "evaluation.every_iterations": "64", "evaluation.pairs": "40"}  # fmt: skip
    space = "SPACE = {" + ", ".join(f'"{key}": {of}' for key, of in space.items()) + "}\n"
    script = script[:start] + space + script[end:]
    for written, other in [
        ("configs/ashtapada.toml", str(SMOKE)),
        ('"eval/regret_per_decision", "min"', '"eval/vs_random/score", "max"'),
        ("SAMPLES, CORES = 20, 1", "SAMPLES, CORES = 1, 1"),
    ]:
        assert written in script
        script = script.replace(written, other)
    exec(script, names := {"__name__": "__main__"})
    best = names["best"]
    assert best.config["learning.learning_rate"] == 3e-3
    assert best.metrics["eval/vs_random/score"] > 0.6
    assert Path(best.metrics["run"], "latest").is_file()


def command(cluster, *words):
    environment = {**os.environ, "RAY_ADDRESS": cluster.address}
    return program.execute(sys.executable, "-m", "ashta.ray", *words, env=environment)


def test_the_command_is_the_program(cluster, local, tmp_path):
    trained = program.succeeded(command(cluster, "train", SMOKE, *sets(tmp_path)))
    run, bot = program.folders(trained)
    assert "random" in trained
    check(run, local)
    wrong = command(cluster, "train", SMOKE, "--set", "cluster.actor=3")
    assert wrong.returncode == 1 and wrong.stderr.startswith(
        "error: --set cluster.actor=3: cluster.actor: unknown"
    )
    games = tmp_path / "games.jsonl"
    met = program.succeeded(
        command(cluster, "arena", bot, "random", "--pairs", 3, "--games", games)
    )
    assert len(games.read_text().splitlines()) == json.loads(met)["games"] == 6
    assert "usage" in command(cluster, "sweep").stderr


def test_ctrl_c_saves_the_run(cluster, local, tmp_path):
    words = [sys.executable, "-m", "ashta.ray", "train", str(SMOKE), *sets(tmp_path)]
    environment = {**os.environ, "RAY_ADDRESS": cluster.address}
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=environment) as driver:
        said = next(line for line in driver.stderr if line.startswith("training in "))
        driver.send_signal(signal.SIGINT)
        said = driver.stderr.read()
        driver.wait(program.PATIENCE)
    assert driver.returncode == 130 and "ashta train --resume" in said, said
    program.done("train", "--resume", tmp_path / "smoke-1")
    check(tmp_path / "smoke-1", local)
