"""One row a (system, benchmark): the score, recomputed, and where the official tool differs.

The rule (MLCommons training rules): the fastest ``dropped`` and slowest ``dropped`` runs are left
out and the rest averaged; a run that did not count takes one of the slowest places, and with more
of those than places there is no score. The mean is multiplied by the ``scaling_factor`` of a
``scaling.json`` beside the logs, where there is one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from breakeven import names, tables
from breakeven.config import Benchmarks, Round, Rules
from breakeven.facts import Facts
from breakeven.schemas import NOT_HAD, RECONCILIATION, RECONCILIATION_KEYS, SCORES, SCORES_KEYS

# A row of the runs table.
Run = Mapping[str, Any]


def olympic_kept(minutes: Sequence[float], failed: int, dropped: int) -> list[int]:
    """Choose the runs that are averaged: all but the fastest and slowest.

    Args:
        minutes: times of the runs that count.
        failed: number of runs that do not count; each takes one of the slowest places.
        dropped: places to leave out at each end.

    Returns:
        Positions in ``minutes``, the fastest first; none with more failed runs than places, or
        with nothing left.
    """
    if failed > dropped:
        return []
    order = sorted(range(len(minutes)), key=lambda position: minutes[position])
    return order[dropped : len(minutes) - (dropped - failed)]


def olympic_mean(minutes: Sequence[float], failed: int, dropped: int) -> float | None:
    """Average the run times that :func:`olympic_kept` chooses; None where it chooses none."""
    kept = [minutes[position] for position in olympic_kept(minutes, failed, dropped)]
    # An exact sum: what `sum` gives in its last digit depends on the version of Python.
    return math.fsum(kept) / len(kept) if kept else None


def build(
    facts: Facts,
    runs: pd.DataFrame,
    systems: pd.DataFrame,
    benchmarks: Benchmarks,
    pinned: Round,
) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """Make the scores table of one round, and mark in the runs which were averaged.

    Args:
        facts: the round's facts tables (for the scaling factors).
        runs: the round's runs table.
        systems: systems as described by :func:`breakeven.names.describe_systems`.
        benchmarks: rules of each benchmark.
        pinned: the round's pin, for what is known to be wrong in its descriptions.

    Returns:
        One row a (submitter, system, benchmark) that upstream lists runs of, in the SCORES schema;
        the runs table with its column ``averaged``; and warnings, one a benchmark that no
        configuration names.
    """
    described = {(row["submitter"], row["system"]): row for row in tables.records(systems)}
    factors = _scaling_factors(facts["files"])
    owners: dict[str, tuple[str, str]] = {}
    groups: dict[tuple[str, ...], list[Run]] = {}
    for run in tables.records(runs):
        owners[run["path"]] = (run["submitter"], run["system"])
        where = ("round", "submitter", "system", "benchmark")
        groups.setdefault(tuple(run[name] for name in where), []).append(run)
    rows, warnings = [], []
    for (round_name, submitter, system, folder), group in sorted(groups.items()):
        rules = benchmarks.rules(round_name, folder)
        if not rules.known:
            warnings.append(
                f"{round_name}: benchmark {folder!r} has no entry in config/benchmarks.yaml; "
                f"scored by the default ({rules.runs} runs, {rules.dropped} dropped at each end). "
                "Add an entry with its name, unit, runs, folders and spans"
            )
        rows.append(
            {
                "round": round_name,
                "submitter": submitter,
                "system": system,
                "benchmark": folder,
                "workload": rules.workload,
                "model": rules.name,
                "span": rules.span,
                **corrected(described, pinned, submitter, system, folder),
                "runs_asked": rules.runs,
                "runs_dropped": rules.dropped,
                **score(group, rules, factors.get((submitter, system, folder), 1.0)),
                "duplicate_of": duplicate_of(group, owners),
            }
        )
    table = tables.typed(pd.DataFrame(rows, columns=SCORES.names), SCORES, SCORES_KEYS)
    averaged = {path for row in rows for path in row["averaged"]}
    marked = runs.assign(averaged=runs["path"].isin(averaged))
    return table, marked, sorted(set(warnings))


def score(runs: Sequence[Run], rules: Rules, factor: float | None) -> dict[str, Any]:
    """Score the runs of one (system, benchmark).

    Args:
        runs: rows of the runs table.
        rules: how many runs are dropped, and of how many.
        factor: the scaling factor; None where a ``scaling.json`` could not be read.

    Returns:
        The score's columns: counts, mean, factor, minutes, what the official tool gives, and the
        reason where there is no score.
    """
    found = [run for run in runs if run["status"] not in NOT_HAD]
    paths = {run["path"] for run in found}
    counted = [run for run in found if run["counted"]]
    failed = len(found) - len(counted)
    scored, misses = counted, failed
    if rules.first_converged is not None:
        scored = first_in_order(counted, rules.first_converged)
        misses = max(0, rules.first_converged - len(scored)) if found else 0
    accepted = [run for run in scored if run["official_reason"] == ""]
    refused = misses + len(scored) - len(accepted)
    minutes = [run["minutes"] for run in scored]
    mean = olympic_mean(minutes, misses, rules.dropped)
    official = olympic_mean([run["minutes"] for run in accepted], refused, rules.dropped)
    averaged = [scored[position] for position in olympic_kept(minutes, misses, rules.dropped)]
    batches = _said(found, "global_batch_size")
    if not found:
        reason = "absent: no log could be had"
    elif misses > rules.dropped:
        reason = f"{misses} runs did not count; at most {rules.dropped} may"
    elif mean is None:
        reason = f"only {len(found)} runs; none is left after dropping {rules.dropped} at each end"
    elif factor is None:
        reason = "its scaling.json could not be read"
    else:
        reason = ""
    converged = _said(averaged, "converged_at")
    return {
        "runs": len(found),
        "runs_failed": failed,
        "runs_absent": len(runs) - len(found),
        "runs_repeated": sum(run["duplicate_of"] in paths for run in found),
        "mean_minutes": mean,
        "scaling_factor": factor,
        "minutes": None if mean is None or factor is None else mean * factor,
        "official_minutes": None if official is None or factor is None else official * factor,
        "reason": reason,
        "converged_at": (
            math.fsum(converged) / len(converged) if 0 < len(converged) == len(averaged) else None
        ),
        "progress_unit": next(iter(_said(found, "progress_unit")), None),
        "global_batch_size": batches[0] if len(set(batches)) == 1 else None,
        "averaged": [run["path"] for run in averaged],
    }


def _said(runs: Sequence[Run], name: str) -> list[Any]:
    """Return what the runs that say something say of a column."""
    return [run[name] for run in runs if run[name] is not None]


def first_in_order(runs: Sequence[Run], number: int) -> list[Run]:
    """Return the first runs by the numbers in their file names (2 before 10)."""

    def numbers(run: Run) -> list[int]:
        return [int(digits) for digits in re.findall(r"\d+", run["path"].rsplit("/", 1)[1])]

    return sorted(runs, key=numbers)[:number]


def duplicate_of(runs: Sequence[Run], owners: Mapping[str, tuple[str, str]]) -> str | None:
    """Name the ``submitter/system`` whose runs these repeat, where all that were found do.

    Args:
        runs: the runs of one (system, benchmark).
        owners: (submitter, system) of each run's path.
    """
    found = [run for run in runs if run["status"] not in NOT_HAD]
    originals = _said(found, "duplicate_of")
    if not found or len(originals) < len(found):
        return None
    own = {(run["submitter"], run["system"]) for run in found}
    others = sorted({owners[path] for path in originals} - own)
    return "/".join(others[0]) if others else None


def corrected(
    described: Mapping[tuple[str, str], dict[str, Any]],
    pinned: Round,
    submitter: str,
    system: str,
    benchmark: str,
) -> dict[str, Any]:
    """Return what is known of a system: its description, with the round's corrections."""
    facts = described.get((submitter, system))
    note = ""
    for known in pinned.corrections:
        if (known.submitter, known.system) != (submitter, system):
            continue
        if known.benchmark not in (None, benchmark):
            continue
        if known.description is not None:
            facts = described.get((submitter, known.description))
        if facts is not None and known.nodes is not None:
            each = known.accelerators_per_node
            each = facts["accelerators_per_node"] if each is None else each
            facts = {
                **facts,
                "nodes": known.nodes,
                "accelerators_per_node": each,
                "accelerators": known.nodes * each,
                "node_type": names.node_type(each, facts["host_processor"], facts["pod"]),
            }
        note = known.reason
    return {**_facts_of(facts), "correction": note}


def _facts_of(system: dict[str, Any] | None) -> dict[str, Any]:
    columns = (
        "division",
        "category",
        "accelerator",
        "accelerator_family",
        "accelerator_model",
        "accelerator_memory",
        "node_type",
        "nodes",
        "accelerators_per_node",
        "accelerators",
    )
    return {name: system[name] if system else None for name in columns}


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
