"""Pack results, inputs and code as one Workflow Run RO-Crate that says what came from what.

The crate is a zip file laid out as the project is, with ``ro-crate-metadata.json`` and
``datapackage.json`` at its top. It follows version 0.5 of the profile, on RO-Crate 1.1. It names no
person, machine, absolute path or time of day: its dates are the commit's. The same tree and results
give the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from rocrate.model import ComputationalWorkflow, ContextEntity, Dataset, File
from rocrate.rocrate import ROCrate

from breakeven import datapackage
from breakeven.config import Round, round_number
from breakeven.dictionary import RESULTS, UNOFFICIAL
from breakeven.errors import BreakevenError
from breakeven.files import written_aside
from breakeven.packing import Revision, shown
from breakeven.provenance import SUFFIX

METADATA = "ro-crate-metadata.json"
RO_CRATE = "1.1"
PROFILES = (
    ("https://w3id.org/ro/wfrun/process/0.5", "Process Run Crate", "0.5"),
    ("https://w3id.org/ro/wfrun/workflow/0.5", "Workflow Run Crate", "0.5"),
    ("https://w3id.org/workflowhub/workflow-ro-crate/1.0", "Workflow RO-Crate", "1.0"),
)
LICENCE = "https://spdx.org/licenses/Apache-2.0"
# RO-Crate 1.1 has no term of its own for it.
TERMS = {"sha256": "http://schema.org/sha256"}
# Zip's earliest time, plain permissions of files and folders, one level of compression for all.
ZIP_TIME = (1980, 1, 1, 0, 0, 0)
ZIP_MODE = 0o100644 << 16
ZIP_FOLDER_MODE = 0o040755 << 16 | 0x10
ZIP_UNIX = 3
ZIP_LEVEL = 9

FORMATS = {
    ".cff": "application/yaml",
    ".css": "text/css",
    ".csv": "text/csv",
    ".html": "text/html",
    ".js": "text/javascript",
    ".json": "application/json",
    ".lock": "text/plain",
    ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet",
    ".png": "image/png",
    ".py": "text/x-python",
    ".rst": "text/x-rst",
    ".smk": "text/plain",
    ".svg": "image/svg+xml",
    ".toml": "application/toml",
    ".txt": "text/plain",
    ".yaml": "application/yaml",
}
FOLDERS = {
    "breakeven": "The library: pure functions over tables",
    "config": "What was analysed: settings, rounds and their pins, benchmarks, spellings",
    "data/facts": "The facts read from the pinned logs, by round",
    "docs": "Definitions of every number, and how to add a round",
    "results": "Everything the run made: tables, figures, page, summaries and their records",
    "results/report": "One page over all rounds, which needs nothing beside itself",
    "rules": "The workflow's rules",
    "scripts": "One program a rule",
}

Entity = dict[str, Any]


@dataclass(frozen=True)
class Member:
    """One file of the crate: its path, size (bytes) and SHA-256."""

    path: str
    size: int
    digest: str


def member(path: str, content: bytes) -> Member:
    """Describe a file's content."""
    return Member(path, len(content), hashlib.sha256(content).hexdigest())


def result_files(root: Path, rounds: Sequence[str]) -> list[str]:
    """List the tables, summaries, figures, page and records to pack, as sorted paths below root.

    Records (``*.prov.json``) are packed where they are there; everything else must be.
    """
    results = root / "results"
    stems = [(results, table.name) for table in RESULTS if table.overall]
    stems += [(results / name, t.name) for name in rounds for t in RESULTS if t.each_round]
    found = {folder / f"{stem}{end}" for folder, stem in stems for end in (".csv", ".parquet")}
    found.add(results / "report" / "index.html")
    stems.append((results / "report", "index"))
    for folder in (results, *(results / name for name in rounds)):
        found.add(folder / "summary.txt")
        stems.append((folder, "summary"))
        found.update(path for path in folder.glob("figures/*/*") if shown(path))
    records = {folder / f"{stem}{SUFFIX}" for folder, stem in stems}
    found.update(path for path in records if path.is_file())
    return sorted(path.relative_to(root).as_posix() for path in found)


def write(
    root: Path, paths: Iterable[str], pins: Mapping[str, Round], revision: Revision, output: Path
) -> None:
    """Write the crate.

    Args:
        root: the project's folder.
        paths: the files to pack, below it.
        pins: the rounds' pinned inputs, by name.
        revision: what git says of the tree.
        output: the zip file to write.

    Raises:
        BreakevenError: a file is missing.
    """
    packed = sorted(paths)
    members = [member(path, read(root / path)) for path in packed]
    citation = root / "CITATION.cff"
    version = project_version(citation.read_text(encoding="utf-8") if citation.is_file() else "")
    tables = datapackage.as_json(
        datapackage.descriptor(
            sorted(pins, key=round_number),
            {one.path: one.size for one in members},
            {one.path: one.digest for one in members},
            [source(pins[name]) for name in sorted(pins, key=round_number)],
            version,
        )
    ).encode()
    members.append(member(datapackage.NAME, tables))
    made = {
        datapackage.NAME: tables,
        METADATA: as_json(metadata(members, pins, revision, version)).encode(),
    }
    with (
        written_aside(output) as aside,
        zipfile.ZipFile(aside, "w", zipfile.ZIP_DEFLATED, compresslevel=ZIP_LEVEL) as archive,
    ):
        for path in sorted([*packed, *made, *(f"{folder}/" for folder in folders_of(packed))]):
            if path.endswith("/"):
                archive.writestr(entry(path), b"", zipfile.ZIP_STORED)
            else:
                content = made[path] if path in made else read(root / path)
                archive.writestr(entry(path), content, zipfile.ZIP_DEFLATED, ZIP_LEVEL)


def read(path: Path) -> bytes:
    """Read a file; raise BreakevenError where it is missing."""
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise BreakevenError(f"{path}: there is no such file; run snakemake first") from error


def entry(path: str) -> zipfile.ZipInfo:
    """Return a zip entry that says nothing of when and where it was written."""
    info = zipfile.ZipInfo(path, ZIP_TIME)
    info.create_system = ZIP_UNIX
    info.external_attr = ZIP_FOLDER_MODE if path.endswith("/") else ZIP_MODE
    return info


def folders_of(paths: Iterable[str]) -> list[str]:
    """List every folder above the files, sorted."""
    return sorted({str(above) for path in paths for above in PurePosixPath(path).parents} - {"."})


def project_version(citation: str) -> str:
    """Read the project's version from the text of CITATION.cff; "unknown" without one."""
    lines = [line for line in citation.splitlines() if line.startswith("version:")]
    return lines[0].partition(":")[2].strip() if lines else "unknown"


def source(pinned: Round) -> dict[str, str]:
    """Say where a round's facts come from, as a data package does."""
    where = {"path": address(pinned)} if public(pinned) else {}
    return {"title": pinned.title, **where, "version": pinned.commit}


def public(pinned: Round) -> bool:
    """Say whether a round's repository has an address that means something elsewhere."""
    return pinned.repository.startswith("https://")


def address(pinned: Round) -> str:
    """Return the address of a round's pinned commit; a name inside the crate where it has none."""
    if not public(pinned):
        return f"#upstream-{pinned.round}"
    return f"{pinned.repository.removesuffix('.git')}/tree/{pinned.commit}"


def metadata(
    members: Sequence[Member], pins: Mapping[str, Round], revision: Revision, version: str
) -> Entity:
    """Make the crate's metadata.

    Args:
        members: every file of the crate but the metadata itself.
        pins: the rounds' pinned inputs, by name.
        revision: what git says of the tree.
        version: of the project.

    Returns:
        JSON-LD: the descriptor and the root first, then all entities by id.
    """
    crate = ROCrate(version=RO_CRATE)
    crate.metadata.extra_terms.update(TERMS)
    rounds = sorted(pins, key=round_number)
    texts = {path: table.description for _, path, table in datapackage.table_files(rounds)}
    texts[datapackage.NAME] = "Data Package: every table's columns, units and meanings"
    parts = {one.path: add_file(crate, one, texts.get(one.path, "")) for one in members}
    folders = add_folders(crate, parts)
    upstream = [add_upstream(crate, pins[name]) for name in rounds]
    for name, repository in zip(rounds, upstream, strict=True):
        folders[f"data/facts/{name}"]["isBasedOn"] = repository
    describe_root(crate, revision, version, published(revision, pins))
    crate.root_dataset["isBasedOn"] = upstream
    crate.root_dataset["hasPart"] = sorted(
        (part for path, part in {**parts, **folders}.items() if "/" not in path),
        key=lambda part: str(part.id),
    )
    describe_workflow(crate, parts, folders, revision.commit)
    describe_run(crate, parts, folders)
    content: Entity = crate.metadata.generate()
    first = {METADATA: 0, "./": 1}
    graph = [single_values(one) for one in content["@graph"]]
    return {**content, "@graph": sorted(graph, key=lambda e: (first.get(e["@id"], 2), e["@id"]))}


def single_values(entity: Mapping[str, Any]) -> Entity:
    """Return an entity with one value in place of each list of one, as RO-Crate advises."""
    return {
        name: value[0] if isinstance(value, list) and len(value) == 1 else value
        for name, value in entity.items()
    }


def published(revision: Revision, pins: Mapping[str, Round]) -> str:
    """Return the crate's date: the commit's; without git the day the inputs were last accessed."""
    if revision.date is not None:
        return revision.date.isoformat()
    return max(pinned.accessed for pinned in pins.values()).isoformat()


def add_file(crate: ROCrate, one: Member, text: str = "") -> File:
    """Add a file, and say what it is; the Snakefile is the workflow itself."""
    suffix = PurePosixPath(one.path).suffix
    properties: Entity = {
        "name": one.path,
        "contentSize": str(one.size),
        "encodingFormat": FORMATS.get(suffix, "text/plain"),
        "sha256": one.digest,
    }
    if text:
        properties["description"] = text
    if one.path == "README.md":
        properties["about"] = {"@id": "./"}
    if one.path == "Snakefile":
        workflow: File = crate.add_workflow(
            dest_path=one.path, properties=properties, main=True, lang="snakemake"
        )
        return workflow
    added: File = crate.add_file(dest_path=one.path, properties=properties)
    return added


def add_folders(crate: ROCrate, parts: Mapping[str, File]) -> dict[str, Dataset]:
    """Add every folder above the files, each with what is directly in it."""
    folders: dict[str, Dataset] = {
        path: crate.add_dataset(
            dest_path=path, properties={"name": path, "description": folder_text(path)}
        )
        for path in folders_of(parts)
    }
    for path, part in sorted({**parts, **folders}.items()):
        above = str(PurePosixPath(path).parent)
        if above in folders:
            folders[above].append_to("hasPart", part)
    return folders


def folder_text(path: str) -> str:
    """Say what is in a folder."""
    parts = path.split("/")
    if parts[0] == "results" and "figures" in parts:
        return f"Figures, each as SVG, PNG and Vega-Lite JSON. {UNOFFICIAL}"
    if parts[0] == "results" and len(parts) == 2 and path not in FOLDERS:
        return f"Tables, figures and summary of {parts[1]}. {UNOFFICIAL}"
    if parts[:2] == ["data", "facts"] and len(parts) == 3:
        return f"Facts of {parts[2]}"
    return FOLDERS.get(path, f"Folder {path}")


def add_upstream(crate: ROCrate, pinned: Round) -> ContextEntity:
    """Add the repository, at its pinned commit, that a round's facts were read from."""
    return crate.add(
        ContextEntity(
            crate,
            address(pinned),
            {
                "@type": "CreativeWork",
                "name": f"{pinned.title} results",
                "version": pinned.commit,
                "datePublished": pinned.published.isoformat(),
                "license": {"@id": LICENCE} if pinned.licence == "Apache-2.0" else pinned.licence,
                "description": f"By {pinned.origin}",
            },
        )
    )


def describe_root(crate: ROCrate, revision: Revision, version: str, date: str) -> None:
    """Say what the crate is, by which profiles, licence and revision."""
    root = crate.root_dataset
    root["name"] = "Breakeven: how far it pays to scale AI training"
    root["description"] = datapackage.DESCRIPTION
    root["datePublished"] = date
    root["version"] = version
    root["license"] = crate.add(
        ContextEntity(
            crate,
            LICENCE,
            {"@type": "CreativeWork", "name": "Apache License 2.0", "identifier": "Apache-2.0"},
        )
    )
    root["author"] = crate.add(
        ContextEntity(crate, "#authors", {"@type": "Organization", "name": "The Breakeven authors"})
    )
    root["conformsTo"] = [
        crate.add(
            ContextEntity(
                crate, address, {"@type": "CreativeWork", "name": name, "version": number}
            )
        )
        for address, name, number in PROFILES
    ]
    root["additionalProperty"] = [
        crate.add(
            ContextEntity(
                crate, f"#{key}", {"@type": "PropertyValue", "name": name, "value": value}
            )
        )
        for key, name, value in (
            ("commit", "git commit of the project", revision.commit),
            ("tree", "the project's tree against that commit: clean or dirty", revision.tree),
        )
    ]


def describe_workflow(
    crate: ROCrate, parts: Mapping[str, File], folders: Mapping[str, Dataset], commit: str
) -> None:
    """Say what the workflow is, takes and gives."""
    workflow: ComputationalWorkflow = crate.mainEntity
    workflow["name"] = "Breakeven"
    workflow["description"] = "From facts read in pinned logs to tables, figures and one page"
    workflow["version"] = commit
    workflow["license"] = {"@id": LICENCE}
    workflow["author"] = {"@id": "#authors"}
    workflow["softwareRequirements"] = parts["requirements.lock"]
    for slot, path, name in (
        ("input", "data/facts", "facts"),
        ("input", "config", "configuration"),
        ("output", "results", "results"),
    ):
        parameter = crate.add_formal_parameter(
            name,
            "Dataset",
            identifier=f"#{name}",
            description=folder_text(path),
            valueRequired=True,
            properties={"workExample": folders[path]},
        )
        folders[path]["exampleOfWork"] = parameter
        workflow.append_to(slot, parameter)


def describe_run(crate: ROCrate, parts: Mapping[str, File], folders: Mapping[str, Dataset]) -> None:
    """Say that one run of the workflow made the results of the facts and the configuration."""
    action = crate.add_action(
        crate.mainEntity,
        identifier="#run",
        object=[folders["config"], folders["data/facts"]]
        + [part for path, part in sorted(parts.items()) if path.startswith("config/")]
        + [folder for path, folder in sorted(folders.items()) if path.startswith("data/facts/")],
        result=[folders["results"]]
        + [part for path, part in sorted(parts.items()) if is_result(path)]
        + [folder for path, folder in sorted(folders.items()) if "/figures/" in path],
        properties={
            "name": "Run of the Breakeven workflow",
            "description": "Snakemake made every result from the facts and the configuration",
            "actionStatus": "http://schema.org/CompletedActionStatus",
        },
    )
    crate.root_dataset["mentions"] = action


def is_result(path: str) -> bool:
    """Say whether a path is a table, summary or page that the run made."""
    return path.startswith("results/") and path.endswith((".csv", ".parquet", ".txt", ".html"))


def as_json(content: Entity) -> str:
    """Return metadata as text, the same for the same content."""
    return json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
