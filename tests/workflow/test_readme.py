"""README's numbers and figure are what the pipeline makes; when this fails, renew them."""

import pandas as pd
import pytest

from breakeven.provenance import without_identity
from tests.conftest import ROOT

pytestmark = [pytest.mark.workflow, pytest.mark.xdist_group("built")]

README = (ROOT / "README.md").read_text()


def rows():
    """Read README's table of results."""
    lines = README[README.index("| benchmark | accelerators |") :].split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_the_table_is_what_the_pipeline_makes(built):
    scaling = pd.read_parquet(built / "results/v4.1/scaling.parquet")
    answers = pd.read_parquet(built / "results/v4.1/breakeven.parquet")
    mine = answers["series_name"].eq("NVIDIA H100 SXM") & answers["method"].eq("knee")
    knees = answers[mine].set_index("model")
    expected = []
    chosen = scaling[(scaling["view"] == "series") & (scaling["series_name"] == "NVIDIA H100 SXM")]
    shown = ("BERT", "Llama 2 70B LoRA", "RetinaNet", "Stable Diffusion")
    for point in chosen[chosen["model"].isin(shown)].to_dict("records"):
        n, price = point["accelerators"], point["price_of_hour"]
        knee = knees.loc[point["model"]]
        text = ""
        if knee["status"] == "found" and knee["accelerators"] == n:
            text = f"{n} ({knee['low']:.0f} to {knee['high']:.0f})"
        if knee["status"] == "beyond" and knee["low"] == n:
            text = "not reached"
        expected.append(
            [
                point["model"], str(n), f"{point['minutes']:.3f}", f"{point['speedup']:.1f}",
                f"{100 * point['efficiency']:.0f} %", "" if pd.isna(price) else f"{price:.1f}",
                text,
            ]
        )  # fmt: skip
    assert rows() == expected


def test_the_figure_and_the_sentences_are_what_the_pipeline_makes(built):
    assert "docs/cover.svg" in README
    made, shown = (
        without_identity(path.read_text(encoding="utf-8"))
        for path in (built / "results/v4.1/figures/series/cover.svg", ROOT / "docs/cover.svg")
    )
    assert shown == made, "copy it to docs/"
    sentences = pd.read_parquet(built / "results/v4.1/conclusions.parquet")["sentence"].tolist()
    shown = [line.removeprefix("- ") for line in README.splitlines() if "% of replicates" in line]
    assert len(shown) == 3
    assert set(shown) <= set(sentences)


def test_commands_shown_exist():
    makefile = (ROOT / "Makefile").read_text()
    for target in ("test", "check", "verify", "facts", "lock"):
        assert f"make {target}" in README
        assert f"\n{target}:" in makefile
