"""Scores worked out a second time, straight from the raw lines and by other code.

It shares nothing with the parser, the judging of runs or the scoring: one regular expression finds
the clock of the lines that start and stop a run, and a score is the mean of what is left when
the fastest and the slowest are dropped. Benchmarks that early rounds scored by special rules are
left to the tests against the published scores.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

# The clock is in ms in JSON, and in seconds before the key in the dialects of the first rounds.
IN_JSON = re.compile(rb'"time_(?P<unit>ms|s)"\s*:\s*"?(?P<time>[0-9.eE+]+)')
SECONDS = re.compile(rb":::ML\S*\s+(?:[^\s0-9]\S*\s+)?([0-9]+\.?[0-9]*)\s")
# The first round's lines say no status: its run_stop is the success.
STATUS = re.compile(rb"""["'](?:status|success)["']\s*:\s*["']?([A-Za-z]+)""")
MS_PER_MINUTE = 60_000.0


def clock(line: bytes) -> float | None:
    """Return a line's time in milliseconds; None where it has none."""
    if found := IN_JSON.search(line):
        return float(found["time"]) * (1 if found["unit"] == b"ms" else 1000)
    if found := SECONDS.search(line):
        return float(found[1]) * 1000
    return None


def lines_with(data: bytes, word: bytes) -> list[bytes]:
    """Return the log lines that have a word as their key, in order."""
    found = []
    at = data.find(word)
    while at >= 0:
        start = data.rfind(b"\n", 0, at) + 1
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        line = data[start:end]
        if b":::ML" in line[: at - start]:
            found.append(line)
        at = data.find(word, end)
    return found


def run_minutes(data: bytes) -> float | None:
    """Return how long a log says its run took; None for a run that did not end in success."""
    starts, stops = lines_with(data, b"run_start"), lines_with(data, b"run_stop")
    if not starts or not stops:
        return None
    start, stop = clock(starts[0]), clock(stops[-1])
    said = STATUS.search(stops[-1])
    if start is None or stop is None or (said and said[1].lower() not in (b"success", b"true")):
        return None
    return (stop - start) / MS_PER_MINUTE


def score(minutes: Sequence[float | None], dropped: int, factor: float) -> float | None:
    """Return the score of a system's runs, in minutes; None where too many failed.

    Args:
        minutes: of each run; None for one that failed, which counts as the slowest.
        dropped: how many are dropped at each end.
        factor: the official scaling factor.
    """
    endless = float("inf")
    ordered = sorted(endless if m is None else m for m in minutes)
    kept = ordered[dropped : len(ordered) - dropped]
    if not kept or kept[-1] == endless:
        return None
    return math.fsum(kept) / len(kept) * factor


def scaling_factor(folder: Path) -> float:
    """Return the factor that a folder of runs asks for; 1 where it has no ``scaling.json``."""
    path = folder / "scaling.json"
    if not path.is_file():
        return 1.0
    found = re.search(rb'"scaling_factor"\s*:\s*([0-9.eE+-]+)', path.read_bytes())
    return float(found[1]) if found else 1.0


def scores(
    raw: Path, systems: Mapping[tuple[str, ...], Sequence[str]], dropped: Mapping[str, int]
) -> dict[tuple[str, ...], float | None]:
    """Work out scores from raw logs.

    Args:
        raw: the folder of a round's raw files.
        systems: the paths of the logs of each (submitter, system, benchmark).
        dropped: how many runs are dropped at each end, by benchmark.
    """
    found = {}
    for key, paths in systems.items():
        logs = [raw / path for path in paths]
        minutes = [run_minutes(log.read_bytes()) for log in logs]
        found[key] = score(minutes, dropped[key[-1]], scaling_factor(logs[0].parent))
    return found
