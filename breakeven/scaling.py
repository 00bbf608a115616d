"""Speedup and efficiency of scaling series, in three views.

*Series view*: one submitter's systems that differ only in size (one round, benchmark, division,
accelerator and node type, at two or more accelerator counts). The reference is the smallest one.

*Pooled view*: of each accelerator model the fastest closed system of any submitter at each number
of accelerators, against the smallest. It gives a curve and a Pareto front, and no break-even point:
its points differ in more than size.

*Paper view* (arXiv 2509.03263): every closed system of a benchmark against the one with the fewest
accelerators and, among those, the longest time. Across accelerator models this compares chips as
much as scaling, so each point says whether its accelerator is the reference's.

All use speedup ``S = T0/T`` and efficiency ``E = S * N0/N``; neither is an official metric.
"""

from __future__ import annotations

import collections
import itertools
from typing import Any

import numpy as np
import pandas as pd

from breakeven import names, tables, uncertainty
from breakeven.config import UncertaintySettings
from breakeven.schemas import SCALING, SCALING_KEYS

NODE = [
    "benchmark",
    "division",
    "submitter",
    "accelerator_model",
    "accelerator_memory",
    "node_type",
]
POOL = ["benchmark", "accelerator_model", "accelerator_memory"]
UNCERTAIN = ("_low", "_high", "interval_reason", "lumpy")
PAPER_SERIES = "all-closed"
# Why a benchmark has no point in a view.
NO_POINTS = {
    "paper": "no closed system has a score",
    "series": "no submitter has scores at two accelerator counts of one kind of node",
}


def comparable(scores: pd.DataFrame, own: bool = False) -> pd.DataFrame:
    """Return the scores that a scaling point may stand on.

    Left out: no score, no accelerators (CPU-only systems), no description, and scores whose runs
    are another system's runs handed in again.

    Args:
        scores: scores tables.
        own: whether to keep such a repetition where the other system is another submitter's: it
            is no new measurement, but in its submitter's own series it is the point there is.
    """
    kept = (
        scores["minutes"].notna()
        & scores["accelerators"].fillna(0).gt(0)
        & scores["division"].notna()
    )
    original = scores["duplicate_of"].fillna("").astype(str)
    fresh = original.eq("")
    if own:
        same = [a.startswith(f"{b}/") for a, b in zip(original, scores["submitter"], strict=True)]
        fresh |= ~pd.Series(same, index=scores.index, dtype=bool)
    return scores[kept & fresh]


def build(scores: pd.DataFrame, runs: pd.DataFrame, settings: UncertaintySettings) -> pd.DataFrame:
    """Make the scaling table of one round.

    Args:
        scores: the round's scores table.
        runs: the round's runs table, for the intervals.
        settings: the bootstrap's.

    Returns:
        One row a point, all views, in the SCALING schema; empty where nothing can be compared.
    """
    usable = comparable(scores)
    rows: list[dict[str, Any]] = []
    for _, group in usable[usable["division"] == "closed"].groupby("benchmark", sort=True):
        rows += paper_view(group)
    series = [
        series_view(group)
        for _, group in comparable(scores, own=True).groupby(NODE, sort=True, dropna=False)
    ]
    rows += with_names([points for points in series if points])
    for _, group in usable[usable["division"] == "closed"].groupby(POOL, sort=True, dropna=False):
        rows += pooled_view(group)
    known = [name for name in SCALING.names if not name.endswith(UNCERTAIN)]
    table = pd.DataFrame(rows, columns=known)
    table = uncertainty.add_intervals(table, scores, runs, settings)
    # A logarithm's last bit differs between machines; what is written must not.
    table["exponent"] = tables.round_significant(table[["exponent"]].astype(float))["exponent"]
    return tables.typed(table, SCALING, SCALING_KEYS)


def paper_view(scores: pd.DataFrame) -> list[dict[str, Any]]:
    """Compare all closed systems of one benchmark with the smallest, and among those slowest."""
    ordered = scores.sort_values(
        ["accelerators", "minutes", "submitter", "system"], ascending=[True, False, True, True]
    )
    points = tables.records(ordered)
    return [
        _point(point, points[0], "paper", PAPER_SERIES, "all closed systems") for point in points
    ]


def series_view(scores: pd.DataFrame) -> list[dict[str, Any]]:
    """Follow one submitter's systems of one kind of node from the smallest up.

    Where several systems have the same number of accelerators, the fastest is the point.

    Returns:
        The points, smallest first; nothing with fewer than two accelerator counts.
    """
    points = fastest_of_each_size(scores)
    if len(points) < 2:
        return []
    first = points[0]
    parts = [first["division"], first["submitter"], with_memory(first), first["node_type"]]
    key = "/".join(names.slug(part) for part in parts)
    rows = [_point(point, first, "series", key, first["node_type"]) for point in points]
    for before, after in itertools.pairwise(rows):
        after.update(step(before, after))
    return rows


def pooled_view(scores: pd.DataFrame) -> list[dict[str, Any]]:
    """Take the fastest closed system of any submitter at each size of one accelerator model.

    Returns:
        The points, smallest first; nothing with fewer than two sizes or with a single submitter,
        whose own series says it better.
    """
    points = fastest_of_each_size(scores)
    if len(points) < 2 or len({point["submitter"] for point in points}) < 2:
        return []
    first = points[0]
    key = f"pooled/{names.slug(with_memory(first))}"
    shown = f"{with_memory(first)}, all submitters"
    return [_point(point, first, "pooled", key, shown) for point in points]


def fastest_of_each_size(scores: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the fastest system at each number of accelerators; the others' names beside it."""
    points = []
    ordered = scores.sort_values(["accelerators", "minutes", "submitter", "system"])
    rows = tables.records(ordered)
    for _, same_size in itertools.groupby(rows, key=lambda row: row["accelerators"]):
        fastest, *others = same_size
        points.append(
            {**fastest, "alternatives": "; ".join(sorted(other["system"] for other in others))}
        )
    return points


def with_names(series: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """Name each series as briefly as tells it from the others of its benchmark; return all rows.

    Memory and node type (which the rows come with as their name), an open division and a category
    other than available are said only where they are needed.
    """

    def brief(points: list[dict[str, Any]]) -> tuple[str, str]:
        first = points[0]
        kinds = [] if first["division"] == "closed" else [first["division"]]
        categories = sorted({point["category"] for point in points})
        kinds += [] if categories == ["available"] else [" and ".join(categories)]
        name = f"{first['submitter']} {first['accelerator_model']}"
        return first["benchmark"], ", ".join([name, *kinds])

    counts = collections.Counter(brief(points) for points in series)
    rows = []
    for points in series:
        _, name = brief(points)
        if counts[brief(points)] > 1:
            memory = points[0]["accelerator_memory"]
            sizes = "" if memory is None else f"{memory} GB, "
            name += f" ({sizes}{points[0]['series_name']})"
        rows += [{**point, "series_name": name} for point in points]
    return rows


def _point(
    point: dict[str, Any], reference: dict[str, Any], view: str, series: str, shown: str
) -> dict[str, Any]:
    speedup = reference["minutes"] / point["minutes"]
    return {
        **dict.fromkeys(SCALING.names),
        **{name: value for name, value in point.items() if name in SCALING.names},
        "view": view,
        "series": series,
        "series_name": shown,
        "accelerator": point["accelerator"] or "unnamed",
        "reference_submitter": reference["submitter"],
        "reference_system": reference["system"],
        "reference_accelerator": reference["accelerator"] or "unnamed",
        "reference_accelerators": reference["accelerators"],
        "reference_minutes": reference["minutes"],
        "speedup": speedup,
        "efficiency": speedup * reference["accelerators"] / point["accelerators"],
        "speedup_per_accelerator": speedup / point["accelerators"],
        **decomposition(point, reference),
        "same_accelerator": same_accelerator(point, reference),
        "alternatives": point.get("alternatives", ""),
    }


def with_memory(point: dict[str, Any]) -> str:
    """Name an accelerator with its memory, where that is known."""
    memory = point["accelerator_memory"]
    return str(point["accelerator_model"]) + ("" if memory is None else f" {memory}GB")


def same_accelerator(point: dict[str, Any], reference: dict[str, Any]) -> bool:
    """Say whether two systems have one accelerator: its model, and its memory where known."""
    memories = {point["accelerator_memory"], reference["accelerator_memory"]} - {None}
    return point["accelerator_model"] == reference["accelerator_model"] and len(memories) < 2


def decomposition(point: dict[str, Any], reference: dict[str, Any]) -> dict[str, Any]:
    """Split efficiency into what ate it: throughput, convergence and normalisation.

    With s how far training had to go, m the mean minutes before scaling, f the scaling factor and
    q = s/m the throughput from start to stop: ``E = [q N0 / (q0 N)] * [s0/s] * [f0/f]``. The
    product is exact, since ``T = m f``.

    Returns:
        ``efficiency_throughput``, ``efficiency_convergence`` and ``efficiency_normalisation``, all
        None with a ``decomposition_reason`` where s is not known of both.
    """
    s, s0 = point["converged_at"], reference["converged_at"]
    if s is None or s0 is None:
        whose = "its" if s is None else "the reference's"
        return {"decomposition_reason": f"{whose} way to convergence is not known"}
    if point["progress_unit"] != reference["progress_unit"]:
        return {"decomposition_reason": "units of convergence differ"}
    throughput = (s / point["mean_minutes"]) / (s0 / reference["mean_minutes"])
    return {
        "efficiency_throughput": throughput * reference["accelerators"] / point["accelerators"],
        "efficiency_convergence": s0 / s,
        "efficiency_normalisation": reference["scaling_factor"] / point["scaling_factor"],
        "decomposition_reason": "",
    }


def step(before: dict[str, Any], after: dict[str, Any]) -> dict[str, float | None]:
    """Describe the step between two neighbouring points of a series.

    Returns:
        ``exponent`` b, with T falling as N to the power -b (1 is perfect, 0 no faster);
        ``marginal_efficiency``, speedup gained for each multiple of the reference added;
        ``price_of_hour``, accelerator-hours paid for each hour saved, None where none is saved.
    """
    n0 = after["reference_accelerators"]
    fewer, more = before["accelerators"], after["accelerators"]
    slow, fast = before["minutes"], after["minutes"]
    return {
        "exponent": float(np.log(slow / fast) / np.log(more / fewer)),
        "marginal_efficiency": (after["speedup"] - before["speedup"]) / (more / n0 - fewer / n0),
        "price_of_hour": (more * fast - fewer * slow) / (slow - fast) if fast < slow else None,
    }


def not_in_series(scores: pd.DataFrame, scaling: pd.DataFrame) -> list[str]:
    """Name the round's benchmarks that no series can be read from, sorted."""
    have = set(scaling.loc[scaling["view"] == "series", "benchmark"])
    return sorted(set(scores["benchmark"]) - have)


def runs_of_points(points: pd.DataFrame, runs: pd.DataFrame) -> list[dict[str, Any]]:
    """List the run logs of each measured system of a scaling table.

    Returns:
        One entry a system and benchmark: benchmark, submitter, system, and of its runs the path
        with the lines of their start and stop (None where there is none) and whether they count.
    """
    keys = ["benchmark", "submitter", "system"]
    wanted = points[keys].drop_duplicates().sort_values(keys)
    groups = {key: part.sort_values("path") for key, part in runs.groupby(keys)}
    return [
        {
            **row,
            "runs": [
                [run["path"], run["start_line"], run["stop_line"], run["counted"]]
                for run in tables.records(groups[tuple(row.values())])
            ],
        }
        for row in tables.records(wanted)
    ]
