"""How sure a number is: a stratified bootstrap of the runs at each point, through the whole rule.

Run-to-run noise is nearly all convergence, so that the runs of one system say how much its score
could have been another. Each replicate draws as many runs as there were, with replacement, at every
point and at the reference too, and goes through the official rule (failed runs, olympic mean,
scaling factor). Draws depend on the seed and on the names of what is drawn alone: not on the order
of the points, nor on the number of processes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from breakeven import tables
from breakeven.config import UncertaintySettings
from breakeven.schemas import NOT_HAD

Floats = npt.NDArray[np.float64]

# Of three runs the score is one: nothing to draw from.
FEWEST_RUNS = 4
# With this many distinct stop points or fewer, replicates pile up on a few values.
LUMPY = 2

# round, submitter, system, benchmark
Key = tuple[str, str, str, str]
WHERE = ("round", "submitter", "system", "benchmark")


def generator(seed: int, name: str) -> np.random.Generator:
    """Return a generator that depends on the seed and a name alone."""
    digest = hashlib.sha256(f"{seed}|{name}".encode()).digest()
    return np.random.Generator(np.random.PCG64(int.from_bytes(digest[:16], "big")))


def resampled_means(
    minutes: Floats, dropped: int, replicates: int, random: np.random.Generator
) -> Floats:
    """Draw olympic means of run times.

    Args:
        minutes: times of all runs, infinite for a run that does not count.
        dropped: fastest and slowest runs left out, each.
        replicates: number of draws.
        random: where the draws come from.

    Returns:
        Shape (replicates,); not a number where a draw has more failed runs than may be dropped.
    """
    drawn = random.integers(0, len(minutes), size=(replicates, len(minutes)))
    ordered = np.sort(minutes[drawn], axis=1)[:, dropped : len(minutes) - dropped]
    means: Floats = ordered.mean(axis=1)
    means[~np.isfinite(means)] = np.nan
    return means


def score_replicates(
    scores: pd.DataFrame, runs: pd.DataFrame, settings: UncertaintySettings
) -> tuple[dict[Key, Floats], dict[Key, str], dict[Key, bool]]:
    """Draw replicates of every score of a round.

    Args:
        scores: the round's scores table.
        runs: the round's runs table.
        settings: number of replicates, and the seed.

    Returns:
        Minutes, shape (replicates,), for each score that allows it; for the others the reason why
        not; and for each score whether its runs stopped at very few distinct points.
    """
    groups: dict[Key, list[dict[str, Any]]] = {}
    for row in tables.records(runs):
        if row["status"] not in NOT_HAD:
            groups.setdefault(_key(row), []).append(row)
    drawn: dict[Key, Floats] = {}
    refused: dict[Key, str] = {}
    lumpy: dict[Key, bool] = {}
    for row in tables.records(scores[scores["minutes"].notna()]):
        key = _key(row)
        mine = sorted(groups.get(key, []), key=lambda run: run["path"])
        times = np.array([run["minutes"] if run["counted"] else np.inf for run in mine])
        stops = {run["converged_at"] for run in mine if run["counted"]}
        lumpy[key] = len(stops) <= LUMPY and None not in stops
        if row["runs_asked"] < FEWEST_RUNS or len(times) - 2 * row["runs_dropped"] < 2:
            refused[key] = f"{len(times)} runs: the score is one run"
        elif row["runs_repeated"]:
            refused[key] = f"{row['runs_repeated']} of its runs are another of its runs"
        elif len(times) > row["runs_asked"] or row["runs_failed"] > row["runs_dropped"]:
            refused[key] = "its score takes a part of its runs"
        else:
            random = generator(settings.seed, "/".join(key))
            means = resampled_means(times, row["runs_dropped"], settings.replicates, random)
            drawn[key] = means * float(row["scaling_factor"])
    return drawn, refused, lumpy


def _key(row: Mapping[str, Any]) -> Key:
    return row["round"], row["submitter"], row["system"], row["benchmark"]


def interval(values: Floats, level: float) -> tuple[float, float]:
    """Return the percentile interval of replicates that are numbers."""
    tail = 100 * (1 - level) / 2
    low, high = np.nanpercentile(values, [tail, 100 - tail])
    return float(low), float(high)


INTERVALS = ("minutes", "speedup", "efficiency")


def add_intervals(
    scaling: pd.DataFrame,
    scores: pd.DataFrame,
    runs: pd.DataFrame,
    settings: UncertaintySettings,
) -> pd.DataFrame:
    """Add percentile intervals to the points of a scaling table.

    Returns:
        The same rows with ``<quantity>_low`` and ``<quantity>_high`` for minutes, speedup and
        efficiency (null where there is none), ``interval_reason`` (why there is none) and
        ``lumpy``. At the reference itself speedup and efficiency are 1 in every replicate.
    """
    drawn, refused, lumpy = score_replicates(scores, runs, settings)
    rows = []
    for point in tables.records(scaling):
        here = _key(point)
        there = (point["round"], point["reference_submitter"], point["reference_system"], here[3])
        added: dict[str, Any] = {
            f"{name}_{end}": None for name in INTERVALS for end in ("low", "high")
        }
        added["lumpy"] = lumpy.get(here, False)
        added["interval_reason"] = refused.get(here) or ""
        if here in drawn:
            added["minutes_low"], added["minutes_high"] = interval(drawn[here], settings.level)
            if there in drawn:
                speedup = drawn[there] / drawn[here]
                ratio = point["accelerators"] / point["reference_accelerators"]
                low, high = interval(speedup, settings.level)
                added["speedup_low"], added["speedup_high"] = low, high
                added["efficiency_low"], added["efficiency_high"] = low / ratio, high / ratio
            else:
                added["interval_reason"] = f"reference: {refused.get(there, 'no replicates')}"
        rows.append({**point, **added})
    added_names = [f"{name}_{end}" for name in INTERVALS for end in ("low", "high")]
    frame = pd.DataFrame(rows, columns=[*scaling.columns, *added_names, "interval_reason", "lumpy"])
    frame[added_names] = tables.round_significant(frame[added_names].astype(float), 9)
    return frame


def series_replicates(points: pd.DataFrame, drawn: Mapping[Key, Floats]) -> Floats | None:
    """Return replicates of a series' minutes, shape (replicates, points); None where one lacks.

    Replicates in which some point has no score are left out.
    """
    keys = [_key(point) for point in tables.records(points)]
    if any(key not in drawn for key in keys):
        return None
    minutes = np.column_stack([drawn[key] for key in keys])
    return minutes[np.isfinite(minutes).all(axis=1)]
