"""What the Snakefile needs: the checked configuration, and the files that each rule depends on."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from breakeven import config, packing, pins, program
from breakeven.dependencies import imported_modules
from breakeven.errors import BreakevenError

# What results are made of.
TIMED = ("breakeven/**/*", "scripts/*", "config/**/*", "data/facts/*/*", "data/raw/*", "docs/**/*")


@dataclass(frozen=True)
class Plan:
    """The configuration of one workflow run, checked as a whole."""

    root: Path
    settings: config.Settings
    rounds: dict[str, config.Round]

    def code(self, program: str) -> list[str]:
        """List ``scripts/<program>.py`` and the library modules it imports."""
        return imported_modules(self.root / "scripts" / f"{program}.py", self.root)

    def digest(self, program: str, *data: str) -> str:
        """Return one short digest of a program's code and data, which changes when they do."""
        content = hashlib.sha256()
        for path in [*self.code(program), *data]:
            content.update((self.root / path).read_bytes())
        return content.hexdigest()[:16]

    def source(self, round_name: str) -> str:
        """Name what the facts of a round must be parsed from."""
        pinned = self.rounds.get(round_name)
        if pinned is None:
            pinned = config.load_round(self.root / "config" / "rounds", round_name)
        return pinned.source()

    def raw(self, round_name: str) -> str:
        """Return the hash of a round's raw files that dvc.lock pins; empty where it pins none."""
        return pins.raw_hash(self.root / "dvc.lock", round_name)

    def packed(self) -> list[str]:
        """List the code, configuration and facts that a crate holds beside the results."""
        return packing.project_files(self.root, list(self.rounds))

    def revision(self) -> str:
        """Name the commit of the tree and whether anything differs from it."""
        found = packing.revision(self.root)
        return f"{found.commit} {found.tree}"

    def section(self, name: str) -> str:
        """Return one section of the settings as JSON, for a program's ``--settings``."""
        return json.dumps(getattr(self.settings, name).model_dump(mode="json"), sort_keys=True)

    def settle_times(self) -> None:
        """Take back times in the future, which a clock that was set back leaves behind.

        Snakemake refuses a result that is older than what it was made of. What it is made of is
        compared by content wherever its time is the newer one, so results become old.
        """
        now = time.time()
        for pattern, settled in (*((pattern, now) for pattern in TIMED), ("results/**/*", 0)):
            for path in self.root.glob(pattern):
                with contextlib.suppress(OSError):
                    if path.lstat().st_mtime > now + 1:
                        os.utime(path, (settled, settled), follow_symlinks=False)

    def show_summary(self) -> None:
        """Print what a run of all rounds ends with, where it is there."""
        path = self.root / "results" / "summary.txt"
        if path.is_file():
            program.show(path.read_text(encoding="utf-8"))


def plan(root: Path, content: Mapping[str, Any]) -> Plan:
    """Check everything in ``config/`` that the workflow will read.

    Args:
        root: the project's folder.
        content: Snakemake's ``config``: config/config.yaml with the command line's overrides.

    Raises:
        BreakevenError: one line that names the file, the key and what is allowed.
    """
    folder = root / "config"
    settings = config.validate(config.Settings, dict(content), "config/config.yaml")
    for model, name in (
        (config.Benchmarks, "benchmarks.yaml"),
        (config.Descriptions, "descriptions.yaml"),
        (config.Vocabulary, "vocabulary.yaml"),
        (config.Accelerators, "accelerators.yaml"),
    ):
        config.load(model, folder / name)
    pins = {name: config.load_round(folder / "rounds", name) for name in settings.rounds}
    return Plan(root, settings, pins)


def plan_or_exit(root: Path, content: Mapping[str, Any]) -> Plan:
    """Do the same; end the program with the one line alone where something is wrong."""
    # Names are UTF-8 upstream, whatever this machine's locale says; jobs inherit it.
    os.environ["PYTHONUTF8"] = "1"
    try:
        return plan(root, content)
    except BreakevenError as error:
        message = str(error).replace(f"{root}/", "")
        program.fail(f"configuration error: {message}")
        sys.exit(1)
