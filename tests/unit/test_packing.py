"""What a crate holds of the project, and what git says of its tree."""

import datetime
import os

from breakeven import packing
from tests.conftest import ROOT, git

ROUNDS = ["v0.5", "v4.1"]


def repository(folder):
    folder.mkdir(exist_ok=True)
    git("init", "--quiet", "--initial-branch=main", folder=folder)
    (folder / "README.md").write_text("one\n")
    git("add", "--all", folder=folder)
    date = "2026-03-01T23:30:00-05:00"
    git("commit", "--quiet", "--message=One", folder=folder, GIT_COMMITTER_DATE=date)
    return folder


def test_a_crate_holds_code_configuration_and_the_facts_of_its_rounds():
    files = packing.project_files(ROOT, ROUNDS)
    assert files == sorted(set(files))
    for path in (
        "Snakefile",
        "LICENSE",
        "CITATION.cff",
        "requirements.lock",
        "dvc.lock",
        "rules/crate.smk",
        "scripts/crate.py",
        "breakeven/crate.py",
        "breakeven/templates/report.html",
        "config/rounds/v4.1.yaml",
        "data/facts/v0.5/events.parquet",
        "data/facts/v4.1/source.txt",
    ):
        assert path in files
    assert not [path for path in files if "__pycache__" in path or "/." in path]
    assert not [path for path in files if path.startswith("data/facts/v4.0")]


def test_the_revision_is_the_commit_with_its_date_in_utc(tmp_path):
    folder = repository(tmp_path / "a")
    found = packing.revision(folder)
    assert found.commit == git("rev-parse", "HEAD", folder=folder)
    assert found.date == datetime.datetime(2026, 3, 2, 4, 30, tzinfo=datetime.UTC)
    assert found.tree == "clean"


def test_a_change_or_a_new_file_makes_a_tree_dirty(tmp_path):
    changed, more = repository(tmp_path / "a"), repository(tmp_path / "b")
    (changed / "README.md").write_text("two\n")
    (more / "new.txt").write_text("new\n")
    assert packing.revision(changed).tree == "dirty"
    assert packing.revision(more).tree == "dirty"


def test_without_git_all_is_unknown(tmp_path, monkeypatch):
    unknown = packing.Revision("unknown", None, "unknown")
    assert packing.revision(tmp_path) == unknown
    folder = repository(tmp_path / "a")
    (folder / "inside").mkdir()
    assert packing.revision(folder / "inside") == unknown
    monkeypatch.setitem(os.environ, "PATH", str(tmp_path))
    assert packing.revision(folder) == unknown
