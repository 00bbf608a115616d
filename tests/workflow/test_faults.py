"""What goes wrong outside the program, and that a plain rerun then ends with the right results.

Every test starts from a copy of one small built project. What is killed is killed as a power cut
would: Snakemake and all below it at once, at a moment that Python's own audit events name.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import psutil
import pytest

from tests.conftest import Upstream, copy_project, environment, make_small, publish, run

pytestmark = [pytest.mark.workflow, pytest.mark.xdist_group("faults")]

# Stops the first process in which an event happens whose arguments match, and says so in a file.
HOOK = """
import os, re, sys, time

def watch(event, arguments):
    if event == os.environ["FAULT_EVENT"] and not os.path.exists(os.environ["FAULT_MARK"]):
        if re.search(os.environ["FAULT_MATCH"], " ".join(map(str, arguments))):
            with open(os.environ["FAULT_MARK"], "x"):
                pass
            while not os.path.exists(os.environ["FAULT_MARK"] + ".go"):
                time.sleep(0.02)

if "FAULT_EVENT" in os.environ:
    sys.addaudithook(watch)
"""
PATIENCE = 60


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """Give a small project that was built without any fault."""
    folder = tmp_path_factory.mktemp("reference")
    upstream = Upstream(folder / "upstream")
    publish(upstream)
    project = make_small(copy_project(folder / "project"), upstream)
    run("snakemake", folder=project)
    return project


@pytest.fixture
def small(reference, tmp_path):
    """Give a copy of it to break."""
    return Path(shutil.copytree(reference, tmp_path / "a çopy", symlinks=True))


def lose(folder, *names):
    """Remove what a test wants made again."""
    for name in names:
        path = folder / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()


RAW = ("data/raw", ".dvc/cache", "data/facts/v4.1")
# Asked for by name where results are there and the facts behind them are not.
FACTS = "data/facts/v4.1/files.parquet"


def results(folder):
    """Return every result, fact and raw file with its bytes."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for part in ("results", "data/facts/v4.1", "data/raw")
        for path in (folder / part).rglob("*")
        if path.is_file()
    }


def ends_right(folder, reference, *words, **changes):
    """Run Snakemake once more, plainly; everything is as if nothing had gone wrong."""
    done = run("snakemake", *words, folder=folder, **changes)
    found, wanted = results(folder), results(reference)
    assert found.keys() == wanted.keys()
    assert [name for name in wanted if found[name] != wanted[name]] == []
    again = run("snakemake", folder=folder, **changes)
    assert "Nothing to be done" in again.stdout + again.stderr
    return done.stdout + done.stderr


@contextlib.contextmanager
def stopped(folder, event, match, *words):
    """Run Snakemake until the event, and leave it standing there for the time of the block."""
    tools = folder.parent / "hook"
    tools.mkdir(exist_ok=True)
    (tools / "sitecustomize.py").write_text(HOOK)
    mark = tools / "mark"
    changes = {"FAULT_EVENT": event, "FAULT_MATCH": match, "FAULT_MARK": str(mark)}
    with (tools / "output").open("wb") as output:
        process = subprocess.Popen(
            ["snakemake", *words], cwd=folder, stdout=output, stderr=output,
            env=environment(PYTHONPATH=str(tools), **changes),
        )  # fmt: skip
    try:
        end = time.monotonic() + PATIENCE
        while not mark.exists():
            if process.poll() is not None or time.monotonic() > end:
                raise AssertionError(f"{event} never came:\n{(tools / 'output').read_text()}")
            time.sleep(0.05)
        yield process
    finally:
        kill(process)


def kill(process):
    """Kill a process and all below it, as a power cut would; nothing where it has ended."""
    if process.poll() is None:
        top = psutil.Process(process.pid)
        family = [top, *top.children(recursive=True)]
        for one in family:
            one.suspend()
        for one in [*family, *top.children(recursive=True)]:
            one.kill()
        psutil.wait_procs(family[1:], timeout=10)
        process.wait(timeout=10)


KILLS = {
    "while blobs are fetched": (RAW, "subprocess.Popen", r"'fetch'.*--stdin"),
    "before the raw files take their place": (RAW, "os.rename", r"data/raw/v4\.1( |$)"),
    "before the manifest takes its place": (RAW, "os.rename", r"v4\.1\.manifest\.tsv( |$)"),
    "while the fetched objects are thrown away": (RAW, "shutil.rmtree", r"\.partial/v4\.1\.git"),
    "while DVC takes files into its cache": (RAW, "os.rename", r"\.dvc/cache/files"),
    "when DVC writes its lock": (RAW, "open", r"/dvc\.lock w"),
    "while facts are written": (("data/facts/v4.1",), "os.rename", r"events\.parquet( |$)"),
    "while a figure is written": (
        ("results/v4.1/figures/paper",), "os.rename", r"figures/\.paper\.partial/bert-speedup\.png",
    ),
    "when a folder of figures takes its place": (
        ("results/v4.1/figures/paper",), "os.rename", r"figures/paper( |$)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("when", KILLS)
def test_a_rerun_after_a_kill_ends_right(small, reference, when):
    lost, event, match = KILLS[when]
    lose(small, *lost)
    words = [FACTS] if "data/facts/v4.1" in lost else []
    with stopped(small, event, match, *words):
        pass
    said = ends_right(small, reference, *words)
    assert "the last run here was killed; its lock is removed" in said


def test_a_second_run_beside_a_first_is_refused_and_the_first_ends_right(small, reference):
    lose(small, "results/v4.1/figures/paper")
    with stopped(small, "os.rename", r"figures/paper( |$)") as first:
        second = run("snakemake", folder=small, check=False)
        assert second.returncode != 0
        assert "Directory cannot be locked" in second.stdout + second.stderr
        (small.parent / "hook/mark.go").touch()
        assert first.wait(timeout=PATIENCE) == 0
    ends_right(small, reference)


def test_a_job_that_outlives_its_snakemake_keeps_the_lock(small, reference):
    lose(small, "results/v4.1/figures/paper")
    with stopped(small, "os.rename", r"figures/paper( |$)") as first:
        below = psutil.Process(first.pid).children(recursive=True)
        first.kill()
        first.wait()
        second = run("snakemake", folder=small, check=False)
        assert second.returncode != 0
        assert "--unlock" in second.stdout + second.stderr
        (small.parent / "hook/mark.go").touch()
        _, alive = psutil.wait_procs(below, timeout=PATIENCE)
        assert not alive
    ends_right(small, reference)


@contextlib.contextmanager
def mounted(folder, options):
    """Mount a small file system at a folder, with what is in the folder."""
    kept = folder.with_name(f"{folder.name}.kept")
    folder.rename(kept)
    folder.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=32m", "none", str(folder)]
    if not shutil.which("mount") or subprocess.run(words, capture_output=True).returncode:
        pytest.skip("mounting a file system is not allowed here")
    try:
        shutil.copytree(kept, folder, dirs_exist_ok=True, symlinks=True)
        run("mount", "-o", f"remount,{options}", str(folder), folder="/")
        yield
    finally:
        run("umount", "--lazy", str(folder), folder="/")


def fill_up(folder):
    """Leave no byte free on a small file system."""
    with (folder / "filler").open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while file.write(bytes(4096)):
            pass


# What is full: the folder on a small disk, and what is lost and made again.
FULL = {
    "tables": ("results", ("results/v4.1/scaling.parquet",)),
    "figures": ("results", ("results/v4.1/figures/paper",)),
    "facts": ("data", ("data/facts/v4.1/files.parquet",)),
    "raw files": ("data", RAW),
    "DVC's cache": (".dvc", RAW),
}


@pytest.mark.parametrize("what", FULL)
def test_a_rerun_after_a_full_disk_ends_right(small, reference, what):
    place, lost = FULL[what]
    target = FACTS if lost == RAW else lost[0]
    with mounted(small / place, "size=32m"):
        lose(small, *lost)
        fill_up(small / place)
        done = run("snakemake", target, folder=small, check=False)
        said = done.stdout + done.stderr
        assert done.returncode != 0
        assert re.search("breakeven: .*run the same", said)
        assert "No space left on device" in said
        assert "Traceback" not in said
        (small / place / "filler").unlink()
        ends_right(small, reference, target)


def test_a_rerun_after_read_only_results_ends_right(small, reference):
    with mounted(small / "results", "size=32m"):
        lose(small, "results/v4.1/summary.txt")
        run("mount", "-o", "remount,ro", str(small / "results"), folder="/")
        done = run("snakemake", folder=small, check=False)
        assert done.returncode != 0
        assert "Write-protected output files" in done.stdout + done.stderr
        run("mount", "-o", "remount,rw", str(small / "results"), folder="/")
        ends_right(small, reference)


def test_times_in_the_future_change_nothing(small, reference):
    future = time.time() + 10 * 24 * 3600
    for path in small.rglob("*"):
        if path.is_file() and ".git" not in path.parts:
            os.utime(path, (future, future))
    lose(small, "results/v4.1/summary.txt", "results/v4.1/figures/paper")
    ends_right(small, reference)


@pytest.mark.parametrize(
    "changes",
    [
        {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"HOME": None},
    ],
    ids=["no UTF-8 anywhere", "no home"],
)
def test_an_odd_environment_changes_nothing(small, reference, changes):
    lose(small, "results", *RAW)
    ends_right(small, reference, **changes)


def test_records_of_another_snakemake_are_no_trouble(small, reference):
    records = small / ".snakemake/metadata"
    assert any(records.iterdir())
    for number, path in enumerate(sorted(records.rglob("*"))):
        if path.is_file():
            other = b'{"version": null, "code": "gAN9"' if number % 2 else json.dumps(
                {"record_format_version": 2, "code": None, "rule": "scores", "input": []}
            ).encode()  # fmt: skip
            path.write_bytes(other)
    (small / ".snakemake/incomplete/bm90IGEgcGF0aA==").touch()
    (small / ".snakemake/snakemake.db").write_bytes(b"not a database")
    ends_right(small, reference)
