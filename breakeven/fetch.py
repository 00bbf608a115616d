"""Download one round: a partial git fetch of exactly the pinned commit, and a manifest of it.

Git proves the content: the commit id fixes the tree, the tree fixes every blob id, and each blob's
id is recomputed here before its bytes are written. Only files below the
round's data folders are looked at, and only the kinds that hold data are downloaded.
"""

from __future__ import annotations

import csv
import functools
import hashlib
import io
import os
import re
import shutil
import subprocess
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from breakeven.errors import BreakevenError
from breakeven.files import written_aside
from breakeven.text import CONTROL, plain

BATCH = 250
TRIES = 3
WANTED_SUFFIXES = (".txt", ".json", ".log", ".csv")
IGNORED = "not a kind of file that holds data"
MANIFEST_COLUMNS = ("path", "blob", "bytes", "state", "reason")

REGULAR_MODES = ("100644", "100755")
LOST = re.compile(r"not our ref ([0-9a-f]{40})")


@dataclass(frozen=True, order=True)
class Entry:
    """One file of the upstream tree.

    ``state`` is ``present``, ``absent`` (listed upstream, but the server could not give it),
    ``ignored`` (not a kind of file that holds data) or ``refused`` (not safe to write).
    """

    path: str
    blob: str
    bytes: int | None
    state: str
    reason: str


def unsafe(path: str, mode: str) -> str:
    """Return why a foreign tree's entry must not be written, or an empty string."""
    parts = path.split("/")
    if mode not in REGULAR_MODES:
        return "a symbolic link" if mode == "120000" else f"not a regular file (mode {mode})"
    if path.startswith("/") or re.match(r"^[A-Za-z]:", path):
        return "an absolute path"
    if any(part in ("", ".", "..") for part in parts):
        return "an empty, '.' or '..' part in its path"
    if any(part.lower().rstrip(". ") == ".git" for part in parts):
        return "a '.git' part in its path"
    if CONTROL.search(path) or "\ufffd" in path or "\\" in path:
        return "a control character, a backslash or undecodable bytes in its path"
    if any(len(part.encode()) > 255 for part in parts) or len(path.encode()) > 1024:
        return "a name that is too long"
    return ""


@functools.cache
def pattern(template: str) -> re.Pattern[str]:
    """Turn a path template (see :class:`breakeven.config.Layout`) into a regular expression."""
    parts = re.split(r"(\{\w+(?:\*\*)?\}|\*\*?)", template)
    expressions = []
    for part in parts:
        if part.startswith("{"):
            name = part.strip("{}*")
            expressions.append(f"(?P<{name}>{'.+' if '**' in part else '[^/]+'})")
        else:
            expressions.append({"*": "[^/]*", "**": ".+"}.get(part) or re.escape(part))
    return re.compile("".join(expressions), re.DOTALL)


def classify(path: str, mode: str, blob: str, folders: Sequence[str]) -> Entry | None:
    """Return the manifest entry of one tree entry; None where it is outside the data folders."""
    if not any(pattern(folder).match(path) for folder in folders):
        return None
    if reason := unsafe(path, mode):
        return Entry(path, blob, None, "refused", reason)
    if not path.lower().endswith(WANTED_SUFFIXES):
        return Entry(path, blob, None, "ignored", IGNORED)
    return Entry(path, blob, None, "present", "")


def without_collisions(entries: Iterable[Entry]) -> list[Entry]:
    """Refuse entries that share a path with another, or whose path lies below another's file.

    Some file systems take two spellings of a letter for one, so all do here: what is kept must not
    depend on the machine. The first in order is kept.
    """
    ordered = sorted(entries)
    files = {_spelt(entry.path) for entry in ordered if entry.state == "present"}
    taken: set[str] = set()
    kept = []
    for entry in ordered:
        if entry.state == "present":
            path = _spelt(entry.path)
            parents = (path.rsplit("/", n)[0] for n in range(1, path.count("/") + 1))
            if path in taken:
                reason = "another file's name, but for the case or composition of letters"
                entry = replace(entry, state="refused", reason=reason)
            elif any(parent in files for parent in parents):
                entry = replace(entry, state="refused", reason="its folder is also a file")
            taken.add(path)
        kept.append(entry)
    return kept


def _spelt(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


class Git:
    """Git commands in one bare repository, with errors that name the source and what to do."""

    def __init__(self, folder: Path, url: str, commit: str) -> None:
        """Remember where and what; nothing is run yet."""
        self.folder, self.url, self.commit = folder, url, commit
        self.environment = {
            # A server that sends under 1,000 bytes a second for a minute counts as stalled.
            "GIT_HTTP_LOW_SPEED_LIMIT": "1000",
            "GIT_HTTP_LOW_SPEED_TIME": "60",
            **os.environ,
            "LC_ALL": "C",
            "GIT_TERMINAL_PROMPT": "0",
        }
        for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
            self.environment.pop(name, None)

    def run(self, *words: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
        """Run one git command and return it, whatever its exit code."""
        return subprocess.run(
            ["git", f"--git-dir={self.folder}", *words],
            input=text,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            env=self.environment,
            check=False,
        )

    def must(self, *words: str, text: str | None = None) -> str:
        """Run one git command; raise BreakevenError where it fails."""
        done = self.run(*words, text=text)
        if done.returncode:
            raise self.failure(done.stderr)
        return done.stdout

    def failure(self, stderr: str) -> BreakevenError:
        """Word a git failure for a person."""
        lines = [line for line in stderr.splitlines() if line.strip()] or ["no message"]
        said = next((line for line in lines if line.startswith(("fatal", "error"))), lines[-1])
        return BreakevenError(
            f"git could not fetch commit {self.commit} from {self.url}: {said.strip()}. "
            "Check the network, the `repository` and the `commit` in config/rounds/, then run the "
            "same command again: what was already fetched is kept"
        )

    def damaged(self, what: str) -> BreakevenError:
        """Throw away what was fetched, since it is not what was asked for, and word that."""
        shutil.rmtree(self.folder, ignore_errors=True)
        return BreakevenError(
            f"{self.url} at {self.commit}: {what}. What was fetched is thrown away; run the same "
            "command again, and if it says so again the server gives wrong content"
        )

    def prepare(self) -> None:
        """Create the repository where it is not there yet, or is half there; free its locks."""
        # Of a git that was killed: only one download of a round runs at a time (DVC sees to that).
        for lock in self.folder.glob("*.lock"):
            lock.unlink()
        if self.run("rev-parse", "--git-dir").returncode:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            self.must("init", "--quiet", "--bare", str(self.folder))
        for key, value in (
            ("remote.origin.url", self.url),
            ("remote.origin.promisor", "true"),
            ("remote.origin.partialclonefilter", "blob:none"),
            ("extensions.partialClone", "origin"),
            ("gc.auto", "0"),
            ("maintenance.auto", "false"),
            ("fetch.fsckObjects", "false"),
        ):
            self.must("config", key, value)

    def fetch(self, *words: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
        """Fetch, trying again where the network (not the server's answer) was the trouble."""
        command = ("-c", "fetch.negotiationAlgorithm=noop", "fetch", "--quiet", "--no-tags")
        for attempt in range(1, TRIES + 1):
            done = self.run(
                *command, "--no-write-fetch-head", "--filter=blob:none", *words, text=text
            )
            if done.returncode == 0 or LOST.search(done.stderr) or attempt == TRIES:
                break
            time.sleep(2**attempt)
        return done

    def objects(self) -> set[str]:
        """Return the ids of all objects that are here, asking no server."""
        listing = self.must(
            "cat-file", "--batch-all-objects", "--batch-check=%(objectname)", "--unordered"
        )
        return set(listing.split())

    def tree(self) -> Iterator[tuple[str, str, str]]:
        """Yield (mode, object id, path) of every file at the commit."""
        listing = self.run("ls-tree", "-r", "-z", "--full-tree", self.commit)
        if listing.returncode:
            raise self.damaged("its list of files is not readable")
        for record in filter(None, listing.stdout.split("\0")):
            head, path = record.split("\t", 1)
            mode, _, identifier = head.split()
            yield mode, identifier, path

    def contents(self, blobs: Sequence[str]) -> Iterator[bytes]:
        """Yield the bytes of each blob, in order; each one's id is recomputed."""
        with subprocess.Popen(
            ["git", f"--git-dir={self.folder}", "cat-file", "--batch"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=self.environment,
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            for blob in blobs:
                process.stdin.write(f"{blob}\n".encode())
                process.stdin.flush()
                header = process.stdout.readline().split()
                if len(header) != 3:
                    raise self.damaged(f"blob {blob} is not readable")
                data = process.stdout.read(int(header[2]))
                process.stdout.read(1)
                if blob_id(data) != blob:
                    raise self.damaged(f"blob {blob} has other content than its id says")
                yield data


def blob_id(data: bytes) -> str:
    """Return git's id of a file's bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def fetch_blobs(git: Git, blobs: Sequence[str], say: Callable[[str], None]) -> set[str]:
    """Fetch the blobs that are not here yet; return those that the server has lost.

    A lost blob fails its whole batch at once, before anything is sent, and names itself: the
    batch is asked for again without it.
    """
    here = git.objects()
    missing = [blob for blob in blobs if blob not in here]
    lost: set[str] = set()
    for start in range(0, len(missing), BATCH):
        batch = [blob for blob in missing[start : start + BATCH] if blob not in lost]
        while batch:
            done = git.fetch("--recurse-submodules=no", "origin", "--stdin", text="\n".join(batch))
            if done.returncode == 0:
                break
            named = set(LOST.findall(done.stderr)) & set(batch)
            if not named:
                raise git.failure(done.stderr)
            lost |= named
            batch = [blob for blob in batch if blob not in named]
        say(f"{min(start + BATCH, len(missing))} of {len(missing)} files fetched")
    return lost


def download(
    url: str,
    commit: str,
    folders: Sequence[str],
    target: Path,
    manifest: Path,
    say: Callable[[str], None],
) -> list[Entry]:
    """Bring the data files of ``commit`` to ``target``, and write the manifest of what is there.

    Args:
        url: the upstream repository.
        commit: 40 hex digits.
        folders: path templates of the folders that hold data.
        target: folder to make; it gets the files under their upstream paths.
        manifest: tab-separated file to write: path, blob id, bytes, state, reason.
        say: called with one line of progress at a time.

    Returns:
        The manifest's entries, sorted by path.

    Raises:
        BreakevenError: git or the network failed; what was fetched stays in ``.partial`` beside
            ``target``, and the next call goes on from there. ``target`` is not touched.
    """
    partial = target.parent / ".partial"
    git = Git(partial / f"{target.name}.git", url, commit)
    git.prepare()
    say(f"{url} at {commit}: listing")
    if commit not in git.objects():
        done = git.fetch("--depth=1", "origin", commit)
        if done.returncode:
            raise git.failure(done.stderr)
    entries = without_collisions(
        entry
        for mode, blob, path in git.tree()
        if (entry := classify(path, mode, blob, folders)) is not None
    )
    wanted = [entry for entry in entries if entry.state == "present"]
    if not wanted:
        raise BreakevenError(
            f"{url} at {commit}: no data file below {' or '.join(folders)}; is this a repository "
            "of MLPerf Training results? If its layout differs, set `folders` in its file"
        )
    lost = fetch_blobs(git, sorted({entry.blob for entry in wanted}), say)
    staging = partial / target.name
    shutil.rmtree(staging, ignore_errors=True)
    finished = write_tree(git, entries, lost, staging)
    # The manifest goes first and comes last: it never names files of another download.
    manifest.unlink(missing_ok=True)
    shutil.rmtree(target, ignore_errors=True)
    staging.replace(target)
    write_manifest(finished, manifest)
    shutil.rmtree(git.folder)
    if not any(partial.iterdir()):
        partial.rmdir()
    for entry in finished:
        if entry.state in ("absent", "refused"):
            say(f"{entry.state}: {entry.path!r}: {entry.reason}")
    counts = {
        state: sum(e.state == state for e in finished)
        for state in sorted({e.state for e in finished})
    }
    say("files " + ", ".join(f"{state} {number}" for state, number in counts.items()))
    return finished


def write_tree(git: Git, entries: Sequence[Entry], lost: set[str], folder: Path) -> list[Entry]:
    """Write the present files below ``folder``; return all entries with sizes and final states."""
    finished = []
    present = [e for e in entries if e.state == "present" and e.blob not in lost]
    contents = git.contents([entry.blob for entry in present])
    folder.mkdir(parents=True)
    for entry in entries:
        if entry.state == "present" and entry.blob in lost:
            reason = "listed at the pinned commit, but the server does not have it"
            entry = replace(entry, state="absent", reason=reason)
        elif entry.state == "present":
            data = next(contents)
            file = folder / entry.path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
            entry = replace(entry, bytes=len(data))
        finished.append(entry)
    return finished


def write_manifest(entries: Iterable[Entry], path: Path) -> None:
    """Write the manifest, aside first."""
    with written_aside(path) as aside:
        aside.write_text(manifest_text(entries), encoding="utf-8", newline="")


def manifest_text(entries: Iterable[Entry]) -> str:
    """Return the manifest of a download."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
    writer.writerow(MANIFEST_COLUMNS)
    for entry in sorted(entries):
        size = "" if entry.bytes is None else entry.bytes
        # A refused name may hold anything; written out, it still names its submitter and system.
        writer.writerow((plain(entry.path), entry.blob, size, entry.state, entry.reason))
    return stream.getvalue()


def read_manifest(path: Path) -> list[Entry]:
    """Read a manifest; raise BreakevenError where it is missing or malformed."""
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.reader(stream, delimiter="\t"))
        if not rows or tuple(rows[0]) != MANIFEST_COLUMNS:
            raise ValueError("its first line is not the manifest's")
        return [Entry(p, b, int(n) if n else None, s, r) for p, b, n, s, r in rows[1:]]
    except FileNotFoundError as error:
        raise BreakevenError(f"{path}: there is no such file; run the download first") from error
    except (ValueError, OSError) as error:
        raise BreakevenError(
            f"{path}: not a manifest ({error}); delete it and download again"
        ) from error


def altered(entries: Iterable[Entry], folder: Path) -> list[str]:
    """Name the files below ``folder`` whose bytes are not what the manifest's blob ids say."""
    changed = []
    for entry in entries:
        if entry.state == "present":
            try:
                same = blob_id((folder / entry.path).read_bytes()) == entry.blob
            except OSError:
                same = False
            if not same:
                changed.append(entry.path)
    return changed
