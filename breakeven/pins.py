"""What dvc.lock pins: the hashes of the raw files of each round, and of sealed results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from breakeven.errors import BreakevenError


def outputs(lock: Path, stage: str) -> dict[str, dict[str, Any]]:
    """Return a stage's outputs by path, with md5, size (bytes) and nfiles; empty without any.

    Raises:
        BreakevenError: the file is not a lock file of DVC.
    """
    if not lock.is_file():
        return {}
    try:
        content = yaml.load(lock.read_text(encoding="utf-8"), yaml.CSafeLoader)
        stages = content["stages"]
        return {entry["path"]: entry for entry in stages.get(stage, {}).get("outs", [])}
    except (yaml.YAMLError, KeyError, TypeError, AttributeError, ValueError) as error:
        line = str(error).splitlines()[0]
        raise BreakevenError(
            f"{lock.name}: not a lock file of DVC ({line}); restore it with "
            f"`git checkout -- {lock.name}`"
        ) from error


def raw_hash(lock: Path, round_name: str) -> str:
    """Return the hash of a round's raw files; empty where none is pinned."""
    pinned = outputs(lock, f"download@{round_name}").get(f"data/raw/{round_name}", {})
    return str(pinned.get("md5", ""))
