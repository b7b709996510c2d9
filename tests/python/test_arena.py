"""`ashta arena`: its games, its report, and engines that fail."""

import json
import math
import os
import re
import select
import shlex
import signal
import subprocess
import sys

import pytest

import program

# An engine in Python that answers `hello` and then does to `bestmove` what `what` says.
ENGINE = """
import json, sys, time
asked = 0
for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "hello":
        print(json.dumps({"name": "fake", "games": ["ashtapada", "pagade"], "id": request["id"]}), flush=True)
        continue
    asked += 1
    what
"""


def arena(*arguments, **options):
    return json.loads(program.done("arena", *arguments, "--json", **options))


def fake(tmp_path, what):
    """An agent of the arena that is an engine which does `what`."""
    script = tmp_path / f"engine{len(list(tmp_path.iterdir()))}.py"
    script.write_text(ENGINE.replace("what", what))
    return f"engine:{shlex.join([sys.executable, str(script)])}"


def games(path):
    """The settings and the games of a file."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return lines[0], lines[1:]


def without_times(report):
    for agent in report["agents"]:
        agent.pop("milliseconds", None)
    return report


@pytest.mark.parametrize("game, seats", [("ashtapada", 2), ("ashte-kashte", 3), ("pagade", 4)])
def test_every_game_can_be_played_again(engine, tmp_path, game, seats):
    path = tmp_path / "games.jsonl"
    luck = "none" if game == "pagade" else "auto"  # where it takes a minute
    options = ["--game", game, "--seats", seats, "--pairs", "1", "--luck", luck, "--games", path]
    report = arena("greedy", "random", "hunter", *options)
    settings, played = games(path)
    assert settings["game"] == game and len(settings["seats"]) == seats
    assert len(played) == report["games"] > 2
    for line in played:
        answer = {"position": line["start"]}
        for move in line["moves"]:
            part = {"throw": move} if isinstance(move, list) else {"action": move}
            answer = engine.get(op="apply", position=answer["position"], **part)
        assert answer["returns"] == pytest.approx(line["returns"], abs=1e-6)
        assert (
            set(line["players"]) <= {"greedy", "random", "hunter"} and len(line["players"]) == seats
        )
        assert line["ending"] == "finished" and line["turns"] > 5
        if "luck" in line:
            assert sum(line["luck"]) == pytest.approx(0, abs=1e-4)


def test_the_games_of_a_block_share_their_throws_and_everybody_sits_everywhere(tmp_path):
    path = tmp_path / "games.jsonl"
    arena(
        "random",
        "runner",
        "hunter",
        "greedy",
        "--game",
        "ashte-kashte",
        "--seats",
        "4",
        "--pairs",
        "2",
        "--luck",
        "none",
        "--games",
        path,
    )
    blocks = {}
    for line in games(path)[1]:
        blocks.setdefault(line["block"], []).append(line)
    assert len(blocks) == 12, "two blocks for each of the six orders around the table"
    for block in blocks.values():
        assert len(block) == 4 and len({line["start"] for line in block}) == 1
        assert len({json.dumps(line["moves"][0]) for line in block}) == 1
        for name in ["random", "runner", "hunter", "greedy"]:
            assert sorted(line["players"].index(name) for line in block) == [0, 1, 2, 3]


def test_an_interrupted_arena_goes_on_and_says_the_same(tmp_path):
    whole, part = tmp_path / "whole.jsonl", tmp_path / "part.jsonl"
    agents = ["greedy", "hunter", "random", "--game", "ashtapada", "--pairs", "6"]
    expected = without_times(arena(*agents, "--games", whole, "--threads", "1"))
    text = whole.read_bytes()
    # The rest after the last whole line may be invalid text: the third line ends within a
    # character.
    for cut, rest in [
        (len(text) // 2, b""),
        (text.index(b"\n") + 1, b""),
        (text.rindex(b"\n") + 1, b'{"a":"\xc3'),
        (10, b""),
        (0, b""),
        (len(text), b""),
    ]:
        part.write_bytes(text[:cut] + rest)
        assert without_times(arena(*agents, "--games", part, "--threads", "2")) == expected
        assert part.read_bytes() == text, "the same games in the same order, whatever the threads"
    assert "`seed` is 7919, not 1" in program.refused(
        "arena", *agents, "--games", part, "--seed", "1"
    )
    lines = text.split(b"\n")
    lines[3] = b'{"block":'
    part.write_bytes(b"\n".join(lines))
    assert f"{part}: line 4: not a game" in program.refused("arena", *agents, "--games", part)
    assert part.read_bytes() == b"\n".join(lines), "what is there stays"


def test_parts_of_an_arena_are_joined_to_the_bytes_of_one_run(tmp_path):
    words = ["arena", "greedy", "runner", "random", "--game", "ashte-kashte", "--pairs", 4]
    one, parts = tmp_path / "one.jsonl", [tmp_path / f"{i}.jsonl" for i in range(3)]
    shown = without_times(arena(*words[1:], "--games", one))
    for part, blocks in zip(parts, ["0..5", "5..6", "6..12"], strict=True):
        program.done(*words, "--blocks", blocks, "--games", part)
    whole = tmp_path / "whole.jsonl"
    program.done("arena", "--merge", parts[2], parts[0], parts[1], "--games", whole)
    assert whole.read_bytes() == one.read_bytes()
    assert without_times(arena(*words[1:], "--games", whole)) == shown
    # An interrupted part continues after its last whole block.
    content = parts[2].read_bytes()
    parts[2].write_bytes(content[: len(content) // 2])
    program.done(*words, "--blocks", "6..12", "--games", parts[2])
    assert parts[2].read_bytes() == content

    def refused(*files, to=tmp_path / "new.jsonl"):
        return program.refused("arena", "--merge", *files, "--games", to)

    assert "whole.jsonl already exists" in refused(*parts, to=whole)
    assert "2.jsonl, line 2: game 0 of block 6 does not follow game 1 of block 4" in refused(
        parts[0], parts[2]
    )
    assert "of block 5 does not follow game 0 of block 5" in refused(*parts, parts[1])
    parts[1].write_bytes(parts[1].read_bytes().replace(b'"seed":7919', b'"seed":7'))
    differing = refused(*parts)
    assert f"1.jsonl, line 1: the settings differ from the settings of {parts[0]}" in differing
    assert "its `seed` is 7, not 7919" in differing
    parts[1].write_text("{}\n")
    assert "1.jsonl, line 1: not the settings of an arena" in refused(*parts)
    assert not (tmp_path / "new.jsonl").exists()
    for blocks, message in [
        ("9..13", "has the blocks 0..12"),
        ("5..5", "5..5 is not a range of blocks such as 0..500"),
        ("5", "5 is not a range of blocks"),
    ]:
        wrong = program.run(*words, "--blocks", blocks)
        assert wrong.returncode > 0 and message in wrong.stderr, wrong.stderr


def test_blocks_of_different_lengths_are_joined(tmp_path):
    # Of the four lineups, random-runner-random-runner has two games in a block, the others have
    # four.
    words = ["arena", "random", "runner", "--game", "ashte-kashte", "--seats", 4, "--pairs", 1]
    words += ["--luck", "none"]
    whole, one, other, joined = (tmp_path / f"{name}.jsonl" for name in "abcd")
    for path, blocks in [(whole, "0..4"), (one, "0..3"), (other, "3..4")]:
        program.done(*words, "--blocks", blocks, "--games", path)
    lengths = [line["block"] for line in games(whole)[1]]
    assert [lengths.count(block) for block in range(4)] == [4, 4, 2, 4]
    program.done("arena", "--merge", one, other, "--games", joined)
    assert joined.read_bytes() == whole.read_bytes()


def test_interrupted_parts_are_not_joined(tmp_path):
    words = ["arena", "random", "runner", "--game", "ashtapada", "--pairs", 4, "--luck", "none"]
    whole, one, other, new = (tmp_path / f"{name}.jsonl" for name in "abcd")
    for path, blocks in [(whole, "0..4"), (one, "0..2"), (other, "2..4")]:
        program.done(*words, "--blocks", blocks, "--games", path)
    merge = ["arena", "--merge", one, other, "--games", new]
    again = "run its arena again to finish it"
    for part, block in [(one, 1), (other, 3)]:
        content = part.read_bytes()
        header, *lines = content.splitlines(keepends=True)
        assert len(lines) == 4
        for changed, message in [
            (content[: -len(lines[-1])], f"{part} stops within block {block}: {again}"),
            (content[:-1], f"{part} stops within line 5: {again}"),
            (content[:-20], f"{part} stops within line 5: {again}"),
            (header[:-1], f"{part} stops within line 1: {again}"),
            (header, f"{part} has no games: {again}"),
            (b"", f"{part}, line 1: not the settings of an arena"),
            (
                header + b"".join([lines[0], *lines[2:]]),
                f"{part}, line 3: game 0 of block {block} does not follow game 0 of block",
            ),
        ]:
            part.write_bytes(changed)
            assert message in program.refused(*merge)
            assert not new.exists()
        part.write_bytes(content)
    one.write_bytes(header + b"".join(one.read_bytes().splitlines(keepends=True)[2:]))
    assert f"{one}, line 2: game 1 of block 0 is not the first game" in program.refused(*merge)


def test_blank_lines_of_parts_are_skipped(tmp_path):
    words = ["arena", "random", "runner", "--game", "ashtapada", "--pairs", 2, "--luck", "none"]
    whole, one, other, new = (tmp_path / f"{name}.jsonl" for name in "abcd")
    for path, blocks in [(whole, "0..2"), (one, "0..1"), (other, "1..2")]:
        program.done(*words, "--blocks", blocks, "--games", path)
    one.write_bytes(one.read_bytes().replace(b"\n", b"\n \n"))
    other.write_bytes(other.read_bytes() + b"\n\n")
    program.done("arena", "--merge", one, other, "--games", new)
    assert new.read_bytes() == whole.read_bytes()


@pytest.mark.parametrize(
    "option",
    [
        "--report report",
        "--json",
        "--pairs 4",
        "--seed 7919",
        "--luck none",
        "--sprt 0,10",
        "--anchor random",
        "--engine-errors errors",
        "--blocks 0..2",
        "--game ashtapada",
        "--seats 2",
        "--threads 1",
        "--alpha 0.1",
        "--beta 0.1",
        "--move-seconds 1",
    ],
)
def test_merge_refuses_options_of_an_arena(tmp_path, option):
    words = ["arena", "--merge", "one.jsonl", "--games", "new.jsonl", *option.split()]
    refused = program.run(*words, cwd=tmp_path)
    assert refused.returncode > 0 and "cannot be used with" in refused.stderr, refused.stderr
    assert option.split()[0] in refused.stderr and not list(tmp_path.iterdir())


def test_a_file_of_something_else_is_never_overwritten(tmp_path):
    path = tmp_path / "mine.txt"
    for content in [b"no line end", b"a line\n", b"\xff\xfe\n", b'{"arena":1}\n']:
        path.write_bytes(content)
        assert str(path) in program.refused(
            "arena", "greedy", "random", "--game", "ashtapada", "--games", path
        )
        assert path.read_bytes() == content


def test_games_are_kept_in_a_regular_file_alone(tmp_path):
    assert "cannot write /dev/null: games" in program.refused(
        "arena", "greedy", "random", "--game", "ashtapada", "--games", "/dev/null"
    )
    link = tmp_path / "link.jsonl"
    for target in ["there.txt", "missing.txt"]:
        (tmp_path / "there.txt").touch()
        link.unlink(missing_ok=True)
        link.symlink_to(tmp_path / target)
        refused = program.refused(
            "arena", "greedy", "random", "--game", "ashtapada", "--pairs", "1", "--games", link
        )
        assert str(link) in refused and "link" in refused
        assert [path.stat().st_size for path in tmp_path.glob("*.txt")] == [0]


def test_one_arena_at_a_time_adds_to_a_file(tmp_path):
    path = tmp_path / "games.jsonl"
    fcntl = pytest.importorskip("fcntl")
    words = ["arena", "greedy", "random", "--game", "ashtapada", "--pairs", "1", "--games", path]
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        refused = program.run(*words)
    assert (
        refused.returncode == 1
        and str(path) in refused.stderr
        and "another arena" in refused.stderr
    )
    assert path.stat().st_size == 0 and program.run(*words).returncode == 0


def test_ctrl_c_keeps_what_was_played_and_makes_nobody_forfeit(tmp_path):
    path, count = tmp_path / "games.jsonl", tmp_path / "count"
    # In a terminal Ctrl-C goes to the whole group of the program, as here.
    what = f"""
    import os, pathlib, signal
    count = pathlib.Path({str(count)!r})
    with count.open("a") as file:
        file.write(".")
    if count.stat().st_size == 30:
        os.killpg(os.getpgid(os.getppid()), signal.SIGINT)
        time.sleep(60)
    print('{{"action": 99}}', flush=True)"""
    agents = [
        "greedy",
        fake(tmp_path, what.strip()),
        "--game",
        "ashtapada",
        "--pairs",
        "40",
        "--luck",
        "none",
    ]
    stopped = program.run(
        "arena", *agents, "--games", path, "--threads", "1", "--json", start_new_session=True
    )
    assert stopped.returncode == 130, stopped.stderr
    assert "stopping" in stopped.stderr and f"continues {path}" in stopped.stderr
    first = json.loads(stopped.stdout)
    assert first["games"] < 80 and len(games(path)[1]) == first["games"]
    assert arena(*agents, "--games", path)["games"] == 80
    reasons = [line["ending"]["forfeited"]["reason"] for line in games(path)[1]]
    assert all("it chose action 99" in reason for reason in reasons)


def test_a_changed_file_is_refused(tmp_path):
    path = tmp_path / "games.jsonl"
    agents = ["greedy", "hunter", "--game", "ashtapada", "--pairs", "3"]
    arena(*agents, "--games", path)
    text = path.read_text()
    header, first, *rest = text.splitlines()
    for key, value, reason in [
        ("returns", [7.5, -3], "not between 0 and 1"),
        (
            "returns",
            json.loads(first)["returns"][::-1],
            "do not lead to its `ending` and `returns`",
        ),
        ("ending", "truncated", "do not lead to its `ending` and `returns`"),
        ("players", json.loads(first)["players"][::-1], "its `players` are"),
        ("luck", None, "its `luck` is missing"),
        (
            "start",
            "pagade S:6,7,12,12/N:6,7,12,12 S *",
            "is not a first position of ashtapada for the seats SN",
        ),
        (
            "start",
            "ashtapada S:5,30/N:off,23 S *",
            "is not a first position of ashtapada for the seats SN",
        ),
        ("start", "ashtapada", "`start`: `ashtapada`"),
        ("moves", json.loads(first)["moves"][:-1], "do not lead"),
        ("moves", [9, *json.loads(first)["moves"]], "action 9 is not legal"),
        ("turns", 3, "its `turns` are 3"),
        ("luck", [1e300, -1e300], "is impossible"),
        ("luck", [luck + 0.5 for luck in json.loads(first)["luck"]], "its `luck` is"),
        ("swing", {"turn": 0, "size": 0.9}, "its `swing` is 0.9 in turn 0"),
        ("swing", {"turn": 0, "size": 0}, "its `swing` is 0 in turn 0"),
    ]:
        path.write_text(
            "\n".join([header, json.dumps({**json.loads(first), key: value}), *rest, ""])
        )
        refused = program.run("arena", *agents, "--games", path)
        assert refused.returncode == 1 and f"{path}: line 2" in refused.stderr, refused.stderr
        assert reason in refused.stderr, refused.stderr
    # The last change is put right where luck is measured anew, by any reference.
    assert (
        arena(*agents, "--games", path, "--luck", "auto")["games"] == 6 and path.read_text() == text
    )
    assert arena(*agents, "--games", path, "--luck", "ashtapada")["luck_by"] == "ashtapada"
    assert (
        games(path)[0]["luck"]["name"] == "ashtapada"
        and games(path)[1][0]["luck"] != json.loads(first)["luck"]
    )
    path.write_text(text + "\n")
    assert arena(*agents, "--games", path)["games"] == 6 and path.read_text() == text, (
        "an empty line is no game"
    )


def test_an_engine_plays_as_the_agent_that_it_is(tmp_path):
    path = tmp_path / "games.jsonl"
    engine = f"engine:{shlex.quote(str(program.ASHTA))} engine --agent ashtapada"
    report = arena("ashtapada", engine, "--pairs", "4", "--games", path, cwd=program.ROOT)
    assert report["agents"][1]["name"] == engine
    assert (
        report["agents"][0]["score"]["mean"] == 0.5
        and report["pairings"][0]["luck_adjusted_score"]["mean"] == 0.5
    )
    first, second = games(path)[1][:2]
    assert first["moves"] == second["moves"] and first["players"] == second["players"][::-1]
    assert games(path)[0]["agents"][1]["version"].startswith("ashta ")


@pytest.mark.parametrize(
    "what, reason",
    [
        ("time.sleep(60)", "it did not answer within 0.3 s"),
        ("sys.exit(3)", "it ended (exit status: 3)"),
        (
            "import subprocess; subprocess.Popen(['sleep', '60']); sys.exit(3)",
            "it ended (exit status: 3)",
        ),
        ("import os; os.close(1); time.sleep(60)", "it closed its standard output"),
        ("print('rubbish', flush=True)", "its answer is not a JSON object: `rubbish`"),
        ("print('{\"move\": 1}', flush=True)", "has no number or text `action`"),
        (
            "print('{\"action\": 31}', flush=True)",
            "it chose action 31, which is not legal at `ashtapada",
        ),
        ('print(\'{"error": {"message": "tired"}}\', flush=True)', "it refused to choose"),
        (
            'print(\'{"action": 0, "id": 7000}\', flush=True)',
            "its answer has another `id` than the request",
        ),
        ("print('{}\\n{}', flush=True)", "its answer at `"),
    ],
)
def test_an_engine_that_fails_forfeits_and_the_rest_goes_on(tmp_path, what, reason):
    path = tmp_path / "games.jsonl"
    agents = ["greedy", "random", fake(tmp_path, what), "--game", "ashtapada"]
    finished = program.run(
        "arena", *agents, "--pairs", "2", "--games", path, "--move-seconds", "0.3", "--json"
    )
    report = json.loads(finished.stdout)
    assert finished.stderr.count(" forfeits a game: ") == 1 and reason in finished.stderr
    assert (
        len(report["agents"][2]["forfeit_reasons"]) == 3
        and reason in report["agents"][2]["forfeit_reasons"][0]
    )
    assert [agent["forfeits"] for agent in report["agents"]] == [0, 0, 8]
    assert report["games"] == 12 and report["agents"][2]["score"]["mean"] == 0
    lines = games(path)[1]
    forfeited = [line for line in lines if line["ending"] != "finished"]
    assert len(forfeited) == 8
    for line in forfeited:
        ending = line["ending"]["forfeited"]
        assert reason in ending["reason"], ending
        seat = "SN".index(ending["seat"])
        assert line["players"][seat].startswith("engine:") and line["returns"][seat] == 0
        assert line["returns"][1 - seat] == 1
    text, number = path.read_text(), 2 + lines.index(line)
    other = {
        "ending": {"forfeited": {**ending, "seat": "SN"[1 - seat]}},
        "returns": line["returns"][::-1],
    }
    for change in [other, {"returns": other["returns"]}]:
        path.write_text(text.replace(text.splitlines()[number - 1], json.dumps({**line, **change})))
        refused = program.run("arena", *agents, "--games", path)
        assert f"line {number}: " in refused.stderr and "its moves do not lead" in refused.stderr, (
            refused.stderr
        )


def behind_a_wrapper(tmp_path, what):
    """An engine behind a shell: the arena starts the shell, and the shell starts the engine."""
    command = fake(tmp_path, what).removeprefix("engine:")
    return f"engine:{shlex.join(['sh', '-c', f'{command}; true'])}"


def said_by(path):
    """The process whose engine writes its number into a pipe; a handle that can be waited on."""
    with open(path, encoding="ascii") as pipe:
        return os.pidfd_open(int(pipe.read()))


def has_ended(process):
    return bool(select.select([process], [], [], program.PATIENCE)[0])


HANGS = "open(path, 'w').write(str(os.getpid())); time.sleep(10000)"
# A process in a separate session, whose parent ends at once.
DETACHES = (
    "os.system(f'setsid sh -c \"echo \\\\$\\\\$ > {path}; exec sleep 10000\" &'); time.sleep(10000)"
)


@pytest.mark.skipif(sys.platform != "linux", reason="processes are waited on by handles of Linux")
@pytest.mark.parametrize("ends", ["by itself", "killed"])
@pytest.mark.parametrize("hangs", [HANGS, DETACHES])
def test_no_engine_outlives_the_arena_with_what_it_has_started(tmp_path, ends, hangs):
    os.mkfifo(tmp_path / "pipe")
    engine = behind_a_wrapper(tmp_path, f"import os; path = {str(tmp_path / 'pipe')!r}; {hangs}")
    patience = "0.5" if ends == "by itself" else "60"
    words = [
        "arena",
        "greedy",
        engine,
        "--game",
        "ashtapada",
        "--pairs",
        "1",
        "--threads",
        "1",
        "--move-seconds",
        patience,
    ]
    with subprocess.Popen(
        [program.ASHTA, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as arena:
        first = said_by(tmp_path / "pipe")
        if ends == "killed":
            arena.send_signal(signal.SIGKILL)
        else:
            # The other game of the pair has another one.
            assert has_ended(said_by(tmp_path / "pipe"))
        assert has_ended(first)


def test_what_engines_write_to_standard_error_goes_to_files_of_their_own(tmp_path):
    noisy = fake(
        tmp_path,
        'print(\'tired\', file=sys.stderr, flush=True); print(\'{"error": {"message": "no"}}\', flush=True)',
    )
    arguments = ["arena", "greedy", noisy, "--game", "ashtapada", "--pairs", "1"]
    finished = program.run(*arguments, "--engine-errors", tmp_path / "errors")
    assert finished.returncode == 0 and "tired" not in finished.stderr
    assert [path.name for path in (tmp_path / "errors").iterdir()] == ["engine-2.txt"]
    assert "tired" in (tmp_path / "errors" / "engine-2.txt").read_text()
    talks = fake(tmp_path, "sys.stderr.write('x' * 3000000); sys.exit(3)")
    many = program.run(
        "arena", "greedy", talks, *arguments[3:], "--engine-errors", tmp_path / "many"
    )
    assert many.returncode == 0 and (tmp_path / "many" / "engine-2.txt").stat().st_size == 1 << 20
    other = dict(os.environ, TMPDIR=str(tmp_path))
    finished = program.run(*arguments, env=other)
    file = finished.stderr.split("standard error is in ")[1].split()[0]
    assert "tired" in open(file, encoding="utf-8").read()
    program.run("arena", "greedy", "random", "--game", "ashtapada", "--pairs", "1", env=other)
    assert len(list(tmp_path.glob("ashta-arena-*"))) == 1, "nothing empty is left"


def test_an_engine_that_cannot_begin_says_where_its_reason_is(tmp_path):
    (tmp_path / "broken.py").write_text("this is no Python")
    (tmp_path / "errors").mkdir()
    (tmp_path / "errors" / "empty.txt").touch()
    engine = f"engine:{sys.executable} {tmp_path / 'broken.py'}"
    arguments = ["arena", "greedy", engine, "--game", "ashtapada", "--pairs", "1"]
    finished = program.run(*arguments, env=dict(os.environ, TMPDIR=str(tmp_path)))
    assert finished.returncode == 1
    assert (
        "SyntaxError"
        in open(
            finished.stderr.split("standard error is in ")[1].split()[0], encoding="utf-8"
        ).read()
    )
    assert program.run(*arguments, "--engine-errors", tmp_path / "errors").returncode == 1
    assert {path.name for path in (tmp_path / "errors").iterdir()} == {
        "empty.txt",
        "engine-2.txt",
    }, "others' files stay"


def test_agents_and_options_that_make_no_arena_are_refused(tmp_path):
    for arguments, message in [
        (["greedy"], "2 values required"),
        (["greedy", "greddy", "--game", "ashtapada"], "`greddy` is not an agent"),
        (["greedy", "random"], "--game"),
        (["greedy", "engine:", "--game", "ashtapada"], "engine:./mybot"),
        (
            ["greedy", "engine:sh -c 'exit 3'", "--game", "ashtapada"],
            "ended before it answered `hello`",
        ),
        (["greedy", "engine:./no-such-bot", "--game", "ashtapada"], "it cannot be started"),
        (["greedy", "engine:'half", "--game", "ashtapada"], "quotation mark"),
        (
            ["greedy", fake(tmp_path, "pass"), "--game", "ashte-kashte"],
            "does not play ashte-kashte",
        ),
        (["greedy", "random", "--game", "ashtapada", "--sprt", "10,0"], "10 is not less than 0"),
        (["greedy", "random", "--game", "ashtapada", "--sprt", "few"], "not a pair of differences"),
        (["greedy", "random", "--game", "ashtapada", "--anchor", "hunter"], "--anchor hunter"),
        (["greedy", "random", "--game", "ashtapada", "--luck", "nobody"], "--luck nobody"),
        (
            ["greedy", "random", "--game", "ashtapada", "--move-seconds", "0"],
            "not a number of seconds",
        ),
        (["greedy", "random", "--game", "ashtapada", "--games", tmp_path], "cannot write"),
    ]:
        refused = program.run("arena", *arguments)
        assert refused.returncode != 0 and message in refused.stderr, (arguments, refused.stderr)
        assert not refused.stdout


def test_the_sequential_test_stops_early_and_says_why(tmp_path):
    path = tmp_path / "games.jsonl"
    agents = [
        "greedy",
        "random",
        "--game",
        "ashtapada",
        "--pairs",
        "5000",
        "--sprt",
        "0,50",
        "--games",
        path,
    ]
    clear = arena(*agents)
    assert clear["sprt"][0]["verdict"] == "accepts_elo1" and clear["blocks"] < 300
    assert without_times(arena(*agents)) == without_times(clear), "nothing more is played"
    even = arena(
        "greedy",
        "greedy",
        "--game",
        "ashtapada",
        "--pairs",
        "20",
        "--sprt",
        "0,5",
        "--luck",
        "none",
    )
    assert even["sprt"][0]["verdict"] in {"open", "accepts_elo0"} and even["sprt"][0]["ratio"] <= 0
    shown = program.run("arena", *agents)
    assert (
        "greedy is better than random" in shown.stdout
        and "+50 points of normalised Elo or more" in shown.stdout
    )
    assert (
        "needs about 256 games if 0 or 50 is true and 419 if the truth is halfway" in shown.stderr
    )
    several = arena(
        "greedy",
        "random",
        "runner",
        "--game",
        "ashte-kashte",
        "--seats",
        "3",
        "--sprt",
        "0,100",
        "--luck",
        "none",
    )
    assert [(test["other"], test["verdict"]) for test in several["sprt"]] == [
        (1, "accepts_elo1"),
        (2, "accepts_elo1"),
    ]


def test_games_that_reach_the_turn_limit_are_reported_and_give_no_score(tmp_path):
    sheet = tmp_path / "short.toml"
    text = program.done("game", "siga", "--sheet").replace('name = "siga"', 'name = "short"', 1)
    sheet.write_text(re.sub(r"turn_limit = \d+", "turn_limit = 3", text))
    found = arena("greedy", "random", "--game", sheet, "--pairs", "4", "--luck", "greedy")
    assert (found["games"], found["truncated_games"], found["pairings"]) == (0, 8, [])
    assert [(agent["score"], agent["rating"]) for agent in found["agents"]] == [(None, None)] * 2
    shown = program.done(
        "arena",
        "greedy",
        "random",
        "--game",
        sheet,
        "--pairs",
        "4",
        "--report",
        tmp_path / "report",
    )
    assert "8 games reached the turn limit" in shown and shown.rstrip().endswith(
        "there are no scores and no ratings."
    )
    judged = ["eval", "greedy", "--game", sheet, "--against", "random", "--pairs", 4]
    result = json.loads(program.done(*judged, "--json"))["results"][0]
    assert (result["score"], result["games"], result["truncated_games"]) == (None, 0, 8)
    assert "no finished game" in program.done(*judged)
    games = tmp_path / "games.jsonl"
    arena("greedy", "random", "--game", sheet, "--pairs", "1", "--luck", "none", "--games", games)
    analysis = ["analyze", games, "--by", "greedy"]
    assert json.loads(program.done(*analysis, "--json"))["truncated"] is True
    assert "The game was truncated at the turn limit" in program.done(*analysis)
    begun = ["rollout", "short S:off,off/N:off,off S *", "--game", sheet, "--games", 10]
    for values, games, has_mean in [("none", 0, False), ("greedy", 10, True)]:
        result = json.loads(program.done(*begun, "--values", values, "--json"))["results"][0]
        assert (result["games"], result["truncated"], result["mean"]["S"] is not None) == (
            games,
            10,
            has_mean,
        )
        assert "games that reached the turn limit: 10" in program.done(*begun, "--values", values)


@pytest.mark.parametrize(
    "arguments",
    [["--pairs", "20", "--luck", "none"], ["--pairs", "60"], ["--pairs", "3", "--seed", "5"]],
)
def test_table_conclusion_and_report_are_of_one_fit(arguments, tmp_path):
    words = ["arena", "pagade", "random", *arguments]
    finished = program.run(*words, "--report", tmp_path)
    report = json.loads((tmp_path / "report.json").read_text())
    elo = report["pairings"][0]["difference"]["elo"]
    assert elo == pytest.approx(
        report["agents"][0]["rating"]["elo"] - report["agents"][1]["rating"]["elo"]
    )
    conclusion = next(line for line in finished.stdout.splitlines() if " Elo [" in line)
    assert f" {elo:+.1f} Elo" in conclusion and conclusion in (tmp_path / "index.html").read_text()
    own = report["pairings"][0]
    score = own.get("luck_adjusted_score", own["ahead"])["interval"]
    of_score = [400 * math.log10(bound / (1 - bound)) if 0 < bound < 1 else None for bound in score]
    assert own["difference"]["interval"] == [bound and pytest.approx(bound) for bound in of_score]
    for found in [*report["agents"], *report["pairings"]]:
        for estimate in [found.get("score"), found.get("ahead"), found.get("luck_adjusted_score")]:
            if estimate:
                low, high = estimate["interval"]
                assert 0 <= low <= estimate["mean"] <= high <= 1
