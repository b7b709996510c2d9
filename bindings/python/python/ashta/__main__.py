"""The program `ashta`, for `python -m ashta` and for the installed command `ashta`."""

import signal
import sys
from pathlib import Path

from ._ashta import run_program


def main() -> int:
    """Runs the program with the arguments of the command line; returns its exit code."""
    # The program handles Ctrl-C itself; Python would handle it only after the program has ended.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run_program(["ashta", *sys.argv[1:]], Path(__file__).with_name("checkpoints"))


if __name__ == "__main__":
    sys.exit(main())
