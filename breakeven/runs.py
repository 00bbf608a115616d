"""One row a run log: what it took, and whether it counts.

A run's time is ``run_stop - run_start`` of the log's own clock; it counts when its ``run_stop``
says ``success`` (MLCommons training rules). Everything else is a run that does not count, with a
reason, or a log that could not be had (``absent``).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from breakeven import convergence, repeats, tables
from breakeven.config import Benchmarks, Round
from breakeven.facts import Facts
from breakeven.schemas import RUNS, RUNS_KEYS

MS_PER_MINUTE = 60_000
SECONDS_PER_MINUTE = 60
TARGETS = ("eval_target", "quality_target")
# No run of any round took longer than a few weeks; a longer one has a broken clock.
LONGEST_MINUTES = 60 * 24 * 60.0


# Longest initialisation that the official checks allow, in minutes, by division.
LONGEST_INIT = {"closed": 30.0, "open": 240.0}


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What the start and stop lines of one log say."""

    status: str
    counted: bool
    reason: str
    start: Mapping[str, Any] | None = None
    stop: Mapping[str, Any] | None = None
    minutes: float | None = None


def outcome(
    events: Iterable[Mapping[str, Any]], ends_at: str = "run_stop", target: float | None = None
) -> Outcome:
    """Judge one run by its events.

    Lines that say exactly the same (several processes of one run writing one log) count once.

    Args:
        events: the log's events, as dictionaries.
        ends_at: the line that ends a run: ``run_stop``, or an ``eval_result``, which says itself
            how many seconds the run took (see ``config/benchmarks.yaml``).
        target: the quality that a run must have reached where its log ends without a status; the
            log's own ``eval_target`` where it has one.
    """
    events = list(events)
    starts, stops = _distinct(events, "run_start"), _distinct(events, "run_stop")
    start, stop = starts[0] if starts else None, stops[0] if stops else None
    results = _distinct(events, "eval_result")

    def unusable(reason: str) -> Outcome:
        return Outcome("unusable", False, reason, start, stop)

    if start is None:
        return unusable("no run_start line")
    if len(starts) > 1:
        lines = ", ".join(str(event["line"]) for event in starts)
        return unusable(f"several run_start lines ({lines})")
    if len(stops) > 1:
        lines = ", ".join(str(event["line"]) for event in stops)
        return unusable(f"several run_stop lines ({lines})")
    if ends_at == "eval_result":
        if not results or not results[-1]["value"]:
            return Outcome("unfinished", False, "no eval_result with a time", start, stop)
        last = results[-1]
        if not start["time_ms"] or start["time_ms"] < 0:
            return unusable(f"run_start in line {start['line']} has no usable time")
        minutes = last["value"] / SECONDS_PER_MINUTE
        if reason := _impossible(minutes):
            return unusable(reason)
        stop = {**last, "time_ms": start["time_ms"] + last["value"] * 1000}
        return Outcome("success", True, "", start, stop, minutes)
    if stop is None:
        return Outcome("unfinished", False, "no run_stop line", start, stop)
    for name, event in (("run_start", start), ("run_stop", stop)):
        if not event["time_ms"] or event["time_ms"] < 0:
            return unusable(f"{name} in line {event['line']} has no usable time")
    minutes = (stop["time_ms"] - start["time_ms"]) / MS_PER_MINUTE
    if reason := _impossible(minutes):
        return unusable(reason)
    status = (stop["status"] or "").lower() or _reached(events, target)
    if status != "success":
        reason = f"run_stop says {status!r}" if status else "run_stop gives no status"
        return Outcome(status or "unknown", False, reason, start, stop, minutes)
    return Outcome("success", True, "", start, stop, minutes)


def _impossible(minutes: float) -> str:
    """Say why no run can have taken so long; nothing where one can."""
    # Less than a millisecond is less than the logs' clock can tell.
    if minutes < 1 / MS_PER_MINUTE:
        return "run_stop is not after run_start"
    return "run_start and run_stop are over 60 days apart" if minutes > LONGEST_MINUTES else ""


def _reached(events: Sequence[Mapping[str, Any]], target: float | None) -> str:
    """Say whether a run without a status reached its target: ``success``, or nothing."""
    own = next((e["value"] for e in events if e["key"] in TARGETS and e["value"]), None)
    wanted = target if own is None else own
    scores = [e["value"] for e in events if e["key"] == "eval_accuracy" and e["value"] is not None]
    return "success" if wanted is not None and scores and scores[-1] >= wanted else ""


def _distinct(events: Iterable[Mapping[str, Any]], key: str) -> list[Mapping[str, Any]]:
    unique: dict[tuple[Any, ...], Mapping[str, Any]] = {}
    for event in events:
        if event["key"] == key:
            unique.setdefault((event["time_ms"], event["status"], event["text"]), event)
    return list(unique.values())


def build(
    facts: Facts,
    pinned: Round,
    benchmarks: Benchmarks,
    divisions: Mapping[tuple[str, str], str],
) -> pd.DataFrame:
    """Make the runs table of one round.

    Args:
        facts: the round's facts tables.
        pinned: the round's pin, for its name and targets.
        benchmarks: rules of each benchmark.
        divisions: division of each (submitter, system), for the official limit on initialisation.

    Returns:
        One row a run log that upstream lists, in the RUNS schema; minutes are null where the log
        gives no usable times.
    """
    files = facts["files"]
    # A log that names no benchmark cannot be ranked; `problems` has it.
    ranked = files["kind"].eq("run") & files["state"].ne("ignored") & files["benchmark"].notna()
    listed = files[ranked]
    events: dict[str, list[dict[str, Any]]] = {}
    for event in tables.records(facts["events"]):
        events.setdefault(event["path"], []).append(event)
    problems = facts["problems"]
    broken = problems[problems["kind"] == "broken JSON"].groupby("path")["line"].min().to_dict()
    rows = []
    for file in tables.records(listed):
        lines = events.get(file["path"], [])
        rules = benchmarks.rules(pinned.round, file["benchmark"])
        if file["state"] == "present":
            target = pinned.targets.get(file["benchmark"])
            result = outcome(lines, rules.ends_at, target)
        else:
            result = Outcome(file["state"], False, f"log {file['state']} upstream")
        init = _init_minutes(lines)
        stop_line = result.stop["line"] if result.stop else None
        converged = convergence.of_run(lines, stop_line, rules.progress)
        counts = result.counted
        row = {
            "round": pinned.round,
            **{name: file[name] for name in ("submitter", "system", "path", "blob")},
            "benchmark": rules.benchmark,
            "start_line": result.start and result.start["line"],
            "stop_line": result.stop and result.stop["line"],
            "start_ms": result.start and result.start["time_ms"],
            "stop_ms": result.stop and result.stop["time_ms"],
            "minutes": result.minutes,
            "status": result.status,
            "counted": result.counted,
            "reason": result.reason,
            "official_reason": "",
            "init_minutes": init,
            "global_batch_size": _value(lines, "global_batch_size"),
            "converged_at": converged.amount if counts else None,
            "converged_line": converged.line if counts else None,
            "progress_unit": rules.progress.unit if rules.progress else None,
            "evaluations": converged.evaluations if file["state"] == "present" else None,
            "convergence_reason": converged.reason if counts else "",
            "averaged": False,
        }
        if result.counted:
            limit = LONGEST_INIT.get(divisions.get((file["submitter"], file["system"]), ""))
            row["official_reason"] = official_reason(broken.get(file["path"]), init, limit)
        rows.append(row)
    table = pd.DataFrame(rows, columns=[name for name in RUNS.names if name != "duplicate_of"])
    table["duplicate_of"] = duplicates(table)
    return tables.typed(table, RUNS, RUNS_KEYS)


def official_reason(broken_line: float | None, init: float | None, limit: float | None) -> str:
    """Return why the official summarizer drops a run that counts here, or an empty string."""
    if broken_line is not None:
        return f"line {int(broken_line)} is not valid JSON, though no score needs it"
    if init is not None and limit is not None and init >= limit:
        return f"initialisation took {init:.1f} minutes; the present checks allow {limit:.0f}"
    return ""


def _value(events: Iterable[Mapping[str, Any]], key: str) -> float | None:
    return next((e["value"] for e in events if e["key"] == key and e["value"] is not None), None)


def _init_minutes(events: Iterable[Mapping[str, Any]]) -> float | None:
    times = {e["key"]: e["time_ms"] for e in events if e["key"] in ("init_start", "init_stop")}
    if not times.get("init_start") or not times.get("init_stop"):
        return None
    return float(times["init_stop"] - times["init_start"]) / MS_PER_MINUTE


def duplicates(runs: pd.DataFrame) -> pd.Series:
    """Say which run each run repeats, by content: the same blob, or the same start and stop times.

    Args:
        runs: columns path, blob, benchmark, start_ms, stop_ms.

    Returns:
        For each row the path of the first run (by the parts of its path) with its content, or
        None for a first.
    """
    first: dict[repeats.Content, str] = {}
    found: dict[str, str | None] = {}
    for row in sorted(tables.records(runs), key=lambda row: row["path"].split("/")):
        contents = repeats.contents(row, row["benchmark"])
        original = next((first[content] for content in contents if content in first), None)
        found[row["path"]] = original
        for content in contents:
            first.setdefault(content, original or row["path"])
    return runs["path"].map(found)
