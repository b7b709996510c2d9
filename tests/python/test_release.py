"""Releases: the commands of the workflows also run here, the version is consistent, and all files
are published."""

import hashlib
import os
import re
import sys
import tomllib

import pytest
import yaml

import program

sys.path.insert(0, str(program.ROOT / "release"))
import assets  # noqa: E402

MANIFEST = tomllib.loads((program.ROOT / "Cargo.toml").read_text())["workspace"]["package"]
WORKFLOWS = sorted((program.ROOT / ".github" / "workflows").glob("*.yml"))
# A value that only a workflow knows.
EXPRESSION = re.compile(r"\s*\$\{\{[^}]*\}\}")


def steps():
    """Every step of the workflows as (file, job, step); a job that calls another workflow is a
    step, too."""
    for path in WORKFLOWS:
        for name, job in yaml.safe_load(path.read_text())["jobs"].items():
            yield from ((path.name, job, step) for step in job.get("steps", [job]))


def commands_that_run_here():
    """The commands of `.ci/run` and `./test`, the one that is run below, and the one that
    test_faults.py shortens."""
    lines = [
        line.strip()
        for name in (".ci/run", "test")
        for line in (program.ROOT / name).read_text().splitlines()
    ]
    return {command for line in lines for command in re.split(r"; then |; else |; fi|; ", line)} | {
        ".ci/run",
        "./test deep",
        "release/publish",
        "tests/faults/run",
    }


def test_every_command_of_the_workflows_runs_here():
    known, found = commands_that_run_here(), []
    for file, _, step in steps():
        for line in step.get("run", "").splitlines():
            # Only the target differs.
            found.append(EXPRESSION.sub("", line))
            assert found[-1] in known, (file, line)
    assert {
        ".ci/run",
        "release/build",
        "release/build page",
        "release/build book",
        "release/check",
    } <= set(found)
    for command in found:
        script = program.ROOT / command.split()[0]
        assert "/" not in command.split()[0] or os.access(script, os.X_OK), command


def test_workflows_use_files_and_actions_that_exist():
    for file, _, step in steps():
        used = step.get("uses", "")
        if used.startswith("./"):
            assert (program.ROOT / used).is_file(), (file, used)
        else:
            assert "run" in step or re.fullmatch(
                r"(actions|dtolnay|taiki-e)/[\w-]+@[\w.]+", used
            ), (file, step)


def test_every_target_is_built_where_it_can_be_run_and_checked_for_licences():
    release = yaml.safe_load((program.ROOT / ".github" / "workflows" / "release.yml").read_text())[
        "jobs"
    ]
    matrix = release["program"]["strategy"]["matrix"]["include"]
    assert [entry["target"].partition(".")[0] for entry in matrix] == assets.TARGETS
    kinds = {"linux": "ubuntu", "apple": "macos", "windows": "windows"}
    for entry in matrix:
        assert any(
            part in entry["target"] and entry["system"].startswith(kind)
            for part, kind in kinds.items()
        )
        assert ("aarch64-unknown-linux" in entry["target"]) == entry["system"].endswith("-arm")
    # Every published file was tested and checked before.
    assert release["publish"]["needs"] == ["program", "pages"]
    assert all(release[job]["needs"] == "ci" for job in ("program", "pages"))
    assert all(
        {"run": "release/check"} in release[job]["steps"] for job in ("program", "pages", "publish")
    )


def test_only_the_job_that_publishes_may_write():
    for path in WORKFLOWS:
        workflow = yaml.safe_load(path.read_text())
        assert workflow["permissions"] == {"contents": "read"}
        assert [name for name, job in workflow["jobs"].items() if "permissions" in job] in (
            [],
            ["publish"],
        )


def test_the_version_is_the_same_everywhere():
    citation = yaml.safe_load((program.ROOT / "CITATION.cff").read_text())
    assert citation["version"] == MANIFEST["version"] == assets.VERSION
    assert citation["license"] == MANIFEST["license"].split(" OR ")
    assert program.run("--version").stdout == f"ashta {assets.VERSION}\n"
    assert assets.changes((program.ROOT / "CHANGELOG.md").read_text(), assets.VERSION)


def test_the_text_of_a_release_is_its_section_of_the_changelog():
    text = "# Changelog\n\n## [Unreleased]\n\n* new\n\n## [0.2.0] - 2026-01-01\n\n### Added\n\n* second\n\n## [0.1.0]\n\n* first\n"
    assert assets.changes(text, "0.2.0") == "### Added\n\n* second\n"
    assert assets.changes(text, "0.1.0") == "* first\n"
    assert assets.changes(text, "0.2") == assets.changes(text, "1.0.0") == ""


@pytest.fixture
def released(tmp_path):
    """Runs `release/publish` with files of every kind except `without`; returns the arguments for
    gh."""
    folder = tmp_path / "target" / "assets"
    folder.mkdir(parents=True)
    wheels = [
        f"ashta-{assets.VERSION}-cp311-abi3-{platform}.whl" for platform in ("a", "b", "c", "d")
    ]
    pages = [f"ashta-{kind}-{assets.VERSION}.tar.gz" for kind in ("page", "book")]
    programs = [
        assets.archive(target, kind) for target in assets.TARGETS for kind in ("ashta", "ashta-c")
    ]
    names = [*programs, *wheels, *pages, assets.NPM]
    for name in names:
        (folder / name).write_text(name)
        assets.seal(folder / name)
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    gh = bin_folder / "gh"
    gh.write_text(
        f'#!/bin/sh\nfor word; do echo "$word"; done > {tmp_path}/said\ncp "$8" {tmp_path}/notes\nexit 3\n'
    )
    gh.chmod(0o755)

    def publish(tag, without=None):
        if without:
            (folder / without).unlink()
        path = f"{bin_folder}{os.pathsep}{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "CARGO_TARGET_DIR": str(tmp_path / "target")}
        return program.execute(program.ROOT / "release" / "publish", tag, env=environment)

    return publish, names, tmp_path


def test_a_release_has_all_files_with_their_checksums(released):
    publish, names, folder = released
    finished = publish(f"v{assets.VERSION}")
    assert finished.returncode == 3, "the status of gh"
    said = (folder / "said").read_text().splitlines()
    assert said[:4] == ["release", "create", f"v{assets.VERSION}", "--verify-tag"]
    files = [line.rpartition("/")[2] for line in said if "/assets/" in line]
    assert files == sorted([*names, *(f"{name}.sha256" for name in names)])
    assert (folder / "notes").read_text() == assets.changes(
        (program.ROOT / "CHANGELOG.md").read_text(), assets.VERSION
    )
    beside = folder / "target" / "assets" / f"{names[0]}.sha256"
    assert beside.read_text() == f"{hashlib.sha256(names[0].encode()).hexdigest()}  {names[0]}\n"


@pytest.mark.parametrize("missing", [0, 4, -1])
def test_a_release_from_which_something_is_missing_is_refused(released, missing):
    publish, names, folder = released
    refused = publish(f"v{assets.VERSION}", without=names[missing])
    assert refused.returncode == 1 and "error: missing: " in refused.stderr
    assert not (folder / "said").exists()


def test_a_tag_of_another_version_is_refused(released):
    publish, _, folder = released
    for tag in (assets.VERSION, "v9.9.9"):
        refused = publish(tag)
        assert (
            refused.returncode == 1
            and f"the version in Cargo.toml is {assets.VERSION}" in refused.stderr
        )
    assert not (folder / "said").exists()


def test_what_was_damaged_is_found(tmp_path):
    folder = tmp_path / "assets"
    folder.mkdir()
    environment = {**os.environ, "CARGO_TARGET_DIR": str(tmp_path)}

    def checked():
        return program.execute(program.ROOT / "release" / "check", env=environment)

    assert "there are no files in" in checked().stderr
    archive = folder / f"ashta-page-{assets.VERSION}.tar.gz"
    archive.write_bytes(b"no archive")
    assets.seal(archive)
    archive.write_bytes(b"another one")
    refused = checked()
    assert (
        refused.returncode == 1
        and f"its checksum in {archive.name}.sha256 is missing or wrong" in refused.stderr
    )
    # An archive that is whole, but lacks what belongs into it.
    inner = tmp_path / "work" / f"ashta-page-{assets.VERSION}"
    inner.mkdir(parents=True)
    (inner / "index.html").write_text("page")
    program.succeeded(program.execute("tar", "-czf", archive, "-C", inner.parent, inner.name))
    assets.seal(archive)
    refused = checked()
    assert (
        refused.returncode == 1
        and "does not contain app.js, ashta.wasm, bots.json" in refused.stderr
    )
