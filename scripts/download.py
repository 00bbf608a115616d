"""Download one round from upstream: the command of the DVC stage `download@<round>`."""

import argparse
from pathlib import Path

from breakeven import config, fetch
from breakeven.program import run, say


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("round", help="a round that has a file in config/rounds, such as v4.1")
    parser.add_argument("--rounds", type=Path, default=Path("config/rounds"))
    parser.add_argument("--raw", type=Path, default=Path("data/raw"))
    arguments = parser.parse_args()
    pinned = config.load_round(arguments.rounds, arguments.round)
    fetch.download(
        pinned.repository,
        pinned.commit,
        pinned.folders,
        target=arguments.raw / pinned.round,
        manifest=arguments.raw / f"{pinned.round}.manifest.tsv",
        say=lambda line: say(f"{pinned.round}: {line}"),
    )


if __name__ == "__main__":
    run(main)
