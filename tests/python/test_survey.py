"""Surveys of solved games: the file is what its page says, the same for any number of threads, and goes on."""

import json
import signal
import subprocess
import time
import xml.etree.ElementTree as ElementTree

import pytest

import program
from table_reader import ASHTE_KASHTE, OPTIONAL, settings, solve

FORCED = "ashte-kashte?pieces=1"
PICTURES = ["lengths.svg", "luck.svg", "skill.svg"]


def survey(game, folder, *options):
    """Runs `ashta survey` with few games."""
    return program.run("survey", *settings(game), "-o", folder, "--pairs", "60", *options)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Ashte Kashte with one piece and free to pass: the table, and what the solver says."""
    path = tmp_path_factory.mktemp("tables") / "optional.table"
    return path, solve(path, OPTIONAL)


@pytest.fixture(scope="module")
def surveyed(table, tmp_path_factory):
    """A survey of it with all house rules: the folder, and what the program prints."""
    folder = tmp_path_factory.mktemp("surveys") / "made" / "by it"
    finished = survey(OPTIONAL, folder, "--table", table[0], "--house-rules", "--tolerance", "1e-4", "--json")
    assert finished.returncode == 0, finished.stderr
    return folder, json.loads(finished.stdout)


def fields(page, heading):
    """The fields of every table under a heading of a page, as lists of names in order."""
    text = (program.ROOT / "docs" / page).read_text()
    section = text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]
    tables = [part for part in section.split("\n\n") if part.startswith("|")]
    return [[row.split("|")[1].strip(" `") for row in table.splitlines()[2:]] for table in tables]


def test_the_file_is_what_its_page_says(surveyed, table):
    folder, report = surveyed
    assert json.loads((folder / "survey.json").read_text()) == report
    whole, nature, opponent, position, way, rule = fields("json-output.md", "ashta survey")
    assert list(report) == whole
    names = ["random", "runner", "hunter", "greedy", "greedy+2ply"]
    assert [entry["opponent"] for entry in report["opponents"]] == names
    for entry in report["opponents"]:
        assert list(entry) == opponent
        assert list(entry["nature"]) == nature and entry["nature"]["games"] == 120
        low, high = entry["score"]["interval"]
        assert 0 <= low <= entry["score"]["mean"] <= high <= 1
        assert sum(entry["nature"]["variance_shares"].values()) == pytest.approx(1)
    assert list(report["perfect"]) == nature and report["perfect"]["games"] == report["pairs"] == 60
    for entry in report["positions"]:
        assert list(entry) == position and list(entry["natural"]) == list(entry["best"]) == way
    for entry in report["house_rules"]:
        assert list(entry) == rule
    assert report["ruleset"] == table[1]["ruleset"] and report["table"] == {"bits": 16, "facts": table[1]["facts"]}
    start = report["start"]
    assert start["first"] == pytest.approx(table[1]["start"][0], abs=start["error"])
    assert start["error"] < 1e-5 and start["first"] + start["second"] == 1


def test_in_perfect_play_all_variance_is_luck(surveyed):
    perfect = surveyed[1]["perfect"]
    shares = perfect["variance_shares"]
    assert shares["choices"] == 0 and shares["dice"] > 0.9
    assert perfect["luck_of_a_game"] == pytest.approx(perfect["variance"] ** 0.5, rel=0.1)
    assert 0 < perfect["luck_of_a_turn"] < perfect["luck_of_a_game"]
    lengths = perfect["lengths"]
    assert sum(lengths["games"]) == 60
    total = sum(count * (lengths["shortest"] + at) for at, count in enumerate(lengths["games"]))
    assert total / 60 == pytest.approx(lengths["mean"]["mean"]) and total == perfect["turns"]
    at_least = perfect["at_least"]
    assert at_least["luck"][0] == 1 and at_least["best_to_second"][0] == pytest.approx(perfect["choices"]["mean"])
    assert all(shares == sorted(shares, reverse=True) for shares in (at_least["luck"], at_least["best_to_worst"]))


def test_positions_are_wrong_as_the_engine_says(surveyed, table):
    positions = surveyed[1]["positions"]
    assert positions, "who may pass can move too early"
    regrets = [entry["regret"] for entry in positions]
    assert regrets == sorted(regrets, reverse=True)
    with program.Engine(table[0]) as engine:
        for entry in positions:
            game, pieces, seat, _ = entry["position"].split(" ")
            place = "SN".index(seat)
            start = f"{game} {pieces} {seat} *"
            ends = engine.get(op="turns", position=start, throws=entry["throws"])["positions"]
            for way in (entry["natural"], entry["best"]):
                assert way["position"] in ends
                worth = engine.get(op="evaluate", position=way["position"])["values"][place]
                assert worth == pytest.approx(way["value"], abs=1e-7)
            best = max(engine.get(op="evaluate", position=end)["values"][place] for end in ends)
            assert entry["best"]["value"] == pytest.approx(best, abs=1e-7)
            assert entry["best"]["value"] - entry["natural"]["value"] == pytest.approx(entry["regret"])
            assert entry["only_natural"] or entry["only_best"]
            assert len(entry["board"].splitlines()) > 7


def test_house_rules_are_those_that_are_solved_alone(surveyed, tmp_path):
    rules = {entry["ruleset"]: entry for entry in surveyed[1]["house_rules"]}
    assert len(rules) == 7 and all(entry["skipped"] is None for entry in rules.values())
    assert surveyed[1]["house_rules"][0]["flag"] is None
    forced = rules["ashte-kashte?pieces=1 SN"]
    assert (forced["flag"], forced["value"]) == ("move", "forced_except_merge")
    alone = solve(tmp_path / "alone.table", ASHTE_KASHTE)
    assert forced["start"] == pytest.approx(alone["start"][0], abs=1e-3)
    assert forced["positions"] == alone["facts"]["positions"]


def test_diagrams_can_be_read(surveyed):
    folder, _ = surveyed
    assert sorted(path.name for path in folder.iterdir()) == sorted([*PICTURES, "house-rules.svg", "survey.json"])
    for name, words in {
        "lengths.svg": ["turns of both seats", "median"],
        "luck.svg": ["turns (%)", "the throws change"],
        "skill.svg": ["greedy+2ply", "without the luck of the dice"],
        "house-rules.svg": ["as it is", "capture_bonus=true", "path=C"],
    }.items():
        root = ElementTree.parse(folder / name).getroot()
        assert root.tag == "{http://www.w3.org/2000/svg}svg" and root.get("width") == "800"
        ground = root[0]
        assert (ground.get("fill"), ground.get("width")) == ("#FFFFFF", "800")
        texts = [text.text.strip() for text in root.iter("{http://www.w3.org/2000/svg}text")]
        assert any("ashte-kashte?pieces=1&move=optional" in text for text in texts), texts
        for word in words:
            assert any(word in text for text in texts), (word, texts)


def test_threads_change_no_byte_and_the_seed_does(table, tmp_path):
    folders = [tmp_path / name for name in ("one", "two", "other")]
    for folder, options in zip(folders, (["--threads", "1"], ["--threads", "2"], ["--seed", "1"])):
        finished = survey(OPTIONAL, folder, "--table", table[0], *options)
        assert finished.returncode == 0, finished.stderr
        assert str(folder) in finished.stdout
    one, two, other = ([(folder / name).read_bytes() for name in ["survey.json", *PICTURES]] for folder in folders)
    assert one == two
    assert one[0] != other[0]


def test_house_rules_go_on_where_they_were_left(surveyed, table, tmp_path):
    source, report = surveyed
    folder = tmp_path / "copy"
    folder.mkdir()
    # What is marked is known again; what is missing is solved.
    kept = [{**rule, "start": 0.25} for rule in report["house_rules"] if rule["flag"] != "entry"]
    (folder / "survey.json").write_text(json.dumps({**report, "house_rules": kept}))
    command = [OPTIONAL, folder, "--table", table[0]]
    assert survey(*command).returncode == 0
    assert json.loads((folder / "survey.json").read_text())["house_rules"] == kept, "kept where nobody asks"
    finished = survey(*command, "--house-rules", "--tolerance", "1e-4", "--json")
    rules = json.loads(finished.stdout)["house_rules"]
    fresh = {rule["ruleset"]: rule["start"] for rule in report["house_rules"] if rule["flag"] == "entry"}
    assert rules == [{**rule, "start": fresh.get(rule["ruleset"], 0.25)} for rule in report["house_rules"]]
    finished = survey(*command, "--house-rules", "--tolerance", "2e-4", "--json")
    assert all(rule["start"] != 0.25 for rule in json.loads(finished.stdout)["house_rules"])


def test_an_interrupted_survey_keeps_what_is_solved(table, tmp_path):
    command = [program.ASHTA, "survey", *settings(OPTIONAL), "-o", tmp_path, "--table", table[0], "--pairs", "1"]
    command += ["--house-rules", "--tolerance", "2e-9"]
    pipe = subprocess.PIPE
    process = subprocess.Popen([str(part) for part in command], stdout=pipe, stderr=pipe, text=True)
    path = tmp_path / "survey.json"
    deadline = time.monotonic() + program.PATIENCE
    while not path.exists() or not json.loads(path.read_text())["house_rules"]:
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.002)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=program.PATIENCE)
    assert process.returncode == 130 and output == "" and "the same command goes on" in errors
    kept = json.loads(path.read_text())["house_rules"]
    assert 1 <= len(kept) < 7
    finished = program.run(*command[1:], "--json")
    assert json.loads(finished.stdout)["house_rules"][: len(kept)] == kept


def test_a_game_without_choices_has_no_wrong_moves(tmp_path):
    solve(tmp_path / "forced.table", ASHTE_KASHTE)
    finished = survey(ASHTE_KASHTE, tmp_path / "forced", "--table", tmp_path / "forced.table", "--json")
    assert finished.returncode == 0, finished.stderr
    report = json.loads(finished.stdout)
    assert report["positions"] == [] and report["house_rules"] == []
    assert report["perfect"]["choices"]["mean"] == 0
    assert not (tmp_path / "forced" / "house-rules.svg").exists()


def test_what_is_wrong_is_said_by_name(surveyed, table, tmp_path):
    folder = tmp_path / "no survey"
    broken = tmp_path / "broken.table"
    broken.write_bytes(table[0].read_bytes()[:-1])
    for game, options, words in [
        (OPTIONAL, ["--table", broken], ["broken.table", "cut short"]),
        (OPTIONAL, ["--table", tmp_path / "none.table"], ["none.table"]),
        (ASHTE_KASHTE, ["--table", table[0]], ["optional.table", f"{FORCED}&move=optional SN", f"{FORCED} SN"]),
        (("ashte-kashte.toml", "pieces=3"), [], ["ashte-kashte?pieces=3 SN", "ashta solve", "ashte-kashte.toml"]),
        (("ashte-kashte.toml", "pieces=1", "ruleset.seats=3"), [], ["two seats", "ashte-kashte?pieces=1 SEN"]),
        (OPTIONAL, ["--table", table[0], "--set", "ruleset.seets=2"], ["ruleset.seets", "seats"]),
    ]:
        refused = survey(game, folder, *options)
        assert refused.returncode == 1 and refused.stdout == "", refused.stdout
        assert all(word in refused.stderr for word in words), refused.stderr
        assert not folder.exists()


def test_a_folder_of_another_survey_is_left_alone(surveyed, table, tmp_path):
    source = surveyed[0] / "survey.json"
    solve(tmp_path / "forced.table", ASHTE_KASHTE)
    before = source.read_bytes()
    other = survey(ASHTE_KASHTE, source.parent, "--table", tmp_path / "forced.table")
    assert other.returncode == 1 and f"{FORCED}&move=optional SN, not of {FORCED} SN" in other.stderr
    assert source.read_bytes() == before
    folder = tmp_path / "strange"
    folder.mkdir()
    newer = before.decode().replace('"format": 1', '"format": 9')
    for text, words in [("{}", "is no survey"), (newer, "has format 9")]:
        (folder / "survey.json").write_text(text)
        refused = survey(OPTIONAL, folder, "--table", table[0])
        assert refused.returncode == 1 and words in refused.stderr and str(folder) in refused.stderr
        assert (folder / "survey.json").read_text() == text
    refused = survey(OPTIONAL, table[0], "--table", table[0])
    assert refused.returncode == 1 and "cannot make the folder" in refused.stderr
