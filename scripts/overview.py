"""Put all rounds together: history, resubmissions, problems, and the summary people read first."""

import argparse
from pathlib import Path

import pandas as pd
import pyarrow as pa

from breakeven import files, history, provenance, schemas, summary, tables
from breakeven.config import round_number
from breakeven.program import run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rounds", nargs="+", help="names of the rounds, such as v4.1")
    parser.add_argument("--results", type=Path, default=Path("results"))
    arguments = parser.parse_args()
    folder = arguments.results
    names = sorted(arguments.rounds, key=round_number)

    read: set[Path] = set()

    def table(name: str, round_name: str, schema: pa.Schema) -> pd.DataFrame:
        path = folder / round_name / f"{name}.parquet"
        read.add(path)
        return tables.read(path, schema)

    def every(name: str, schema: pa.Schema) -> pd.DataFrame:
        return pd.concat([table(name, r, schema) for r in names])

    run_table = every("runs", schemas.RUNS)
    score_table = every("scores", schemas.SCORES)
    problem_table = every("problems", schemas.PROBLEMS)
    again = history.resubmissions(run_table, score_table)
    over_time = history.build(score_table, run_table, again)
    tables.write_both(
        again, schemas.RESUBMISSIONS, schemas.RESUBMISSIONS_KEYS, folder / "resubmissions"
    )
    tables.write_both(over_time, schemas.HISTORY, schemas.HISTORY_KEYS, folder / "history")
    tables.write_both(problem_table, schemas.PROBLEMS, schemas.PROBLEMS_KEYS, folder / "problems")
    latest = table("breakeven", names[-1], schemas.BREAKEVEN)
    concluded = table("conclusions", names[-1], schemas.CONCLUSIONS)
    text = summary.overview_text(latest, concluded, score_table, problem_table, len(again))
    with files.written_aside(folder / "summary.txt") as aside:
        aside.write_text(text, encoding="utf-8")
    made = provenance.maker("scripts/overview.py", read)
    made.tables(*(folder / name for name in ("resubmissions", "history", "problems")))
    made.record(folder / "summary.prov.json", [folder / "summary.txt"])


if __name__ == "__main__":
    run(main)
