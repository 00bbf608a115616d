"""Figures: both languages say the same, charts are valid, empty ones are honest."""

import os
import shutil
import string
import subprocess
import sys
import tempfile

import pandas as pd
import pytest

from breakeven import charts, config, figures, labels, provenance, theme
from breakeven.methods import build as build_methods
from tests.conftest import ROOT
from tests.unit.test_scaling import NOISE, build, scores
from tests.unit.test_uncertainty import TIMES, runs_of

MADE = provenance.Maker(ROOT, {"@id": "scripts/figures.py"}, {}, [], [])
PINNED = config.load_round(ROOT / "config/rounds", "v4.1")


def source(language="en", *rows):
    table = scores(*(rows or (("S", "a", 8, 10.2), ("S", "b", 16, 6.1), ("S", "c", 64, 4.0))))
    runs = runs_of(*((r["submitter"], r["system"], TIMES) for r in table.to_dict("records")))
    scaling = build(table, runs)
    settings = config.BreakevenSettings()
    answers, _ = build_methods(scaling, table, runs, settings, NOISE)
    return figures.Source(scaling, answers, runs, PINNED, language)


def names_in(text):
    return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name)


def test_both_languages_have_the_same_texts_with_the_same_names():
    english, spanish = labels.TEXTS["en"], labels.TEXTS["es"]
    assert english.keys() == spanish.keys()
    for key in english:
        assert names_in(english[key]) == names_in(spanish[key]), key
    assert labels.divisions(["closed", "open", "closed"], "es") == "cerrada y abierta"


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("view", figures.VIEWS)
def test_every_view_is_valid_and_says_where_it_comes_from(view, language):
    drawn = list(figures.build(source(language), view))
    assert drawn
    for figure in drawn:
        specification = figure.chart.to_dict(validate=True)
        under = " ".join(specification["title"]["text"])
        assert PINNED.commit in under
        assert ("Unofficial" if language == "en" else "no oficial") in under
        assert "division" in under or "división" in under
        assert figure.alternative


@pytest.mark.parametrize("view", ["series", "time", "runs", "breakeven", "decomposition"])
def test_a_benchmark_without_a_series_gets_an_honest_figure(view):
    for figure in figures.build(source("en", ("S", "a", 8, 10.2)), view):
        assert "Nothing to show: no submitter has scores" in str(figure.chart.to_dict())
        assert "no submitter has scores" in figure.alternative


def test_the_same_tables_give_the_same_bytes(tmp_path):
    for side in ("1", "2"):
        figures.fill(tmp_path / side, figures.build(source(), "series"), 2, MADE, print)
    files = sorted(path.name for path in (tmp_path / "1").iterdir())
    assert {"bert-efficiency.svg", "bert-efficiency.png", "bert-efficiency.json"} < set(files)
    for name in files:
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()


def test_a_machines_own_fonts_do_not_change_a_picture():
    ours = {name: word for name, word in os.environ.items() if name != "FONTCONFIG_FILE"}
    listing = shutil.which("fc-list")
    families = (
        subprocess.run([listing, ":", "family"], capture_output=True, text=True, env=ours).stdout
        if listing
        else ""
    )
    names = sorted({line.split(",")[0] for line in families.splitlines()} - {theme.FONT})
    if not names:
        pytest.skip("this machine has no fonts of its own (fc-list)")
    # A family that a machine has is drawn like one that no machine has.
    program = (
        "import sys, vl_convert; from pathlib import Path; from breakeven import figures\n"
        "figures.fill(Path(sys.argv[2]), [], 1, None, print)\n"
        'text = f\'<text y="20" font-family="{sys.argv[1]}">mine</text>\'\n'
        'svg = f\'<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30">{text}</svg>\'\n'
        "sys.stdout.buffer.write(vl_convert.svg_to_png(svg))"
    )
    with tempfile.TemporaryDirectory() as folder:
        drawn = {
            subprocess.run(
                [sys.executable, "-c", program, name, f"{folder}/figures"],
                capture_output=True,
                check=True,
                cwd=ROOT,
                env=ours,
            ).stdout
            for name in (names[0], names[-1], "no such family")
        }
    assert len(drawn) == 1


def test_text_alternatives_are_in_the_figures_language():
    english, spanish = (next(figures.build(source(of), "series")) for of in ("en", "es"))
    assert "3 points from 8 to 64 accelerators, speedup from 1 to 2.55" in english.alternative
    assert "3 puntos de 8 a 64 aceleradores, aceleración de 1 a 2.55" in spanish.alternative


def test_a_hostile_name_is_text_in_the_svg(tmp_path):
    name = "<img src=x onerror=alert(1)>"
    rows = [(name, "a", 8, 10.2), (name, "b", 16, 6.1)]
    figures.fill(tmp_path / "v", figures.build(source("en", *rows), "series"), 1, MADE, print)
    svg = (tmp_path / "v/bert-speedup.svg").read_text()
    assert "<img" not in svg
    assert "&lt;img src=x" in svg


def test_points_on_the_front():
    points = pd.DataFrame(
        {
            "series": ["x"] * 4 + ["y"],
            "accelerators": [8, 16, 32, 64, 8],
            "minutes": [100.0, 45.0, 40.0, 41.0, 500.0],
        }
    )
    assert charts.on_front(points).tolist() == [False, True, True, False, True]
