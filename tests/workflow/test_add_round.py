"""A round that nobody has seen before, from a small real repository on this machine."""

import json
import re

import pytest

from tests.conftest import DESCRIPTION, run

pytestmark = pytest.mark.workflow


def publish(upstream):
    """Publish a round with something new of each kind."""
    for bench in ("bert_next", "llama31_8b"):
        for i in range(10):
            log = upstream.LOG.format(start=1_800_000_000_000, stop=1_800_000_600_000 + i * 60_000)
            upstream.write(f"Sub/results/sys/{bench}/result_{i}.txt", log)
            log = upstream.LOG.format(start=1_800_000_000_000, stop=1_800_000_300_000 + i * 60_000)
            upstream.write(f"Sub/results/big/{bench}/result_{i}.txt", log)
    description = json.loads(DESCRIPTION)
    upstream.write("Sub/systems/sys.json", json.dumps(description))
    changes = {"status": "Sold out", "accelerator_model_name": "Example Z9", "number_of_nodes": 4}
    upstream.write("Sub/systems/big.json", json.dumps({**description, **changes}))
    return upstream.commit()


def add(project, upstream, commit, *words, check=True):
    return run(
        "python", "-m", "breakeven", "add-round", "v6.0", "--commit", commit,
        "--repository", upstream.url, "--published", "2026-06-03", *words,
        folder=project, check=check,
    )  # fmt: skip


def test_a_new_round_is_one_command_and_the_entries_it_lists(project, upstream):
    commit = publish(upstream)
    listed = add(project, upstream, commit).stdout
    entries = re.findall(r"\[ \] (config/\S+): (\w+ '[^']*')", listed)
    assert entries == [
        ("config/benchmarks.yaml", "benchmark 'bert_next'"),
        ("config/vocabulary.yaml", "category 'Sold out'"),
        ("config/accelerators.yaml", "accelerator 'Example Z9'"),
    ]
    config = project / "config/config.yaml"
    assert "v5.0, v6.0]" in config.read_text()
    assert commit in (project / "config/rounds/v6.0.yaml").read_text()
    assert "download@v6.0" in (project / "dvc.lock").read_text()

    # Unmapped values stop this round's scores, with the file and the value of every one of them.
    config.write_text(re.sub(r"rounds: \[.*\]", "rounds: [v0.5, v6.0]", config.read_text()))
    done = run("snakemake", "--keep-going", folder=project, check=False)
    said = done.stdout + done.stderr
    assert done.returncode != 0
    assert "Sub/systems/big.json" in said
    assert "Example Z9" in said
    assert (project / "results/v0.5/summary.txt").is_file()
    assert not (project / "results/v6.0/scores.parquet").exists()

    # With the entries added, its jobs run, and of the other round's none.
    vocabulary = project / "config/vocabulary.yaml"
    vocabulary.write_text(
        vocabulary.read_text().replace("  available:\n", "  available:\n    - sold out\n")
    )
    accelerators = project / "config/accelerators.yaml"
    entry = "  - {pattern: 'Example Z9', family: Z9, form: '', vendor: Example, year: 2026}\n"
    accelerators.write_text(accelerators.read_text() + entry)
    run("snakemake", "results/v0.5/scores.parquet", folder=project)
    done = run("snakemake", folder=project)
    ran = set(re.findall(r"Job \d+: (v\d\.\d|all rounds): ", done.stdout + done.stderr))
    assert "v6.0" in ran
    scores = (project / "results/v6.0/scores.csv").read_text()
    assert scores.count("bert_next") >= 2
    warning = (project / "logs/v6.0/scores.log").read_text()
    assert "benchmark 'bert_next' has no entry in config/benchmarks.yaml" in warning
    assert "v6.0" in (project / "results/history.csv").read_text()


def test_adding_a_round_twice_or_wrongly_changes_nothing(project, upstream):
    commit = publish(upstream)
    before = (project / "config/config.yaml").read_text()
    done = add(project, upstream, "f00d", check=False)
    assert done.returncode == 1
    assert "commit: must match" in done.stderr
    assert not (project / "config/rounds/v6.0.yaml").exists()
    done = run(
        "python", "-m", "breakeven", "add-round", "v4.1", "--commit", commit,
        folder=project, check=False,
    )  # fmt: skip
    assert "v4.1.yaml: is there already" in done.stderr
    assert (project / "config/config.yaml").read_text() == before
