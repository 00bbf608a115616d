"""Parse one round's raw files anew and say whether its facts are what they say."""

import argparse
from pathlib import Path

from breakeven import config, facts, fetch, files, parse, verdict
from breakeven.errors import BreakevenError
from breakeven.program import run, say, show


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--round", type=Path, required=True, help="the round's pin file")
    parser.add_argument("--manifest", type=Path, required=True)
    parser.add_argument("--raw", type=Path, required=True, help="the folder of downloaded files")
    parser.add_argument("--facts", type=Path, required=True, help="the folder of the facts")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--output", type=Path, required=True, help="the report to write")
    parser.add_argument("--descriptions", type=Path, default=Path("config/descriptions.yaml"))
    arguments = parser.parse_args()
    accepted = config.load(config.Descriptions, arguments.descriptions)
    pinned = config.load(config.Round, arguments.round)
    entries = fetch.read_manifest(arguments.manifest)
    altered = fetch.altered(entries, arguments.raw)
    theirs = parse.parse(entries, pinned.layout, accepted, arguments.raw, arguments.workers, say)
    ours = facts.load(arguments.facts)
    source = f"{pinned.repository} at commit {pinned.commit}"
    report = verdict.verdict(ours, theirs, altered, source)
    show(report.text, end="")
    if not report.holds:
        raise BreakevenError(f"{pinned.round}: the facts are not what upstream's files say")
    with files.written_aside(arguments.output) as aside:
        aside.write_text(report.text, encoding="utf-8")


if __name__ == "__main__":
    run(main)
