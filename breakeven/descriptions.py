"""Read one system description: tolerant of what submitters write, exact about counts."""

from __future__ import annotations

import ast
import collections
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from breakeven.config import Descriptions
from breakeven.oddities import Problem, Problems

# The key of a `key: value` or `"key": value,` line, for files that are not JSON as a whole.
KEY = re.compile(r"[A-Za-z_][\w -]*")
COUNTS = ("number_of_nodes", "accelerators_per_node", "host_processors_per_node")
OPTIONAL = ("host_processors_per_node",)
# No machine has more nodes, accelerators a node or processors a node than this.
GREATEST_COUNT = 999_999_999
# How many objects may lie in one another, and how long a text that spells one out may be.
DEEPEST = 8
LONGEST_TEXT = 100_000
NEEDED = ("division", "status", "accelerator_model_name")


@dataclass(frozen=True)
class Description:
    """One system, as its submitter describes it; counts are exact integers or None."""

    submitter_name: str | None
    division: str | None
    status: str | None
    system_name: str | None
    nodes: int | None
    accelerators_per_node: int | None
    accelerator: str | None
    host_processor: str | None
    host_processors_per_node: int | None
    framework: str | None


def read_description(data: bytes, accepted: Descriptions) -> tuple[Description, list[Problem]]:
    """Read the bytes of one description file.

    Args:
        data: the file's bytes.
        accepted: what the keys may be called.

    Returns:
        What it says (None where it says nothing usable) and the problems found on the way.
    """
    problems = Problems()
    content = _decode(data.decode("utf-8-sig", "replace"), accepted, problems)
    values = {key: _find(content, key, accepted, problems) for key in accepted.keys}
    names = {key: _name(value, accepted) for key, value in values.items()}
    counts = {key: _count(key, values.get(key), accepted, problems) for key in COUNTS}
    no_accelerator = counts["accelerators_per_node"] == 0
    for key in NEEDED:
        if names.get(key) is None and not (key == "accelerator_model_name" and no_accelerator):
            problems.append(Problem(None, "description lacks a key", key, "left empty"))
    return (
        Description(
            submitter_name=names.get("submitter"),
            division=names.get("division"),
            status=names.get("status"),
            system_name=names.get("system_name"),
            nodes=counts["number_of_nodes"],
            accelerators_per_node=counts["accelerators_per_node"],
            accelerator=names.get("accelerator_model_name"),
            host_processor=names.get("host_processor_model_name"),
            host_processors_per_node=counts["host_processors_per_node"],
            framework=names.get("framework"),
        ),
        problems.listed(),
    )


def _decode(text: str, accepted: Descriptions, problems: Problems) -> Mapping[str, Any]:
    known = {_plain(name) for names in accepted.keys.values() for name in names}
    repeated: set[str] = set()

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        counts = collections.Counter(key for key, _ in items)
        repeated.update(key for key, n in counts.items() if n > 1 and _plain(key) in known)
        return dict(items)

    try:
        content = json.loads(text, strict=False, object_pairs_hook=pairs)
        if not isinstance(content, dict):
            raise ValueError("not an object")
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        problems.append(
            Problem(line, "description is not JSON", str(error).split(":")[0], "read line by line")
        )
        content = {key: _loose(value) for key, value in _pairs(text)}
    for key in sorted(repeated):
        problems.append(Problem(None, "description repeats a key", key, "the last one counts"))
    return content


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    """Yield the keys and values of lines that have both; in time proportional to the text."""
    for line in text.split("\n"):
        key, _, value = line.partition(":")
        key = key.strip(" \t").removeprefix('"').removesuffix('"')
        value = value.strip(" \t\r").removesuffix(",").rstrip(" \t")
        if value and KEY.fullmatch(key):
            yield key, value


def _loose(value: str) -> Any:
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value.strip("\"' ")


def _plain(key: str) -> str:
    return "_".join(key.lower().replace("_", " ").split())


def _layers(content: Any, inside: tuple[str, ...], depth: int = 0) -> Iterator[Mapping[str, Any]]:
    """Yield an object and those that it holds, from the outside in."""
    if depth >= DEEPEST:
        return
    if isinstance(content, str) and content.lstrip().startswith(("{", "[")) and depth:
        try:
            content = ast.literal_eval(content.strip()) if len(content) <= LONGEST_TEXT else None
        # A type error: a list as a key.
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            return
    if isinstance(content, list):
        for item in content:
            yield from _layers(item, inside, depth + 1)
    if isinstance(content, Mapping):
        yield content
        for key, value in content.items():
            if isinstance(key, str) and _plain(key) in inside:
                yield from _layers(value, inside, depth + 1)


def _find(content: Mapping[str, Any], key: str, accepted: Descriptions, problems: Problems) -> Any:
    """Return what a description says of ``key``, under any of its accepted names."""
    usual, *others = accepted.keys[key]
    for layer in _layers(content, accepted.inside):
        plain = {_plain(name): value for name, value in layer.items() if isinstance(name, str)}
        for name in (usual, *others):
            value = plain.get(name)
            if isinstance(value, Mapping) and "value" in value:
                value = value["value"]
            if value is not None and not isinstance(value, Mapping):
                if name != usual:
                    problems.append(
                        Problem(None, "description renames a key", f"{name} for {usual}", "read")
                    )
                return value
    return None


def _name(value: Any, accepted: Descriptions) -> str | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        value = _shown(value)
    if not isinstance(value, str):
        return None
    text = " ".join(value.encode("utf-8", "replace").decode("utf-8").split())
    return None if text.lower() in accepted.none else text


def _count(key: str, value: Any, accepted: Descriptions, problems: Problems) -> int | None:
    """Return a count as an exact integer: ``8``, ``8.0``, ``"8"`` and ``"8 (400W)"`` are 8."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if number and 0 <= value <= GREATEST_COUNT and value == int(value):
        return int(value)
    if isinstance(value, str):
        whole = re.fullmatch(r"\s*(\d{1,9})(\.0+)?\s*", value)
        if whole:
            return int(whole[1])
        leading = re.match(r"\s*(\d{1,9})\b(?!\.)", value)
        if leading:
            problems.append(
                Problem(None, "count with text", f"{key}: {value[:60]!r}", f"read as {leading[1]}")
            )
            return int(leading[1])
    if key not in OPTIONAL:
        detail = f"{key}: {_shown(value)[:60]!r}"
        problems.append(Problem(None, "no usable count", detail, "left empty"))
    return None


def _shown(value: Any) -> str:
    try:
        return str(value)
    except ValueError:
        return "a number of thousands of digits"
