"""Checks that need no raw files: git, records, artefacts, and what artefacts were made from."""

from __future__ import annotations

import functools
import importlib.metadata
from collections.abc import Mapping
from pathlib import Path

from breakeven import config, facts, fetch, packing, pins, provenance
from breakeven.audit.case import Case, Check

# Artefacts that need no record: this audit's own, and what packs the others.
UNRECORDED = ("audit", "crate")
UNRECORDED_NAMES = ("verification.txt",)


def check_git(case: Case) -> Check:
    """Facts and dvc.lock are those of the last commit."""
    check = Check("facts and dvc.lock are those in git")
    listed = packing.git(case.root, "ls-tree", "-r", "-z", "HEAD", "--", "data/facts", "dvc.lock")
    if listed is None:
        check.skipped.append("no git repository here: take the project with `git clone`")
        return check
    committed = {}
    for entry in filter(None, listed.split("\0")):
        about, path = entry.split("\t", 1)
        committed[path] = about.split()[2]
    for path, blob in sorted(committed.items()):
        check.examined += 1
        try:
            same = fetch.blob_id((case.root / path).read_bytes()) == blob
        except OSError:
            case.blame(check, path, f"is missing: restore it with `git checkout -- {path}`")
            continue
        if not same:
            case.blame(check, path, f"differs from the one in git: `git checkout -- {path}`")
    here = {
        path.relative_to(case.root).as_posix()
        for name in case.rounds
        for path in facts.paths(case.facts_folder(name))
    }
    new = sorted(here - set(committed))
    if new:
        check.skipped.append(f"not in git yet: {', '.join(new)}")
    return check


def check_records(case: Case) -> Check:
    """Every artefact has a record, and every record's id and seal hold."""
    check = Check("records hold, and each artefact has one")
    for path in case.sidecars:
        check.examined += 1
        if path not in case.records:
            changed = path.relative_to(case.root).as_posix()
            case.blame(check, changed, "the record was changed: its seal does not hold")
    for path in sorted((case.root / "results").rglob("*")):
        place, sidecar = path.relative_to(case.root), provenance.sidecar_of(path)
        if not _is_artefact(path) or place.parts[1] in UNRECORDED:
            continue
        record = case.records.get(sidecar)
        if not sidecar.is_file():
            what = f"is missing: no record is of {place}, or that is not the workflow's"
            case.blame(check, sidecar.relative_to(case.root).as_posix(), what)
        elif record and path.name not in {made["@id"] for made in record["prov:generated"]}:
            case.blame(check, place.as_posix(), "is not in its record: not the workflow's")
    return check


def _is_artefact(path: Path) -> bool:
    """Say whether a file below results/ must have a record."""
    return (
        path.is_file()
        and not path.name.startswith(".")
        and not path.name.endswith(provenance.SUFFIX)
        and path.name not in UNRECORDED_NAMES
    )


def check_artefacts(case: Case) -> Check:
    """Artefacts are the bytes that their records name."""
    check = Check("artefacts are what their records say")
    for path, record in case.records.items():
        folder = path.parent.relative_to(case.root)
        for entity in record["prov:generated"]:
            check.examined += 1
            place = (folder / entity["@id"]).as_posix()
            found = case.hash(place)
            if found is None:
                case.blame(check, place, "is missing, though its record is there")
            elif found != entity["sha256"]:
                case.blame(check, place, "was changed after it was made")
            elif place.endswith((".svg", ".png")) and (
                provenance.embedded((case.root / place).read_bytes()) != record["@id"]
            ):
                case.blame(check, place, "carries another id than its record")
    return check


def check_inputs(case: Case) -> Check:
    """Artefacts were made from the files, settings, code and raw data that are there now."""
    check = Check("artefacts are of the present inputs, settings and code")
    settings = config.load(config.Settings, case.root / "config" / "config.yaml")
    sections = settings.model_dump(mode="json")
    code = functools.cache(lambda program: provenance.code_digest(case.root, program))
    installed = {name: importlib.metadata.version(name) for name in provenance.PACKAGES}
    # Parsed once a round: every record names its rounds.
    raw_hash = functools.cache(lambda name: pins.raw_hash(case.root / "dvc.lock", name))
    for path, record in case.records.items():
        place = path.relative_to(case.root).as_posix()
        for entity in record["prov:used"]:
            check.examined += 1
            _check_input(case, check, place, entity)
        agent = record["prov:wasAssociatedWith"]
        if agent["code"] != code(agent["@id"]):
            what = "it or a module that it imports was edited after it made results: run snakemake"
            case.blame(check, agent["@id"], what)
        if agent["packages"] != installed:
            odd = sorted(set(agent["packages"].items()) ^ set(installed.items()))
            names = ", ".join(sorted({name for name, _ in odd}))
            case.blame(check, "requirements.lock", f"results are of other versions of {names}")
        for name, section in record["settings"].items():
            if section != sections.get(name):
                what = f"`{name}` was edited after results were made: run snakemake"
                case.blame(check, "config/config.yaml", what)
        for source in record["prov:hadPrimarySource"]:
            if source["raw"] != raw_hash(source["round"]):
                what = f"pins other raw files of {source['round']} than results were made from"
                case.blame(check, "dvc.lock", what)
    return check


def _check_input(case: Case, check: Check, place: str, entity: Mapping[str, str]) -> None:
    """Compare one input of a record with the file that is there."""
    file = entity["@id"]
    found = case.hash(file)
    if found == entity["sha256"]:
        return
    if found is None:
        case.blame(check, file, "is missing, though results were made from it")
        return
    own = case.records.get(provenance.sidecar_of(case.root / file))
    if own and any(made["sha256"] == found for made in own["prov:generated"]):
        # The input is what its own record says: what was made from it is older.
        case.blame(check, place, f"was made from another {file}: run snakemake", because_of=[file])
    else:
        case.blame(check, file, "was changed after results were made from it")
