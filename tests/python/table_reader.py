"""An independent reader of tables, written from the page that describes them, and what their tests
share."""

import itertools
import json
import struct
import zlib

import numpy

import program

# One piece a seat: tables of a few thousand positions.
ASHTE_KASHTE = ("ashte-kashte.toml", "pieces=1")
ASHTAPADA = ("ashtapada.toml", "pieces=1")
PAGADE = ("pagade.toml", "pieces=1")
PAGADE_LAP = ("pagade-lap.toml", "pieces=1")
# With one piece there is nothing to choose, unless a seat may pass.
OPTIONAL = ("ashte-kashte.toml", "pieces=1", 'move="optional"')

MAGIC = b"ASHTATBL"


def settings(game):
    """The arguments that choose a game: a configuration, and then flags, or settings that name
    their section."""
    config, *changes = game
    changed = [
        change if "." in change.split("=")[0] else f"ruleset.flags.{change}" for change in changes
    ]
    return [
        program.ROOT / "configs" / config,
        *(part for setting in changed for part in ("--set", setting)),
    ]


def solve(output, game, *options):
    """Solves a game to the end; returns what `ashta solve --json` prints."""
    return json.loads(program.done("solve", *settings(game), "-o", output, "--json", *options))


# The reader: as docs/table-format.md tells it, not as the program does it.


def parts(data):
    """The header as bytes, and each block as bytes from its length on."""
    assert data[:8] == MAGIC
    version, length = struct.unpack_from("<II", data, 8)
    assert version == 1 and length <= 16 << 20
    end = 16 + length
    assert struct.unpack_from("<I", data, end) == (zlib.crc32(data[:end]),)
    header, blocks, at = data[16:end], [], end + 4
    while at < len(data):
        packed, checksum = struct.unpack_from("<II", data, at)
        blocks.append(data[at : at + 8 + packed])
        assert len(blocks[-1]) == 8 + packed and zlib.crc32(blocks[-1][8:]) == checksum
        at += 8 + packed
    return header, blocks


def read(path):
    """The header, and all values as whole numbers."""
    header, blocks = parts(path.read_bytes())
    header = json.loads(header)
    width, left, values = header["bits"] // 8, header["values"], []
    for block in blocks:
        count = min(262_144, left)
        left -= count
        planes = zlib.decompress(block[8:])
        assert len(planes) == width * count
        planes = numpy.frombuffer(planes, numpy.uint8).reshape(width, count)
        differences = sum(
            plane.astype(numpy.uint64) << (8 * byte) for byte, plane in enumerate(planes)
        )
        # Sums wrap around at 2^64, which 2^16 and 2^32 divide.
        values.append(numpy.cumsum(differences, dtype=numpy.uint64) & (1 << header["bits"]) - 1)
    assert left == 0
    return header, numpy.concatenate(values)


class Rules:
    """Camps and positions of a ruleset, and their numbers."""

    def __init__(self, ruleset):
        self.game, self.flags, self.letters = (
            ruleset["game"],
            ruleset.get("flags", {}),
            ruleset["seats"],
        )
        self.pieces = int(self.flags.get("pieces", 2 if self.game == "ashtapada" else 4))
        self.seats = len(self.letters)
        self.order = (
            "SWNE" if self.game == "ashtapada" or self.flags.get("turn_order") == "cw" else "SENW"
        )
        self.last = {
            "ashtapada": 60 if self.flags.get("path") == "spiral_kile" else 62,
            "ashte-kashte": 48
            - (self.flags.get("path") == "C")
            + (self.flags.get("entry") == "start_is_one"),
            "pagade": 84,
        }[self.game]
        flag, value = ("no_cut", "off") if self.game == "pagade" else ("twins", "bell")
        self.has_marks = (self.flags.get(flag) == value) != (self.game == "pagade")
        self.sides = sorted(filter(self.is_side, self.lists()), key=self.rank)
        self.numbers = {side: number for number, side in enumerate(self.sides)}

    def lists(self):
        places = itertools.combinations_with_replacement(range(self.last + 1), self.pieces)
        return itertools.product(places, (0, 1) if self.has_marks else (0,))

    def is_side(self, side):
        places, mark = side
        last = self.last
        if places[0] == last:
            return False
        counts = {place: places.count(place) for place in places}
        if self.game == "ashtapada":
            is_twins = any(count == 2 and 1 <= place <= last - 2 for place, count in counts.items())
            return (last not in counts or places[0] >= last - 1) and (mark == 0 or is_twins)
        if self.game == "ashte-kashte":
            protected = {1, 7, 13, 19} if self.flags.get("entry") == "start_is_one" else {6, 12, 18}
            return all(
                count <= (1 if place in protected else 2)
                for place, count in counts.items()
                if 1 <= place < last
            )
        counts[8] = counts.get(8, 0) + counts.pop(76, 0)
        may_enter = mark == 1 or self.flags.get("no_cut") == "off"
        is_crowded = any(count > 2 for place, count in counts.items() if 8 <= place < 76)
        return not is_crowded and (may_enter or places[-1] <= 76)

    def rank(self, side):
        places, mark = side
        home = places.count(self.last)
        more = mark if self.game == "pagade" else 0
        return home + more, 2 * home + more, sum(places), places, mark

    def in_turn(self, mover):
        """The seats in turn order from the one that throws."""
        at = self.order.index(mover)
        return [seat for seat in self.order[at:] + self.order[:at] if seat in self.letters]

    def number(self, mover, sides):
        number = self.in_turn(self.letters[0]).index(mover) if self.seats == 3 else 0
        for side in sides:
            number = number * len(self.sides) + self.numbers[side]
        return number

    # Between sides and the notation of positions.

    def names(self):
        if self.game == "ashtapada":
            return ["off", *map(str, range(self.last - 2)), "keep", "borne"]
        return ["cut" if self.game == "pagade" else "hand", *map(str, range(1, self.last)), "home"]

    def text(self, mover, sides):
        names = self.names()
        sides = dict(zip(self.in_turn(mover), sides))
        flags = "&".join(f"{name}={value}" for name, value in self.flags.items())
        seats = []
        for seat in self.letters:
            places, mark = sides[seat]
            twin = "t" if mark and self.game == "ashtapada" else ""
            cut = "+" if mark and self.game == "pagade" else ""
            seats.append(f"{seat}{cut}:{','.join(names[place] + twin for place in places)}")
        return f"{self.game}?{flags} {'/'.join(seats)} {mover} *"

    def parse(self, text):
        """The seat that throws and the sides in turn order of the start of a turn."""
        _, seats, mover, pending = text.split(" ")
        assert pending == "*", text
        names = {name: place for place, name in enumerate(self.names())}
        sides = {}
        for seat in seats.split("/"):
            owner, places = seat.split(":")
            is_declared = places[0].isdigit() and places.endswith("t")
            places = [place.rstrip("t") if is_declared else place for place in places.split(",")]
            sides[owner[0]] = (
                tuple(names[place] for place in places),
                int(owner.endswith("+") or is_declared),
            )
        return mover, tuple(sides[seat] for seat in self.in_turn(mover))


class Reader(Rules):
    """A table with the numbers of its positions."""

    def __init__(self, path):
        self.header, whole = read(path)
        self.values = whole / ((1 << self.header["bits"]) - 1)
        super().__init__(self.header["ruleset"])

    def look_up(self, mover, sides):
        """The values of all seats in the order of the ruleset's letters."""
        number = self.number(mover, sides)
        if self.seats == 2:
            found = [self.values[number], 1 - self.values[number]]
        else:
            found = self.values[number * self.seats : (number + 1) * self.seats]
        by_seat = dict(zip(self.in_turn(mover), found))
        return [by_seat[seat] for seat in self.letters]

    def worth(self, text):
        """The values of a position (as text) at the start of a turn or at the end of the game."""
        if text.endswith(" - -"):
            last = "borne" if self.game == "ashtapada" else "home"
            seats = [set(seat.split(":")[1].split(",")) for seat in text.split(" ")[1].split("/")]
            won = [float(places == {last}) for places in seats]
            return won if any(won) else [1 / self.seats] * self.seats
        return self.look_up(*self.parse(text))


def ask(requests, *options):
    """The answers of one engine to many requests."""
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    answers = [
        json.loads(line) for line in program.done("engine", *options, input=lines).splitlines()
    ]
    assert len(answers) == len(requests)
    return answers
