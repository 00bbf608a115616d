"""From raw files to facts: every file that a manifest lists gets a row, and none stops the rest."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import orjson
import pandas as pd
import pyarrow as pa

from breakeven.config import Descriptions, Layout
from breakeven.descriptions import Description, read_description
from breakeven.errors import BreakevenError
from breakeven.facts import FILES, TABLES, Facts
from breakeven.fetch import Entry, pattern
from breakeven.logs import Event, Log, Problem, read_log
from breakeven.text import plain


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

    row: dict[str, object]
    events: list[Event]
    problems: list[Problem]
    description: Description | None = None


def read_file(entry: Entry, layout: Layout, accepted: Descriptions, folder: Path) -> Reading:
    """Read one file of the manifest; a file that cannot be read is a problem, not an error."""
    where = place(entry.path, layout)
    state = entry.state
    row: dict[str, object] = {
        **dict.fromkeys(FILES.names),
        **{"path": entry.path, "blob": entry.blob, "bytes": entry.bytes, "state": state},
        **where,
    }
    if state in ("absent", "refused"):
        return Reading(row, [], [Problem(None, f"file {state}", entry.reason, "listed only")])
    if state == "ignored" or where["kind"] == "other":
        return Reading(row, [], [])
    try:
        data = (folder / entry.path).read_bytes()
    except OSError as error:
        row["state"] = "unreadable"
        reason = error.strerror or type(error).__name__
        return Reading(row, [], [Problem(None, "file unreadable", reason, "listed only")])
    if where["kind"] == "run":
        log: Log = read_log(data)
        row["lines"] = log.lines
        if row["benchmark"] is None:
            named = next((e.text for e in log.events if e.key == "submission_benchmark"), None)
            # It becomes part of the names of files.
            row["benchmark"] = named if re.fullmatch(r"\w[\w. -]*", named or "") else None
        return Reading(row, log.events, log.problems)
    if where["kind"] == "description":
        description, problems = read_description(data, accepted)
        return Reading(row, [], problems, description)
    row["scaling_factor"], problems = read_scaling(data)
    return Reading(row, [], problems)


# Official factors are near one (1.0 to 1.2 in eight rounds); one far from it is a slip, and one
# near nothing or without bound would make times that are none.
LEAST_FACTOR, GREATEST_FACTOR = 0.01, 100.0


def read_scaling(data: bytes) -> tuple[float | None, list[Problem]]:
    """Read the factor of a ``scaling.json``; None and a problem where it gives no usable one."""
    try:
        written = orjson.loads(data)["scaling_factor"]
        factor = float(written)
        if isinstance(written, bool) or not LEAST_FACTOR <= factor <= GREATEST_FACTOR:
            raise ValueError(f"a factor of {written}")
    except (ValueError, KeyError, TypeError) as error:
        return None, [Problem(None, "no scaling factor", str(error)[:60], "no score without it")]
    return factor, []


def _read_some(
    entries: Sequence[Entry], layout: Layout, accepted: Descriptions, folder: Path
) -> list[Reading]:
    return [read_file(entry, layout, accepted, folder) for entry in entries]


def parse(
    entries: Sequence[Entry],
    layout: Layout,
    accepted: Descriptions,
    folder: Path,
    workers: int = 1,
    say: Callable[[str], None] = lambda line: None,
) -> Facts:
    """Read every file of a manifest into the facts tables.

    Args:
        entries: the manifest.
        layout: where the round keeps what.
        accepted: what the keys of a description may be called.
        folder: the downloaded tree.
        workers: processes to use; the result does not depend on it.
        say: called with one line of progress at a time.

    Raises:
        BreakevenError: the manifest names no run at all, so the layout must be wrong.
    """
    size = 64
    pieces = [entries[i : i + size] for i in range(0, len(entries), size)]
    count = len(pieces)
    readings: list[Reading] = []
    with ProcessPoolExecutor(workers) as pool:
        results = pool.map(
            _read_some, pieces, [layout] * count, [accepted] * count, [folder] * count
        )
        for number, result in enumerate(results, start=1):
            readings.extend(result)
            if number % 8 == 0 or number == count:
                say(f"{len(readings)} of {len(entries)} files read")
    facts = assemble(readings)
    if not (facts["files"]["kind"] == "run").any():
        raise BreakevenError(
            f"{folder}: no file matches the layout's run logs ({', '.join(layout.runs)}); "
            "set `layout` in the round's file"
        )
    return facts


def few(problems: Sequence[Problem], most: int = 5) -> list[Problem]:
    """Keep the first problems of each kind in one file, and say in the last how many more."""
    kept: list[Problem] = []
    for kind in dict.fromkeys(problem.kind for problem in problems):
        alike = [problem for problem in problems if problem.kind == kind]
        kept += alike[:most]
        if len(alike) > most:
            detail = f"{alike[most - 1].detail}; and {len(alike) - most} more lines like it"
            kept[-1] = dataclasses.replace(alike[most - 1], detail=detail)
    return kept


def assemble(readings: Iterable[Reading]) -> Facts:
    """Put the readings of all files together."""
    files, events, systems, problems = [], [], [], []
    for reading in readings:
        path = reading.row["path"]
        files.append(reading.row)
        events += [{"path": path, **vars(event)} for event in reading.events]
        problems += [{"path": path, **vars(problem)} for problem in few(reading.problems)]
        if reading.description is not None:
            where = {name: reading.row[name] for name in ("path", "submitter", "system")}
            systems.append({**where, **vars(reading.description)})
    rows: dict[str, list[dict[str, object]]] = {
        "files": files,
        "events": events,
        "systems": systems,
        "problems": problems,
    }
    return {table.name: _harmless(rows[table.name], table.schema) for table in TABLES}


def _harmless(rows: list[dict[str, object]], schema: pa.Schema) -> pd.DataFrame:
    """Return rows as a table whose texts hold no control characters: others wrote them."""
    frame = pd.DataFrame(rows, columns=schema.names)
    for field in schema:
        if pa.types.is_string(field.type):
            frame[field.name] = frame[field.name].map(plain, na_action="ignore")
    return frame
