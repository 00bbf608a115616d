"""The seal: results regenerated here are, bit for bit, those that dvc.lock pins."""

import os
import shutil
import subprocess

import pytest

from tests.conftest import copy_project, environment, run

pytestmark = [pytest.mark.workflow, pytest.mark.xdist_group("seal")]

SECOND = ("python3.12", "python3.13", "python3.14")


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


def test_another_python_makes_the_same_results(tmp_path):
    """On a second minor version that the lock supports, where this machine has one."""
    second = os.environ.get("BREAKEVEN_SECOND_PYTHON") or next(
        filter(None, map(shutil.which, SECOND)), None
    )
    if second is None:
        pytest.skip(f"none of {', '.join(SECOND)} here, nor BREAKEVEN_SECOND_PYTHON")
    folder = copy_project(tmp_path / "clone")
    done = subprocess.run(
        ["make", f"PYTHON={second}"], cwd=folder, env=environment(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "up to date" in status(folder)
