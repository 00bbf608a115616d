"""Make one round's break-even table, and the summary people read first."""

import argparse
from pathlib import Path

from breakeven import config, methods, scaling, scores, summary, tables
from breakeven.program import run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scaling", type=Path, required=True, help="the round's scaling.parquet")
    parser.add_argument("--scores", type=Path, required=True, help="the round's scores.parquet")
    parser.add_argument("--settings", help="JSON; default: `breakeven` of config/config.yaml")
    parser.add_argument("--output", type=Path, required=True, help="folder to write the table to")
    arguments = parser.parse_args()
    settings = config.section("breakeven", config.BreakevenSettings, arguments.settings)
    score_table = tables.read(arguments.scores, scores.SCORES)
    scaling_table = tables.read(arguments.scaling, scaling.SCALING)
    table = methods.build(scaling_table, score_table, settings)
    tables.write_both(table, methods.BREAKEVEN, methods.KEYS, arguments.output / "breakeven")
    text = summary.breakeven_text(table, score_table, str(score_table["round"].iloc[0]))
    with tables.written_aside(arguments.output / "summary.txt") as aside:
        aside.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    run(main)
