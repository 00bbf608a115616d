"""The tables described for other tools: a Data Package (datapackage.org, version 2).

The descriptor names every table file with its columns, their types, units and meanings, and which
columns together name a row. It stands at the project's top, so that its paths lead to results and
facts alike. The same files give the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from breakeven.dictionary import FACTS, RESULTS, UNOFFICIAL, Column, Table, column

NAME = "datapackage.json"
PROFILE = "https://datapackage.org/profiles/2.0/datapackage.json"
RESOURCE_PROFILE = "https://datapackage.org/profiles/2.0/dataresource.json"
LICENCE = {"name": "Apache-2.0", "title": "Apache License 2.0"}
LICENCE_ADDRESS = "https://www.apache.org/licenses/LICENSE-2.0"
MEDIA_TYPES = {"csv": "text/csv", "parquet": "application/vnd.apache.parquet"}
APOSTROPHE = (
    "In CSV, text that a spreadsheet would run as a formula (it begins with =, +, -, @, a tab or a "
    "carriage return) has an apostrophe before it; Parquet has it as it is."
)
DESCRIPTION = (
    "Runs, scores, speedup, efficiency and break-even points of AI training, recomputed from the "
    f"public MLPerf Training results. {UNOFFICIAL} MLPerf is a registered trademark of MLCommons "
    "Association; this package is not affiliated with or endorsed by MLCommons. Every table is "
    f"there as CSV and as Parquet, the facts as Parquet alone. {APOSTROPHE}"
)


def table_files(rounds: Sequence[str]) -> list[tuple[str, str, Table]]:
    """List the table files of some rounds: name of the resource, path, and kind of table."""
    found = []
    for table in RESULTS:
        folders = [""] if table.overall else []
        folders += [f"{name}/" for name in rounds] if table.each_round else []
        for folder in folders:
            for kind in MEDIA_TYPES:
                name = f"{folder.replace('/', '-') or 'all-'}{table.name}-{kind}"
                found.append((name, f"results/{folder}{table.name}.{kind}", table))
    for table in FACTS:
        part = table.name.removeprefix("facts/")
        found += [
            (f"{name}-facts-{part}", f"data/facts/{name}/{part}.parquet", table) for name in rounds
        ]
    return found


def descriptor(
    rounds: Sequence[str],
    sizes: Mapping[str, int],
    digests: Mapping[str, str],
    sources: Sequence[Mapping[str, str]],
    version: str,
) -> dict[str, Any]:
    """Describe the tables of some rounds.

    Args:
        rounds: their names.
        sizes: bytes of each table file, by path.
        digests: SHA-256 of each, by path.
        sources: where the facts come from: title, path and version of each.
        version: of the project.
    """
    return {
        "$schema": PROFILE,
        "name": "breakeven",
        "title": "Breakeven: how far it pays to scale AI training",
        "description": DESCRIPTION,
        "version": version,
        "licenses": [{**LICENCE, "path": LICENCE_ADDRESS}],
        "sources": [dict(source) for source in sources],
        "resources": [
            {
                **resource(name, path, table),
                "bytes": sizes[path],
                "hash": f"sha256:{digests[path]}",
            }
            for name, path, table in table_files(rounds)
        ],
    }


def resource(name: str, path: str, table: Table) -> dict[str, Any]:
    """Describe one table file."""
    kind = path.rpartition(".")[2]
    note = f" {APOSTROPHE}" if kind == "csv" else ""
    encoding = {"encoding": "utf-8"} if kind == "csv" else {}
    return {
        "$schema": RESOURCE_PROFILE,
        "name": name,
        "path": path,
        "type": "table",
        "format": kind,
        "mediatype": MEDIA_TYPES[kind],
        **encoding,
        "description": table.description + note,
        "schema": schema(table),
        "sortedBy": list(table.order),
    }


def schema(table: Table) -> dict[str, Any]:
    """Return the Table Schema of a kind of table."""
    key = {"primaryKey": list(table.key)} if table.key else {}
    return {
        "fields": [field(one, column(table.name, one.name)) for one in table.schema],
        **key,
    }


def field(one: pa.Field, known: Column) -> dict[str, Any]:
    """Describe one column."""
    note = " (unofficial metric)" if known.unofficial else ""
    described: dict[str, Any] = {
        "name": one.name,
        "type": field_type(one.type),
        "description": f"{known.description}{note}",
    }
    if known.unit:
        described["unit"] = known.unit
    if not one.nullable:
        described["constraints"] = {"required": True}
        if pa.types.is_string(one.type):
            # An empty text is a value here, though a reader may take it for a missing one.
            described["missingValues"] = []
    return described


def field_type(arrow_type: pa.DataType) -> str:
    """Return Table Schema's name of an Arrow type."""
    if pa.types.is_string(arrow_type):
        return "string"
    if pa.types.is_boolean(arrow_type):
        return "boolean"
    return "integer" if pa.types.is_integer(arrow_type) else "number"


def as_json(described: Mapping[str, Any]) -> str:
    """Return a descriptor as text, the same for the same content."""
    return json.dumps(described, indent=1, ensure_ascii=False) + "\n"
