"""Trains bots for agents/examples/backgammon.rs and compares them with gnubg.

    cargo build --release --examples
    python benches/backgammon_gnubg.py train usual 15 40 usual      # writes usual.bot and snapshots
    python benches/backgammon_gnubg.py play usual 15 usual.bot 1000
    python benches/backgammon_gnubg.py loss hyper 2 gnubg 2000

The words after the script's name are those of agents/examples/backgammon_gnubg.rs. The script
installs gnubg with apt-get if it is missing and starts it. gnubg evaluates positions by its neural
networks. In hypergammon it plays without its databases of race positions (`--no-bearoff`).
"""

import pathlib
import socket
import subprocess
import sys
import tempfile

PROGRAM = "target/release/examples/backgammon_gnubg"
GNUBG = "/usr/games/gnubg"


def free_port():
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        return probe.getsockname()[1]


def run_with_gnubg(words):
    if not pathlib.Path(GNUBG).exists():
        subprocess.run(["apt-get", "install", "-y", "gnubg"], check=True)
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        script = pathlib.Path(folder, "external.py")
        script.write_text(f'gnubg.command("external localhost:{port}")\n')
        command = [GNUBG, "--tty", "--quiet", "--no-rc", f"--python={script}"]
        command += ["--no-bearoff"] if words[1].startswith("hyper") else []
        gnubg = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
        )
        try:
            while "Waiting for a connection" not in (line := gnubg.stdout.readline()):
                if not line:
                    raise SystemExit("gnubg has ended")
            subprocess.run([PROGRAM, *words, str(port)], check=True)
        finally:
            gnubg.kill()


if __name__ == "__main__":
    words = sys.argv[1:]
    if len(words) < 4:
        raise SystemExit(__doc__)
    if words[0] == "train":
        subprocess.run([PROGRAM, *words], check=True)
    else:
        run_with_gnubg(words)
