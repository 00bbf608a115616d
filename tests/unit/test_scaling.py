"""Speedup, efficiency and steps, on points whose values can be worked out by hand."""

import pandas as pd
import pytest

from breakeven.config import UncertaintySettings
from breakeven.scaling import build as build_with_runs
from breakeven.scaling import decomposition, not_in_series
from breakeven.schemas import RUNS

NO_RUNS = pd.DataFrame(columns=RUNS.names)
NOISE = UncertaintySettings(replicates=400)


def build(table, runs=NO_RUNS):
    return build_with_runs(table, runs, NOISE)


def scores(*specifications, **shared):
    """Make score rows from (submitter, system, accelerators, minutes) and keyword changes."""
    rows = []
    for submitter, system, accelerators, minutes, *changes in specifications:
        rows.append(
            {
                "round": "v9.9",
                "submitter": submitter,
                "system": system,
                "benchmark": "bert",
                "workload": "bert",
                "model": "BERT",
                "span": "v9.9",
                "division": "closed",
                "category": "available",
                "accelerator": "Example X1",
                "accelerator_family": "X1",
                "accelerator_model": "X1 SXM",
                "accelerator_memory": None,
                "node_type": "8 a node, Example CPU",
                "accelerators": accelerators,
                "minutes": minutes,
                "mean_minutes": minutes,
                "scaling_factor": 1.0,
                "converged_at": None,
                "progress_unit": None,
                "global_batch_size": None,
                "runs_asked": 10,
                "runs_dropped": 1,
                "runs_repeated": 0,
                "runs": 10,
                "runs_failed": 0,
                "runs_absent": 0,
                "duplicate_of": None,
                **shared,
                **(changes[0] if changes else {}),
            }
        )
    return pd.DataFrame(rows)


def series(table):
    return table[table["view"] == "series"].reset_index(drop=True)


def paper(table):
    return table[table["view"] == "paper"].reset_index(drop=True)


def test_series_against_its_smallest_system():
    table = series(build(scores(("S", "b", 32, 10.0), ("S", "a", 8, 20.0))))
    assert table["accelerators"].tolist() == [8, 32]
    assert table["speedup"].tolist() == [1.0, 2.0]
    assert table["efficiency"].tolist() == [1.0, 0.5]
    assert table["speedup_per_accelerator"].tolist() == [1 / 8, 2 / 32]
    assert table["exponent"].tolist()[1] == 0.5
    assert table["marginal_efficiency"].tolist()[1] == pytest.approx(1 / 3)
    assert table["price_of_hour"].tolist()[1] == pytest.approx((32 * 10 - 8 * 20) / 10)
    assert table.loc[0, ["exponent", "marginal_efficiency", "price_of_hour"]].isna().all()


def test_a_slower_larger_system_has_no_price():
    table = series(build(scores(("S", "a", 8, 20.0), ("S", "b", 16, 25.0))))
    assert pd.isna(table["price_of_hour"][1])
    assert table["exponent"][1] < 0


def test_the_fastest_of_one_size_is_the_point_and_the_others_are_named():
    table = series(
        build(scores(("S", "a", 8, 20.0), ("S", "slow", 16, 15.0), ("S", "fast", 16, 12.0)))
    )
    assert table["system"].tolist() == ["a", "fast"]
    assert table["alternatives"].tolist() == ["", "slow"]


@pytest.mark.parametrize(
    "change",
    [
        {"submitter": "T"},
        {"accelerator_model": "X1 PCIe"},
        {"node_type": "4 a node, Example CPU"},
        {"accelerator_memory": 40},
        {"division": "open"},
        {"benchmark": "ssd"},
        {"duplicate_of": "S/a"},
        {"minutes": None},
        {"accelerators": 8},
    ],
)
def test_what_differs_in_kind_is_no_series(change):
    table = scores(("S", "a", 8, 20.0), ("S", "b", 16, 12.0, change))
    assert series(build(table)).empty
    assert not_in_series(table, build(table)) == sorted(set(table["benchmark"]))


def test_a_duplicate_is_never_a_point():
    table = build(scores(("S", "a", 8, 20.0), ("S", "b", 16, 12.0, {"duplicate_of": "S/a"})))
    assert set(table["system"]) == {"a"}


def test_cpu_only_systems_stay_outside():
    assert build(scores(("S", "a", 0, 20.0), ("S", "b", 0, 12.0))).empty


def test_the_paper_reference_has_fewest_accelerators_and_then_the_longest_time():
    table = paper(
        build(
            scores(
                ("S", "quick", 2, 90.0),
                ("T", "slow", 2, 100.0, {"accelerator_model": "Y2", "accelerator": "Example Y2"}),
                ("S", "big", 8, 10.0),
            )
        )
    )
    assert set(table["reference_system"]) == {"slow"}
    assert set(table["reference_accelerators"]) == {2}
    big = table[table["system"] == "big"].iloc[0]
    assert (big["speedup"], big["efficiency"]) == (10.0, 2.5)
    assert not big["same_accelerator"]
    assert table[table["system"] == "slow"]["same_accelerator"].all()
    assert table[["exponent", "marginal_efficiency", "price_of_hour"]].isna().all(axis=None)


def test_open_division_is_not_in_the_paper_view():
    table = build(
        scores(
            ("S", "a", 8, 20.0, {"division": "open"}), ("S", "b", 16, 12.0, {"division": "open"})
        )
    )
    assert paper(table).empty
    assert series(table)["series_name"].tolist() == ["S X1 SXM, open"] * 2


def test_node_types_are_named_where_a_submitter_has_two():
    other = {"node_type": "4 a node, Example CPU"}
    table = build(
        scores(
            ("S", "a", 8, 20.0), ("S", "b", 16, 12.0), ("S", "c", 4, 40.0, other),
            ("S", "d", 8, 22.0, other), ("T", "a", 8, 20.0), ("T", "b", 16, 12.0),
        )
    )  # fmt: skip
    assert sorted(set(series(table)["series_name"])) == [
        "S X1 SXM (4 a node, Example CPU)",
        "S X1 SXM (8 a node, Example CPU)",
        "T X1 SXM",
    ]


def converged(minutes, samples, factor=1.0, **changes):
    return {
        "accelerators": 8, "mean_minutes": minutes, "converged_at": samples,
        "scaling_factor": factor, "progress_unit": "samples", **changes,
    }  # fmt: skip


def test_efficiency_is_throughput_times_convergence_times_normalisation():
    reference = converged(100.0, 1000.0, 1.1)
    point = converged(30.0, 1500.0, 1.02, accelerators=64)
    factors = decomposition(point, reference)
    assert factors["efficiency_throughput"] == (1500 / 30) / (1000 / 100) * 8 / 64
    assert factors["efficiency_convergence"] == 1000 / 1500
    assert factors["efficiency_normalisation"] == 1.1 / 1.02
    efficiency = (100 * 1.1) * 8 / (30 * 1.02 * 64)
    product = (
        factors["efficiency_throughput"]
        * factors["efficiency_convergence"]
        * factors["efficiency_normalisation"]
    )
    assert product == pytest.approx(efficiency, rel=1e-14)


@pytest.mark.parametrize(
    ("point", "reason"),
    [
        (converged(30.0, None), "its way to convergence is not known"),
        (converged(30.0, 5.0, progress_unit="epochs"), "units of convergence differ"),
    ],
)
def test_without_one_unit_there_are_no_factors_but_a_reason(point, reason):
    factors = decomposition(point, converged(100.0, 1000.0))
    assert factors == {"decomposition_reason": reason}


def test_the_pooled_view_takes_the_best_of_all_submitters_and_needs_two():
    table = build(scores(("S", "a", 8, 20.0), ("T", "b", 8, 18.0), ("S", "c", 64, 4.0)))
    pooled = table[table["view"] == "pooled"]
    assert pooled["system"].tolist() == ["b", "c"]
    assert pooled["series_name"].tolist() == ["X1 SXM, all submitters"] * 2
    alone = build(scores(("S", "a", 8, 20.0), ("S", "c", 64, 4.0)))
    assert not alone["view"].eq("pooled").any()


def test_memory_tells_accelerators_apart_where_it_is_known():
    small, large = {"accelerator_memory": 40}, {"accelerator_memory": 80}
    table = paper(
        build(scores(("S", "a", 2, 90.0, small), ("S", "b", 8, 20.0, large), ("S", "c", 8, 21.0)))
    )
    assert table.set_index("system")["same_accelerator"].to_dict() == {
        "a": True, "b": False, "c": True,
    }  # fmt: skip


def test_another_submitter_s_runs_are_a_point_of_the_own_series_alone():
    copied = {"duplicate_of": "S/a"}
    table = build(scores(("S", "a", 8, 20.0), ("T", "a", 8, 20.0, copied), ("T", "b", 64, 4.0)))
    own = series(table)
    assert own["accelerators"].tolist() == [8, 64]
    assert own["efficiency"].tolist() == [1.0, 20 / 4 * 8 / 64]
    assert paper(table)["system"].tolist() == ["a", "b"]


def test_categories_are_said_in_the_name():
    table = series(
        build(scores(("S", "a", 8, 20.0), ("S", "b", 16, 12.0, {"category": "research"})))
    )
    assert set(table["series_name"]) == {"S X1 SXM, available and research"}
