"""What is claimed of every reading of a log, and lines of each dialect to start from."""

import math

from breakeven.dialects import KEYS
from breakeven.logs import read_log

SAMPLES = (
    b':::MLLOG {"namespace": "", "time_ms": 1700000000000, "key": "run_start", "metadata": {}}\n'
    b':::MLLOG {"time_ms": 1700000060000, "key": "run_stop", "metadata": {"status": "success"}}\n',
    b':::MLLOG {"time_s": 1.5, "key": "eval_accuracy", "value": 0.7, "metadata": {"epoch_num": 3}}',
    b':::MLL 1560881731.835 run_stop: {"value": null, "metadata": {"status": "success"}}\n',
    b":::MLL 1560873710.5 run_start: {value: null, metadata: {lineno: 0}}\r\n",
    b':::MLL 1560882746.0 eval_result: {"value": null, "metadata": {\'timestamp\': 746.014}}\n',
    b":::MLPv0.5.0 ncf 1542332128.492 (Example.scala:70) run_start\n",
    b':::MLPv0.5.0 ncf 1542333504.435 (O.scala:3) eval_accuracy: {"epoch": 5, "value": 0.6}\n',
    b"MLPerf: resnet [06/13/19 00:30:56], run_start\n",
    b'MLPerf: resnet [06/13/19 00:55:21], eval_accuracy: {"value": 75.98000%, "epoch": 79}\n',
)


def check(data):
    """Read a log, and hold what is claimed of every reading."""
    log = read_log(data)
    lines = data.split(b"\n")
    assert log.lines == len(lines) - (lines[-1] == b"")
    for event in log.events:
        assert event.key.encode() in lines[event.line - 1]
        numbers = (event.time_ms, event.value, event.epoch_num, event.samples_count, event.step_num)
        assert all(number is None or math.isfinite(number) for number in numbers)
        for text in (event.text, event.status, event.metric):
            # A lone surrogate, which no table can hold, would raise here.
            (text or "").encode()
    assert [event.line for event in log.events] == sorted(event.line for event in log.events)
    singles = [event.key for event in log.events if KEYS[event.key] != "every"]
    assert b":::ML" not in data or len(singles) == len(set(singles))
    assert all(1 <= problem.line <= log.lines for problem in log.problems)
    for problem in log.problems:
        problem.detail.encode()
    return log
