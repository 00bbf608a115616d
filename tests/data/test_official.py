"""The committed facts, against the official scores and the published check values."""

import pandas as pd
import pytest

from breakeven import config, facts, methods, names, runs, scaling, scores
from breakeven.figures import build as build_figures
from tests.conftest import ROOT

ROUNDS = sorted(path.stem for path in (ROOT / "tests/data/official").glob("v*.csv"))


class Analysis:
    """All tables of one round, made from the committed facts."""

    def __init__(self, name):
        load = config.load
        folder = ROOT / "config"
        self.name = name
        self.facts = facts.read(ROOT / "data/facts" / name)
        systems = names.describe_systems(
            self.facts["systems"],
            load(config.Vocabulary, folder / "vocabulary.yaml"),
            load(config.Accelerators, folder / "accelerators.yaml"),
        )
        divisions = {(row.submitter, row.system): row.division for row in systems.itertuples()}
        self.runs = runs.build(self.facts, name, divisions)
        benchmarks = load(config.Benchmarks, folder / "benchmarks.yaml")
        self.scores, self.warnings = scores.build(self.facts, self.runs, systems, benchmarks)
        self.reconciliation = scores.reconcile(self.scores, self.runs)
        self.scaling = scaling.build(self.scores)
        self.breakeven = methods.build(self.scaling, self.scores, config.BreakevenSettings())

    def point(self, benchmark, view="series", **where):
        table = self.scaling
        chosen = table["benchmark"].eq(benchmark) & table["view"].eq(view)
        for column, value in where.items():
            chosen &= table[column].eq(value)
        (row,) = table[chosen].to_dict("records")
        return row


@pytest.fixture(scope="module")
def v41():
    return Analysis("v4.1")


@pytest.fixture(scope="module", params=ROUNDS)
def analysis(request):
    return Analysis(request.param)


def official(name):
    return pd.read_csv(ROOT / "tests/data/official" / f"{name}.csv")


def test_every_official_score_is_here_and_equal_or_explained(analysis):
    expected = official(analysis.name)
    key = ["submitter", "system", "benchmark"]
    joined = expected.merge(analysis.scores, on=key, how="left", suffixes=("_official", ""))
    assert len(joined) == len(expected)
    assert joined["minutes"].notna().all()
    assert (joined["accelerators"] == joined["accelerators_official"]).all()
    assert joined["division"].tolist() == joined["division_official"].tolist()
    assert joined["scaling_factor"].to_numpy() == pytest.approx(
        joined["scaling_factor_official"].to_numpy(), rel=1e-9
    )
    assert joined["official_minutes"].to_numpy() == pytest.approx(
        joined["minutes_official"].to_numpy(), rel=1e-9
    )
    differs = (joined["minutes"] / joined["minutes_official"] - 1).abs() > 1e-9
    explained = set(map(tuple, analysis.reconciliation[key].to_numpy()))
    assert set(map(tuple, joined.loc[differs, key].to_numpy())) == explained


def test_v41_counts(v41):
    files = v41.facts["files"]
    logs = files[files["kind"] == "run"]
    assert logs["state"].value_counts().to_dict() == {"present": 1309, "absent": 10}
    assert v41.runs["counted"].sum() == 1306
    assert len(v41.scores) == 154
    assert v41.scores["minutes"].notna().sum() == 153
    assert v41.warnings == []
    size = sum(path.stat().st_size for path in (ROOT / "data/facts/v4.1").iterdir())
    assert size <= 2_000_000


def test_v41_absent_logs_show_as_absent(v41):
    table = v41.scores
    row = table[
        (table["system"] == "7x8xH100-SXM5-80GB") & (table["benchmark"] == "llama2_70b_lora")
    ]
    assert row["runs_absent"].tolist() == [10]
    assert row["runs"].tolist() == [0]
    assert row["minutes"].isna().all()
    assert row["reason"].tolist() == ["absent: no log could be had"]


def test_v41_three_known_differences_are_explained(v41):
    table = v41.reconciliation
    assert table[["submitter", "benchmark"]].to_numpy().tolist() == [
        ["Lambda", "llama2_70b_lora"],
        ["Lambda", "stable_diffusion"],
        ["Lambda", "stable_diffusion"],
    ]
    two = table[table["system"].str.contains("_n2_")].iloc[0]
    assert two["minutes"] == pytest.approx(22.80225)
    assert two["official_minutes"] == pytest.approx(23.33341875)
    assert table["reason"].str.contains("is not valid JSON").all()


@pytest.mark.parametrize(
    ("benchmark", "minutes"),
    [
        ("bert", {8: 5.468806, 64: 0.898131, 3472: 0.119275}),
        ("llama2_70b_lora", {8: 27.928383, 64: 4.573167, 1024: 1.187547}),
        ("ssd", {8: 35.700022, 64: 5.996400, 2528: 0.778006}),
        ("stable_diffusion", {8: 33.967110, 64: 6.151829, 512: 1.705703, 1024: 1.372001}),
    ],
)
def test_v41_check_values_of_nvidia_h100(v41, benchmark, minutes):
    for accelerators, expected in minutes.items():
        point = v41.point(benchmark, series_name="NVIDIA H100 SXM", accelerators=accelerators)
        assert point["minutes"] == pytest.approx(expected, abs=5e-7)


def test_v41_price_of_an_hour_of_stable_diffusion(v41):
    prices = [
        v41.point("stable_diffusion", series_name="NVIDIA H100 SXM", accelerators=n)[
            "price_of_hour"
        ]
        for n in (64, 512, 1024)
    ]
    assert prices == pytest.approx([4.4, 108, 1593], rel=0.01)


def test_v41_paper_view_of_bert_gives_24_for_eight_b200(v41):
    point = v41.point("bert", "paper", accelerator_family="B200")
    assert round(point["efficiency"]) == 24
    assert point["reference_accelerators"] == 2
    assert point["reference_accelerator"] == "NVIDIA RTX A5000"
    assert not point["same_accelerator"]


def test_v41_power_submission_is_a_duplicate_and_no_point(v41):
    copies = v41.scores[v41.scores["duplicate_of"].notna()]
    assert copies[["system", "duplicate_of"]].to_numpy().tolist() == [
        ["8xXE9680x8H100-SXM-80GB-POWER", "Dell/8xXE9680x8H100-SXM-80GB"]
    ]
    assert not v41.scaling["system"].str.contains("POWER").any()


def test_v41_break_even_points(v41):
    table = v41.breakeven
    nvidia = table[table["series_name"] == "NVIDIA H100 SXM"].set_index(["benchmark", "method"])
    found = nvidia["accelerators"].dropna().to_dict()
    assert found[("llama2_70b_lora", "knee")] == 64
    assert found[("stable_diffusion", "knee")] == 512
    assert nvidia.loc[("bert", "knee"), "status"] == "beyond"
    assert nvidia.loc[("bert", "knee"), "low"] == 3472
    assert nvidia.loc[("gpt3", "knee"), "status"] == "refused"
    dell = table[(table["series_name"] == "Dell H100 SXM") & (table["method"] == "knee")]
    assert dell.set_index("benchmark")["status"].to_dict() == {
        "llama2_70b_lora": "ambiguous",
        "ssd": "beyond",
    }


def test_scaling_identities_hold_at_every_point(analysis):
    table = analysis.scaling
    ratio = table["accelerators"] / table["reference_accelerators"]
    assert (table["speedup"] / ratio).to_numpy() == pytest.approx(table["efficiency"].to_numpy())
    series = table[table["view"] == "series"]
    assert series["same_accelerator"].all()
    assert not series.duplicated(["benchmark", "series", "accelerators"]).any()
    firsts = series.groupby(["benchmark", "series"]).head(1)
    assert (firsts["efficiency"] == 1).all()


def test_every_specification_is_valid_vega_lite_with_footnote_and_alternative(analysis):
    pinned = config.load_round(ROOT / "config/rounds", analysis.name)
    for view in ("paper", "series"):
        figures = list(build_figures(analysis.scaling, analysis.breakeven, pinned, view))
        assert len(figures) == 2 * analysis.scores["benchmark"].nunique()
        for figure in figures:
            specification = figure.chart.to_dict(validate=True)
            note = " ".join(specification["title"]["text"])
            assert "Unofficial metric" in note
            assert pinned.commit in note
            assert "division" in note
            assert figure.alternative.startswith(tuple(analysis.scores["model"]))
