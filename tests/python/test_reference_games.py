"""Games against other implementations of them: `mensch` against maedn of OpenSpiel, the Royal Game
of Ur against RoyalUr.

Positions are from random play of the other program. The test plays every throw in both programs and
compares the sets of positions in which the turn can end.
`python tests/python/test_reference_games.py POSITIONS` compares more.
"""

import random
import sys

import ashta
import pyspiel
import pytest
from royalur import Game, PathType, PlayerType
from royalur.game import GameSettings
from royalur.model.dice import Roll

POSITIONS = 5_000


def ends(game, position, throw):
    """The texts of the positions in which the turn can end; the throw has the other program's
    name."""
    state = game.deserialize_state(position)
    (outcome,) = [
        number
        for number, _ in state.chance_outcomes()
        if state.action_to_string(number) == str(throw)
    ]
    return {result.serialize() for result, _ in state.child(outcome).turn_results()}


# --- maedn
# ------------------------------------------------------------------------------------------------------------


def maedn_course(player_turn):
    """The course as (row, column) of the player `player_turn` quarter turns clockwise of the first;
    rows from the top."""
    row, column, course = 4, 0, [(4, 0)]
    for (down, right), count in zip(
        [
            (0, 1),
            (-1, 0),
            (0, 1),
            (1, 0),
            (0, 1),
            (1, 0),
            (0, -1),
            (1, 0),
            (0, -1),
            (-1, 0),
            (0, -1),
            (-1, 0),
            (0, 1),
        ],
        [4, 4, 2, 4, 4, 2, 4, 4, 2, 4, 4, 1, 4],
        strict=True,
    ):
        for _ in range(count):
            row, column = row + down, column + right
            course.append((row, column))
    for _ in range(player_turn):
        course = [(column, 10 - row) for row, column in course]
    return course


class Maedn:
    """A game of OpenSpiel with the text of its positions."""

    def __init__(self, players, opposite=True):
        self.other = pyspiel.load_game(
            "maedn", {"players": players, "twoPlayersOpposite": opposite}
        )
        turns, seats = {2: ([0, 2], "SN"), 3: ([0, 1, 2], "SWN"), 4: ([0, 1, 2, 3], "SWNE")}[
            players
        ]
        if not opposite:
            turns, seats = [0, 1], "SW"
        self.name = "mensch" if opposite else "mensch?side_by_side=true"
        self.seats = seats
        self.courses = [maedn_course(turn) for turn in turns]
        self.game = ashta.Game(self.name, seats="".join(seat for seat in "SENW" if seat in seats))

    def start(self):
        return self.other.new_initial_state()

    def throws(self, state):
        return [(action, action + 1) for action, _ in state.chance_outcomes()]

    def moves(self, state):
        return [state.child(action) for action in state.legal_actions()]

    def text(self, state):
        lines = str(state).split("\n")
        squares = {}
        for row, line in enumerate(lines[:11]):
            for column, sign in enumerate(line[::2]):
                if sign.isdigit():
                    squares[row, column] = int(sign) - 1
        parts = {}
        for player, (seat, course) in enumerate(zip(self.seats, self.courses, strict=True)):
            own = [
                str(index) for index, square in enumerate(course) if squares.get(square) == player
            ]
            parts[seat] = f"{seat}:" + ",".join(["hand"] * (4 - len(own)) + own)
        turn = "- -" if state.is_terminal() else f"{self.mover(state)} *"
        return (
            f"{self.name} " + "/".join(parts[seat] for seat in "SENW" if seat in parts) + f" {turn}"
        )

    def mover(self, state):
        """The seat to throw: the one that would choose after a throw."""
        return self.seats[state.child(0).current_player()]


# --- RoyalUr
# ----------------------------------------------------------------------------------------------------------

FINKEL, MASTERS, ASEB = (
    GameSettings.create_finkel(),
    GameSettings.create_masters(),
    GameSettings.create_aseb(),
)
BLITZ = (
    MASTERS.with_starting_piece_count(5)
    .with_safe_rosettes(False)
    .with_captures_grant_extra_rolls(True)
)
RULE_SETS = {
    "ur": FINKEL,
    "ur-masters": MASTERS,
    "ur-aseb": ASEB,
    "ur-blitz": BLITZ,
    "ur?capture_again=true": FINKEL.with_captures_grant_extra_rolls(True),
    "ur?rosette_safe=false&path=masters": FINKEL.with_safe_rosettes(False).with_paths(
        PathType.MASTERS
    ),
    "ur?path=murray": FINKEL.with_paths(PathType.MURRAY),
    "ur?path=skiriuk": FINKEL.with_paths(PathType.SKIRIUK),
}


class RoyalUr:
    """A game of RoyalUr with the text of its positions."""

    def __init__(self, name):
        self.game = ashta.Game(name)
        self.settings = RULE_SETS[name]
        state = self.game.new_initial_state(0).serialize()
        self.name = state.split(" ")[0]

    def start(self):
        game = Game.create(self.settings)
        self.rules = game.rules
        return game.get_current_state()

    def throws(self, state):
        return [(value, value) for value in range(5)]

    def text(self, state):
        pieces = {PlayerType.LIGHT: [], PlayerType.DARK: []}
        board = state.board
        for x in range(board.width):
            for y in range(board.height):
                piece = board.get_by_indices(x, y) if board.contains_indices(x, y) else None
                if piece:
                    pieces[piece.owner].append(piece.path_index + 1)
        parts = []
        for letter, player in (("S", PlayerType.LIGHT), ("N", PlayerType.DARK)):
            own = state.get_player(player)
            placed = [str(index) for index in sorted(pieces[player])]
            parts.append(
                f"{letter}:" + ",".join(["hand"] * own.piece_count + placed + ["home"] * own.score)
            )
        turn = (
            "- -"
            if state.is_finished()
            else f"{'S' if state.get_turn() == PlayerType.LIGHT else 'N'} *"
        )
        return f"{self.name} " + "/".join(parts) + f" {turn}"


def after(reference, state, action):
    """The state after a throw, and the states after each legal move; one, where nothing can be
    moved."""
    if isinstance(reference, Maedn):
        thrown = state.child(action)
        return reference.moves(thrown)
    rules, roll = reference.rules, Roll(action)
    thrown = rules.apply_roll(state, roll)[-1]
    moves = rules.find_available_moves(state.board, state.get_turn_player(), roll)
    return [rules.apply_move(thrown, move)[-1] for move in moves] or [thrown]


def is_over(reference, state):
    return state.is_terminal() if isinstance(reference, Maedn) else state.is_finished()


def compare(reference, positions, seed):
    rng = random.Random(seed)
    state, seen, results = reference.start(), 0, 0
    while seen < positions:
        if is_over(reference, state):
            state = reference.start()
        position = reference.text(state)
        successors = []
        for action, throw in reference.throws(state):
            moved = after(reference, state, action)
            expected = {reference.text(end) for end in moved}
            assert ends(reference.game, position, throw) == expected, (position, throw)
            successors.append(moved)
            results += len(expected)
        seen += 1
        weights = [1] * 6 if isinstance(reference, Maedn) else [1, 4, 6, 4, 1]
        state = rng.choice(rng.choices(successors, weights[: len(successors)])[0])
    return results


MAEDN = [(2, True), (2, False), (3, True), (4, True)]


@pytest.mark.parametrize(("players", "opposite"), MAEDN)
def test_mensch_is_maedn_of_openspiel(players, opposite):
    assert compare(Maedn(players, opposite), POSITIONS, players) > 6 * POSITIONS


@pytest.mark.parametrize("name", RULE_SETS)
def test_ur_is_that_of_royalur(name):
    assert compare(RoyalUr(name), POSITIONS, 7) > 5 * POSITIONS


if __name__ == "__main__":
    count = int(sys.argv[1])
    for players, opposite in MAEDN:
        print(
            "maedn",
            players,
            opposite,
            count,
            compare(Maedn(players, opposite), count, 100 + players),
            flush=True,
        )
    for name in RULE_SETS:
        print(name, count, compare(RoyalUr(name), count, 107), flush=True)
