"""Which code, configuration and facts a crate holds, and the state of its tree in git."""

from __future__ import annotations

import datetime
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

UNKNOWN = "unknown"

# What the results can be made again with, beside the facts.
PROJECT = (
    "Snakefile",
    "Makefile",
    "README.md",
    "CHANGELOG.md",
    "CITATION.cff",
    "LICENSE",
    "NOTICE",
    "dvc.yaml",
    "dvc.lock",
    "environment.yaml",
    "pyproject.toml",
    "requirements.lock",
    "rules/*.smk",
    "scripts/*.py",
    "breakeven/**/*",
    "config/**/*",
    "docs/**/*",
    "profiles/**/*",
)


def project_files(root: Path, rounds: Sequence[str]) -> list[str]:
    """List the code, configuration and facts to pack, as sorted paths below ``root``."""
    patterns = [*PROJECT, *(f"data/facts/{name}/*" for name in rounds)]
    found = {path for pattern in patterns for path in root.glob(pattern) if shown(path)}
    return sorted(path.relative_to(root).as_posix() for path in found)


def shown(path: Path) -> bool:
    """Say whether a path is a file that is meant to be seen: no cache, no stamp of Snakemake."""
    return path.is_file() and path.parent.name != "__pycache__" and not path.name.startswith(".")


@dataclass(frozen=True)
class Revision:
    """What git says of a tree.

    ``commit``: id of its HEAD, or "unknown"; ``date``: when that was committed, in UTC; ``tree``:
    clean, dirty (something differs from the commit) or unknown.
    """

    commit: str = UNKNOWN
    date: datetime.datetime | None = None
    tree: str = UNKNOWN


def revision(root: Path) -> Revision:
    """Ask git for the revision of the tree at ``root``; all unknown where that is no repository."""
    # A folder inside another project's repository is not at that project's commit.
    above = git(root, "rev-parse", "--show-cdup")
    head = git(root, "log", "-1", "--no-show-signature", "--format=%H %ct")
    changes = git(root, "status", "--porcelain")
    if above != "" or not head or changes is None:
        return Revision()
    commit, seconds = head.split()
    date = datetime.datetime.fromtimestamp(int(seconds), datetime.UTC)
    return Revision(commit, date, "dirty" if changes else "clean")


def git(root: Path, *words: str) -> str | None:
    """Return what a git command prints; None where it fails, or where there is no git."""
    changed = {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}
    environment = {k: v for k, v in os.environ.items() if k not in ("GIT_DIR", "GIT_WORK_TREE")}
    try:
        done = subprocess.run(
            ["git", *words],
            cwd=root,
            env={**environment, **changed},
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None
