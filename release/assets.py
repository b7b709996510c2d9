"""The parts of a release: version, text and folder of its files. The other scripts import this
module."""

import hashlib
import json
import os
import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
# The files of a release, each with a file for its checksum.
FOLDER = TARGET / "assets"
VERSION = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"][
    "version"
]
# The file of the npm package, as `npm pack` names it.
NPM = f"ashta-{VERSION}.tgz"
# The targets for which licences and advisories of all dependencies are checked.
TARGETS = tomllib.loads((ROOT / "deny.toml").read_text(encoding="utf-8"))["graph"]["targets"]


def fail(message):
    """Ends the script with a message on standard error."""
    sys.exit(f"error: {message}")


def archive(target, kind="ashta"):
    """The name of an archive for a target of Rust: of the program, or with the kind `ashta-c` of
    the C library."""
    return f"{kind}-{VERSION}-{target}.{'zip' if 'windows' in target else 'tar.gz'}"


def c_libraries(target):
    """The files of the C library for a target of Rust, the shared library first."""
    if "windows" in target:
        return ["ashta.dll", "ashta.dll.lib", "ashta.lib"]
    return [f"libashta.{'dylib' if 'apple' in target else 'so'}", "libashta.a"]


def changes(text, version):
    """The section of a version in the text of CHANGELOG.md, without its heading; empty if there is
    none."""
    found = re.search(
        rf"^## \[{re.escape(version)}\][^\n]*\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL
    )
    return found[1].strip() + "\n" if found else ""


def digest(path):
    """The SHA-256 of a file, as `sha256sum` prints it."""
    return f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"


def manifest(path):
    """The manifest of a bot file."""
    try:
        with path.open("rb") as file:
            header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        return json.loads(header["__metadata__"]["ashta"])
    except (OSError, ValueError, KeyError, OverflowError, MemoryError) as error:
        fail(f"{path} is not a bot: {error}")


def whole(path, content):
    """Writes a file in one step: readers see the old content or the new content."""
    temporary = path.with_name(path.name + ".tmp")
    temporary.write_bytes(content)
    os.replace(temporary, path)


def seal(path):
    """Writes the checksum of a finished file to NAME.sha256."""
    path.with_name(path.name + ".sha256").write_text(digest(path), encoding="utf-8", newline="\n")
    print(
        f"{path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}: {path.stat().st_size / 1e6:.1f} MB"
    )
