"""Everything odd about a round's inputs, and what was done about it, in one table."""

from __future__ import annotations

from typing import Any

import pandas as pd

from breakeven import tables
from breakeven.facts import Facts
from breakeven.schemas import NOT_HAD, PROBLEMS, PROBLEMS_KEYS


def build(
    facts: Facts, runs: pd.DataFrame, scores: pd.DataFrame, systems: pd.DataFrame, round_name: str
) -> pd.DataFrame:
    """Collect the problems of one round: those of reading, and those of comparing.

    Args:
        facts: the round's facts tables.
        runs: the round's runs table.
        scores: the round's scores table.
        systems: systems as described by :func:`breakeven.names.describe_systems`.
        round_name: such as ``v4.1``.

    Returns:
        One row a problem in the PROBLEMS schema. What many logs of one folder share is one row.
    """
    rows = tables.records(facts["problems"])
    rows += _logs_without_benchmark(facts["files"])
    rows += _runs_that_do_not_count(runs)
    rows += _logs_against_descriptions(facts, runs, systems)
    rows += _scores(scores, runs)
    frame = pd.DataFrame(rows, columns=[name for name in PROBLEMS.names if name != "round"])
    return tables.typed(frame.assign(round=round_name), PROBLEMS, PROBLEMS_KEYS)


def _row(path: str, line: int | None, kind: str, detail: str, action: str) -> dict[str, Any]:
    return {"path": path, "line": line, "kind": kind, "detail": detail, "action": action}


def _logs_without_benchmark(files: pd.DataFrame) -> list[dict[str, Any]]:
    lost = files[files["kind"].eq("run") & files["benchmark"].isna()]
    detail = "neither its path nor a submission_benchmark line names one"
    return [_row(path, None, "no benchmark", detail, "not ranked") for path in lost["path"]]


def _runs_that_do_not_count(runs: pd.DataFrame) -> list[dict[str, Any]]:
    odd = runs[~runs["counted"] & ~runs["status"].isin(NOT_HAD)]
    return [
        _row(row["path"], row["stop_line"], "run does not count", row["reason"], "no time taken")
        for row in tables.records(odd)
    ] + [
        _row(row["path"], None, "run repeated", f"as {row['duplicate_of']}", "marked")
        for row in tables.records(runs[runs["duplicate_of"].notna()])
    ]


def _logs_against_descriptions(
    facts: Facts, runs: pd.DataFrame, systems: pd.DataFrame
) -> list[dict[str, Any]]:
    """Compare the submitter and division that logs name with those of the description."""
    events = facts["events"]
    named = events[events["key"].isin(["submission_org", "submission_division"])]
    joined = named.merge(runs[["path", "submitter", "system", "benchmark"]], on="path")
    known = systems[["submitter", "system", "division", "submitter_name"]]
    joined = joined.merge(known, on=["submitter", "system"], suffixes=("_log", ""))
    rows = []
    where = ["submitter", "system", "benchmark", "key", "text"]
    joined = joined.sort_values([*where, "path"])
    numbers = joined.groupby(where).size().to_dict()
    for first in tables.records(joined.drop_duplicates(where)):
        said = str(first["text"])
        if first["key"] == "submission_division":
            expected = {str(first["division"])}
        else:
            expected = {str(first["submitter"]), str(first["submitter_name"])}
        if said.lower() in {name.lower() for name in expected}:
            continue
        rows.append(
            _row(
                first["path"],
                first["line"],
                f"log has another {first['key'].removeprefix('submission_')}",
                f"{said!r} in {numbers[tuple(first[name] for name in where)]} logs of its folder",
                "the description counts",
            )
        )
    return rows


def _scores(scores: pd.DataFrame, runs: pd.DataFrame) -> list[dict[str, Any]]:
    firsts = runs.groupby(["submitter", "system", "benchmark"])["path"].min()
    rows = []
    for score in tables.records(scores):
        path = firsts[(score["submitter"], score["system"], score["benchmark"])]
        if score["division"] is None:
            rows.append(_row(path, None, "no description", score["system"], "scored, not ranked"))
        if score["correction"]:
            rows.append(
                _row(path, None, "description corrected", score["correction"], "counts corrected")
            )
        if score["runs"] + score["runs_absent"] != score["runs_asked"]:
            listed = score["runs"] + score["runs_absent"]
            detail = f"{listed} listed, {score['runs_asked']} asked for"
            rows.append(_row(path, None, "number of runs", detail, "scored as they are"))
    return rows
