"""Every kind of log line that has been seen, each with its right value."""

import json

import pytest

from breakeven.logs import read_log


def line(key="run_start", time_ms=1700000000000, value=None, **metadata):
    content = {"namespace": "", "time_ms": time_ms, "key": key, "value": value}
    return ":::MLLOG " + json.dumps({**content, "metadata": metadata})


def only(data):
    log = read_log(data)
    assert len(log.events) == 1, log
    return log.events[0]


def test_present_dialect_gives_line_time_value_and_metadata():
    data = ("noise\n" + line("eval_accuracy", value=0.72, epoch_num=3, samples_count=9)).encode()
    event = only(data)
    assert (event.line, event.key, event.time_ms, event.value) == (
        2, "eval_accuracy", 1700000000000, 0.72,
    )  # fmt: skip
    assert (event.epoch_num, event.samples_count) == (3, 9)
    assert read_log(data).problems == []


def test_dialect_of_v0_6():
    data = b':::MLL 1560881731.835 run_stop: {"value": null, "metadata": {"status": "success"}}\n'
    event = only(data)
    assert event.time_ms == pytest.approx(1560881731835, abs=1e-3)
    assert event.status == "success"


def test_dialect_of_v0_6_with_an_evaluation():
    data = b':::MLL 1560882199.301 eval_accuracy: {"value": 0.36176, "metadata": {"epoch_num": 4}}'
    event = only(data)
    assert (event.value, event.epoch_num) == (0.36176, 4)


def test_dialect_of_v0_5():
    data = (
        b":::MLPv0.5.0 ncf 1542332128.492 (Example.scala:70) run_start\n"
        b':::MLPv0.5.0 ncf 1542333504.435 (O.scala:3) eval_accuracy: {"epoch": 5, "value": 0.6}\n'
        b':::MLPv0.5.0 ncf 1542333924.681 (Example.scala:509) run_stop: {"success": true}\n'
    )
    start, evaluation, stop = read_log(data).events
    assert start.time_ms == pytest.approx(1542332128492, abs=1e-3)
    assert (evaluation.value, evaluation.epoch_num) == (0.6, 5)
    assert (stop.line, stop.status) == (3, "success")


def test_dialect_of_v0_5_that_did_not_converge():
    event = only(b':::MLPv0.5.0 ncf 1.5 (a.py:1) run_stop: {"success": false}')
    assert event.status == "aborted"


def test_seconds_become_milliseconds():
    event = only(b':::MLLOG {"time_s": 12.5, "key": "run_start", "value": "true", "metadata": {}}')
    assert event.time_ms == 12500


@pytest.mark.parametrize(
    "before", ["0: ", "\x1b[32m", "[node-3] rank 7 | ", "progress 10%\rprogress 20%\r"]
)
def test_token_is_found_anywhere_in_a_line(before):
    assert only((before + line()).encode()).line == 1


def test_windows_line_ends_and_a_cut_last_line():
    log = read_log((line() + "\r\n" + line("run_stop", status="success")[:-8]).encode())
    assert [event.key for event in log.events] == ["run_start"]
    assert [(problem.line, problem.kind) for problem in log.problems] == [(2, "broken JSON")]


def test_bytes_that_are_not_utf8_keep_the_line():
    data = line("submission_org", value="Exámple").encode("latin-1")
    data = data.replace(b"\\u00e1", b"\xe1")
    log = read_log(data)
    assert log.events[0].text == "Ex�mple"
    assert [problem.kind for problem in log.problems] == ["not UTF-8"]


def test_broken_json_is_a_problem_with_its_line_and_key_but_not_its_text():
    data = (line() + '\n:::MLLOG {"key": "opt_name", "value": "secret" "metadata"}\n').encode()
    log = read_log(data)
    assert len(log.events) == 1
    (problem,) = log.problems
    assert (problem.line, problem.kind) == (2, "broken JSON")
    assert "opt_name" in problem.detail
    assert "secret" not in problem.detail


def test_a_key_named_inside_metadata_or_value_is_not_that_key():
    data = line("cache_clear", value={"key": "run_stop"}, file="run_stop", note='"key": "run_stop"')
    data = data.encode()
    assert read_log(data).events == []


def test_a_key_behind_a_nested_key_is_found():
    data = b':::MLLOG {"value": {"key": "x"}, "time_ms": 5, "key": "run_start", "metadata": {}}'
    assert only(data).key == "run_start"


def test_two_statements_in_one_line():
    log = read_log((line() + line("run_stop", status="success") + "\n").encode())
    assert [(event.key, event.line) for event in log.events] == [("run_start", 1), ("run_stop", 1)]


def test_text_behind_the_json_is_a_problem_and_the_json_counts():
    log = read_log((line() + " <- rank 0\n").encode())
    assert len(log.events) == 1
    assert [problem.kind for problem in log.problems] == ["text after JSON"]


def test_nan_and_huge_integers_are_no_reason_to_lose_a_line():
    data = (
        b':::MLLOG {"time_ms": 5, "key": "eval_accuracy", "value": NaN, "metadata": {}}\n'
        b':::MLLOG {"time_ms": 6, "key": "eval_accuracy", "value": 1' + b"0" * 400 + b"}\n"
        b':::MLLOG {"time_ms": 7, "key": "eval_accuracy", "value": 0.5, "metadata": "none"}\n'
    )
    assert [event.value for event in read_log(data).events] == [None, None, 0.5]


@pytest.mark.parametrize("time", ["null", '"soon"', "true", "{}"])
def test_a_line_without_a_usable_time_is_kept_without_one(time):
    log = read_log(f':::MLLOG {{"time_ms": {time}, "key": "run_start"}}'.encode())
    assert log.events[0].time_ms is None
    assert [problem.kind for problem in log.problems] == ["no time"]


def test_numbers_written_as_text_are_numbers():
    data = line("global_batch_size", time_ms="1700000000000", value="4096").encode()
    assert (only(data).value, only(data).time_ms) == (4096, 1700000000000)


def test_the_earliest_start_of_many_processes_is_kept():
    data = "\n".join(line("init_start", time_ms=t) for t in (30, 10, 0, 20)).encode()
    event = only(data)
    assert (event.time_ms, event.line) == (10, 2)


def test_deep_nesting_is_a_problem_and_not_a_crash():
    data = b':::MLLOG {"key": "run_start", "value": ' + b"[" * 100_000 + b"\n" + line().encode()
    log = read_log(data)
    assert [event.line for event in log.events] == [2]
    assert [problem.kind for problem in log.problems] == ["broken JSON"]


@pytest.mark.parametrize("data", [b"", b"\n", b":::ML", b":::MLLOG", b":::MLLOG 5", b"\x00" * 50])
def test_nothing_is_no_event(data):
    assert read_log(data).events == []


@pytest.mark.parametrize(("data", "lines"), [(b"", 0), (b"a", 1), (b"a\n", 1), (b"a\nb", 2)])
def test_lines_are_counted_as_git_hosts_do(data, lines):
    assert read_log(data).lines == lines


def test_dialect_without_a_token():
    data = (
        b"MLPerf: resnet [06/13/19 00:30:56], run_start\n"
        b"MLPerf: resnet [06/13/19 00:30:56], run_start\n"
        b'MLPerf: resnet [06/13/19 00:55:21], eval_accuracy: {"value": 75.98000%, "epoch": 79}\n'
        b"MLPerf: resnet [06/13/19 00:55:21], run_stop\n"
    )
    start, evaluation, stop = read_log(data).events
    assert stop.time_ms - start.time_ms == (24 * 60 + 25) * 1000
    assert (evaluation.value, evaluation.epoch_num, stop.line) == (pytest.approx(0.7598), 79, 4)


@pytest.mark.parametrize(
    "written",
    ["{value: null, metadata: {lineno: 0, status: success}}",
     "{\"value\": null, \"metadata\": {'lineno': 615, 'status': 'success'}}"],
)  # fmt: skip
def test_objects_with_missing_or_single_quotes(written):
    log = read_log(f":::MLL 1560873710.5 run_stop: {written}\n".encode())
    assert (log.events[0].status, log.events[0].time_ms) == ("success", 1560873710500)
    assert [problem.kind for problem in log.problems] == ["not JSON"]


def test_an_eval_result_s_value_is_its_timestamp():
    event = only(b':::MLL 9.5 eval_result: {"value": null, "metadata": {"timestamp": 746.014}}')
    assert event.value == 746.014


def test_success_as_text():
    assert only(b':::MLPv0.5.0 ssd 1.5 (a.py:1) run_stop: {"success": "true"}').status == "success"


def test_seconds_that_are_small_are_not_scaled():
    data = (line(time_ms=1592985147) + "\n" + line("run_stop", time_ms=1593184341)).encode()
    start, stop = read_log(data).events
    assert stop.time_ms - start.time_ms == 199_194
