"""Scores of single systems by MLCommons' own summarizer, to compare with."""

from __future__ import annotations

import contextlib
import io
import logging
import tempfile
from collections.abc import Sequence
from pathlib import Path

from breakeven.errors import BreakevenError

# Rounds before it are not understood by the present summarizer.
FIRST_ROUND = (0, 7)


def score(
    raw: Path, ruleset: str, submitter: str, benchmark: str, logs: Sequence[str], description: str
) -> float | None:
    """Let the official summarizer score one benchmark of one system.

    Args:
        raw: the folder of a round's raw files.
        ruleset: of the round, such as 4.1.0.
        submitter: the submitter's folder.
        benchmark: the benchmark's folder.
        logs: paths of the runs' logs below ``raw``.
        description: path of the system's description below ``raw``.

    Returns:
        Minutes; None where the summarizer gives no score.

    Raises:
        BreakevenError: the summarizer is not installed, or fails on these files.
    """
    try:
        from mlperf_logging.result_summarizer.result_summarizer import summarize_results
    except ImportError as error:
        raise BreakevenError("mlperf-logging is not installed") from error
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / submitter
        # The summarizer looks at whole submitters: it is shown one system with one benchmark.
        linked = [description, *logs, str(Path(logs[0]).with_name("scaling.json"))]
        for path in linked:
            if (raw / path).is_file():
                (Path(scratch) / path).parent.mkdir(parents=True, exist_ok=True)
                (Path(scratch) / path).symlink_to((raw / path).resolve())
        logging.disable(logging.CRITICAL)
        try:
            with (
                contextlib.redirect_stdout(io.StringIO()),
                contextlib.redirect_stderr(io.StringIO()),
            ):
                frames = summarize_results(str(folder), "training", ruleset)
        except (Exception, SystemExit) as error:
            raise BreakevenError(f"the summarizer fails: {error}") from error
        finally:
            logging.disable(logging.NOTSET)
    for frame in frames[:2]:
        if frame is not None and benchmark in frame.columns and len(frame):
            value = frame[benchmark].iloc[0]
            return None if value is None or value != value else float(value)
    return None
