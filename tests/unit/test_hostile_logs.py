"""Whatever a file holds: no exception, no hang, bounded memory, and positions that are right."""

import datetime
import gzip
import json
import random
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from breakeven import assembly, facts, logs, parse, runs, scaling, scores, tables
from breakeven.config import (
    Benchmarks,
    Descriptions,
    Layout,
    UncertaintySettings,
    load,
    load_round,
)
from breakeven.descriptions import GREATEST_COUNT, read_description
from breakeven.dialects import KEYS, LONGEST_STATEMENT
from breakeven.errors import BreakevenError
from breakeven.fetch import Entry
from breakeven.logs import read_log
from breakeven.oddities import MOST
from breakeven.schemas import SCALING, SCORES
from tests.conftest import ROOT, Upstream
from tests.fuzz.claims import SAMPLES, check
from tests.properties import bounded

ACCEPTED = load(Descriptions, ROOT / "config/descriptions.yaml")
BENCHMARKS = load(Benchmarks, ROOT / "config/benchmarks.yaml")
LOG = Upstream.LOG.format(start=1700000000000, stop=1700000060000).encode()
NASTY = (
    b"\n", b"\r", b"\r\n", b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"\xef\xbb\xbf", b":::ML",
    b":::MLLOG ", b":::MLL ", b":::MLPv0.5.0 ", b"MLPerf: a [99/99/99 99:99:99], run_stop\n",
    b"NaN", b"-Infinity", b"1e999", b"1e308", b"9" * 400, b"9" * 5000, b"[" * 3000,
    b'{"value":' * 1200, b'"\\ud800"', b"null", b"true", b'"key": "run_stop", ', b"!!int ''",
    b"&a ", b"*a", b"<<: ", b"1:1", b"2001-99-99", b"{[1]: 2}", b"}", b'"', b"%", b": ", b"...",
)  # fmt: skip


@st.composite
def mutated(draw, samples=SAMPLES, most=4):
    """Draw lines as real logs have them, with some bytes replaced by what hurts parsers."""
    data = b"".join(draw(st.lists(st.sampled_from(samples), min_size=1, max_size=most)))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(data)))
        stop = min(len(data), start + draw(st.sampled_from((0, 0, 1, 2, 7))))
        new = draw(st.sampled_from(NASTY) | st.binary(max_size=3))
        data = data[:start] + new + data[stop:]
    return data


NUMBERS = (
    st.floats() | st.integers(-(10**20), 10**20) | st.sampled_from((0, 1e308, -1e308, 5e-324))
)  # fmt: skip
SCALARS = (
    NUMBERS
    | st.none()
    | st.booleans()
    | st.sampled_from(("", "success", "\ud800", "\x00", "1e308", "-5", "8", "{[1]: 2}"))
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner)
)


@st.composite
def statements(draw, benchmark_keys=tuple(KEYS)):
    """Draw well-formed lines of the present dialect that say what none should."""
    metadata = st.fixed_dictionaries(
        {}, optional=dict.fromkeys(("status", "epoch_num", "samples_count", "timestamp"), SCALARS)
    )
    content = st.fixed_dictionaries(
        {"key": st.sampled_from(benchmark_keys)},
        optional={"time_ms": SCALARS, "time_s": SCALARS, "value": VALUES, "metadata": metadata},
    )
    lines = draw(st.lists(content, max_size=5))
    return "".join(f":::MLLOG {json.dumps(line)}\n" for line in lines).encode()


@contextmanager
def within(seconds):
    """Fail where what is inside computes for longer: it takes hours where time grows squared."""
    start = time.process_time()
    yield
    assert time.process_time() - start < seconds


@bounded(300)
@given(st.binary(max_size=200))
def test_any_bytes_are_read(data):
    check(data)
    check(b":::MLLOG " + data)
    check(b":::MLL 1.5 run_stop: " + data)
    check(b":::MLPv0.5.0 ncf 1.5 (a:1) run_stop: " + data)
    check(b"MLPerf: a [06/13/19 00:30:56], run_stop: " + data)


@bounded(600)
@given(mutated())
def test_lines_with_hostile_bytes_in_them_are_read(data):
    check(data)


@bounded(200)
@given(statements())
def test_any_values_are_read(data):
    check(data)


# Written so that a reader that only looks for the key could take them for sound.
UNSOUND = (
    b'{"key": "loss", "x": 01}', b'{"key": "loss", "x": 1.}', b'{"key": "loss", "x": nul}',
    b'{"key": "loss", "x": [1, 2}', b'{"key": "loss", "x": {"a" 2}}', b'{"key": "loss",}',
    b'{"key": "loss"}}', b'{"key": "loss"} {"key": "loss"}', b'{"key": "loss", "x": "\\q"}',
    b'{"key": "loss", "x": "\xff"}', b'{"key": "loss", "x": "\xed\xa0\x80"}',
    b'{"key": "loss", "x": "abc', b'{"key": "loss", "x": "\\ud800"}',
    b'{"key": "loss", "x": NaN}', b'{"key": "loss", "x": 1e999}', b'{"key": "loss", "x": "\x01"}',
    b'{"key": "loss", "x": ' + b"9" * 400 + b"}", b'{"key": 5}', b'["key"]', b'"key"', b"{}",
    b'{"key": "loss", "x": ' + b"[" * 3000 + b"]" * 3000 + b"}", b'{"key": "run_stop", "x": 01}',
    b'{"key": "init_start", "time_ms": "5"}', b'{"key": "init_start", "time_ms": 5}',
    b'{"key": "init_start", "time_ms": 0}', b'{"key": "init_start", "time_ms": 9.5}',
    b'{"key": "init_stop", "time_ms": []}',
    b'{"key": "init_stop", "time_ms": true}',
)  # fmt: skip


def read_without_glances(data):
    """Read a log as if no line were known to be sound before it is read whole."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(logs, "_glances", lambda bodies: None)
        return read_log(data)


@pytest.mark.parametrize("written", UNSOUND)
def test_a_glance_hides_nothing_that_is_wrong_with_a_line(written):
    data = b":::MLLOG " + written + b"\n"
    assert read_log(data * 2) == read_without_glances(data * 2)
    assert read_log(SAMPLES[0] + data * 2) == read_without_glances(SAMPLES[0] + data * 2)


@bounded(300)
@given(
    st.lists(st.sampled_from([*UNSOUND, *SAMPLES]) | mutated(), min_size=1, max_size=6),
    st.integers(1, 400),
)
def test_a_glance_changes_no_reading_and_nor_does_where_a_window_ends(pieces, window):
    data = b"\n:::MLLOG ".join([b"", *pieces])
    read = read_log(data)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(logs, "WINDOW", window)
        assert read_log(data) == read
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(logs._Reader, "gives_nothing", lambda reader, seen: False)
        assert read_log(data) == read
    if data.count(b":::ML") == data.count(b"\n:::MLLOG "):
        # Without tokens in texts, which only a glance can tell from tokens of their own.
        assert read_without_glances(data) == read


def test_of_lines_that_say_the_same_the_one_that_counts_has_its_own_place():
    start = b':::MLLOG {"key": "init_start", "time_ms": %d}'
    lines = [
        b"noise", start % 9, start[9:] % 5, start % 9, start % 5, start % 5,
        *[b':::MLLOG {"key": "run_start", "time_ms": 7}'] * 2,
    ]  # fmt: skip
    log = check(b"\n".join(lines))
    assert [(event.line, event.key) for event in log.events] == [
        (5, "init_start"), (7, "run_start"), (8, "run_start"),
    ]  # fmt: skip


def test_a_token_in_a_text_of_a_sound_line_cuts_nothing():
    start = b':::MLLOG {"key": "run_start", "time_ms": 5, "value": ":::MLLOG {\xc3\xa9"}\n'
    log = check(start + start.replace(b"run_start", b"loss") + LOG)
    assert [(event.line, event.key) for event in log.events] == [
        (1, "run_start"), (3, "run_start"), (4, "run_stop"),
    ]  # fmt: skip
    assert log.problems == []


def test_of_many_broken_lines_the_first_are_named_and_the_others_counted():
    log = check(b":::MLLOG {\n" * 1000 + b":::MLL x\n")
    assert [(problem.kind, problem.line) for problem in log.problems] == [
        *(("broken JSON", line) for line in range(1, MOST + 1)), ("broken line", 1001),
    ]  # fmt: skip
    assert log.problems[MOST - 1].detail.endswith("; and 995 more lines like it")


@bounded(150)
@given(st.lists(st.sampled_from([*SAMPLES, b"noise\n", b"\n", b"progress\r", b"\x00\n"])))
def test_every_undamaged_line_is_found_at_its_own_place(pieces):
    # The dialect without a token is read only alone.
    pieces = [piece.rstrip(b"\n") for piece in pieces if not piece.startswith(b"MLPerf")]
    wanted = [
        number
        for number, piece in enumerate(b"\n".join(pieces).split(b"\n"), start=1)
        if any(key in piece for key in (b"run_st", b"eval_"))
    ]
    assert [event.line for event in check(b"\n".join(pieces)).events] == wanted


@pytest.mark.parametrize("opening", [b"[", b'{"value":', b'{"a":[', b"{", b"- "])
@pytest.mark.parametrize(
    "before",
    [b':::MLLOG {"key": "run_stop", "value": ', b":::MLL 1.5 run_stop: ",
     b":::MLPv0.5.0 ncf 1.5 (a.py:1) run_stop: ", b"MLPerf: a [06/13/19 00:30:56], run_stop: "],
)  # fmt: skip
def test_nesting_of_any_depth_is_read(before, opening):
    with within(10):
        for depth in (500, 990, 1500, 50_000):
            check(before + opening * depth + b"\n" + LOG)


def test_of_duplicate_keys_the_last_counts():
    (event,) = check(b':::MLLOG {"key": "x", "time_ms": 1, "key": "run_stop", "time_ms": 2}').events
    assert (event.key, event.time_ms) == ("run_stop", 2)


@pytest.mark.parametrize(
    "data",
    [b':::MLLOG {"key": "run_stop", "time_s": 1e308}', b":::MLL 1e308 run_stop: {}",
     b":::MLPv0.5.0 ncf 1e308 (a.py:1) run_stop"],
)  # fmt: skip
def test_seconds_that_are_no_finite_milliseconds_are_no_time(data):
    (event,) = check(data).events
    assert event.time_ms is None


def test_a_date_that_does_not_exist_is_a_problem_and_not_a_crash():
    data = b"MLPerf: a [13/32/19 25:61:61], run_start\nMLPerf: a [06/13/19 00:30:56], run_stop\n"
    log = check(data)
    assert [(event.key, event.line) for event in log.events] == [("run_stop", 2)]
    assert [(problem.kind, problem.line) for problem in log.problems] == [("broken line", 1)]


def test_a_percentage_that_is_no_number_is_no_value():
    for written in (b"1.2.3", b"9" * 400):
        data = b'MLPerf: a [06/13/19 00:30:56], eval_accuracy: {"value": ' + written + b"%}\n"
        assert [event.value for event in check(data).events] == [None]


BOMB = "{a: &a {x: 1}, " + "".join(
    f"{after}: &{after} {{<<: [{', '.join([f'*{before}'] * 9)}]}}, "
    for before, after in zip("abcdefghi", "bcdefghij", strict=True)
)


@pytest.mark.parametrize(
    "written",
    [BOMB + "}", "{value: !!int ''}", "{value: !!bool maybe}", "{value: !!timestamp now}",
     "{value: " + "1:" * 300 + "1.0}", "{value: 2001-99-99}", "{[1]: 2}", "{" * 20_000,
     "[" * 3_000 + "a: ", "value: '" + "a" * 900_000],
)  # fmt: skip
def test_yaml_that_is_meant_to_hurt_costs_its_value_alone(written):
    with within(5):
        log = check(f":::MLL 1.5 run_stop: {written}\n".encode())
    assert [(event.key, event.time_ms, event.value) for event in log.events] == [
        ("run_stop", 1500, None)
    ]
    assert [problem.kind for problem in log.problems] == ["broken JSON"]


def test_a_line_of_many_statements_takes_no_squared_time():
    with within(20):
        log = read_log(b":::MLL" * 1_000_000)
    assert log.events == []
    with within(20):
        log = read_log(b":::MLL 1.5 run_stop\r" * 100_000)
    assert [event.line for event in log.events] == [1] * 100_000


def test_many_lines_without_a_token_take_no_squared_time():
    first = datetime.datetime(2019, 1, 1)
    times = [first + datetime.timedelta(seconds=step) for step in range(20_000)]
    text = "".join(f"MLPerf: a [{when:%m/%d/%y %H:%M:%S}], run_start\n" for when in times)
    with within(10):
        log = read_log(text.encode())
    assert [event.line for event in log.events] == list(range(1, 20_001))


def test_a_statement_behind_which_a_disk_wrote_nothing_is_read():
    data = LOG.rstrip(b"\n") + bytes(LONGEST_STATEMENT) + b"\n" + SAMPLES[1]
    log = check(data)
    assert [(event.key, event.line) for event in log.events] == [
        ("run_start", 1), ("run_stop", 2), ("eval_accuracy", 3),
    ]  # fmt: skip
    assert [problem.kind for problem in log.problems] == ["line too long", "text after JSON"]


MEASURE = """
import re, sys
from pathlib import Path
from breakeven.logs import read_log
def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024
before = peak()
log = read_log(Path(sys.argv[1]).read_bytes())
print(len(log.events), log.lines, peak() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc to measure memory")
@pytest.mark.parametrize(
    "start",
    [b':::MLLOG {"key": "run_stop", "value": "', b":::MLL 1.5 run_stop: '",
     b":::MLPv0.5.0 ncf 1.5 (a.py:1) run_stop: ", b"MLPerf: a [06/13/19 00:30:56], run_stop: ",
     b""],
)  # fmt: skip
def test_a_line_of_100_mb_takes_its_own_size_of_memory_and_little_more(tmp_path, start):
    size = 100_000_000
    with (tmp_path / "log").open("wb") as stream:
        stream.write(start)
        for _ in range(100):
            stream.write("é".encode() * (size // 200))
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, tmp_path / "log"],
        capture_output=True, text=True, check=True, timeout=120, cwd=ROOT,
    )  # fmt: skip
    events, lines, megabytes = map(int, done.stdout.split())
    # A statement of the present dialect that is cut has no JSON, and so no event.
    assert (events, lines) == (int(bool(start) and b"MLLOG" not in start), 1)
    assert megabytes < 100 + 30


# Files, and the whole way from them to points.

FOLDER = "S/results/sys/bert"
DESCRIPTION = {
    "submitter": "S", "division": "closed", "status": "available", "number_of_nodes": 1,
    "accelerators_per_node": 8, "accelerator_model_name": "NVIDIA H100-SXM5-80GB",
    "host_processors_per_node": 2,
}  # fmt: skip


def read(folder, files, layout=Layout()):  # noqa: B008
    """Write files, and read them as one round."""
    readings = []
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        if data is not None:
            (folder / path).write_bytes(data)
        entry = Entry(path, "0" * 40, len(data or b""), "present", "")
        where = parse.place(path, layout)
        readings.append(parse.read_file(entry, where, ACCEPTED, folder))
    return facts.framed(assembly.assemble(readings))


def test_a_log_that_is_packed_by_mistake_has_a_row_and_no_events(tmp_path):
    found = read(tmp_path, {f"{FOLDER}/result_0.txt": gzip.compress(LOG, mtime=0)})
    assert found["files"]["state"].tolist() == ["present"]
    assert found["events"].empty
    table = runs.build(found, load_round(ROOT / "config/rounds", "v4.1"), BENCHMARKS, {})
    assert table["reason"].tolist() == ["no run_start line"]


@pytest.mark.parametrize("name", ["result_0.txt", "scaling.json"])
def test_what_is_there_and_cannot_be_read_has_a_row_that_says_so(tmp_path, monkeypatch, name):
    path = f"{FOLDER}/{name}"
    file = tmp_path / path
    file.mkdir(parents=True)
    folder = read(tmp_path, {path: None})
    file.rmdir()
    # A link to itself: what cannot be opened, whoever asks.
    file.symlink_to(file.name)
    loop = read(tmp_path, {path: None})
    file.unlink()
    file.write_bytes(LOG)

    def refuse(self):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    refused = read(tmp_path, {path: None})
    for found in (folder, loop, refused):
        assert found["files"]["state"].tolist() == ["unreadable"]
        assert found["problems"]["kind"].tolist() == ["file unreadable"]
    assert refused["problems"]["detail"].tolist() == ["Permission denied"]


@pytest.mark.parametrize("name", ["../../../etc/bert", "/bert", "..", "", "a/b", "bert\x00"])
def test_a_log_names_no_folder_as_its_benchmark(tmp_path, name):
    line = {"key": "submission_benchmark", "time_ms": 1, "value": name}
    layout = Layout(runs=("{submitter}/{system}/*.txt",))
    found = read(tmp_path, {"S/sys/a.txt": f":::MLLOG {json.dumps(line)}".encode()}, layout)
    assert found["files"]["benchmark"].isna().all()
    good = f":::MLLOG {json.dumps({**line, 'value': 'bert'})}".encode()
    assert read(tmp_path, {"S/sys/a.txt": good}, layout)["files"]["benchmark"].tolist() == ["bert"]


def points(folder, logs, factor, round_name, benchmark):
    """Take logs of two systems, one of them undamaged, all the way to points of scaling."""
    where = f"S/results/sys/{benchmark}"
    files = {f"{where}/result_{n}.txt": data for n, data in enumerate(logs)}
    files[f"{where}/scaling.json"] = factor
    files |= {f"S/results/big/{benchmark}/result_{n}.txt": LOG for n in range(3)}
    for name, nodes in (("sys", 1), ("big", 8)):
        description = {**DESCRIPTION, "number_of_nodes": nodes}
        files[f"S/systems/{name}.json"] = json.dumps(description).encode()
    found = read(folder, files)
    pinned = load_round(ROOT / "config/rounds", round_name)
    table = runs.build(found, pinned, BENCHMARKS, {})
    known = found["systems"].assign(
        category="available", accelerator_family="H100", accelerator_model="H100 SXM",
        accelerator_memory=80, node_type="8 a node", pod=False,
        accelerators=found["systems"]["nodes"] * found["systems"]["accelerators_per_node"],
    )  # fmt: skip
    scored, table, _ = scores.build(found, table, known, BENCHMARKS, pinned)
    built = scaling.build(scored, table, UncertaintySettings(replicates=100))
    return table, scored, built


GOOD_RUN = LOG.replace(b"1700000060000", b"1700000050000")
FACTORS = st.sampled_from(
    [b'{"scaling_factor": 1.1}', b'{"scaling_factor": 5e-324}', b'{"scaling_factor": 1e308}',
     b'{"scaling_factor": true}', b'{"scaling_factor": "NaN"}', b"\x00", b"{"],
)  # fmt: skip
RUN_KEYS = ("run_start", "run_stop", "eval_result", "eval_accuracy", "init_start", "init_stop")


@pytest.mark.parametrize(
    ("round_name", "benchmark"),
    [("v4.1", "bert"), ("v4.1", "stable_diffusion"), ("v0.6", "minigo")],
)
@bounded(12, seconds=20)
@given(data=st.data())
def test_no_log_stops_a_round_or_makes_a_time_that_is_none(
    tmp_path_factory, round_name, benchmark, data
):
    log = mutated() | statements(RUN_KEYS) | statements(RUN_KEYS).map(lambda d: SAMPLES[0] + d)
    logs = [*data.draw(st.lists(log, min_size=1, max_size=3)), GOOD_RUN, GOOD_RUN]
    folder = tmp_path_factory.mktemp("round")
    table, scored, built = points(folder, logs, data.draw(FACTORS), round_name, benchmark)
    assert len(table) == len(logs) + 3
    assert table["status"].ne("").all()
    minutes = table.loc[table["counted"], "minutes"]
    assert ((minutes > 0) & (minutes <= runs.LONGEST_MINUTES)).all()
    assert len(scored) == 2
    given_scores = scored["minutes"].dropna()
    assert ((given_scores > 0) & (given_scores < 1e9)).all()
    assert set(built.columns) == set(SCALING.names)
    assert built["speedup"].gt(0).all()


def test_an_evaluation_that_ends_a_run_needs_a_start_and_a_possible_time():
    start = {"line": 1, "key": "run_start", "time_ms": 5.0, "status": None, "text": None}
    end = {"line": 2, "key": "eval_result", "time_ms": 9.0, "status": None, "text": None}
    for changed, value, reason in (
        (5.0, 60.0, ""),
        (None, 60.0, "run_start in line 1 has no usable time"),
        (5.0, -60.0, "run_stop is not after run_start"),
        (5.0, 1e9, "run_start and run_stop are over 60 days apart"),
    ):
        events = [{**start, "time_ms": changed}, {**end, "value": value}]
        result = runs.outcome(events, "eval_result")
        assert (result.counted, result.reason) == (not reason, reason)


# Scaling factors and descriptions.


@bounded(200)
@given(
    mutated((b'{"scaling_factor": 1.02}',), most=1)
    | st.binary(max_size=30)
    | VALUES.map(lambda value: json.dumps({"scaling_factor": value}).encode())
)
def test_a_hostile_scaling_factor_is_usable_or_a_problem(data):
    factor, problems = parse.read_scaling(data)
    if factor is None:
        assert [problem.kind for problem in problems] == ["no scaling factor"]
        problems[0].detail.encode()
    else:
        assert parse.LEAST_FACTOR <= factor <= parse.GREATEST_FACTOR


@pytest.mark.parametrize("written", ["5e-324", "1e308", "true", "0", "-1", "1e400", '"Infinity"'])
def test_a_factor_that_no_run_can_have_is_a_problem(written):
    assert parse.read_scaling(f'{{"scaling_factor": {written}}}'.encode())[0] is None


def describe(data):
    """Read a description, and hold what is claimed of every reading."""
    description, problems = read_description(data, ACCEPTED)
    row = {"path": "p", "submitter": "S", "system": "s", **vars(description)}
    row = pd.DataFrame([row], columns=facts.SYSTEMS.names)
    tables.conform(row, facts.SYSTEMS, ("path",))
    rows = pd.DataFrame([{"path": "p", **vars(p)} for p in problems], columns=facts.PROBLEMS.names)
    tables.conform(rows, facts.PROBLEMS, ("path",))
    counts = (description.nodes, description.accelerators_per_node)
    assert all(count is None or 0 <= count <= GREATEST_COUNT for count in counts)
    return description, problems


NAMES = [name for names in ACCEPTED.keys.values() for name in names] + list(ACCEPTED.inside)
OBJECTS = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=6)


@bounded(120)
@given(
    mutated((json.dumps(DESCRIPTION, indent=1).encode(),), most=1)
    | OBJECTS.map(lambda value: json.dumps(value).encode())
    | OBJECTS.map(lambda value: json.dumps({"nodes": str(value)}).encode())
    | st.binary(max_size=60)
)
def test_any_description_is_read(data):
    describe(data)


@pytest.mark.parametrize("count", [10**30, -8, 1e308, "99999999999", [8], {"value": -1}])
def test_a_count_that_no_machine_has_is_none(count):
    data = json.dumps({**DESCRIPTION, "number_of_nodes": count}).encode()
    description, problems = describe(data)
    assert (description.nodes, description.accelerators_per_node) == (None, 8)
    assert [problem.kind for problem in problems] == ["no usable count"]


@pytest.mark.parametrize(
    "inner",
    ["{[1]: 2}", "{{}}", "[" * 100_000, "{'accelerators_per_node': 0x" + "f" * 5000 + "}",
     "{0x" + "f" * 5000 + ": 1}", "{'submitter': 0x" + "f" * 5000 + "}", "{" + "1," * 200_000],
)  # fmt: skip
def test_text_that_spells_out_a_hostile_object_is_read(inner):
    with within(5):
        description, _ = describe(json.dumps({"division": "closed", "nodes": inner}).encode())
    assert description.division == "closed"


def test_lists_in_lists_of_a_description_are_read():
    # Python gives up at some depth; near it, what JSON still reads may be too deep to walk through.
    for depth in range(700, 1000):
        data = b'{\n"division": "closed",\n"nodes": ' + b"[" * depth + b"]" * depth + b"}"
        assert read_description(data, ACCEPTED)[0].division == "closed"


@pytest.mark.parametrize(
    "text",
    ["a" + " " * 100_000, "division: closed" + " " * 3_000 + "x", "a:b" + "\t, " * 30_000 + "x",
     "{" + ", ".join(f'"k{n}": 1' for n in range(60_000)) + "}", '"' * 100_000, ":" * 100_000],
)  # fmt: skip
def test_a_long_description_takes_no_squared_time(text):
    with within(5):
        describe(text.encode())


@pytest.mark.parametrize(
    ("line", "value"),
    [("division: closed", "closed"), ('  "Division" : "closed",\r', "closed"),
     ("division:closed ,  ", "closed"), ("division:", None), ("division: ,", None),
     ("division: a:b", "a:b"), ("?division: closed", None), ("division: a , b,", "a , b")],
)  # fmt: skip
def test_lines_of_a_description_that_is_not_json(line, value):
    assert describe(f"{{\n{line}\n".encode())[0].division == value


# Tables on disk.


@pytest.fixture
def parquet(tmp_path):
    path = tmp_path / "scores.parquet"
    rows = [
        dict.fromkeys(SCORES.names)
        | {f.name: ("é" if str(f.type) == "string" else 1) for f in SCORES if not f.nullable}
        for _ in range(3)
    ]
    tables.write(pd.DataFrame(rows, columns=SCORES.names), SCORES, ("round",), path)
    assert len(tables.read(path, SCORES)) == 3
    return path


def test_a_table_cut_anywhere_is_named_as_damaged(parquet):
    good = parquet.read_bytes()
    for length in range(0, len(good), 61):
        parquet.write_bytes(good[:length])
        with pytest.raises(BreakevenError, match="damaged"):
            tables.read(parquet, SCORES)


def test_a_table_with_flipped_bits_is_read_or_refused(parquet):
    good, chance, refused = parquet.read_bytes(), random.Random(1), 0
    for _ in range(300):
        data = bytearray(good)
        for _ in range(chance.choice((1, 1, 3))):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        parquet.write_bytes(data)
        try:
            tables.read(parquet, SCORES)
        except BreakevenError:
            refused += 1
    assert refused > 150


def test_a_table_whose_columns_have_names_that_are_no_text_is_refused(parquet):
    parquet.write_bytes(parquet.read_bytes().replace(b"submitter", b"\xff\xfembitter"))
    with pytest.raises(BreakevenError, match="damaged"):
        tables.read(parquet, SCORES)


def test_a_folder_in_the_place_of_a_table_is_refused(tmp_path):
    (tmp_path / "scores.parquet").mkdir()
    with pytest.raises(BreakevenError):
        tables.read(tmp_path / "scores.parquet", SCORES)
