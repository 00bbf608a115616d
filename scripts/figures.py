"""Draw one round's figures from its scaling and break-even tables."""

import argparse
import shutil
from pathlib import Path

from breakeven import config, figures, methods, scaling, tables
from breakeven.program import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--round", type=Path, required=True, help="the round's pin file")
    parser.add_argument("--scaling", type=Path, required=True)
    parser.add_argument("--breakeven", type=Path, required=True)
    parser.add_argument("--settings", help="JSON; default: `figures` of config/config.yaml")
    parser.add_argument("--output", type=Path, required=True, help="folder to fill with figures")
    parser.add_argument("--view", choices=sorted(figures.CHARTS), required=True)
    arguments = parser.parse_args()
    settings = config.section("figures", config.FigureSettings, arguments.settings)
    aside = arguments.output.with_name(f".{arguments.output.name}.partial")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    drawn = figures.build(
        tables.read(arguments.scaling, scaling.SCALING),
        tables.read(arguments.breakeven, methods.BREAKEVEN),
        config.load(config.Round, arguments.round),
        arguments.view,
    )
    for number, figure in enumerate(drawn, start=1):
        figures.save(figure, aside, settings.png_scale)
        say(f"figure {number}: {figure.name}")
    shutil.rmtree(arguments.output, ignore_errors=True)
    aside.replace(arguments.output)


if __name__ == "__main__":
    run(main)
