"""A chat model as an engine:
`ashta arena greedy 'engine:python language_model.py --command "llm -m small"' --game siga`.

The model runs behind a command that reads a prompt and prints a reply, or behind an address with
the chat interface of OpenAI, such as `--url http://localhost:8080/v1/chat/completions`. The prompt
has the rules, the position and the legal moves. A reply must end with a line that is one of the
moves. After one wrong reply the model is asked once more; then it forfeits the game. In Python,
`ashta.Agent.of(Player(reply).choose, game, takes="state")` is an agent.
"""

import argparse
import json
import shlex
import subprocess
import sys
import urllib.request
from collections.abc import Callable

import ashta

PROMPT = """You play {title}. These are the rules:

{rules}

You are seat {seat}. The board:

{board}

The position in text: {position}
Your legal moves, each "throw: piece":
{moves}

Think, then write the chosen move alone on the last line, exactly as listed."""


class Player:
    """Chooses the move that a chat model names. `reply` maps a prompt to the text of the model."""

    def __init__(self, reply: Callable[[str], str]) -> None:
        self.reply = reply

    def choose(self, state: ashta.State) -> int:
        """Returns the action of the model; raises `ValueError` after two replies without a legal
        move."""
        moves = {state.action_to_string(action): action for action in state.legal_actions()}
        if len(moves) == 1:
            return next(iter(moves.values()))
        prompt = self.prompt(state, list(moves))
        for _ in range(2):
            lines = self.reply(prompt).strip().splitlines()
            move = lines[-1].strip().strip("`*\"'. ") if lines else ""
            if move in moves:
                return moves[move]
            prompt += f'\n\nYour last line was "{move}", which is not a legal move. Write one of: {"; ".join(moves)}'
        raise ValueError(f'the model named no legal move at `{state}`, but "{move}"')

    def prompt(self, state: ashta.State, moves: list[str]) -> str:
        """The prompt for a decision."""
        game = state.get_game()
        described = game.describe()
        rules = "\n".join(
            sentence for topic in described["understood"] for sentence in topic["sentences"]
        )
        seat = game.seats[state.current_player()]
        texts = {
            "title": described["title"],
            "rules": rules,
            "seat": seat,
            "board": state.draw(),
            "position": str(state),
        }
        return PROMPT.format(**texts, moves="\n".join(moves))


def by_command(command: str) -> Callable[[str], str]:
    """A model behind a command: the prompt is its standard input, the reply its standard output."""
    words = shlex.split(command)
    return lambda prompt: (
        subprocess.run(words, input=prompt, capture_output=True, text=True, check=True).stdout
    )


def by_url(url: str, model: str) -> Callable[[str], str]:
    """A model behind an address with the chat interface of OpenAI."""

    def reply(prompt: str) -> str:
        body = {"model": model, "messages": [{"role": "user", "content": prompt}]}
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(url, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request, timeout=600) as answer:
            return json.load(answer)["choices"][0]["message"]["content"]

    return reply


def answer(player: Player, request: dict) -> dict:
    """Answers a request of the arena."""
    if request.get("op") == "hello":
        return {"name": "language model"}
    if request.get("op") != "bestmove":
        return {
            "error": {"code": "unknown-op", "message": "only `hello` and `bestmove` are supported"}
        }
    try:
        text, sheet = str(request.get("position")), request.get("sheet")
        if sheet is None:
            [state] = ashta.States.parse([text])
        else:
            name, seats, *_ = text.split(" ")
            flags = dict(flag.split("=") for flag in name.partition("?")[2].split("&") if flag)
            game = ashta.Game(
                sheet=sheet, seats="".join(seat[0] for seat in seats.split("/")), flags=flags
            )
            state = game.deserialize_state(text)
        if not state.is_player_node():
            raise ValueError(f"no seat chooses at `{text}`")
        return {"action": player.choose(state)}
    except (LookupError, OSError, TypeError, ValueError, subprocess.CalledProcessError) as error:
        return {"error": {"code": "bad-position", "message": str(error)}}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--command", help="a program that reads a prompt and prints the reply")
    source.add_argument("--url", help="the address of a chat interface")
    parser.add_argument("--model", default="default", help="the name of the model at the address")
    options = parser.parse_args()
    player = Player(
        by_command(options.command) if options.command else by_url(options.url, options.model)
    )
    for line in sys.stdin:
        request = json.loads(line)
        found = answer(player, request)
        print(json.dumps({**found, "id": request.get("id")}), flush=True)


if __name__ == "__main__":
    main()
