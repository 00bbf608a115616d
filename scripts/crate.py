"""Pack results, facts, configuration and code as one Workflow Run RO-Crate."""

import argparse
from pathlib import Path

from breakeven import config, crate, packing
from breakeven.program import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rounds", nargs="+", help="names of the rounds, such as v4.1")
    parser.add_argument("--pins", type=Path, default=Path("config/rounds"))
    parser.add_argument("--output", type=Path, required=True, help="the zip file to write")
    arguments = parser.parse_args()
    root = Path()
    pins = {name: config.load_round(arguments.pins, name) for name in arguments.rounds}
    paths = packing.project_files(root, list(pins)) + crate.result_files(root, list(pins))
    crate.write(root, paths, pins, packing.revision(root), arguments.output)
    say(f"{len(paths)} files, {arguments.output.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    run(main)
