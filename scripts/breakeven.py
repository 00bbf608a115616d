"""Make one round's break-even tables from its scaling table, and the summary people read first."""

import argparse
from pathlib import Path

from breakeven import conclusions, config, files, methods, provenance, schemas, summary, tables
from breakeven.program import run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scaling", type=Path, required=True, help="the round's scaling.parquet")
    parser.add_argument("--scores", type=Path, required=True, help="the round's scores.parquet")
    parser.add_argument("--runs", type=Path, required=True, help="the round's runs.parquet")
    parser.add_argument("--settings", help="JSON; default: `breakeven` of config/config.yaml")
    parser.add_argument("--noise", help="JSON; default: `uncertainty` of config/config.yaml")
    parser.add_argument("--output", type=Path, required=True, help="folder to write the tables to")
    arguments = parser.parse_args()
    settings = config.section("breakeven", config.BreakevenSettings, arguments.settings)
    noise = config.section("uncertainty", config.UncertaintySettings, arguments.noise)
    score_table = tables.read(arguments.scores, schemas.SCORES)
    scaling_table = tables.read(arguments.scaling, schemas.SCALING)
    run_table = tables.read(arguments.runs, schemas.RUNS)
    answers, behind = methods.build(scaling_table, score_table, run_table, settings, noise)
    concluded = conclusions.build(scaling_table, answers, behind)
    folder = arguments.output
    tables.write_both(answers, schemas.BREAKEVEN, schemas.BREAKEVEN_KEYS, folder / "breakeven")
    tables.write_both(
        behind, schemas.PROBABILITIES, schemas.PROBABILITIES_KEYS, folder / "probabilities"
    )
    tables.write_both(
        concluded, schemas.CONCLUSIONS, schemas.CONCLUSIONS_KEYS, folder / "conclusions"
    )
    text = summary.breakeven_text(answers, concluded, score_table)
    with files.written_aside(folder / "summary.txt") as aside:
        aside.write_text(text, encoding="utf-8")
    inputs = [arguments.scaling, arguments.scores, arguments.runs]
    made = provenance.maker(
        "scripts/breakeven.py", inputs, {"breakeven": settings, "uncertainty": noise}
    )
    made.tables(*(folder / name for name in ("breakeven", "probabilities", "conclusions")))
    made.record(folder / "summary.prov.json", [folder / "summary.txt"])


if __name__ == "__main__":
    run(main)
