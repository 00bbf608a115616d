"""What tests share: real git repositories, a built copy of the project, and the mirror for CI."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
MIRROR = os.environ.get("BREAKEVEN_MIRROR")


def environment(**changes):
    """Return an environment whose programs are those of the running Python; None unsets a name."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    changed = {**os.environ, "PATH": path, "LC_ALL": "C.UTF-8", **changes}
    return {name: value for name, value in changed.items() if value is not None}


def run(*words, folder, check=True, **changes):
    """Run a program; return it with its output as text."""
    done = subprocess.run(
        words, cwd=folder, env=environment(**changes), capture_output=True, text=True, check=False
    )
    if check and done.returncode:
        raise AssertionError(f"{words} failed:\n{done.stdout}\n{done.stderr}")
    return done


def git(*words, folder, **options):
    """Run git as nobody in particular, whatever is configured on this machine."""
    return run(
        "git", "-c", "user.name=Test", "-c", "user.email=test@example.invalid", *words,
        folder=folder, **options,
    ).stdout.strip()  # fmt: skip


def copy_project(target):
    """Copy what git would give a new clone of the working tree, with a repository of its own."""
    listed = git("ls-files", "--cached", "--others", "--exclude-standard", "-z", folder=ROOT)
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target / name)
    git("init", "--quiet", "--initial-branch=main", folder=target)
    git("add", "--all", folder=target)
    git("commit", "--quiet", "--message=A clone", folder=target)
    return target


@pytest.fixture
def project(tmp_path):
    """Give a fresh clone of the project."""
    return copy_project(tmp_path / "a clone")


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """Give a clone of two rounds whose results are built; tests copy it, and never change it."""
    folder = copy_project(tmp_path_factory.mktemp("built") / "project")
    settings = folder / "config/config.yaml"
    two = re.sub(r"(?m)^rounds: .*$", "rounds: [v0.5, v4.1]", settings.read_text())
    settings.write_text(two)
    done = run("snakemake", "--cores", "2", folder=folder)
    (folder / "output.txt").write_text(done.stdout + done.stderr)
    return folder


@pytest.fixture
def built_copy(built, tmp_path):
    """Give a copy of the built clone to change at will."""
    return Path(shutil.copytree(built, tmp_path / "copy", symlinks=True))


@pytest.fixture(scope="session")
def mirror():
    """Give the environment in which the result repositories are reached through a mirror."""
    if not MIRROR:
        pytest.skip("needs BREAKEVEN_MIRROR, a folder of bare copies of the result repositories")
    return {
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": f"url.file://{MIRROR}/.insteadOf",
        "GIT_CONFIG_VALUE_0": "https://github.com/mlcommons/",
        "GIT_CONFIG_KEY_1": "safe.directory",
        "GIT_CONFIG_VALUE_1": "*",
    }


class Upstream:
    """A real result repository on this machine, served over git's own protocol."""

    LOG = (
        ':::MLLOG {{"namespace": "", "time_ms": {start}, "key": "run_start", '
        '"value": null, "metadata": {{}}}}\n'
        ':::MLLOG {{"namespace": "", "time_ms": {stop}, "key": "run_stop", '
        '"value": null, "metadata": {{"status": "success"}}}}\n'
    )

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        git("init", "--quiet", "--initial-branch=main", folder=folder)
        for key in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
            git("config", key, "true", folder=folder)

    @property
    def url(self):
        return f"file://{self.folder}"

    def write(self, path, content):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())

    def commit(self):
        git("add", "--all", folder=self.folder)
        git("commit", "--quiet", "--message=Results", folder=self.folder)
        return git("rev-parse", "HEAD", folder=self.folder)

    def lose(self, path):
        """Lose one blob, as a server may."""
        blob = git("rev-parse", f"HEAD:{path}", folder=self.folder)
        (self.folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
        return blob


DESCRIPTION = """{"submitter": "Sub", "division": "closed", "status": "Available on-premise",
"number_of_nodes": "1", "accelerators_per_node": "8", "host_processors_per_node": "2",
"accelerator_model_name": "NVIDIA H100-SXM5-80GB", "host_processor_model_name": "Example CPU"}"""


def publish(upstream, system="sys", benchmark="bert", submitter="Sub", description=DESCRIPTION):
    """Write ten runs of one system, and its description."""
    for i in range(10):
        log = upstream.LOG.format(start=1700000000000, stop=1700000000000 + 60_000 * (10 + i))
        upstream.write(f"{submitter}/results/{system}/{benchmark}/result_{i}.txt", log)
    upstream.write(f"{submitter}/systems/{system}.json", description)


def make_small(project, upstream):
    """Make v4.1 of what is published in ``upstream`` the one round of a clone; it has no facts."""
    pin_path = project / "config/rounds/v4.1.yaml"
    pin = yaml.safe_load(pin_path.read_text())
    pin.update(repository=upstream.url, commit=upstream.commit())
    pin_path.write_text(yaml.safe_dump(pin))
    shutil.rmtree(project / "data/facts/v4.1")
    settings = project / "config/config.yaml"
    settings.write_text(re.sub(r"(?m)^rounds: .*$", "rounds: [v4.1]", settings.read_text()))
    lock = project / "dvc.lock"
    stages = yaml.safe_load(lock.read_text())["stages"]
    kept = {"schema": "2.0", "stages": {"download@v4.1": stages["download@v4.1"]}}
    lock.write_text(yaml.safe_dump(kept))
    return project


@pytest.fixture
def upstream(tmp_path):
    """Give an empty repository to publish results in."""
    return Upstream(tmp_path / "upstream")
