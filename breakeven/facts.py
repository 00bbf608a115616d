"""The facts of a round: what its files say, in four small tables, before any meaning is given.

``files``: one row a file of the upstream data folders. ``events``: one row a log line that matters.
``systems``: one row a system description. ``problems``: one row an oddity. They hold numbers, keys,
names, times and where each stands, not the logs' text, and are kept in git so that everything
after them works without any network. Columns are described in :mod:`breakeven.dictionary`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from breakeven import files, parquet
from breakeven.errors import BreakevenError
from breakeven.parquet import REAL, TEXT, WHOLE

if TYPE_CHECKING:
    import pandas as pd

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

# A round's facts as they are stored, and as frames to analyse; by the names of the tables.
Stored = dict[str, pa.Table]
Facts = dict[str, "pd.DataFrame"]

# A line beside the tables: repository, commit and layout that they were parsed from.
SOURCE = "source.txt"


def paths(folder: Path) -> list[Path]:
    """List the files of a round's facts."""
    return [folder / SOURCE, *(folder / f"{table.name}.parquet" for table in TABLES)]


def write(stored: Mapping[str, pa.Table], folder: Path, source: str) -> None:
    """Write the facts tables below ``folder``, and what they were parsed from beside them."""
    # The source goes first and comes last: tables of two parses never stand below one source.
    (folder / SOURCE).unlink(missing_ok=True)
    for table in TABLES:
        parquet.write(stored[table.name], folder / f"{table.name}.parquet")
    with files.written_aside(folder / SOURCE) as aside:
        aside.write_text(f"{source}\n", encoding="utf-8")


def load(folder: Path, source: str | None = None) -> Stored:
    """Read the facts tables below ``folder`` as they are stored.

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
        table.name: parquet.read(folder / f"{table.name}.parquet", table.schema) for table in TABLES
    }


def framed(stored: Mapping[str, pa.Table]) -> Facts:
    """Return facts as frames."""
    # Here, because parsing needs no frames, and pandas takes as long to import as a small parse.
    from breakeven import tables

    return {name: tables.framed(table) for name, table in stored.items()}


def read(folder: Path, source: str | None = None) -> Facts:
    """Read the facts tables below ``folder`` as frames; see :func:`load`."""
    return framed(load(folder, source))
