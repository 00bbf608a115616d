"""One row a (system, benchmark): the score, recomputed, and where the official tool differs.

The rule (MLCommons training rules): the fastest ``dropped`` and slowest ``dropped`` runs are left
out and the rest averaged; a run that did not count takes one of the slowest places, and with more
of those than places there is no score. The mean is multiplied by the ``scaling_factor`` of a
``scaling.json`` beside the logs, where there is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import pyarrow as pa

from breakeven import tables
from breakeven.config import Benchmarks
from breakeven.facts import Facts
from breakeven.tables import REAL, TEXT, WHOLE

# mean_minutes: before scaling; minutes: the score, after it; official_minutes: what MLCommons'
# own summarizer gives by its present checks. runs: logs found; runs_asked: what the rules ask for.
SCORES = pa.schema(
    [
        pa.field("round", TEXT, nullable=False),
        pa.field("submitter", TEXT, nullable=False),
        pa.field("system", TEXT, nullable=False),
        pa.field("benchmark", TEXT, nullable=False),
        pa.field("model", TEXT, nullable=False),
        pa.field("division", TEXT),
        pa.field("category", TEXT),
        pa.field("accelerator", TEXT),
        pa.field("accelerator_family", TEXT),
        pa.field("accelerator_model", TEXT),
        pa.field("node_type", TEXT),
        pa.field("nodes", WHOLE),
        pa.field("accelerators_per_node", WHOLE),
        pa.field("accelerators", WHOLE),
        pa.field("runs", WHOLE, nullable=False),
        pa.field("runs_failed", WHOLE, nullable=False),
        pa.field("runs_absent", WHOLE, nullable=False),
        pa.field("runs_asked", WHOLE, nullable=False),
        pa.field("mean_minutes", REAL),
        pa.field("scaling_factor", REAL),
        pa.field("minutes", REAL),
        pa.field("official_minutes", REAL),
        pa.field("reason", TEXT, nullable=False),
        pa.field("duplicate_of", TEXT),
    ]
)
KEYS = ("round", "benchmark", "submitter", "system")

# The known disagreements with the official summarizer, one row a run that causes one.
RECONCILIATION = pa.schema(
    [
        pa.field("round", TEXT, nullable=False),
        pa.field("submitter", TEXT, nullable=False),
        pa.field("system", TEXT, nullable=False),
        pa.field("benchmark", TEXT, nullable=False),
        pa.field("minutes", REAL),
        pa.field("official_minutes", REAL),
        pa.field("path", TEXT, nullable=False),
        pa.field("reason", TEXT, nullable=False),
    ]
)
RECONCILIATION_KEYS = ("round", "benchmark", "submitter", "system", "path")


def olympic_mean(minutes: Sequence[float], failed: int, dropped: int) -> float | None:
    """Average run times without the fastest and slowest.

    Args:
        minutes: times of the runs that count.
        failed: number of runs that do not count; each takes one of the slowest places.
        dropped: places to leave out at each end.

    Returns:
        The mean in minutes; None with more failed runs than places, or with nothing left.
    """
    if failed > dropped:
        return None
    kept = sorted(minutes)[dropped : len(minutes) - (dropped - failed)]
    return sum(kept) / len(kept) if kept else None


def build(
    facts: Facts, runs: pd.DataFrame, systems: pd.DataFrame, benchmarks: Benchmarks
) -> tuple[pd.DataFrame, list[str]]:
    """Make the scores table of one round.

    Args:
        facts: the round's facts tables (for the scaling factors).
        runs: the round's runs table.
        systems: systems as described by :func:`breakeven.names.describe_systems`.
        benchmarks: rules of each benchmark.

    Returns:
        One row a (submitter, system, benchmark) that upstream lists runs of, in the SCORES schema;
        and warnings, one a benchmark that no configuration names.
    """
    described = {(row["submitter"], row["system"]): row for row in tables.records(systems)}
    factors = _scaling_factors(facts["files"])
    rows, warnings = [], []
    for key, group in runs.groupby(["round", "submitter", "system", "benchmark"], sort=True):
        round_name, submitter, system, folder = (str(part) for part in key)
        found = benchmarks.find(round_name, folder)
        rules = found[1] if found else benchmarks.default
        if not found:
            warnings.append(
                f"{round_name}: benchmark {folder!r} has no entry in config/benchmarks.yaml; "
                f"scored by the default ({rules.runs} runs, {rules.dropped} dropped at each end). "
                "Add an entry with its name, runs, dropped and folders"
            )
        rows.append(
            {
                "round": round_name,
                "submitter": submitter,
                "system": system,
                "benchmark": folder,
                "model": found[1].name if found else folder,
                **_facts_of(described.get((submitter, system))),
                "runs_asked": rules.runs,
                **score(group, rules.dropped, factors.get((submitter, system, folder), 1.0)),
            }
        )
    table = tables.typed(pd.DataFrame(rows, columns=SCORES.names), SCORES, KEYS)
    return table, sorted(set(warnings))


def score(runs: pd.DataFrame, dropped: int, factor: float | None) -> dict[str, Any]:
    """Score the runs of one (system, benchmark).

    Args:
        runs: rows of the runs table.
        dropped: places to leave out at each end.
        factor: the scaling factor; None where a ``scaling.json`` could not be read.

    Returns:
        The score's columns: counts, mean, factor, minutes, what the official tool gives, the
        reason where there is no score, and the system it duplicates.
    """
    absent = runs["status"].isin(["absent", "refused", "unreadable"])
    found = runs[~absent]
    counted = found[found["counted"]]
    accepted = counted[counted["official_reason"] == ""]
    mean = olympic_mean(list(counted["minutes"]), len(found) - len(counted), dropped)
    official = olympic_mean(list(accepted["minutes"]), len(found) - len(accepted), dropped)
    failed = len(found) - len(counted)
    if found.empty:
        reason = "absent: no log could be had"
    elif failed > dropped:
        reason = f"{failed} runs did not count; at most {dropped} may"
    elif mean is None:
        reason = f"only {len(found)} runs; none is left after dropping {dropped} at each end"
    elif factor is None:
        reason = "its scaling.json could not be read"
    else:
        reason = ""
    return {
        "runs": len(found),
        "runs_failed": failed,
        "runs_absent": int(absent.sum()),
        "mean_minutes": mean,
        "scaling_factor": factor,
        "minutes": None if mean is None or factor is None else mean * factor,
        "official_minutes": None if official is None or factor is None else official * factor,
        "reason": reason,
        "duplicate_of": duplicate_of(found),
    }


def duplicate_of(runs: pd.DataFrame) -> str | None:
    """Name the ``submitter/system`` whose runs these repeat, where all of them do."""
    if runs.empty or runs["duplicate_of"].isna().any():
        return None
    origins = {"/".join((path.split("/")[0], path.split("/")[2])) for path in runs["duplicate_of"]}
    own = {f"{row.submitter}/{row.system}" for row in runs.itertuples()}
    others = sorted(origins - own)
    return others[0] if others else None


def _facts_of(system: dict[str, Any] | None) -> dict[str, Any]:
    names = (
        "division",
        "category",
        "accelerator",
        "accelerator_family",
        "accelerator_model",
        "node_type",
        "nodes",
        "accelerators_per_node",
        "accelerators",
    )
    return {name: system[name] if system else None for name in names}


def _scaling_factors(files: pd.DataFrame) -> dict[tuple[str, str, str], float | None]:
    scaling = files[files["kind"] == "scaling"]
    return {
        (row["submitter"], row["system"], row["benchmark"]): row["scaling_factor"]
        for row in tables.records(scaling)
    }


def reconcile(scores: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """List where the official summarizer's score differs, and the runs that are why.

    Returns:
        One row a run that the official tool drops and this project keeps, for each score that
        this changes, in the RECONCILIATION schema; empty where both always agree.
    """
    where = ["round", "submitter", "system", "benchmark"]
    dropped = runs[runs["official_reason"] != ""]
    joined = dropped.merge(scores, on=where, suffixes=("_run", ""))
    differs = joined["minutes"].ne(joined["official_minutes"]) & ~(
        joined["minutes"].isna() & joined["official_minutes"].isna()
    )
    table = joined[differs].assign(reason=joined["official_reason"])
    return tables.typed(table, RECONCILIATION, RECONCILIATION_KEYS)
