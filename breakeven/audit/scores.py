"""Checks of scores against other code: a recount from raw lines, and the official summarizer."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import Any

import pandas as pd

from breakeven import config, facts, official, recount, schemas
from breakeven.audit.case import Case, Check
from breakeven.errors import BreakevenError
from breakeven.tables import read, records

# Scores are compared to this share: the last digits of a sum depend on its order.
TOLERANCE = 1e-9


def _scored(
    case: Case, check: Check, rounds: Iterable[str]
) -> Iterator[tuple[str, pd.DataFrame, pd.DataFrame]]:
    """Give each round with raw files and its runs and scores, where neither is altered."""
    for name in filter(case.has_raw, rounds):
        folder = case.root / "results" / name
        paths = [f"results/{name}/{table}.parquet" for table in ("runs", "scores")]
        if any(path in case.suspects or case.hash(path) is None for path in paths):
            check.skipped.append(f"{name}: its runs or scores are altered")
            continue
        runs = read(folder / "runs.parquet", schemas.RUNS)
        yield name, runs, read(folder / "scores.parquet", schemas.SCORES)


def _logs(runs: pd.DataFrame, case: Case, name: str) -> dict[tuple[str, ...], list[str]]:
    """List the logs of each system and benchmark, of those whose files are all unaltered."""
    had = runs[~runs["status"].isin(schemas.NOT_HAD)]
    keys = ["submitter", "system", "benchmark"]
    groups = had.groupby(keys)
    listed = {tuple(map(str, key)): sorted(part["path"]) for key, part in groups}
    tampered = {
        path.removeprefix(f"data/raw/{name}/").rsplit("/", 1)[0]
        for path in case.suspects
        if path.startswith(f"data/raw/{name}/")
    }
    return {
        key: paths
        for key, paths in listed.items()
        if not any(path.rsplit("/", 1)[0] in tampered for path in paths)
    }


def check_scores(case: Case) -> Check:
    """Scores are what other, shorter code makes of the raw lines."""
    check = Check("scores are recounted from raw lines by other code")
    rules = config.load(config.Benchmarks, case.root / "config" / "benchmarks.yaml")
    for name, runs, scores in _scored(case, check, case.rounds):
        case.say(f"{name}: recounting scores")
        special = {
            benchmark
            for benchmark in set(scores["benchmark"])
            if (rule := rules.rules(name, benchmark)).first_converged is not None
            or rule.ends_at != "run_stop"
        }
        if special:
            check.skipped.append(f"{name}: {', '.join(sorted(special))}: scored by special rules")
        logs = {
            key: paths for key, paths in _logs(runs, case, name).items() if key[-1] not in special
        }
        dropped = {b: rules.rules(name, b).dropped for b in set(scores["benchmark"])}
        counted = recount.scores(case.raw(name), logs, dropped)
        for row in records(scores):
            key = (row["submitter"], row["system"], row["benchmark"])
            if key not in counted:
                continue
            check.examined += 1
            if not _same(counted[key], row["minutes"]):
                what = f"{' '.join(key)}: {row['minutes']!r}, but raw lines say {counted[key]!r}"
                case.blame(check, f"results/{name}/scores.parquet", what)
    return check


def _same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= TOLERANCE * abs(other)


def check_official(case: Case, asked: config.AuditSettings) -> Check:
    """Scores of some systems, or of all, are what MLCommons' own summarizer gives."""
    check = Check("scores agree with the official summarizer")
    early = [n for n in case.rounds if config.round_number(n) < official.FIRST_ROUND]
    for name in filter(case.has_raw, early):
        check.skipped.append(f"{name}: the official summarizer does not read it")
    for name, runs, scores in _scored(case, check, [n for n in case.rounds if n not in early]):
        case.say(f"{name}: asking the official summarizer")
        logs = _logs(runs, case, name)
        known = scores[scores["official_minutes"].notna()]
        rows = [
            row
            for row in records(known)
            if (row["submitter"], row["system"], row["benchmark"]) in logs
        ]
        if not asked.all:
            chance = random.Random(f"{asked.seed} {name}")
            rows = chance.sample(rows, min(asked.sample, len(rows)))
        files = facts.read(case.facts_folder(name))["files"]
        described = files[files["kind"].eq("description")]
        for row in rows:
            _check_official_row(case, check, name, row, logs, described)
    return check


def _check_official_row(
    case: Case,
    check: Check,
    name: str,
    row: dict[str, Any],
    logs: dict[tuple[str, ...], list[str]],
    described: pd.DataFrame,
) -> None:
    key = (row["submitter"], row["system"], row["benchmark"])
    about = described[
        described["submitter"].eq(row["submitter"]) & described["system"].eq(row["system"])
    ]
    if about.empty:
        check.skipped.append(f"{name} {' '.join(key)}: no description for the summarizer")
        return
    try:
        ruleset = case.pin(name).ruleset
        folder = logs[key][0].rsplit("/", 2)[-2]
        found = official.score(
            case.raw(name), ruleset, key[0], folder, logs[key], str(about["path"].iloc[0])
        )
    except BreakevenError as error:
        check.skipped.append(f"{name} {' '.join(key)}: {error}")
        return
    if found is None:
        # Its present checks refuse results that were accepted in their day.
        check.skipped.append(f"{name} {' '.join(key)}: the summarizer gives no score")
        return
    check.examined += 1
    if not _same(found, row["official_minutes"]):
        what = (
            f"{' '.join(key)}: {row['official_minutes']!r}, but the official summarizer {found!r}"
        )
        case.blame(check, f"results/{name}/scores.parquet", what)
