"""A preprocessor of mdBook: turns links that leave the book into links to the repository.

Pages link to files of the repository, such as `../configs/default.toml`, which the built book does
not contain. Such a link then leads to the repository at the address in the environment variable
ASHTA_REPOSITORY, or without this variable to the file on this machine. The input is [context, book]
as JSON, the output is the book, as mdBook requires. Needs only Python 3.11.
"""

import json
import os
import posixpath
import re
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1]
ROOT = DOCS.parent
REPOSITORY = os.environ.get("ASHTA_REPOSITORY", "").rstrip("/")
# Finds code, which does not change, and the targets of links: `](target)`.
CODE_OR_LINK = re.compile(
    r"(^```.*?^```$|`[^`\n]+`)|(?<=\]\()([^)\s]+)(?=\))", re.MULTILINE | re.DOTALL
)


def chapters(items):
    """Yields every chapter, also chapters within chapters."""
    for item in items:
        if isinstance(item, dict) and "Chapter" in item:
            yield item["Chapter"]
            yield from chapters(item["Chapter"]["sub_items"])


def outside(target, page, pages):
    """Returns the target of a link on `page`: unchanged within the book, otherwise in the
    repository."""
    path, hash_sign, anchor = target.partition("#")
    if "://" in path or not path:
        return target
    path = posixpath.normpath(posixpath.join(DOCS.name, posixpath.dirname(page), path))
    found = ROOT / path
    # mdBook copies files that are not chapters, such as diagrams.
    copied = found.is_relative_to(DOCS) and found.is_file() and found.suffix != ".md"
    if copied or path in {f"{DOCS.name}/{name}" for name in pages}:
        return target
    there = (
        f"{REPOSITORY}/{'tree' if found.is_dir() else 'blob'}/main/{path}"
        if REPOSITORY
        else found.as_uri()
    )
    return f"{there}{hash_sign}{anchor}"


def main():
    _, book = json.load(sys.stdin)
    items = book["items"] if "items" in book else book["sections"]
    pages = {chapter["path"] for chapter in chapters(items)}
    for chapter in chapters(items):
        replaced = lambda match: match[1] or outside(match[2], chapter["path"], pages)
        chapter["content"] = CODE_OR_LINK.sub(replaced, chapter["content"])
    json.dump(book, sys.stdout)


if __name__ == "__main__":
    # First, mdBook asks whether a renderer is supported. All renderers are supported.
    if sys.argv[1:2] != ["supports"]:
        main()
