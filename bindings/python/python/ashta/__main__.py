"""The program `ashta`, for `python -m ashta` and for the installed command `ashta`."""

import signal
import sys
from pathlib import Path
from typing import Any

from ._ashta import run_program


def main(actors: Any = None) -> int:
    """Runs the program with the arguments of the command line; returns its exit code. `ashta train`
    plays its games on `actors`."""
    # The program handles Ctrl-C itself; Python would handle it only after the program has ended.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    installed = Path(__file__).with_name("checkpoints")
    return run_program(["ashta", *sys.argv[1:]], installed, actors)


if __name__ == "__main__":
    sys.exit(main())
