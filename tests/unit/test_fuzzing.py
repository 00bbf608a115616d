"""A short run of the fuzzer that leads itself by coverage."""

import importlib.util
import re
import subprocess
import sys

import pytest

from tests.conftest import ROOT


@pytest.mark.skipif(
    importlib.util.find_spec("atheris") is None, reason="atheris is not installed (make fuzz)"
)
def test_ten_seconds_of_fuzzing_break_no_claim(tmp_path):
    words = ["-max_total_time=10", "-seed=1", f"-artifact_prefix={tmp_path}/"]
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.fuzz_logs", *words],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert list(tmp_path.iterdir()) == []
    # It ran, and grew its samples by what it found.
    found = re.findall(r"#(\d+)\s+(?:NEW|REDUCE|DONE)\s+cov: (\d+)", done.stderr)
    assert int(found[-1][0]) > 1000
    assert int(found[-1][1]) > 50
