"""The facts of a round: what its files say, in four small tables, before any meaning is given.

``files``: one row a file of the upstream data folders. ``events``: one row a log line that matters.
``systems``: one row a system description. ``problems``: one row an oddity. They hold numbers, keys,
names, times and where each stands, not the logs' text, and are kept in git so that everything
after them works without any network. Columns are described in :mod:`breakeven.dictionary`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa

from breakeven import files, tables
from breakeven.errors import BreakevenError
from breakeven.tables import REAL, TEXT, WHOLE

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
        pa.field("step_num", REAL),
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

# A line beside the tables: repository, commit and layout that they were parsed from.
SOURCE = "source.txt"


def paths(folder: Path) -> list[Path]:
    """List the files of a round's facts."""
    return [folder / SOURCE, *(folder / f"{table.name}.parquet" for table in TABLES)]


def write(facts: Facts, folder: Path, source: str) -> None:
    """Write the facts tables below ``folder``, and what they were parsed from beside them."""
    # The source goes first and comes last: tables of two parses never stand below one source.
    (folder / SOURCE).unlink(missing_ok=True)
    for table in TABLES:
        tables.write(facts[table.name], table.schema, table.keys, folder / f"{table.name}.parquet")
    with files.written_aside(folder / SOURCE) as aside:
        aside.write_text(f"{source}\n", encoding="utf-8")


def read(folder: Path, source: str | None = None) -> Facts:
    """Read the facts tables below ``folder``.

    Args:
        folder: where they are.
        source: what they must have been parsed from (:func:`breakeven.config.Round.source`), if
            that matters.

    Raises:
        BreakevenError: a table is damaged, or the facts were parsed from another source.
    """
    path = folder / SOURCE
    if source is not None:
        found = path.read_text(encoding="utf-8").strip() if path.is_file() else "nothing named"
        if found != source:
            raise BreakevenError(
                f"{folder}: parsed from {found}, but config/rounds/ pins {source}. Parse them anew "
                "with `make facts`, or take the change of the pin back"
            )
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
