"""Draw one round's figures from its scaling and break-even tables."""

import argparse
from pathlib import Path

from breakeven import config, figures, schemas, tables
from breakeven.program import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--round", type=Path, required=True, help="the round's pin file")
    parser.add_argument("--scaling", type=Path, required=True)
    parser.add_argument("--breakeven", type=Path, required=True)
    parser.add_argument("--settings", help="JSON; default: `figures` of config/config.yaml")
    parser.add_argument("--output", type=Path, required=True, help="folder to fill with figures")
    parser.add_argument("--view", choices=figures.VIEWS, required=True)
    arguments = parser.parse_args()
    settings = config.section("figures", config.FigureSettings, arguments.settings)
    drawn = figures.build(
        tables.read(arguments.scaling, schemas.SCALING),
        tables.read(arguments.breakeven, schemas.BREAKEVEN),
        config.load(config.Round, arguments.round),
        arguments.view,
    )
    figures.fill(arguments.output, drawn, settings.png_scale, say)


if __name__ == "__main__":
    run(main)
