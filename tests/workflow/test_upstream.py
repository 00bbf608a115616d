"""The real upstream repository, or a mirror of it: the committed facts are what its logs say."""

import os

import pandas as pd
import pytest

from tests.conftest import ROOT, run

pytestmark = [pytest.mark.workflow, pytest.mark.upstream]


def test_verify_holds_for_the_real_round_and_the_lock_is_its_bytes(project, mirror):
    target = "results/v4.1/verification.txt"
    lock = (project / "dvc.lock").read_text()
    done = run("snakemake", target, folder=project, **mirror)
    report = (project / target).read_text()
    assert "HOLDS: 1544 files compared" in report, report
    assert (project / "dvc.lock").read_text() == lock
    said = done.stdout + done.stderr
    assert "files absent 10, ignored 1, present 1533" in said
    assert said.count("absent: 'Clemson/results/7x8xH100-SXM5-80GB/llama2_70b_lora/") == 10


@pytest.mark.parametrize("name", sorted(p.stem for p in (ROOT / "tests/data/official").glob("v*")))
def test_committed_official_scores_are_the_oracle_s(name):
    folder = os.environ.get("BREAKEVEN_ORACLE")
    if not folder:
        pytest.skip("needs BREAKEVEN_ORACLE, a folder of the official summarizer's scores")
    oracle = pd.read_csv(f"{folder}/{name}.csv")
    ours = pd.read_csv(ROOT / "tests/data/official" / f"{name}.csv")
    assert ours["minutes"].tolist() == oracle["official_minutes"].tolist()
    assert ours["system"].tolist() == oracle["system_id"].tolist()
