"""Put all rounds together: history, resubmissions, problems, and the summary people read first."""

import argparse
from pathlib import Path

import pandas as pd
import pyarrow as pa

from breakeven import files, history, schemas, summary, tables
from breakeven.config import round_number
from breakeven.program import run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rounds", nargs="+", help="names of the rounds, such as v4.1")
    parser.add_argument("--results", type=Path, default=Path("results"))
    arguments = parser.parse_args()
    folder = arguments.results
    names = sorted(arguments.rounds, key=round_number)

    def every(name: str, schema: pa.Schema) -> pd.DataFrame:
        return pd.concat([tables.read(folder / r / f"{name}.parquet", schema) for r in names])

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
    latest = tables.read(folder / names[-1] / "breakeven.parquet", schemas.BREAKEVEN)
    concluded = tables.read(folder / names[-1] / "conclusions.parquet", schemas.CONCLUSIONS)
    text = summary.overview_text(latest, concluded, score_table, problem_table, len(again))
    with files.written_aside(folder / "summary.txt") as aside:
        aside.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    run(main)
