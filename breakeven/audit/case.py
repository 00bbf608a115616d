"""What is audited, and what is found: one finding for each file that broke the chain."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable
from pathlib import Path

from breakeven import config, provenance
from breakeven.errors import BreakevenError


@dataclasses.dataclass(frozen=True, order=True)
class Finding:
    """One file that is not what it should be."""

    file: str
    what: str


@dataclasses.dataclass
class Check:
    """What one check looked at, what it found, and why it could not look at the rest."""

    name: str
    examined: int = 0
    findings: list[Finding] = dataclasses.field(default_factory=list)
    skipped: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Case:
    """The project that is audited, with all files that are known to be altered."""

    root: Path
    rounds: list[str]
    say: Callable[[str], None]
    suspects: dict[str, str] = dataclasses.field(default_factory=dict)

    def blame(self, check: Check, file: str, what: str, *, because_of: Iterable[str] = ()) -> None:
        """Note that a file is not what it should be, unless that or its cause is known."""
        if file in self.suspects or any(cause in self.suspects for cause in because_of):
            return
        self.suspects[file] = what
        check.findings.append(Finding(file, what))

    @functools.cached_property
    def sidecars(self) -> list[Path]:
        """The records of all artefacts."""
        return sorted((self.root / "results").rglob(f"*{provenance.SUFFIX}"))

    @functools.cached_property
    def records(self) -> dict[Path, provenance.Record]:
        """The records that hold."""
        found = {}
        for path in self.sidecars:
            try:
                found[path] = provenance.read(path)
            except BreakevenError:
                continue
        return found

    @functools.cache  # noqa: B019 - a case lives as long as the program
    def hash(self, path: str) -> str | None:
        """Return the SHA-256 of a file; None where there is none."""
        try:
            return provenance.sha256(self.root / path)
        except OSError:
            return None

    __hash__ = object.__hash__

    def facts_folder(self, round_name: str) -> Path:
        """Return where a round's facts are."""
        return self.root / "data" / "facts" / round_name

    def raw(self, round_name: str) -> Path:
        """Return where a round's raw files would be."""
        return self.root / "data" / "raw" / round_name

    def has_raw(self, round_name: str) -> bool:
        """Say whether a round's raw files are there."""
        return self.raw(round_name).is_dir()

    def pin(self, round_name: str) -> config.Round:
        """Return a round's pin."""
        return config.load_round(self.root / "config" / "rounds", round_name)
