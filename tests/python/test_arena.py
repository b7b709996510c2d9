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
from pathlib import Path

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


GAME = ["--game", "ashtapada"]
DUEL = ["greedy", "random", *GAME]


def arena(*arguments, **options):
    return program.read_json("arena", *arguments, **options)


def refused(*arguments):
    return program.refused("arena", *arguments)


def fake(tmp_path, what):
    """An agent of the arena that is an engine which does `what`."""
    script = tmp_path / f"engine{len(list(tmp_path.iterdir()))}.py"
    script.write_text(ENGINE.replace("what", what))
    return f"engine:{shlex.join([sys.executable, str(script)])}"


def games(path):
    """The settings and the games of a file."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return lines[0], lines[1:]


def play_blocks(folder, words, ranges):
    """Plays these blocks of an arena, each range into its own file; returns the files."""
    paths = [folder / f"{blocks}.jsonl" for blocks in ranges]
    for path, blocks in zip(paths, ranges, strict=True):
        program.done("arena", *words, "--blocks", blocks, "--games", path)
    return paths


@pytest.mark.parametrize("game, seats", [("ashtapada", 2), ("ashte-kashte", 3), ("pagade", 4)])
def test_every_game_can_be_played_again(engine, tmp_path, game, seats):
    path, names = tmp_path / "games.jsonl", ["greedy", "random", "hunter"]
    luck = "none" if game == "pagade" else "auto"  # where it takes a minute
    options = ["--game", game, "--seats", seats, "--pairs", "1", "--luck", luck, "--games", path]
    report = arena(*names, *options)
    settings, played = games(path)
    assert settings["game"] == game and len(settings["seats"]) == seats
    assert len(played) == report["games"] > 2
    for line in played:
        answer = {"position": line["start"]}
        for move in line["moves"]:
            part = {"throw": move} if isinstance(move, list) else {"action": move}
            answer = engine.get(op="apply", position=answer["position"], **part)
        assert answer["returns"] == pytest.approx(line["returns"], abs=1e-6)
        assert set(line["players"]) <= set(names) and len(line["players"]) == seats
        assert line["ending"] == "finished" and line["turns"] > 5
        assert sum(line.get("luck", [])) == pytest.approx(0, abs=1e-4)


def test_an_interrupted_arena_goes_on_and_says_the_same(tmp_path):
    whole, part = tmp_path / "whole.jsonl", tmp_path / "part.jsonl"
    agents = ["greedy", "hunter", "random", *GAME, "--pairs", "6"]

    def play(path, threads):
        report = arena(*agents, "--games", path, "--threads", threads)
        return program.without_times(report)

    expected, text = play(whole, 1), whole.read_bytes()
    # The rest after the last whole line may be invalid text: the third line ends within a
    # character.
    for cut, rest in [
        (len(text) // 2, b""),
        (text.index(b"\n") + 1, b""),
        (text.rindex(b"\n") + 1, b'{"a":"\xc3'),
        (10, b""),
        (0, b""),
        (len(text), b""),
        (len(text), b"\n"),
    ]:
        part.write_bytes(text[:cut] + rest)
        assert play(part, 2) == expected
        assert part.read_bytes() == text, "the same games in the same order, whatever the threads"
    assert "`seed` is 7919, not 1" in refused(*agents, "--games", part, "--seed", "1")
    lines = text.split(b"\n")
    lines[3] = b'{"block":'
    part.write_bytes(b"\n".join(lines))
    assert f"{part}: line 4: not a game" in refused(*agents, "--games", part)
    assert part.read_bytes() == b"\n".join(lines), "what is there stays"


def test_parts_of_an_arena_are_joined_to_the_bytes_of_one_run(tmp_path):
    words = ["greedy", "runner", "random", "--game", "ashte-kashte", "--pairs", 4]
    one, whole = tmp_path / "one.jsonl", tmp_path / "whole.jsonl"
    shown = program.without_times(arena(*words, "--games", one))
    parts = play_blocks(tmp_path, words, ["0..5", "5..6", "6..12"])
    program.done("arena", "--merge", parts[2], parts[0], parts[1], "--games", whole)
    assert whole.read_bytes() == one.read_bytes()
    assert program.without_times(arena(*words, "--games", whole)) == shown
    # An interrupted part continues after its last whole block.
    content = parts[2].read_bytes()
    parts[2].write_bytes(content[: len(content) // 2])
    play_blocks(tmp_path, words, ["6..12"])
    assert parts[2].read_bytes() == content

    def refuse(*files, to=tmp_path / "new.jsonl"):
        return refused("--merge", *files, "--games", to)

    assert "whole.jsonl already exists" in refuse(*parts, to=whole)
    assert f"{parts[2]}, line 2: game 0 of block 6 does not follow game 1 of block 4" in refuse(
        parts[0], parts[2]
    )
    assert "of block 5 does not follow game 0 of block 5" in refuse(*parts, parts[1])
    parts[1].write_bytes(parts[1].read_bytes().replace(b'"seed":7919', b'"seed":7'))
    differing = refuse(*parts)
    assert f"{parts[1]}, line 1: the settings differ from the settings of {parts[0]}" in differing
    assert "its `seed` is 7, not 7919" in differing
    assert not (tmp_path / "new.jsonl").exists()
    for blocks, message in [
        ("9..13", "has the blocks 0..12"),
        ("5..5", "5..5 is not a range of blocks such as 0..500"),
        ("5", "5 is not a range of blocks"),
    ]:
        wrong = program.run("arena", *words, "--blocks", blocks)
        assert wrong.returncode > 0 and message in wrong.stderr, wrong.stderr


def test_blocks_of_different_lengths_are_joined(tmp_path):
    # Of the four lineups, random-runner-random-runner has two games in a block, the others have
    # four.
    words = ["random", "runner", "--game", "ashte-kashte", "--seats", 4, "--pairs", 1]
    words += ["--luck", "none"]
    whole, one, other = play_blocks(tmp_path, words, ["0..4", "0..3", "3..4"])
    lengths = [line["block"] for line in games(whole)[1]]
    assert [lengths.count(block) for block in range(4)] == [4, 4, 2, 4]
    # Blank lines are skipped.
    one.write_bytes(one.read_bytes().replace(b"\n", b"\n \n"))
    other.write_bytes(other.read_bytes() + b"\n\n")
    program.done("arena", "--merge", one, other, "--games", tmp_path / "joined.jsonl")
    assert (tmp_path / "joined.jsonl").read_bytes() == whole.read_bytes()


def test_interrupted_parts_are_not_joined(tmp_path):
    words = ["random", "runner", *GAME, "--pairs", 4, "--luck", "none"]
    one, other = play_blocks(tmp_path, words, ["0..2", "2..4"])
    new = tmp_path / "new.jsonl"
    merge = ["--merge", one, other, "--games", new]
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
            (b"{}\n", f"{part}, line 1: not the settings of an arena"),
            (
                header + b"".join([lines[0], *lines[2:]]),
                f"{part}, line 3: game 0 of block {block} does not follow game 0 of block",
            ),
        ]:
            part.write_bytes(changed)
            assert message in refused(*merge)
            assert not new.exists()
        part.write_bytes(content)
    one.write_bytes(header + b"".join(one.read_bytes().splitlines(keepends=True)[2:]))
    assert f"{one}, line 2: game 1 of block 0 is not the first game" in refused(*merge)


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
        assert str(path) in refused(*DUEL, "--games", path)
        assert path.read_bytes() == content


def test_games_are_kept_in_a_regular_file_alone(tmp_path):
    assert "cannot write /dev/null: games" in refused(*DUEL, "--games", "/dev/null")
    link = tmp_path / "link.jsonl"
    for target in ["there.txt", "missing.txt"]:
        (tmp_path / "there.txt").touch()
        link.unlink(missing_ok=True)
        link.symlink_to(tmp_path / target)
        error = refused(*DUEL, "--pairs", "1", "--games", link)
        assert str(link) in error and "link" in error
        assert [path.stat().st_size for path in tmp_path.glob("*.txt")] == [0]


def test_one_arena_at_a_time_adds_to_a_file(tmp_path):
    path = tmp_path / "games.jsonl"
    fcntl = pytest.importorskip("fcntl")
    words = [*DUEL, "--pairs", "1", "--games", path]
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        error = refused(*words)
    assert str(path) in error and "another arena" in error
    assert path.stat().st_size == 0
    arena(*words)


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
    agents = ["greedy", fake(tmp_path, what.strip()), *GAME, "--pairs", "40", "--luck", "none"]
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
    agents = ["greedy", "hunter", *GAME, "--pairs", "3", "--games", path]
    arena(*agents)
    text = path.read_text()
    header, line, *rest = text.splitlines()
    first = json.loads(line)
    not_its_end = "do not lead to its `ending` and `returns`"
    not_a_start = "is not a first position of ashtapada for the seats SN"
    for key, value, reason in [
        ("returns", [7.5, -3], "not between 0 and 1"),
        ("returns", first["returns"][::-1], not_its_end),
        ("ending", "truncated", not_its_end),
        ("players", first["players"][::-1], "its `players` are"),
        ("luck", None, "its `luck` is missing"),
        ("start", "pagade S:6,7,12,12/N:6,7,12,12 S *", not_a_start),
        ("start", "ashtapada S:5,30/N:off,23 S *", not_a_start),
        ("start", "ashtapada", "`start`: `ashtapada`"),
        ("moves", first["moves"][:-1], "do not lead"),
        ("moves", [9, *first["moves"]], "action 9 is not legal"),
        ("turns", 3, "its `turns` are 3"),
        ("luck", [1e300, -1e300], "is impossible"),
        ("luck", [luck + 0.5 for luck in first["luck"]], "its `luck` is"),
        ("swing", {"turn": 0, "size": 0.9}, "its `swing` is 0.9 in turn 0"),
        ("swing", {"turn": 0, "size": 0}, "its `swing` is 0 in turn 0"),
    ]:
        path.write_text("\n".join([header, json.dumps({**first, key: value}), *rest, ""]))
        error = refused(*agents)
        assert f"{path}: line 2" in error and reason in error, error
    # The last change is put right where luck is measured anew, by any reference.
    assert arena(*agents, "--luck", "auto")["games"] == 6 and path.read_text() == text
    assert arena(*agents, "--luck", "ashtapada")["luck_by"] == "ashtapada"
    settings, played = games(path)
    assert settings["luck"]["name"] == "ashtapada" and played[0]["luck"] != first["luck"]


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
    agents = ["greedy", "random", fake(tmp_path, what), *GAME]
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
        error = refused(*agents, "--games", path)
        assert f"line {number}: " in error and "its moves do not lead" in error, error


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
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    # A shell between the arena and the engine.
    command = fake(tmp_path, f"import os; path = {str(pipe)!r}; {hangs}").removeprefix("engine:")
    engine = f"engine:{shlex.join(['sh', '-c', f'{command}; true'])}"
    words = ["arena", "greedy", engine, *GAME, "--pairs", "1", "--threads", "1"]
    words += ["--move-seconds", "0.5" if ends == "by itself" else "60"]
    with subprocess.Popen(
        [program.ASHTA, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as arena:
        first = said_by(pipe)
        if ends == "killed":
            arena.send_signal(signal.SIGKILL)
        else:
            # The other game of the pair has another one.
            assert has_ended(said_by(pipe))
        assert has_ended(first)


def test_what_engines_write_to_standard_error_goes_to_files_of_their_own(tmp_path):
    noisy = fake(
        tmp_path,
        'print(\'tired\', file=sys.stderr, flush=True); print(\'{"error": {"message": "no"}}\', flush=True)',
    )
    talks = fake(tmp_path, "sys.stderr.write('x' * 3000000); sys.exit(3)")
    (tmp_path / "broken.py").write_text("this is no Python")
    broken = f"engine:{sys.executable} {tmp_path / 'broken.py'}"

    def play(agent, *options):
        words = ["arena", "greedy", agent, *GAME, "--pairs", "1", *options]
        return program.run(*words, env=dict(os.environ, TMPDIR=str(tmp_path)))

    errors = tmp_path / "errors"
    finished = play(noisy, "--engine-errors", errors)
    assert finished.returncode == 0 and "tired" not in finished.stderr
    assert [path.name for path in errors.iterdir()] == ["engine-2.txt"]
    assert "tired" in (errors / "engine-2.txt").read_text()
    (errors / "engine-2.txt").rename(errors / "other.txt")
    assert play(talks, "--engine-errors", errors).returncode == 0
    assert (errors / "engine-2.txt").stat().st_size == 1 << 20
    assert play(broken, "--engine-errors", errors).returncode == 1
    assert sorted(path.name for path in errors.iterdir()) == ["engine-2.txt", "other.txt"]
    # Without the option, an error names a file in the folder for temporary files.
    for agent, status, said in [(noisy, 0, "tired"), (broken, 1, "SyntaxError")]:
        finished = play(agent)
        file = finished.stderr.split("standard error is in ")[1].split()[0]
        assert finished.returncode == status and said in Path(file).read_text()
    play("random")
    assert len(list(tmp_path.glob("ashta-arena-*"))) == 2, "nothing empty is left"


def test_agents_and_options_that_make_no_arena_are_refused(tmp_path):
    other_game = ["--game", "ashte-kashte"]
    for arguments, message in [
        (["greedy"], "2 values required"),
        (["greedy", "random"], "--game"),
        (["greedy", "engine:", *GAME], "engine:./mybot"),
        (["greedy", "engine:sh -c 'exit 3'", *GAME], "ended before it answered `hello`"),
        (["greedy", "engine:./no-such-bot", *GAME], "it cannot be started"),
        (["greedy", "engine:'half", *GAME], "quotation mark"),
        (["greedy", fake(tmp_path, "pass"), *other_game], "does not play ashte-kashte"),
        ([*DUEL, "--sprt", "10,0"], "10 is not less than 0"),
        ([*DUEL, "--sprt", "few"], "not a pair of differences"),
        ([*DUEL, "--anchor", "hunter"], "--anchor hunter"),
        ([*DUEL, "--luck", "nobody"], "--luck nobody"),
        ([*DUEL, "--move-seconds", "0"], "not a number of seconds"),
        ([*DUEL, "--games", tmp_path], "cannot write"),
    ]:
        finished = program.run("arena", *arguments)
        assert finished.returncode != 0 and message in finished.stderr, (arguments, finished.stderr)
        assert not finished.stdout


def test_the_sequential_test_stops_early_and_says_why(tmp_path):
    path = tmp_path / "games.jsonl"
    agents = [*DUEL, "--pairs", "5000", "--sprt", "0,50", "--games", path]
    clear = arena(*agents)
    assert clear["sprt"][0]["verdict"] == "accepts_elo1" and clear["blocks"] < 300
    again = arena(*agents)
    assert program.without_times(again) == program.without_times(clear), "nothing more is played"
    shown = program.run("arena", *agents)
    assert "greedy is better than random" in shown.stdout
    assert "+50 points of normalised Elo or more" in shown.stdout
    assert (
        "needs about 256 games if 0 or 50 is true and 419 if the truth is halfway" in shown.stderr
    )
    even = ["greedy", "greedy", *GAME, "--pairs", "20", "--sprt", "0,5", "--luck", "none"]
    [test] = arena(*even)["sprt"]
    assert test["verdict"] in {"open", "accepts_elo0"} and test["ratio"] <= 0
    three = ["greedy", "random", "runner", "--game", "ashte-kashte", "--seats", "3"]
    several = arena(*three, "--sprt", "0,100", "--luck", "none")
    assert [(test["other"], test["verdict"]) for test in several["sprt"]] == [
        (1, "accepts_elo1"),
        (2, "accepts_elo1"),
    ]


def test_games_that_reach_the_turn_limit_are_reported_and_give_no_score(tmp_path):
    sheet = tmp_path / "short.toml"
    text = program.renamed("siga", "short")
    sheet.write_text(re.sub(r"turn_limit = \d+", "turn_limit = 3", text))
    duel = ["greedy", "random", "--game", sheet, "--pairs", "4"]
    found = arena(*duel, "--luck", "greedy")
    assert (found["games"], found["truncated_games"], found["pairings"]) == (0, 8, [])
    assert [(agent["score"], agent["rating"]) for agent in found["agents"]] == [(None, None)] * 2
    shown = program.done("arena", *duel, "--report", tmp_path / "report").rstrip()
    assert "8 games reached the turn limit" in shown
    assert shown.endswith("there are no scores and no ratings.")
    judged = ["eval", "greedy", "--game", sheet, "--against", "random", "--pairs", 4]
    result = program.read_json(*judged)["results"][0]
    assert (result["score"], result["games"], result["truncated_games"]) == (None, 0, 8)
    assert "no finished game" in program.done(*judged)
    games = tmp_path / "games.jsonl"
    arena(*duel, "--luck", "none", "--games", games)
    analysis = ["analyze", games, "--by", "greedy"]
    assert program.read_json(*analysis)["truncated"] is True
    assert "The game was truncated at the turn limit" in program.done(*analysis)
    begun = ["rollout", "short S:off,off/N:off,off S *", "--game", sheet, "--games", 10]
    for values, games, has_mean in [("none", 0, False), ("greedy", 10, True)]:
        result = program.read_json(*begun, "--values", values)["results"][0]
        assert (result["games"], result["truncated"]) == (games, 10)
        assert (result["mean"]["S"] is not None) == has_mean
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
