"""The built program as other programs meet it: run to its end, or asked line by line as an engine.

Knows nothing of games or networks.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
ASHTA = TARGET / "release" / "ashta"
SMOKE = ROOT / "configs" / "smoke.toml"
SHEETS = ROOT / "env" / "games"
CHECKPOINTS = ROOT / "checkpoints"
# The released bots, and the names of those that are in the program and in the package.
RELEASED = sorted(CHECKPOINTS.glob("*.bot"))
SMALL = sorted(path.stem for path in RELEASED if not path.stem.endswith("-strong"))

# A shell that starts the tests in the background ignores Ctrl-C, and child processes would inherit
# this.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Longest time that a single command of these tests may take, in seconds.
PATIENCE = 60


def execute(*command, **options):
    """Runs a command to its end; returns the finished process with its output as text."""
    options = {"capture_output": True, "text": True, "timeout": PATIENCE, "check": False} | options
    return subprocess.run([str(part) for part in command], **options)


def run(*arguments, **options):
    """Runs `ashta` with `arguments` to its end; returns the finished process with its output as
    text."""
    return execute(ASHTA, *arguments, **options)


def done(*arguments, **options):
    """Runs `ashta`, which must succeed; returns its standard output."""
    return succeeded(run(*arguments, **options))


def read_json(*arguments, **options):
    """Runs `ashta` with the option `--json`, which must succeed; returns what it prints."""
    return json.loads(done(*arguments, "--json", **options))


def refused(*arguments, **options):
    """Runs `ashta`, which must print nothing but an error; returns the error."""
    finished = run(*arguments, **options)
    assert (finished.returncode, finished.stdout) == (1, ""), finished
    return finished.stderr


def wait_until(is_so, process):
    """Waits until `is_so()`, and fails if the process ends before or it takes too long."""
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.002)


def python(*arguments, **options):
    """Runs Python with `arguments`, which must succeed; returns its standard output."""
    return succeeded(execute(sys.executable, *arguments, **options))


def succeeded(finished):
    assert finished.returncode == 0, f"{finished.args}\n{finished.stdout}{finished.stderr}"
    return finished.stdout


def training(directory, *settings):
    """The arguments of `ashta` that train the tiny network of configs/smoke.toml below
    `directory`."""
    settings = [f"run.directory={directory}", *settings]
    return ["train", SMOKE, *(part for setting in settings for part in ("--set", setting))]


def train(directory, *settings):
    """Trains the tiny network of configs/smoke.toml below `directory`; returns (folder of the run,
    bot file)."""
    return folders(done(*training(directory, *settings)))


def folders(output):
    """The folder of the run and the bot file that a finished training names on standard output."""
    named = re.findall(r"^bot: (.+)$", output, re.MULTILINE)
    assert len(named) == 1, output
    bot = Path(named[0])
    return bot.parents[1], bot


class Engine:
    """`ashta engine` under way. Use it in a `with` statement."""

    def __init__(self, agent=None):
        options = [] if agent is None else ["--agent", str(agent)]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            [str(ASHTA), "engine", *options], stdin=pipe, stdout=pipe, stderr=pipe
        )

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.stdin.close()
        self.process.wait(PATIENCE)
        self.process.stdout.close()
        self.process.stderr.close()

    def line(self, line):
        """The answer to a line, text or bytes without a line break."""
        line = line if isinstance(line, bytes) else line.encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer.endswith(b"\n"), f"no answer to {line[:80]}; {self.process.poll()}"
        return json.loads(answer)

    def ask(self, **request):
        """The answer to a request, also if it is an error."""
        return self.line(json.dumps(request))

    def get(self, **request):
        """The answer to a request that must not fail."""
        answer = self.ask(**request)
        assert "error" not in answer, (request, answer)
        return answer


def manifest(bot):
    """The manifest of a bot file, read without any code of ashta."""
    with bot.open("rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    return json.loads(header["__metadata__"]["ashta"])


def sealed(content):
    """The content of a bot file with the checksum at its end corrected."""
    return content[:-4] + zlib.crc32(content[:-4]).to_bytes(4, "little")


def renamed(game, name="mine"):
    """The sheet of a built-in game under another name."""
    return (SHEETS / f"{game}.toml").read_text().replace(f'name = "{game}"', f'name = "{name}"', 1)


def without_times(report):
    """The report of an arena without the times of its agents."""
    agents = [
        {key: of for key, of in agent.items() if key != "milliseconds"}
        for agent in report["agents"]
    ]
    return {**report, "agents": agents}


def blocks(page, language):
    """The fenced code blocks of `language` on a page of docs/."""
    text = (ROOT / "docs" / page).read_text()
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def rows(page, heading):
    """The rows of the first table under a heading of a page of docs/, as lists of cells, without
    its head."""
    text = (ROOT / "docs" / page).read_text()
    section = text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    table = [line for line in section.splitlines() if line.startswith("|")]
    assert table, f"{page} has no table under {heading}"
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in table[2:]]
