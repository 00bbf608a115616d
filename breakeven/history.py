"""All rounds together: runs handed in again, and the best result of each family over the years."""

from __future__ import annotations

import collections
from typing import Any

import pandas as pd

from breakeven import repeats, tables
from breakeven.config import round_number
from breakeven.scaling import comparable
from breakeven.schemas import HISTORY, HISTORY_KEYS, NOT_HAD, RESUBMISSIONS, RESUBMISSIONS_KEYS

# round, submitter, system, benchmark
Key = tuple[str, str, str, str]


def resubmissions(runs: pd.DataFrame, scores: pd.DataFrame) -> pd.DataFrame:
    """Find the runs that were handed in before, in an earlier round.

    A run is the same when its blob is, or when the same benchmark (under whatever name) has the
    same start and stop times to the millisecond; the blob alone misses logs that were edited.

    Args:
        runs: the runs tables of all rounds.
        scores: the scores tables of all rounds, for the workload of each benchmark.

    Returns:
        One row a repeated run with the first one, in the RESUBMISSIONS schema.
    """
    named = scores[["round", "benchmark", "workload"]].drop_duplicates()
    table = runs.merge(named, on=["round", "benchmark"], how="left")
    first: dict[repeats.Content, tuple[str, str]] = {}
    rows = []
    ordered = sorted(
        tables.records(table), key=lambda row: (round_number(row["round"]), row["path"].split("/"))
    )
    for row in ordered:
        contents = repeats.contents(row, row["workload"])
        here = (row["round"], row["path"])
        earlier = [first[content] for content in contents if content in first]
        earlier = [original for original in earlier if original[0] != row["round"]]
        if earlier:
            original_round, original_path = earlier[0]
            rows.append({**row, "original_round": original_round, "original_path": original_path})
        for content in contents:
            first.setdefault(content, earlier[0] if earlier else here)
    frame = pd.DataFrame(rows, columns=RESUBMISSIONS.names)
    return tables.typed(frame, RESUBMISSIONS, RESUBMISSIONS_KEYS)


def resubmitted_scores(runs: pd.DataFrame, again: pd.DataFrame) -> dict[Key, str]:
    """Name the scores all of whose runs were handed in before, and the earlier result.

    Returns:
        For (round, submitter, system, benchmark) the first ``round/submitter/system``.
    """
    owners = {(r["round"], r["path"]): r for r in tables.records(runs)}
    found: collections.Counter[Key] = collections.Counter(
        _key(row) for row in owners.values() if row["status"] not in NOT_HAD
    )
    repeated: dict[Key, list[dict[str, Any]]] = {}
    for row in tables.records(again):
        repeated.setdefault(_key(row), []).append(row)
    result = {}
    for key, rows in repeated.items():
        if len(rows) == found[key]:
            origin = min((row["original_round"], row["original_path"]) for row in rows)
            owner = owners[origin]
            result[key] = f"{origin[0]}/{owner['submitter']}/{owner['system']}"
    return result


def _key(row: dict[str, Any]) -> Key:
    return row["round"], row["submitter"], row["system"], row["benchmark"]


def build(scores: pd.DataFrame, runs: pd.DataFrame, again: pd.DataFrame) -> pd.DataFrame:
    """Make the history of all rounds.

    Args:
        scores: the scores tables of all rounds.
        runs: the runs tables of all rounds.
        again: the resubmissions table.

    Returns:
        One row a (workload, round, accelerator family) and basis, in the HISTORY schema: the best
        closed result of an available system. The round's span says which rounds compare. A result
        handed in again is kept and named, so that a line does not break; it is no new measurement.
    """
    usable = comparable(scores)
    usable = usable[usable["division"].eq("closed") & usable["category"].eq("available")]
    earlier = resubmitted_scores(runs, again)
    frames = []
    for basis, keys in (("overall", []), ("equal", ["accelerators"])):
        ordered = usable.sort_values(["minutes", "accelerators", "submitter", "system"])
        best = ordered.drop_duplicates(["workload", "round", "accelerator_family", *keys])
        frames.append(best.assign(basis=basis))
    table = pd.concat(frames, ignore_index=True)
    table["accelerator_hours"] = table["minutes"] * table["accelerators"].astype(float) / 60
    table["resubmission_of"] = [earlier.get(_key(row)) for row in tables.records(table)]
    table["number"] = table["round"].map(round_number)
    # Within a family by number of accelerators, then by round in the order of their numbers.
    table = table.sort_values(["number"]).sort_values(["accelerators"], kind="stable")
    equal = table["basis"].eq("equal")
    table = pd.concat([table[~equal].sort_values(["number"]), table[equal]])
    return tables.typed(table, HISTORY, HISTORY_KEYS)
