"""Which runs count, and why the others do not."""

import pandas as pd
import pytest

from breakeven.runs import duplicates, official_reason, outcome


def event(key, time_ms, line=1, status=None, text=None):
    content = {"key": key, "time_ms": time_ms, "line": line, "status": status, "text": text}
    return {**content, "value": None}


START, STOP = event("run_start", 60_000.0), event("run_stop", 180_000.0, 9, "success")


def test_a_successful_run_counts_with_its_minutes():
    result = outcome([START, STOP])
    assert (result.counted, result.minutes, result.reason) == (True, 2.0, "")


@pytest.mark.parametrize(
    ("events", "status", "reason"),
    [
        ([], "unusable", "no run_start line"),
        ([STOP], "unusable", "no run_start line"),
        ([START], "unfinished", "no run_stop line"),
        ([START, event("run_start", 7.0, 4), STOP], "unusable", "several run_start lines (1, 4)"),
        ([START, STOP, event("run_stop", 190_000.0, 12, "success")], "unusable",
         "several run_stop lines (9, 12)"),
        ([event("run_start", None), STOP], "unusable", "run_start in line 1 has no usable time"),
        ([event("run_start", 0.0), STOP], "unusable", "run_start in line 1 has no usable time"),
        ([START, event("run_stop", -5.0, 9, "success")], "unusable",
         "run_stop in line 9 has no usable time"),
        ([event("run_start", 180_000.0), STOP], "unusable", "run_stop is not after run_start"),
        ([START, event("run_stop", 1e13, 9, "success")], "unusable",
         "run_start and run_stop are over 60 days apart"),
        ([START, event("run_stop", 180_000.0, 9, "aborted")], "aborted", "run_stop says 'aborted'"),
        ([START, event("run_stop", 180_000.0, 9, "fail")], "fail", "run_stop says 'fail'"),
        ([START, event("run_stop", 180_000.0, 9)], "unknown", "run_stop gives no status"),
    ],
)  # fmt: skip
def test_a_run_that_does_not_count_has_a_reason(events, status, reason):
    result = outcome(events)
    assert (result.counted, result.status, result.reason) == (False, status, reason)
    assert result.minutes is None or result.minutes > 0


def test_the_same_line_from_two_processes_counts_once():
    assert outcome([START, {**START, "line": 2}, STOP, {**STOP, "line": 10}]).counted


def test_official_reasons():
    assert official_reason(None, 12.0, 30.0) == ""
    assert official_reason(785.0, None, None).startswith("line 785 is not valid JSON")
    assert official_reason(None, 31.5, 30.0).startswith("initialisation took 31.5 minutes")
    assert official_reason(None, 31.5, None) == ""


def test_duplicates_are_found_by_blob_and_by_times_and_name_the_first():
    runs = pd.DataFrame(
        [
            ("S/results/a-x/bert/result_0.txt", "b1", "bert", 1.0, 2.0),
            ("S/results/a/bert/result_0.txt", "b2", "bert", 1.0, 2.0),
            ("S/results/a/bert/result_1.txt", "b3", "bert", 5.0, 6.0),
            ("T/results/a/bert/result_7.txt", "b3", "bert", None, None),
            ("T/results/a/ssd/result_0.txt", "b4", "ssd", 1.0, 2.0),
        ],
        columns=["path", "blob", "benchmark", "start_ms", "stop_ms"],
    )
    assert duplicates(runs).astype(object).where(lambda c: c.notna(), None).tolist() == [
        "S/results/a/bert/result_0.txt",
        None,
        None,
        "S/results/a/bert/result_1.txt",
        None,
    ]


EVALUATION = {**event("eval_accuracy", 150_000.0, 5), "value": 0.7493}
SILENT = event("run_stop", 180_000.0, 9)


@pytest.mark.parametrize(
    ("own", "configured", "status"),
    [(0.749, None, "success"), (0.75, None, "unknown"), (None, 0.749, "success"),
     (0.75, 0.749, "unknown"), (None, None, "unknown")],
)  # fmt: skip
def test_a_stop_without_status_counts_where_the_last_evaluation_reached_the_target(
    own, configured, status
):
    target = [{**event("eval_target", 61_000.0, 2), "value": own}] if own else []
    result = outcome([START, *target, EVALUATION, SILENT], target=configured)
    assert result.status == status
    assert result.counted == (status == "success")


def test_a_run_may_end_at_its_eval_result():
    result_line = {**event("eval_result", 999_000.0, 8), "value": 90.0}
    result = outcome([START, result_line, STOP], ends_at="eval_result")
    assert (result.counted, result.minutes, result.stop["line"]) == (True, 1.5, 8)
    assert result.stop["time_ms"] == 150_000.0
    assert outcome([START, STOP], ends_at="eval_result").reason == "no eval_result with a time"
