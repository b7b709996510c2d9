"""A preprocessor of mdBook: links that leave the book become links to the repository.

On a page of the repository `../configs/default.toml` leads to that file; in the built book there is none. So the link
leads to the address that the environment variable ASHTA_REPOSITORY has, as hosts of git show files, or without one to
the file on this machine. Reads and writes what mdBook asks of a preprocessor, [context, book] as JSON; needs Python 3.11
and nothing else.
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
# Code is left alone; links are `](target)`.
CODE_OR_LINK = re.compile(r"(^```.*?^```$|`[^`\n]+`)|(?<=\]\()([^)\s]+)(?=\))", re.MULTILINE | re.DOTALL)


def chapters(items):
    """Every chapter of a book, those within others included."""
    for item in items:
        if isinstance(item, dict) and "Chapter" in item:
            yield item["Chapter"]
            yield from chapters(item["Chapter"]["sub_items"])


def outside(target, page, pages):
    """Where a link on `page` leads in the book: as it is within the book, else to the repository."""
    path, hash_sign, anchor = target.partition("#")
    if "://" in path or not path:
        return target
    path = posixpath.normpath(posixpath.join(DOCS.name, posixpath.dirname(page), path))
    found = ROOT / path
    # mdBook copies files that are no chapters, such as diagrams, as they are.
    copied = found.is_relative_to(DOCS) and found.is_file() and found.suffix != ".md"
    if copied or path in {f"{DOCS.name}/{name}" for name in pages}:
        return target
    there = f"{REPOSITORY}/{'tree' if found.is_dir() else 'blob'}/main/{path}" if REPOSITORY else found.as_uri()
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
    # mdBook first asks whether a renderer is supported: every one is.
    if sys.argv[1:2] != ["supports"]:
        main()
