"""The download, against real git repositories."""

import pytest

from breakeven import fetch
from breakeven.errors import BreakevenError
from tests.conftest import git

pytestmark = pytest.mark.workflow

FOLDERS = ("{submitter}/results/", "{submitter}/systems/")
RESULT = "Sub/results/sys/bert/result_0.txt"


def download(url, commit, folder):
    said = []
    folder.mkdir(exist_ok=True)
    target, manifest = folder / "v9.9", folder / "v9.9.manifest.tsv"
    entries = fetch.download(url, commit, FOLDERS, target, manifest, said.append)
    return {entry.path: entry for entry in entries}, said


def test_brings_the_data_files_as_they_are_and_a_manifest(upstream, tmp_path):
    upstream.write(RESULT, b"bytes \xff\r\n")
    upstream.write("Sub/systems/sys.json", "{}")
    upstream.write("Sub/results/sys/bert/plot.png", "not data")
    upstream.write("Sub/benchmarks/code.txt", "not results")
    commit = upstream.commit()
    upstream.write(RESULT, "a later edit")
    upstream.commit()
    entries, _ = download(upstream.url, commit, tmp_path / "raw")
    assert (tmp_path / "raw/v9.9" / RESULT).read_bytes() == b"bytes \xff\r\n"
    assert {path: (e.state, e.bytes) for path, e in entries.items()} == {
        RESULT: ("present", 9),
        "Sub/systems/sys.json": ("present", 2),
        "Sub/results/sys/bert/plot.png": ("ignored", None),
    }
    assert entries[RESULT].blob == git("rev-parse", f"{commit}:{RESULT}", folder=upstream.folder)
    assert fetch.read_manifest(tmp_path / "raw/v9.9.manifest.tsv") == sorted(entries.values())
    assert not (tmp_path / "raw/.partial").exists()
    assert fetch.altered(entries.values(), tmp_path / "raw/v9.9") == []


def test_a_lost_blob_is_absent_and_stops_nothing(upstream, tmp_path):
    paths = [f"Sub/results/sys/bert/result_{i}.txt" for i in range(5)]
    for path in paths:
        upstream.write(path, path)
    commit = upstream.commit()
    lost = {paths[1], paths[3]}
    for path in lost:
        upstream.lose(path)
    entries, said = download(upstream.url, commit, tmp_path / "raw")
    assert {path for path in paths if entries[path].state == "absent"} == lost
    assert {path for path in paths if (tmp_path / "raw/v9.9" / path).is_file()} == set(paths) - lost
    assert sum(line.startswith("absent:") for line in said) == 2


def test_an_interrupted_download_looks_unfinished_and_goes_on(upstream, tmp_path, monkeypatch):
    for i in range(6):
        upstream.write(f"Sub/results/sys/bert/result_{i}.txt", f"log {i}")
    commit = upstream.commit()
    monkeypatch.setattr(fetch, "BATCH", 2)
    fetched = []
    original = fetch.Git.fetch

    def interrupted(self, *words, text=None):
        if text and len(fetched) == 2:
            raise KeyboardInterrupt
        fetched.extend([text] if text else [])
        return original(self, *words, text=text)

    monkeypatch.setattr(fetch.Git, "fetch", interrupted)
    with pytest.raises(KeyboardInterrupt):
        download(upstream.url, commit, tmp_path / "raw")
    assert not (tmp_path / "raw/v9.9").exists()
    assert not (tmp_path / "raw/v9.9.manifest.tsv").exists()
    asked = []
    monkeypatch.setattr(
        fetch.Git, "fetch",
        lambda self, *words, text=None: (asked.append(text), original(self, *words, text=text))[1],
    )  # fmt: skip
    entries, _ = download(upstream.url, commit, tmp_path / "raw")
    assert all(entry.state == "present" for entry in entries.values())
    assert len(asked) == 1
    assert len(asked[0].split()) == 2


@pytest.mark.parametrize(
    ("url", "commit"), [("file:///no/such/repository", "a" * 40), (None, "b" * 40)]
)
def test_errors_name_the_url_the_commit_and_what_to_do(
    upstream, tmp_path, monkeypatch, url, commit
):
    monkeypatch.setattr(fetch, "TRIES", 1)
    upstream.write(RESULT, "x")
    upstream.commit()
    with pytest.raises(BreakevenError) as caught:
        download(url or upstream.url, commit, tmp_path / "raw")
    message = str(caught.value)
    assert (url or upstream.url) in message
    assert commit in message
    assert "run the same command again" in message
    assert not (tmp_path / "raw/v9.9").exists()


def test_a_repository_without_results_is_refused(upstream, tmp_path):
    upstream.write("README.md", "hello")
    with pytest.raises(BreakevenError, match="is this a repository of MLPerf Training results"):
        download(upstream.url, upstream.commit(), tmp_path / "raw")


def hostile_commit(upstream):
    """Commit a tree that git's own porcelain would never make, and return its id."""
    folder = upstream.folder
    (folder / "content").write_text("evil")
    blob = git("hash-object", "-w", "content", folder=folder)
    (folder / "content").write_text("../../../../etc/passwd")
    link = git("hash-object", "-w", "content", folder=folder)

    def tree(*entries):
        lines = []
        for mode, name, identifier in entries:
            lines.append(f"{mode} ".encode() + name.encode() + b"\0" + bytes.fromhex(identifier))
        (folder / "raw-tree").write_bytes(b"".join(lines))
        return git("hash-object", "-w", "-t", "tree", "--literally", "raw-tree", folder=folder)

    bert = tree(
        ("100644", "result_0.txt", blob),
        ("120000", "result_1.txt", link),
        ("100644", "result_\n2.txt", blob),
        ("100644", "result\\3.txt", blob),
    )
    up = tree(("100644", "outside.txt", blob))
    system = tree(("40000", "..", up), ("40000", ".git", up), ("40000", "bert", bert))
    results = tree(("40000", "sys", system))
    submitter = tree(("40000", "results", results))
    top = tree(("40000", "Sub", submitter))
    return git("commit-tree", top, "-m", "hostile", folder=folder)


def test_a_hostile_tree_writes_nothing_but_its_regular_files(upstream, tmp_path):
    commit = hostile_commit(upstream)
    git("branch", "hostile", commit, folder=upstream.folder)
    entries, said = download(upstream.url, commit, tmp_path / "raw")
    written = [p for p in (tmp_path / "raw/v9.9").rglob("*") if not p.is_dir()]
    assert [p.relative_to(tmp_path / "raw/v9.9").as_posix() for p in written] == [RESULT]
    assert not list(tmp_path.rglob("outside.txt"))
    reasons = {entry.reason for entry in entries.values() if entry.state == "refused"}
    assert reasons == {
        "a symbolic link",
        "an empty, '.' or '..' part in its path",
        "a '.git' part in its path",
        "a control character, a backslash or undecodable bytes in its path",
    }
    assert sum(line.startswith("refused:") for line in said) == 5
    assert len(fetch.read_manifest(tmp_path / "raw/v9.9.manifest.tsv")) == 6
