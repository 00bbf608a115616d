"""Writing files so that nothing partial ever carries a finished name."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def written_aside(path: Path) -> Iterator[Path]:
    """Give a temporary path beside ``path``; rename it into place when the block ends well."""
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.partial")
    try:
        yield aside
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)
