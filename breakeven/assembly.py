"""What the files of a round gave, put together as its facts tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
from msgspec.structs import astuple

from breakeven import parquet
from breakeven.facts import FILES, TABLES, Stored
from breakeven.parquet import REAL, TEXT, WHOLE
from breakeven.parse import Reading
from breakeven.text import plain

# Rows that are held as Python objects, which take ten times the memory that Arrow's columns do.
HELD = 20_000
NUMBERS = {REAL: np.float64, WHOLE: np.int64, pa.int32(): np.int32}


class _Columns:
    """The rows of one table: a few as they came, the others as Arrow columns."""

    def __init__(self, schema: pa.Schema) -> None:
        self.schema = schema
        self.rows: list[tuple[Any, ...]] = []
        self.batches: list[pa.RecordBatch] = []

    def extend(self, rows: Iterable[tuple[Any, ...]]) -> None:
        self.rows += rows
        if len(self.rows) >= HELD:
            self.pack()

    def table(self) -> pa.Table:
        self.pack()
        return parquet.complete(pa.Table.from_batches(self.batches))

    def pack(self) -> None:
        columns = zip(*self.rows, strict=True) if self.rows else ((),) * len(self.schema)
        arrays = [
            _array(list(column), field.type)
            for column, field in zip(columns, self.schema, strict=True)
        ]
        self.batches.append(pa.record_batch(arrays, schema=self.schema))
        self.rows = []


def _array(values: list[Any], kind: pa.DataType) -> pa.Array:
    """Return a column of Arrow's, from its buffers.

    ``pa.array`` would first ask pandas whether the values are its own, and so import it.
    """
    there = np.array([value is not None for value in values], dtype=bool)
    gaps = None if there.all() else pa.py_buffer(np.packbits(there, bitorder="little"))
    if kind == TEXT:
        # No text holds control characters: others wrote it.
        known = {text: plain(text).encode() for text in set(values) if text is not None}
        texts = [known.get(text, b"") for text in values]
        ends = np.cumsum([0, *map(len, texts)], dtype=np.int32)
        buffers = [gaps, pa.py_buffer(ends), pa.py_buffer(b"".join(texts))]
    else:
        numbers = [0 if value is None else value for value in values]
        buffers = [gaps, pa.py_buffer(np.array(numbers, dtype=NUMBERS[kind]))]
    return pa.Array.from_buffers(kind, len(values), buffers)


def assemble(readings: Iterable[Reading]) -> Stored:
    """Put the readings of all files together, as tables in their order of rows."""
    columns = {table.name: _Columns(table.schema) for table in TABLES}
    for reading in readings:
        row = reading.row
        path = row["path"]
        columns["files"].extend([tuple(row.get(name) for name in FILES.names)])
        columns["events"].extend([(path, *astuple(event)) for event in reading.events])
        columns["problems"].extend(
            [(path, p.line, p.kind, p.detail, p.action) for p in reading.problems]
        )
        if reading.description is not None:
            where = (path, row["submitter"], row["system"])
            columns["systems"].extend([(*where, *vars(reading.description).values())])
    return {
        # Taken out, so that no table is held twice while it is put in order.
        table.name: parquet.ordered(columns.pop(table.name).table(), table.keys)
        for table in TABLES
    }
