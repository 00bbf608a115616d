"""Which foreign paths are never written."""

import pytest

from breakeven.errors import BreakevenError
from breakeven.fetch import (
    Entry,
    blob_id,
    read_manifest,
    unsafe,
    without_collisions,
    write_manifest,
)


@pytest.mark.parametrize(
    "path",
    ["/etc/results/x.txt", "C:/results/x.txt", "a/../results/x.txt", "a//results/x.txt",
     "./results/x.txt", "a/results/.GIT/x.txt", "a/results/.git./x.txt", "a/results/x\0.txt",
     "a/results/x\n.txt", "a/results/x\x85.txt", "a\\results/x.txt", f"a/results/{'x' * 256}"],
)  # fmt: skip
def test_unsafe_paths_have_a_reason(path):
    assert unsafe(path, "100644")


@pytest.mark.parametrize("mode", ["120000", "160000", "040000"])
def test_only_regular_files_are_safe(mode):
    assert unsafe("a/results/x.txt", mode)


@pytest.mark.parametrize("path", ["a/results/x.txt", "É/results/a b/c;$(d).txt", "a/results/..x"])
def test_odd_but_harmless_paths_are_safe(path):
    assert unsafe(path, "100755") == ""


def test_a_file_that_is_also_a_folder_is_refused():
    below = Entry("a/results/x.txt/y.txt", "2", None, "present", "")
    states = {
        e.path: e.state
        for e in without_collisions([below, Entry("a/results/x.txt", "1", None, "present", "")])
    }
    assert states == {"a/results/x.txt": "present", "a/results/x.txt/y.txt": "refused"}


def test_blob_id_is_git_s():
    assert blob_id(b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert blob_id(b"hello\n") == "ce013625030ba8dba906f756967f9e9ca394464a"


def test_a_manifest_reads_back(tmp_path):
    entries = [
        Entry("b/results/x.txt", "1" * 40, 5, "present", ""),
        Entry("a/results/x.txt", "2" * 40, None, "absent", "lost"),
    ]
    write_manifest(entries, tmp_path / "m.tsv")
    assert read_manifest(tmp_path / "m.tsv") == sorted(entries)


@pytest.mark.parametrize(
    "content", ["", "other\tcolumns\n", "path\tblob\tbytes\tstate\treason\nx\n"]
)
def test_a_damaged_manifest_is_a_clear_error(tmp_path, content):
    (tmp_path / "m.tsv").write_text(content)
    with pytest.raises(BreakevenError, match=r"m\.tsv: not a manifest"):
        read_manifest(tmp_path / "m.tsv")
