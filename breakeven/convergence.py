"""How far training had come when a run converged: samples, epochs, steps, tokens or generations."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from breakeven.config import Progress

EVALUATIONS = ("eval_accuracy", "eval_error")
REACHED: dict[str, Callable[[float, float], bool]] = {
    "at_least": lambda value, limit: value >= limit,
    "at_most": lambda value, limit: value <= limit,
}


@dataclasses.dataclass(frozen=True)
class Convergence:
    """Where one run converged.

    ``amount`` in the unit of the benchmark's Progress, None with a reason; ``line`` of the log it
    was read from; ``evaluations``: number of points of training that were evaluated.
    """

    amount: float | None
    line: int | None
    evaluations: int
    reason: str = ""


def of_run(
    events: Sequence[Mapping[str, Any]], stop_line: int | None, progress: Progress | None
) -> Convergence:
    """Read how far training had come at the evaluation that ended one run.

    Args:
        events: the log's events in the order of their lines.
        stop_line: line of its run_stop; evaluations behind it do not count.
        progress: where the logs of this benchmark and round say it; None where nothing is known.
    """
    before = [e for e in events if stop_line is None or e["line"] < stop_line]
    evaluations = [e for e in before if e["key"] in EVALUATIONS]
    if progress is None:
        return Convergence(None, None, len(evaluations), "no progress configured")
    if progress.reaches:
        # These are evaluated after training, so that their lines may stand behind run_stop.
        return _reaching([e for e in events if e["key"] in EVALUATIONS], progress)
    for field in progress.fields:
        lines, column = evaluations, str(field)
        if field == "train_samples":
            lines, column = [e for e in before if e["key"] == field], "value"
        last = next((e for e in reversed(lines) if e[column] is not None), None)
        if last is not None and progress.at_least <= last[column] <= progress.at_most:
            amount = last[column]
            if amount < progress.epochs_below:
                amount *= progress.samples_per_epoch
            amount += progress.offset
            # What is compared is divided by it.
            if 0 < amount < float("inf"):
                return Convergence(float(amount), int(last["line"]), len(evaluations))
    named = " or ".join(progress.fields)
    return Convergence(None, None, len(evaluations), f"no usable {named} in its evaluations")


def _reaching(evaluations: Sequence[Mapping[str, Any]], progress: Progress) -> Convergence:
    """Find the first point of training at which all metrics reach their limits."""
    field = progress.fields[0]
    points: dict[float, dict[str, Mapping[str, Any]]] = {}
    for event in evaluations:
        if (event[field] or 0) > 0 and event["metric"] in progress.reaches:
            # A later line of the same point and metric corrects the earlier one.
            points.setdefault(event[field], {})[event["metric"]] = event
    for amount in sorted(points):
        found = points[amount]
        if all(
            metric in found
            and found[metric]["value"] is not None
            and REACHED[how](found[metric]["value"], limit)
            for metric, (how, limit) in progress.reaches.items()
        ):
            line = max(event["line"] for event in found.values())
            return Convergence(float(amount), int(line), len(points))
    named = " and ".join(progress.reaches)
    return Convergence(None, None, len(points), f"no point reaches {named}")
