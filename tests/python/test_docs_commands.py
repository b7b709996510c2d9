"""Every command on the pages is run, as it is written, in a folder that looks like a checkout.

`stand_in.py` replaces `ashta` and `cargo`: the same commands with less work. `NOT_RUN` lists the
commands that a test cannot run, with the reason.
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

# Commands that are not run here, as patterns of their beginning, with the reason.
NOT_RUN = {
    r"\./test|cargo nextest|UPDATE_GOLDEN|ASHTA_|tests/browser/run|.* -m pytest": "it runs these tests",
    r"pip install|cargo install|rustup": "it needs the network, or changes the Python that runs the tests",
    r"ashta serve|tensorboard|python3 -m http.server": "it serves until it is stopped; test_serve.py asks `ashta serve`",
    r"(RAY_ADDRESS=auto )?python -m ashta.ray|ray job|python benches/ray_scaling.py": "it needs a cluster; test_ray.py runs such commands",
    r"release/|web/build|bindings/js/build|npm pack|maturin build|mdbook build": "it takes minutes; .ci/run, ./test and test_bots_released.py do it",
    r"cargo \+nightly": "it needs a nightly compiler; the test fuzz gives again what the fuzzer found",
    r"ashta eval ur --against ur.table": "its table takes an hour to solve; test_table.py names other tables",
    r"cargo run --release -p ashta-benches": "it measures for minutes; .ci/run measures one game",
    r"node tests/browser/": "it takes pictures for minutes",
    r"python docs/atlas/make.py": "it takes minutes; test_atlas.py measures one game",
    r"python bindings/python/examples/train_maskable_ppo.py": "it takes minutes; tests/torch runs it with fewer steps",
    r"python .*benches/|pytest benches": "it needs the packages of benches/requirements.txt, of 3 GB",
}


def is_run(line):
    return not any(re.match(pattern, line) for pattern in NOT_RUN)


# Blocks that other tests run, with the name of the test file.
ELSEWHERE = {
    ("docs/bot-format.md", "python"): "test_bot.py",
    ("docs/engine-protocol.md", "python"): "test_docs.py",
    ("docs/exporting.md", "python"): "test_onnx.py",
    ("docs/python.md", "python"): "test_package.py",
    ("docs/scaling.md", "python"): "test_ray.py",
    ("docs/table-format.md", "python"): "test_table.py",
}


def fenced(page):
    """The fenced blocks of a page as (language, text, language of a block that follows at once, its
    text)."""
    text = (program.ROOT / page).read_text()
    found = list(re.finditer(r"^```(\w+)\n(.*?)^```$\n?", text, re.MULTILINE | re.DOTALL))
    for block, after in zip(found, [*found[1:], None]):
        follows = after is not None and not text[block.end() : after.start()].strip()
        yield block[1], block[2], *((after[1], after[2]) if follows else (None, None))


def commands(block):
    """The commands of a block, each on one line, without comments."""
    lines = block.replace("\\\n", " ").splitlines()
    return [" ".join(re.sub(r"(^|\s)#\s.*", "", line).split()) for line in lines if line.strip()]


def test_commands_that_are_not_run_are_on_a_page():
    blocks = [block for page in PAGES for language, block, *_ in fenced(page) if language == "sh"]
    written = {line for block in blocks for line in commands(block)}
    assert len(written) > 80
    assert all(any(re.match(pattern, line) for line in written) for pattern in NOT_RUN)


def test_blocks_that_are_run_elsewhere_are_run_there():
    for (page, language), test in ELSEWHERE.items():
        name = page.removeprefix("docs/")
        assert (
            f'blocks("{name}", "{language}")'
            in (program.ROOT / "tests" / "python" / test).read_text()
        )


@pytest.fixture(scope="session")
def checkout(tmp_path_factory):
    """A folder with the files that the commands need; each page gets a copy."""
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
    for name, built in [
        ("release", "release"),
        ("dist", "release"),
        ("wasm32-unknown-unknown", "wasm32-unknown-unknown"),
    ]:
        (folder / "target" / name).symlink_to(program.TARGET / built)

    prepare = """
    ashta train configs/ashtapada.toml --set 'evaluation.during=["perfect"]'
    cp runs/ashtapada-1/bots/ashtapada.bot first.bot
    cp checkpoints/ashtapada.bot second.bot
    ashta train configs/ashtapada.toml --set run.name=one --set ruleset.flags.pieces=1
    cp runs/one-1/bots/one.bot ashtapada.bot
    ashta play greedy --record game.txt
    python -c 'from json import dump; from ashta import benchmark; dump(benchmark.play(
        "ashtapada", "random", name="mine", track="policy", budget={"steps": 0}, pairs=2), open("mine.json", "w"))'
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
    """The file and the command of a script in `language` in `folder`."""
    script = folder / f"block-{number}.{'py' if language == 'python' else 'mjs'}"
    return script, [sys.executable if language == "python" else "node", script]


RUN = [
    page
    for page in PAGES
    if any(language in ("sh", "js", "python") for language, *_ in fenced(page))
]


@pytest.mark.parametrize("page", RUN)
def test_commands_run_as_they_are_written(page, checkout, tmp_path):
    base, bin_folder = checkout
    folder = tmp_path / "checkout"
    shutil.copytree(base, folder, symlinks=True)
    blocks = list(fenced(page))
    # The files that a page itself makes must be absent at first.
    shell_text = "".join(block for language, block, *_ in blocks if language == "sh")
    if "train configs/ashtapada.toml" in shell_text:
        shutil.rmtree(folder / "runs" / "ashtapada-1")
    if "--record game.txt" in shell_text:
        (folder / "game.txt").unlink()
    for number, (language, block, follows, output) in enumerate(blocks):
        if language == "sh":
            script = "\n".join(line for line in commands(block) if is_run(line))
            finished = shell(script, folder, bin_folder)
        elif language in ("python", "js") and (page, language) not in ELSEWHERE:
            script, command = interpreter(language, folder, number)
            script.write_text(block)
            finished = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, timeout=60, check=False
            )
        else:
            continue
        assert finished.returncode == 0, f"{page}:\n{block}\n{finished.stdout}\n{finished.stderr}"
        if follows == "json":
            assert same(json.loads(finished.stdout), json.loads(output)), page
        elif follows == "text":
            assert finished.stdout == output, page
    shutil.rmtree(folder)


def test_options_that_the_text_speaks_of_exist():
    """Commands within a sentence are not run, but their options must exist."""
    helps, wrong = {}, []
    for page in PAGES:
        text = re.sub(
            r"^```.*?^```$", "", (program.ROOT / page).read_text(), flags=re.MULTILINE | re.DOTALL
        )
        for span in re.findall(r"`ashta ([^`]+)`", text):
            words = span.split()
            # `ashta COMMAND` stands for any command.
            if words[0].isupper():
                continue
            command = tuple(words[:1])
            if command not in helps:
                helps[command] = program.run(*command, "--help")
            options = [
                word.split("=")[0] for word in words if re.fullmatch(r"--?[a-z][a-z-]*(=.*)?", word)
            ]
            known = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", helps[command].stdout))
            if helps[command].returncode != 0 or not set(options) <= known:
                wrong.append((page, span))
    assert len(helps) > 10
    assert not wrong


def test_rust_on_the_pages_is_compiled():
    """Examples in Rust are documentation tests of the crate `ashta-tests`, or a unit test of the
    losses."""
    files = ["tests/src/lib.rs", "agents/src/learn/net/loss.rs"]
    library = "".join((program.ROOT / file).read_text() for file in files)
    with_rust = {
        str(page) for page in PAGES for language, *_ in fenced(page) if language.startswith("rust")
    }
    assert all(f'/{page}")' in library for page in with_rust), with_rust
