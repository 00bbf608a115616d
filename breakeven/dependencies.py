"""Which modules a program imports, so that an edit reruns exactly the steps that use them."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

from breakeven.errors import BreakevenError

PACKAGE = "breakeven"


def imported_modules(source: Path, root: Path) -> list[str]:
    """List a program's own file and every module of the package that it imports, however far.

    Args:
        source: the program's file.
        root: the project's folder, which holds the package's.

    Returns:
        Paths relative to ``root``, the program first and the modules sorted.

    Raises:
        BreakevenError: a file cannot be read or is not Python.
    """
    found: set[Path] = set()
    waiting = [source]
    while waiting:
        path = waiting.pop()
        for module in _imports(path):
            candidate = root / Path(*module.split(".")).with_suffix(".py")
            if candidate.is_file() and candidate not in found:
                found.add(candidate)
                waiting.append(candidate)
    paths = [source, *sorted(found)]
    return [path.relative_to(root).as_posix() for path in paths]


def _imports(path: Path) -> frozenset[str]:
    """Return the dotted names below the package that a file imports."""
    try:
        return _imports_of(path.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        raise BreakevenError(f"{path}: cannot be read as Python: {error}") from error


# Every program imports much the same modules.
@functools.cache
def _imports_of(text: str) -> frozenset[str]:
    tree = ast.parse(text)
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(name for name in names if name.split(".")[0] == PACKAGE)
