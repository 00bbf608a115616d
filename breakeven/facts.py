"""The facts of a round: what its files say, in four small tables, before any meaning is given.

``files``: one row a file of the upstream data folders. ``events``: one row a log line that matters.
``systems``: one row a system description. ``problems``: one row an oddity. They hold numbers, keys,
names, times and where each stands, not the logs' text, and are kept in git so that everything
after them works without any network.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import orjson
import pandas as pd
import pyarrow as pa

from breakeven import tables
from breakeven.config import Layout
from breakeven.descriptions import Description, read_description
from breakeven.errors import BreakevenError
from breakeven.fetch import Entry
from breakeven.logs import Event, Log, Problem, read_log

TEXT, WHOLE, REAL = pa.string(), pa.int64(), pa.float64()

# kind: run, scaling, description, or other (listed, not read). state: present, absent, ignored
# (not downloaded), refused, unreadable.
FILES = pa.schema(
    [
        pa.field("path", TEXT, nullable=False),
        pa.field("blob", TEXT, nullable=False),
        pa.field("bytes", WHOLE),
        pa.field("state", TEXT, nullable=False),
        pa.field("kind", TEXT, nullable=False),
        pa.field("submitter", TEXT),
        pa.field("system", TEXT),
        pa.field("benchmark", TEXT),
        pa.field("lines", WHOLE),
        pa.field("scaling_factor", REAL),
    ]
)
# time_ms: milliseconds of the log's own clock; other numbers in the unit of their key.
EVENTS = pa.schema(
    [
        pa.field("path", TEXT, nullable=False),
        pa.field("line", pa.int32(), nullable=False),
        pa.field("key", TEXT, nullable=False),
        pa.field("time_ms", REAL),
        pa.field("value", REAL),
        pa.field("text", TEXT),
        pa.field("status", TEXT),
        pa.field("metric", TEXT),
        pa.field("epoch_num", REAL),
        pa.field("samples_count", REAL),
    ]
)
SYSTEMS = pa.schema(
    [
        pa.field("path", TEXT, nullable=False),
        pa.field("submitter", TEXT, nullable=False),
        pa.field("system", TEXT, nullable=False),
        pa.field("submitter_name", TEXT),
        pa.field("division", TEXT),
        pa.field("status", TEXT),
        pa.field("system_name", TEXT),
        pa.field("nodes", WHOLE),
        pa.field("accelerators_per_node", WHOLE),
        pa.field("accelerator", TEXT),
        pa.field("host_processor", TEXT),
        pa.field("host_processors_per_node", WHOLE),
        pa.field("framework", TEXT),
    ]
)
PROBLEMS = pa.schema(
    [
        pa.field("path", TEXT, nullable=False),
        pa.field("line", WHOLE),
        pa.field("kind", TEXT, nullable=False),
        pa.field("detail", TEXT, nullable=False),
        pa.field("action", TEXT, nullable=False),
    ]
)


@dataclasses.dataclass(frozen=True)
class Table:
    """One facts table: its file name, schema and sort order."""

    name: str
    schema: pa.Schema
    keys: tuple[str, ...]


TABLES = (
    Table("files", FILES, ("path",)),
    Table("events", EVENTS, ("path", "line")),
    Table("systems", SYSTEMS, ("path",)),
    Table("problems", PROBLEMS, ("path", "line", "kind", "detail")),
)

Facts = dict[str, pd.DataFrame]


def pattern(template: str) -> re.Pattern[str]:
    """Turn a path template such as ``{submitter}/results/*/result_*.txt`` into a pattern."""
    parts = re.split(r"(\{\w+\}|\*)", template)
    expression = "".join(
        f"(?P<{part[1:-1]}>[^/]+)"
        if part.startswith("{")
        else "[^/]*"
        if part == "*"
        else re.escape(part)
        for part in parts
    )
    return re.compile(expression)


def place(path: str, layout: Layout) -> dict[str, str]:
    """Say what a path is by the round's layout: its kind, submitter, system and benchmark."""
    kinds = [("run", t) for t in layout.runs]
    kinds += [("scaling", layout.scaling), ("description", layout.descriptions)]
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


def read_file(entry: Entry, layout: Layout, folder: Path) -> Reading:
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
        return Reading(row, log.events, log.problems)
    if where["kind"] == "description":
        description, problems = read_description(data)
        return Reading(row, [], problems, description)
    row["scaling_factor"], problems = read_scaling(data)
    return Reading(row, [], problems)


def read_scaling(data: bytes) -> tuple[float | None, list[Problem]]:
    """Read the factor of a ``scaling.json``; None and a problem where it gives no usable one."""
    try:
        factor = float(orjson.loads(data)["scaling_factor"])
        if not 0 < factor < float("inf"):
            raise ValueError(f"a factor of {factor}")
    except (ValueError, KeyError, TypeError) as error:
        return None, [Problem(None, "no scaling factor", str(error)[:60], "no score without it")]
    return factor, []


def _read_some(entries: Sequence[Entry], layout: Layout, folder: Path) -> list[Reading]:
    return [read_file(entry, layout, folder) for entry in entries]


def parse(
    entries: Sequence[Entry],
    layout: Layout,
    folder: Path,
    workers: int = 1,
    say: Callable[[str], None] = lambda line: None,
) -> Facts:
    """Read every file of a manifest into the facts tables.

    Args:
        entries: the manifest.
        layout: where the round keeps what.
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
        results = pool.map(_read_some, pieces, [layout] * count, [folder] * count)
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


def assemble(readings: Iterable[Reading]) -> Facts:
    """Put the readings of all files together."""
    files, events, systems, problems = [], [], [], []
    for reading in readings:
        path = reading.row["path"]
        files.append(reading.row)
        events += [{"path": path, **vars(event)} for event in reading.events]
        problems += [{"path": path, **vars(problem)} for problem in reading.problems]
        if reading.description is not None:
            where = {name: reading.row[name] for name in ("path", "submitter", "system")}
            systems.append({**where, **vars(reading.description)})
    rows: dict[str, list[dict[str, object]]] = {
        "files": files,
        "events": events,
        "systems": systems,
        "problems": problems,
    }
    return {
        table.name: pd.DataFrame(rows[table.name], columns=table.schema.names) for table in TABLES
    }


def write(facts: Facts, folder: Path) -> None:
    """Write the facts tables below ``folder``."""
    for table in TABLES:
        tables.write(facts[table.name], table.schema, table.keys, folder / f"{table.name}.parquet")


def read(folder: Path) -> Facts:
    """Read the facts tables below ``folder``; raise BreakevenError where one is damaged."""
    return {
        table.name: tables.read(folder / f"{table.name}.parquet", table.schema) for table in TABLES
    }


def difference(ours: Facts, theirs: Facts) -> pd.DataFrame:
    """Compare two readings of a round, row by row.

    Returns:
        One row a difference: table, path, line, what ("only here" or "only upstream"). Rows whose
        content changed appear once on each side. Empty where both say the same.
    """
    found = []
    for table in TABLES:
        left, right = (
            tables.conform(side[table.name], table.schema, table.keys).to_pylist()
            for side in (ours, theirs)
        )
        for what, rows, others in (("only here", left, right), ("only upstream", right, left)):
            known = {tuple(row.values()) for row in others}
            found += [
                {"table": table.name, "path": r["path"], "line": r.get("line"), "what": what}
                for r in rows
                if tuple(r.values()) not in known
            ]
    columns = ["table", "path", "line", "what"]
    return pd.DataFrame(found, columns=columns).sort_values(columns, ignore_index=True)


@dataclasses.dataclass(frozen=True)
class Verdict:
    """Whether a round's facts hold, and the report that says so."""

    holds: bool
    text: str


def verdict(
    ours: Facts, theirs: Facts, altered: Sequence[str], source: str, limit: int = 20
) -> Verdict:
    """Judge the facts in the repository against a new reading of the raw files.

    A file that one side could not have is not a contradiction: it is named and left out.

    Args:
        ours: the facts in the repository.
        theirs: the facts parsed anew.
        altered: raw files whose bytes are not what their blob ids say.
        source: where the raw files come from, for the report.
        limit: how many differences to list.
    """
    states = [f.set_index("path")["state"] for f in (ours["files"], theirs["files"])]
    both = pd.concat(states, axis=1, keys=["ours", "theirs"]).dropna()
    gained = sorted(both.index[both["ours"].eq("absent") & both["theirs"].eq("present")])
    lost = sorted(both.index[both["ours"].eq("present") & both["theirs"].eq("absent")])
    found = difference(ours, theirs)
    found = found[~found["path"].isin([*gained, *lost])]
    holds = found.empty and not altered
    lines = [f"Facts against {source}"]
    compared = len(set(ours["files"]["path"]) - set(gained) - set(lost))
    if holds:
        rows = sum(len(ours[table.name]) for table in TABLES)
        lines.append(f"HOLDS: {compared} files compared, {rows} rows of facts, no difference")
    else:
        lines.append(f"DOES NOT HOLD: {compared} files compared, {len(found)} rows differ")
    for row in tables.records(found.head(limit)):
        line = "" if row["line"] is None else f":{int(row['line'])}"
        lines.append(f"  {row['what']}: {row['table']}: {row['path']}{line}")
    if len(found) > limit:
        lines.append(f"  and {len(found) - limit} more")
    lines += [f"  raw file changed since its download: {path}" for path in altered]
    for paths, what in (
        (gained, "can be had now, but could not when the facts were made: parse them anew"),
        (lost, "could not be had now, so that their facts were not checked"),
    ):
        if paths:
            lines.append(f"{len(paths)} files {what}:")
            lines += [f"  {path}" for path in paths]
    return Verdict(holds, "\n".join(lines) + "\n")
