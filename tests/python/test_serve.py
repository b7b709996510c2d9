"""`ashta serve`: the page and its engine over HTTP, and who is not answered."""

import gzip
import http.client
import json
import subprocess
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

import program


@contextmanager
def serving(data, folder):
    """The program that serves on a free port: `ask(method, path, body, **headers)` gives status, type and content."""
    command = [program.ASHTA, "--data", data, "serve", "--port", "0", "--no-browser"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        address = server.stdout.readline().removeprefix("page: http://").strip().rstrip("/")
        host, port = address.split(":")

        def ask(method, path, body=None, **headers):
            connection = http.client.HTTPConnection(host, int(port), timeout=program.PATIENCE)
            headers = {name.replace("_", "-").capitalize(): value for name, value in headers.items()}
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            kind, encoding = answer.getheader("Content-Type"), answer.getheader("Content-Encoding")
            return SimpleNamespace(status=answer.status, kind=kind, encoding=encoding, content=answer.read())

        yield SimpleNamespace(ask=ask, address=address, process=server)
        server.terminate()


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The program that serves the bots and tables of the repository."""
    with serving(program.ROOT / "checkpoints", tmp_path_factory.mktemp("served")) as served:
        yield served


def post(served, path, body=""):
    """The answer to a request of the page, as JSON."""
    answer = served.ask("POST", path, body)
    assert answer.status == 200 and answer.kind == "application/json"
    return json.loads(answer.content)


def test_files_of_the_page_are_those_of_the_repository(served):
    for name, kind in [("index.html", "text/html"), ("app.js", "text/javascript"), ("style.css", "text/css")]:
        answer = served.ask("GET", f"/{name}")
        assert answer.status == 200 and answer.kind.startswith(kind)
        assert answer.content == (program.ROOT / "web" / name).read_bytes()
    assert served.ask("GET", "/").content == (program.ROOT / "web" / "index.html").read_bytes()
    assert served.ask("GET", "/engine.js").content == (program.ROOT / "web" / "native.js").read_bytes()
    assert served.ask("GET", "/siga.toml").content == (program.ROOT / "env" / "games" / "siga.toml").read_bytes()
    for name in ["siga.bot", "ashtapada.table"]:
        assert served.ask("GET", f"/{name}").content == (program.ROOT / "checkpoints" / name).read_bytes()


def test_files_are_packed_for_those_who_can_unpack_them(served):
    plain, packed = served.ask("GET", "/app.js"), served.ask("GET", "/app.js", accept_encoding="gzip, br")
    assert plain.encoding is None and packed.encoding == "gzip"
    assert gzip.decompress(packed.content) == plain.content and len(packed.content) < len(plain.content) / 2


def test_nothing_else_is_served(served):
    for path in ["/Cargo.toml", "/../Cargo.toml", "/..%2FCargo.toml", "/nothing.bot", "/../checkpoints/siga.bot", "/ashta.wasm"]:
        assert served.ask("GET", path).status == 404, path
    assert served.ask("DELETE", "/index.html").status == 405


def test_bots_and_tables_are_listed_with_their_rules(served):
    listed = json.loads(served.ask("GET", "/bots.json").content)
    bots = {bot["name"]: bot for bot in listed["bots"]}
    levels = bots["pagade-teams"].pop("levels")
    assert bots["pagade-teams"] == {"name": "pagade-teams", "game": "pagade?teams=true", "seats": "SENW"}
    assert {level["level"]: level["score"] for level in levels}["beginner"] < 0.5
    tables = {table["name"]: table for table in listed["tables"]}
    assert tables["ashte-kashte-2"]["ruleset"]["flags"] == {"pieces": "2"}
    assert tables["ashtapada"]["bytes"] == (program.ROOT / "checkpoints" / "ashtapada.table").stat().st_size


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
    position = "siga S:3,7/N:2,5 S 3"
    content = (program.ROOT / "checkpoints" / "siga.bot").read_bytes()
    by_name = post(served, "/agent?name=siga%2Bnovice")["agent"]
    by_file = post(served, "/agent?lookahead=2ply", content)["agent"]
    assert post(served, "/agent?lookahead=2ply", content)["agent"] == by_file != by_name
    with program.Engine("siga+2ply") as engine:
        expected = engine.get(op="evaluate", position=position)
    assert post(served, f"/engine?agent={by_file}", json.dumps({"op": "evaluate", "position": position})) == expected
    assert post(served, f"/engine?agent={by_name}", json.dumps({"op": "hello"}))["agent"].endswith("+novice")
    assert post(served, "/engine", json.dumps({"op": "hello"}))["agent"] is None


def test_wrong_requests_are_answered_with_an_error(served):
    for path, body, word in [
        ("/agent?name=nobody", "", "nobody"),
        ("/agent?lookahead=", "no bot", "bytes"),
        ("/engine?agent=7", "{}", "no agent 7"),
        ("/engine?agent=x", "{}", "no agent x"),
        ("/engine", "{", "EOF"),
        ("/elsewhere", "{}", "elsewhere"),
        ("/engine", " " * (2**20 + 1), "1048576 bytes"),
    ]:
        assert word in post(served, path, body)["error"]["message"], path


def test_other_sites_are_not_answered(served):
    assert served.ask("GET", "/", host="elsewhere.example").status == 403
    assert served.ask("POST", "/engine", "{}", origin="http://elsewhere.example").status == 403
    assert served.ask("POST", "/engine", "{}", origin=f"http://{served.address}").status == 200


def test_a_port_that_is_taken_is_named(served):
    port = served.address.split(":")[1]
    refused = program.run("serve", "--port", port, "--no-browser")
    assert refused.returncode == 1 and f"port {port}" in refused.stderr and "--port 0" in refused.stderr
