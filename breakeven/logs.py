"""Read one run log: every line that matters, and every oddity as a recorded problem.

No bytes make :func:`read_log` raise. What a statement says is :mod:`breakeven.dialects`' matter;
here they are found, and of those that say the same thing again and again the one that counts.
"""

from __future__ import annotations

import itertools
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
PRESENT = b":::MLLOG "
# What stands behind each token to the end of its line; nothing where it is of another dialect.
BODIES = re.compile(rb":::ML(?:LOG ([^\n]*))?")
# From the first token of a line to its end. The group is the same where it is not so long that a
# copy of it would matter.
STATEMENT = re.compile(rb":::ML(?:LOG ([^\n]{0,99999}+)(?!.)|[^\n]*)")
# Bytes that are looked at together: many lines, and yet so few that they matter not beside a log.
WINDOW = 1 << 18


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
    reader = _Reader(data)
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + WINDOW) + 1 or len(data)
        reader.read(start, end)
        start = end
    return reader.log()


class _Reader:
    """Reads one file, a window of whole lines after the other."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.problems = Problems()
        self.every: list[Event] = []
        self.once: dict[str, Event] = {}
        self.line, self.counted = 1, 0

    def log(self) -> Log:
        """Say what was read."""
        broken = bool(self.data) and not self.data.endswith(b"\n")
        lines = self.line_of(len(self.data)) - 1 + broken
        if TOKEN not in self.data:
            return Log(read_plain(self.data, self.problems), self.problems.listed(), lines)
        events = sorted([*self.every, *self.once.values()], key=operator.attrgetter("line"))
        return Log(events, self.problems.listed(), lines)

    def line_of(self, position: int) -> int:
        """Return the line a position is in, which must not lie before the last one asked for."""
        self.line += self.data.count(b"\n", self.counted, position)
        self.counted = position
        return self.line

    def read(self, start: int, end: int) -> None:
        """Read a window: nine of ten lines give nothing, and here the time of a parse goes."""
        if end - start > 2 * WINDOW:
            return self.read_closely(start, end)
        bodies = BODIES.findall(self.data, start, end)
        seen = _glances(bodies)
        if seen is None:
            return self.read_closely(start, end)
        matters = map(KEYS.__contains__, map(operator.attrgetter("key"), seen))
        for body, glance in itertools.compress(zip(bodies, seen, strict=True), matters):
            if self.gives_nothing(glance):
                continue
            # Those that were passed over since the last one do not say the same: had they, they
            # would not have been passed over.
            start = self.data.index(PRESENT + body, start, end)
            self.keep(read_mllog(body, self.line_of(start), self.problems))
            start += len(PRESENT) + len(body)
        return None

    def read_closely(self, start: int, end: int) -> None:
        """Read a window that holds long lines, other dialects, or what is not sound."""
        for found in STATEMENT.finditer(self.data, start, end):
            seen = _glances([found[1]]) if found[1] else None
            if seen is None:
                for event in self.statements(*found.span()):
                    self.keep(event)
            elif seen[0].key in KEYS and not self.gives_nothing(seen[0]):
                # A token within sound JSON is part of a text.
                self.keep(read_mllog(found[1], self.line_of(found.start()), self.problems))

    def statements(self, start: int, end: int) -> Iterator[Event | None]:
        """Read the statements of a line, which is cut at each token: it may hold a million."""
        line = self.line_of(start)
        while start >= 0:
            following = self.data.find(TOKEN, start + len(TOKEN), end)
            limit = following if following >= 0 else end
            if limit - start > LONGEST_STATEMENT:
                self.problems.append(too_long(line, limit - start))
                limit = start + LONGEST_STATEMENT
            yield read_statement(self.data[start:limit], line, self.problems)
            start = following

    def keep(self, event: Event | None) -> None:
        """Keep an event where its key's policy says so."""
        if event is None:
            return
        policy = KEYS[event.key]
        if policy == "every":
            self.every.append(event)
        elif event.key not in self.once or (
            policy == "earliest" and _earlier(event, self.once[event.key])
        ):
            self.once[event.key] = event

    def gives_nothing(self, seen: Glance) -> bool:
        """Say whether a sound line says no more than one that is kept, or no better."""
        kept = self.once.get(seen.key)
        if kept is None or type(seen.time_ms) is not int:
            return False
        return KEYS[seen.key] == "first" or bool(0 < (kept.time_ms or 0) <= seen.time_ms)


def _glances(bodies: list[bytes]) -> list[Glance] | None:
    """Look at what stands behind tokens; None where not all of it is sound JSON with a key."""
    try:
        # A glance takes any bytes in texts that it does not keep.
        if not all(map(bytes.isascii, bodies)):
            for body in bodies:
                body.decode()
        return list(map(GLANCE.decode, bodies))
    except (ValueError, RecursionError):
        return None


def _earlier(event: Event, other: Event) -> bool:
    if not event.time_ms:
        return False
    return not other.time_ms or event.time_ms < other.time_ms
