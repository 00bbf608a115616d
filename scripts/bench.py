"""Measure speed against the official tool and plain scans, and write docs/performance.md.

Everything is timed as whole processes, on raw files that are already here (`snakemake
data/raw/<round>.manifest.tsv` brings them), in a clone of this project that it makes and removes.
"""

import argparse
import contextlib
import dataclasses
import datetime
import io
import logging
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from breakeven import config, fetch, files
from breakeven.errors import BreakevenError
from breakeven.program import run, say

ROOT = Path(__file__).resolve().parent.parent
PARSED = ("v4.1", "v4.0")
TOKEN = ":::ML"
COPIES = (1, 2, 4, 8)
MEGABYTE = 1024


@dataclasses.dataclass
class Timing:
    """What one command took, each time: seconds, and the largest peak memory in MB."""

    name: str
    seconds: list[float] = dataclasses.field(default_factory=list)
    peak: float = 0.0

    @property
    def median(self) -> float:
        """Return the middle of the times, in seconds."""
        return statistics.median(self.seconds)


def once(words: Sequence[str], folder: Path, timing: Timing) -> None:
    """Run a command once, as a process of its own, and note what it took.

    Raises:
        BreakevenError: it failed.
    """
    begin = time.perf_counter()
    with tempfile.TemporaryFile() as said:
        child = subprocess.Popen(words, cwd=folder, stdout=said, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        timing.seconds.append(time.perf_counter() - begin)
        timing.peak = max(timing.peak, usage.ru_maxrss / MEGABYTE)
        if child.returncode:
            said.seek(0)
            text = said.read().decode("utf-8", "replace")[-2000:]
            raise BreakevenError(f"bench: {' '.join(words)} failed: {text}")


def alternating(
    commands: Mapping[str, Sequence[str]],
    times: int,
    folder: Path,
    fewer: Mapping[str, int] | None = None,
) -> list[Timing]:
    """Time commands in turn, so that a slow quarter of an hour is slow for all of them.

    Args:
        commands: what to time, by name.
        times: how often.
        folder: where to run it.
        fewer: how often where that is less.
    """
    timings = [Timing(name) for name in commands]
    for number in range(times):
        for timing in timings:
            if number < (fewer or {}).get(timing.name, times):
                once(commands[timing.name], folder, timing)
                say(f"{timing.name}: {timing.seconds[-1]:.2f} s")
    return timings


def shell(command: str) -> list[str]:
    """Return the words of a fixed shell command."""
    return ["bash", "-c", command]


def parse_command(name: str, raw: Path, manifest: Path, facts: Path) -> list[str]:
    """Return the command that parses a round's raw files into facts."""
    words = [sys.executable, "-m", "scripts.parse", "--round", f"config/rounds/{name}.yaml"]
    words += ["--manifest", str(manifest), "--raw", str(raw), "--facts", str(facts)]
    return [*words, "--workers", "2"]


SUMMARIZER = "official summarizer"


def summarizer(names: Sequence[str]) -> list[str]:
    """Return the command that lets the official summarizer score rounds, in one process."""
    return [sys.executable, "-m", "scripts.bench", "--summarize", *names]


def summarize(name: str) -> None:
    """Let the official summarizer score every submitter of a round."""
    from mlperf_logging.result_summarizer.result_summarizer import summarize_results

    logging.disable(logging.CRITICAL)
    ruleset = config.load_round(ROOT / "config/rounds", name).ruleset
    for folder in sorted((ROOT / "data/raw" / name).iterdir()):
        # Some rounds have submitters that it fails on; what it did until then counts.
        with (
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
            contextlib.suppress(Exception, SystemExit),
        ):
            summarize_results(str(folder), "training", ruleset)


def parsing(names: Sequence[str], times: int, scratch: Path) -> dict[str, list[Timing]]:
    """Time parsing of rounds against plain scans of the same files."""
    found = {}
    for label, rounds in [*((name, [name]) for name in PARSED), ("all rounds", list(names))]:
        raw = " ".join(f"data/raw/{name}" for name in rounds)
        ours = [
            " ".join(
                parse_command(
                    name,
                    Path("data/raw") / name,
                    Path("data/raw") / f"{name}.manifest.tsv",
                    scratch / "facts" / name,
                )
            )
            for name in rounds
        ]
        commands = {
            "parse, with its Parquet": shell(" && ".join(ours)),
            # Into a pipe: grep stops at the first hit where its output is thrown away.
            "grep -c": shell(f"LC_ALL=C grep -rc {TOKEN} {raw} | cat"),
            "cat": shell(f"find {raw} -type f -print0 | xargs -0 cat | cat > /dev/null"),
            SUMMARIZER: summarizer(rounds),
        }
        say(f"parsing {label}")
        found[label] = alternating(commands, times, ROOT, {SUMMARIZER: 1})
    return found


def scoring(scratch: Path, times: int) -> list[Timing]:
    """Time raw files to scores of v4.1, here and by the official summarizer.

    The two programs' imports alone are timed beside: so much of it is spent before a byte is read.
    """
    name = "v4.1"
    facts = scratch / "facts" / name
    parse = parse_command(
        name, Path("data/raw") / name, Path(f"data/raw/{name}.manifest.tsv"), facts
    )
    scores = [sys.executable, "-m", "scripts.scores", "--round", f"config/rounds/{name}.yaml"]
    scores += ["--facts", str(facts), "--output", str(scratch / "scores")]
    starts = [f"{sys.executable} -c 'import scripts.{program}'" for program in ("parse", "scores")]
    commands = {
        "raw files to scores": shell(f"{' '.join(parse)} && {' '.join(scores)}"),
        SUMMARIZER: summarizer([name]),
        "the two programs imported, and nothing done": shell(" && ".join(starts)),
    }
    return alternating(commands, times, ROOT)


def growth(scratch: Path, times: int) -> list[tuple[int, int, Timing]]:
    """Time parsing of 1, 2, 4 and 8 copies of v4.1: copies, bytes, timing."""
    name = "v4.1"
    entries = fetch.read_manifest(ROOT / f"data/raw/{name}.manifest.tsv")
    sizes, commands = {}, {}
    for copies in COPIES:
        folder = scratch / f"copies-{copies}"
        copied = []
        for copy in range(copies):
            (folder / "raw").mkdir(parents=True, exist_ok=True)
            for submitter in sorted((ROOT / "data/raw" / name).iterdir()):
                (folder / "raw" / f"{submitter.name}-{copy}").symlink_to(submitter)
            for entry in entries:
                first, rest = entry.path.split("/", 1)
                copied.append(dataclasses.replace(entry, path=f"{first}-{copy}/{rest}"))
        fetch.write_manifest(copied, folder / "manifest.tsv")
        sizes[copies] = sum(entry.bytes or 0 for entry in copied)
        commands[f"{copies} copies"] = parse_command(
            name, folder / "raw", folder / "manifest.tsv", folder / "facts"
        )
    timings = alternating(commands, times, ROOT)
    return [(*of, timing) for of, timing in zip(sizes.items(), timings, strict=True)]


@contextlib.contextmanager
def clone() -> Iterator[Path]:
    """Give a clone of this project at its last commit."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "clone"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
        yield folder


EMPTY = "rule all:\n    input: 'there'\n"


def workflow(names: Sequence[str], times: int) -> list[Timing]:
    """Time whole Snakemake runs from the facts in git."""
    timings: dict[str, Timing] = {}

    def timed(name: str, folder: Path, *targets: str) -> None:
        timing = timings.setdefault(name, Timing(name))
        words = ["snakemake", "--cores", "2", "--no-hooks", "--quiet", "all"]
        once([*words, "--", *targets] if targets else words, folder, timing)
        say(f"{name}: {timing.seconds[-1]:.2f} s")

    for _ in range(times):
        with clone() as folder:
            shutil.rmtree(folder / "results", ignore_errors=True)
            tables = [f"results/{name}/conclusions.parquet" for name in names]
            figures = [f"results/{name}/figures/paper" for name in names]
            timed("analysis of all rounds", folder, *tables, "results/history.parquet")
            timed("figures of all rounds", folder, *figures, "results/figures/history")
            timed("page over all rounds", folder, "results/report/index.html")
            timed("no-op run", folder)
        with clone() as folder:
            timed("full run from facts", folder)
            settings = folder / "config/config.yaml"
            text = settings.read_text(encoding="utf-8")
            shutil.rmtree(folder / "results")
            fewer = ", ".join(name for name in names if name != names[-1])
            settings.write_text(
                re.sub(r"(?m)^rounds: .*$", f"rounds: [{fewer}]", text), encoding="utf-8"
            )
            timed("full run of all rounds but one", folder)
            settings.write_text(text, encoding="utf-8")
            timed("one round added", folder)
        with tempfile.TemporaryDirectory() as empty:
            (Path(empty) / "Snakefile").write_text(EMPTY, encoding="utf-8")
            (Path(empty) / "there").touch()
            timed("no-op run of an empty workflow", Path(empty))
    return list(timings.values())


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table in Markdown: the first column is text, the others are numbers."""
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def seconds(timing: Timing) -> list[str]:
    """Write a timing: median, range, how often it was measured, and peak memory."""
    low, high, times = min(timing.seconds), max(timing.seconds), len(timing.seconds)
    span = f"{low:.2f} to {high:.2f}" if times > 1 else ""
    return [f"{timing.median:.2f} s", span, str(times), f"{timing.peak:.0f} MB"]


def machine() -> str:
    """Describe the machine, by what matters and nothing that names it."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    day = datetime.datetime.now(datetime.UTC).date()
    return (
        f"Measured on {day} with {os.cpu_count()} cores, {memory:.0f} GiB, Linux, Python "
        f"{platform.python_version()}."
    )


def page(
    parsed: dict[str, list[Timing]],
    scored: list[Timing],
    grown: list[tuple[int, int, Timing]],
    runs: list[Timing],
) -> str:
    """Write the page of results."""
    heads = ["", "median", "range (s)", "times", "peak memory"]
    parts = [
        "# Performance\n",
        "All numbers are measured by `make bench`, none is written by hand.",
        machine(),
        "Whole processes, in turn, files in the page cache; peak memory is that of the largest "
        "process.\n",
        "## Parsing\n",
        "The official summarizer reads the same folders, submitter by submitter; in some rounds it "
        "fails on a submitter, and what it had done until then counts.\n",
    ]
    rows = []
    for label, timings in parsed.items():
        floor = next(timing.median for timing in timings if timing.name == "grep -c")
        rows += [
            [f"{label}: {timing.name}", *seconds(timing), f"{timing.median / floor:.1f}"]
            for timing in timings
        ]
    parts.append(table([*heads, "against grep"], rows))
    ours = scored[0]
    parts += [
        "## From raw files to scores, v4.1\n",
        table(
            [*heads, "against ours"],
            [[t.name, *seconds(t), f"{t.median / ours.median:.2g}"] for t in scored],
        ),
        "## Growth: copies of v4.1\n",
    ]
    first = grown[0][2].median
    parts.append(
        table(
            ["copies", "MB", *heads[1:], "time for each copy, against one"],
            [
                [str(n), f"{size / 1e6:.0f}", *seconds(t), f"{t.median / n / first:.2f}"]
                for n, size, t in grown
            ],
        )
    )
    parts += ["## The workflow\n", table(heads, [[t.name, *seconds(t)] for t in runs])]
    return "\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--summarize", metavar="ROUND", nargs="+", help="only let the official tool score them"
    )
    parser.add_argument("--times", type=int, default=5, help="how often each is measured")
    parser.add_argument("--long-times", type=int, default=3, help="the same, of what takes minutes")
    parser.add_argument("--output", type=Path, default=ROOT / "docs/performance.md")
    arguments = parser.parse_args()
    if arguments.summarize:
        for name in arguments.summarize:
            summarize(name)
        return
    names = config.load(config.Settings, ROOT / "config/config.yaml").rounds
    missing = [name for name in names if not (ROOT / f"data/raw/{name}.manifest.tsv").is_file()]
    if missing:
        targets = " ".join(f"data/raw/{name}.manifest.tsv" for name in missing)
        raise BreakevenError(f"bench: raw files are not here; run `snakemake {targets}` first")
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        parsed = parsing(names, arguments.times, scratch)
        grown = growth(scratch, arguments.times)
        scored = scoring(scratch, arguments.long_times)
    runs = workflow(names, arguments.long_times)
    text = page(parsed, scored, grown, runs)
    with files.written_aside(arguments.output) as aside:
        aside.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    run(main)
