"""`ashta serve`: the page and its engine over HTTP, and who is not answered."""

import http.client
import json
import socket
import subprocess
import threading
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

import program

HELLO = {"op": "hello"}
# The content types of files.
KINDS = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".json": "application/json",
}


@contextmanager
def serving(data, folder, files=1024):
    """The program that serves on a free port: `ask(method, path, body, **headers)` gives status,
    type and content."""
    command = [program.ASHTA, "--data", data, "serve", "--port", "0", "--no-browser"]
    pipe, limited = subprocess.PIPE, ["sh", "-c", f'ulimit -n {files} && exec "$@"', "sh", *command]
    with subprocess.Popen(limited, cwd=folder, stdout=pipe, stderr=pipe, text=True) as server:
        address = server.stdout.readline().removeprefix("page: http://").strip().rstrip("/")
        host, port = address.split(":")

        def ask(method, path, body=None, **headers):
            connection = http.client.HTTPConnection(host, int(port), timeout=program.PATIENCE)
            headers = {
                name.replace("_", "-").capitalize(): value for name, value in headers.items()
            }
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            kind = answer.getheader("Content-Type")
            return SimpleNamespace(status=answer.status, kind=kind, content=answer.read())

        yield SimpleNamespace(ask=ask, address=address, process=server)
        server.terminate()


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The program that serves the bots and tables of the repository."""
    with serving(program.CHECKPOINTS, tmp_path_factory.mktemp("served")) as served:
        yield served


def post(served, path, body=""):
    """The answer to a request of the page, as JSON."""
    body = body if isinstance(body, (str, bytes)) else json.dumps(body)
    answer = served.ask("POST", path, body)
    assert answer.status == 200 and answer.kind == "application/json"
    return json.loads(answer.content)


def test_files_of_the_page_are_those_of_the_repository(served):
    web = program.ROOT / "web"
    for name, file in [
        ("", web / "index.html"),
        *((file, web / file) for file in ("index.html", "app.js", "style.css", "en.json")),
        ("engine.js", web / "native.js"),
        ("siga.toml", program.SHEETS / "siga.toml"),
        *((file, program.CHECKPOINTS / file) for file in ("siga.bot", "ashtapada.table")),
    ]:
        answer = served.ask("GET", f"/{name}")
        assert answer.status == 200 and answer.content == file.read_bytes()
        assert answer.kind.startswith(KINDS.get(file.suffix, "")), name


def test_nothing_else_is_served(served):
    for path in [
        "/Cargo.toml",
        "/../Cargo.toml",
        "/..%2FCargo.toml",
        "/nothing.bot",
        "/../checkpoints/siga.bot",
        "/ashta.wasm",
    ]:
        assert served.ask("GET", path).status == 404, path
    assert served.ask("DELETE", "/index.html").status == 405


def test_bots_and_tables_are_listed_with_their_rules(served):
    listed = json.loads(served.ask("GET", "/bots.json").content)
    bots = {bot["name"]: bot for bot in listed["bots"]}
    levels = bots["pagade-teams"].pop("levels")
    assert bots["pagade-teams"] == {
        "name": "pagade-teams",
        "game": "pagade?teams=true",
        "seats": "SENW",
    }
    assert {level["level"]: level["score"] for level in levels}["beginner"] < 0.5
    tables = {table["name"]: table for table in listed["tables"]}
    assert tables["ashte-kashte-2"]["ruleset"]["flags"] == {"pieces": "2"}
    size = (program.CHECKPOINTS / "ashtapada.table").stat().st_size
    assert tables["ashtapada"]["bytes"] == size


def test_what_is_damaged_is_left_out_and_named(tmp_path):
    for name in ("broken.bot", "broken.table"):
        (tmp_path / name).write_bytes(b"neither bot nor table")
    with serving(tmp_path, tmp_path) as served:
        listed = json.loads(served.ask("GET", "/bots.json").content)
        assert "siga" in {bot["name"] for bot in listed["bots"]} and not listed["tables"]
        assert "broken" not in {bot["name"] for bot in listed["bots"]}
        served.process.terminate()
        said = served.process.stderr.read()
    assert "broken.bot" in said and "broken.table" in said


def test_agents_answer_as_the_engine_does(served):
    content = (program.CHECKPOINTS / "siga.bot").read_bytes()
    by_name = post(served, "/agent?name=siga%2Bnovice")["agent"]
    by_file = post(served, "/agent?lookahead=2ply", content)["agent"]
    assert post(served, "/agent?lookahead=2ply", content)["agent"] == by_file != by_name
    evaluate = {"op": "evaluate", "position": "siga S:3,7/N:2,5 S 3"}
    with program.Engine("siga+2ply") as engine:
        expected = engine.get(**evaluate)
    assert post(served, f"/engine?agent={by_file}", evaluate) == expected
    assert post(served, f"/engine?agent={by_name}", HELLO)["agent"].endswith("+novice")
    assert post(served, "/engine", HELLO)["agent"] is None


def test_wrong_requests_are_answered_with_an_error(served):
    for path, body, word in [
        ("/agent?name=nobody", "", "name `nobody`"),
        ("/agent?name=/etc/passwd", "", "name `/etc/passwd`"),
        ("/agent?name=/etc/nothing", "", "name `/etc/nothing`"),
        ("/agent?name=siga.bot", "", "name `siga.bot`"),
        ("/agent?lookahead=", "no bot", "bytes"),
        ("/engine?agent=7", "{}", "no agent 7"),
        ("/engine?agent=x", "{}", "no agent x"),
        ("/engine", "{", "EOF"),
        ("/elsewhere", "{}", "elsewhere"),
    ]:
        assert word in post(served, path, body)["error"]["message"], path


def test_bodies_have_limits(served):
    chunks = (b"10000\r\n" + b" " * 2**16 + b"\r\n") * 17 + b"0\r\n\r\n"
    for path, body, headers in [
        ("/engine", b" " * (2**20 + 1), {}),
        ("/engine", b"", {"Content-Length": str(10**12)}),
        ("/engine", chunks, {"Transfer-Encoding": "chunked"}),
        ("/agent?lookahead=", b" " * (2**28 + 1), {}),
    ]:
        answer = served.ask("POST", path, body, **headers)
        assert answer.status == 413 and json.loads(answer.content)["error"]["code"] == "too-long"


def test_a_newer_request_of_a_page_ends_the_search_of_the_older_one(served):
    agent = post(served, "/agent?name=siga%2Bmcts:1000000")["agent"]
    path = f"/engine?agent={agent}&page=a"
    position = json.dumps({"op": "evaluate", "position": "siga S:3,7/N:2,5 S 3"})
    older = []
    search = threading.Thread(target=lambda: older.append(served.ask("POST", path, position)))
    search.start()
    # Its answer takes longer than all that are needed until it has begun.
    while search.is_alive():
        assert post(served, path, HELLO)["agent"].endswith("+mcts:1000000")
    assert older[0].status == 503 and json.loads(older[0].content)["error"]["code"] == "replaced"


def test_the_least_recently_used_agents_are_dropped(served):
    def load(number):
        return post(served, f"/agent?name=siga%2Bmcts:{number}")["agent"]

    first, second = load(1), load(2)
    for number in range(3, 34):
        assert "agent" in post(served, f"/engine?agent={first}", HELLO)
        assert load(number) > 0
    assert "error" not in post(served, f"/engine?agent={first}", HELLO)
    dropped = post(served, f"/engine?agent={second}", HELLO)
    assert dropped["error"]["code"] == "no-such-agent"
    assert load(2) == second


def test_more_connections_than_files_are_waited_for(tmp_path):
    with serving(program.CHECKPOINTS, tmp_path, files=64) as served:
        host, port = served.address.split(":")
        connections = [socket.socket() for _ in range(100)]
        for connection in connections:
            connection.setblocking(False)
            connection.connect_ex((host, int(port)))
        for connection in connections:
            connection.close()
        assert served.ask("GET", "/").status == 200
        served.process.terminate()
        assert served.process.stderr.read().count("\n") < 20


def test_other_sites_are_not_answered(served):
    assert served.ask("GET", "/", host="elsewhere.example").status == 403
    assert served.ask("POST", "/engine", "{}", origin="http://elsewhere.example").status == 403
    assert served.ask("POST", "/engine", "{}", origin=f"http://{served.address}").status == 200


def test_a_port_that_is_taken_is_named(served):
    port = served.address.split(":")[1]
    refused = program.refused("serve", "--port", port, "--no-browser")
    assert f"port {port}" in refused and "--port 0" in refused
