"""Libraries that parts of the package are made for, and that come along only when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Says how to install the libraries of an extra where one of them is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        message = f"ashta.{extra} needs {error.name}, which is not installed: pip install 'ashta[{extra}]'"
        raise ImportError(message, name=error.name) from error
