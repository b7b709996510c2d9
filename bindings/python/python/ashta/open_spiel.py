"""Games for OpenSpiel. Importing this module registers every built-in game:
`pyspiel.load_game("ashta_ur")`.

Hyphens in names of games become underscores. Parameters are `players`, `first_player` (-1 for a
random player), `pieces` and the house rules of the game by name:
`pyspiel.load_game("ashta_pagade(players=4,teams=true)")`. If a house rule has words and numbers as
values, pass its numbers as texts in a dict: `pyspiel.load_game("ashta_ur", {"dice": "3"})`. Returns
are from -1 to 1; with two players they sum to 0. States keep their history.
"""

from __future__ import annotations

from typing import Any

from ._extras import needs

with needs("open_spiel"):
    import pyspiel  # type: ignore[import-not-found]

import numpy as np

from . import Game, State

__all__ = ["RaceGame", "RaceState", "register"]

# More actions than any game: OpenSpiel needs a limit, but races have none.
_LONGEST = 1_000_000


def _name(game: str) -> str:
    return "ashta_" + game.replace("-", "_")


def _game_type(game: Game, players: list[int], parameters: dict[str, Any]) -> pyspiel.GameType:
    kinds = pyspiel.GameType
    is_zero_sum = game.num_players() == 2
    return kinds(
        short_name=_name(game.describe()["name"].split("?")[0]),
        long_name=game.describe()["title"],
        dynamics=kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC,
        information=kinds.Information.PERFECT_INFORMATION,
        utility=kinds.Utility.ZERO_SUM if is_zero_sum else kinds.Utility.CONSTANT_SUM,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=max(players),
        min_num_players=min(players),
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=parameters,
    )


class RaceGame(pyspiel.Game):
    """A game with parameters of OpenSpiel; `race` is the `ashta.Game`. Each game has a subclass
    with its name."""

    name: str

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        name, (players, defaults) = self.name, _specification(self.name)
        # Without the defaults, the text of every usual game can be read again.
        given = {key: value for key, value in (params or {}).items() if value != defaults[key]}
        rules = {
            key: value for key, value in given.items() if key not in ("players", "first_player")
        }
        self.first_player = given.get("first_player", -1)
        self.race = race = Game(name, given.get("players", players[0]), flags=rules)
        if not -1 <= self.first_player < race.num_players():
            raise ValueError(
                f"`first_player` is {self.first_player}, but must be -1 to {race.num_players() - 1}"
            )
        chances = max(race.max_chance_outcomes(), race.num_players())
        total = 2 * race.utility_sum() - race.num_players()
        info = pyspiel.GameInfo(
            race.num_distinct_actions(), chances, race.num_players(), -1.0, 1.0, total, _LONGEST
        )
        super().__init__(_game_type(race, players, defaults), info, given)

    def new_initial_state(self) -> RaceState:
        return RaceState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer:
        return _Observer(self.race)


class RaceState(pyspiel.State):
    """A state with its history; `state` is the `ashta.State`, or `None` before the first player is
    drawn."""

    def __init__(self, game: RaceGame) -> None:
        super().__init__(game)
        self.race = game.race
        self.state: State | None = (
            None if game.first_player < 0 else game.race.new_initial_state(game.first_player)
        )

    def current_player(self) -> int:
        return pyspiel.PlayerId.CHANCE if self.state is None else self.state.current_player()

    def _legal_actions(self, player: int) -> list[int]:
        assert self.state is not None, "OpenSpiel asks only where a player acts"
        return self.state.legal_actions(player)

    def chance_outcomes(self) -> list[tuple[int, float]]:
        if self.state is None:
            players = self.race.num_players()
            return [(player, 1.0 / players) for player in range(players)]
        return self.state.chance_outcomes()

    def _apply_action(self, action: int) -> None:
        if self.state is None:
            self.state = self.race.new_initial_state(action)
        else:
            self.state.apply_action(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return (
            f"player {action} throws first"
            if self.state is None
            else self.state.action_to_string(player, action)
        )

    def is_terminal(self) -> bool:
        return self.state is not None and self.state.is_terminal()

    def returns(self) -> list[float]:
        if self.state is None or not self.state.is_terminal():
            return [0.0] * self.race.num_players()
        return [2.0 * result - 1.0 for result in self.state.returns()]

    def __str__(self) -> str:
        return "the first player is drawn" if self.state is None else str(self.state)


class _Observer:
    """The observation of a player; it is also the information state, because nothing is hidden."""

    def __init__(self, race: Game) -> None:
        self.tensor = np.zeros(race.observation_tensor_size(), np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: RaceState, player: int) -> None:
        self.tensor[:] = 0.0 if state.state is None else state.state.observation_tensor(player)

    def string_from(self, state: RaceState, player: int) -> str:
        return str(state)


def _specification(name: str) -> tuple[list[int], dict[str, Any]]:
    """The allowed numbers of players and the parameters of a built-in game."""
    described = Game(name).describe()
    players = sorted({len(seats) for seats in described["seats"]})
    flags = {flag["name"]: _default(flag) for flag in described["flags"]}
    return players, {
        "players": players[0],
        "first_player": -1,
        "pieces": described["pieces"]["count"],
        **flags,
    }


def _default(flag: Any) -> bool | int | str:
    """The default of a house rule, in the type that OpenSpiel reads from the text of its values."""
    names = {value["name"] for value in flag["values"]}
    if names <= {"true", "false"}:
        return flag["default"] == "true"
    return int(flag["default"]) if all(name.isdecimal() for name in names) else flag["default"]


def register(name: str) -> None:
    """Registers a built-in game under the name `ashta_NAME`."""
    game_type = _game_type(Game(name), *_specification(name))
    # A class, because Python cannot end while OpenSpiel holds a function.
    pyspiel.register_game(game_type, type(game_type.short_name, (RaceGame,), {"name": name}))


for _game in Game.names():
    register(_game)
