"""Checks of raw files and facts: upstream's blobs, what dvc.lock pins, and facts derived again."""

from __future__ import annotations

import hashlib
import json
import operator
from pathlib import Path

from breakeven import config, facts, fetch, parse, pins, verdict
from breakeven.audit.case import Case, Check
from breakeven.tables import records


def check_lock(case: Case) -> Check:
    """What dvc.lock says of raw files agrees with the facts, file by file."""
    check = Check("facts list the raw files that dvc.lock pins")
    for name in case.rounds:
        pinned = pins.outputs(case.root / "dvc.lock", f"download@{name}")
        manifest = pinned.get(f"data/raw/{name}.manifest.tsv")
        folder = pinned.get(f"data/raw/{name}")
        if manifest is None or folder is None:
            check.skipped.append(f"{name}: dvc.lock pins no raw files")
            continue
        paths = [
            path.relative_to(case.root).as_posix() for path in facts.paths(case.facts_folder(name))
        ]
        if any(path in case.suspects for path in paths):
            check.skipped.append(f"{name}: its facts are altered")
            continue
        entries = _listed(facts.read(case.facts_folder(name)))
        check.examined += len(entries)
        text = fetch.manifest_text(entries).encode()
        present = [entry for entry in entries if entry.state == "present"]
        size = sum(entry.bytes or 0 for entry in present)
        said = (manifest["md5"], manifest["size"], folder["nfiles"], folder["size"])
        if said != (_md5(text), len(text), len(present), size):
            what = f"pins other raw files of {name} than its facts list"
            case.blame(check, "dvc.lock", what)
    return check


def _listed(found: facts.Facts) -> list[fetch.Entry]:
    """Return the manifest entries that a round's facts were parsed from."""
    problems = found["problems"]
    why = dict(zip(problems["path"], problems["detail"], strict=True))
    entries = []
    for row in records(found["files"]):
        state = "present" if row["state"] == "unreadable" else row["state"]
        reasons = {"present": "", "ignored": fetch.IGNORED}
        reason = reasons[state] if state in reasons else why.get(row["path"], "")
        entries.append(fetch.Entry(row["path"], row["blob"], row["bytes"], state, reason))
    return entries


def check_raw(case: Case) -> Check:
    """Raw files are those of the upstream commit, and as dvc.lock pins them."""
    check = Check("raw files are upstream's, blob by blob")
    for name in case.rounds:
        if not case.has_raw(name):
            check.skipped.append(
                f"{name}: raw files are not here; `snakemake data/raw/{name}.manifest.tsv` "
                "downloads them"
            )
            continue
        case.say(f"{name}: hashing raw files")
        _check_raw_round(case, check, name)
    return check


def _check_raw_round(case: Case, check: Check, name: str) -> None:
    place = f"data/raw/{name}.manifest.tsv"
    pinned = pins.outputs(case.root / "dvc.lock", f"download@{name}")
    said = pinned.get(place, {}).get("md5")
    if said is not None and _md5_of(case.root / place) != said:
        case.blame(check, place, "is not the one that dvc.lock pins", because_of=["dvc.lock"])
    listing, altered = [], False
    entries = {e.path: e for e in _entries(case, name) if e.state == "present"}
    on_disk = {
        path.relative_to(case.raw(name)).as_posix()
        for path in case.raw(name).rglob("*")
        if path.is_file()
    }
    for path in sorted(on_disk - set(entries)):
        case.blame(check, f"data/raw/{name}/{path}", "is not listed upstream")
        altered = True
    for path, entry in entries.items():
        check.examined += 1
        try:
            data = (case.raw(name) / path).read_bytes()
        except OSError:
            case.blame(check, f"data/raw/{name}/{path}", "is missing")
            altered = True
            continue
        if fetch.blob_id(data) != entry.blob:
            what = f"is not upstream's file: its blob id is not {entry.blob}"
            case.blame(check, f"data/raw/{name}/{path}", what)
            altered = True
        listing.append({"md5": _md5(data), "relpath": path})
    # As DVC hashes a folder: the hash of its listing, sorted by path.
    text = json.dumps(sorted(listing, key=operator.itemgetter("relpath")))
    if (
        not altered
        and pinned
        and f"{_md5(text.encode())}.dir" != pins.raw_hash(case.root / "dvc.lock", name)
    ):
        case.blame(check, "dvc.lock", f"pins other raw files of {name} than those here")


def _entries(case: Case, name: str) -> list[fetch.Entry]:
    """List a round's raw files: as its manifest does, or its facts where that is altered."""
    place = f"data/raw/{name}.manifest.tsv"
    if place in case.suspects:
        return _listed(facts.read(case.facts_folder(name)))
    return fetch.read_manifest(case.root / place)


def _md5_of(path: Path) -> str:
    return _md5(path.read_bytes()) if path.is_file() else ""


def _md5(data: bytes) -> str:
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


def check_facts(case: Case) -> Check:
    """Facts are what the raw files say, row by row."""
    check = Check("facts are derived again from the raw files")
    accepted = config.load(config.Descriptions, case.root / "config" / "descriptions.yaml")
    for name in filter(case.has_raw, case.rounds):
        case.say(f"{name}: deriving facts from raw files")
        folder = case.facts_folder(name)
        tampered = {path for path in case.suspects if path.startswith(f"data/raw/{name}/")}
        broken = {path.relative_to(case.root).as_posix() for path in facts.paths(folder)} & set(
            case.suspects
        )
        if broken:
            check.skipped.append(f"{name}: its facts are altered")
            continue
        entries = _entries(case, name)
        layout = case.pin(name).layout
        theirs = parse.parse(entries, layout, accepted, case.raw(name), 2, _silent)
        ours = facts.load(folder)
        check.examined += sum(len(table) for table in ours.values())
        known = {path.removeprefix(f"data/raw/{name}/") for path in tampered}
        for row in verdict.difference(ours, theirs):
            if row.path not in known:
                file = f"data/facts/{name}/{row.table}.parquet"
                case.blame(check, file, f"row {row.what}: {row.where}")
    return check


def _silent(line: str) -> None:
    """Say nothing."""
