"""The ``breakeven`` command: what people do with the project besides running the workflow."""

from __future__ import annotations

import argparse
import datetime
import subprocess
from pathlib import Path

from breakeven import config, facts, rounds
from breakeven.errors import BreakevenError
from breakeven.program import run, say

UPSTREAM = "https://github.com/mlcommons/training_results_{round}"
DATA_FOLDERS = ["{submitter}/results/", "{submitter}/systems/"]


def add_round(arguments: argparse.Namespace) -> None:
    """Pin a round, download and parse it, and list the entries that the configuration lacks."""
    root = Path.cwd()
    name = arguments.round
    config.validate(config.Settings, {"rounds": [name]}, "add-round")
    number = name.removeprefix("v")
    pin: dict[str, object] = {
        "round": name,
        "title": f"MLPerf Training {name}",
        "ruleset": arguments.ruleset or f"{number}.0",
        "published": arguments.published or datetime.date.today(),
        "repository": arguments.repository or UPSTREAM.format(round=name),
        "commit": arguments.commit,
        "origin": "MLCommons Association and the submitters of the round",
        "licence": "Apache-2.0",
        "accessed": datetime.date.today(),
        "folders": DATA_FOLDERS,
    }
    path = rounds.write_pin(root, pin)
    say(f"wrote {path.relative_to(root)}, and {name} into `rounds` of config/config.yaml")
    target = f"data/facts/{name}/files.parquet"
    done = subprocess.run(["snakemake", "--no-hooks", target], check=False)
    if done.returncode:
        raise BreakevenError(
            f"{name}: download or parse failed (see above). Run `snakemake {target}` again, or "
            f"take the round back: remove {path.name} and its name in config/config.yaml"
        )
    load, folder = config.load, root / "config"
    new = rounds.whats_new(
        facts.read(root / "data" / "facts" / name),
        name,
        load(config.Benchmarks, folder / "benchmarks.yaml"),
        load(config.Vocabulary, folder / "vocabulary.yaml"),
        load(config.Accelerators, folder / "accelerators.yaml"),
    )
    print(f"{name} is pinned, downloaded and parsed. Before `snakemake`, add:")
    for entry in new or ["nothing: the configuration knows everything in it"]:
        print(f"  [ ] {entry}")
    print("Then see docs/adding-a-round.md, from step 3 on.")


def parser() -> argparse.ArgumentParser:
    """Describe the command line."""
    top = argparse.ArgumentParser(prog="breakeven", description=__doc__)
    commands = top.add_subparsers(title="commands", required=True)
    add = commands.add_parser("add-round", help="pin, download and parse a new round")
    add.add_argument("round", help="its name, such as v6.0")
    add.add_argument("--commit", required=True, help="the upstream commit, 40 hex digits")
    add.add_argument("--repository", help=f"default: {UPSTREAM.format(round='<round>')}")
    add.add_argument("--ruleset", help="default: the round's number, as in 6.0.0")
    add.add_argument(
        "--published", type=datetime.date.fromisoformat, help="YYYY-MM-DD; default: today"
    )
    add.set_defaults(command=add_round)
    return top


def main() -> None:
    """Run the command that was asked for."""
    arguments = parser().parse_args()
    run(lambda: arguments.command(arguments))


if __name__ == "__main__":
    main()
