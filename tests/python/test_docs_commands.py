"""Every command on the pages is run, as it is written, in a folder that looks like a checkout.

`ashta` and `cargo` are those of `stand_in.py`: the same commands, less work. What cannot be run in a test stands in
`NOT_RUN` with the reason.
"""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

import program
import stand_in
from test_docs import same

PAGES = sorted(
    path.relative_to(program.ROOT).as_posix()
    for path in [
        *(program.ROOT / "docs").rglob("*.md"),
        *(program.ROOT / name for name in ("README.md", "CONTRIBUTING.md", "benches/README.md")),
        program.ROOT / "checkpoints" / "README.md",
    ]
)

NETWORK = "it needs the network"
TESTED = "it runs these tests"
BENCHES = "it needs the packages of benches/requirements.txt, of 3 GB"
NIGHTLY = "it needs a nightly compiler, and takes long; the test fuzz gives again what it found"
RELEASE = "it takes minutes; .ci/run does it"
SOLVED = "its table takes an hour to solve; test_table.py names other tables"
CLUSTER = "it takes minutes or needs a cluster; test_ray.py runs such commands on a simulated one"
NOT_RUN = {
    "./test": TESTED,
    "./test quick": TESTED,
    "./test deep": TESTED,
    "cargo nextest run --release -E 'package(ashta-env)'": TESTED,
    "cargo nextest run --release -E 'test(pagade)'": TESTED,
    "target/python-venv/bin/python -m pytest tests/python -k engine": TESTED,
    "ASHTA_ORACLE_POSITIONS=100000 cargo nextest run --release -E 'test(oracle::)'": TESTED,
    "ASHTA_LAWS_CASES=1000 cargo nextest run --release -E 'test(laws::)'": TESTED,
    "ASHTA_PAIRS=1000 ASHTA_SEED=7 cargo nextest run --release -E 'test(pairs_of_keys)'": TESTED,
    "UPDATE_GOLDEN=1 cargo nextest run --release -E 'test(perft::) + test(playthroughs::)'": TESTED,
    "UPDATE_GOLDEN=1 cargo nextest run --release -E 'test(the_schema_is)'": TESTED,
    "UPDATE_GOLDEN=1 cargo nextest run --release -E 'test(sheet_reference::)'": TESTED,
    "rustup target add wasm32-unknown-unknown": NETWORK,
    "pip install maturin": NETWORK,
    "pip install ashta-*.whl": "it changes the Python that runs the tests; ./test does it",
    "cargo install --path train": "it takes minutes; test_anywhere.py copies what it would install",
    "maturin build --release -m bindings/python/Cargo.toml -o wheels": "it takes minutes; ./test does it",
    "pip install wheels/ashta-*.whl": "it changes the Python that runs the tests; ./test does it",
    "pip install sb3-contrib": NETWORK,
    "python bindings/python/examples/train_maskable_ppo.py --opponent hunter --steps 200000": "it takes minutes; "
    "tests/torch runs it with fewer steps",
    "tensorboard --logdir runs": "it serves until it is stopped; test_metrics.py reads what it shows",
    "cargo install mdbook --locked": NETWORK,
    "mdbook build docs": "not everybody has it; test_docs.py does it where it is",
    'pip install "ashta[ray]"': NETWORK,
    "python -m ashta.ray train configs/pagade.toml --address auto": CLUSTER,
    "python -m ashta.ray train configs/pagade.toml --set run.name=wide --set 'network.hidden=[512]' "
    "--set cluster.actors=12": CLUSTER,
    "python -m ashta.ray train --resume runs/wide-1": CLUSTER,
    "ray job submit --address http://head:8265 -- python -m ashta.ray train /shared/pagade.toml "
    "--set run.directory=/shared/runs": CLUSTER,
    "python -m ashta.ray arena pagade+2ply pagade greedy+2ply --pairs 5000 --address auto > report.json": CLUSTER,
    "python -m ashta.ray sweep configs/ashtapada.toml --try 'learning.lambda=[0.6, 0.8, 0.95]' "
    "--try 'network.hidden=[[64], [128]]' --set selfplay.games=20000 --objective regret --samples 3": CLUSTER,
    "python -m ashta.ray train configs/pagade.toml": CLUSTER,
    "python -m ashta.ray train configs/ashtapada.toml --set selfplay.games=6000": CLUSTER,
    "python benches/ray_scaling.py configs/ashtapada.toml --actors 1,2,4,8 --iterations 50": CLUSTER,
    "web/build": "it takes minutes; tests/browser/run does it",
    "python3 -m http.server --directory target/web": "it serves until it is stopped",
    "ashta serve": "it serves until it is stopped; test_serve.py asks it",
    "tests/browser/run": TESTED,
    "tests/browser/run games.test.js": TESTED,
    "tests/browser/run page.test.js --test-name-pattern=light": TESTED,
    "cargo install cargo-fuzz --locked": NETWORK,
    "release/build": RELEASE,
    "release/bots --check": "test_bots_released.py runs it",
    "release/bots": "it trains the bots that are released; test_bots_released.py runs it with a list of its own",
    "release/bots siga --again": "it trains a bot that is released",
    "release/bots --tables": "test_bots_released.py compares the tables",
    "release/build page": RELEASE,
    "release/build book": RELEASE,
    "release/check": RELEASE,
    "cargo +nightly fuzz run -O notation target/found fuzz/corpus/notation fuzz/regressions/notation -- "
    "-fork=1 -max_total_time=900 -max_len=8192 -timeout=30 -malloc_limit_mb=64 -rss_limit_mb=1024": NIGHTLY,
    "cargo +nightly fuzz run -O notation fuzz/corpus/notation target/found -- "
    "-set_cover_merge=1 -use_counters=0 -max_len=1024": NIGHTLY,
    "ashta eval ur --against ur.table --pairs 2000": SOLVED,
    "python docs/atlas/make.py --pairs 400 --seed 7919": "it takes minutes; test_atlas.py measures one game",
    "python -m venv benches/.venv && . benches/.venv/bin/activate": BENCHES,
    "pip install -r benches/requirements.txt": NETWORK,
    "python benches/maskable_ppo.py --check target/release/ashta": BENCHES,
    "python benches/maskable_ppo.py --minutes 20 --json > ppo.jsonl": BENCHES,
    "python benches/maskable_ppo.py --target 0.9": BENCHES,
    "python benches/maskable_ppo.py --environment 20": BENCHES,
    "pytest benches": BENCHES,
    "python benches/maskable_ppo.py --cpu-clock --eval-minutes 0.25 --minutes 3 --seed 1 --json": BENCHES,
}

# Blocks that other tests run, with what they need: where.
ELSEWHERE = {
    ("docs/bot-format.md", "python"): "test_bot.py",
    ("docs/engine-protocol.md", "python"): "test_docs.py",
    ("docs/exporting.md", "python"): "test_onnx.py",
    ("docs/python.md", "python"): "test_package.py",
    ("docs/scaling.md", "python"): "test_ray.py",
    ("docs/table-format.md", "python"): "test_table.py",
}


def fenced(page):
    """The fenced blocks of a page as (language, text, language of a block that follows at once, its text)."""
    text = (program.ROOT / page).read_text()
    found = list(re.finditer(r"^```(\w+)\n(.*?)^```$\n?", text, re.MULTILINE | re.DOTALL))
    for block, after in zip(found, [*found[1:], None]):
        follows = after is not None and not text[block.end() : after.start()].strip()
        yield block[1], block[2], *((after[1], after[2]) if follows else (None, None))


def commands(block):
    """The commands of a block, each on one line, without comments."""
    lines = block.replace("\\\n", " ").splitlines()
    return [" ".join(re.sub(r"(^|\s)#\s.*", "", line).split()) for line in lines if line.strip()]


def test_commands_that_are_not_run_still_stand_there():
    blocks = [block for page in PAGES for language, block, *_ in fenced(page) if language == "sh"]
    written = {line for block in blocks for line in commands(block)}
    assert len(written) > 80
    assert not NOT_RUN.keys() - written


def test_blocks_that_are_run_elsewhere_are_run_there():
    for (page, language), test in ELSEWHERE.items():
        name = page.removeprefix("docs/")
        assert f'blocks("{name}", "{language}")' in (program.ROOT / "tests" / "python" / test).read_text()


@pytest.fixture(scope="session")
def checkout(tmp_path_factory):
    """A folder with all that the commands take for granted; pages get copies of it."""
    folder = tmp_path_factory.mktemp("checkout")
    bin_folder = folder.with_name(folder.name + "-bin")
    bin_folder.mkdir()
    for name, command in [
        ("ashta", f'"{sys.executable}" "{stand_in.__file__}" ashta'),
        ("cargo", f'"{sys.executable}" "{stand_in.__file__}" cargo'),
        ("python", f'"{sys.executable}"'),
    ]:
        shim = bin_folder / name
        shim.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        shim.chmod(0o755)
    for name in ("configs", "bindings", "agents", "web", "Cargo.toml"):
        (folder / name).symlink_to(program.ROOT / name)
    for name in ("checkpoints", "docs"):
        shutil.copytree(program.ROOT / name, folder / name)
    # The C library is built once, with the profile of everything else.
    (folder / "target").mkdir()
    for name, built in [("release", "release"), ("dist", "release"), ("wasm32-unknown-unknown", "wasm32-unknown-unknown")]:
        (folder / "target" / name).symlink_to(program.TARGET / built)

    prepare = """
    ashta train configs/ashtapada.toml --set 'evaluation.during=["perfect"]'
    cp runs/ashtapada-1/bots/ashtapada.bot first.bot
    cp checkpoints/ashtapada.bot second.bot
    ashta train configs/ashtapada.toml --set run.name=one --set ruleset.flags.pieces=1
    cp runs/one-1/bots/one.bot ashtapada.bot
    ashta play greedy --record game.txt
    """
    finished = shell(prepare, folder, bin_folder)
    assert finished.returncode == 0, finished.stderr
    for name in ["a-1", "a-2", "b-1", "b-2", "td-1", "td-2", "td-3", "ppo-1", "ppo-2", "ppo-3"]:
        shutil.copytree(folder / "runs" / "ashtapada-1", folder / "runs" / name)
    engine = folder / "mybot"
    engine.write_text("#!/bin/sh\nexec ashta engine --agent greedy\n")
    engine.chmod(0o755)
    return folder, bin_folder


def shell(script, folder, bin_folder):
    """Runs a script in `folder` with the stand-ins first on the path; nobody types anything."""
    environment = os.environ | {
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
        "CARGO_TARGET_DIR": str(program.TARGET),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": str(program.ROOT / "tests" / "python"),
    }
    command = ["bash", "-euo", "pipefail", "-c", script]
    nobody = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True}
    return subprocess.run(command, cwd=folder, env=environment, timeout=300, check=False, **nobody)


def interpreter(language, folder, number):
    """The command that runs a script in `language` that lies in `folder`, as (file, command)."""
    script = folder / f"block-{number}.{'py' if language == 'python' else 'mjs'}"
    return script, [sys.executable if language == "python" else "node", script]


RUN = [page for page in PAGES if any(language in ("sh", "js", "python") for language, *_ in fenced(page))]


@pytest.mark.parametrize("page", RUN)
def test_commands_run_as_they_are_written(page, checkout, tmp_path):
    base, bin_folder = checkout
    folder = tmp_path / "checkout"
    shutil.copytree(base, folder, symlinks=True)
    blocks = list(fenced(page))
    # What a page makes itself is not there before.
    shell_text = "".join(block for language, block, *_ in blocks if language == "sh")
    if "train configs/ashtapada.toml" in shell_text:
        shutil.rmtree(folder / "runs" / "ashtapada-1")
    if "--record game.txt" in shell_text:
        (folder / "game.txt").unlink()
    for number, (language, block, follows, output) in enumerate(blocks):
        if language == "sh":
            script = "\n".join(line for line in commands(block) if line not in NOT_RUN)
            finished = shell(script, folder, bin_folder)
        elif language in ("python", "js") and (page, language) not in ELSEWHERE:
            script, command = interpreter(language, folder, number)
            script.write_text(block)
            finished = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
        else:
            continue
        assert finished.returncode == 0, f"{page}:\n{block}\n{finished.stdout}\n{finished.stderr}"
        if follows == "json":
            assert same(json.loads(finished.stdout), json.loads(output)), page
        elif follows == "text":
            assert finished.stdout == output, page
    shutil.rmtree(folder)


def test_the_stand_in_hides_no_mistake(checkout, tmp_path):
    """What is wrong in a command still fails, however small the work is made."""
    _, bin_folder = checkout
    (tmp_path / "configs").symlink_to(program.ROOT / "configs")
    for command, message in [
        ("ashta train configs/smoke.toml --set selfplay.gaems=10", "selfplay.games"),
        ("ashta train configs/smoke.toml --set selfplay.games=none", "a whole number"),
        ("ashta train configs/smoke.toml --set 'network.hidden=[0]'", "network.hidden"),
        ("ashta train configs/nothing.toml", "nothing.toml"),
        ("ashta train configs/smoke.toml --games 10", "--games"),
        ("ashta eval greedy --against random --pears 10", "--pears"),
        ("ashta eval greedy --against random --pairs many", "many"),
        ("ashta evaluate greedy", "evaluate"),
        ("ashta solve configs/ashtapada.toml --set ruleset.flags.twin=none -o x.table", "twin"),
        ("ashta bench env --second 1", "--second"),
        ("cargo build --release --package ashta-d", "ashta-d"),
        ("cargo build --release --features cude", "cude"),
        ("cargo build --profile disc --package ashta-c", "disc"),
        ("cargo run --release -- eval gready", "gready"),
        ("cargo installl mdbook", "installl"),
    ]:
        finished = shell(command, tmp_path, bin_folder)
        assert finished.returncode != 0 and message in finished.stderr, (command, finished.stderr)
    assert [path.name for path in tmp_path.iterdir()] == ["configs"]


def test_options_that_the_text_speaks_of_exist():
    """Commands within a sentence are not run; their options are looked up."""
    helps, wrong = {}, []
    for page in PAGES:
        text = re.sub(r"^```.*?^```$", "", (program.ROOT / page).read_text(), flags=re.MULTILINE | re.DOTALL)
        for span in re.findall(r"`ashta ([^`]+)`", text):
            words = span.split()
            # `ashta COMMAND` is any of them.
            if words[0].isupper():
                continue
            command = tuple(words[:2] if words[0] == "bench" and len(words) > 1 else words[:1])
            if command not in helps:
                helps[command] = program.run(*command, "--help")
            options = [word.split("=")[0] for word in words if re.fullmatch(r"--?[a-z][a-z-]*(=.*)?", word)]
            known = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", helps[command].stdout))
            if helps[command].returncode != 0 or not set(options) <= known:
                wrong.append((page, span))
    assert len(helps) > 10
    assert not wrong


def test_rust_on_the_pages_is_compiled():
    """Examples in Rust stand on pages that are documentation tests of the crate `ashta-agents`."""
    library = (program.ROOT / "agents/src/lib.rs").read_text()
    with_rust = {str(page) for page in PAGES for language, *_ in fenced(page) if language.startswith("rust")}
    assert all(f'include_str!("../../{page}")' in library for page in with_rust), with_rust
