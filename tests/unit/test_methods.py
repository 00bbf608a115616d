"""Break-even methods: right answers and right refusals."""

import pandas as pd
import pytest

from breakeven.config import BreakevenSettings, Prices
from breakeven.methods import (
    METHODS,
    amdahl,
    cost_and_value,
    efficiency_floor,
    knee,
    marginal,
    paper,
    pareto,
    price_of_hour,
    usl,
)
from breakeven.methods import build as build_with_runs
from breakeven.pareto import front
from tests.unit.test_scaling import NO_RUNS, NOISE, scores
from tests.unit.test_scaling import build as build_scaling


def build(scaling, table, settings):
    answers, _ = build_with_runs(scaling, table, NO_RUNS, settings, NOISE)
    return answers


SETTINGS = BreakevenSettings()
EVERY = BreakevenSettings(methods=tuple(METHODS))
PRICED = BreakevenSettings(
    prices=Prices(accelerator_hour=2.0, hour=100.0, currency="EUR", dated="2026-11-30")
)


def series(*points):
    """Make one series' points from (accelerators, minutes)."""
    table = build_scaling(scores(*[("S", f"n{n}", n, float(t)) for n, t in points]))
    return table[table["view"] == "series"]


def one_point():
    table = build_scaling(scores(("S", "a", 8, 20.0)))
    return table[table["view"] == "paper"]


def test_knee_lies_between_the_outer_counts_of_the_steps_that_cross():
    result = knee(series((8, 100), (64, 20), (512, 10), (1024, 9)), SETTINGS)
    assert (result.status, result.accelerators, result.low, result.high) == ("found", 64, 8, 512)


def test_knee_is_where_speedup_times_efficiency_is_largest():
    points = series((8, 100), (16, 60), (32, 40), (64, 35))
    result = knee(points, SETTINGS)
    best = (points["speedup"] * points["efficiency"]).to_numpy().argmax()
    assert result.accelerators == points["accelerators"].iloc[best] == 32


def test_a_step_of_exactly_one_half_still_pays():
    assert knee(series((8, 100), (32, 50), (128, 25)), SETTINGS).status == "beyond"


@pytest.mark.parametrize(
    ("points", "status", "low", "high"),
    [
        (((8, 100), (16, 60)), "refused", None, None),
        (((8, 100), (16, 55), (32, 30)), "beyond", 32, None),
        (((8, 100), (16, 90), (32, 85)), "below", None, 8),
        (((8, 100), (16, 90), (32, 50)), "ambiguous", 8, 32),
        (((8, 100), (16, 60), (32, 55), (64, 30)), "ambiguous", 8, 64),
        (((8, 100), (16, 60), (32, 70)), "found", 8, 32),
    ],
)
def test_knee_statuses(points, status, low, high):
    result = knee(series(*points), SETTINGS)
    assert (result.status, result.low, result.high) == (status, low, high)
    assert result.reason


def test_efficiency_floor_stops_at_the_first_failure():
    points = series((8, 100), (16, 95), (32, 30), (64, 20))
    result = efficiency_floor(points, BreakevenSettings(efficiency_floor=0.6))
    assert (result.status, result.accelerators, result.low, result.high) == ("found", 8, 8, 16)
    assert result.threshold == 0.6


def test_efficiency_floor_that_holds_everywhere_does_not_extrapolate():
    result = efficiency_floor(series((8, 100), (16, 55)), SETTINGS)
    assert (result.status, result.accelerators, result.low, result.high) == (
        "beyond",
        None,
        16,
        None,
    )


def test_marginal_is_the_last_count_before_the_step_that_fails():
    result = marginal(series((8, 100), (16, 55), (32, 45)), SETTINGS)
    assert (result.status, result.accelerators, result.low, result.high) == ("found", 16, 16, 32)


@pytest.mark.parametrize("method", [efficiency_floor, marginal, paper])
def test_one_point_is_refused(method):
    assert method(one_point(), SETTINGS).status == "refused"


def test_pareto_names_no_winner():
    result = pareto(series((8, 100), (16, 45), (32, 40), (64, 41)), SETTINGS)
    assert (result.status, result.accelerators) == ("front", None)
    assert result.reason == "on the front: 16, 32"


def test_equal_points_are_both_on_the_front():
    points = pd.DataFrame({"minutes": [5.0, 5.0, 9.0], "accelerators": [8, 8, 8]})
    assert front(points).tolist() == [True, True, False]


def test_paper_says_when_it_compares_chips():
    other = {"accelerator_model": "Y2", "accelerator": "Example Y2"}
    table = build_scaling(scores(("S", "a", 2, 100.0), ("T", "b", 8, 5.0, other)))
    result = paper(table[table["view"] == "paper"], SETTINGS)
    assert (result.status, result.accelerators) == ("found", 8)
    assert "compares chips, not scaling" in result.reason
    assert "S a (2 x Example X1)" in result.reason


def test_every_benchmark_gets_an_answer_from_every_method():
    table = scores(
        ("S", "a", 8, 20.0), ("S", "b", 16, 12.0), ("S", "a", 8, 9.0, {"benchmark": "ssd"})
    )
    answers = build(build_scaling(table), table, EVERY)
    assert {tuple(r) for r in answers[["benchmark", "method"]].to_numpy()} == {
        (benchmark, method) for benchmark in ("bert", "ssd") for method in EVERY.methods
    }
    alone = answers[(answers["benchmark"] == "ssd") & (answers["view"] == "series")]
    assert set(alone["status"]) == {"refused"}
    assert alone["reason"].str.contains("two accelerator counts").all()


def test_only_the_configured_methods_run_in_their_order():
    table = scores(("S", "a", 8, 20.0), ("S", "b", 16, 12.0))
    answers = build(build_scaling(table), table, BreakevenSettings(methods=("marginal", "knee")))
    assert answers["method"].tolist() == ["marginal", "knee"]


def test_price_of_an_hour_is_given_step_by_step():
    result = price_of_hour(series((8, 60), (16, 40), (32, 41)), SETTINGS)
    assert result.status == "prices"
    # (16*40 - 8*60) / (60 - 40) = 8 accelerator-hours for each hour saved.
    assert result.reason.endswith("8 to 16: 8.0; 16 to 32: slower")


def test_cost_and_value_is_off_without_prices_and_finds_the_least_cost():
    points = series((8, 600), (16, 320), (64, 240))
    assert cost_and_value(points, SETTINGS).status == "off"
    # (2*8+100)*10 = 1160; (2*16+100)*5.33 = 704; (2*64+100)*4 = 912.
    result = cost_and_value(points, PRICED)
    assert (result.status, result.accelerators, result.low, result.high) == ("found", 16, 8, 64)
    assert "704.00 EUR at 16" in result.reason
    assert "2026-11-30" in result.reason
    assert cost_and_value(series((8, 600), (16, 300)), PRICED).status == "beyond"
    assert cost_and_value(series((8, 600), (16, 599)), PRICED).status == "below"


def by_law(counts, contention, coherency=0.0):
    return [(n, 1000 * (1 + contention * (n - 1) + coherency * n * (n - 1)) / n) for n in counts]


def test_amdahl_s_knee():
    result = amdahl(series(*by_law((8, 16, 32, 64, 128, 256), 0.01)), SETTINGS)
    assert (result.status, result.accelerators) == ("found", 99)
    assert (result.low, result.high) == (64, 128)


def test_usl_s_knee():
    contention, coherency = 0.001, 1e-5
    knee_at = 160  # the positive root of 3e-5 N^2 + 0.00099 N - 0.999 = 0 is 166.7
    result = usl(series(*by_law((8, 16, 32, 64, 128, 256), contention, coherency)), SETTINGS)
    assert result.status == "found"
    assert abs(result.accelerators - knee_at) <= 10


@pytest.mark.parametrize(
    ("method", "counts", "contention", "said"),
    [
        (amdahl, (8, 16, 32), 0.01, "needs 4"),
        (usl, (8, 16, 32, 64, 128), 0.01, "needs 6"),
        (amdahl, (8, 16, 32, 64), 0.0, "at its bound"),
        (usl, (8, 16, 32, 64, 128, 256), 0.01, "at its bound"),
        (amdahl, (8, 16, 32, 64), 0.001, "outside the data"),
    ],
)
def test_laws_refuse(method, counts, contention, said):
    result = method(series(*by_law(counts, contention)), SETTINGS)
    assert result.status == "refused"
    assert said in result.reason
