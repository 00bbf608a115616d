"""Parquet files: explicit schemas, sorted rows, the same bytes for the same rows.

Every Parquet file of the project is written by :func:`write` and read by :func:`read`. Nothing here
needs pandas, whose import takes longer than the parsing of a small round.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import compute

from breakeven.errors import BreakevenError
from breakeven.files import written_aside

TEXT, WHOLE, REAL = pa.string(), pa.int64(), pa.float64()


def complete(table: pa.Table) -> pa.Table:
    """Return a table as it is.

    Raises:
        BreakevenError: a column that must have no gaps has some.
    """
    for field, column in zip(table.schema, table.columns, strict=True):
        if column.null_count and not field.nullable:
            raise BreakevenError(f"column {field.name}: {column.null_count} values are missing")
    return table


def ordered(table: pa.Table, keys: Sequence[str]) -> pa.Table:
    """Return a table in one piece, sorted by ``keys``, nulls first; equal rows stay in order."""
    by = [(key, "ascending", "at_start") for key in keys]
    positions = compute.sort_indices(table, sort_keys=by)
    return table.take(positions).combine_chunks()


def write(table: pa.Table, path: Path) -> None:
    """Write a table as Parquet, its rows as they are; same rows, same bytes."""
    floats = [field.name for field in table.schema if pa.types.is_floating(field.type)]
    with written_aside(path) as aside:
        pq.write_table(
            table,
            aside,
            compression="zstd",
            compression_level=9,
            use_dictionary=[name for name in table.schema.names if name not in floats],
            column_encoding=dict.fromkeys(floats, "BYTE_STREAM_SPLIT"),
            write_statistics=False,
            write_page_checksum=True,
            store_schema=False,
            version="2.6",
        )


def read(path: Path, schema: pa.Schema) -> pa.Table:
    """Read a Parquet file that must have ``schema``.

    Raises:
        BreakevenError: the file is missing, damaged, or has another schema.
    """
    try:
        table = pq.read_table(path, page_checksum_verification=True)
    except FileNotFoundError as error:
        raise BreakevenError(f"{path}: there is no such file") from error
    # A damaged footer may hold names that are no text, or ask for more memory than there is.
    except (pa.ArrowException, OSError, UnicodeError, MemoryError) as error:
        raise damaged(path, error) from error
    try:
        expected = [(field.name, field.type) for field in schema]
        found = [(field.name, field.type) for field in table.schema]
        if expected != found:
            odd = sorted({str(pair[0]) for pair in set(expected) ^ set(found)}) or ["column order"]
            raise BreakevenError(f"{path}: another schema than expected: {', '.join(odd)}")
        table.validate(full=True)
    except (pa.ArrowException, UnicodeError, MemoryError) as error:
        raise damaged(path, error) from error
    return table


def damaged(path: Path, error: BaseException) -> BreakevenError:
    """Word that a file cannot be read, and what to do."""
    reason = next(iter(str(error).splitlines()), type(error).__name__)
    return BreakevenError(
        f"{path}: damaged, or not a Parquet file ({reason}). Restore facts with "
        f"`git checkout -- {path}`; delete results and run snakemake again"
    )
