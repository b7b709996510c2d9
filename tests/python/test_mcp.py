"""`python -m ashta.mcp`: the official client plays and asks through standard input and output."""

import asyncio
import re
import sys

import pytest
from mcp import Client, StdioServerParameters, stdio_client

import ashta
import program

SHEET = str(program.ROOT / "env" / "games" / "ashte-kashte.toml")
DECISION = "ashtapada S:5,30/N:off,23 S 4,2"


def connected(script):
    """Runs `script(client, call)`; `call` returns the result of a tool, and raises its errors."""

    async def run():
        async with Client(
            stdio_client(StdioServerParameters(command=sys.executable, args=["-m", "ashta.mcp"]))
        ) as client:

            async def call(tool, **arguments):
                found = await client.call_tool(tool, arguments)
                if found.is_error:
                    raise ValueError(found.content[0].text)
                return found.structured_content.get("result", found.structured_content)

            await script(client, call)

    asyncio.run(asyncio.wait_for(run(), program.PATIENCE))


def test_a_game_is_played_and_analyzed():
    game = ashta.Game("ashtapada")
    agent = ashta.Agent("perfect", game)

    async def script(client, call):
        assert len((await client.list_tools()).tools) == 9
        rules = await call("rules", game="ashtapada")
        assert all(
            sentence in rules
            for topic in game.describe()["understood"]
            for sentence in topic["sentences"]
        )
        now, positions = await call("new_game", game="ashtapada", first=1), []
        while len(positions) < 12:
            state = game.deserialize_state(now["position"])
            here, player = {"position": str(state)}, state.turn_player()
            positions.append(str(state))
            assert (now["board"], now["mover"]) == (state.draw(), game.seats[player])
            legal, numbers = await call("legal_moves", **here), state.legal_actions()
            texts = [
                (number, state.action_to_string(number), str(state.child(number)))
                for number in numbers
            ]
            assert [(move["move"], move["text"], move["position"]) for move in legal] == texts
            values = await call("values", **here)
            assert (values["by"], [*values["values"].values()]) == (
                "perfect",
                agent.values([state])[0].tolist(),
            )
            if now["node"] == "chance":
                assert sum(move["probability"] for move in legal) == pytest.approx(1)
                now = await call("play", **here, seed=len(positions))
                assert now["played"] and now == await call("play", **here, seed=len(positions))
            else:
                best = (await call("best_turns", **here))["turns"][0]
                assert best["values"][now["mover"]] == max(
                    agent.values([end])[0, player] for end, _ in state.turn_results()
                )
                now = await call("play", **here, moves=best["moves"])
                assert (
                    now["position"] == best["position"]
                    and (await call("play", **here))["node"] == "chance"
                )
        assert await call("analyze_game", record=positions) == ashta.analyze("\n".join(positions))

    connected(script)


def test_a_sheet_is_played_and_errors_name_what_is_wrong():
    async def script(client, call):
        assert [game["name"] for game in await call("list_games")] == ashta.Game.names()
        new = await call(
            "new_game", sheet=SHEET, game="ashte-kashte?pieces=2", seats="SEW", first=0
        )
        assert new["position"] == "ashte-kashte?pieces=2 S:hand,hand/E:hand,hand/W:hand,hand S *"
        assert (await call("play", sheet=SHEET, position=new["position"], moves=["3"]))[
            "position"
        ].endswith(" S 3")
        assert (await call("values", sheet=SHEET, position=new["position"], by="greedy"))[
            "values"
        ].keys() == {*"SEW"}
        assert (await call("view", position="siga S:home,home/N:off,3 - -"))["returns"] == {
            "S": 1,
            "N": 0,
        }
        for tool, arguments, message in [
            ("rules", {"game": "chess"}, "unknown game `chess` (known: "),
            ("view", {"position": "siga", "sheet": SHEET}, "a position has four parts"),
            (
                "play",
                {"position": DECISION, "moves": [7]},
                f"7 is not legal at `{DECISION}`; legal moves: {{'4: 5': 0, ",
            ),
            (
                "play",
                {"position": DECISION, "moves": [0, "4: 30"]},
                "'4: 30' is not legal at `ashtapada S:5,30/N:off,23 S 2;5+4`",
            ),
            ("best_turns", {"position": DECISION.replace("4,2", "*")}, "no seat chooses at"),
            ("values", {"position": DECISION, "by": "nobody"}, "`nobody` is not an agent"),
            (
                "analyze_game",
                {"record": [DECISION, DECISION]},
                "line 2: no turn leads to this position",
            ),
        ]:
            with pytest.raises(ValueError, match=re.escape(message)):
                await call(tool, **arguments)

    connected(script)
