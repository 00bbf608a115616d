"""Write the interactive page over all rounds, as one file that needs nothing beside it."""

import argparse
from pathlib import Path

import pandas as pd

from breakeven import config, files, provenance, report, tables
from breakeven.config import round_number
from breakeven.program import run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rounds", nargs="+", help="names of the rounds, such as v4.1")
    parser.add_argument("--results", type=Path, default=Path("results"))
    parser.add_argument("--pins", type=Path, default=Path("config/rounds"))
    parser.add_argument("--settings", help="JSON; default: `breakeven` of config/config.yaml")
    parser.add_argument("--noise", help="JSON; default: `uncertainty` of config/config.yaml")
    parser.add_argument("--output", type=Path, required=True, help="the page to write")
    arguments = parser.parse_args()
    names = sorted(arguments.rounds, key=round_number)
    asked = config.section("breakeven", config.BreakevenSettings, arguments.settings)
    noise = config.section("uncertainty", config.UncertaintySettings, arguments.noise)
    frames, digests = {}, {}
    pins = [arguments.pins / f"{name}.yaml" for name in names]
    inputs = [*pins, *sorted(report.TEMPLATES.iterdir())]
    for source in report.SOURCES:
        listed = source.files(names)
        paths = [arguments.results / file for file in listed]
        inputs += paths
        frames[source.name] = pd.concat([tables.read(path, source.schema) for path in paths])
        for file, path in zip(listed, paths, strict=True):
            digests[file] = provenance.sha256(path)
    text = report.page(
        frames,
        {name: config.load_round(arguments.pins, name) for name in names},
        {"breakeven": asked.model_dump(mode="json"), "uncertainty": noise.model_dump(mode="json")},
        digests,
    )
    with files.written_aside(arguments.output) as aside:
        aside.write_text(text, encoding="utf-8", newline="\n")
    made = provenance.maker("scripts/report.py", inputs, {"breakeven": asked, "uncertainty": noise})
    made.record(provenance.sidecar_of(arguments.output), [arguments.output])


if __name__ == "__main__":
    run(main)
