"""Records: an id for what made an artefact, a seal for what it says, and both in pictures."""

import json

import pytest
import vl_convert

from breakeven import provenance
from breakeven.config import FigureSettings
from breakeven.errors import BreakevenError
from tests.conftest import ROOT

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="9"/></svg>'


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts/figures.py").write_text("import breakeven.figures\n")
    (tmp_path / "breakeven").mkdir()
    (tmp_path / "breakeven/figures.py").write_text("A = 1\n")
    (tmp_path / "scaling.parquet").write_text("rows")
    return tmp_path


def make(folder, **settings):
    inputs = [folder / "scaling.parquet"]
    chosen = {"figures": FigureSettings(**settings)}
    source = provenance.origin("v4.1", "https://example.invalid/r", "c" * 40, "abc.dir")
    return provenance.maker("scripts/figures.py", inputs, chosen, [source], folder)


def test_the_id_changes_with_what_made_it_and_with_nothing_else(folder):
    first = make(folder).identity({"benchmark": "bert"})
    assert first == make(folder).identity({"benchmark": "bert"})
    assert first != make(folder).identity({"benchmark": "ssd"})
    assert first != make(folder, language="es").identity({"benchmark": "bert"})
    (folder / "breakeven/figures.py").write_text("A = 2\n")
    second = make(folder).identity({"benchmark": "bert"})
    (folder / "breakeven/unrelated.py").write_text("A = 2\n")
    (folder / "scaling.parquet").write_text("other rows")
    third = make(folder).identity({"benchmark": "bert"})
    assert len({first, second, third}) == 3


def test_a_record_says_what_made_what_from_what(folder):
    (folder / "bert.svg").write_text(SVG)
    make(folder).record(folder / "bert.prov.json", [folder / "bert.svg"], {"view": "series"})
    record = provenance.read(folder / "bert.prov.json")
    assert record["prov:used"][0]["@id"] == "scaling.parquet"
    assert record["prov:used"][0]["sha256"] == provenance.sha256(folder / "scaling.parquet")
    assert record["prov:generated"][0]["sha256"] == provenance.sha256(folder / "bert.svg")
    assert record["prov:hadPrimarySource"][0]["raw"] == "abc.dir"
    assert record["prov:wasAssociatedWith"]["packages"].keys() == set(provenance.PACKAGES)
    assert str(folder) not in (folder / "bert.prov.json").read_text()


def test_files_from_elsewhere_are_recorded_by_their_name(folder, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "runs.parquet"
    elsewhere.write_text("rows")
    made = provenance.maker("scripts/figures.py", [elsewhere], root=folder)
    assert made.used[0]["@id"] == "runs.parquet"
    assert made.used[0]["sha256"] == provenance.sha256(elsewhere)


def test_the_source_is_handed_on_from_record_to_record(folder):
    make(folder).record(folder / "scaling.prov.json", [folder / "scaling.parquet"])
    later = provenance.maker("scripts/figures.py", [folder / "scaling.parquet"], root=folder)
    assert [source["round"] for source in later.origins] == ["v4.1"]


@pytest.mark.parametrize("key", ["sha256", "language", "commit", "seal", "@id"])
def test_a_changed_record_does_not_hold(folder, key):
    (folder / "bert.svg").write_text(SVG)
    path = folder / "bert.prov.json"
    make(folder).record(path, [folder / "bert.svg"])
    changed = path.read_text().replace(f'"{key}": "', f'"{key}": "0', 1)
    assert changed != path.read_text()
    path.write_text(changed)
    with pytest.raises(BreakevenError, match="changed since it was written"):
        provenance.read(path)
    path.write_text("{")
    with pytest.raises(BreakevenError, match="not a provenance record"):
        provenance.read(path)


def test_pictures_carry_the_id_and_stay_pictures(folder):
    identity = make(folder).identity()
    svg = provenance.into_svg(SVG, identity)
    png = vl_convert.svg_to_png(SVG)
    marked = provenance.into_png(png, identity)
    assert provenance.embedded(svg.encode()) == identity
    assert provenance.embedded(marked) == identity
    assert provenance.embedded(png) is None
    assert provenance.embedded(b"series,accelerators\n") is None
    assert provenance.without_identity(svg) == SVG
    assert vl_convert.svg_to_png(svg) == png
    assert marked[:8] == png[:8]
    assert marked[-12:] == png[-12:]


def test_every_program_that_writes_results_is_recorded():
    rules = "".join(path.read_text() for path in (ROOT / "rules").glob("*.smk"))
    for name in ("scores", "scaling", "breakeven", "overview", "figures", "history", "report"):
        assert f"python -m scripts.{name} " in rules
        program = (ROOT / f"scripts/{name}.py").read_text()
        assert f'"scripts/{name}.py"' in program, "names itself in its records"
    assert json.loads(json.dumps(provenance.CONTEXT))["prov"] == "http://www.w3.org/ns/prov#"
