"""Tables as frames, on their way to and from disk: explicit schemas, types and order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from breakeven import parquet
from breakeven.errors import BreakevenError
from breakeven.files import written_aside

# Twelve significant digits: far below what the logs' clock can tell (milliseconds), and enough
# for two machines whose last bits differ to write the same bytes.
SIGNIFICANT_DIGITS = 12

# A spreadsheet runs a cell that starts with one of these as a formula.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def conform(frame: pd.DataFrame, schema: pa.Schema, keys: Sequence[str]) -> pa.Table:
    """Return ``frame`` with exactly the schema's columns, types and order, sorted by ``keys``.

    Raises:
        BreakevenError: a column is missing, or a value does not fit its column's type.
    """
    missing = [name for name in schema.names if name not in frame.columns]
    if missing:
        raise BreakevenError(f"table lacks the columns {', '.join(missing)}")
    ordered = frame.sort_values(list(keys), kind="stable", na_position="first")
    columns = []
    for field in schema:
        try:
            columns.append(pa.Array.from_pandas(ordered[field.name], type=field.type, safe=True))
        except (pa.ArrowException, TypeError, ValueError) as error:
            raise BreakevenError(f"column {field.name}: not {field.type}: {error}") from error
    return parquet.complete(pa.table(columns, schema=schema))


def typed(frame: pd.DataFrame, schema: pa.Schema, keys: Sequence[str]) -> pd.DataFrame:
    """Return ``frame`` as it would be read back: the schema's types, sorted, counts as integers."""
    return framed(conform(frame, schema, keys))


def round_significant(frame: pd.DataFrame, digits: int = SIGNIFICANT_DIGITS) -> pd.DataFrame:
    """Return ``frame`` with its floating-point columns rounded to significant digits."""
    rounded = frame.copy()
    for name in frame.columns:
        if pd.api.types.is_float_dtype(frame[name]):
            rounded[name] = [
                value if pd.isna(value) else float(f"{value:.{digits}g}") for value in frame[name]
            ]
    return rounded


def write(frame: pd.DataFrame, schema: pa.Schema, keys: Sequence[str], path: Path) -> None:
    """Write ``frame`` as Parquet with ``schema``, sorted by ``keys``; same rows, same bytes."""
    parquet.write(conform(frame, schema, keys), path)


def write_csv(frame: pd.DataFrame, schema: pa.Schema, keys: Sequence[str], path: Path) -> None:
    """Write ``frame`` as CSV for people: the same columns and rows as the Parquet file.

    Text that a spreadsheet would run as a formula gets a leading apostrophe.
    """
    shown = typed(frame, schema, keys)
    for field in schema:
        if pa.types.is_string(field.type):
            shown[field.name] = shown[field.name].map(_harmless, na_action="ignore")
    with written_aside(path) as aside:
        shown.to_csv(aside, index=False, lineterminator="\n", encoding="utf-8")


def write_both(frame: pd.DataFrame, schema: pa.Schema, keys: Sequence[str], stem: Path) -> None:
    """Write ``<stem>.parquet`` for programs and ``<stem>.csv`` for people."""
    write(frame, schema, keys, stem.with_name(f"{stem.name}.parquet"))
    write_csv(frame, schema, keys, stem.with_name(f"{stem.name}.csv"))


def records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a table's rows as dictionaries, with None where a value is missing."""
    # Column by column: pandas' own way costs milliseconds a call on a wide table.
    names = list(frame.columns)
    columns = [
        [None if value is pd.NA or value != value else value for value in frame[name].tolist()]
        for name in names
    ]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _harmless(text: str) -> str:
    return f"'{text}" if text.startswith(FORMULA_STARTS) else text


def _nullable(arrow_type: pa.DataType) -> object:
    """Keep integers with gaps integers, and booleans with gaps booleans."""
    if pa.types.is_integer(arrow_type):
        return pd.Int64Dtype()
    return pd.BooleanDtype() if pa.types.is_boolean(arrow_type) else None


def framed(table: pa.Table) -> pd.DataFrame:
    """Return a table as a frame: integers and booleans that may be null are nullable."""
    frame: pd.DataFrame = table.to_pandas(types_mapper=_nullable)
    return frame


def read(path: Path, schema: pa.Schema) -> pd.DataFrame:
    """Read a Parquet file that must have ``schema``.

    Returns:
        One column a schema field; integers and booleans that may be null are nullable.

    Raises:
        BreakevenError: the file is missing, damaged, or has another schema.
    """
    table = parquet.read(path, schema)
    try:
        return framed(table)
    except (pa.ArrowException, UnicodeError, MemoryError) as error:
        raise parquet.damaged(path, error) from error
