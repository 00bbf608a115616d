"""The dialects of run logs: one statement of any of them becomes one kind of event.

They are told apart by their token, wherever in a line it stands:

* ``:::MLLOG {json}``, rounds v0.7 and later, with ``time_ms`` (in places ``time_s``, seconds);
* ``:::MLL <epoch seconds> <key>: {json}``, round v0.6;
* ``:::MLPv0.5.0 <benchmark> <epoch seconds> (<file>:<line>) <key>[: value]``, round v0.5;
* ``MLPerf: <benchmark> [<date> <time>], <key>[: value]``, one submitter of round v0.6: a clock of
  whole seconds without a zone, read only where a file has none of the other tokens.

No bytes make a reader raise: what cannot be read becomes a :class:`Problem`.
"""

from __future__ import annotations

import datetime
import functools
import json
import math
import re
from typing import Any

import msgspec
import yaml

from breakeven.oddities import Problem, Problems

# The keys that some metric or audit reads, and which of a file's lines it needs: every one, the
# first, or the one with the earliest time (some logs start once a process, a thousand times over).
KEYS: dict[str, str] = {
    "submission_benchmark": "first",
    "submission_org": "first",
    "submission_division": "first",
    "submission_status": "first",
    "submission_platform": "first",
    "init_start": "earliest",
    "init_stop": "first",
    "run_start": "every",
    "run_stop": "every",
    "run_final": "first",
    "global_batch_size": "first",
    "gradient_accumulation_steps": "first",
    "train_samples": "every",
    "trained_samples": "every",
    "eval_samples": "first",
    "eval_accuracy": "every",
    "eval_error": "every",
    "eval_result": "every",
    "eval_target": "first",
    "quality_target": "first",
}

PREFIX = re.compile(rb":::ML(?:(LOG)[ \t]*|(L)[ \t]+|(Pv0\.5\.\d+)[ \t]+)")
MLL = re.compile(r"([0-9.eE+-]+)\s+([A-Za-z_][\w.-]*)\s*:?\s*(.*)", re.DOTALL)
PLAIN = re.compile(
    rb"MLPerf: (\S+) \[(\d\d/\d\d/\d\d \d\d:\d\d:\d\d)\], ([A-Za-z_]\w*)"
    rb"[ \t]*(?::[ \t]*([^\r\n]*))?"
)
MLP = re.compile(
    r"(\S+)\s+([0-9.eE+-]+)\s+\(([^)]*)\)\s+([A-Za-z_][\w.-]*)\s*(?::\s*(.*))?", re.DOTALL
)

TEXT_LENGTH = 120
NUMERIC = {int, float, str}
# Bytes of one statement that are read, and characters that are read as YAML, whose reader is slow.
# No log of any round has a statement of over 5,000 bytes.
LONGEST_STATEMENT = 1_000_000
LONGEST_YAML = 5_000


class Event(msgspec.Struct, frozen=True, gc=False):
    """One log line that matters.

    ``line`` counts from 1 as git hosts do; ``time_ms`` is the log's own clock in milliseconds, or
    None; ``value`` is the numeric value, ``text`` the textual one; the rest is the line's
    metadata: ``status`` of a run_stop, ``metric`` of an evaluation, and the epoch, sample and
    step counts it was taken at.
    """

    line: int
    key: str
    time_ms: float | None
    value: float | None = None
    text: str | None = None
    status: str | None = None
    metric: str | None = None
    epoch_num: float | None = None
    samples_count: float | None = None
    step_num: float | None = None


def too_long(line: int, length: int) -> Problem:
    """Word that a statement is longer than what is read of it."""
    detail, action = f"a line of {length} bytes", f"only its first {LONGEST_STATEMENT} were read"
    return Problem(line, "line too long", detail, action)


def read_statement(statement: bytes, line: int, problems: Problems) -> Event | None:
    """Read a statement, from its token on; None where its key is not one that matters."""
    head = PREFIX.match(statement)
    if head is None:
        return None
    body = statement[head.end() :]
    if head[1]:
        return read_mllog(body, line, problems)
    text = body.decode("utf-8", "replace").strip()
    return _read_mll(text, line, problems) if head[2] else _read_mlp(text, line, problems)


def read_mllog(body: bytes, line: int, problems: Problems) -> Event | None:
    """Read what stands behind an ``:::MLLOG``; None where its key is not one that matters."""
    try:
        content = msgspec.json.decode(body)
    except (ValueError, RecursionError):
        content = _read_leniently(body, line, problems)
    if content is None:
        return None
    if not isinstance(content, dict):
        problems.append(Problem(line, "not an object", _excerpt(body), "line ignored"))
        return None
    key = content.get("key")
    if not isinstance(key, str) or key not in KEYS:
        return None
    time_ms = _number(content.get("time_ms"))
    if time_ms is None and (seconds := _number(content.get("time_s"))) is not None:
        time_ms = _number(seconds * 1000)
    if time_ms is None:
        problems.append(Problem(line, "no time", f"{key} without a usable time", "time left empty"))
    return _event(line, key, time_ms, content.get("value"), content.get("metadata"))


def _read_leniently(body: bytes, line: int, problems: Problems) -> Any | None:
    """Read JSON that a strict reader refuses: NaN, huge integers, odd bytes, text behind it."""
    text = body.decode("utf-8", "replace").strip()
    try:
        content, end = json.JSONDecoder(strict=False).raw_decode(text)
    except (ValueError, RecursionError) as error:
        reason = str(error).split(":")[0]
        problems.append(
            Problem(line, "broken JSON", f"{reason} in {_excerpt(body)}", "line ignored")
        )
        return None
    if text[end:].strip():
        problems.append(
            Problem(line, "text after JSON", _excerpt(text[end:].encode()), "the JSON was used")
        )
    elif b"\xef\xbf\xbd" in text.encode("utf-8", "replace"):
        problems.append(Problem(line, "not UTF-8", _excerpt(body), "odd bytes were replaced"))
    return content


def _read_mll(text: str, line: int, problems: Problems) -> Event | None:
    parts = MLL.fullmatch(text)
    if parts is None:
        problems.append(Problem(line, "broken line", _excerpt(text.encode()), "line ignored"))
        return None
    seconds, key, rest = parts.groups()
    if key not in KEYS:
        return None
    content: Any = {}
    if rest:
        try:
            content = json.loads(rest)
        except (ValueError, RecursionError):
            content = _read_as_yaml(key, rest, line, problems)
    if not isinstance(content, dict):
        content = {"value": content}
    return _event(line, key, _milliseconds(seconds), content.get("value"), content.get("metadata"))


class _PlainSafeLoader(yaml.SafeLoader):
    """YAML without anchors and tags: a short text with them can take all memory, or raise anything.

    Merged anchors grow exponentially, and a tag hands any text to a constructor that expects its
    own.
    """

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Refuse what no log needs."""
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if getattr(event, "anchor", None) is not None or getattr(event, "tag", None) is not None:
            raise yaml.YAMLError("an anchor or a tag")
        return super().compose_node(parent, index)


def _read_as_yaml(key: str, text: str, line: int, problems: Problems) -> Any:
    """Read an object whose quotes are missing or single, which YAML allows."""
    detail = f"a line about {key} ({len(text)} bytes)"
    try:
        content = _yaml(text)
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError):
        problems.append(Problem(line, "broken JSON", detail, "time and key used, value ignored"))
        return {}
    problems.append(Problem(line, "not JSON", detail, "read as YAML"))
    return content


# A log may say one and the same a thousand times, and YAML is slow to read.
@functools.lru_cache(maxsize=64)
def _yaml(text: str) -> Any:
    """Read a text as YAML; numbers in base sixty may overflow."""
    if len(text) > LONGEST_YAML:
        raise ValueError("too long")
    return yaml.load(text, _PlainSafeLoader)


def _read_mlp(text: str, line: int, problems: Problems) -> Event | None:
    parts = MLP.fullmatch(text)
    if parts is None:
        problems.append(Problem(line, "broken line", _excerpt(text.encode()), "line ignored"))
        return None
    _, seconds, _, key, rest = parts.groups()
    if key not in KEYS:
        return None
    value: Any = None
    metadata: dict[str, Any] = {}
    if rest:
        try:
            value = json.loads(rest)
        except (ValueError, RecursionError):
            value = rest.strip()
    if isinstance(value, dict):
        metadata = {"epoch_num": value.get("epoch")}
        if "success" in value:
            converged = str(value["success"]).lower() == "true"
            metadata["status"] = "success" if converged else "aborted"
        value = value.get("value")
    return _event(line, key, _milliseconds(seconds), value, metadata)


def _event(line: int, key: str, time_ms: float | None, value: Any, metadata: Any) -> Event:
    details = metadata if isinstance(metadata, dict) else {}
    # In the order of Event's fields: naming them is slower, and this is done for each line kept.
    return Event(
        line,
        key,
        time_ms,
        # An eval_result has no value but says how many seconds had passed.
        _number(details.get("timestamp") if key == "eval_result" else value),
        _text(value),
        _text(details.get("status")),
        _text(details.get("metric")),
        _number(details.get("epoch_num")),
        _number(details.get("samples_count")),
        _number(details.get("step_num")),
    )


def _milliseconds(seconds: str) -> float | None:
    number = _number(seconds)
    # A finite number of seconds need not be one of milliseconds.
    return None if number is None else _number(number * 1000)


def _number(value: Any) -> float | None:
    """Return a finite number, also where it was written as text; else None."""
    if type(value) not in NUMERIC:
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _text(value: Any) -> str | None:
    if not isinstance(value, str):
        return None
    return value.encode("utf-8", "replace").decode("utf-8").strip()[:TEXT_LENGTH]


def _excerpt(data: bytes) -> str:
    """Name a broken line by what it was about, not by its text: its key and its length."""
    key = re.search(rb'"key"\s*:\s*"([\w.-]{1,60})"', data)
    named = f"a line about {key[1].decode()}" if key else "a line without a readable key"
    return f"{named} ({len(data)} bytes)"


def read_plain(data: bytes, problems: Problems) -> list[Event]:
    """Read a file of the dialect that has no token of its own."""
    events: list[Event] = []
    seen: set[tuple[str, float, float | None, float | None]] = set()
    line, counted = 1, 0
    for match in PLAIN.finditer(data):
        line += data.count(b"\n", counted, match.start())
        counted = match.start()
        key = match[3].decode()
        if key not in KEYS:
            continue
        try:
            moment = datetime.datetime.strptime(match[2].decode(), "%m/%d/%y %H:%M:%S")
        except ValueError:
            detail = f"no such date or time in a line about {key}"
            problems.append(Problem(line, "broken line", detail, "line ignored"))
            continue
        time_ms = moment.replace(tzinfo=datetime.UTC).timestamp() * 1000
        # (-1, -1) where there is none, which is no text either.
        start, end = match.span(4)
        if end - start > LONGEST_STATEMENT:
            problems.append(too_long(line, end - start))
            end = start + LONGEST_STATEMENT
        rest = data[start:end].decode("utf-8", "replace").strip()
        percent = re.search(r'"value":\s*([\d.]+)%', rest)
        epoch = re.search(r'"epoch":\s*([\d.]+)', rest)
        share = _number(percent[1]) if percent else None
        event = Event(
            line=line,
            key=key,
            time_ms=time_ms,
            value=_number(rest) if share is None else share / 100,
            text=None if percent else _text(rest) or None,
            epoch_num=_number(epoch[1]) if epoch else None,
        )
        # One line a process says the same: the first stands for all.
        same = (event.key, time_ms, event.value, event.epoch_num)
        if same not in seen:
            seen.add(same)
            events.append(event)
    return events
