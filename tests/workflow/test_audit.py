"""The audit names what was altered, and only that; explain walks from a copy to the log lines."""

import json
import re
import shutil
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from breakeven import config, explain, provenance, recount
from breakeven.audit import report
from breakeven.errors import BreakevenError
from tests.conftest import ROOT, copy_project, run

pytestmark = [pytest.mark.workflow, pytest.mark.xdist_group("built")]

ASKED = config.AuditSettings(sample=1)
FIGURE = "results/v4.1/figures/series/bert-efficiency"


@pytest.fixture(scope="module")
def audited(built, tmp_path_factory):
    """Give a built clone to alter, one alteration at a time."""
    return Path(shutil.copytree(built, tmp_path_factory.mktemp("audited") / "project"))


@pytest.fixture(scope="module")
def with_raw(audited, mirror):
    """Give the same with the raw files of v4.1."""
    run("snakemake", "data/raw/v4.1.manifest.tsv", folder=audited, **mirror)
    yield audited
    shutil.rmtree(audited / "data/raw")


def found(folder):
    """Audit; return the files that it names."""
    said = report.audit(folder, ASKED, print)
    names = [finding["file"] for check in said["checks"] for finding in check["findings"]]
    assert said["holds"] == (not names)
    assert not names or "THE AUDIT FAILS" in report.as_text(said)
    return names


def digit(path):
    """Change one digit of a text, near its middle."""
    data = path.read_bytes()
    at = next(i for i in range(len(data) // 2, len(data)) if 0x30 <= data[i] <= 0x39)
    path.write_bytes(data[:at] + (b"1" if data[at : at + 1] != b"1" else b"2") + data[at + 1 :])


def byte(path):
    """Change one bit of a file, near its middle."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))


def swap_runs(path):
    """Swap the times of two runs of one system, in a table that stays well formed."""
    table = pq.read_table(path)
    minutes = table["minutes"].to_pylist()
    minutes[0], minutes[1] = minutes[1], minutes[0]
    place = table.schema.get_field_index("minutes")
    column = pq.read_table(path)["minutes"].type
    pq.write_table(table.set_column(place, table.schema.field(place), [minutes]), path)
    assert pq.read_table(path)["minutes"].type == column


def gone(path):
    path.unlink()


def edited(old, new):
    def edit(path):
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new, 1))

    return edit


ALTERATIONS = {
    "a digit in facts": ("data/facts/v4.1/events.parquet", byte),
    "the source of facts": ("data/facts/v4.1/source.txt", digit),
    "facts removed": ("data/facts/v0.5/files.parquet", gone),
    "a digit in a table": ("results/v4.1/scaling.csv", digit),
    "a bit in a table": ("results/v4.1/scores.parquet", byte),
    "two runs swapped": ("results/v4.1/runs.parquet", swap_runs),
    "a digit in a drawing": (f"{FIGURE}.svg", digit),
    "a bit in a picture": (f"{FIGURE}.png", byte),
    "a digit in a specification": (f"{FIGURE}.json", digit),
    "a digit in a record": (f"{FIGURE}.prov.json", digit),
    "a digit in a table's record": ("results/v4.1/scaling.prov.json", digit),
    "a record removed": (f"{FIGURE}.prov.json", gone),
    "a figure removed": (f"{FIGURE}.svg", gone),
    "a table removed": ("results/v4.1/scores.parquet", gone),
    "a digit in the page": ("results/report/index.html", digit),
    "a digit in dvc.lock": ("dvc.lock", digit),
    "a setting": ("config/config.yaml", edited("efficiency_floor: 0.5", "efficiency_floor: 0.6")),
    "a rule": ("config/benchmarks.yaml", edited("dropped: 1", "dropped: 2")),
    "a pin": ("config/rounds/v4.1.yaml", edited("title: MLPerf", "title: The MLPerf")),
    "a program": ("scripts/scaling.py", edited("def main", "# edited\ndef main")),
}


def altering(folder, path, alter):
    """Alter a file, audit, and put it back."""
    file = folder / path
    before = file.read_bytes()
    alter(file)
    try:
        assert not file.is_file() or file.read_bytes() != before
        return found(folder)
    finally:
        file.write_bytes(before)


def test_what_was_just_made_holds(audited):
    assert found(audited) == []


@pytest.mark.parametrize("what", ALTERATIONS)
def test_an_alteration_is_named_and_only_it(audited, what):
    path, alter = ALTERATIONS[what]
    assert altering(audited, path, alter) == [path]


def test_a_file_of_nobody_is_named(audited):
    stray = audited / "results/v4.1/better.csv"
    stray.write_text("accelerators,minutes\n8,0.1\n")
    try:
        assert found(audited) == ["results/v4.1/better.prov.json"]
    finally:
        stray.unlink()


def test_a_table_of_another_run_is_found_to_be_older(audited):
    """A table and its record put back from another state: what was made from it tells."""
    paths = [audited / f"results/v4.1/scaling{suffix}" for suffix in (".parquet", ".prov.json")]
    before = [path.read_bytes() for path in paths]
    record = json.loads(before[1])
    byte(paths[0])
    record["prov:generated"][1]["sha256"] = provenance.sha256(paths[0])
    del record["seal"]
    paths[1].write_text(json.dumps({**record, "seal": provenance.digest(record)}))
    try:
        names = found(audited)
        assert "results/v4.1/breakeven.prov.json" in names
        assert f"{FIGURE}.prov.json" in names
    finally:
        for path, data in zip(paths, before, strict=True):
            path.write_bytes(data)


LOGS = "data/raw/v4.1/NVIDIA/results/eos_n8_ngc23.04_pytorch/bert"


def swap_with_the_next(path):
    other = path.with_name("result_1.txt")
    mine, theirs = path.read_bytes(), other.read_bytes()
    path.write_bytes(theirs)
    other.write_bytes(mine)


def test_raw_files_hold_and_alterations_of_them_are_named(with_raw):
    said = report.audit(with_raw, ASKED, print)
    assert said["holds"], report.as_text(said)
    examined = {check["name"]: check["examined"] for check in said["checks"]}
    assert examined["raw files are upstream's, blob by blob"] == 1533
    assert examined["scores are recounted from raw lines by other code"] == 153
    assert examined["scores agree with the official summarizer"] == 1
    factor = "data/raw/v4.1/ASUSTeK/results/ESC_N8_E11/dlrm_dcnv2/scaling.json"
    for path, alter in (
        (f"{LOGS}/result_3.txt", digit),
        (f"{LOGS}/result_3.txt", gone),
        (factor, digit),
        ("dvc.lock", edited("md5: a6f3", "md5: b6f3")),
        ("data/raw/v4.1.manifest.tsv", digit),
    ):
        assert altering(with_raw, path, alter) == [path]
    first, second = (with_raw / f"{LOGS}/result_{n}.txt" for n in (0, 1))
    swap_with_the_next(first)
    try:
        names = [path.relative_to(with_raw).as_posix() for path in (first, second)]
        assert found(with_raw) == names
    finally:
        swap_with_the_next(first)


def test_facts_that_do_not_follow_from_raw_files_are_named_though_git_has_them(with_raw):
    """Someone commits wrong facts: the raw files tell."""
    path = with_raw / "data/facts/v4.1/events.parquet"
    before = path.read_bytes()
    table = pq.read_table(path)
    times = table["time_ms"].to_pylist()
    times[5] += 1
    place = table.schema.get_field_index("time_ms")
    pq.write_table(table.set_column(place, table.schema.field(place), [times]), path)
    words = (
        "git",
        "-c",
        "user.name=T",
        "-c",
        "user.email=t@example.invalid",
        "commit",
        "-qam",
        "x",
    )
    run(*words, folder=with_raw)
    try:
        names = found(with_raw)
        assert names == ["data/facts/v4.1/events.parquet"]
    finally:
        path.write_bytes(before)
        run(*words, folder=with_raw)


def test_the_workflow_fails_where_the_audit_does_and_leaves_its_reports(built_copy):
    audit = ("snakemake", "--forcerun", "audit", "--", "results/audit/passed.txt")
    done = run(*audit, folder=built_copy)
    assert "THE AUDIT HOLDS" in done.stdout
    said = json.loads((built_copy / "results/audit/report.json").read_text())
    assert said["holds"]
    assert said["commit"] == run("git", "rev-parse", "HEAD", folder=built_copy).stdout.strip()
    assert said["dirty"] is True
    digit(built_copy / f"{FIGURE}.svg")
    done = run(*audit, folder=built_copy, check=False)
    assert done.returncode != 0
    assert f"{FIGURE}.svg: was changed after it was made" in done.stdout
    assert not (built_copy / "results/audit/passed.txt").exists()
    assert f"{FIGURE}.svg" in (built_copy / "results/audit/report.html").read_text()


def test_no_artefact_names_this_machine(built):
    """No user, host or absolute path is in any result."""
    host = run("hostname", folder=built).stdout.strip()
    told = [str(built), str(ROOT), "/root/", "/home/", "/tmp/"]
    told += [host] if len(host) > 3 else []
    for path in (built / "results").rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            for word in told:
                assert word.encode() not in data, f"{path}: {word}"


def text_of(folder, file, *wanted, point=None):
    return explain.explain(folder, file, wanted, point).as_text()


def test_explain_walks_from_a_copy_of_a_picture_to_the_lines(built, tmp_path):
    for suffix in ("svg", "png", "json"):
        copied = Path(shutil.copy(built / f"{FIGURE}.{suffix}", tmp_path / f"renamed.{suffix}"))
        listed = text_of(built, copied)
        assert "7 rows: choose one with --point N" in listed
        (number,) = re.findall(r"point (\d+): bert NVIDIA eos_n8_ngc23.04_pytorch: 64", listed)
        told = text_of(built, copied, point=int(number))
        assert "data/facts/v4.1/events.parquet" in told
        assert "score 0.89813125 minutes = mean of 8 of 10 runs" in told
        assert "result_4.txt: does not count: run_stop says 'aborted'" in told
        assert "result_6.txt: 0.8175166666666667 minutes, left out of the mean, as the fast" in told
        assert re.search(r"result_0\.txt: .* lines 493 to 516, blob af1934c8", told)
        assert "/blob/b87b9e396f771345d4ef122ba33456304f15228d/NVIDIA/" in told
        assert "result_0.txt#L493-L516" in told


def test_explain_says_which_scaling_factor_and_its_file(built):
    keys = (("benchmark", "dlrm_dcnv2"), ("system", "ESC_N8_E11"))
    told = text_of(built, built / "results/v4.1/scores.csv", *keys)
    assert (
        "scaling factor 1.0152777777777777: ASUSTeK/results/ESC_N8_E11/dlrm_dcnv2/scaling" in told
    )
    assert "blob c23fb4f38a91a5161846db4c5e8117d140675a7d" in told


@pytest.mark.parametrize("table", sorted(explain.SCHEMAS))
def test_explain_traces_a_row_of_every_table(built, table):
    folder = built / "results" if table in ("history", "resubmissions") else built / "results/v4.1"
    path = folder / f"{table}.parquet"
    rows = len(pd.read_parquet(path))
    if not rows:
        pytest.skip(f"{table} of these rounds is empty")
    for number in {1, rows}:
        step = explain.explain(built, path, point=number)
        text = json.dumps(step.as_json())
        assert '"blob"' in text or '"address"' in text or "no submitter" in text


def test_explain_refuses_what_it_does_not_know(built, tmp_path):
    changed = tmp_path / "changed.csv"
    changed.write_text((built / "results/v4.1/scores.csv").read_text() + "\n")
    with pytest.raises(BreakevenError, match="no record in results/ is of this file"):
        explain.explain(built, changed)
    drawn = tmp_path / "changed.svg"
    drawn.write_text((built / f"{FIGURE}.svg").read_text().replace("BERT", "TREB"))
    assert "the file's bytes are not those recorded" in text_of(built, drawn)
    with pytest.raises(BreakevenError, match="no column 'colour'; columns: round"):
        explain.explain(built, built / "results/v4.1/scores.csv", [("colour", "red")])
    with pytest.raises(BreakevenError, match="no row is like that"):
        explain.explain(built, built / "results/v4.1/scores.csv", point=9999)
    with pytest.raises(BreakevenError, match="cannot be read"):
        explain.explain(built, tmp_path / "nowhere.svg")


def test_the_command_prints_a_tree_or_json(built):
    words = ("python", "-m", "breakeven", "explain", f"{FIGURE}.svg", "--point", "5")
    assert "└─" in run(*words, folder=built).stdout
    said = json.loads(run(*words, "--json", folder=built).stdout)
    assert said["artefact"] == FIGURE
    done = run(*words[:4], "--where", "x", "y.svg", folder=built, check=False)
    assert "give COLUMN=VALUE" in done.stderr


def test_an_audit_without_results_says_so(tmp_path):
    folder = copy_project(tmp_path / "clone")
    said = report.audit(folder, ASKED, print)
    assert said["holds"] is False or said["checks"][1]["examined"] == 0


@pytest.mark.parametrize(
    ("line", "milliseconds"),
    [
        (
            b':::MLLOG {"namespace": "", "time_ms": 1728188444906, "key": "run_start"}',
            1728188444906,
        ),
        (b':::MLLOG {"metadata": {}, "key": "run_start", "time_s": 1593354424.5}', 1593354424500),
        (b':::MLL 1560401349.5 run_start: {"value": null}', 1560401349500),
        (b":::MLPv0.5.0 resnet 1541720386.5 (a.py:49) run_start", 1541720386500),
        (b"no log line", None),
    ],
)
def test_the_recount_reads_every_dialects_clock(line, milliseconds):
    assert recount.clock(line) == milliseconds


def test_the_recount_drops_the_fastest_and_the_slowest():
    assert recount.score([1.0, None, 2.0, 4.0, 3.0], 1, 2.0) == 6.0
    assert recount.score([1.0, None, None, 4.0, 3.0], 1, 1.0) is None
    assert recount.score([1.0, 2.0], 1, 1.0) is None


AUDIT = "snakemake --forcerun audit -- results/audit/passed.txt"


def walk():
    """Read docs/audit.md: its commands, each with the lines that it prints."""
    steps = []
    for line in (ROOT / "docs/audit.md").read_text().splitlines():
        if line.startswith("    $ "):
            steps.append((line.removeprefix("    $ "), []))
        elif line.startswith("    ") and steps:
            steps[-1][1].append(line.removeprefix("    "))
    return steps


def test_the_auditors_walk_prints_what_the_page_says(built_copy, mirror):
    steps = walk()
    assert len(steps) > 8
    for command, expected in steps:
        if command == "make":
            continue
        words = AUDIT if command == "make audit" else command
        done = run("bash", "-c", words, folder=built_copy, check=False, **mirror)
        said = done.stdout
        assert said or done.returncode == 0, done.stderr
        at = 0
        for line in expected:
            if line.strip() != "…":
                place = said.find(line, at)
                assert place >= 0, f"{command} does not print {line!r} there:\n{said}"
                at = place + len(line)
