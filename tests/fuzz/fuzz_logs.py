"""Fuzz the line parser, led by coverage, for a minute: ``make fuzz``.

Needs atheris, which has wheels for few systems and so has a lock of its own beside this file; what
breaks a claim is written to the folder it is run in, as ``crash-*`` or ``timeout-*``. libFuzzer's
options may follow: ``python -m tests.fuzz.fuzz_logs -max_total_time=3600``.
"""

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["breakeven.logs", "breakeven.dialects"]):
    import breakeven.logs  # noqa: F401

from tests.fuzz.claims import SAMPLES, check


def main():
    with tempfile.TemporaryDirectory() as folder:
        for number, sample in enumerate(SAMPLES):
            (Path(folder) / f"{number}").write_bytes(sample)
        # The last of an option counts, so that what is given here bounds what nobody bounded.
        bounds = ["-max_total_time=60", "-timeout=10", "-rss_limit_mb=1024"]
        atheris.Setup([sys.argv[0], *bounds, *sys.argv[1:], folder], check)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
