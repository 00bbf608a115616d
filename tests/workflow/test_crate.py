"""The crate of a real run: valid by its profile without any network, and the same each time."""

import io
import json
import os
import shutil
import socket
import zipfile
from pathlib import Path

import pytest
import requests_cache
from requests.adapters import HTTPAdapter
from rocrate.rocrate import ROCrate
from rocrate_validator import models, services
from urllib3 import HTTPResponse

from tests.conftest import ROOT, git, run

pytestmark = [pytest.mark.workflow, pytest.mark.xdist_group("built")]

CRATE = "results/crate/breakeven.crate.zip"
CONTEXT = "https://w3id.org/ro/crate/1.1/context"
# What the context of RO-Crate 1.1 makes of the terms that a crate of ours may use: any other term
# is unknown to the validator here, and fails.
SCHEMA_ORG = """
    ComputerLanguage CreateAction CreativeWork Dataset Organization PropertyValue SoftwareSourceCode
    about actionStatus additionalProperty additionalType author contentSize datePublished
    description encodingFormat exampleOfWork hasPart identifier instrument isBasedOn license
    mainEntity mentions name object programmingLanguage result softwareRequirements url value
    valueRequired version workExample
"""
TERMS = {name: f"http://schema.org/{name}" for name in SCHEMA_ORG.split()} | {
    "File": "http://schema.org/MediaObject",
    "ComputationalWorkflow": "https://bioschemas.org/ComputationalWorkflow",
    "FormalParameter": "https://bioschemas.org/FormalParameter",
    "input": "https://bioschemas.org/ComputationalWorkflow#input",
    "output": "https://bioschemas.org/ComputationalWorkflow#output",
    "conformsTo": "http://purl.org/dc/terms/conformsTo",
}


def build(folder):
    run("snakemake", "--cores", "2", "--no-hooks", "--", CRATE, folder=folder)
    return folder / CRATE


@pytest.fixture(scope="module")
def crated(built, tmp_path_factory):
    """Give a copy of the built clone with its crate; tests do not change it."""
    folder = Path(
        shutil.copytree(built, tmp_path_factory.mktemp("crated") / "project", symlinks=True)
    )
    build(folder)
    return folder


@pytest.fixture(scope="module")
def metadata(crated):
    """Give the entities of the crate's metadata, by id."""
    with zipfile.ZipFile(crated / CRATE) as archive:
        content = json.loads(archive.read("ro-crate-metadata.json"))
    return {entity["@id"]: entity for entity in content["@graph"]}


class Context(HTTPAdapter):
    """Answers every request with the terms."""

    def send(self, request, **options):
        body = io.BytesIO(json.dumps({"@context": TERMS}).encode())
        headers = {"Content-Type": "application/ld+json"}
        answer = HTTPResponse(body=body, status=200, headers=headers, preload_content=False)
        return self.build_response(request, answer)


@pytest.fixture
def validate(tmp_path, monkeypatch):
    """Give a validator that has the context in its cache, and no network."""
    cache = tmp_path / "cache"
    with requests_cache.CachedSession(str(cache), backend="sqlite", expire_after=-1) as session:
        session.mount("https://", Context())
        session.get(CONTEXT)

    def refuse(*words):
        raise AssertionError("the network was asked for")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)

    def check(path):
        return services.validate(
            models.ValidationSettings(
                rocrate_uri=str(path),
                profile_identifier="workflow-run-crate-0.5",
                requirement_severity="REQUIRED",
                offline=True,
                cache_path=cache,
            )
        )

    return check


def test_the_crate_holds_what_its_profile_requires(crated, validate):
    result = validate(crated / CRATE)
    assert [str(issue.message) for issue in result.get_issues()] == []
    assert result.passed()
    assert len(result.executed_checks) > 50
    assert not result.skipped_checks


def test_the_validator_would_find_what_is_missing(crated, validate, tmp_path):
    broken = tmp_path / "broken.zip"
    with (
        zipfile.ZipFile(crated / CRATE) as archive,
        zipfile.ZipFile(broken, "w") as other,
    ):
        for name in archive.namelist():
            data = archive.read(name)
            if name == "ro-crate-metadata.json":
                data = data.replace(b'"instrument"', b'"about"')
            other.writestr(name, data)
    assert not validate(broken).passed()


def test_the_run_leads_from_facts_to_results(metadata):
    root, workflow, action = (metadata[name] for name in ("./", "Snakefile", "#run"))
    assert root["mainEntity"] == {"@id": "Snakefile"}
    assert "ComputationalWorkflow" in workflow["@type"]
    assert metadata[workflow["programmingLanguage"]["@id"]]["name"] == "Snakemake"
    assert action["instrument"] == {"@id": "Snakefile"}
    used = {entity["@id"] for entity in action["object"]}
    made = {entity["@id"] for entity in action["result"]}
    assert {"data/facts/v4.1/", "data/facts/v0.5/", "config/config.yaml"} <= used
    assert {"results/v4.1/scaling.csv", "results/report/index.html"} <= made
    assert "results/v4.1/figures/series/" in made
    facts = metadata[metadata["data/facts/v4.1/"]["isBasedOn"]["@id"]]
    assert facts["version"] == "b87b9e396f771345d4ef122ba33456304f15228d"
    assert {"@id": facts["@id"]} in root["isBasedOn"]


def test_the_crate_names_the_commit_and_the_state_of_the_tree(crated, metadata):
    assert metadata["#commit"]["value"] == git("rev-parse", "HEAD", folder=crated)
    # The fixture chose two rounds.
    assert metadata["#tree"]["value"] == "dirty"
    assert metadata["./"]["datePublished"].endswith("+00:00")


def test_another_program_reads_every_file_that_the_metadata_names(crated):
    crate = ROCrate(crated / CRATE)
    with zipfile.ZipFile(crated / CRATE) as archive:
        files = [name for name in archive.namelist() if not name.endswith("/")]
    listed = {entity.id for entity in crate.data_entities if "Dataset" not in entity.type}
    assert listed == set(files) - {"ro-crate-metadata.json"}
    assert crate.mainEntity.id == "Snakefile"
    for path in ("datapackage.json", "results/v4.1/scaling.prov.json", "breakeven/crate.py"):
        assert path in listed


def test_the_data_package_describes_the_files_beside_it(crated):
    with zipfile.ZipFile(crated / CRATE) as archive:
        package = json.loads(archive.read("datapackage.json"))
        for resource in package["resources"]:
            assert archive.getinfo(resource["path"]).file_size == resource["bytes"]
            if resource["format"] == "csv":
                header = archive.read(resource["path"]).decode().splitlines()[0]
                names = [field["name"] for field in resource["schema"]["fields"]]
                assert header.split(",") == names
    assert len(package["resources"]) == 2 * (8 * 2 + 3) + 4 * 2


def test_the_same_tree_and_results_give_the_same_bytes(crated, tmp_path):
    words = ["python", "-m", "scripts.crate", "v4.1", "v0.5", "--output"]
    other = shutil.copytree(crated, tmp_path / "anöther påth", symlinks=True)
    for path in (other / "results").rglob("*"):
        os.utime(path, (1_500_000_000, 1_500_000_000))
    run(*words, str(tmp_path / "again.zip"), folder=other, TZ="Asia/Tokyo", LC_ALL="C")
    assert (tmp_path / "again.zip").read_bytes() == (crated / CRATE).read_bytes()


def test_a_changed_file_changes_the_crate(crated, tmp_path):
    folder = Path(shutil.copytree(crated, tmp_path / "copy", symlinks=True))
    before = (folder / CRATE).read_bytes()
    again = run("snakemake", "--dry-run", "--", CRATE, folder=folder)
    assert "Nothing to be done" in again.stdout + again.stderr
    with (folder / "README.md").open("a") as file:
        file.write("One more line.\n")
    assert build(folder).read_bytes() != before


def test_no_part_of_the_crate_names_this_machine(crated):
    needles = [str(crated), str(ROOT), os.uname().nodename, str(Path.home())]
    needles = [needle.encode() for needle in needles if len(needle) > 5]
    with zipfile.ZipFile(crated / CRATE) as archive:
        for entry in archive.infolist():
            assert entry.date_time == (1980, 1, 1, 0, 0, 0)
            assert not entry.filename.startswith(("/", "."))
            data = archive.read(entry)
            assert not [needle for needle in needles if needle in data], entry.filename
    assert archive.namelist() == sorted(archive.namelist())
