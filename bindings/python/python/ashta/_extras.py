"""Errors for missing optional libraries."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """If an import in the block fails, raises an error that says how to install the extra."""
    try:
        yield
    except ModuleNotFoundError as error:
        message = f"ashta.{extra} needs {error.name}, which is not installed: pip install 'ashta[{extra}]'"
        raise ImportError(message, name=error.name) from error
