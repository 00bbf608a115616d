"""Which measured systems meet a time or a budget, which is cheapest, and what lies between them."""

from __future__ import annotations

import dataclasses
import difflib
import itertools
import re
from collections.abc import Iterable

import numpy as np
import pandas as pd

from breakeven import tables
from breakeven.errors import BreakevenError
from breakeven.scaling import comparable
from breakeven.summary import text_table

UNITS = {
    **dict.fromkeys(("s", "sec", "second", "seconds"), 1 / 60),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 1.0),
    **dict.fromkeys(("h", "hour", "hours"), 60.0),
}


NAMES = {"within": "time", "budget": "budget"}


@dataclasses.dataclass(frozen=True)
class Wish:
    """What is asked for: at most so many minutes, at most so many accelerator-hours, or both."""

    minutes: float | None = None
    accelerator_hours: float | None = None


def minutes_of(text: str) -> float:
    """Read a time such as ``10min``, ``1.5h`` or ``90s`` as minutes."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*", text.lower())
    if match is None or match[2] not in UNITS or not float(match[1]):
        raise BreakevenError(f"--within {text!r}: not a time; write for example 10min, 1.5h or 90s")
    return float(match[1]) * UNITS[match[2]]


def budget_of(text: str) -> float:
    """Read a budget such as ``20 accelerator-hours`` (or just ``20``)."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(accelerator[ -]hours?)?\s*", text.lower())
    if match is None or not float(match[1]):
        raise BreakevenError(
            f"--budget {text!r}: not a budget; write for example '20 accelerator-hours'"
        )
    return float(match[1])


def choose(wanted: str, known: Iterable[str], what: str) -> str:
    """Return the known name that is meant, whatever its case.

    Raises:
        BreakevenError: there is none; the message gives the nearest ones, and all where few.
    """
    names = sorted(set(known))
    lower = {name.lower(): name for name in names}
    if wanted.lower() in lower:
        return lower[wanted.lower()]
    close = [lower[name] for name in difflib.get_close_matches(wanted.lower(), lower, 3, 0.4)]
    inside = [name for name in names if wanted.lower() in name.lower() and name not in close]
    nearest = (close + inside)[:5] or names[:10]
    raise BreakevenError(f"unknown {what} {wanted!r}; nearest: {', '.join(nearest)}")


def candidates(scores: pd.DataFrame, benchmark: str, accelerator: str) -> pd.DataFrame:
    """Return the closed scores of one benchmark and accelerator family or model.

    Raises:
        BreakevenError: an unknown benchmark or accelerator, with the nearest valid names.
    """
    usable = comparable(scores)
    usable = usable[usable["division"] == "closed"]
    benchmarks = {*usable["benchmark"], *usable["workload"], *usable["model"]}
    name = choose(benchmark, benchmarks, "benchmark")
    named = (usable[["benchmark", "workload", "model"]] == name).any(axis=1)
    mine = usable[named]
    model = choose(
        accelerator, {*mine["accelerator_family"], *mine["accelerator_model"]}, "accelerator"
    )
    return mine[(mine[["accelerator_family", "accelerator_model"]] == model).any(axis=1)]


def advise(scores: pd.DataFrame, wish: Wish) -> pd.DataFrame:
    """List the measured systems that meet a wish, the cheapest first.

    Args:
        scores: rows from :func:`candidates`.
        wish: what is asked for.

    Returns:
        Columns submitter, system, category, accelerator_model, accelerators, minutes and
        accelerator_hours.
    """
    hours = scores["minutes"] * scores["accelerators"].astype(float) / 60
    table = scores.assign(accelerator_hours=hours)
    meets = pd.Series(True, index=table.index)
    if wish.minutes is not None:
        meets &= table["minutes"] <= wish.minutes
    if wish.accelerator_hours is not None:
        meets &= table["accelerator_hours"] <= wish.accelerator_hours
    columns = ["submitter", "system", "category", "accelerator_model", "accelerators"]
    ordered = table[meets].sort_values(["accelerator_hours", "minutes", "submitter", "system"])
    return ordered[[*columns, "minutes", "accelerator_hours"]].reset_index(drop=True)


def _meets(minutes: float, hours: float, wish: Wish) -> bool:
    """Say whether a time and its accelerator-hours keep both limits (to rounding)."""
    slack = 1 + 1e-9
    in_time = wish.minutes is None or minutes <= wish.minutes * slack
    return in_time and (wish.accelerator_hours is None or hours <= wish.accelerator_hours * slack)


def between(scaling: pd.DataFrame, wish: Wish) -> pd.DataFrame:
    """Interpolate where a series crosses the wish between two measured points.

    Between neighbours log T is taken as linear in log N; nothing is said outside them.

    Args:
        scaling: series rows of the scaling table, of the benchmark and accelerator asked for.
        wish: what is asked for.

    Returns:
        One row a crossing: series_name, wish, low, high (the measured neighbours), accelerators
        (interpolated, not measured), minutes and accelerator_hours there.
    """
    rows = []
    for _, part in scaling.groupby("series", sort=True):
        points = tables.records(part.sort_values("accelerators"))
        for before, after in itertools.pairwise(points):
            n = np.log([before["accelerators"], after["accelerators"]])
            t = np.log([before["minutes"], after["minutes"]])
            slope = (t[1] - t[0]) / (n[1] - n[0])
            for what, limit, extra in (
                ("within", wish.minutes, 0.0),
                (
                    "budget",
                    None if wish.accelerator_hours is None else 60 * wish.accelerator_hours,
                    1.0,
                ),
            ):
                # log(T N^extra) is linear in log N with slope + extra.
                start, end = t[0] + extra * n[0], t[1] + extra * n[1]
                if limit is None or start == end:
                    continue
                share = (np.log(limit) - start) / (end - start)
                if 0 < share < 1:
                    where = n[0] + share * (n[1] - n[0])
                    minutes = float(np.exp(t[0] + slope * (where - n[0])))
                    if not _meets(minutes, minutes * float(np.exp(where)) / 60, wish):
                        continue
                    rows.append(
                        {
                            "series_name": before["series_name"],
                            "wish": what,
                            "low": before["accelerators"],
                            "high": after["accelerators"],
                            "accelerators": float(np.exp(where)),
                            "minutes": minutes,
                            "accelerator_hours": minutes * float(np.exp(where)) / 60,
                        }
                    )
    columns = ["series_name", "wish", "low", "high", "accelerators", "minutes", "accelerator_hours"]
    return pd.DataFrame(rows, columns=columns)


def as_text(found: pd.DataFrame, of: int) -> list[str]:
    """Write the systems that meet a wish for a terminal, the cheapest first."""
    if found.empty:
        return [f"none of the {of} measured systems meets it."]
    rows = [["accelerators", "minutes", "accelerator-hours", "submitter", "system", "category"]]
    for row in tables.records(found):
        rows.append(
            [
                f"{row['accelerators']:,}",
                f"{row['minutes']:.3f}",
                f"{row['accelerator_hours']:.2f}",
                f"{row['submitter']}",
                f"{row['system']}",
                f"{row['category']}",
            ]
        )
    cheapest = tables.records(found.head(1))[0]
    return [
        *text_table(rows),
        f"{len(found)} of {of} measured systems meet it; the cheapest is {cheapest['submitter']} "
        f"{cheapest['system']}: {cheapest['accelerator_hours']:.2f} accelerator-hours.",
    ]


def between_as_text(crossings: pd.DataFrame) -> list[str]:
    """Write what lies between two measured points, marked as interpolated."""
    return [
        f"interpolated, not measured: {row['series_name']} crosses the {NAMES[row['wish']]} near "
        f"{row['accelerators']:,.0f} accelerators ({row['minutes']:.2f} minutes, "
        f"{row['accelerator_hours']:.2f} accelerator-hours), between the measured {row['low']:,} "
        f"and {row['high']:,}"
        for row in tables.records(crossings)
    ]
