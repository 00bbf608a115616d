"""Fuzz the line parser, led by coverage: ``python -m tests.fuzz.fuzz_logs -max_total_time=60``.

Needs atheris (``pip install atheris``), which has wheels for few systems and so is not in the lock;
what breaks a claim is written to the folder it is run in, as ``crash-*`` or ``timeout-*``.
"""

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["breakeven.logs"]):
    import breakeven.logs  # noqa: F401

from tests.fuzz.claims import SAMPLES, check


def main():
    with tempfile.TemporaryDirectory() as folder:
        for number, sample in enumerate(SAMPLES):
            (Path(folder) / f"{number}").write_bytes(sample)
        atheris.Setup(
            [sys.argv[0], "-timeout=10", "-rss_limit_mb=1024", *sys.argv[1:], folder], check
        )
        atheris.Fuzz()


if __name__ == "__main__":
    main()
