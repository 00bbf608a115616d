"""Read one run log: every line that matters, and every oddity as a recorded problem.

No bytes make :func:`read_log` raise. What a statement says is :mod:`breakeven.dialects`' matter;
here they are found, and of those that say the same thing again and again the one that counts.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from breakeven.dialects import (
    KEYS,
    LONGEST_STATEMENT,
    Event,
    read_mllog,
    read_plain,
    read_statement,
    too_long,
)
from breakeven.oddities import Problem, Problems

TOKEN = b":::ML"
# From the first token of a line to its end. The group is what nine of ten lines are of: what comes
# behind the present dialect's token, where that is not so long that a copy of it would matter.
STATEMENT = re.compile(rb":::ML(?:LOG ([^\n]{0,99999}+)(?!.)|[^\n]*)")


@dataclass
class Log:
    """What one file says."""

    events: list[Event] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    lines: int = 0


class Glance(msgspec.Struct, gc=False):
    """As much of a line as says whether it gives anything; the rest is checked, but not kept."""

    key: str
    time_ms: Any = None


GLANCE = msgspec.json.Decoder(Glance)


def read_log(data: bytes) -> Log:
    """Read the bytes of one run log.

    Args:
        data: the file's bytes, in any encoding, with any line ends, cut anywhere.

    Returns:
        The events whose key is in KEYS, in the order of their lines; the problems found (the
        first few of a kind, and how many more); and the number of lines.
    """
    problems = Problems()
    events: list[Event] = []
    once: dict[str, Event] = {}
    line, counted = 1, 0
    for found in STATEMENT.finditer(data):
        # Nine of ten lines give nothing, and here is where the time of a parse goes.
        seen = _glance(found[1])
        if seen is not None and _gives_nothing(seen, once):
            continue
        start, end = found.span()
        line += data.count(b"\n", counted, start)
        counted = start
        if seen is not None:
            # A token within sound JSON is part of a text.
            read = iter([read_mllog(found[1], line, problems)])
        else:
            read = _read_line(data, start, end, line, problems)
        for event in filter(None, read):
            if KEYS[event.key] == "every":
                events.append(event)
            elif event.key not in once or (
                KEYS[event.key] == "earliest" and _earlier(event, once[event.key])
            ):
                once[event.key] = event
    lines = line - 1 + data.count(b"\n", counted) + (not data.endswith(b"\n") and bool(data))
    events = sorted([*events, *once.values()], key=operator.attrgetter("line"))
    if TOKEN not in data:
        events = read_plain(data, problems)
    return Log(events, problems.listed(), lines)


def _glance(written: bytes | None) -> Glance | None:
    """Look at what stands behind a token; None where it is not sound JSON with a key."""
    if written is None:
        return None
    try:
        # A glance takes any bytes in texts that it does not keep.
        if not written.isascii():
            written.decode()
        return GLANCE.decode(written)
    except (ValueError, RecursionError):
        return None


def _gives_nothing(seen: Glance, once: dict[str, Event]) -> bool:
    """Say whether a sound line's key matters not, or no longer."""
    policy = KEYS.get(seen.key)
    if policy is None:
        return True
    kept = once.get(seen.key)
    if kept is None or type(seen.time_ms) is not int:
        return False
    return policy == "first" or bool(0 < (kept.time_ms or 0) <= seen.time_ms)


def _read_line(
    data: bytes, start: int, end: int, line: int, problems: Problems
) -> Iterator[Event | None]:
    """Read the statements of one line, which is cut at each token: it may hold a million."""
    while start >= 0:
        following = data.find(TOKEN, start + len(TOKEN), end)
        limit = following if following >= 0 else end
        if limit - start > LONGEST_STATEMENT:
            problems.append(too_long(line, limit - start))
            limit = start + LONGEST_STATEMENT
        yield read_statement(data[start:limit], line, problems)
        start = following


def _earlier(event: Event, other: Event) -> bool:
    if not event.time_ms:
        return False
    return not other.time_ms or event.time_ms < other.time_ms
