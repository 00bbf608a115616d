"""From files to facts: every listed file has a row, and nothing stops the rest."""

import json
import os
import signal
from dataclasses import fields

import pyarrow as pa
import pytest
from pyarrow import compute

from breakeven import assembly, facts, parquet, verdict
from breakeven import parse as parsing
from breakeven.config import Descriptions, Layout, Round, load
from breakeven.descriptions import Description
from breakeven.dialects import Event
from breakeven.errors import BreakevenError
from breakeven.fetch import Entry
from breakeven.oddities import Problem
from tests.conftest import ROOT, Upstream

ACCEPTED = load(Descriptions, ROOT / "config/descriptions.yaml")

LOG = Upstream.LOG.format(start=1700000000000, stop=1700000060000)
DESCRIPTION = json.dumps(
    {
        "submitter": "S", "division": "closed", "status": "available", "number_of_nodes": 1,
        "accelerators_per_node": 8, "accelerator_model_name": "Example X1",
        "host_processors_per_node": 2,
    }
)  # fmt: skip
FILES = {
    "S/results/sys/bert/result_0.txt": LOG,
    "S/results/sys/bert/result_1.txt": None,
    "S/results/sys/bert/notes.txt": "text",
    "S/results/sys/bert/power/result_0/node.txt": LOG,
    "S/results/sys/bert/scaling.json": '{"scaling_factor": 1.25}',
    "S/systems/sys.json": DESCRIPTION,
}


def parse(folder, files=FILES, **options):
    entries = []
    for path, content in files.items():
        if content is not None:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(content)
        state, reason = ("present", "") if content is not None else ("absent", "lost")
        entries.append(Entry(path, path[-4:] * 10, len(content or ""), state, reason))
    return parsing.parse(entries, Layout(), ACCEPTED, folder, **options)


def test_every_listed_file_has_a_row_and_its_kind(tmp_path):
    table = facts.framed(parse(tmp_path))["files"].set_index("path")
    assert table["kind"].to_dict() == {
        "S/results/sys/bert/result_0.txt": "run",
        "S/results/sys/bert/result_1.txt": "run",
        "S/results/sys/bert/notes.txt": "other",
        "S/results/sys/bert/power/result_0/node.txt": "other",
        "S/results/sys/bert/scaling.json": "scaling",
        "S/systems/sys.json": "description",
    }
    assert table["state"]["S/results/sys/bert/result_1.txt"] == "absent"
    assert table["scaling_factor"]["S/results/sys/bert/scaling.json"] == 1.25


def test_readings_have_the_columns_of_their_tables():
    assert facts.EVENTS.names == ["path", *Event.__struct_fields__]
    assert facts.PROBLEMS.names == ["path", *(field.name for field in fields(Problem))]
    assert facts.SYSTEMS.names[3:] == [field.name for field in fields(Description)]


@pytest.mark.parametrize("held", [1, 3, 1000])
def test_facts_do_not_depend_on_how_many_rows_are_packed_at_once(tmp_path, monkeypatch, held):
    expected = parse(tmp_path)
    monkeypatch.setattr(assembly, "HELD", held)
    assert verdict.difference(parse(tmp_path), expected) == []


def test_facts_do_not_depend_on_the_number_of_workers(tmp_path):
    one, two = parse(tmp_path, workers=1), parse(tmp_path, workers=2)
    assert verdict.difference(one, two) == []
    facts.write(one, tmp_path / "1", "x")
    facts.write(two, tmp_path / "2", "x")
    for table in facts.TABLES:
        names = [tmp_path / side / f"{table.name}.parquet" for side in "12"]
        assert names[0].read_bytes() == names[1].read_bytes()


def test_a_file_that_went_missing_is_a_problem_and_not_an_error(tmp_path):
    entry = Entry("S/results/sys/bert/result_9.txt", "0" * 40, 5, "present", "")
    found = parsing.parse([entry], Layout(), ACCEPTED, tmp_path)
    assert found["files"]["state"].to_pylist() == ["unreadable"]
    assert found["problems"]["kind"].to_pylist() == ["file unreadable"]


@pytest.mark.parametrize(
    "text", ["", "{}", '{"scaling_factor": "x"}', '{"scaling_factor": -1}', "[]"]
)
def test_a_factor_that_is_none_is_a_problem(text):
    factor, problems = parsing.read_scaling(text.encode())
    assert factor is None
    assert [problem.kind for problem in problems] == ["no scaling factor"]


def test_a_worker_that_is_killed_is_an_error_and_no_traceback(tmp_path, monkeypatch):
    monkeypatch.setattr(parsing, "read_run", lambda path: os.kill(os.getpid(), signal.SIGKILL))
    with pytest.raises(BreakevenError, match="a process that read logs was killed"):
        parse(tmp_path, workers=2)


def test_a_layout_that_fits_nothing_is_an_error(tmp_path):
    with pytest.raises(BreakevenError, match="no file matches the layout's run logs"):
        parse(tmp_path, {"S/systems/sys.json": DESCRIPTION})


def test_verdict_holds_and_names_what_differs(tmp_path):
    ours, theirs = parse(tmp_path), parse(tmp_path)
    assert verdict.verdict(ours, theirs, [], "x").text.startswith("Facts against x\nHOLDS: 6 files")
    changed = dict(ours)
    column = facts.EVENTS.names.index("time_ms")
    later = compute.add(ours["events"]["time_ms"], 1)
    changed["events"] = ours["events"].set_column(column, facts.EVENTS.field(column), later)
    report = verdict.verdict(changed, theirs, [], "x")
    assert not report.holds
    assert "only here: events: S/results/sys/bert/result_0.txt:1" in report.text
    assert not verdict.verdict(ours, theirs, ["S/systems/sys.json"], "x").holds


def test_a_file_that_can_be_had_now_is_no_contradiction(tmp_path):
    ours = parse(tmp_path)
    theirs = parse(tmp_path, {**FILES, "S/results/sys/bert/result_1.txt": LOG})
    for report in (verdict.verdict(ours, theirs, [], "x"), verdict.verdict(theirs, ours, [], "x")):
        assert report.holds
        assert "S/results/sys/bert/result_1.txt" in report.text


def test_a_row_that_is_there_twice_is_a_difference(tmp_path):
    ours, theirs = parse(tmp_path), parse(tmp_path)
    events = ours["events"]
    ours["events"] = parquet.ordered(pa.concat_tables([events, events.slice(0, 1)]), ["path"])
    found = verdict.difference(ours, theirs)
    assert [(row.what, row.where) for row in found] == [
        ("only here", "S/results/sys/bert/result_0.txt:1")
    ]
    assert not verdict.verdict(ours, theirs, [], "x").holds


def test_schemas_refuse_what_is_not_theirs():
    with pytest.raises(BreakevenError, match="column path"):
        assembly.assemble([parsing.Reading({"path": None, "blob": "", "state": "", "kind": ""})])


def test_facts_of_another_commit_or_layout_are_refused(tmp_path):
    pinned = load(Round, ROOT / "config/rounds/v4.1.yaml")
    facts.write(parse(tmp_path), tmp_path / "facts", pinned.source())
    assert set(facts.read(tmp_path / "facts", pinned.source())) == {t.name for t in facts.TABLES}
    for change in ({"commit": "a" * 40}, {"layout": Layout(runs=("{submitter}/*.txt",))}):
        other = pinned.model_copy(update=change)
        with pytest.raises(BreakevenError, match=r"parsed from .* but config/rounds/ pins"):
            facts.read(tmp_path / "facts", other.source())


def test_a_flipped_bit_in_the_data_of_a_facts_file_is_seen(tmp_path):
    facts.write(parse(tmp_path), tmp_path / "facts", "x")
    path = tmp_path / "facts/files.parquet"
    good = path.read_bytes()
    seen = 0
    for position in range(40, 400, 24):
        path.write_bytes(good[:position] + bytes([good[position] ^ 1]) + good[position + 1 :])
        try:
            facts.read(tmp_path / "facts")
        except BreakevenError:
            seen += 1
    # The few that are not seen lie in page headers, where they change no value.
    assert seen >= 10
