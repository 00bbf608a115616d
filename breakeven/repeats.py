"""When two run logs are one run: what of a run tells it from every other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Content = tuple[Any, ...]


def contents(run: Mapping[str, Any], benchmark: str) -> list[Content]:
    """Return what would be equal in a repetition of a run: its blob, and its start and stop times.

    The blob alone misses logs that were edited after they were handed in before.

    Args:
        run: a row of the runs table; blob, start_ms and stop_ms are read.
        benchmark: what the runs compared must have in common: the benchmark in one round, the
            workload over several.
    """
    found: list[Content] = [("blob", run["blob"])]
    if run["start_ms"] is not None and run["stop_ms"] is not None:
        found.append(("times", benchmark, run["start_ms"], run["stop_ms"]))
    return found
