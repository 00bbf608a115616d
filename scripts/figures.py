"""Draw one round's figures from its tables."""

import argparse
from pathlib import Path

from breakeven import config, figures, provenance, schemas, tables
from breakeven.program import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--round", type=Path, required=True, help="the round's pin file")
    parser.add_argument("--scaling", type=Path, required=True)
    parser.add_argument("--breakeven", type=Path, required=True)
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--settings", help="JSON; default: `figures` of config/config.yaml")
    parser.add_argument("--views", nargs="+", choices=figures.VIEWS, default=list(figures.VIEWS))
    parser.add_argument("--output", type=Path, required=True, help="folder of the views' folders")
    arguments = parser.parse_args()
    settings = config.section("figures", config.FigureSettings, arguments.settings)
    source = figures.Source(
        scaling=tables.read(arguments.scaling, schemas.SCALING),
        breakeven=tables.read(arguments.breakeven, schemas.BREAKEVEN),
        runs=tables.read(arguments.runs, schemas.RUNS),
        pinned=config.load(config.Round, arguments.round),
        language=settings.language,
    )
    inputs = [arguments.round, arguments.scaling, arguments.breakeven, arguments.runs]
    made = provenance.maker("scripts/figures.py", inputs, {"figures": settings})
    for view in arguments.views:
        drawn = figures.build(source, view)
        figures.fill(arguments.output / view, drawn, settings.png_scale, made, say)


if __name__ == "__main__":
    run(main)
