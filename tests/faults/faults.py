"""Faults that a run must survive: ends at any moment, disks that fail or fill, power that goes,
files that change.

Each case begins with a tiny run that nothing disturbed. A disturbed run must name the fault in a
sentence, and must resume to the same bot and the same metrics. `tests/faults/run` tries many;
tests/python/test_faults.py a few.
"""

import dataclasses
import errno
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
ASHTA = Path(os.environ.get("ASHTA", TARGET / "release" / "ashta"))
# Longest time of one command, in seconds.
PATIENCE = 120
# Values that differ from run to run.
TIMES = re.compile(r"seconds|per_second|learner_seconds|wait_seconds")


def shim():
    """The library that disturbs a program from below; built when it is missing or old."""
    source, library = Path(__file__).with_name("shim.c"), TARGET / "faults" / "shim.so"
    if not library.exists() or library.stat().st_mtime < source.stat().st_mtime:
        library.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            ["gcc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl", "-lpthread"],
            check=True,
        )
    return library


def ashta(*words, under=None, log=None, at=None, do=None, on=False, limits=""):
    """Runs the program with one fault: `do` is "kill" or an error, at the call number `at`."""
    environment = dict(os.environ, RUST_BACKTRACE="0")
    if under:
        environment |= {"LD_PRELOAD": str(shim()), "FAULTS_UNDER": str(under)}
    for name, value in [("FAULTS_LOG", log), ("FAULTS_AT", at), ("FAULTS_DO", do)]:
        if value is not None:
            environment[name] = str(value)
    if on:
        environment["FAULTS_ON"] = "1"
    command = [str(ASHTA), *map(str, words)]
    if limits:
        command = ["sh", "-c", f'{limits}; exec "$0" "$@"', *command]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE, check=False, env=environment
    )


def settings(folder, *more):
    """The words that begin the tiny run in a folder."""
    changes = [f"run.directory={folder}", "run.threads=1", *more]
    return [
        "train",
        ROOT / "configs" / "smoke.toml",
        *(word for change in changes for word in ("--set", change)),
    ]


def outcome(run):
    """The result of a run without times: bot, metrics, steps of TensorBoard, kept checkpoints and
    marks."""
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    metrics = [
        {key: value for key, value in line.items() if not TIMES.search(key)} for line in lines
    ]
    kept = sorted(path.name for path in (run / "checkpoints").iterdir() if path.name.isdigit())
    marks = {name: (run / name).read_text() for name in ("latest", "best") if (run / name).exists()}
    return {
        # Its settings name the folder.
        "bot": (run / "bots" / "smoke.bot").read_bytes().replace(b"/tried", b"/whole"),
        "metrics": metrics,
        "steps": steps(run),
        "kept": kept,
        "marks": marks,
    }


def steps(run):
    """The steps of all scalars in the event files of TensorBoard, in order."""
    found = []
    for path in (run / "tensorboard").iterdir():
        content, at = path.read_bytes(), 0
        while at < len(content):
            (length,) = struct.unpack_from("<Q", content, at)
            event = content[at + 12 : at + 12 + length]
            at += 16 + length
            # Its second field, behind the time, is the step.
            step, shift, place = 0, 0, 10
            while len(event) > place and event[9] == 16:
                step |= (event[place] & 127) << shift
                shift, place = shift + 7, place + 1
                if event[place - 1] < 128:
                    break
            if step and b"selfplay/games_per_second" in event:
                found.append(step)
    return sorted(found)


class Faults:
    """Disturbs a run with one fault after the other and counts the losses."""

    def __init__(self, scratch):
        self.scratch = Path(scratch)
        self.tried, self.lost = {}, []
        self.folder = self.scratch / "whole"
        self.folder.mkdir(parents=True)
        self.log = self.scratch / "calls"
        finished = ashta(*settings(self.folder), under=self.folder, log=self.log)
        assert finished.returncode == 0, finished.stderr
        self.whole = outcome(self.run_of(self.folder))
        self.calls = list(calls(self.log))

    @staticmethod
    def run_of(folder):
        return folder / "smoke-1"

    def count(self, kind):
        self.tried[kind] = self.tried.get(kind, 0) + 1

    def lose(self, kind, what):
        self.lost.append(f"{kind}: {what}")
        print(f"LOST {kind}: {what}", file=sys.stderr)

    def fresh(self):
        folder = self.scratch / "tried"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return folder

    def goes_on(self, kind, what, folder, *options):
        """Checks that the run in a folder resumes to the result of the undisturbed run."""
        run = self.run_of(folder)
        if not (run / "config.toml").exists():
            # The run ended before its first checkpoint.
            return
        finished = ashta("train", "--resume", run, *options)
        if finished.returncode != 0:
            return self.lose(kind, f"{what}: {finished.stderr.strip()[-300:]}")
        now = outcome(run)
        for part, value in self.whole.items():
            if now[part] != value:
                shown = "" if part == "bot" else f": {now[part]} instead of {value}"
                return self.lose(kind, f"{what}: other {part}{shown[:400]}")

    def is_plain(self, kind, what, finished, words=""):
        """Checks that a failed command said why in a sentence."""
        said = finished.stderr
        if (
            finished.returncode in (0, 101, 134)
            or finished.returncode < 0
            or "panicked" in said
            or words not in said
        ):
            self.lose(kind, f"{what}: status {finished.returncode}: {said.strip()[-300:]}")

    # The kinds of faults.

    def kill(self, number):
        """kill -9 before a call that changes a file."""
        self.count("kill")
        folder = self.fresh()
        ashta(*settings(folder), under=folder, at=number, do="kill")
        self.goes_on("kill", f"before call {number} ({self.name_of(number)})", folder)

    def fail(self, number, error, on):
        """A call that changes a file fails, or with `on` all do from then on."""
        kind = errno.errorcode[error]
        self.count(kind)
        folder = self.fresh()
        what = f"call {number} ({self.name_of(number)})"
        finished = ashta(*settings(folder), under=folder, at=number, do=error, on=on)
        # A removed file may be absent, and the first lines of a card are not needed.
        if finished.returncode != 0:
            self.is_plain(kind, what, finished)
        self.goes_on(kind, what, folder)

    def lose_power(self, number, names_last):
        """The power goes before a call: only what was synced is there, with `names_last` also all
        names."""
        self.count("power")
        folder = self.fresh()
        restore(self.calls[:number], self.folder, folder, names_last)
        self.goes_on(
            "power",
            f"before call {number} ({self.name_of(number)}), names last: {names_last}",
            folder,
        )

    def damage(self, seed):
        """Damages a byte or the end of a file of the newest checkpoint: the program names it, and
        --fallback resumes."""
        self.count("damage")
        rng, folder = random.Random(seed), self.fresh()
        # The run as it was before its bot was written.
        shutil.copytree(self.run_of(self.folder), self.run_of(folder))
        newest = self.run_of(folder) / "checkpoints" / "4"
        path = rng.choice(sorted(path for path in newest.rglob("*") if path.is_file()))
        content = bytearray(path.read_bytes())
        place = rng.randrange(len(content))
        if rng.random() < 0.3:
            del content[place:]
        else:
            content[place] ^= 1 << rng.randrange(8)
        path.write_bytes(content)
        run, what = self.run_of(folder), f"{path.relative_to(newest)} at {place}"
        finished = ashta("train", "--resume", run)
        # In the manifest a change may be one of white space.
        if path.name != "manifest.json" or finished.returncode != 0:
            self.is_plain("damage", what, finished, "--fallback")
            if str(path) not in finished.stderr and path.name != "manifest.json":
                self.lose("damage", f"{what}: not named: {finished.stderr[-300:]}")
        self.goes_on("damage", what, folder, "--fallback")

    def name_of(self, number):
        call = self.calls[number - 1] if number <= len(self.calls) else None
        return (
            f"{call.kind} {Path(call.path).relative_to(self.folder)}" if call else "behind the last"
        )


@dataclasses.dataclass
class Call:
    """A call that changed something: its kind, as shim.c writes it, its paths and its data."""

    kind: str
    path: str
    other: str
    data: bytes


def calls(log):
    """The calls of a log."""
    content, at = log.read_bytes(), 0
    while at < len(content):
        kind, first, second, third = struct.unpack_from("<cIII", content, at)
        at += struct.calcsize("<cIII")
        path, other, data = (
            content[at : at + first],
            content[at + first : at + first + second],
            content[at + first + second :][:third],
        )
        at += first + second + third
        yield Call(kind.decode(), path.decode(), other.decode(), data)


class Node:
    """A file or a folder, as it is and as it would be after a loss of power."""

    def __init__(self, is_folder):
        self.is_folder = is_folder
        self.now, self.synced = ({}, {}) if is_folder else (b"", b"")

    def sync(self):
        self.synced = dict(self.now) if self.is_folder else self.now


def restore(made, origin, folder, names_last):
    """Writes into `folder` the files below `origin` that remain of the calls `made` after a loss of
    power."""
    root = Node(True)

    def find(path):
        node = root
        for part in Path(path).relative_to(origin).parts:
            node = node.now[part]
        return node

    def parent(path):
        return find(Path(path).parent).now, Path(path).name

    for call in made:
        if call.kind in "CT":
            names, name = parent(call.path)
            if name not in names:
                names[name] = Node(False)
            elif call.kind == "T":
                names[name].now = b""
        elif call.kind == "W":
            # A file that has lost its name is gone.
            if not call.path.endswith(" (deleted)"):
                find(call.path).now += call.data
        elif call.kind == "M":
            names, name = parent(call.path)
            names[name] = Node(True)
        elif call.kind == "R":
            (names, name), (others, other) = parent(call.path), parent(call.other)
            others[other] = names.pop(name)
        elif call.kind == "U":
            names, name = parent(call.path)
            del names[name]
        elif call.kind == "S":
            find(call.path).sync()

    def write(node, path):
        if not node.is_folder:
            path.write_bytes(node.synced)
            return
        path.mkdir(exist_ok=True)
        for name, child in (node.now if names_last else node.synced).items():
            write(child, path / name)

    write(root, folder)


def some(rng, number, tries):
    """`tries` of the numbers from 1 to `number`, or all."""
    numbers = range(1, number + 1)
    return sorted(rng.sample(numbers, tries)) if tries and tries < number else list(numbers)


def all_kinds(scratch, tries, seed=1):
    """Tries every kind of fault, each at `tries` places (0: all); returns the tried faults and the
    losses."""
    faults, rng = Faults(scratch), random.Random(seed)
    number = len(faults.calls)
    for call in some(rng, number, tries):
        faults.kill(call)
    for error, on in [(errno.EIO, False), (errno.ENOSPC, True)]:
        for call in some(rng, number, tries):
            faults.fail(call, error, on)
    for names_last in (False, True):
        for call in some(rng, number, tries):
            faults.lose_power(call, names_last)
    for damage in range(tries or 400):
        faults.damage(damage)
    return faults


def main():
    import argparse
    import tempfile

    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument(
        "--tries", type=int, default=0, help="places for each kind of fault; without it all"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the places")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        faults = all_kinds(scratch, arguments.tries, arguments.seed)
    for kind, number in faults.tried.items():
        lost = sum(line.startswith(f"{kind}:") for line in faults.lost)
        print(f"{kind:8} {number:5} tried, {lost} lost")
    return 1 if faults.lost else 0


if __name__ == "__main__":
    sys.exit(main())
