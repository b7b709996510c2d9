"""The rules of Ashte Kashte for two seats in plain Python: what people write before they train with the usual stack.

Written from the rules alone and checked against the program `ashta` by `maskable_ppo.py --check`. Seats are 0 (South)
and 1 (North). A *place* is a piece's number of steps on the course of its owner: 0 off the board, the last one home.
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
# In sixteenths: four two-sided sticks, of which 0 to 4 show the marked side.
THROW_WEIGHTS = (4, 6, 4, 1, 1)
# Relations are observed up to this distance, by so many stages of the course; progress and leads by so many levels.
FAR = 16
STAGES = 4
LEVELS = 16


class Position(NamedTuple):
    """A position; values are never changed.

    `pieces`: for each seat the places of its pieces, ascending. `mover`: the seat to throw or to choose. `pending`: the
    throw to be used; None before it.
    """

    pieces: tuple[tuple[int, ...], tuple[int, ...]]
    mover: int
    pending: int | None = None


def random_choice(game: AshteKashte, position: Position, rng: random.Random) -> int:
    """Any legal action with equal probability."""
    return rng.choice(game.legal(position))


def hunter_choice(game: AshteKashte, position: Position) -> int:
    """What `hunter` plays: fewest enemy steps left, then the furthest pieces; the first found among equals."""
    legal = game.legal(position)
    if len(legal) == 1:
        return legal[0]
    seat = position.mover

    def rank(result: tuple[int, Position]) -> tuple[int, list[int]]:
        own, enemy = result[1].pieces[seat], result[1].pieces[1 - seat]
        return -sum(enemy), sorted(own, reverse=True)

    # `max` keeps the first of equals.
    return max(game.turn_results(position), key=rank)[0]


class SeatColumns:
    """Where the entries of one seat's pieces lie in the observation, counted from the first entry of the seat."""

    def __init__(self, rooms: list[int]) -> None:
        """`rooms`: how many own pieces each place can hold."""
        self.first = [sum(rooms[:place]) for place in range(len(rooms))]
        self.hunted = sum(rooms)
        self.staged = self.hunted + FAR
        self.followed = self.staged + STAGES * FAR
        self.apart = self.followed + FAR
        self.progress = self.apart + FAR
        self.lead = self.progress + LEVELS
        self.size = self.lead + LEVELS

    def pieces(self, own: tuple[int, ...]) -> list[int]:
        """Entries of the places of the pieces `own`."""
        return [self.first[place] + own[:slot].count(place) for slot, place in enumerate(own)]


class AshteKashte:
    """Ashte Kashte with the default house rules and one to four pieces. Places: 0 in hand, 1 to 47, 48 home."""

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
        """The opposite seat's place on the same square; -1 off the course."""
        if place in (0, cls.home):
            return -1
        if place < 24:
            return (place - 12) % 24
        if place < 40:
            return 24 + (place - 24 - 8) % 16
        return 40 + (place - 40 - 4) % 8

    def start(self, first: int) -> Position:
        """The position before the first throw, which `first` makes."""
        return Position(((0,) * self.pieces, (0,) * self.pieces), first)

    def winner(self, position: Position) -> int | None:
        """The seat that has all its pieces home."""
        for seat in (0, 1):
            if position.pieces[seat][0] == self.home:
                return seat
        return None

    def throw(self, position: Position, rng: random.Random) -> Position:
        """Throws the dice."""
        return position._replace(pending=rng.choices(THROWS, THROW_WEIGHTS)[0])

    def observe(self, position: Position) -> np.ndarray:
        """The observation of the seat that chooses: float32 [observation_size], zeros and ones."""
        observation = np.zeros(self.observation_size, dtype=np.float32)
        observation[self.active(position)] = 1.0
        return observation

    def turn_results(self, position: Position) -> list[tuple[int, Position]]:
        """Each distinct position that ends the mover's turn, with the first action towards it."""
        found: dict[Position, int] = {}
        for action in self.legal(position):
            found.setdefault(self.apply(position, action), action)
        return [(action, after) for after, action in found.items()]

    def legal(self, position: Position) -> list[int]:
        """Legal actions, ascending; at least one at a decision."""
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
        """Whether a single piece may move: past no double, onto none, and onto no protected square in use."""
        if any(place < double <= to for double in doubles):
            return False
        return not (to in self.protected and is_occupied)

    def apply(self, position: Position, action: int) -> Position:
        """The position after a legal action."""
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
        """Entries of the observation that are 1, seen by the seat that chooses."""
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
        """Entries of one seat, counted from its first: its pieces, how far they are from others, and its progress."""
        columns = self.columns
        entries = set(columns.pieces(own))
        on_course = [place for place in own if 0 < place < self.home]
        for place in on_course:
            # Places on the enemy's course. Its pieces in hand are as far behind as if they stood on 0.
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
        """How far a seat has come: 1 for each of its pieces that has entered, and their steps."""
        return sum(place + 1 for place in own if place > 0)

    def lead_entry(self, position: Position) -> int:
        """The entry of the other seat's lead over the mover, counted from the first entry of that seat."""
        own, enemy = position.pieces[position.mover], position.pieces[1 - position.mover]
        lead = self.progress(enemy) - self.progress(own)
        step = self.most // LEVELS // 2
        level = lead // step + LEVELS // 2
        return self.columns.lead + min(max(level, 0), LEVELS - 1)

    def meeting_entries(self, position: Position) -> list[int]:
        """Entries of what each piece of the mover can meet: a lone enemy with the throw, its own with it and without."""
        own, enemy = position.pieces[position.mover], position.pieces[1 - position.mover]
        lone = {self.mirror[place] for place in enemy if enemy.count(place) == 1 and place not in self.protected}
        columns = []
        for slot, place in enumerate(own):
            others = {other for other in own[:slot] + own[slot + 1 :] if 0 < other < self.home}
            meets = (place + position.pending in lone, False, place + position.pending in others, place in others)
            columns.extend(self.meetings + 4 * slot + kind for kind, is_met in enumerate(meets) if is_met)
        return columns

    def text(self, position: Position) -> str:
        """The position in the notation of the program."""
        words = {0: "hand", self.home: "home"}
        places = (",".join(words.get(place, str(place)) for place in seat) for seat in position.pieces)
        seats = "/".join(f"{letter}:{text}" for letter, text in zip(SEATS, places, strict=True))
        if self.winner(position) is not None:
            return f"{self.name} {seats} - -"
        pending = "*" if position.pending is None else str(position.pending)
        return f"{self.name} {seats} {SEATS[position.mover]} {pending}"


def distances(pieces: Iterable[int], place: int) -> set[int]:
    """How many steps before `place` pieces stand, as far as these are seen."""
    return {place - piece for piece in pieces if 0 < place - piece <= FAR}
