"""From raw files to facts: every file that a manifest lists gets a row, and none stops the rest."""

from __future__ import annotations

import dataclasses
import gc
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from breakeven.config import Descriptions, Layout
from breakeven.descriptions import Description, read_description
from breakeven.dialects import Event
from breakeven.errors import BreakevenError
from breakeven.fetch import Entry, pattern
from breakeven.logs import Log, read_log
from breakeven.oddities import Problem

if TYPE_CHECKING:
    from breakeven.facts import Stored

# What a worker is given at once: little enough that the last one is not waited for.
PIECE_BYTES = 8_000_000
PIECE_FILES = 64


def place(path: str, layout: Layout) -> dict[str, str]:
    """Say what a path is by the round's layout: its kind, submitter, system and benchmark."""
    kinds = [("run", template) for template in layout.runs]
    kinds.append(("scaling", layout.scaling))
    kinds += [("description", template) for template in layout.descriptions]
    for kind, template in kinds:
        if match := pattern(template).fullmatch(path):
            return {"kind": kind, **match.groupdict()}
    return {"kind": "other"}


@dataclasses.dataclass
class Reading:
    """What one file gave: columns of its ``files`` row, and rows of the other tables."""

    row: dict[str, Any]
    events: Sequence[Event] = ()
    problems: Sequence[Problem] = ()
    description: Description | None = None


def read_run(path: Path) -> Log | OSError:
    """Read a run log; the reason where its bytes cannot be had."""
    try:
        return read_log(path.read_bytes())
    except OSError as error:
        return error


def read_file(
    entry: Entry,
    where: dict[str, str],
    accepted: Descriptions,
    folder: Path,
    log: Log | OSError | None = None,
) -> Reading:
    """Read one file of the manifest; a file that cannot be read is a problem, not an error.

    Args:
        entry: the file.
        where: what its path says (:func:`place`).
        accepted: what the keys of a description may be called.
        folder: the downloaded tree.
        log: what :func:`read_run` gave, where that was asked already.
    """
    reading = Reading(
        {"path": entry.path, "blob": entry.blob, "bytes": entry.bytes, "state": entry.state} | where
    )
    row, kind, path = reading.row, where["kind"], folder / entry.path
    if entry.state in ("absent", "refused"):
        reading.problems = [Problem(None, f"file {entry.state}", entry.reason, "listed only")]
    if entry.state != "present" or kind == "other":
        return reading
    try:
        if kind == "run":
            log = log or read_run(path)
            if isinstance(log, OSError):
                raise log
            row["lines"], reading.events, reading.problems = log.lines, log.events, log.problems
            if "benchmark" not in row:
                row["benchmark"] = _benchmark(log)
        elif kind == "description":
            reading.description, reading.problems = read_description(path.read_bytes(), accepted)
        else:
            row["scaling_factor"], reading.problems = read_scaling(path.read_bytes())
    except OSError as error:
        row["state"] = "unreadable"
        reason = error.strerror or type(error).__name__
        reading.problems = [Problem(None, "file unreadable", reason, "listed only")]
    return reading


def _benchmark(log: Log) -> str | None:
    named = next((e.text for e in log.events if e.key == "submission_benchmark"), None)
    # It becomes part of the names of files.
    return named if re.fullmatch(r"\w[\w. -]*", named or "") else None


# Official factors are near one (1.0 to 1.2 in eight rounds); one far from it is a slip, and one
# near nothing or without bound would make times that are none.
LEAST_FACTOR, GREATEST_FACTOR = 0.01, 100.0


def read_scaling(data: bytes) -> tuple[float | None, list[Problem]]:
    """Read the factor of a ``scaling.json``; None and a problem where it gives no usable one."""
    try:
        written = msgspec.json.decode(data)["scaling_factor"]
        factor = float(written)
        if isinstance(written, bool) or not LEAST_FACTOR <= factor <= GREATEST_FACTOR:
            raise ValueError(f"a factor of {written}")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        return None, [Problem(None, "no scaling factor", str(error)[:60], "no score without it")]
    return factor, []


def _pieces(entries: Sequence[Entry], folder: Path) -> list[list[Path]]:
    """Cut a list of run logs into pieces of work."""
    pieces: list[list[Path]] = []
    size = PIECE_BYTES
    for entry in entries:
        if size >= PIECE_BYTES or len(pieces[-1]) == PIECE_FILES:
            pieces.append([])
            size = 0
        pieces[-1].append(folder / entry.path)
        size += entry.bytes or 0
    return pieces


def _read_runs(paths: Sequence[Path]) -> list[Log | OSError]:
    return [read_run(path) for path in paths]


def parse(
    entries: Sequence[Entry],
    layout: Layout,
    accepted: Descriptions,
    folder: Path,
    workers: int = 1,
    say: Callable[[str], None] = lambda line: None,
) -> Stored:
    """Read every file of a manifest into the facts tables.

    Args:
        entries: the manifest.
        layout: where the round keeps what.
        accepted: what the keys of a description may be called.
        folder: the downloaded tree.
        workers: processes to use; the result does not depend on it.
        say: called with one line of progress at a time.

    Raises:
        BreakevenError: the manifest names no run at all, so the layout must be wrong; or a worker
            was killed.
    """
    places = [place(entry.path, layout) for entry in entries]
    logs = [
        entry.state == "present" and where["kind"] == "run"
        for entry, where in zip(entries, places, strict=True)
    ]
    if not any(where["kind"] == "run" for where in places):
        raise BreakevenError(
            f"{folder}: no file matches the layout's run logs ({', '.join(layout.runs)}); "
            "set `layout` in the round's file"
        )
    pieces = _pieces([entry for entry, log in zip(entries, logs, strict=True) if log], folder)

    def readings() -> Iterator[Reading]:
        read = (log for piece in results for log in piece)
        every = len(entries) // 4 + 1
        for number, (entry, where, log) in enumerate(zip(entries, places, logs, strict=True), 1):
            yield read_file(entry, where, accepted, folder, next(read) if log else None)
            if number % every == 0 or number == len(entries):
                say(f"{number} of {len(entries)} files read")

    try:
        # A log's events hold no cycles: looking for them takes a fifth of a worker's time.
        with ProcessPoolExecutor(workers, initializer=gc.disable) as pool:
            results = pool.map(_read_runs, pieces)
            # Here, when the workers are at work: they do without Arrow, which takes time to load.
            from breakeven.assembly import assemble

            return assemble(readings())
    except BrokenProcessPool as error:
        raise BreakevenError(
            f"{folder}: a process that read logs was killed, most likely for want of memory; "
            "run the same command again with fewer cores"
        ) from error
