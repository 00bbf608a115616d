"""What all methods together say of a series: where they agree, and one plain sentence."""

from __future__ import annotations

from typing import Any

import pandas as pd

from breakeven import tables
from breakeven.schemas import CONCLUSIONS, CONCLUSIONS_KEYS


def build(
    scaling: pd.DataFrame, breakeven: pd.DataFrame, probabilities: pd.DataFrame
) -> pd.DataFrame:
    """Conclude each series of a round.

    Args:
        scaling: the round's scaling table.
        breakeven: the round's break-even table.
        probabilities: the outcomes of the replicates behind it.

    Returns:
        One row a series in the CONCLUSIONS schema.
    """
    rows = []
    answers = breakeven[breakeven["view"].eq("series") & breakeven["series"].notna()]
    for key, part in answers.groupby(["benchmark", "series"], sort=True):
        benchmark, series = (str(name) for name in key)
        mine = scaling["benchmark"].eq(benchmark) & scaling["series"].eq(series)
        points = tables.records(scaling[mine].sort_values("accelerators"))
        by_method = {row["method"]: row for row in tables.records(part)}
        found = {
            name: row["accelerators"] for name, row in by_method.items() if row["status"] == "found"
        }
        chosen = probabilities["benchmark"].eq(benchmark) & probabilities["series"].eq(series)
        knees = probabilities[chosen & probabilities["method"].eq("knee")]
        rows.append(
            {
                **{name: points[0][name] for name in ("round", "model")},
                "benchmark": benchmark,
                "series": series,
                "series_name": points[0]["series_name"],
                "methods_found": ", ".join(found),
                "low": min(found.values(), default=None),
                "high": max(found.values(), default=None),
                "agree": len(set(found.values())) == 1 and len(found) > 1,
                "sentence": sentence(points, by_method.get("knee"), tables.records(knees)),
            }
        )
    return tables.typed(
        pd.DataFrame(rows, columns=CONCLUSIONS.names), CONCLUSIONS, CONCLUSIONS_KEYS
    )


def sentence(
    points: list[dict[str, Any]], knee: dict[str, Any] | None, outcomes: list[dict[str, Any]]
) -> str:
    """Say in one sentence what a series says, and nothing that it does not.

    Args:
        points: rows of the scaling table, the smallest first, at least two.
        knee: the knee's row of the break-even table, if that method ran.
        outcomes: the knee's outcomes in the replicates.
    """
    first = points[0]
    node = first["series_name"].partition("(")[2].rstrip(")")
    about = f"{first['model']} on {first['accelerator_model']} ({first['submitter']}"
    about += f", {node})" if node else ")"
    return f"{about}: {_cost(points)}; {_knee(knee, points, outcomes)}"


def _cost(points: list[dict[str, Any]]) -> str:
    """Say what the last step costs."""
    before, last = points[-2], points[-1]
    price = last["price_of_hour"]
    if price is None:
        return (
            f"{last['accelerators']:,} accelerators are no faster than {before['accelerators']:,}"
        )
    if price <= 0:
        return (
            f"from {before['accelerators']:,} to {last['accelerators']:,} accelerators time is "
            "saved at no accelerator-hours more"
        )
    shown = f"{price:,.0f}" if price >= 10 else f"{price:.1f}"
    return (
        f"past {before['accelerators']:,} accelerators each further hour saved costs {shown} "
        f"accelerator-hours (measured up to {last['accelerators']:,})"
    )


def _knee(
    knee: dict[str, Any] | None, points: list[dict[str, Any]], outcomes: list[dict[str, Any]]
) -> str:
    if knee is None:
        return "the knee was not asked for"
    status, first, last = knee["status"], points[0], points[-1]
    second, second_last = points[1]["accelerators"], points[-2]["accelerators"]
    if status == "refused":
        return f"no knee can be read ({knee['reason']})"
    # Steps are averages: at an edge a smooth curve's knee may lie inside the outermost step.
    text = {
        "found": f"knee between {knee['low'] or 0:,} and {knee['high'] or 0:,}",
        "beyond": f"no knee up to {last['accelerators']:,}, still the best size by speedup times "
        f"efficiency (a smooth curve's may lie anywhere above {second_last:,})",
        "below": f"no knee above {first['accelerators']:,}, already the best size by speedup times "
        f"efficiency (a smooth curve's may lie anywhere below {second:,})",
        "ambiguous": "the knee is ambiguous",
    }[status]
    return text + _likely(knee, outcomes)


def _likely(knee: dict[str, Any], outcomes: list[dict[str, Any]]) -> str:
    """Say how sure the knee is under run-to-run noise, where that was estimated."""
    if not outcomes:
        return ""
    likely = max(outcomes, key=lambda row: (row["probability"], row["status"] == knee["status"]))
    share = min(99, round(100 * likely["probability"]))
    shown = "over 99" if likely["probability"] > 0.99 else f"{share}"
    if likely["status"] == knee["status"] != "found":
        return f" ({shown} % of replicates)"
    what = {
        "found": f"{likely['accelerators'] or 0:,}",
        "beyond": "none up to the largest size",
        "below": "none above the smallest size",
        "ambiguous": "ambiguous",
    }[likely["status"]]
    return f", most likely {what} ({shown} % of replicates)"
