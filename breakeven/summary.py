"""The summary that a run ends with: where the results are, and the break-even table."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from breakeven import tables

COLUMNS = {
    "benchmark": "benchmark",
    "series_name": "series",
    "method": "method",
    "answer": "accelerators",
    "reason": "why",
}
LONGEST_REASON = 68


def answer(row: dict[str, object]) -> str:
    """Say one break-even answer in a few characters: ``64 (8 to 1,024)``, ``over 3,472``."""
    low, high, point = (
        None if row[name] is None else f"{row[name]:,}" for name in ("low", "high", "accelerators")
    )
    if row["status"] == "found":
        return f"{point} ({low} to {high})" if low and high else f"{point}"
    return {
        "beyond": f"{low} or more",
        "below": f"{high} or fewer",
        "front": "(no winner)",
    }.get(str(row["status"]), str(row["status"]))


def text_table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lay out rows of text in columns, the first row as their heads."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in rows]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return [line.rstrip() for line in lines]


def shorten(text: str, length: int = LONGEST_REASON) -> str:
    """Cut a text at a length, saying so."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def breakeven_text(breakeven: pd.DataFrame, scores: pd.DataFrame, round_name: str) -> str:
    """Write the summary of one round.

    Args:
        breakeven: the round's break-even table.
        scores: the round's scores table.
        round_name: such as ``v4.1``.

    Returns:
        Text for a terminal, ending in a line feed.
    """
    rows = [list(COLUMNS.values())]
    ordered = breakeven.sort_values(["benchmark", "view", "series"], kind="stable")
    previous: tuple[object, object] = (None, None)
    for row in tables.records(ordered):
        about = (row["benchmark"], row["series_name"])
        shown = [str(row["model"]), str(row["series_name"] or "(none)")]
        if about == previous:
            shown = ["", ""]
        elif row["benchmark"] == previous[0]:
            shown[0] = ""
        rows.append([*shown, row["method"], answer(row), shorten(row["reason"])])
        previous = about
    missing = scores[scores["minutes"].isna()]
    lines = [
        f"Break-even points, {round_name}: where adding accelerators stops paying",
        "(unofficial metrics, derived from official results; not verified by MLCommons)",
        "",
        *text_table(rows),
        "",
        f"{scores['minutes'].notna().sum()} scores of {len(scores)} (system, benchmark) pairs",
    ]
    lines += [
        f"no score: {row['submitter']}/{row['system']} {row['benchmark']}: {row['reason']}"
        for row in tables.records(missing)
    ]
    lines += ["", f"Tables: results/{round_name}/*.csv and *.parquet"]
    lines += [f"Figures: results/{round_name}/figures/{{paper,series}}/*.{{svg,png,json}}"]
    return "\n".join(lines) + "\n"
