"""What must stay the same when the input changes in a way that does not matter, and how it may not.

Nothing here knows a right value: each test holds one reading of the data against another.
"""

import functools

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from breakeven import advice, analysis, config, facts, methods, scaling, scores
from breakeven.schemas import SCALING
from tests.conftest import ROOT
from tests.properties import bounded
from tests.unit.test_scaling import NO_RUNS
from tests.unit.test_scaling import scores as score_rows
from tests.unit.test_scores import RULES
from tests.unit.test_scores import runs as run_rows

ROUND = "v0.6"
FOLDER = ROOT / "config"
PINNED = config.load_round(FOLDER / "rounds", ROUND)
BENCHMARKS = config.load(config.Benchmarks, FOLDER / "benchmarks.yaml")
VOCABULARY = config.load(config.Vocabulary, FOLDER / "vocabulary.yaml")
ACCELERATORS = config.load(config.Accelerators, FOLDER / "accelerators.yaml")
NOISE = config.UncertaintySettings(replicates=100)
SETTINGS = config.BreakevenSettings(methods=tuple(m for m in methods.METHODS if m != "usl"))
KEYS = ["round", "submitter", "system", "benchmark"]


@functools.cache
def read():
    return facts.read(ROOT / "data/facts" / ROUND)


def analyse(found):
    """Make all tables of a round from its facts."""
    table, scored, _, _ = analysis.scored(found, PINNED, BENCHMARKS, VOCABULARY, ACCELERATORS)
    return {"runs": table, "scores": scored, **compare(scored, table)}


def compare(scored, table):
    """Make points and answers from scores and runs."""
    points = scaling.build(scored, table, NOISE)
    answers, chances = methods.build(points, scored, table, SETTINGS, NOISE)
    return {"scaling": points, "breakeven": answers, "probabilities": chances}


@functools.cache
def analysed():
    return analyse(read())


def assert_same(ours, theirs):
    assert ours.keys() == theirs.keys()
    for name in ours:
        pd.testing.assert_frame_equal(ours[name], theirs[name], obj=name)


def shuffled(frame, seed):
    order = np.random.default_rng(seed).permutation(len(frame))
    return frame.iloc[order].reset_index(drop=True)


# The order of what is read.


@pytest.mark.parametrize("seed", [1, 2])
def test_the_order_of_files_systems_and_problems_changes_no_table(seed):
    found = {name: shuffled(table, seed) for name, table in read().items() if name != "events"}
    # Within one log the order is the order of its lines.
    mixed = shuffled(read()["events"], seed)
    found["events"] = mixed.sort_values("line", kind="stable").reset_index(drop=True)
    assert not found["files"].equals(read()["files"])
    assert_same(analyse(found), analysed())


@pytest.mark.parametrize("seed", [1, 2])
def test_the_order_of_runs_and_scores_changes_no_point_and_no_answer(seed):
    known = dict(analysed())
    table, scored = known.pop("runs"), known.pop("scores")
    assert_same(compare(shuffled(scored, seed), shuffled(table, seed)), known)


MINUTES = st.floats(0.5, 5000, allow_subnormal=False)
OUTCOMES = st.lists(
    st.tuples(st.sampled_from(("success",) * 5 + ("aborted", "absent")), MINUTES, st.just("")),
    min_size=1, max_size=9,
)  # fmt: skip


def scored_minutes(rows, factor=1.0):
    return scores.score(run_rows(*rows), RULES, factor)["minutes"]


@bounded(60)
@given(OUTCOMES, st.randoms(use_true_random=False))
def test_the_order_of_runs_changes_no_score(rows, chance):
    mixed = list(rows)
    chance.shuffle(mixed)
    assert scored_minutes(mixed) == scored_minutes(rows)


@bounded(25)
@given(st.lists(st.tuples(st.sampled_from("ST"), st.sampled_from((1, 8, 64, 512)), MINUTES),
                min_size=2, max_size=8, unique=True),
       st.randoms(use_true_random=False))  # fmt: skip
def test_the_order_of_systems_changes_no_point(systems, chance):
    rows = [(who, f"{n}", size, minutes) for n, (who, size, minutes) in enumerate(systems)]
    mixed = list(rows)
    chance.shuffle(mixed)
    first, second = (scaling.build(score_rows(*order), NO_RUNS, NOISE) for order in (rows, mixed))
    pd.testing.assert_frame_equal(first, second)


# The unit of time.

SAME = [
    "speedup", "efficiency", "speedup_per_accelerator", "exponent", "marginal_efficiency",
    "price_of_hour", "efficiency_throughput", "efficiency_convergence",
    "efficiency_normalisation", "speedup_low", "speedup_high", "efficiency_low", "efficiency_high",
]  # fmt: skip
TIMES = ["minutes", "mean_minutes", "reference_minutes", "minutes_low", "minutes_high"]
ANSWER = ["view", "benchmark", "series", "method", "status", "accelerators", "low", "high",
          "probability"]  # fmt: skip


def scale(times):
    """Let every clock of the round's logs run slower: the facts with all their times multiplied."""
    events = read()["events"].copy()
    events["time_ms"] *= times
    results = events["key"] == "eval_result"
    events.loc[results, "value"] *= times
    return {**read(), "events": events}


@pytest.mark.parametrize("times", [0.25, 4, 3])
def test_slower_clocks_multiply_minutes_and_change_no_ratio_and_no_answer(times):
    ours, theirs = analysed(), analyse(scale(times))
    exact = {"rtol": 0 if times != 3 else 1e-7, "atol": 0}
    for name in ("runs", "scores", "scaling"):
        columns = [c for c in TIMES if c in ours[name]]
        assert ours[name]["minutes"].notna().sum() > 30
        # Only intervals are rounded, to nine digits, and so not exact.
        tight = [c for c in columns if not c.endswith(("_low", "_high"))]
        loose = [c for c in columns if c not in tight]
        pd.testing.assert_frame_equal(ours[name][tight] * times, theirs[name][tight], **exact)
        pd.testing.assert_frame_equal(ours[name][loose] * times, theirs[name][loose], rtol=1e-7)
    same = [c for c in SAME if c in SCALING.names]
    assert same == SAME
    pd.testing.assert_frame_equal(ours["scaling"][same], theirs["scaling"][same], **exact)
    laws = ours["breakeven"]["method"].eq("amdahl")
    pd.testing.assert_frame_equal(
        ours["breakeven"].loc[~laws, ANSWER], theirs["breakeven"].loc[~laws, ANSWER]
    )
    assert ours["breakeven"]["method"].eq("knee").any()


@bounded(25)
@given(st.lists(MINUTES, min_size=3, max_size=5, unique=True), st.floats(0.01, 100))
def test_a_unit_of_time_changes_no_efficiency_and_no_knee(minutes, times):
    points = []
    for scaled in (1.0, times):
        rows = [("S", f"{n}", 8**n, value * scaled) for n, value in enumerate(minutes)]
        points.append(scaling.build(score_rows(*rows), NO_RUNS, NOISE))
    first, second = points
    np.testing.assert_allclose(second["minutes"], first["minutes"] * times, rtol=1e-12)
    for name in ("speedup", "efficiency", "exponent", "marginal_efficiency"):
        np.testing.assert_allclose(second[name], first[name], rtol=1e-9, atol=1e-9)
    series = [table[table["view"] == "series"] for table in points]
    # At a tie the last bit decides, which a factor may change.
    assume((series[0]["exponent"].dropna() - 0.5).abs().gt(1e-9).all())
    merit = sorted(series[0]["speedup"] * series[0]["efficiency"])
    assume(merit[-1] > merit[-2] * (1 + 1e-9))
    answers = [methods.knee(table, SETTINGS) for table in series]
    assert answers[0].status == answers[1].status
    assert answers[0].accelerators == answers[1].accelerators


# More runs.


@bounded(80)
@given(OUTCOMES, MINUTES)
def test_a_failed_run_never_makes_a_score_better(rows, minutes):
    before = scored_minutes(rows)
    after = scored_minutes([*rows, ("aborted", minutes, "")])
    # Without a score before there may be one after: of [7, 8] nothing is left between the fastest
    # and the slowest, and of [7, 8, failed] 8 is.
    assume(before is not None)
    # The mean of three equal times may be a last bit below theirs.
    assert after is None or after >= before * (1 - 1e-12)


@bounded(60)
@given(OUTCOMES, st.integers(1, 5))
def test_a_log_that_could_not_be_had_changes_no_score(rows, count):
    assert scored_minutes([*rows, *[("absent", None, "")] * count]) == scored_minutes(rows)


@bounded(60)
@given(OUTCOMES, st.floats(0.5, 2))
def test_the_factor_multiplies_the_score(rows, factor):
    before = scored_minutes(rows)
    after = scored_minutes(rows, factor)
    assert after == (None if before is None else before * factor)


def with_files(added, events):
    """Return the round's facts with more files in them, and what their logs say."""
    found = {**read(), "files": pd.concat([read()["files"], added], ignore_index=True)}
    found["events"] = pd.concat([read()["events"], events], ignore_index=True)
    return found


def copied_system(blob=None, earlier=0.0):
    """Return all runs of one system as those of a new one; its times, or a little faster ones."""
    files, events = read()["files"], read()["events"]
    scored = analysed()["scores"]
    one = scored[scored["minutes"].notna() & scored["accelerators"].gt(0)].iloc[0]
    mine = files["submitter"].eq(one["submitter"]) & files["system"].eq(one["system"])
    mine &= files["kind"].eq("run") & files["benchmark"].eq(one["benchmark"])
    added = files[mine].copy()
    assert len(added) >= one["runs"]
    names = {path: f"zz/results/new/{path}" for path in added["path"]}
    added["path"] = added["path"].map(names)
    added["submitter"], added["system"] = "zz", "new"
    if blob is not None:
        added["blob"] = [f"{blob}{n}" for n in range(len(added))]
    lines = events[events["path"].isin(names)].copy()
    lines["path"] = lines["path"].map(names)
    lines.loc[lines["key"] == "run_stop", "time_ms"] -= earlier
    systems = read()["systems"]
    described = systems[
        systems["submitter"].eq(one["submitter"]) & systems["system"].eq(one["system"])
    ]
    found = with_files(added, lines)
    new = described.assign(submitter="zz", system="new", path="zz/systems/new.json")
    found["systems"] = pd.concat([systems, new], ignore_index=True)
    return one, found


def others(table, columns=None):
    """Return the rows that are not the new system's, as they stand."""
    kept = table[table["submitter"] != "zz"].reset_index(drop=True)
    return kept if columns is None else kept[columns]


def test_runs_handed_in_again_change_no_score_and_make_no_point():
    one, found = copied_system()
    tables_now = analyse(found)
    pd.testing.assert_frame_equal(others(tables_now["scores"]), analysed()["scores"])
    copy = tables_now["scores"][tables_now["scores"]["submitter"] == "zz"]
    assert copy["duplicate_of"].tolist() == [f"{one['submitter']}/{one['system']}"]
    assert copy["minutes"].tolist() == [one["minutes"]]
    # The other benchmarks' runs are not copied, so that no second point of its own makes a series.
    for name in ("scaling", "breakeven"):
        pd.testing.assert_frame_equal(tables_now[name], analysed()[name])


def test_a_new_system_changes_no_other_score():
    _, found = copied_system(blob="new", earlier=60_000.0)
    tables_now = analyse(found)
    new = tables_now["scores"][tables_now["scores"]["submitter"] == "zz"]
    assert len(new) == 1
    assert new["minutes"].notna().all()
    for name in ("runs", "scores"):
        pd.testing.assert_frame_equal(others(tables_now[name]), analysed()[name])
    # Nor another submitter's own series.
    series = [t[t["view"] == "series"] for t in (tables_now["scaling"], analysed()["scaling"])]
    pd.testing.assert_frame_equal(*[others(table) for table in series])


def test_a_run_listed_twice_in_its_own_folder_changes_no_other_score_and_is_counted():
    table = analysed()["runs"]
    one = table[table["counted"]].iloc[0]
    files, events = read()["files"], read()["events"]
    path = f"{one['path']}.again"
    added = files[files["path"] == one["path"]].assign(path=path, benchmark=one["benchmark"])
    found = with_files(added, events[events["path"] == one["path"]].assign(path=path))
    before, after = analysed()["scores"], analyse(found)["scores"]
    where = (before[KEYS] == one[KEYS]).all(axis=1)
    assert where.sum() == 1
    pd.testing.assert_frame_equal(before[~where], after[~where])
    assert (after.loc[where, "runs_repeated"] == before.loc[where, "runs_repeated"] + 1).all()
    assert (after.loc[where, "runs"] == before.loc[where, "runs"] + 1).all()


# Units.


def test_minutes_are_the_clock_s_milliseconds():
    table = analysed()["runs"]
    ended = table[table["minutes"].notna()]
    assert len(ended) > 100
    np.testing.assert_allclose(
        ended["minutes"] * 60 * 1000, ended["stop_ms"] - ended["start_ms"], rtol=1e-9
    )


def test_accelerator_hours_are_minutes_times_accelerators_in_hours():
    points = analysed()["scaling"]
    series = points[points["view"] == "series"]
    checked = 0
    for _, part in series.groupby(["benchmark", "series"]):
        hours = (part["minutes"] / 60).tolist()
        cost = [n * h for n, h in zip(part["accelerators"], hours, strict=True)]
        for place in range(1, len(part)):
            price = part["price_of_hour"].iloc[place]
            if not pd.isna(price):
                saved = hours[place - 1] - hours[place]
                assert price == pytest.approx((cost[place] - cost[place - 1]) / saved, rel=1e-9)
                checked += 1
    assert checked > 5
    rows = score_rows(("S", "a", 8, 90.0), ("S", "b", 64, 15.0))
    advised = advice.advise(rows, advice.Wish())
    hours = dict(zip(advised["system"], advised["accelerator_hours"], strict=True))
    assert hours == {"a": 12.0, "b": 16.0}


def test_a_better_time_of_the_reference_lowers_every_other_speedup():
    rows = [("S", "a", 8, 90.0), ("S", "b", 64, 15.0), ("S", "c", 512, 5.0)]
    faster = [("S", "a", 8, 80.0), *rows[1:]]
    before, after = (
        table[table["view"] == "series"].set_index("system")["speedup"]
        for table in (scaling.build(score_rows(*r), NO_RUNS, NOISE) for r in (rows, faster))
    )
    assert before["a"] == after["a"] == 1
    assert (after[["b", "c"]] < before[["b", "c"]]).all()
