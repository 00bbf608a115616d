"""All rounds together: what was handed in before, and what compares with what."""

import pandas as pd

from breakeven.history import build, resubmissions
from tests.unit.test_scaling import scores


def run_rows(round_name, benchmark, *runs):
    return [
        {
            "round": round_name, "submitter": "S", "system": system, "benchmark": benchmark,
            "path": f"S/results/{system}/{benchmark}/result_{i}.txt", "blob": blob,
            "start_ms": start, "stop_ms": stop, "status": "success",
        }
        for i, (system, blob, start, stop) in enumerate(runs)
    ]  # fmt: skip


def tables_of(*rounds):
    """Make runs and scores from (round, benchmark, workload, span, minutes, runs)."""
    runs, score_tables = [], []
    for round_name, benchmark, workload, span, minutes, specification in rounds:
        runs += run_rows(round_name, benchmark, *specification)
        names = {"round": round_name, "benchmark": benchmark, "workload": workload, "span": span}
        score_tables.append(scores(("S", "a", 8, minutes), **names))
    return pd.DataFrame(runs), pd.concat(score_tables, ignore_index=True)


def test_runs_handed_in_again_are_found_across_a_renamed_benchmark():
    runs, table = tables_of(
        ("v4.1", "ssd", "retinanet", "x", 9.0, [("a", "b1", 1.0, 2.0), ("a", "b2", 3.0, 4.0)]),
        (
            "v5.0",
            "retinanet",
            "retinanet",
            "x",
            9.0,
            [("a", "b9", 1.0, 2.0), ("a", "b2", 3.0, 4.0)],
        ),
        (
            "v10.0",
            "retinanet",
            "retinanet",
            "x",
            9.0,
            [("a", "b9", 1.0, 2.0), ("a", "c", 5.0, 6.0)],
        ),
    )
    again = resubmissions(runs, table)
    assert again[["round", "path", "original_round"]].to_numpy().tolist() == [
        ["v10.0", "S/results/a/retinanet/result_0.txt", "v4.1"],
        ["v5.0", "S/results/a/retinanet/result_0.txt", "v4.1"],
        ["v5.0", "S/results/a/retinanet/result_1.txt", "v4.1"],
    ]
    history = build(table, runs, again)
    named = history[history["basis"] == "overall"].set_index("round")["resubmission_of"]
    assert named.dropna().to_dict() == {"v5.0": "v4.1/S/a"}


def test_the_same_times_of_another_benchmark_are_another_run():
    runs, table = tables_of(
        ("v4.1", "ssd", "retinanet", "x", 9.0, [("a", "b1", 1.0, 2.0)]),
        ("v5.0", "bert", "bert", "x", 9.0, [("a", "b2", 1.0, 2.0)]),
    )
    assert resubmissions(runs, table).empty


def test_history_keeps_the_best_available_closed_result_of_each_family():
    table = scores(
        ("S", "a", 8, 20.0),
        ("S", "b", 64, 5.0),
        ("S", "soon", 64, 1.0, {"category": "preview"}),
        ("S", "open", 64, 1.0, {"division": "open"}),
        ("S", "copy", 64, 4.0, {"duplicate_of": "S/b"}),
        ("T", "c", 8, 30.0, {"accelerator_family": "Y2"}),
    )
    runs = pd.DataFrame(run_rows("v9.9", "bert", ("a", "b1", 1.0, 2.0)))
    history = build(table, runs, resubmissions(runs, table))
    overall = history[history["basis"] == "overall"].set_index("accelerator_family")
    assert overall["system"].to_dict() == {"X1": "b", "Y2": "c"}
    assert overall["accelerator_hours"].to_dict() == {"X1": 64 * 5 / 60, "Y2": 8 * 30 / 60}
    equal = history[history["basis"] == "equal"]
    assert sorted(equal["system"]) == ["a", "b", "c"]
