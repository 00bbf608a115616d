"""Parse one round's raw files into its facts tables."""

import argparse
from pathlib import Path

from breakeven import config, fetch, parse
from breakeven.program import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--round", type=Path, required=True, help="the round's pin file")
    parser.add_argument("--manifest", type=Path, required=True)
    parser.add_argument("--raw", type=Path, required=True, help="the folder of downloaded files")
    parser.add_argument("--facts", type=Path, required=True, help="folder to write the tables to")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--descriptions", type=Path, default=Path("config/descriptions.yaml"))
    arguments = parser.parse_args()
    accepted = config.load(config.Descriptions, arguments.descriptions)
    pinned = config.load(config.Round, arguments.round)
    entries = fetch.read_manifest(arguments.manifest)
    found = parse.parse(entries, pinned.layout, accepted, arguments.raw, arguments.workers, say)
    # Not before: it takes Arrow, which is better loaded while the logs are read.
    from breakeven import facts

    facts.write(found, arguments.facts, pinned.source())


if __name__ == "__main__":
    run(main)
