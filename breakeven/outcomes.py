"""The break-even rules on many replicates of a series at once.

The same rules as in :mod:`breakeven.methods`, written for arrays: minutes of shape (replicates,
points), accelerators of shape (points,), smallest first. A test holds both to the same answers.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt
import pandas as pd

from breakeven.config import BreakevenSettings
from breakeven.uncertainty import Key, series_replicates

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]

# Outcomes are a point's position, or one of these.
BEYOND, BELOW, AMBIGUOUS, REFUSED = -1, -2, -3, -4
WORDS = {BEYOND: "beyond", BELOW: "below", AMBIGUOUS: "ambiguous", REFUSED: "refused"}

Rule = Callable[[Floats, Floats, BreakevenSettings], Whole]


def speedup_times_efficiency(n: Floats, minutes: Floats) -> Floats:
    """Return S*E of every point of every replicate."""
    speedup = minutes[:, :1] / minutes
    return np.asarray(speedup * speedup * n[0] / n)


def knee(n: Floats, minutes: Floats, settings: BreakevenSettings) -> Whole:
    """Return the position of the knee in each replicate."""
    if len(n) < 3:
        return np.full(len(minutes), REFUSED)
    exponents = np.log(minutes[:, :-1] / minutes[:, 1:]) / np.log(n[1:] / n[:-1])
    pays = exponents >= 0.5
    changes = (pays[:, 1:] != pays[:, :-1]).sum(axis=1)
    result: Whole = np.argmax(speedup_times_efficiency(n, minutes), axis=1)
    result[(changes > 1) | ((changes == 1) & ~pays[:, 0])] = AMBIGUOUS
    result[pays.all(axis=1)] = BEYOND
    result[~pays.any(axis=1)] = BELOW
    return result


def efficiency_floor(n: Floats, minutes: Floats, settings: BreakevenSettings) -> Whole:
    """Return the position up to which efficiency holds the floor in each replicate."""
    efficiency = minutes[:, :1] / minutes * n[0] / n
    return _last_before(efficiency[:, 1:] < settings.efficiency_floor)


def marginal(n: Floats, minutes: Floats, settings: BreakevenSettings) -> Whole:
    """Return the position before marginal efficiency first falls below its threshold."""
    gained = np.diff(minutes[:, :1] / minutes, axis=1) / np.diff(n / n[0])
    return _last_before(gained < settings.marginal_efficiency)


def marginal_intervals(n: Floats, minutes: Floats, level: float) -> Floats:
    """Return the percentile interval of each step's marginal efficiency, shape (2, steps)."""
    gained = np.diff(minutes[:, :1] / minutes, axis=1) / np.diff(n / n[0])
    tail = 100 * (1 - level) / 2
    return np.asarray(np.percentile(gained, [tail, 100 - tail], axis=0))


def _last_before(fails: npt.NDArray[np.bool_]) -> Whole:
    if fails.shape[1] == 0:
        return np.full(len(fails), REFUSED)
    return np.where(fails.any(axis=1), np.argmax(fails, axis=1), BEYOND)


def cost_and_value(n: Floats, minutes: Floats, settings: BreakevenSettings) -> Whole:
    """Return the position of the least cost in each replicate."""
    if settings.prices is None or len(n) < 2:
        return np.full(len(minutes), REFUSED)
    costs = (settings.prices.accelerator_hour * n + settings.prices.hour) * minutes
    result = np.argmin(costs, axis=1)
    return np.where(result == len(n) - 1, BEYOND, np.where(result == 0, BELOW, result))


def paper(n: Floats, minutes: Floats, settings: BreakevenSettings) -> Whole:
    """Return the position of the largest S*E in each replicate, against the first point."""
    if len(n) < 2:
        return np.full(len(minutes), REFUSED)
    best: Whole = np.argmax(speedup_times_efficiency(n, minutes), axis=1)
    return best


RULES: dict[str, Rule] = {
    "knee": knee,
    "efficiency_floor": efficiency_floor,
    "marginal": marginal,
    "cost_and_value": cost_and_value,
    "paper": paper,
}


def chances(
    method: str,
    points: pd.DataFrame,
    drawn: Mapping[Key, Floats],
    settings: BreakevenSettings,
) -> dict[tuple[str, int | None], float] | None:
    """Return how often the replicates of a series give each answer of a method.

    Returns:
        Shares by (status, accelerators), accelerators only where found; None where some point of
        the series has no replicates. The paper's reference is the slowest of the smallest systems
        of the data, in every replicate.
    """
    if method == "paper":
        points = points.sort_values(["accelerators", "minutes"], ascending=[True, False])
    minutes = series_replicates(points, drawn)
    if minutes is None or not len(minutes):
        return None
    n = points["accelerators"].to_numpy(dtype=float)
    counted = collections.Counter(RULES[method](n, minutes, settings).tolist())
    result: dict[tuple[str, int | None], float] = collections.defaultdict(float)
    for position, number in sorted(counted.items()):
        found = position >= 0
        key = ("found", int(n[position])) if found else (WORDS[position], None)
        result[key] += number / len(minutes)
    return dict(result)
