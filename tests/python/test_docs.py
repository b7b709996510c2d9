"""The pages of docs/ are true: their examples are run and their figures compared with the program.

With UPDATE_GOLDEN=1 in the environment the answers of the examples are written anew: read the
difference.
"""

import json
import math
import os
import re
import shlex
import tomllib

import pytest

import program

GAMES = ["ashtapada", "ashte-kashte", "pagade"]

UPDATE = os.environ.get("UPDATE_GOLDEN") == "1"


def same(found, expected):
    """Equal, with floating-point numbers to six digits; "…" is any value, and at the end of a list
    its other values."""
    if expected == "…":
        return True
    if isinstance(expected, list) and expected[-1:] == ["…"]:
        return isinstance(found, list) and same(found[: len(expected) - 1], expected[:-1])
    if isinstance(expected, dict):
        return found.keys() == expected.keys() and all(
            same(found[key], expected[key]) for key in expected
        )
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(same, found, expected))
    if isinstance(expected, float):
        return math.isclose(found, expected, rel_tol=1e-6)
    return found == expected


def test_protocol_examples(engine):
    page = program.ROOT / "docs" / "engine-protocol.md"
    lines = page.read_text().splitlines(keepends=True)
    requests = [number for number, line in enumerate(lines) if line.startswith("> ")]
    assert len(requests) > 30
    operations, wrong = set(), []
    for number in requests:
        assert lines[number + 1].startswith("< "), lines[number]
        found = engine.line(lines[number][2:].strip())
        if not same(found, json.loads(lines[number + 1][2:])):
            wrong.append((lines[number], found))
            lines[number + 1] = (
                f"< {json.dumps(found, separators=(',', ':'), ensure_ascii=False)}\n"
            )
        if "error" not in found:
            operations.add(json.loads(lines[number][2:])["op"])
    if UPDATE:
        page.write_text("".join(lines))
    else:
        assert not wrong
    headings = page.read_text().split("\n## ")[1:]
    assert operations == {heading.split("\n")[0] for heading in headings} - {"Errors", "A client"}


# In the second the throws of a turn are limited, and the positions count those that were made.
@pytest.mark.parametrize("game", ["pagade", "main-pacheh?max_throws=3"])
def test_the_client_of_the_page_plays_a_game(game):
    client = program.blocks("engine-protocol.md", "python")[0].replace(
        "target/release/ashta", str(program.ASHTA)
    )
    assert 'game="pagade"' in client
    client = client.replace("pagade", game)
    assert " - - [" in program.python("-c", client)


def test_positions_of_the_notation_page(engine):
    lines = [line for block in program.blocks("notation.md", "text") for line in block.splitlines()]
    positions = [line for line in lines if line != "GAME SEATS MOVER PENDING"]
    assert len(positions) > 15
    for position in positions:
        engine.get(op="legal", position=position)
    for position, _ in program.rows("notation.md", "What is refused"):
        answer = engine.ask(op="legal", position=position.strip("`"))
        assert answer["error"]["code"] == "bad-position", (position, answer)


def known_flags(engine, game):
    """The house rules that the program knows, in its order."""
    message = engine.ask(op="new", game=f"{game}?no_such_flag=1")["error"]["message"]
    return message.split("(known: ")[1].rstrip(")").split(", ")


@pytest.mark.parametrize("game", GAMES)
def test_house_rules_of_the_game_pages(engine, game):
    rows = program.rows(f"games/{game}.md", "House rules")
    assert [row[0].strip("`") for row in rows] == known_flags(engine, game)
    for flag, values, _ in rows:
        values = [value.strip(" `") for value in values.split(",")]
        flag = flag.strip("`")
        seats = 4 if flag in ("teams", "two") else 2
        message = engine.ask(op="new", game=f"{game}?{flag}=no_such_value", seats=4)["error"][
            "message"
        ]
        assert sorted(message.split("(one of: ")[1].rstrip(")").split(", ")) == sorted(values)
        for at, value in enumerate(values):
            position = engine.get(op="new", game=f"{game}?{flag}={value}", seats=seats)["position"]
            # Only what differs from the default is written.
            assert position.startswith(f"{game} " if at == 0 else f"{game}?{flag}={value} ")


@pytest.mark.parametrize("game", GAMES)
def test_facts_of_the_game_pages(engine, game):
    text = (program.ROOT / "docs" / "games" / f"{game}.md").read_text()
    facts = dict(re.findall(r"^\| \[?(\w+)\]?\S* \| ([^|]+) \|$", text, re.MULTILINE))
    rulesets = json.loads((program.ROOT / "docs" / "observations" / f"{game}.json").read_text())
    assert {
        int(size.replace(",", "")) for size in re.findall(r"\d+,?\d{2,}", facts["observation"])
    } == {ruleset["layout"]["length"] for ruleset in rulesets}
    seen = engine.get(op="observe", position=rulesets[0]["examples"][0]["position"])
    assert (facts["actions"], facts["encoding"]) == (str(len(seen["mask"])), str(seen["encoding"]))


def pages():
    """Every page of the repository as (path, text)."""
    root = program.ROOT
    found = [*root.glob("*.md"), *(root / "benches").glob("*.md")]
    found += [*(root / "docs").rglob("*.md"), *(root / "checkpoints").glob("*.md")]
    return [(path, path.read_text()) for path in found]


FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(rf"{FENCED.pattern}|`[^`\n]+`", re.MULTILINE | re.DOTALL)


def links(text):
    """Where a page leads: targets of its links and images."""
    return re.findall(r"\]\(([^)\s]+)\)", CODE.sub("", text))


def anchors(text):
    """The anchors of the headings of a page, both in the repository and in the book."""
    found = []
    for heading in re.findall(r"^#+ (.+)$", FENCED.sub("", text), re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        found.append(re.sub(r"[^\w\- ]", "", words).replace(" ", "-"))
    assert len(found) == len(set(found)), f"two headings of one name: {found}"
    return found


def test_links_lead_somewhere():
    broken = []
    total = 0
    for path, text in pages():
        for link in links(text):
            total += 1
            target, _, anchor = link.partition("#")
            if "://" in link:
                continue
            there = path.parent / target if target else path
            if not there.exists() or (anchor and anchor not in anchors(there.read_text())):
                broken.append(f"{path}: {link}")
    assert total > 100
    assert not broken


BOOK = program.ROOT / "docs"


def chapters():
    """The pages that the book names, in its order, by their paths from docs/."""
    return links((BOOK / "SUMMARY.md").read_text())


def test_the_book_names_every_page_once():
    pages = {path.relative_to(BOOK).as_posix() for path in BOOK.rglob("*.md")} - {"SUMMARY.md"}
    assert sorted(chapters()) == sorted(pages)
    assert chapters()[0] == "README.md"


def test_every_page_is_reached_from_the_entry():
    reached, ahead = set(), ["README.md"]
    while ahead:
        page = ahead.pop()
        if page not in reached:
            reached.add(page)
            for link in links((BOOK / page).read_text()):
                there = ((BOOK / page).parent / link.partition("#")[0]).resolve()
                if "://" not in link and there.suffix == ".md" and there.is_relative_to(BOOK):
                    ahead.append(there.relative_to(BOOK).as_posix())
    assert reached == set(chapters())
    first = links((BOOK / "README.md").read_text())
    assert [page for page in chapters() if page != "README.md"] == [
        link for link in first if link in chapters()
    ]


def test_links_that_leave_the_book_lead_to_the_repository():
    """The preprocessor of the book, asked as mdBook asks it."""
    repository = "https://example.org/ashta"
    settings = tomllib.loads((BOOK / "book.toml").read_text())
    command = settings["preprocessor"]["outside"]["command"].split()
    names = chapters()
    items = [
        {"Chapter": {"path": name, "content": (BOOK / name).read_text(), "sub_items": []}}
        for name in names
    ]
    items.append("Separator")
    # The second half as chapters within the first one.
    items[0]["Chapter"]["sub_items"] = items[len(names) // 2 : len(names)]
    book = {"items": items[: len(names) // 2] + items[-1:]}
    environment = {**os.environ, "ASHTA_REPOSITORY": repository}
    changed = program.succeeded(
        program.execute(*command, cwd=BOOK, env=environment, input=json.dumps([{}, book]))
    )
    first, *rest, separator = json.loads(changed)["items"]
    assert separator == "Separator"
    outward = 0
    for item in [first, *first["Chapter"]["sub_items"], *rest]:
        name, text = item["Chapter"]["path"], item["Chapter"]["content"]
        assert CODE.findall(text) == CODE.findall((BOOK / name).read_text())
        for link in links(text):
            if link.startswith(repository):
                kind, branch, path = (
                    link.removeprefix(repository + "/").partition("#")[0].split("/", 2)
                )
                assert branch == "main" and kind in ("blob", "tree")
                assert (program.ROOT / path).is_dir() == (kind == "tree") and (
                    program.ROOT / path
                ).exists(), link
                outward += 1
            elif "://" not in link and link.partition("#")[0]:
                there = ((BOOK / name).parent / link.partition("#")[0]).resolve()
                assert there.is_relative_to(BOOK), (name, link)
                assert there.suffix != ".md" or there.relative_to(BOOK).as_posix() in names, (
                    name,
                    link,
                )
    assert outward > 10
    program.succeeded(program.execute(*command, "supports", "html", cwd=BOOK))


def test_files_that_pages_speak_of_exist():
    named = r"`((?:(?:env|agents|train|bindings/python)/src|tests/(?:src|tests|python)|configs|docs)/[\w./-]+)`"
    files = {(path.name, file) for path, text in pages() for file in re.findall(named, text)}
    assert len(files) > 20
    missing = [
        f"{page}: {file}" for page, file in sorted(files) if not (program.ROOT / file).exists()
    ]
    assert not missing


def test_the_game_on_the_page_of_commands_is_what_the_program_shows():
    page = BOOK / "commands.md"
    text = page.read_text()
    shown = re.search(r"^```text\n\$ ashta (play .*?)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    finished = program.done(*shlex.split(shown[1]), input="q\n")
    output = finished[: finished.index("Your choice")]
    if UPDATE:
        page.write_text(text[: shown.start(2)] + output + text[shown.end(2) :])
    else:
        assert shown[2] == output
