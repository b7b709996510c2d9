"""Stands in for `ashta` and `cargo` where the commands of the pages are run: the same commands,
less work.

The program gets all arguments, so unknown ones still fail. Added or lowered values make the work
small: numbers of games and seconds, the size of a training run. This module does not know the
pages.
"""

import json
import os
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import program

# A training run of a second, whatever game it is.
TINY = {
    "run.device": '"cpu"',
    "run.checkpoint_iterations": 2,
    "network.hidden": [16],
    "network.policy_hidden": [8],
    "selfplay.games": 32,
    "selfplay.games_per_iteration": 8,
    "learning.batch": 32,
    "learning.replay_capacity": 4096,
    "evaluation.every_iterations": 2,
    "evaluation.pairs": 2,
    "evaluation.final_pairs": 2,
    "evaluation.opponents": '["random"]',
    "export.probes": 4,
}
# Pairs of games for each opponent; pairs to calibrate a level, which needs some choices; games of a
# rollout.
PAIRS = {"eval": 5, "arena": 2, "levels": 50}
ROLLOUTS = 40
# The default input of a person, and the first request of a program.
TYPED = {"play": "1\n1\nq\n", "engine": '{"op":"hello","id":1}\n'}


def settings(values):
    """The options that change these settings."""
    return [part for key, value in values.items() for part in ("--set", f"{key}={value}")]


def at_most(arguments, option, limit):
    """Lowers `option` to `limit`; the program refuses values that are not numbers."""
    if option not in arguments:
        return [*arguments, option, str(limit)]
    at = arguments.index(option) + 1
    written = arguments[at] if at < len(arguments) else ""
    lowered = str(limit) if written.isdigit() and int(written) > limit else written
    return [*arguments[:at], lowered, *arguments[at + 1 :]]


def smaller(arguments):
    """Arguments of `ashta` for the same command with less work."""
    command = arguments[0] if arguments else ""
    if command == "train":
        # A resumed run keeps its networks.
        kept = ("network.", "learning.replay_capacity") if "--resume" in arguments else ()
        more = {"selfplay.games": 48} if "--resume" in arguments else {}
        return [
            *arguments,
            *settings(
                {key: value for key, value in TINY.items() if not key.startswith(kept)} | more
            ),
        ]
    if command == "solve":
        return [*arguments, *settings({"ruleset.flags.pieces": 1})]
    # The blocks need all pairs; `--merge` plays nothing.
    if command in PAIRS and not {"--blocks", "--merge"} & set(arguments):
        return at_most(arguments, "--pairs", PAIRS[command])
    if command == "rollout":
        return at_most(arguments, "--games", ROLLOUTS)
    if command == "exploit" and "--tolerance" not in arguments:
        return [*arguments, "--tolerance", "0.1"]
    if command == "play" and "--seed" not in arguments:
        return [*arguments, "--seed", "1"]
    return arguments


def refused_as_written(arguments):
    """Problems of the settings of a training run as written on the page, or an empty text.

    The settings of `TINY` are last and would hide them. So this asks for a device that does not
    exist: the program names every wrong setting and does not start.
    """
    finished = program.run(*arguments, *settings({"run.device": '"nowhere"'}))
    wrong = [line for line in finished.stderr.splitlines() if "run.device: expected" not in line]
    alone = len(wrong) <= 1 and len(finished.stderr.splitlines()) <= 2
    return "" if finished.returncode == 1 and alone else finished.stderr or "nothing is refused"


def nobody_types():
    """Whether standard input is empty by intention, and not a pipe from somebody."""
    found = os.fstat(0)
    return stat.S_ISCHR(found.st_mode) and found.st_rdev == os.stat(os.devnull).st_rdev


def ashta(arguments):
    """Runs `ashta` with less work; returns its status."""
    command = arguments[0] if arguments else ""
    if command == "train" and (wrong := refused_as_written(arguments)):
        print(wrong, file=sys.stderr)
        return 1
    # An existing table is of the whole game; the stand-in solves a smaller one.
    output = (
        Path(arguments[arguments.index("-o") + 1])
        if command == "solve" and "-o" in arguments
        else None
    )
    whole = output.read_bytes() if output and output.exists() else None
    typed = TYPED.get(command) if nobody_types() else None
    finished = subprocess.run(
        [program.ASHTA, *smaller(arguments)], input=typed, text=True, check=False
    )
    if whole is not None and finished.returncode == 0:
        output.write_bytes(whole)
    return finished.returncode


def value_of(arguments, *options):
    """The value behind one of these options, or nothing."""
    return next(
        (arguments[at + 1] for at, argument in enumerate(arguments[:-1]) if argument in options),
        None,
    )


def cargo(arguments):
    """Runs what is built already, and checks that what would be built is there; returns a
    status."""
    manifest = tomllib.loads((program.ROOT / "Cargo.toml").read_text())
    folders = [program.ROOT / path for path in manifest["workspace"]["members"]]
    members = [tomllib.loads((folder / "Cargo.toml").read_text()) for folder in folders]
    packages = {member["package"]["name"]: member for member in members}
    written, _, passed = (list(part) for part in divide(arguments))
    package = value_of(written, "-p", "--package")
    features = (value_of(written, "--features") or "").split(",")
    known = (
        packages[package or "ashta-train"].get("features", {})
        if package in (None, *packages)
        else {}
    )
    profiles = {None, "release", "dev", *manifest["profile"]}
    options = {
        "--release",
        "--locked",
        "-p",
        "--package",
        "--profile",
        "--features",
        "--target",
        "--example",
    }
    wrong = [option for option in written[1:] if option.startswith("-") and option not in options]
    wrong += [package] if package not in (None, *packages) else []
    wrong += [feature for feature in features if feature and feature not in known]
    wrong += [profile for profile in [value_of(written, "--profile")] if profile not in profiles]
    if wrong or written[:1] not in (["build"], ["run"]):
        print(f"cargo: not known here: {json.dumps(wrong or written[:1])}", file=sys.stderr)
        return 1
    if written[0] == "build":
        return 0
    if example := value_of(written, "--example"):
        built = program.TARGET / "release" / "examples" / example
        return subprocess.run(
            [built, *written[written.index(example) + 1 :], *passed], check=False
        ).returncode
    return ashta(passed)


def divide(arguments):
    """The arguments before the first `--`, the `--`, and the arguments after it."""
    at = arguments.index("--") if "--" in arguments else len(arguments)
    return arguments[:at], arguments[at : at + 1], arguments[at + 1 :]


if __name__ == "__main__":
    sys.exit({"ashta": ashta, "cargo": cargo}[sys.argv[1]](sys.argv[2:]))
