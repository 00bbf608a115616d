"""The interactive page: tables of all rounds in, one self-contained HTML text out.

:func:`page` is pure: the same tables, pins and settings give the same text. The page asks the
network for nothing. Its tables are embedded as JSON, its chart is drawn in the browser by the Vega
libraries that vl-convert carries, and its table by the DataTables that itables carries.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.metadata
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd
import pyarrow as pa
import vl_convert
from markupsafe import Markup

from breakeven import schemas, tables
from breakeven.config import Round, round_number
from breakeven.errors import BreakevenError
from breakeven.labels import TEXTS
from breakeven.theme import VEGALITE

TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True)
class Source:
    """One kind of table that the page reads, and whether each round has its own."""

    name: str
    schema: pa.Schema
    each_round: bool = True

    def files(self, rounds: Sequence[str]) -> list[str]:
        """List its files below ``results/``."""
        if self.each_round:
            return [f"{name}/{self.name}.parquet" for name in rounds]
        return [f"{self.name}.parquet"]


SOURCES = (
    Source("scaling", schemas.SCALING),
    Source("breakeven", schemas.BREAKEVEN),
    Source("conclusions", schemas.CONCLUSIONS),
    Source("runs", schemas.RUNS),
    Source("scores", schemas.SCORES),
    Source("reconciliation", schemas.RECONCILIATION),
    Source("history", schemas.HISTORY, each_round=False),
    Source("problems", schemas.PROBLEMS, each_round=False),
)

# Of the scores the page needs what a run or a history row does not say of its system; every other
# embedded table is whole, since what a reader downloads must equal the Parquet rows.
SYSTEM_COLUMNS = (
    "round", "submitter", "system", "benchmark", "workload", "model", "division", "category",
    "accelerator", "accelerator_family", "accelerator_model", "accelerators", "runs",
    "runs_failed", "runs_absent", "minutes",
)  # fmt: skip
WHOLE_TABLES = ("scaling", "breakeven", "conclusions", "runs", "history")

ABSENT = "file absent"


def page(
    frames: Mapping[str, pd.DataFrame],
    pins: Mapping[str, Round],
    settings: Mapping[str, Mapping[str, Any]],
    digests: Mapping[str, str],
) -> str:
    """Write the page.

    Args:
        frames: one table for each of :data:`SOURCES`, of all rounds, in the order of its files.
        pins: the rounds' pinned inputs, by name.
        settings: sections of the configuration, as plain values.
        digests: sha256 of each input table, by its path below ``results/``.

    Raises:
        BreakevenError: a library that the page carries is not as it must be.
    """
    kinds = {source.name: source.schema for source in SOURCES}
    embedded = {name: encode(frames[name], kinds[name]) for name in WHOLE_TABLES}
    system_schema = pa.schema([kinds["scores"].field(name) for name in SYSTEM_COLUMNS])
    embedded["systems"] = encode(frames["scores"], system_schema)
    scripts = [vega_script(), table_script(), _text("report.js")]
    rounds = sorted(pins, key=round_number)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("report.html").render(
        policy=content_policy(scripts),
        styles=[Markup(inline(text, "style")) for text in (table_style(), _text("report.css"))],
        scripts=[Markup(inline(text, "script")) for text in scripts],
        embedded={name: Markup(as_json(table)) for name, table in sorted(embedded.items())},
        about=Markup(as_json(about(pins))),
        rounds=rounds,
        pins=pins,
        settings={name: json.dumps(dict(settings[name]), sort_keys=True) for name in settings},
        digests=dict(sorted(digests.items())),
        libraries=libraries(),
        counts=problem_counts(frames["problems"], rounds),
        absent=absent_files(frames["problems"]),
        reconciliation=reconciled(frames["reconciliation"], pins),
    )


def encode(frame: pd.DataFrame, schema: pa.Schema) -> dict[str, Any]:
    """Return a table column by column as JSON can hold it, each text written once.

    Returns:
        ``rows`` and ``columns``; a column of text has its distinct ``texts`` and, for each row, a
        place in them or None; any other column has ``values``.
    """
    columns: list[dict[str, Any]] = []
    for field in schema:
        values = [
            None if value is pd.NA or value != value else value
            for value in frame[field.name].tolist()
        ]
        if pa.types.is_string(field.type):
            texts = list(dict.fromkeys(value for value in values if value is not None))
            places = {text: place for place, text in enumerate(texts)}
            found = [None if value is None else places[value] for value in values]
            columns.append({"name": field.name, "type": "text", "texts": texts, "places": found})
        else:
            kind = _kind(field.type)
            columns.append({"name": field.name, "type": kind, "values": values})
    return {"rows": len(frame), "columns": columns}


def _kind(arrow_type: pa.DataType) -> str:
    if pa.types.is_boolean(arrow_type):
        return "truth"
    return "whole" if pa.types.is_integer(arrow_type) else "real"


def as_json(value: object) -> str:
    """Return JSON that may stand in a script element, whatever text it holds."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def about(pins: Mapping[str, Round]) -> dict[str, Any]:
    """Return what the script must know beside the tables."""
    return {
        "rounds": {
            name: {
                "title": pins[name].title,
                "repository": pins[name].repository,
                "commit": pins[name].commit,
            }
            for name in sorted(pins, key=round_number)
        },
        "unofficial": TEXTS["en"]["unofficial"],
        "source": TEXTS["en"]["source"],
    }


def problem_counts(problems: pd.DataFrame, rounds: Sequence[str]) -> list[dict[str, Any]]:
    """Count problems by kind and what was done: a row each, with one count a round."""
    found = []
    for (kind, action), part in problems.groupby(["kind", "action"], sort=True):
        by_round = part["round"].value_counts()
        counts = [int(by_round.get(name, 0)) for name in rounds]
        found.append({"kind": kind, "action": action, "counts": counts, "total": sum(counts)})
    return found


def absent_files(problems: pd.DataFrame) -> list[dict[str, Any]]:
    """List the files that upstream names and that could not be had."""
    return tables.records(problems.loc[problems["kind"].eq(ABSENT), ["round", "path", "detail"]])


def reconciled(table: pd.DataFrame, pins: Mapping[str, Round]) -> list[dict[str, Any]]:
    """List where MLCommons' own summarizer says otherwise, each with the address of its log."""
    return [
        {**row, "address": pins[row["round"]].address(row["path"])} for row in tables.records(table)
    ]


def libraries() -> list[tuple[str, str]]:
    """Name the libraries that the page carries, with their versions."""
    return [
        ("Vega", vl_convert.get_vega_version()),
        ("Vega-Lite", VEGALITE),
        ("vega-embed", vl_convert.get_vega_embed_version()),
        ("vl-convert-python, which carries them", importlib.metadata.version("vl-convert-python")),
        ("itables, which carries DataTables", importlib.metadata.version("itables")),
    ]


def vega_script() -> str:
    """Return Vega, Vega-Lite and vega-embed as one script, which defines ``vegaEmbed``."""
    # vl-convert resolves its own copy of the libraries, without the network.
    bundle = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=VEGALITE)
    return _clean(f"(() => {{\n{bundle}\n}})();")


def table_script() -> str:
    """Return DataTables as one script, which defines ``DataTable``.

    Raises:
        BreakevenError: the installed itables packs DataTables in another way.
    """
    return as_classic_script(_packed("dt_bundle.js"))


def as_classic_script(module: str) -> str:
    """Turn a module without imports into a script that defines its default as ``DataTable``.

    A page opened from a file cannot import a module that stands in it.

    Raises:
        BreakevenError: the module does not end with one list of exports that has a default.
    """
    exports = re.findall(r"\bexport ?\{[^{}]*\};?", module)
    default = re.search(r"([\w$]+) as default\b", exports[0]) if len(exports) == 1 else None
    if default is None:
        raise BreakevenError("itables: its dt_bundle.js is packed in a way that is not known")
    body = module.replace(exports[0], f"window.DataTable = {default[1]};")
    return f'(() => {{\n"use strict";\n{body}\n}})();'


def table_style() -> str:
    """Return the style sheet of DataTables."""
    return _packed("dt_bundle.css")


def inline(text: str, element: str) -> str:
    """Return a script or style that may stand in its element as it is.

    Raises:
        BreakevenError: it holds the text that would end the element.
    """
    if f"</{element}" in text.lower():
        raise BreakevenError(f"a {element} holds the text </{element}, and cannot stand in a page")
    return text


def content_policy(scripts: Sequence[str]) -> str:
    """Return the page's Content-Security-Policy: these scripts alone, and nothing from anywhere."""
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
        for text in scripts
    )
    # Vega and DataTables set styles of elements; images are those that a style sheet embeds.
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _packed(name: str) -> str:
    path = Path(str(importlib.metadata.distribution("itables").locate_file(f"itables/html/{name}")))
    try:
        return _clean(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BreakevenError(f"itables: lacks {name}, which the report needs") from error


def _text(name: str) -> str:
    return _clean((TEMPLATES / name).read_text(encoding="utf-8"))


def _clean(text: str) -> str:
    """Return text as a browser reads it from a page, and safe inside a script element."""
    # A comment's start inside a script element changes where the element ends.
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("<!--", "<\\!--")
