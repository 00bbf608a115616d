"""A round's tables from its facts, in one call: what programs and the command share."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from breakeven import config, facts, names, runs, scores, tables
from breakeven.errors import BreakevenError


def scored(
    found: facts.Facts,
    pinned: config.Round,
    benchmarks: config.Benchmarks,
    vocabulary: config.Vocabulary,
    accelerators: config.Accelerators,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame, list[str]]:
    """Make the runs and scores of one round from its facts.

    Returns:
        The runs, scores and described systems tables, and warnings.
    """
    if not (found["files"]["kind"] == "run").any():
        raise BreakevenError(
            f"{pinned.round}: its facts list no run log; parse them anew with `make facts`"
        )
    systems = names.describe_systems(found["systems"], vocabulary, accelerators)
    divisions = {
        (row["submitter"], row["system"]): row["division"] for row in tables.records(systems)
    }
    run_table = runs.build(found, pinned, benchmarks, divisions)
    score_table, run_table, warnings = scores.build(found, run_table, systems, benchmarks, pinned)
    return run_table, score_table, systems, warnings


def scored_round(root: Path, name: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make the runs and scores of a round from the project's facts and configuration."""
    folder = root / "config"
    pinned = config.load_round(folder / "rounds", name)
    run_table, score_table, _, _ = scored(
        facts.read(root / "data" / "facts" / name, pinned.source()),
        pinned,
        config.load(config.Benchmarks, folder / "benchmarks.yaml"),
        config.load(config.Vocabulary, folder / "vocabulary.yaml"),
        config.load(config.Accelerators, folder / "accelerators.yaml"),
    )
    return run_table, score_table
