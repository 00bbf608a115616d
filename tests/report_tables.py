"""Small tables for the page's tests: two rounds, two series, and text that means harm."""

import pandas as pd
import pyarrow as pa

from breakeven import report, tables
from breakeven.config import Round

HOSTILE = "<img src=x onerror=alert(1)>"
FORMULA = '=cmd("a,b")'
ENDING = "</script><script>alert(2)</script>"
ROUNDS = ("v9.0", "v10.0")
SIZES = ((8, 40.0), (64, 6.123456789012), (512, 1.5))
SETTINGS = {"breakeven": {"efficiency_floor": 0.5}, "uncertainty": {"level": 0.95}}


def filled(schema, rows):
    """Return a table of ``rows``, with something in every column that must have a value."""
    fill = {pa.string(): "", pa.int64(): 0, pa.float64(): 0.0, pa.bool_(): False}
    complete = [
        {field.name: row.get(field.name, None if field.nullable else fill[field.type])
         for field in schema}
        for row in rows
    ]  # fmt: skip
    return pd.DataFrame(complete, columns=schema.names)


def pin(name):
    number = name.removeprefix("v")
    return Round(
        round=name, title=f"MLPerf Training {name}", ruleset=f"{number}.0",
        published="2024-11-13", repository=f"https://github.com/mlcommons/training_results_{name}",
        commit=number[0] * 40, origin="the submitters", licence="Apache-2.0",
        accessed="2024-12-01", folders=["{submitter}/results/", "{submitter}/systems/"],
    )  # fmt: skip


def systems(name):
    """List a round's systems, of submitters whose names are plain, markup and a formula."""
    for submitter, family, division, factor in (
        ("Alpha", "H100", "closed", 1.0),
        (HOSTILE, "H200", "closed", 0.7),
        (FORMULA, "H100", "open", 0.5),
    ):
        for n, minutes in SIZES:
            for benchmark, model, share in (("bert", "BERT", 1.0), ("ssd", "RetinaNet", 3.0)):
                yield {
                    "round": name, "submitter": submitter, "system": f"{n} x {family}",
                    "benchmark": benchmark, "workload": benchmark, "model": model,
                    "division": division, "category": "available", "accelerator": family,
                    "accelerator_family": family, "accelerator_model": f"{family} SXM",
                    "accelerators": n, "runs": 3, "reference_minutes": SIZES[0][1] * share * factor,
                    # The rounds differ in shape, not by a factor alone.
                    "minutes": minutes * share * factor * (1.1 if n > 8 and name == "v9.0" else 1),
                    "span": "v9.0 to v10.0",
                }  # fmt: skip


def scaling_rows(system, view):
    speedup = system["reference_minutes"] / system["minutes"]
    return {
        **system, "view": view, "series": f"{view}/{system['submitter']}",
        "series_name": f"{system['submitter']} {system['accelerator_model']}",
        "reference_submitter": system["submitter"], "reference_system": "the smallest",
        "reference_accelerator": system["accelerator"], "reference_accelerators": 8,
        "speedup": speedup,
        "efficiency": speedup * 8 / system["accelerators"], "speedup_per_accelerator": 1e-5,
        "speedup_low": speedup * 0.9, "speedup_high": speedup * 1.1, "same_accelerator": True,
    }  # fmt: skip


def frames():
    """Give every table that the page reads, sorted as on disk, the rounds one after the other."""
    rows = {source.name: [] for source in report.SOURCES}
    for name in ROUNDS:
        for system in systems(name):
            rows["scores"].append(system)
            if system["division"] == "closed":
                rows["scaling"].append(scaling_rows(system, "paper"))
                rows["history"].append({**system, "basis": "overall", "accelerator_hours": 1.0})
                rows["scaling"].append(scaling_rows(system, "pooled"))
            rows["scaling"].append(scaling_rows(system, "series"))
            where = "/".join((system["submitter"], "results", system["system"]))
            rows["runs"] += [
                {
                    **system, "path": f"{where}/{system['benchmark']}/result_{i}.txt",
                    "blob": str(i) * 40, "start_line": 10 + i, "stop_line": 900 + i,
                    "minutes": system["minutes"] * (0.9 + i / 10), "status": "success",
                    "counted": True, "averaged": i == 1, "start_ms": 1543785258927.18,
                }
                for i in range(3)
            ]  # fmt: skip
        for submitter in ("Alpha", HOSTILE, FORMULA):
            about = {
                "round": name, "benchmark": "bert", "model": "BERT", "view": "series",
                "series": f"series/{submitter}", "series_name": f"{submitter} SXM",
            }  # fmt: skip
            rows["breakeven"].append(
                {**about, "method": "knee", "status": "found", "accelerators": 64, "low": 8,
                 "high": 512, "probability": 0.8, "reason": f"for {submitter}"}
            )  # fmt: skip
            rows["conclusions"].append({**about, "sentence": f"BERT of {submitter}: knee at 64"})
    rows["problems"] = [
        {"round": "v9.0", "path": f"{HOSTILE}/result_0.txt", "kind": "file absent",
         "detail": ENDING, "action": "listed only"},
        {"round": "v10.0", "path": "a", "line": 3, "kind": "broken line", "detail": "",
         "action": "line ignored"},
    ]  # fmt: skip
    rows["reconciliation"] = [
        {"round": "v9.0", "submitter": HOSTILE, "system": "8 x H200", "benchmark": "bert",
         "minutes": 1.0, "path": "a b/c#d.txt", "reason": ENDING}
    ]  # fmt: skip
    keys = {
        "history": ["workload", "basis", "accelerator_family", "accelerators", "round"],
        "runs": ["path"],
    }
    made = {}
    for source in report.SOURCES:
        whole = filled(source.schema, rows[source.name])
        parts = [whole] if not source.each_round else [whole[whole["round"] == r] for r in ROUNDS]
        sort = keys.get(source.name, [])
        made[source.name] = pd.concat([tables.typed(p, source.schema, sort) for p in parts])
    return made


def page(given=None):
    """Write the page of these tables."""
    digests = {"v9.0/scaling.parquet": "ab" * 32}
    return report.page(given or frames(), {name: pin(name) for name in ROUNDS}, SETTINGS, digests)


def csv(name, frame, folder):
    """Return the lines of a table's CSV as the project writes it."""
    schema = {source.name: source.schema for source in report.SOURCES}[name]
    tables.write_csv(frame, schema, [], folder / f"{name}.csv")
    return (folder / f"{name}.csv").read_text(encoding="utf-8").split("\n")
