"""Advice: right systems, honest interpolation, nearest names."""

import pytest

from breakeven.advice import Wish, advise, between, budget_of, candidates, choose, minutes_of
from breakeven.errors import BreakevenError
from tests.unit.test_scaling import build, scores


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("10min", 10),
        ("10 min", 10),
        ("1.5h", 90),
        ("90s", 1.5),
        ("2 hours", 120),
        ("10 minutes", 10),
    ],
)
def test_times(text, minutes):
    assert minutes_of(text) == pytest.approx(minutes)


@pytest.mark.parametrize("text", ["10", "fast", "-5min", "10 parsecs", "", "0min"])
def test_what_is_no_time_is_an_error(text):
    with pytest.raises(BreakevenError, match="10min"):
        minutes_of(text)


@pytest.mark.parametrize("text", ["20 accelerator-hours", "20", "20 accelerator hour"])
def test_budgets(text):
    assert budget_of(text) == 20


def test_what_is_no_budget_is_an_error():
    with pytest.raises(BreakevenError, match="20 accelerator-hours"):
        budget_of("20 euros")


def test_unknown_names_get_the_nearest_valid_ones():
    assert choose("bert", ["BERT", "ssd"], "benchmark") == "BERT"
    with pytest.raises(BreakevenError, match="unknown benchmark 'brt'; nearest: bert"):
        choose("brt", ["bert", "ssd"], "benchmark")
    with pytest.raises(BreakevenError, match="nearest: a, b"):
        choose("zzzz", ["a", "b"], "round")


TABLE = scores(
    ("S", "a", 8, 60.0), ("S", "b", 16, 40.0), ("S", "c", 64, 16.0), ("T", "d", 8, 50.0),
    ("T", "y", 8, 5.0, {"accelerator_family": "Y2", "accelerator_model": "Y2 SXM"}),
    ("T", "o", 8, 5.0, {"division": "open"}),
)  # fmt: skip


def test_the_cheapest_that_meets_it_comes_first():
    mine = candidates(TABLE, "bert", "X1")
    assert len(mine) == 4
    found = advise(mine, Wish(minutes=50))
    # Accelerator-hours: d 6.67, b 10.67, c 17.07.
    assert found["system"].tolist() == ["d", "b", "c"]
    both = advise(mine, Wish(minutes=50, accelerator_hours=11))
    assert both["system"].tolist() == ["d", "b"]
    assert advise(mine, Wish(minutes=1)).empty


def test_between_two_points_it_interpolates_and_never_outside():
    series = build(TABLE)
    series = series[(series["view"] == "series") & (series["accelerator_family"] == "X1")]
    crossing = between(series, Wish(minutes=20)).to_dict("records")
    assert len(crossing) == 1
    assert (crossing[0]["low"], crossing[0]["high"]) == (16, 64)
    # log T is linear in log N: from 40 at 16 to 16 at 64.
    share = (3.6889 - 2.9957) / (3.6889 - 2.7726)
    assert crossing[0]["accelerators"] == pytest.approx(16 * 4**share, rel=1e-3)
    assert crossing[0]["minutes"] == pytest.approx(20)
    assert between(series, Wish(minutes=10)).empty
    budget = between(series, Wish(accelerator_hours=12)).to_dict("records")
    assert budget[0]["accelerator_hours"] == pytest.approx(12)


def test_a_crossing_that_breaks_the_other_limit_is_not_offered():
    series = build(TABLE)
    series = series[(series["view"] == "series") & (series["accelerator_family"] == "X1")]
    assert between(series, Wish(minutes=20, accelerator_hours=1)).empty
    assert len(between(series, Wish(minutes=20, accelerator_hours=100))) == 1
