"""DVC for real: cache, a local folder as remote, upstream, and data/raw thrown away."""

import shutil

import pandas as pd
import pytest

from tests.conftest import run

pytestmark = pytest.mark.workflow


def test_push_lose_everything_and_pull(small, upstream, tmp_path):
    def download():
        return run("snakemake", "data/raw/v4.1.manifest.tsv", "--force", folder=small)

    raw = small / "data/raw/v4.1/Sub/results/sys/bert/result_0.txt"
    download()
    content = raw.read_bytes()
    run("dvc", "remote", "add", "--default", "store", str(tmp_path / "store"), folder=small)
    run("dvc", "push", folder=small)

    # From the cache: upstream is gone.
    shutil.move(upstream.folder, tmp_path / "gone")
    shutil.rmtree(small / "data/raw")
    download()
    assert raw.read_bytes() == content

    # From the remote: the cache is gone too.
    shutil.rmtree(small / "data/raw")
    shutil.rmtree(small / ".dvc/cache")
    download()
    assert raw.read_bytes() == content

    # As the README shows it, without Snakemake.
    shutil.rmtree(small / "data/raw")
    shutil.rmtree(small / ".dvc/cache")
    run("dvc", "pull", folder=small)
    assert raw.read_bytes() == content
    assert (
        run("dvc", "status", "download@v4.1", folder=small).stdout.strip()
        == "Data and pipelines are up to date."
    )

    # Nowhere left: an error that says so, and nothing that looks finished.
    shutil.rmtree(small / "data/raw")
    shutil.rmtree(small / ".dvc/cache")
    shutil.rmtree(tmp_path / "store")
    done = run("snakemake", "data/raw/v4.1.manifest.tsv", folder=small, check=False)
    assert done.returncode != 0
    assert upstream.url in done.stdout + done.stderr
    assert not (small / "data/raw/v4.1.manifest.tsv").exists()


def test_from_upstream_to_break_even_points(small):
    run("snakemake", folder=small)
    scores = (small / "results/v4.1/scores.csv").read_text()
    assert ",14.5,1.0,14.5," in scores
    summary = (small / "results/v4.1/summary.txt").read_text()
    assert "no submitter has scores at two accelerator counts" in summary
    figure = (small / "results/v4.1/figures/series/bert-speedup.svg").read_text()
    assert "Nothing to show" in figure


def test_verify_holds_and_sees_a_changed_fact_and_a_changed_log(small):
    run("snakemake", folder=small)
    target = "results/v4.1/verification.txt"
    done = run("snakemake", target, folder=small)
    assert "HOLDS: 11 files compared" in (small / target).read_text(), done.stdout
    facts = small / "data/facts/v4.1/events.parquet"
    table = pd.read_parquet(facts)
    good = facts.read_bytes()
    table.assign(line=table["line"] + 1).to_parquet(facts)
    shutil.rmtree(small / "data/raw")
    done = run("snakemake", target, "--forcerun", "verify", folder=small, check=False)
    assert done.returncode != 0, "a changed fact was not seen when the raw files came anew"
    facts.write_bytes(good)

    raw = small / "data/raw/v4.1/Sub/results/sys/bert/result_3.txt"
    raw.write_text(raw.read_text().replace("17000", "17001"))
    done = run("snakemake", target, "--forcerun", "verify", folder=small, check=False)
    assert done.returncode != 0
    assert "DOES NOT HOLD" in done.stdout
    assert "raw file changed since its download: Sub/results/sys/bert/result_3.txt" in done.stdout
    assert not (small / target).exists()
