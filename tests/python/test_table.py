"""Tables of perfect play, read by independent code: docs/table-format.md describes the files of
`ashta solve`."""

import json
import random
import signal
import struct
import subprocess
import zlib

import numpy
import pytest

import program
from table_reader import (
    ASHTAPADA,
    ASHTE_KASHTE,
    ask,
    MAGIC,
    OPTIONAL,
    PAGADE,
    PAGADE_LAP,
    parts,
    read,
    Reader,
    Rules,
    settings,
    solve,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("tables")


@pytest.fixture(scope="module")
def small(folder):
    """Ashte Kashte with one piece: the file, and the program's report."""
    path = folder / "small.table"
    return path, solve(path, ASHTE_KASHTE)


def test_the_header_says_what_the_program_does(small):
    path, report = small
    header, values = read(path)
    assert (
        header["ruleset"]
        == report["ruleset"]
        == {"game": "ashte-kashte", "seats": "SN", "flags": {"pieces": "1"}}
    )
    fnv = 0xCBF29CE484222325
    for byte in b"ashte-kashte?pieces=1 SN":
        fnv = (fnv ^ byte) * 0x100000001B3 & (1 << 64) - 1
    assert header["ruleset_hash"] == f"{fnv:016x}"
    assert header["camps"] == 48 and header["values"] == len(values) == 48**2
    assert header["bits"] == report["bits"] == 16 and report["bytes"] == path.stat().st_size
    facts = header["facts"]
    assert facts == report["facts"] and "unfinished" not in header
    # 46 squares are on the courses of both seats, and nobody shares one.
    assert facts["positions"] == 48**2 - 46
    assert facts["cut_off"] == 0 and 0 < facts["residual"] < 1e-8
    assert 0 < facts["certificate"]["start_error"] <= facts["certificate"]["error"] < 1e-6
    assert sorted(path.parent.glob("small*")) == [path], "nothing else is left behind"


def test_the_reader_of_the_page_finds_the_start(small):
    (code,) = program.blocks("table-format.md", "python")
    assert len(code.splitlines()) <= 40
    first, other = small[1]["start"]
    expected = f"{first:.4f} for the seat that throws first, {other:.4f} for the other"
    assert program.python("-c", code, small[0]).splitlines() == [
        "ashte-kashte {'pieces': '1'} SN",
        expected,
    ]


def test_side_positions_are_as_many_as_the_page_says():
    for games, counts in program.rows("table-format.md", "Side positions")[-3:]:
        found = []
        for text in games.split(", "):
            game, _, flags = text.strip("`").partition("?")
            flags = dict(flag.split("=") for flag in flags.split("&") if flag)
            rules = Rules({"game": game, "flags": flags, "seats": "SN"})
            found.append(f"{len(rules.sides):,}")
        assert found == counts.split(", "), games


# Tables that are cut off after one sweep have wrong values in the right places, which is all that
# matters here.
ONE_SWEEP = ("--no-proof", "--tolerance", "0.9")


@pytest.mark.parametrize(
    ("game", "options"),
    [
        (ASHTE_KASHTE, ()),
        (ASHTE_KASHTE, ("--bits", "32")),
        (("ashte-kashte.toml", "pieces=2"), ONE_SWEEP),
        (("ashte-kashte.toml", "pieces=2", 'path="C"', 'entry="start_is_one"'), ONE_SWEEP),
        (("ashte-kashte.toml", "pieces=1", "ruleset.seats=3"), ONE_SWEEP),
        (ASHTAPADA, ()),
        (("ashtapada.toml", "pieces=1", 'path="spiral_kile"'), ()),
        (PAGADE, ()),
        (PAGADE_LAP, ()),
        (("pagade.toml", "pieces=1", 'no_cut="off"', 'turn_order="cw"'), ()),
    ],
    ids=str,
)
def test_the_engine_finds_what_the_reader_finds(game, options, tmp_path):
    path = tmp_path / "any.table"
    report = solve(path, game, *options)
    reader = Reader(path)
    assert reader.header["camps"] == len(reader.sides)
    draw = random.Random(1)
    movers = reader.in_turn(reader.letters[0])
    drawn = [
        (draw.choice(movers), tuple(draw.choices(reader.sides, k=reader.seats)))
        for _ in range(2_000)
    ]
    game = reader.text("S", drawn[0][1]).split(" ")[0]
    (begin,) = ask([{"op": "new", "game": game, "seats": reader.seats, "start": "S"}])
    drawn[0] = reader.parse(begin["position"])
    texts = [reader.text(*position) for position in drawn]
    answers = ask([{"op": "evaluate", "position": text} for text in texts], "--agent", path)
    # The rest are positions that cannot be.
    known = [at for at, answer in enumerate(answers) if "values" in answer]
    assert len(known) > 1_000
    assert {answers[at]["error"]["code"] for at in set(range(2_000)) - set(known)} <= {
        "bad-position"
    }
    for at in known:
        numpy.testing.assert_allclose(
            answers[at]["values"], reader.worth(texts[at]), atol=1e-7, err_msg=texts[at]
        )
    by_seat = dict(zip(reader.letters, answers[0]["values"]))
    # The report does not round values as the table does.
    numpy.testing.assert_allclose(
        report["start"], [by_seat[seat] for seat in reader.in_turn("S")], atol=1e-5
    )


# Tables that are refused.


def changed(data, at, by=1):
    return data[:at] + bytes([data[at] ^ by]) + data[at + 1 :]


def with_header(data, change):
    """The same file with another header whose checksum is right."""
    header, blocks = parts(data)
    header = json.loads(header)
    change(header)
    text = json.dumps(header).encode()
    start = MAGIC + struct.pack("<II", 1, len(text)) + text
    return start + struct.pack("<I", zlib.crc32(start)) + b"".join(blocks)


def with_block(data, planes):
    """The same file with other contents of its only block."""
    packed = zlib.compress(planes)
    header, _ = parts(data)
    return data[: 20 + len(header)] + struct.pack("<II", len(packed), zlib.crc32(packed)) + packed


BROKEN = {
    "a byte of the header": (lambda data: changed(data, 40), "the checksum of the header is wrong"),
    "a byte of a block": (
        lambda data: changed(data, len(data) - 99),
        "the checksum of block 1 of 1 is wrong",
    ),
    "too few values": (
        lambda data: with_block(data, bytes(2 * 2304 - 1)),
        "block 1 does not have 4608 bytes",
    ),
    "an empty file": (lambda data: b"", "it ends within the header"),
    "cut in the block": (lambda data: data[:-1], "it ends within block 1 of 1"),
    "trailing bytes": (lambda data: data + b"\0", "has bytes after its last value"),
    "another magic": (lambda data: b"ASHTABOT" + data[8:], "is not a table of ashta"),
    "another format": (
        lambda data: changed(data, 8, 3),
        "has format 2, this program reads format 1",
    ),
    "an unknown flag": (
        lambda data: with_header(data, lambda header: header["ruleset"]["flags"].update(speed="2")),
        "`speed`",
    ),
    "no facts": (
        lambda data: with_header(data, lambda header: header.pop("facts")),
        "is not finished",
    ),
}
# Headers with other values.
for keys, words in [
    ({"ruleset_hash": "0" * 16}, "is 0000000000000000, not 3c3e8d0dd3b684b6"),
    ({"camps": 47}, "camps in the header is 47, not 48"),
    ({"values": 1 << 40}, "values in the header is 1099511627776, not 2304"),
    ({"bits": 8}, "bits in the header is 8"),
    ({"more": 1}, "`more`"),
]:
    BROKEN[f"another header: {keys}"] = (
        lambda data, keys=keys: with_header(data, lambda header: header.update(keys)),
        words,
    )


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_table_is_refused_by_name(what, small, tmp_path):
    damage, words = BROKEN[what]
    path = tmp_path / "broken.table"
    path.write_bytes(damage(small[0].read_bytes()))
    for arguments in (["eval", path, "--pairs", "1"], ["engine", "--agent", path], ["play", path]):
        error = program.refused(*arguments, input="")
        assert "broken.table" in error and words in error, error


def test_a_header_written_by_others_is_read(small, tmp_path):
    """A header from another JSON writer is read."""
    path = tmp_path / "same.table"
    path.write_bytes(with_header(small[0].read_bytes(), lambda header: None))
    answer = ask(
        [{"op": "evaluate", "position": "ashte-kashte?pieces=1 S:hand/N:hand S *"}], "--agent", path
    )
    numpy.testing.assert_allclose(answer[0]["values"], small[1]["start"], atol=1e-5)


def test_a_table_plays_its_own_game_only(small):
    path = small[0]
    for arguments in (["eval", path, "--pairs", "1"], ["play", path]):
        error = program.refused(*arguments, "--game", "pagade", input="")
        for words in ("small.table", "ashte-kashte?pieces=1 SN", "pagade SN"):
            assert words in error, error
    positions = ["=2 S:hand,hand/N:hand,hand S *", "=1 S:hand/E:hand/N:hand S *"]
    requests = [
        {"op": "evaluate", "position": f"ashte-kashte?pieces{position}"} for position in positions
    ]
    for answer in ask(requests, "--agent", path):
        assert answer["error"]["code"] == "no-agent"
        assert "ashte-kashte?pieces=1 SN" in answer["error"]["message"]


def test_perfect_finds_the_table_of_the_game(small, tmp_path):
    path, shelf = tmp_path / "optional.table", tmp_path / "checkpoints"
    solve(path, OPTIONAL)
    none = program.refused("eval", "perfect", "--game", "ashte-kashte?pieces=3", cwd=tmp_path)
    assert "ashte-kashte?pieces=3 SN" in none and "ashta solve" in none
    shelf.mkdir()
    (shelf / "another game.table").write_bytes(small[0].read_bytes())
    (shelf / "any name.table").write_bytes(path.read_bytes())
    game = ["--game", "ashte-kashte?pieces=1&move=optional", "--against", "random", "--pairs", 200]
    found = program.read_json("eval", "perfect", *game, cwd=tmp_path)["results"]
    assert found == program.read_json("eval", path, *game)["results"]
    assert found[0]["score"] > 0.6


# Solving that is interrupted.


def interrupted(path, game):
    """Starts or resumes solving with frequent saves, interrupts after a save, and returns the saved
    file."""
    command = [program.ASHTA, "solve", *settings(game), "-o", path, "--save-minutes", "0.0005"]
    pipe = subprocess.PIPE
    kept = path.with_name(path.name + ".unfinished")
    before = kept.stat().st_mtime_ns if kept.exists() else None
    process = subprocess.Popen([str(part) for part in command], stdout=pipe, stderr=pipe, text=True)
    program.wait_until(lambda: kept.exists() and kept.stat().st_mtime_ns != before, process)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=program.PATIENCE)
    assert process.returncode == 130 and output == "", errors
    assert kept.name in errors and kept.exists() and not path.exists()
    return kept


def test_an_interrupted_solver_goes_on_as_if_it_had_not_been(tmp_path):
    whole, halves = tmp_path / "whole.table", tmp_path / "halves.table"
    solve(whole, PAGADE_LAP)
    header, values = read(interrupted(halves, PAGADE_LAP))
    place = header["unfinished"]
    assert sorted(place) == ["change", "layers", "levels", "sweeps", "total", "totals", "work"]
    # The changes of the values, too, where they are to be extrapolated.
    numbers = 2 if place["totals"][0] > 0 else 1
    assert header["bits"] == 32 and "facts" not in header
    assert len(values) == header["values"] == numbers * 161**2
    # Again, further on.
    later = read(interrupted(halves, PAGADE_LAP))[0]["unfinished"]
    keys = ("layers", "sweeps", "levels")
    assert [later[key] for key in keys] > [place[key] for key in keys]
    assert solve(halves, PAGADE_LAP)["facts"]["sweeps"] > 1
    assert halves.read_bytes() == whole.read_bytes()
    assert sorted(tmp_path.iterdir()) == [halves, whole]


def test_what_is_unfinished_is_no_table_and_belongs_to_one_game(small, tmp_path):
    path = tmp_path / "mine.table"
    kept = interrupted(path, PAGADE_LAP)
    before = kept.read_bytes()

    def refused(game):
        error = program.refused("solve", *settings(game), "-o", path)
        assert kept.name in error
        return error

    other = refused(ASHTE_KASHTE)
    assert "pagade?pieces=1&no_cut=lap SN" in other and "ashte-kashte?pieces=1 SN" in other
    assert kept.read_bytes() == before and not path.exists()
    path.write_bytes(before)
    played = program.refused("eval", path, "--pairs", "1")
    assert "mine.table" in played and "is not finished" in played

    kept.write_bytes(small[0].read_bytes())
    assert "is finished" in refused(ASHTE_KASHTE)
    kept.write_bytes(before[:-1])
    assert "is cut short" in refused(PAGADE_LAP)


@pytest.mark.parametrize(
    ("game", "words"),
    [
        (("pagade-teams.toml", "pieces=1"), "cannot solve games with teams"),
        (("ashtapada.toml", "pieces=3"), "at most 500000000 can be solved"),
    ],
    ids=str,
)
def test_what_cannot_be_solved_is_refused(game, words, tmp_path):
    error = program.refused("solve", *settings(game), "-o", tmp_path / "no.table")
    assert "cannot be solved" in error and words in error, error
    assert list(tmp_path.iterdir()) == []


def test_nobody_beats_a_table(small, tmp_path):
    """The best response to perfect play is perfect play."""
    path = tmp_path / "optional.table"
    solve(path, OPTIONAL)
    report = program.read_json("exploit", path)
    assert abs(report["exploitability"]) < 2e-5, "as much as sixteen bits can cost"
    assert report["best_response"]["first"] > 0.5 > report["best_response"]["second"]
    game = "ashte-kashte?pieces=1&move=optional"
    drawing = program.read_json("exploit", "greedy", "--game", game)
    assert 0.01 < drawing["exploitability"] < 0.5, "an agent that draws among equal choices"
    refused = program.refused("exploit", "greedy", "--game", "pagade")
    assert "cannot be solved" in refused


def test_what_cannot_be_written_is_said_before_anything_is_solved(tmp_path):
    """A table of a minute's work is not lost for want of a folder."""
    config = program.ROOT / "configs" / "ashtapada.toml"
    for output, words in [
        (tmp_path / "none" / "x.table", "cannot write the table"),
        (tmp_path, "is a folder"),
    ]:
        assert words in program.refused("solve", config, "-o", output)
    for command in (
        ["solve", config, "-o", tmp_path / "x.table"],
        ["exploit", "greedy", "--game", "ashtapada"],
    ):
        for number in ("0", "-1", "nan", "x"):
            refused = program.run(*command, f"--tolerance={number}")
            assert (
                refused.returncode == 2 and "not a number above 0 and below 1" in refused.stderr
            ), refused.stderr
    assert list(tmp_path.iterdir()) == []
