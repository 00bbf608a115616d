"""Where an artefact comes from: a small record beside every table, figure and page.

``scaling.prov.json`` stands for ``scaling.parquet`` and ``scaling.csv``, ``bert-speedup.prov.json``
for the three files of that figure. In the terms of W3C PROV it says which activity made them (the
program, its code, the packages and the settings), which entities that used, with their SHA-256, and
which upstream commits those come from. Its id is the digest of exactly that, and stands in
the metadata of SVG and PNG files. Its seal is the digest of the whole record.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pydantic

from breakeven.dependencies import imported_modules
from breakeven.errors import BreakevenError
from breakeven.files import written_aside

SUFFIX = ".prov.json"
CONTEXT = {
    "prov": "http://www.w3.org/ns/prov#",
    "@vocab": "https://w3id.org/breakeven/terms#",
}
# Packages that compute, write or draw what is in an artefact.
PACKAGES = (
    "altair",
    "itables",
    "jinja2",
    "msgspec",
    "numpy",
    "pandas",
    "pyarrow",
    "pydantic",
    "scipy",
    "vl-convert-python",
)
PNG_HEADER = 33  # Signature and first chunk, after which text may stand.
PNG_KEY = b"breakeven-provenance\0"
SVG_PROVENANCE = re.compile(
    r'<metadata id="breakeven-provenance">(urn:sha256:[0-9a-f]{64})</metadata>'
)

Record = dict[str, Any]


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file, as hexadecimal text."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def digest(content: object) -> str:
    """Return the SHA-256 of a value as canonical JSON."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def code_digest(root: Path, program: str) -> str:
    """Return one digest of a program's own file and every module of the package it imports."""
    code = imported_modules(root / program, root)
    return digest([[path, sha256(root / path)] for path in code])


def sidecar_of(path: Path) -> Path:
    """Return where the record of a table, page or figure file stands."""
    return path.with_name(path.name.removesuffix(path.suffix) + SUFFIX)


@dataclass(frozen=True)
class Maker:
    """An activity that makes artefacts, from the project's folder ``root``."""

    root: Path
    agent: Mapping[str, Any]
    settings: Mapping[str, Any]
    used: Sequence[Mapping[str, str]]
    origins: Sequence[Mapping[str, str]]

    def made(self, subject: object = None) -> Record:
        """Return what makes an artefact: exactly what its id is the digest of."""
        return {
            "prov:wasAssociatedWith": dict(self.agent),
            "settings": dict(self.settings),
            "prov:used": [dict(entity) for entity in self.used],
            "prov:hadPrimarySource": [dict(origin) for origin in self.origins],
            "subject": subject,
        }

    def identity(self, subject: object = None) -> str:
        """Return the id of what is made about a subject."""
        return f"urn:sha256:{digest(self.made(subject))}"

    def record(
        self, sidecar: Path, outputs: Iterable[Path], subject: object = None, **more: Any
    ) -> None:
        """Write the record of finished artefacts.

        Args:
            sidecar: the file to write.
            outputs: the artefacts, in the sidecar's folder.
            subject: what of the inputs the artefacts show, as JSON.
            more: further facts to carry along, as JSON, which the id does not depend on.
        """
        record = {
            "@context": CONTEXT,
            "@id": self.identity(subject),
            "@type": "prov:Activity",
            **self.made(subject),
            "prov:generated": [
                {"@id": path.name, "@type": "prov:Entity", "sha256": sha256(path)}
                for path in sorted(outputs)
            ],
            **more,
        }
        text = json.dumps(
            {**record, "seal": digest(record)}, sort_keys=True, ensure_ascii=False, indent=1
        )
        with written_aside(sidecar) as aside:
            aside.write_text(f"{text}\n", encoding="utf-8", newline="\n")

    def tables(self, *stems: Path, **more: Any) -> None:
        """Write the records of tables, each ``<stem>.parquet`` with its ``.csv``."""
        for stem in stems:
            files = [stem.with_name(stem.name + suffix) for suffix in (".csv", ".parquet")]
            self.record(stem.with_name(stem.name + SUFFIX), files, **more)


def maker(
    program: str,
    inputs: Iterable[Path],
    settings: Mapping[str, pydantic.BaseModel] | None = None,
    origins: Sequence[Mapping[str, str]] | None = None,
    root: Path | None = None,
) -> Maker:
    """Describe a program that is about to make artefacts.

    Args:
        program: its file, relative to the project's folder.
        inputs: the files it reads.
        settings: the sections of config/config.yaml that it follows.
        origins: what its inputs come from (see :func:`origin`); by default what the records
            beside the inputs say.
        root: the project's folder; by default where the program runs.
    """
    folder = Path.cwd() if root is None else root
    paths = {_within(path, folder): path for path in sorted(inputs)}
    return Maker(
        folder,
        agent={
            "@id": program,
            "@type": "prov:SoftwareAgent",
            "code": code_digest(folder, program),
            "packages": {name: importlib.metadata.version(name) for name in PACKAGES},
        },
        settings={k: v.model_dump(mode="json") for k, v in sorted((settings or {}).items())},
        used=[
            {"@id": name, "@type": "prov:Entity", "sha256": sha256(path)}
            for name, path in sorted(paths.items())
        ],
        origins=_origins(paths.values()) if origins is None else origins,
    )


def origin(round_name: str, repository: str, commit: str, raw: str) -> dict[str, str]:
    """Name where a round's facts come from: upstream's commit, and dvc.lock's hash of the files."""
    return {
        "@type": "prov:Entity",
        "round": round_name,
        "repository": repository,
        "commit": commit,
        "raw": raw,
    }


def _within(path: Path, root: Path) -> str:
    """Return a path relative to the project's folder; its name alone if it is elsewhere."""
    try:
        return path.resolve().relative_to(root.resolve()).as_posix()
    except ValueError:
        return path.name


def _origins(paths: Iterable[Path]) -> list[Mapping[str, str]]:
    """Gather where inputs come from, as their own records say."""
    found: dict[str, Mapping[str, str]] = {}
    for path in paths:
        sidecar = sidecar_of(path)
        if sidecar.is_file():
            for source in read(sidecar)["prov:hadPrimarySource"]:
                found[source["round"]] = source
    return [found[name] for name in sorted(found)]


def read(path: Path) -> Record:
    """Read a record.

    Raises:
        BreakevenError: it is not there, is no record, or its id or seal do not hold.
    """
    try:
        record: Record = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise BreakevenError(f"{path}: there is no such record") from error
    except (OSError, ValueError) as error:
        raise BreakevenError(f"{path}: not a provenance record ({error})") from error
    if not isinstance(record, dict) or "seal" not in record:
        raise BreakevenError(f"{path}: not a provenance record (it has no seal)")
    sealed = {key: value for key, value in record.items() if key != "seal"}
    made = {key: record.get(key) for key in Maker(Path(), {}, {}, [], []).made()}
    if digest(sealed) != record["seal"] or f"urn:sha256:{digest(made)}" != record.get("@id"):
        raise BreakevenError(f"{path}: changed since it was written: its seal does not hold")
    return record


def into_svg(text: str, identity: str) -> str:
    """Put an id into an SVG's metadata."""
    end = text.index(">", text.index("<svg")) + 1
    return f'{text[:end]}<metadata id="breakeven-provenance">{identity}</metadata>{text[end:]}'


def into_png(data: bytes, identity: str) -> bytes:
    """Put an id into a PNG's metadata, as a text chunk."""
    body = b"tEXt" + PNG_KEY + identity.encode()
    chunk = (len(body) - 4).to_bytes(4, "big") + body + zlib.crc32(body).to_bytes(4, "big")
    return data[:PNG_HEADER] + chunk + data[PNG_HEADER:]


def embedded(data: bytes) -> str | None:
    """Return the id in the metadata of an SVG or PNG file; None where there is none."""
    if data.startswith(b"\x89PNG"):
        _, found, rest = data.partition(b"tEXt" + PNG_KEY)
        return rest[: len("urn:sha256:") + 64].decode("ascii", "replace") if found else None
    match = SVG_PROVENANCE.search(data[:4000].decode("utf-8", "replace"))
    return match[1] if match else None


def without_identity(svg: str) -> str:
    """Return an SVG's text without its id, to compare drawings of different code."""
    return SVG_PROVENANCE.sub("", svg)
