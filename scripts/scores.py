"""Make one round's runs, scores, reconciliation and problems tables from its facts."""

import argparse
from pathlib import Path

from breakeven import analysis, config, facts, problems, provenance, schemas, scores, tables
from breakeven.program import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--round", type=Path, required=True, help="the round's pin file")
    parser.add_argument("--facts", type=Path, required=True, help="folder of the round's facts")
    parser.add_argument("--benchmarks", type=Path, default=Path("config/benchmarks.yaml"))
    parser.add_argument("--vocabulary", type=Path, default=Path("config/vocabulary.yaml"))
    parser.add_argument("--accelerators", type=Path, default=Path("config/accelerators.yaml"))
    parser.add_argument("--raw", default="", help="hash of the raw files, for the record")
    parser.add_argument("--output", type=Path, required=True, help="folder to write the tables to")
    arguments = parser.parse_args()
    pinned = config.load(config.Round, arguments.round)
    found = facts.read(arguments.facts, pinned.source())
    run_table, score_table, systems, warnings = analysis.scored(
        found,
        pinned,
        config.load(config.Benchmarks, arguments.benchmarks),
        config.load(config.Vocabulary, arguments.vocabulary),
        config.load(config.Accelerators, arguments.accelerators),
    )
    for warning in warnings:
        say(f"warning: {warning}")
    reconciliation = scores.reconcile(score_table, run_table)
    problem_table = problems.build(found, run_table, score_table, systems, pinned.round)
    folder = arguments.output
    tables.write_both(problem_table, schemas.PROBLEMS, schemas.PROBLEMS_KEYS, folder / "problems")
    tables.write_both(run_table, schemas.RUNS, schemas.RUNS_KEYS, folder / "runs")
    tables.write_both(score_table, schemas.SCORES, schemas.SCORES_KEYS, folder / "scores")
    tables.write_both(
        reconciliation,
        schemas.RECONCILIATION,
        schemas.RECONCILIATION_KEYS,
        folder / "reconciliation",
    )
    inputs = [
        arguments.round,
        arguments.benchmarks,
        arguments.vocabulary,
        arguments.accelerators,
        *facts.paths(arguments.facts),
    ]
    source = provenance.origin(pinned.round, pinned.repository, pinned.commit, arguments.raw)
    made = provenance.maker("scripts/scores.py", inputs, origins=[source])
    made.tables(*(folder / name for name in ("problems", "runs", "scores", "reconciliation")))


if __name__ == "__main__":
    run(main)
