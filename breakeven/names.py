"""Give meaning to what submitters wrote: divisions, categories, accelerators, node types."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pandas as pd

from breakeven import tables
from breakeven.config import Accelerator, Accelerators, Vocabulary
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
            entry = accelerator_entry(system, accelerators)
            division = spell(system["division"], vocabulary.division, "division", path)
            category = spell(system["status"], vocabulary.category, "status", path)
        except BreakevenError as error:
            unknown.append(str(error))
            continue
        family = "CPU only" if system["accelerators_per_node"] == 0 else "unnamed"
        nodes, each = system["nodes"], system["accelerators_per_node"]
        rows.append(
            {
                **system,
                "division": division,
                "category": category,
                "accelerators": None if nodes is None or each is None else nodes * each,
                "accelerator_family": entry.family if entry else family,
                "accelerator_model": f"{entry.family} {entry.form}".strip() if entry else family,
                "accelerator_memory": memory(system["accelerator"]),
                "node_type": node_type(each, system["host_processor"], bool(entry and entry.pod)),
                "pod": bool(entry and entry.pod),
            }
        )
    if unknown:
        raise BreakevenError("\n".join(unknown))
    extra = [
        "category",
        "accelerators",
        "accelerator_family",
        "accelerator_model",
        "accelerator_memory",
        "node_type",
        "pod",
    ]
    return pd.DataFrame(rows, columns=[*systems.columns, *extra])


def accelerator_entry(
    system: Mapping[str, object], accelerators: Accelerators
) -> Accelerator | None:
    """Return the family map's entry for a system's accelerator; None without a named one.

    Raises:
        BreakevenError: the accelerator has a name that no pattern matches.
    """
    name = system["accelerator"]
    if system["accelerators_per_node"] == 0 or not isinstance(name, str):
        return None
    for entry in accelerators.accelerators:
        if re.search(entry.pattern, name, re.IGNORECASE):
            return entry
    raise BreakevenError(
        f"{system['path']}: accelerator {name!r} matches no pattern of config/accelerators.yaml; "
        "add an entry there"
    )


def memory(accelerator: object) -> int | None:
    """Return an accelerator's memory in GB where its name says it: ``A100-SXM4-40GB`` has 40."""
    found = re.search(r"\b(\d{1,4}) ?GB\b", str(accelerator or ""), re.IGNORECASE)
    return int(found[1]) if found else None


def node_type(accelerators_per_node: object, processor: object, pod: bool = False) -> str:
    """Name a kind of node: accelerators a node (not of a pod) and host processor."""
    text = re.sub(
        r"\((R|TM)\)|\bCPU\b|@.*$|\d+-Core Processor", " ", str(processor or ""), flags=re.I
    )
    text = " ".join(text.split()) or "unnamed processor"
    if text.startswith("INTEL "):
        text = text.title()
    if pod:
        return f"pod, {text}"
    count = "unknown number" if accelerators_per_node is None else accelerators_per_node
    return f"{count} a node, {text}"


def slug(text: str) -> str:
    """Return text as a part of a key or a file name: lower case letters, digits and dashes."""
    return re.sub(r"[^a-z0-9.]+", "-", text.lower()).strip("-")
