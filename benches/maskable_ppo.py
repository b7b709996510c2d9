#!/usr/bin/env python3
"""The usual stack, for comparison: the rules as a Gymnasium environment, and MaskablePPO of
sb3-contrib as the learner.

Measures the training steps per second, and the time until a win rate against the built-in agent
`hunter`. See README.md.

    python benches/maskable_ppo.py --check target/release/ashta     # are these the same rules?
    python benches/maskable_ppo.py --minutes 20 --json > ppo.jsonl  # train and measure
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from race_env import RaceEnv, Weights, interval, match, random_play  # noqa: E402
from race_rules import AshteKashte  # noqa: E402
from rules_check import Difference, check  # noqa: E402

EVALUATION_SEED = 7919


def arguments(command_line: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add(
        "--pieces",
        type=int,
        default=4,
        choices=[1, 2, 3, 4],
        help="pieces of each seat (default %(default)s)",
    )
    add("--check", metavar="ASHTA", help="compare the rules with this program instead of training")
    add("--positions", type=int, default=20_000, help="decisions to compare (default %(default)s)")
    add(
        "--environment",
        type=float,
        metavar="SECONDS",
        help="only measure the environment, by random play",
    )
    add(
        "--opponent",
        default="self",
        choices=["self", "hunter", "random"],
        help="in training (default %(default)s)",
    )
    add("--renew", type=int, default=20_000, help="steps between snapshots of the opponent `self`")
    add(
        "--forced",
        action="store_true",
        help="let the agent choose even if only one action is legal",
    )
    add(
        "--minutes",
        type=float,
        default=20.0,
        help="training time, evaluations excluded (default %(default)s)",
    )
    add(
        "--cpu-clock",
        action="store_true",
        help="measure all minutes as CPU time, for busy machines",
    )
    add("--target", type=float, help="stop as soon as an evaluation finds this win rate")
    add(
        "--eval-minutes",
        type=float,
        default=2.0,
        help="training time between evaluations (default %(default)s)",
    )
    add(
        "--eval-games", type=int, default=1_000, help="games of an evaluation (default %(default)s)"
    )
    add("--envs", type=int, default=64, help="environments side by side (default %(default)s)")
    add(
        "--processes",
        action="store_true",
        help="each environment in a process of its own (SubprocVecEnv)",
    )
    add("--threads", type=int, default=1, help="threads of torch (default %(default)s)")
    add(
        "--rollout",
        type=int,
        default=64,
        help="steps of each environment between updates (default %(default)s)",
    )
    add("--batch", type=int, default=512, help="default %(default)s")
    add("--epochs", type=int, default=4, help="default %(default)s")
    add("--learning-rate", type=float, default=1e-3, help="default %(default)s")
    add("--gamma", type=float, default=0.999, help="default %(default)s")
    add("--entropy", type=float, default=0.01, help="default %(default)s")
    add(
        "--units",
        type=int,
        default=128,
        help="hidden units of policy and value network (default %(default)s)",
    )
    add("--seed", type=int, default=1)
    add("--json", action="store_true", help="one JSON object a line on standard output")
    return parser.parse_args(command_line)


def report(options: argparse.Namespace, kind: str, **values: Any) -> None:
    if options.json:
        print(json.dumps({"kind": kind, **values}), flush=True)
        return
    shown = (
        f"{key} {value:.4g}" if isinstance(value, float) else f"{key} {value}"
        for key, value in values.items()
    )
    print(f"{kind}: {', '.join(shown)}", flush=True)


def run_check(options: argparse.Namespace) -> int:
    game = AshteKashte(options.pieces)
    try:
        tally = check(game, options.check, options.positions, options.seed)
    except Difference as difference:
        print(difference, file=sys.stderr)
        return 1
    report(options, "check", game=game.name, **vars(tally))
    return 0


def run_environment(options: argparse.Namespace) -> int:
    """Measures the environment without a network; returns the exit status."""
    env = RaceEnv(options.pieces, "random", options.forced)
    steps, cpu = random_play(env, options.environment)
    load = os.getloadavg()[0]
    per_second = {
        "steps_per_second": steps / options.environment,
        "decisions_per_second": env.decisions / options.environment,
    }
    per_cpu_second = {
        "steps_per_cpu_second": steps / cpu,
        "decisions_per_cpu_second": env.decisions / cpu,
    }
    report(options, "environment", game=env.game.name, **per_second, **per_cpu_second, load=load)
    return 0


def policy_weights(model: Any) -> Weights:
    """Copies the policy network of a model into numpy arrays."""
    hidden, action = model.policy.mlp_extractor.policy_net[0], model.policy.action_net
    layers = {
        "hidden": hidden.weight,
        "hidden_bias": hidden.bias,
        "action": action.weight,
        "action_bias": action.bias,
    }
    return {name: tensor.detach().cpu().numpy().copy() for name, tensor in layers.items()}


def win_rate(model: Any, options: argparse.Namespace) -> dict[str, Any]:
    """Plays against `hunter` with the most probable actions. All evaluations have the same
    throws."""

    def policy(observations: Any, masks: Any) -> Any:
        return model.predict(observations, action_masks=masks, deterministic=True)[0]

    games = options.eval_games
    wins = match(policy, options.pieces, "hunter", games, EVALUATION_SEED)
    low, high = interval(wins, games)
    return {"games": games, "wins": wins, "win_rate": wins / games, "low": low, "high": high}


def make_model(options: argparse.Namespace) -> Any:
    import torch
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv

    torch.set_num_threads(options.threads)

    def make_env() -> RaceEnv:
        return RaceEnv(options.pieces, options.opponent, options.forced)

    makers: list[Callable[[], RaceEnv]] = [make_env] * options.envs
    envs = SubprocVecEnv(makers, start_method="fork") if options.processes else DummyVecEnv(makers)
    return MaskablePPO(
        "MlpPolicy",
        envs,
        learning_rate=options.learning_rate,
        n_steps=options.rollout,
        batch_size=options.batch,
        n_epochs=options.epochs,
        gamma=options.gamma,
        gae_lambda=0.95,
        ent_coef=options.entropy,
        policy_kwargs={
            "net_arch": {"pi": [options.units], "vf": [options.units]},
            "activation_fn": torch.nn.ReLU,
        },
        seed=options.seed,
        device="cpu",
    )


class Clock:
    """Measures wall time and CPU time of the training, in seconds."""

    def __init__(self) -> None:
        self.start = self.now()

    @staticmethod
    def now() -> tuple[float, float]:
        """Wall time and CPU time since an arbitrary moment."""
        return time.perf_counter(), time.process_time()

    def seconds(self) -> tuple[float, float]:
        now = self.now()
        return now[0] - self.start[0], now[1] - self.start[1]

    def without(self, work: Callable[[], Any]) -> None:
        """Does `work`; its time does not count."""
        before = self.now()
        work()
        after = self.now()
        self.start = tuple(
            start + end - begin for start, begin, end in zip(self.start, before, after, strict=True)
        )


def make_callback(options: argparse.Namespace) -> Any:
    """Makes the callback for snapshots, evaluations and the end of the training."""
    from stable_baselines3.common.callbacks import BaseCallback

    class Measure(BaseCallback):
        """Between updates, renews the opponent and evaluates. Ends when the time is over or the
        target is reached."""

        def _on_training_start(self) -> None:
            self.clock = Clock()
            self.next_evaluation = 60 * options.eval_minutes
            self.next_snapshot = options.renew
            self.is_done = False

        def _on_rollout_start(self) -> None:
            if options.opponent == "self" and self.num_timesteps >= self.next_snapshot:
                self.training_env.env_method("set_opponent", policy_weights(self.model))
                self.next_snapshot = self.num_timesteps + options.renew
            seconds, cpu_seconds = self.clock.seconds()
            counted = cpu_seconds if options.cpu_clock else seconds
            is_last = counted >= 60 * options.minutes
            if is_last or counted >= self.next_evaluation:
                self.clock.without(lambda: self.measure(seconds, cpu_seconds))
                self.next_evaluation += 60 * options.eval_minutes
            self.is_done = self.is_done or is_last

        def measure(self, seconds: float, cpu_seconds: float) -> None:
            decisions = sum(self.training_env.env_method("decisions_played"))
            result = win_rate(self.model, options)
            report(
                options,
                "evaluation",
                seconds=round(seconds, 1),
                cpu_seconds=round(cpu_seconds, 1),
                steps=self.num_timesteps,
                steps_per_second=self.num_timesteps / seconds,
                steps_per_cpu_second=self.num_timesteps / cpu_seconds,
                decisions_per_second=decisions / seconds,
                decisions_per_cpu_second=decisions / cpu_seconds,
                **result,
                load=os.getloadavg()[0],
            )
            self.is_done = options.target is not None and result["win_rate"] >= options.target

        def _on_step(self) -> bool:
            return not self.is_done

    return Measure()


def run_training(options: argparse.Namespace) -> int:
    model = make_model(options)
    versions = {
        name: __import__(name).__version__
        for name in ("torch", "stable_baselines3", "sb3_contrib", "gymnasium")
    }
    report(options, "settings", **vars(options), **versions, cores=os.cpu_count())
    report(
        options,
        "evaluation",
        seconds=0.0,
        steps=0,
        **win_rate(model, options),
        load=os.getloadavg()[0],
    )
    model.learn(total_timesteps=sys.maxsize, callback=make_callback(options))
    model.get_env().close()
    return 0


def main() -> int:
    options = arguments()
    if options.check:
        return run_check(options)
    if options.environment:
        return run_environment(options)
    return run_training(options)


if __name__ == "__main__":
    sys.exit(main())
