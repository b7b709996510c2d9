#!/usr/bin/env python3
"""Lets a bot play a whole game against another agent, and prints each turn in words.

python play_bot.py ashtapada --against greedy+2ply --seed 3
python play_bot.py pagade-teams            # against itself
"""

import argparse
import random

import ashta


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "bot", nargs="?", default="ashtapada", help="bot, by name or file (default %(default)s)"
    )
    parser.add_argument(
        "--lookahead",
        default="1ply",
        help="policy, 1ply, 2ply, mcts:800 or a level (default %(default)s)",
    )
    parser.add_argument("--against", help="agent on all other seats (default: the bot itself)")
    parser.add_argument(
        "--seed", type=int, default=1, help="seed of the throws (default %(default)s)"
    )
    return parser.parse_args()


def main() -> None:
    options = arguments()
    bot = ashta.Bot.load(options.bot)
    game, own = bot.game, bot.agent(options.lookahead)
    other = ashta.Agent(options.against, game) if options.against else own
    players = [own, *[other] * (game.num_players() - 1)]
    names = [options.bot, *[options.against or options.bot] * (game.num_players() - 1)]
    print(f"{game.name}:", ", ".join(f"{seat} is {name}" for seat, name in zip(game.seats, names)))

    dice = random.Random(options.seed)
    state = game.new_initial_state(seed=options.seed)
    while not state.is_terminal():
        player = state.turn_player()
        if state.is_chance_node():
            print(state)
            thrown = []
            # A player can throw several times before there is a choice.
            while state.is_chance_node() and state.turn_player() == player:
                before = state.clone()
                thrown.append(before.action_to_string(state.throw(dice.getrandbits(64))))
            print(f"  {game.seats[player]} throws {','.join(thrown)}")
        else:
            before, actions = state.clone(), []
            while state.current_player() == player:
                actions.append(players[player].step(state, seed=dice.getrandbits(32)))
                state.apply_action(actions[-1])
            print(f"  {game.seats[player]}: {before.turn_to_string(actions)}")
    print(state.draw())
    print(
        "returns:", ", ".join(f"{seat} {got:.2f}" for seat, got in zip(game.seats, state.returns()))
    )


if __name__ == "__main__":
    main()
