#!/usr/bin/env python3
"""MaskablePPO of sb3-contrib learns a game against an agent; then an arena measures its strength.

pip install ashta[gymnasium] sb3-contrib
python train_maskable_ppo.py --game ashtapada --opponent hunter --steps 200000
"""

import argparse

import ashta
import numpy as np
import torch
from ashta.gymnasium import RaceEnv
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--game",
        default="ashtapada",
        help="game, with house rules if you like (default %(default)s)",
    )
    parser.add_argument(
        "--seats", type=int, default=2, help="number of seats, 2 to 4 (default %(default)s)"
    )
    parser.add_argument(
        "--opponent",
        default="hunter",
        help="baseline or bot on all other seats (default %(default)s)",
    )
    parser.add_argument(
        "--steps", type=int, default=100_000, help="decisions of the learner (default %(default)s)"
    )
    parser.add_argument(
        "--envs", type=int, default=16, help="games at the same time (default %(default)s)"
    )
    parser.add_argument(
        "--pairs",
        type=int,
        default=200,
        help="pairs of games in the final arena (default %(default)s)",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=1,
        help="seed of the games and the networks (default %(default)s)",
    )
    parser.add_argument("--save", metavar="FILE", help="file for the trained model")
    return parser.parse_args()


def main() -> None:
    options = arguments()
    torch.set_num_threads(1)  # more threads do not help such small networks
    settings = {"game": options.game, "seats": options.seats, "opponent": options.opponent}
    envs = make_vec_env(RaceEnv, n_envs=options.envs, seed=options.seed, env_kwargs=settings)
    model = MaskablePPO(
        "MlpPolicy",
        envs,
        n_steps=64,
        batch_size=256,
        learning_rate=1e-3,
        gamma=0.999,
        ent_coef=0.01,
        policy_kwargs={"net_arch": [128], "activation_fn": torch.nn.ReLU},
        seed=options.seed,
        device="cpu",
    )
    model.learn(options.steps)
    if options.save:
        model.save(options.save)

    def ppo(states: ashta.States) -> np.ndarray:
        return model.predict(
            states.observations(), action_masks=states.masks(), deterministic=True
        )[0]

    agents = {"ppo": ppo, options.opponent: options.opponent}
    found = ashta.arena(agents, ashta.Game(options.game, options.seats), pairs=options.pairs).report
    learner = found["agents"][0]
    print(
        f"{model.num_timesteps} steps of {found['game']}, then {found['games']} games against {options.opponent}:"
    )
    for name in ["score", "luck_adjusted_score"]:
        if name in learner:
            low, high = learner[name]["interval"]
            print(
                f"{name} {learner[name]['mean']:.3f} [{low:.3f}, {high:.3f}], chance level {found['chance_level']:.3f}"
            )


if __name__ == "__main__":
    main()
