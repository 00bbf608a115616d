"""Make one round's scaling table from its scores and runs."""

import argparse
from pathlib import Path

from breakeven import config, provenance, scaling, schemas, tables
from breakeven.program import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scores", type=Path, required=True, help="the round's scores.parquet")
    parser.add_argument("--runs", type=Path, required=True, help="the round's runs.parquet")
    parser.add_argument("--settings", help="JSON; default: `uncertainty` of config/config.yaml")
    parser.add_argument("--output", type=Path, required=True, help="folder to write the table to")
    arguments = parser.parse_args()
    settings = config.section("uncertainty", config.UncertaintySettings, arguments.settings)
    score_table = tables.read(arguments.scores, schemas.SCORES)
    run_table = tables.read(arguments.runs, schemas.RUNS)
    table = scaling.build(score_table, run_table, settings)
    for benchmark in scaling.not_in_series(score_table, table):
        say(f"{benchmark}: no series at two or more accelerator counts")
    stem = arguments.output / "scaling"
    tables.write_both(table, schemas.SCALING, schemas.SCALING_KEYS, stem)
    made = provenance.maker(
        "scripts/scaling.py", [arguments.scores, arguments.runs], {"uncertainty": settings}
    )
    made.tables(stem, points=scaling.runs_of_points(table, run_table))


if __name__ == "__main__":
    run(main)
