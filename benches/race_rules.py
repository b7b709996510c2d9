"""The rules of Ashte Kashte for two seats in plain Python, as people write them to train with the
usual stack.

`maskable_ppo.py --check` compares them with the program `ashta`. Seats are 0 (South) and 1 (North).
The *place* of a piece is its number of steps on the course of its owner: 0 in hand, and the last
place is home.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

SEATS = "SN"
ACTIONS = 9
PAIRS = 4
PASS = 8
THROWS = (1, 2, 3, 4, 8)
# The probabilities times 16. Four sticks with two sides are thrown; 0 to 4 of them show the marked
# side.
THROW_WEIGHTS = (4, 6, 4, 1, 1)
# The largest observed distance between pieces, the stages of the course, and the levels of progress
# and leads.
FAR = 16
STAGES = 4
LEVELS = 16


class Position(NamedTuple):
    """A position; it never changes.

    `pieces`: for each seat, the places of its pieces in ascending order. `mover`: the seat that
    must throw or choose. `pending`: the throw that the mover must use; `None` before the throw.
    """

    pieces: tuple[tuple[int, ...], tuple[int, ...]]
    mover: int
    pending: int | None = None


def random_choice(game: AshteKashte, position: Position, rng: random.Random) -> int:
    return rng.choice(game.legal(position))


def hunter_choice(game: AshteKashte, position: Position) -> int:
    """The action of `hunter`: leaves the enemy the lowest total of places, then has its own pieces
    as far ahead as possible."""
    legal = game.legal(position)
    if len(legal) == 1:
        return legal[0]
    seat = position.mover

    def rank(result: tuple[int, Position]) -> tuple[int, list[int]]:
        own, enemy = result[1].pieces[seat], result[1].pieces[1 - seat]
        return -sum(enemy), sorted(own, reverse=True)

    # Among equal results, `max` takes the first.
    return max(game.turn_results(position), key=rank)[0]


class SeatColumns:
    """The entries of one seat in the observation, counted from the first entry of this seat."""

    def __init__(self, rooms: list[int]) -> None:
        """`rooms`: the largest number of own pieces on each place."""
        self.first = [sum(rooms[:place]) for place in range(len(rooms))]
        self.hunted = sum(rooms)
        self.staged = self.hunted + FAR
        self.followed = self.staged + STAGES * FAR
        self.apart = self.followed + FAR
        self.progress = self.apart + FAR
        self.lead = self.progress + LEVELS
        self.size = self.lead + LEVELS

    def pieces(self, own: tuple[int, ...]) -> list[int]:
        """The entries for the places of the pieces `own`."""
        return [self.first[place] + own[:slot].count(place) for slot, place in enumerate(own)]


class AshteKashte:
    """Ashte Kashte with the default house rules and one to four pieces. Places: 0 in hand, 1 to 47,
    48 home."""

    home = 48
    turn_limit = 2_000
    protected = (6, 12, 18)

    def __init__(self, pieces: int = 4) -> None:
        self.name = "ashte-kashte" if pieces == 4 else f"ashte-kashte?pieces={pieces}"
        self.pieces = pieces
        self.mirror = [self.opposite(place) for place in range(self.home + 1)]
        double = min(2, pieces)
        rooms = [1 if place in self.protected else double for place in range(self.home)] + [pieces]
        rooms[0] = pieces
        self.columns = SeatColumns(rooms)
        self.most = pieces * (self.home + 1)
        self.phase = 2 * self.columns.size
        self.throws = self.phase + 4
        self.slots = self.throws + len(THROWS)
        self.slot_size = self.home + 1 + 6
        self.meetings = self.slots + pieces * self.slot_size
        self.observation_size = self.meetings + 4 * pieces

    @classmethod
    def opposite(cls, place: int) -> int:
        """The place of the opposite seat on the same square; -1 in hand and at home."""
        if place in (0, cls.home):
            return -1
        if place < 24:
            return (place - 12) % 24
        if place < 40:
            return 24 + (place - 24 - 8) % 16
        return 40 + (place - 40 - 4) % 8

    def start(self, first: int) -> Position:
        """The position before the first throw; seat `first` throws."""
        return Position(((0,) * self.pieces, (0,) * self.pieces), first)

    def winner(self, position: Position) -> int | None:
        """The seat with all pieces at home, or `None`."""
        for seat in (0, 1):
            if position.pieces[seat][0] == self.home:
                return seat
        return None

    def throw(self, position: Position, rng: random.Random) -> Position:
        return position._replace(pending=rng.choices(THROWS, THROW_WEIGHTS)[0])

    def observe(self, position: Position) -> np.ndarray:
        """The observation of the seat that must choose: float32 [observation_size] of zeros and
        ones."""
        observation = np.zeros(self.observation_size, dtype=np.float32)
        observation[self.active(position)] = 1.0
        return observation

    def turn_results(self, position: Position) -> list[tuple[int, Position]]:
        """Each possible position after the turn, with the first action that leads to it."""
        found: dict[Position, int] = {}
        for action in self.legal(position):
            found.setdefault(self.apply(position, action), action)
        return [(action, after) for after, action in found.items()]

    def legal(self, position: Position) -> list[int]:
        """The legal actions in ascending order; at least one."""
        own = position.pieces[position.mover]
        enemy = [self.mirror[place] for place in position.pieces[1 - position.mover]]
        throw = position.pending
        standing = [place for place in (*own, *enemy) if 0 < place < self.home]
        doubles = {place for place in standing if standing.count(place) > 1}
        singles, pairs = [], []
        is_only_merging = True
        for slot, place in enumerate(own):
            to = place + throw
            if to > self.home or slot and own[slot - 1] == place:
                continue
            is_goal = to == self.home
            has_own = not is_goal and to in own
            if self.may_go_alone(place, to, doubles, has_own or to in enemy):
                singles.append(slot)
                is_only_merging = is_only_merging and has_own
            is_double = place > 0 and own.count(place) > 1
            if is_double and (is_goal or to not in self.protected and not has_own):
                pairs.append(PAIRS + slot)
                is_only_merging = False
        return singles + pairs + [PASS] * is_only_merging

    def may_go_alone(self, place: int, to: int, doubles: set[int], is_occupied: bool) -> bool:
        """Whether a single piece may move: not past or onto a double, and not onto an occupied
        protected square."""
        if any(place < double <= to for double in doubles):
            return False
        return not (to in self.protected and is_occupied)

    def apply(self, position: Position, action: int) -> Position:
        mover, throw = position.mover, position.pending
        own, enemy = position.pieces[mover], position.pieces[1 - mover]
        if action != PASS:
            slot = action % PAIRS
            moving = 2 if action >= PAIRS else 1
            to = own[slot] + throw
            own = tuple(sorted(own[:slot] + own[slot + moving :] + (to,) * moving))
            there = self.mirror[to]
            if there > 0 and there in enemy and to not in self.protected:
                enemy = tuple(sorted(0 if place == there else place for place in enemy))
        pieces = (own, enemy) if mover == 0 else (enemy, own)
        again = throw in (4, 8) and own[0] < self.home
        return Position(pieces, mover if again else 1 - mover)

    def active(self, position: Position) -> list[int]:
        """The entries that are 1 in the observation of the seat that must choose."""
        mover, throw = position.mover, position.pending
        own, enemy = position.pieces[mover], position.pieces[1 - mover]
        columns = self.seat_entries(own, enemy)
        columns.extend(self.columns.size + entry for entry in self.seat_entries(enemy, own))
        columns.append(self.columns.size + self.lead_entry(position))
        columns.append(self.phase + 2)
        columns.append(self.throws + THROWS.index(throw))
        columns.extend(self.slots + slot * self.slot_size + place for slot, place in enumerate(own))
        columns.extend(self.meeting_entries(position))
        return columns

    def seat_entries(self, own: tuple[int, ...], enemy: tuple[int, ...]) -> list[int]:
        """The entries of one seat that are 1: its pieces, their distances from other pieces, and
        its progress."""
        columns = self.columns
        entries = set(columns.pieces(own))
        on_course = [place for place in own if 0 < place < self.home]
        for place in on_course:
            # Distances on the course of the enemy. Its pieces in hand count as pieces on 0.
            behind = distances(enemy, self.mirror[place])
            if own.count(place) == 1 and place not in self.protected:
                stage = place * STAGES // self.home
                entries.update(columns.hunted + distance - 1 for distance in behind)
                entries.update(columns.staged + stage * FAR + distance - 1 for distance in behind)
            else:
                entries.update(columns.followed + distance - 1 for distance in behind)
            entries.update(columns.apart + distance - 1 for distance in distances(on_course, place))
        entries.add(columns.progress + self.progress(own) * LEVELS // (self.most + 1))
        return sorted(entries)

    @staticmethod
    def progress(own: tuple[int, ...]) -> int:
        """The progress of a seat: the sum of its steps, plus 1 for each piece that has entered."""
        return sum(place + 1 for place in own if place > 0)

    def lead_entry(self, position: Position) -> int:
        """The entry for the lead of the other seat over the mover, counted from the first entry of
        the other seat."""
        own, enemy = position.pieces[position.mover], position.pieces[1 - position.mover]
        lead = self.progress(enemy) - self.progress(own)
        step = self.most // LEVELS // 2
        level = lead // step + LEVELS // 2
        return self.columns.lead + min(max(level, 0), LEVELS - 1)

    def meeting_entries(self, position: Position) -> list[int]:
        """The entries for each piece of the mover: a lone enemy or an own piece at its target, an
        own piece at its place."""
        own, enemy = position.pieces[position.mover], position.pieces[1 - position.mover]
        lone = {
            self.mirror[place]
            for place in enemy
            if enemy.count(place) == 1 and place not in self.protected
        }
        columns = []
        for slot, place in enumerate(own):
            others = {other for other in own[:slot] + own[slot + 1 :] if 0 < other < self.home}
            meets = (
                place + position.pending in lone,
                False,
                place + position.pending in others,
                place in others,
            )
            columns.extend(
                self.meetings + 4 * slot + kind for kind, is_met in enumerate(meets) if is_met
            )
        return columns

    def text(self, position: Position) -> str:
        """The position in the notation of the program."""
        words = {0: "hand", self.home: "home"}
        places = (
            ",".join(words.get(place, str(place)) for place in seat) for seat in position.pieces
        )
        seats = "/".join(f"{letter}:{text}" for letter, text in zip(SEATS, places, strict=True))
        if self.winner(position) is not None:
            return f"{self.name} {seats} - -"
        pending = "*" if position.pending is None else str(position.pending)
        return f"{self.name} {seats} {SEATS[position.mover]} {pending}"


def distances(pieces: Iterable[int], place: int) -> set[int]:
    """The distances, up to `FAR`, of pieces that are behind `place`."""
    return {place - piece for piece in pieces if 0 < place - piece <= FAR}
