"""The official scoring rule."""

import pytest

from breakeven.config import Rules
from breakeven.scores import duplicate_of, first_in_order, olympic_mean
from breakeven.scores import score as score_by

RULES = Rules("bert", "bert", "BERT", runs=10, dropped=1, span="v4.1")


def score(table, dropped, factor):
    assert dropped == RULES.dropped
    return score_by(table, RULES, factor)


@pytest.mark.parametrize(
    ("minutes", "failed", "dropped", "mean"),
    [
        ([5, 1, 2, 3, 4], 0, 1, 3.0),
        ([1, 2, 3, 4], 1, 1, 3.0),
        ([1, 2, 3], 2, 1, None),
        ([7, 8, 9], 0, 1, 8.0),
        ([8, 9], 1, 1, 9.0),
        ([7, 8], 0, 1, None),
        ([], 0, 1, None),
        (list(range(40)), 0, 4, 19.5),
        (list(range(36)), 4, 4, 19.5),
        (list(range(37)), 3, 4, 19.5),
        ([1, 2], 0, 0, 1.5),
    ],
)
def test_olympic_mean(minutes, failed, dropped, mean):
    assert olympic_mean(minutes, failed, dropped) == mean


def runs(*specifications):
    rows = []
    for i, (status, minutes, official_reason) in enumerate(specifications):
        rows.append(
            {
                "submitter": "S",
                "system": "a",
                "path": f"S/results/a/bert/result_{i}.txt",
                "status": status,
                "counted": status == "success",
                "minutes": minutes,
                "official_reason": official_reason,
                "converged_at": float(i),
                "progress_unit": "samples",
                "global_batch_size": 8.0,
                "duplicate_of": None,
            }
        )
    return rows


def repeating(rows, originals):
    return [{**row, "duplicate_of": path} for row, path in zip(rows, originals, strict=True)]


GOOD = ("success", 10.0, "")


def test_score_multiplies_the_mean_by_the_factor():
    result = score(runs(GOOD, ("success", 20.0, ""), ("success", 40.0, "")), 1, 1.1)
    assert result["mean_minutes"] == 20.0
    assert result["minutes"] == 20.0 * 1.1
    assert (result["runs"], result["runs_failed"], result["runs_absent"]) == (3, 0, 0)


def test_absent_logs_are_counted_and_fail_nothing():
    result = score(runs(GOOD, GOOD, GOOD, ("absent", None, ""), ("absent", None, "")), 1, 1.0)
    assert (result["minutes"], result["runs"], result["runs_absent"]) == (10.0, 3, 2)


def test_all_absent_is_neither_zero_nor_left_out():
    result = score(runs(("absent", None, "")), 1, 1.0)
    assert result["minutes"] is None
    assert result["reason"] == "absent: no log could be had"


def test_too_many_failures_give_no_score_and_a_reason():
    result = score(runs(GOOD, GOOD, GOOD, ("aborted", 9.0, ""), ("unfinished", None, "")), 1, 1.0)
    assert result["minutes"] is None
    assert result["reason"] == "2 runs did not count; at most 1 may"


def test_what_the_official_tool_would_drop_is_a_second_number():
    odd = ("success", 1.0, "line 3 is not valid JSON")
    times = [("success", float(t), "") for t in (2, 3, 4)]
    result = score(runs(odd, *times), 1, 2.0)
    assert result["minutes"] == 2.5 * 2
    assert result["official_minutes"] == 3.5 * 2


def test_an_unreadable_factor_gives_no_score():
    result = score(runs(GOOD, GOOD, GOOD), 1, None)
    assert (result["minutes"], result["reason"]) == (None, "its scaling.json could not be read")


def test_a_score_is_a_duplicate_when_all_its_runs_are():
    owners = {"B0": ("S", "b"), "B1": ("S", "b"), "A0": ("S", "a")}
    table = runs(GOOD, GOOD)
    assert duplicate_of(repeating(table, ["B0", "B1"]), owners) == "S/b"
    assert duplicate_of(repeating(table, ["B0", None]), owners) is None
    assert duplicate_of(repeating(table, ["A0", "A0"]), owners) is None


def test_runs_listed_twice_in_one_folder_are_counted():
    table = runs(GOOD, GOOD, GOOD)
    first = table[0]["path"]
    assert score(repeating(table, [None, first, None]), 1, 1.0)["runs_repeated"] == 1


def test_the_first_that_converged_are_scored_in_the_order_of_their_numbers():
    table = runs(*[("success", float(i), "") for i in range(12)])
    assert [run["minutes"] for run in first_in_order(table[::-1], 11)] == list(range(11))
    rules = Rules("ncf", "ncf", "NCF", runs=12, dropped=1, span="v0.5", first_converged=3)
    failing = runs(("aborted", 9.0, ""), *[("success", float(i), "") for i in (5, 7, 8, 1)])
    result = score_by(failing, rules, 1.0)
    assert (result["minutes"], result["runs_failed"], result["reason"]) == (7.0, 1, "")
    too_few = score_by(failing[:2], rules, 1.0)
    assert too_few["reason"] == "2 runs did not count; at most 1 may"
