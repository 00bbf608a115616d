"""Draw the history of each benchmark over all rounds."""

import argparse
from pathlib import Path

from breakeven import config, figures, provenance, schemas, tables
from breakeven.program import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--history", type=Path, required=True, help="history.parquet")
    parser.add_argument("--settings", help="JSON; default: `figures` of config/config.yaml")
    parser.add_argument("--output", type=Path, required=True, help="folder to fill with figures")
    arguments = parser.parse_args()
    settings = config.section("figures", config.FigureSettings, arguments.settings)
    table = tables.read(arguments.history, schemas.HISTORY)
    made = provenance.maker("scripts/history.py", [arguments.history], {"figures": settings})
    drawn = figures.build_history(table, settings.language)
    figures.fill(arguments.output, drawn, settings.png_scale, made, say)


if __name__ == "__main__":
    run(main)
