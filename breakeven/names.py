"""Give meaning to what submitters wrote: divisions, categories, accelerators, node types."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pandas as pd

from breakeven import tables
from breakeven.config import Accelerators, Vocabulary
from breakeven.errors import BreakevenError


def spell(value: object, accepted: Mapping[str, tuple[str, ...]], what: str, path: str) -> str:
    """Return the vocabulary's word for a submitter's spelling.

    Raises:
        BreakevenError: the spelling is unknown; names the file, the value and what to add.
    """
    if not isinstance(value, str):
        raise BreakevenError(f"{path}: gives no {what}; it cannot be ranked")
    if word := known(value, accepted):
        return word
    raise BreakevenError(
        f"{path}: {what} {value!r} is a spelling that config/vocabulary.yaml does not know; add it "
        f"there under one of: {', '.join(accepted)}"
    )


def known(value: object, accepted: Mapping[str, tuple[str, ...]]) -> str | None:
    """Return the vocabulary's word for a spelling, or None."""
    wanted = " ".join(str(value).lower().split())
    return next((word for word, spellings in accepted.items() if wanted in spellings), None)


def describe_systems(
    systems: pd.DataFrame, vocabulary: Vocabulary, accelerators: Accelerators
) -> pd.DataFrame:
    """Add division, category, accelerator family, form factor, totals and node type to systems.

    Args:
        systems: the facts table ``systems``.
        vocabulary: accepted spellings.
        accelerators: the family map.

    Returns:
        The same rows with ``division`` and ``category`` in one vocabulary each,
        ``accelerators`` (nodes times accelerators per node; 0 for CPU-only systems),
        ``accelerator_family``, ``accelerator_model`` (family and form factor) and ``node_type``.

    Raises:
        BreakevenError: spellings or accelerator names are unknown; one line each.
    """
    rows, unknown = [], []
    for system in tables.records(systems):
        path = system["path"]
        try:
            family, form = accelerator_family(system, accelerators)
            division = spell(system["division"], vocabulary.division, "division", path)
            category = spell(system["status"], vocabulary.category, "status", path)
        except BreakevenError as error:
            unknown.append(str(error))
            continue
        processor = system["host_processor"]
        nodes, each = system["nodes"], system["accelerators_per_node"]
        rows.append(
            {
                **system,
                "division": division,
                "category": category,
                "accelerators": None if nodes is None or each is None else nodes * each,
                "accelerator_family": family,
                "accelerator_model": f"{family} {form}".strip(),
                "node_type": node_type(each, processor),
            }
        )
    if unknown:
        raise BreakevenError("\n".join(unknown))
    extra = ["category", "accelerators", "accelerator_family", "accelerator_model", "node_type"]
    return pd.DataFrame(rows, columns=[*systems.columns, *extra])


def accelerator_family(system: Mapping[str, object], accelerators: Accelerators) -> tuple[str, str]:
    """Return (family, form factor) of a system's accelerator; ("CPU only", "") without any."""
    name = system["accelerator"]
    if system["accelerators_per_node"] == 0:
        return "CPU only", ""
    if not isinstance(name, str):
        return "unnamed", ""
    for entry in accelerators.accelerators:
        if re.search(entry.pattern, name, re.IGNORECASE):
            return entry.family, entry.form
    raise BreakevenError(
        f"{system['path']}: accelerator {name!r} matches no pattern of config/accelerators.yaml; "
        "add an entry there"
    )


def node_type(accelerators_per_node: object, processor: object) -> str:
    """Name a kind of node: accelerators a node and host processor, however it is capitalised."""
    text = re.sub(
        r"\((R|TM)\)|\bCPU\b|@.*$|\d+-Core Processor", " ", str(processor or ""), flags=re.I
    )
    text = " ".join(text.split()) or "unnamed processor"
    if text.startswith("INTEL "):
        text = text.title()
    count = "unknown number" if accelerators_per_node is None else accelerators_per_node
    return f"{count} a node, {text}"


def slug(text: str) -> str:
    """Return text as a part of a key or a file name: lower case letters, digits and dashes."""
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-")
