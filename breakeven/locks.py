"""Whether anything of this project is alive in a folder, so that a dead run's lock can be told.

Snakemake's own lock is made of files, which stay where it was killed. The lock here is the
kernel's: it goes with its process, however that ends. Each Snakemake and each job shares it, so
who gets it alone knows that no other is alive, and that any lock of Snakemake is a dead one's.
"""

from __future__ import annotations

import base64
import shutil
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import IO

try:
    import fcntl
except ImportError:  # Where there is no flock, Snakemake says what to do.
    fcntl = None  # type: ignore[assignment]

FOLDER = Path(".snakemake")
NAME = "breakeven.lock"


def share(folder: Path = FOLDER) -> IO[bytes] | None:
    """Say for as long as the returned file is open that a process is alive in this folder."""
    if fcntl is None or not folder.is_dir():
        return None
    try:
        held = (folder / NAME).open("ab")
        fcntl.flock(held, fcntl.LOCK_SH)
    except OSError:
        return None
    return held


def take_over(say: Callable[[str], None], folder: Path = FOLDER) -> IO[bytes] | None:
    """Do the same; first, where no other process is alive here, remove a dead run's lock."""
    if fcntl is None:
        return None
    dead = folder / "locks"
    try:
        folder.mkdir(exist_ok=True)
        held = (folder / NAME).open("ab")
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if dead.is_dir() and any(dead.iterdir()):
                _remove_unfinished(folder / "incomplete")
                shutil.rmtree(dead)
                say("breakeven: the last run here was killed; its lock is removed, and it goes on")
        except BlockingIOError:
            pass
        fcntl.flock(held, fcntl.LOCK_SH)
    except OSError:
        return None
    return held


def _remove_unfinished(markers: Path) -> None:
    """Remove what the dead run's jobs were writing, as Snakemake does where a job fails.

    Left to itself, Snakemake makes such a file again, but takes it for one that is there when it
    asks which jobs behind it must run.
    """
    for marker in [path for path in markers.rglob("*") if path.is_file()]:
        # A long name is cut into folders that start with "@".
        name = "".join(part.removeprefix("@") for part in marker.relative_to(markers).parts)
        try:
            path = Path(base64.urlsafe_b64decode(name).decode())
        except ValueError:
            continue
        if path.is_absolute() or ".." in PurePosixPath(path).parts:
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
