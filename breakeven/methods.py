"""Break-even methods: each a small function from the points of one series to one answer.

A method returns a :class:`Result` and never extrapolates past what was measured; where it cannot
answer honestly it refuses, with a reason. All are registered by name in METHODS. Definitions, with
N accelerators, T minutes, ``rho = N/N0``, speedup S, efficiency E and step exponent b:

===================  ==============================================================================
knee                 where b falls below one half; the point is argmax S*E, the same N as the
                     largest E/T (Eager, Zahorjan and Lazowska 1989)
efficiency_floor     the largest N up to which E stays at or above a floor
marginal             the last N before a step whose marginal efficiency is below a threshold
price_of_hour        accelerator-hours paid for each hour saved, step by step; no threshold
cost_and_value       the N of the smallest (p*N + w)*T, with a user's own price p and value w
amdahl, usl          the knee of a fitted law, inside the measured range
pareto               the points that no other beats in both T and N*T; it names no winner
paper                argmax S*E over all closed systems (arXiv 2509.03263)
===================  ==============================================================================
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from breakeven import laws, outcomes, tables, uncertainty
from breakeven.config import BreakevenSettings, UncertaintySettings
from breakeven.pareto import front
from breakeven.scaling import NO_POINTS
from breakeven.schemas import BREAKEVEN, BREAKEVEN_KEYS, PROBABILITIES, PROBABILITIES_KEYS


@dataclasses.dataclass(frozen=True)
class Result:
    """A method's answer for one series; counts are accelerators."""

    status: str
    accelerators: int | None = None
    low: int | None = None
    high: int | None = None
    reason: str = ""
    threshold: float | None = None
    probability: float | None = None


Method = Callable[[pd.DataFrame, BreakevenSettings], Result]


def knee(points: pd.DataFrame, settings: BreakevenSettings) -> Result:
    """Find where a step's exponent falls below one half; see the module's table."""
    counts = [int(n) for n in points["accelerators"]]
    if len(counts) < 3:
        return Result("refused", reason=f"{_counted(counts)}; a knee needs three")
    exponents = [float(b) for b in points["exponent"].iloc[1:]]
    pays = [b >= 0.5 for b in exponents]
    shown = ", ".join(f"{b:.2f}" for b in exponents)
    if all(pays):
        return Result(
            "beyond", low=counts[-1], reason=f"every step's exponent is 0.5 or more ({shown})"
        )
    if not any(pays):
        return Result(
            "below", high=counts[0], reason=f"every step's exponent is below 0.5 ({shown})"
        )
    crossings = [i for i in range(1, len(pays)) if pays[i] != pays[i - 1]]
    if len(crossings) > 1 or not pays[0]:
        return Result(
            "ambiguous",
            low=counts[0],
            high=counts[-1],
            reason=f"the steps' exponents cross 0.5 more than once or upwards ({shown})",
        )
    middle = crossings[0]
    best = int(np.argmax((points["speedup"] * points["efficiency"]).to_numpy()))
    return Result(
        "found",
        accelerators=counts[best],
        low=counts[middle - 1],
        high=counts[middle + 1],
        reason=f"exponent {exponents[middle - 1]:.2f} up to {counts[middle]}, "
        f"then {exponents[middle]:.2f}",
    )


def efficiency_floor(points: pd.DataFrame, settings: BreakevenSettings) -> Result:
    """Find the largest N up to which efficiency stays at or above the floor."""
    floor = settings.efficiency_floor
    return _last_before(points, points["efficiency"], floor, "efficiency")


def marginal(points: pd.DataFrame, settings: BreakevenSettings) -> Result:
    """Find the last N before the first step whose marginal efficiency is below the threshold."""
    threshold = settings.marginal_efficiency
    return _last_before(points, points["marginal_efficiency"], threshold, "marginal efficiency")


def _last_before(points: pd.DataFrame, values: pd.Series, threshold: float, what: str) -> Result:
    """Find the last point before ``values`` first falls below ``threshold``."""
    counts = [int(n) for n in points["accelerators"]]
    if len(counts) < 2:
        return Result("refused", reason=f"{_counted(counts)}; two are needed", threshold=threshold)
    numbers = [float(value) for value in values]
    failing = next((i for i in range(1, len(numbers)) if numbers[i] < threshold), None)
    if failing is None:
        return Result(
            "beyond",
            low=counts[-1],
            reason=f"{what} is still {numbers[-1]:.2f} at {counts[-1]}",
            threshold=threshold,
        )
    return Result(
        "found",
        accelerators=counts[failing - 1],
        low=counts[failing - 1],
        high=counts[failing],
        reason=f"{what} is {numbers[failing]:.2f} at {counts[failing]}",
        threshold=threshold,
    )


def price_of_hour(points: pd.DataFrame, settings: BreakevenSettings) -> Result:
    """Say what each further hour saved costs in accelerator-hours, step by step."""
    rows = tables.records(points)
    if len(rows) < 2:
        counts = [row["accelerators"] for row in rows]
        return Result("refused", reason=f"{_counted(counts)}; two are needed")
    steps = []
    for before, after in itertools.pairwise(rows):
        price = after["price_of_hour"]
        shown = "slower" if price is None else f"{price:,.1f}"
        steps.append(f"{before['accelerators']:,} to {after['accelerators']:,}: {shown}")
    return Result(
        "prices",
        low=rows[0]["accelerators"],
        high=rows[-1]["accelerators"],
        reason="accelerator-hours for each hour saved, " + "; ".join(steps),
    )


def cost_and_value(points: pd.DataFrame, settings: BreakevenSettings) -> Result:
    """Find the measured N of the least cost: accelerators' price plus the value of time."""
    prices = settings.prices
    if prices is None:
        return Result("off", reason="no prices given: set breakeven.prices in config/config.yaml")
    counts = [int(n) for n in points["accelerators"]]
    hours = points["minutes"].to_numpy(dtype=float) / 60
    costs = (prices.accelerator_hour * np.array(counts) + prices.hour) * hours
    best = int(np.argmin(costs))
    reason = (
        f"{costs[best]:,.2f} {prices.currency} at {counts[best]:,} "
        f"({prices.accelerator_hour:g} an accelerator-hour, {prices.hour:g} an hour, "
        f"{prices.dated.isoformat()})"
    )
    if len(counts) < 2:
        return Result("refused", reason=f"{_counted(counts)}; two are needed")
    if best == len(counts) - 1:
        return Result("beyond", low=counts[best], reason=reason)
    if best == 0:
        return Result("below", high=counts[0], reason=reason)
    return Result("found", counts[best], counts[best - 1], counts[best + 1], reason)


def amdahl(points: pd.DataFrame, settings: BreakevenSettings) -> Result:
    """Find the knee of Amdahl's law fitted to the series."""
    return _law_knee(points, "Amdahl's law", 4, coherency=False)


def usl(points: pd.DataFrame, settings: BreakevenSettings) -> Result:
    """Find the knee of the Universal Scalability Law fitted to the series."""
    return _law_knee(points, "the USL", 6, coherency=True)


def _law_knee(points: pd.DataFrame, name: str, fewest: int, coherency: bool) -> Result:
    counts = [int(n) for n in points["accelerators"]]
    if len(counts) < fewest:
        return Result("refused", reason=f"{_counted(counts)}; {name} needs {fewest}")
    law = laws.fit(
        np.array(counts, dtype=float), points["minutes"].to_numpy(dtype=float), coherency
    )
    fitted = f"contention {law.contention:.3g}"
    fitted += f", coherency {law.coherency:.3g}" if coherency else ""
    if law.at_bound:
        return Result("refused", reason=f"a parameter of {name} is at its bound ({fitted})")
    where = law.knee()
    if not counts[0] <= where <= counts[-1]:
        return Result(
            "refused", reason=f"the knee of {name} at {where:,.0f} is outside the data ({fitted})"
        )
    return Result(
        "found",
        accelerators=round(where),
        low=max(n for n in counts if n <= where),
        high=min(n for n in counts if n >= where),
        reason=f"knee of {name}: {fitted}",
    )


def pareto(points: pd.DataFrame, settings: BreakevenSettings) -> Result:
    """List the points that no other beats in both minutes and accelerator-minutes."""
    counts = [int(n) for n in points.loc[front(points), "accelerators"]]
    return Result(
        "front",
        low=min(counts),
        high=max(counts),
        reason="on the front: " + ", ".join(str(n) for n in sorted(set(counts))),
    )


def paper(points: pd.DataFrame, settings: BreakevenSettings) -> Result:
    """Find argmax S*E over all closed systems, flagged where it compares accelerator models."""
    if len(points) < 2:
        return Result("refused", reason="only one closed system; two are needed")
    best = tables.records(points)[
        int(np.argmax((points["speedup"] * points["efficiency"]).to_numpy()))
    ]
    reference = (
        f"{best['reference_submitter']} {best['reference_system']} "
        f"({best['reference_accelerators']} x {best['reference_accelerator']})"
    )
    reason = f"{best['submitter']} {best['system']}, against {reference}"
    if not best["same_accelerator"]:
        reason += "; another accelerator than the reference's: this compares chips, not scaling"
    return Result("found", accelerators=int(best["accelerators"]), reason=reason)


def _counted(counts: list[int]) -> str:
    return f"only {len(counts)} accelerator count{'s' if len(counts) != 1 else ''} measured"


@dataclasses.dataclass(frozen=True)
class Registered:
    """A method, the views whose points it reads, and whether replicates can go through it.

    ``law``: whether the law that the method fits has a coherency term; None where it fits none.
    """

    method: Method
    views: tuple[str, ...] = ("series",)
    replicated: bool = True
    law: bool | None = None


METHODS: dict[str, Registered] = {
    "paper": Registered(paper, views=("paper",)),
    "knee": Registered(knee),
    "efficiency_floor": Registered(efficiency_floor),
    "marginal": Registered(marginal),
    "price_of_hour": Registered(price_of_hour, replicated=False),
    "cost_and_value": Registered(cost_and_value),
    "amdahl": Registered(amdahl, replicated=False, law=False),
    "usl": Registered(usl, replicated=False, law=True),
    "pareto": Registered(pareto, views=("series", "pooled"), replicated=False),
}


def build(
    scaling: pd.DataFrame,
    scores: pd.DataFrame,
    runs: pd.DataFrame,
    settings: BreakevenSettings,
    noise: UncertaintySettings,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make the break-even table of one round, and the probabilities behind it.

    Args:
        scaling: the round's scaling table.
        scores: the round's scores table; its benchmarks are those that get an answer.
        runs: the round's runs table, for the replicates.
        settings: which methods run, and their thresholds.
        noise: the bootstrap's settings.

    Returns:
        One row a (view, series, method) in the BREAKEVEN schema, methods in their settings'
        order; a benchmark without any series gets one refused row a method that says so. And one
        row an outcome of the replicates, in the PROBABILITIES schema.
    """
    drawn, refused, _ = uncertainty.score_replicates(scores, runs, noise)
    groups = {
        key: group.sort_values(["accelerators", "minutes"])
        for key, group in scaling.groupby(["benchmark", "view"], sort=True)
    }
    named = scores.drop_duplicates("benchmark").set_index("benchmark")[["round", "model"]]
    rows: list[dict[str, Any]] = []
    chances: list[dict[str, Any]] = []
    for benchmark, about in named.sort_index().iterrows():
        for name, view in [(m, v) for m in settings.methods for v in METHODS[m].views]:
            registered = METHODS[name]
            shared = {
                "round": about["round"],
                "view": view,
                "benchmark": benchmark,
                "model": about["model"],
                "method": name,
                "probability_reason": "",
            }
            points = groups.get((benchmark, view))
            if points is None:
                if view == "pooled":
                    continue
                result = Result("refused", reason=NO_POINTS[view])
                rows.append({**shared, "series": None, "series_name": None, **vars(result)})
                continue
            for (series, shown), part in points.groupby(["series", "series_name"], sort=True):
                row = {**shared, "series": series, "series_name": shown}
                result = registered.method(part, settings)
                row.update(vars(result))
                found = (
                    outcomes.chances(name, part, drawn, settings) if registered.replicated else None
                )
                if name == "marginal":
                    row.update(vars(undecided(result, part, drawn, settings, noise)))
                if result.status in ("refused", "off"):
                    row["probability_reason"] = "no answer"
                elif registered.law is not None:
                    row["reason"] = (
                        f"{result.reason}{law_interval(part, drawn, registered.law, noise)}"
                    )
                    row["probability_reason"] = "a law's interval is in its reason"
                elif not registered.replicated:
                    row["probability_reason"] = "not estimated for this method"
                elif found is None:
                    row["probability_reason"] = _why_not(part, refused)
                else:
                    key = (result.status, result.accelerators)
                    row["probability"] = found.get(key, 0.0)
                    if row["status"] == "undecided":
                        row["probability"] = None
                        row["probability_reason"] = "undecided"
                    for (status, accelerators), chance in found.items():
                        chances.append(
                            {
                                **row,
                                "status": status,
                                "accelerators": accelerators,
                                "probability": chance,
                            }
                        )
                rows.append(row)
    # Within a series, methods stay in the order of the settings: the sort is stable.
    answers = tables.typed(pd.DataFrame(rows, columns=BREAKEVEN.names), BREAKEVEN, BREAKEVEN_KEYS)
    behind = pd.DataFrame(chances, columns=PROBABILITIES.names)
    return answers, tables.typed(behind, PROBABILITIES, PROBABILITIES_KEYS)


def undecided(
    result: Result,
    points: pd.DataFrame,
    drawn: Mapping[uncertainty.Key, uncertainty.Floats],
    settings: BreakevenSettings,
    noise: UncertaintySettings,
) -> Result:
    """Turn a marginal answer into "undecided" where a step's interval straddles the threshold.

    Only the steps up to the answer matter: those before it must pass, and the one after it fail.
    """
    minutes = uncertainty.series_replicates(points, drawn)
    if result.status not in ("found", "beyond") or minutes is None or not len(minutes):
        return result
    counts = points["accelerators"].to_numpy(dtype=float)
    ends = outcomes.marginal_intervals(counts, minutes, noise.level)
    threshold = settings.marginal_efficiency
    for position, (low, high) in enumerate(ends.T, start=1):
        before, after = int(counts[position - 1]), int(counts[position])
        if low < threshold <= high:
            reason = (
                f"marginal efficiency at {after} is {low:.2f} to {high:.2f}: it may pass or fail"
            )
            return Result("undecided", None, before, after, reason, threshold)
        if after == result.high:
            break
    return result


# Refits of a law: enough for the ends of an interval to a digit or two.
REFITS = 60


def law_interval(
    points: pd.DataFrame,
    drawn: Mapping[uncertainty.Key, uncertainty.Floats],
    coherency: bool,
    noise: UncertaintySettings,
) -> str:
    """Say between which N the knees of refits to replicates lie, where there are replicates."""
    minutes = uncertainty.series_replicates(points, drawn)
    if minutes is None or not len(minutes):
        return ""
    counts = points["accelerators"].to_numpy(dtype=float)
    knees = [laws.fit(counts, replicate, coherency).knee() for replicate in minutes[:REFITS]]
    tail = 100 * (1 - noise.level) / 2
    low, high = np.percentile(knees, [tail, 100 - tail])
    return f"; {100 * noise.level:.0f} % of refits between {low:.2g} and {high:.2g}"


def _why_not(points: pd.DataFrame, refused: Mapping[uncertainty.Key, str]) -> str:
    for point in tables.records(points):
        key = (point["round"], point["submitter"], point["system"], point["benchmark"])
        if key in refused:
            return f"{refused[key]} (at {point['accelerators']:,})"
    return "no replicates"
