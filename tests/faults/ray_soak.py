"""A soak of runs on a cluster: actors, drivers and machines are killed at random, and every run
must end as on one machine.

python tests/faults/ray_soak.py --kills 200 --minutes 60, with the Python of the tests, in which the
package is installed.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

import program  # noqa: E402
import ray  # noqa: E402
import test_ray as runs  # noqa: E402
from ray.cluster_utils import Cluster  # noqa: E402

# Long enough to be disturbed.
runs.ITERATIONS = 300
runs.SETTINGS[:3] = [
    "selfplay.games=4800",
    "run.checkpoint_iterations=10",
    "run.keep_checkpoints=100",
]


class Soak:
    """Kills at random, and keeps count."""

    def __init__(self, seed):
        self.rng, self.kills, self.lost = (
            random.Random(seed),
            dict.fromkeys(["actor", "driver", "machine"], 0),
            [],
        )
        os.environ["RAY_AUTH_MODE"] = "disabled"
        self.cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2})
        self.node = self.cluster.add_node(num_cpus=2)

    def kill(self, driver):
        """Kills something of a run under way."""
        actors = list(runs.processes())
        what = self.rng.choice([name for name in self.kills if name != "actor" or actors])
        if what == "driver":
            driver.kill()
        elif what == "machine":
            self.cluster.remove_node(self.node)
            self.node = self.cluster.add_node(num_cpus=2)
        else:
            os.kill(self.rng.choice(actors), signal.SIGKILL)
        self.kills[what] += 1

    def run(self, folder, local):
        """One run to its end, whatever it takes."""
        run = folder / "smoke-1"
        for attempt in range(100):
            words = (
                ["--resume", run]
                if (run / "config.toml").exists()
                else [runs.SMOKE, *runs.sets(folder)]
            )
            command = [sys.executable, "-m", "ashta.ray", "train", *map(str, words)]
            environment = {**os.environ, "RAY_ADDRESS": self.cluster.address}
            with subprocess.Popen(
                command,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                env=environment,
            ) as driver:
                while True:
                    try:
                        _, said = driver.communicate(timeout=self.rng.uniform(1, 5))
                        break
                    except subprocess.TimeoutExpired:
                        self.kill(driver)
            if driver.returncode == 0:
                break
            # Killed, or given up because its actors died too often: both go on.
            if driver.returncode > 0 and "WorkerCrashedError" not in said:
                self.lost.append(said[-500:])
                return
        try:
            runs.check(run, local)
        except AssertionError as error:
            self.lost.append(f"another outcome after {attempt + 1} drivers: {error}"[:500])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        local = Path(scratch, "local")
        local.mkdir()
        trained = program.run("train", runs.SMOKE, *runs.sets(local))
        assert trained.returncode == 0, trained.stderr
        soak, end, number = Soak(arguments.seed), time.monotonic() + 60 * arguments.minutes, 0
        while sum(soak.kills.values()) < arguments.kills and time.monotonic() < end:
            number += 1
            folder = Path(scratch, str(number))
            folder.mkdir()
            soak.run(folder, local / "smoke-1")
            print(f"{number} runs, {soak.kills}, {len(soak.lost)} lost", flush=True)
        ray.shutdown()
        soak.cluster.shutdown()
    print("\n".join(soak.lost))
    return 1 if soak.lost else 0


if __name__ == "__main__":
    sys.exit(main())
