"""Read one system description: tolerant of what submitters write, exact about counts."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from breakeven.logs import Problem

WANTED = (
    "submitter",
    "division",
    "status",
    "system_name",
    "number_of_nodes",
    "accelerators_per_node",
    "accelerator_model_name",
    "host_processor_model_name",
    "host_processors_per_node",
    "framework",
)

# `"key": value,` lines, for files that are not JSON by a misplaced comma or a missing brace.
PAIR = re.compile(r'^\s*"?([A-Za-z_][\w -]*?)"?\s*:\s*(.*?)\s*,?\s*$', re.MULTILINE)


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


def read_description(data: bytes) -> tuple[Description, list[Problem]]:
    """Read the bytes of one description file.

    Returns:
        What it says (None where it says nothing usable) and the problems found on the way.
    """
    problems: list[Problem] = []
    text = data.decode("utf-8-sig", "replace")
    content = _decode(text, problems)
    values = {key: content.get(key) for key in WANTED}
    counts = {
        key: _count(key, values[key], problems)
        for key in ("number_of_nodes", "accelerators_per_node", "host_processors_per_node")
    }
    for key in ("division", "status", "accelerator_model_name"):
        if _name(values[key]) is None:
            problems.append(Problem(None, "description lacks a key", key, "left empty"))
    return (
        Description(
            submitter_name=_name(values["submitter"]),
            division=_name(values["division"]),
            status=_name(values["status"]),
            system_name=_name(values["system_name"]),
            nodes=counts["number_of_nodes"],
            accelerators_per_node=counts["accelerators_per_node"],
            accelerator=_name(values["accelerator_model_name"]),
            host_processor=_name(values["host_processor_model_name"]),
            host_processors_per_node=counts["host_processors_per_node"],
            framework=_name(values["framework"]),
        ),
        problems,
    )


def _decode(text: str, problems: list[Problem]) -> dict[str, Any]:
    repeated: list[str] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        keys = [key for key, _ in items]
        repeated.extend(sorted({key for key in keys if keys.count(key) > 1 and key in WANTED}))
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
        content = {key.strip(): _loose(value) for key, value in PAIR.findall(text)}
    for key in repeated:
        problems.append(Problem(None, "description repeats a key", key, "the last one counts"))
    return content


def _loose(value: str) -> Any:
    try:
        return json.loads(value)
    except ValueError:
        return value.strip("\"' ")


def _name(value: Any) -> str | None:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        return None
    text = " ".join(value.encode("utf-8", "replace").decode("utf-8").split())
    return text or None


def _count(key: str, value: Any, problems: list[Problem]) -> int | None:
    """Return a count as an exact integer: ``8``, ``8.0``, ``"8"`` and ``"8 (400W)"`` are 8."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, str):
        whole = re.fullmatch(r"\s*(\d+)(\.0+)?\s*", value)
        if whole:
            return int(whole[1])
        leading = re.match(r"\s*(\d+)\b(?!\.)", value)
        if leading:
            problems.append(
                Problem(None, "count with text", f"{key}: {value[:60]!r}", f"read as {leading[1]}")
            )
            return int(leading[1])
    problems.append(Problem(None, "no usable count", f"{key}: {str(value)[:60]!r}", "left empty"))
    return None
