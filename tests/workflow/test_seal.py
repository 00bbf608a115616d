"""The seal: results regenerated here are, bit for bit, those that dvc.lock pins."""

import os
import shutil
import subprocess

import pytest

from tests.conftest import copy_project, run

pytestmark = [pytest.mark.workflow, pytest.mark.xdist_group("seal")]

SECOND = ("python3.13", "python3.12")


def status(folder):
    return run("dvc", "status", "results", folder=folder, check=False).stdout


def test_results_of_all_rounds_are_the_sealed_ones(tmp_path):
    """When this fails, results changed: see which (`make audit`, git stash), then `make seal`."""
    folder = copy_project(tmp_path / "clone")
    run("snakemake", "--cores", "1", folder=folder)
    assert "up to date" in status(folder)
    drawn = folder / "results/v4.1/figures/series/bert-speedup.svg"
    drawn.write_text(drawn.read_text() + "<!-- not sealed: code makes it -->")
    assert "up to date" in status(folder)
    table = folder / "results/v4.1/scaling.csv"
    table.write_text(table.read_text().replace("1", "2", 1))
    assert "modified" in status(folder)


def second_python():
    """Return another minor version of Python that can make environments, if there is one."""
    given = os.environ.get("BREAKEVEN_SECOND_PYTHON")
    for path in filter(None, [given, *map(shutil.which, SECOND)]):
        # What is found may be a stand-in for a version that is not there.
        tried = subprocess.run([path, "-c", "import ensurepip, venv"], capture_output=True)
        if tried.returncode == 0:
            return path
    return None


def test_another_python_passes_unit_tests_and_makes_the_same_results(tmp_path):
    """On a second minor version that the lock supports, where this machine has one."""
    second = second_python()
    if second is None:
        pytest.skip(f"no working {', '.join(SECOND)} here, nor BREAKEVEN_SECOND_PYTHON")
    folder = copy_project(tmp_path / "clone")
    for command in (["make", f"PYTHON={second}"], [".venv/bin/pytest", "-q", "tests/unit"]):
        done = run(*command, folder=folder, check=False)
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "up to date" in status(folder)
