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
# What a method says when it has nothing to say; the tables have it all the same.
QUIET = ("off", "refused", "front", "prices")


def answer(row: dict[str, object]) -> str:
    """Say one break-even answer in a few characters: ``64 (8 to 1,024), 84 %``."""
    low, high, point = (
        None if row[name] is None else f"{row[name]:,}" for name in ("low", "high", "accelerators")
    )
    if row["status"] == "found":
        text = f"{point} ({low} to {high})" if low and high else f"{point}"
        chance = row["probability"]
        return text if chance is None else f"{text}, {100 * float(str(chance)):.0f} %"
    if row["status"] == "undecided":
        return f"undecided ({low} to {high})"
    return {
        "beyond": f"not reached by {low}",
        "below": f"passed at {high}",
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


def breakeven_text(breakeven: pd.DataFrame, conclusions: pd.DataFrame, scores: pd.DataFrame) -> str:
    """Write the summary of one round.

    Args:
        breakeven: the round's break-even table.
        conclusions: the round's conclusions.
        scores: the round's scores table.

    Returns:
        Text for a terminal, ending in a line feed.
    """
    round_name = str(scores["round"].iloc[0])
    rows = [list(COLUMNS.values())]
    shown_methods = breakeven[~breakeven["status"].isin(QUIET) | breakeven["series"].isna()]
    ordered = shown_methods.sort_values(["benchmark", "view", "series"], kind="stable")
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
        "In one sentence each:",
        *(f"- {text}" for text in conclusions["sentence"]),
        "",
        f"{scores['minutes'].notna().sum()} scores of {len(scores)} (system, benchmark) pairs",
    ]
    lines += [
        f"no score: {row['submitter']}/{row['system']} {row['benchmark']}: {row['reason']}"
        for row in tables.records(missing)
    ]
    lines += ["", f"Tables: results/{round_name}/*.csv and *.parquet"]
    lines += [f"Figures: results/{round_name}/figures/*/*.{{svg,png,json}}"]
    return "\n".join(lines) + "\n"


def overview_text(
    breakeven: pd.DataFrame,
    conclusions: pd.DataFrame,
    scores: pd.DataFrame,
    problems: pd.DataFrame,
    repeated: int,
) -> str:
    """Write what a run of all rounds ends with.

    Args:
        breakeven: the break-even table of the latest round.
        conclusions: the conclusions of the latest round.
        scores: the scores tables of all rounds.
        problems: the problems tables of all rounds.
        repeated: number of runs that were handed in again in a later round.

    Returns:
        Text for a terminal, ending in a line feed.
    """
    latest = str(breakeven["round"].iloc[0])
    names = list(dict.fromkeys(scores["round"]))
    rows = [["round", "systems", "benchmarks", "pairs", "scores", "problems"]]
    for name in names:
        mine = scores[scores["round"] == name]
        systems = mine[["submitter", "system"]].drop_duplicates()
        numbers = (
            len(systems),
            mine["benchmark"].nunique(),
            len(mine),
            mine["minutes"].notna().sum(),
            (problems["round"] == name).sum(),
        )
        rows.append([name, *(f"{number:,}" for number in numbers)])
    kinds = problems.groupby("kind").size().sort_values(ascending=False, kind="stable")
    shown = [["recorded problem", "number"], *([str(k), f"{n:,}"] for k, n in kinds.items())]
    lines = breakeven_text(breakeven, conclusions, scores[scores["round"] == latest]).splitlines()
    lines += ["", *text_table(rows), "", *text_table(shown), ""]
    lines += [
        f"{repeated:,} runs were handed in again in a later round (results/resubmissions.csv)",
        "Each round: results/<round>/summary.txt. All rounds: results/history.csv, "
        "results/problems.csv, results/figures/history/",
    ]
    return "\n".join(lines) + "\n"
