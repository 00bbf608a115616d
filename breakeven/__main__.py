"""The ``breakeven`` command: what people do with the project besides running the workflow."""

from __future__ import annotations

import argparse
import datetime
import json
import subprocess
from pathlib import Path

from breakeven import advice, analysis, config, explain, facts, rounds, scaling
from breakeven.errors import BreakevenError
from breakeven.program import run, say, show

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
    show(f"{name} is pinned, downloaded and parsed. Before `snakemake`, add:")
    for entry in new or ["nothing: the configuration knows everything in it"]:
        show(f"  [ ] {entry}")
    show("Then see docs/adding-a-round.md, from step 3 on.")


def advise(arguments: argparse.Namespace) -> None:
    """Say which measured systems meet a time or a budget."""
    root = Path.cwd()
    if arguments.within is None and arguments.budget is None:
        raise BreakevenError("advise: give --within a time, or --budget of accelerator-hours")
    wish = advice.Wish(
        None if arguments.within is None else advice.minutes_of(" ".join(arguments.within)),
        None if arguments.budget is None else advice.budget_of(" ".join(arguments.budget)),
    )
    settings = config.load(config.Settings, root / "config" / "config.yaml")
    name = advice.choose(arguments.round, settings.rounds, "round")
    runs, scores = analysis.scored_round(root, name)
    mine = advice.candidates(scores, arguments.benchmark, arguments.accelerator)
    found = advice.advise(mine, wish)
    asked = " and ".join(
        text
        for text in (
            f"within {wish.minutes:g} minutes" if wish.minutes else "",
            f"for at most {wish.accelerator_hours:g} accelerator-hours"
            if wish.accelerator_hours
            else "",
        )
        if text
    )
    show(f"{mine['model'].iloc[0]} on {arguments.accelerator}, {name}, closed division, {asked}:")
    for line in advice.as_text(found, len(mine)):
        show(line)
    table = scaling.build(mine, runs, settings.uncertainty)
    for line in advice.between_as_text(advice.between(table[table["view"] == "series"], wish)):
        show(line)
    show(
        "Minutes are official; hours and interpolations are unofficial, not verified by MLCommons."
    )


def show_chain(arguments: argparse.Namespace) -> None:
    """Trace an artefact, or one of its points, back to the log lines."""
    wanted = []
    for text in arguments.where:
        column, equals, value = text.partition("=")
        if not equals:
            raise BreakevenError(f"explain: --where {text}: give COLUMN=VALUE")
        wanted.append((column, value))
    root = Path.cwd()
    if not (root / "results").is_dir():
        raise BreakevenError(
            "explain: there is no results folder here; run it in the project's folder, after "
            "snakemake"
        )
    step = explain.explain(root, arguments.file, wanted, arguments.point)
    if arguments.json:
        show(json.dumps(step.as_json(), ensure_ascii=False, indent=1, sort_keys=True))
    else:
        show(step.as_text())


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
    ask = commands.add_parser("advise", help="which measured systems meet a time or a budget")
    ask.add_argument("--round", required=True, help="such as v4.1")
    ask.add_argument("--benchmark", required=True, help="such as llama2_70b_lora")
    ask.add_argument("--accelerator", required=True, help="a family or model, such as H100")
    ask.add_argument("--within", nargs="+", help="a time: 10min, 1.5h, 90s")
    ask.add_argument("--budget", nargs="+", help="such as: 20 accelerator-hours")
    ask.set_defaults(command=advise)
    trace = commands.add_parser("explain", help="from a figure or table back to the log lines")
    trace.add_argument("file", type=Path, help="a figure, picture, table or page, or a copy of one")
    trace.add_argument("--point", type=int, help="one of the points that are listed without it")
    trace.add_argument(
        "--where", action="append", default=[], metavar="COLUMN=VALUE", help="choose rows"
    )
    trace.add_argument("--json", action="store_true", help="for machines")
    trace.set_defaults(command=show_chain)
    return top


def main() -> None:
    """Run the command that was asked for."""
    arguments = parser().parse_args()
    run(lambda: arguments.command(arguments), job=False)


if __name__ == "__main__":
    main()
