"""The bootstrap: against scipy, deterministic, through the whole rule."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from breakeven import outcomes
from breakeven.config import BreakevenSettings, Prices, UncertaintySettings
from breakeven.methods import METHODS
from breakeven.methods import build as build_methods
from breakeven.uncertainty import (
    add_intervals,
    generator,
    interval,
    resampled_means,
    score_replicates,
)
from tests.unit.test_scaling import build, scores

SETTINGS = UncertaintySettings(replicates=2000, seed=7)
TIMES = np.array([10.2, 9.8, 11.0, 10.4, 9.9, 10.1, 12.0, 10.0, 9.7, 10.3])


def runs_of(*specifications):
    """Make run rows from (submitter, system, times); an infinite time is a run that failed."""
    rows = []
    for submitter, system, times in specifications:
        for i, minutes in enumerate(times):
            counted = bool(np.isfinite(minutes))
            rows.append(
                {
                    "round": "v9.9", "submitter": submitter, "system": system, "benchmark": "bert",
                    "path": f"{submitter}/results/{system}/bert/result_{i:02d}.txt",
                    "status": "success" if counted else "aborted", "counted": counted,
                    "minutes": float(minutes) if counted else None, "converged_at": float(i),
                }
            )  # fmt: skip
    return pd.DataFrame(rows)


def test_a_plain_mean_agrees_with_scipy():
    ours = interval(resampled_means(TIMES, 0, 20_000, generator(1, "a")), 0.95)
    theirs = stats.bootstrap(
        (TIMES,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(2)
    ).confidence_interval
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.02)


def test_draws_depend_on_seed_and_name_alone():
    def draw(seed, name):
        return resampled_means(TIMES, 1, 50, generator(seed, name))

    assert (draw(1, "a") == draw(1, "a")).all()
    assert (draw(1, "a") != draw(1, "b")).any()
    assert (draw(1, "a") != draw(2, "a")).any()


def test_replicates_drop_the_fastest_and_slowest_and_count_failed_runs_as_slowest():
    times = np.array([1.0, 2.0, 3.0, np.inf])
    means = resampled_means(times, 1, 4000, generator(1, "x"))
    failed = np.isnan(means)
    # A draw of four fails when two or more are the failed run.
    assert failed.mean() == pytest.approx(1 - 0.75**4 - 4 * 0.25 * 0.75**3, abs=0.03)
    assert means[~failed].min() >= 1.0
    assert means[~failed].max() <= 3.0


def test_order_of_rows_changes_nothing():
    table = scores(("S", "a", 8, 10.3), ("S", "b", 16, 6.0))
    runs = runs_of(("S", "a", TIMES), ("S", "b", TIMES * 0.6))
    one, _, _ = score_replicates(table, runs, SETTINGS)
    two, _, _ = score_replicates(table[::-1], runs[::-1], SETTINGS)
    assert all((one[key] == two[key]).all() for key in one)


def test_intervals_hold_the_score_and_the_reference_is_resampled_too():
    table = scores(("S", "a", 8, 10.2), ("S", "b", 16, 6.12))
    runs = runs_of(("S", "a", TIMES), ("S", "b", TIMES * 0.6))
    points = build(table, runs)
    first, second = points[points["view"] == "series"].to_dict("records")
    assert first["minutes_low"] < 10.2 < first["minutes_high"]
    assert (first["speedup_low"], first["speedup_high"]) == (1.0, 1.0)
    assert second["speedup_low"] < second["speedup"] < second["speedup_high"]
    assert second["efficiency_low"] == pytest.approx(second["speedup_low"] / 2)
    width = second["speedup_high"] / second["speedup_low"] - 1
    alone = second["minutes_high"] / second["minutes_low"] - 1
    assert width > 1.2 * alone


def test_three_runs_give_no_interval_and_a_reason():
    table = scores(
        ("S", "a", 8, 10.2, {"runs_asked": 3, "runs": 3}), ("S", "b", 16, 6.12), ("S", "c", 32, 4.0)
    )
    runs = runs_of(("S", "a", TIMES[:3]), ("S", "b", TIMES * 0.6), ("S", "c", TIMES * 0.4))
    first, second, _ = (
        row for row in build(table, runs).to_dict("records") if row["view"] == "series"
    )
    assert first["interval_reason"] == "3 runs: the score is one run"
    assert second["interval_reason"] == "reference: 3 runs: the score is one run"
    assert np.isnan(first["minutes_low"])
    assert np.isnan(second["speedup_low"])
    assert second["minutes_low"] < 6.12
    answers, behind = build_methods(build(table, runs), table, runs, BreakevenSettings(), SETTINGS)
    knee = answers[answers["method"] == "knee"].iloc[0]
    assert pd.isna(knee["probability"])
    assert knee["probability_reason"] == "3 runs: the score is one run (at 8)"
    assert behind.empty


def test_runs_that_stop_at_few_points_are_lumpy():
    table = scores(("S", "a", 8, 10.2))
    runs = runs_of(("S", "a", TIMES)).assign(converged_at=[3.0, 4.0] * 5)
    scaling = build(table, runs)
    assert scaling["lumpy"].tolist() == [True]
    assert add_intervals(scaling.iloc[:, :-12], table, runs_of(("S", "a", TIMES)), SETTINGS)[
        "lumpy"
    ].tolist() == [False]


PRICED = BreakevenSettings(
    methods=tuple(METHODS),
    prices=Prices(accelerator_hour=2.0, hour=500.0, currency="EUR", dated="2026-11-30"),
)


def test_the_rules_on_arrays_give_what_the_methods_give():
    """Random series: both ways of writing each rule agree, whatever the answer is."""
    random = np.random.default_rng(11)
    statuses = set()
    for _ in range(60):
        counts = np.cumprod(np.r_[8, random.choice([2, 4, 8], size=random.integers(1, 5))])
        steps = random.uniform(-0.1, 1.1, size=len(counts) - 1)
        logs = np.cumsum(np.r_[0, -steps * np.log(counts[1:] / counts[:-1])])
        minutes = 600 * np.exp(logs)
        table = scores(
            *[("S", f"n{n}", int(n), float(t)) for n, t in zip(counts, minutes, strict=True)]
        )
        scaling = build(table)
        for name, rule in outcomes.RULES.items():
            registered = METHODS[name]
            points = scaling[scaling["view"] == registered.views[0]]
            result = registered.method(points, PRICED)
            (position,) = rule(counts.astype(float), minutes[None, :], PRICED)
            statuses.add((name, result.status))
            if position >= 0:
                assert (result.status, result.accelerators) == ("found", counts[position]), name
            else:
                assert result.status == outcomes.WORDS[position], name
    assert {status for name, status in statuses if name == "knee"} == {
        "found", "beyond", "below", "ambiguous", "refused",
    }  # fmt: skip


def test_copies_among_the_runs_give_no_interval():
    table = scores(("S", "a", 8, 10.2, {"runs_repeated": 5}))
    _, refused, _ = score_replicates(table, runs_of(("S", "a", TIMES)), SETTINGS)
    assert list(refused.values()) == ["5 of its runs are another of its runs"]


def test_a_step_that_may_pass_or_fail_is_undecided():
    table = scores(("S", "a", 8, 10.2), ("S", "b", 16, 6.8))
    noisy = TIMES * 0.667 * np.linspace(0.8, 1.2, len(TIMES))
    runs = runs_of(("S", "a", TIMES), ("S", "b", noisy))
    settings = BreakevenSettings(methods=("marginal",))
    answers, _ = build_methods(build(table, runs), table, runs, settings, SETTINGS)
    row = answers.iloc[0]
    assert (row["status"], row["low"], row["high"]) == ("undecided", 8, 16)
    assert "it may pass or fail" in row["reason"]
    clear = scores(("S", "a", 8, 10.2), ("S", "b", 16, 5.3))
    runs = runs_of(("S", "a", TIMES), ("S", "b", TIMES * 0.52))
    answers, _ = build_methods(build(clear, runs), clear, runs, settings, SETTINGS)
    assert answers["status"].tolist() == ["beyond"]


def test_a_log_that_could_not_be_had_is_no_failed_run_in_the_replicates():
    table = scores(("S", "a", 8, 10.2))
    runs = runs_of(("S", "a", TIMES))
    whole, _, _ = score_replicates(table, runs, SETTINGS)
    for status in ("absent", "refused", "unreadable"):
        gone = runs.iloc[:1].assign(
            path="S/results/a/bert/result_99.txt", status=status, counted=False, minutes=None
        )
        drawn, _, _ = score_replicates(table, pd.concat([runs, gone]), SETTINGS)
        assert all((drawn[key] == whole[key]).all() for key in whole), status
