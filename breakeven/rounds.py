"""Adding a round: write its pin, and say what in it is new to the configuration."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from breakeven import names, tables
from breakeven.config import (
    Accelerators,
    Benchmarks,
    Round,
    Settings,
    Vocabulary,
    load,
    round_number,
    validate,
)
from breakeven.errors import BreakevenError
from breakeven.facts import Facts

ROUNDS_LINE = re.compile(r"^rounds: \[(.*)\]$", re.MULTILINE)


def write_pin(root: Path, pin: dict[str, object]) -> Path:
    """Write ``config/rounds/<round>.yaml`` and name the round in ``config/config.yaml``.

    Args:
        root: the project's folder.
        pin: the keys of :class:`breakeven.config.Round`.

    Returns:
        The pin's path.

    Raises:
        BreakevenError: the pin is not valid, the round is there already, or config.yaml has no
            line of rounds to add it to. Nothing is written then.
    """
    pinned = validate(Round, pin, "the new round")
    path = root / "config" / "rounds" / f"{pinned.round}.yaml"
    if path.exists():
        raise BreakevenError(f"{path}: is there already; edit it, or remove it first")
    settings_path = root / "config" / "config.yaml"
    settings = settings_path.read_text(encoding="utf-8")
    if not ROUNDS_LINE.search(settings):
        raise BreakevenError(
            f"{settings_path}: has no line `rounds: [...]`; add {pinned.round} to `rounds` by hand"
        )
    rounds = sorted({*load(Settings, settings_path).rounds, pinned.round}, key=round_number)
    heading = f"# {pinned.title}, as published by MLCommons: one pinned input.\n"
    path.write_text(
        heading + yaml.safe_dump(pin, sort_keys=False, allow_unicode=True), encoding="utf-8"
    )
    settings_path.write_text(
        ROUNDS_LINE.sub(f"rounds: [{', '.join(rounds)}]", settings), encoding="utf-8"
    )
    return path


def whats_new(
    facts: Facts,
    round_name: str,
    benchmarks: Benchmarks,
    vocabulary: Vocabulary,
    accelerators: Accelerators,
) -> list[str]:
    """List what a round has that the configuration does not know, as entries to add.

    Returns:
        One line an entry, naming the file, the value and an example of where it stands; empty
        where the configuration knows everything.
    """
    entries = []
    files = facts["files"]
    runs = files[files["kind"] == "run"]
    for folder, paths in runs.groupby("benchmark")["path"]:
        if not benchmarks.rules(round_name, str(folder)).known:
            entries.append(
                f"config/benchmarks.yaml: benchmark {folder!r} (its name, unit, runs, folders and "
                f"spans): {paths.min()}"
            )
    seen: set[tuple[str, str]] = set()
    for system in tables.records(facts["systems"]):
        for what, accepted, value in (
            ("division", vocabulary.division, system["division"]),
            ("category", vocabulary.category, system["status"]),
        ):
            if not names.known(value, accepted) and (what, str(value)) not in seen:
                seen.add((what, str(value)))
                entries.append(
                    f"config/vocabulary.yaml: {what} {value!r}, under one of "
                    f"{', '.join(accepted)}: {system['path']}"
                )
        try:
            names.accelerator_entry(system, accelerators)
        except BreakevenError:
            name = str(system["accelerator"])
            if ("accelerator", name) not in seen:
                seen.add(("accelerator", name))
                entries.append(
                    f"config/accelerators.yaml: accelerator {name!r} (its pattern, family, form, "
                    f"vendor and year): {system['path']}"
                )
    described = set(zip(facts["systems"]["submitter"], facts["systems"]["system"], strict=True))
    ran = runs[["submitter", "system"]].drop_duplicates()
    for row in tables.records(ran):
        if (row["submitter"], row["system"]) not in described:
            entries.append(
                f"config/rounds/{round_name}.yaml: corrections: a description for "
                f"{row['submitter']}/{row['system']}, which has none"
            )
    return entries
