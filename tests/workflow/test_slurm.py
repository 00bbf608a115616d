"""The profile for a cluster: what it plans, and a real run by a Slurm of one machine."""

import contextlib
import getpass
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from tests.conftest import environment, run

pytestmark = pytest.mark.workflow

ROUND = {"scores", "scaling", "breakeven", "figures"}
ROUNDS = {"overview", "history", "report"}
PATIENCE = 60  # seconds, for Slurm to start, and to stop
LONGEST = 300  # seconds, for the workflow to run

# Everything on the loopback interface and below one folder, without a database and without cgroups.
CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser={user}
SlurmdUser={user}
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
KillWait=5
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=4000
PartitionName=main Nodes={host} Default=YES MaxTime=60
"""


def plan(folder, *words):
    """Return the rules that would run, and for each submission its rules' messages."""
    said = run("snakemake", "--dry-run", *words, folder=folder).stdout
    table = re.search(r"^job +count\n-+ +-+\n(.*?)^total", said, re.DOTALL | re.MULTILINE)[1]
    blocks = re.split(r"(?m)^\[[^]]*\] ?", said)
    groups = [re.findall(r"Job \d+: (.*)", block) for block in blocks if "Group job" in block]
    return {line.split()[0] for line in table.splitlines()}, groups


def test_the_profile_plans_what_a_plain_run_does_with_one_submission_a_round(project):
    rules, groups = plan(project, "--profile", "profiles/slurm")
    assert rules == ROUND | ROUNDS | {"all"}
    assert (rules, []) == plan(project)
    rounds = {path.stem for path in project.glob("config/rounds/v*.yaml")}
    assert len(groups) == len(rounds) + 1
    for group in groups:
        assert len(group) == len(ROUNDS if "all rounds" in group[0] else ROUND)
        assert len({message.partition(":")[0] for message in group}) == 1


def test_what_needs_network_or_git_stays_where_snakemake_runs(small):
    words = ["--profile", "profiles/slurm", "results/audit/passed.txt", "results/v4.1/scores.csv"]
    rules, groups = plan(small, *words)
    assert rules == {"download", "parse", "scores", "audit"}
    assert len(groups) == 1
    assert sorted(groups[0]) == [
        "v4.1: judging runs and recomputing scores",
        "v4.1: parsing the raw files into facts",
    ]


def wait(what, done, seconds=PATIENCE):
    """Wait until a function says that it is done; say what was waited for where it never is."""
    end = time.monotonic() + seconds
    while not done():
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not within {seconds} s")
        time.sleep(0.2)


def free_ports(number):
    """Return ports of the loopback interface that nobody listens on."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Slurm:
    """A cluster of one node, whose programs are children of this process."""

    PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scancel", "sinfo")

    def __init__(self, folder):
        self.folder = folder
        self.running = []
        self.configuration = folder / "slurm.conf"

    def ask(self, *words):
        """Return what a client of Slurm prints; nothing where it fails or hangs."""
        try:
            return subprocess.run(
                words, env=environment(SLURM_CONF=str(self.configuration)), capture_output=True,
                text=True, check=True, timeout=15,
            ).stdout.strip()  # fmt: skip
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            return ""

    def launch(self, what, *words, ready):
        """Start a program in the foreground, and wait until it is ready."""
        log = self.folder / f"{what}.log"
        with log.open("wb") as file:
            process = subprocess.Popen(
                [program(what), *words], stdin=subprocess.DEVNULL, stdout=file, stderr=file,
                env=environment(SLURM_CONF=str(self.configuration)), cwd=self.folder,
            )  # fmt: skip
        self.running.append(process)
        try:
            wait(what, lambda: process.poll() is not None or ready())
        except TimeoutError as error:
            raise RuntimeError(f"{error}: {last_line(log)}") from None
        if process.poll() is not None:
            raise RuntimeError(f"{what} ended with {process.returncode}: {last_line(log)}")

    def start(self):
        folder, host = self.folder, socket.gethostname().partition(".")[0]
        for name in ("state", "spool"):
            (folder / name).mkdir()
        key = folder / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(128))
        self.configuration.write_text(
            CONFIGURATION.format(
                folder=folder, host=host, user=getpass.getuser(), ports=free_ports(2)
            )
        )
        words = [f"--{name}-file={folder}/munge.{name}" for name in ("key", "pid", "seed")]
        self.launch(
            "munged", "--foreground", "--force", f"--socket={folder}/munge.socket", *words,
            ready=(folder / "munge.socket").exists,
        )  # fmt: skip
        self.launch("slurmctld", "-D", ready=lambda: self.ask("sinfo", "--noheader"))
        self.launch(
            "slurmd", "-D", "-N", host,
            ready=lambda: self.ask("sinfo", "--noheader", "--format=%T") == "idle",
        )  # fmt: skip

    def path(self):
        """Return where to find programs, with an `srun` that finds this cluster inside jobs.

        There the executor clears SLURM_CONF, as it does with all that Slurm set outside.
        """
        wrapper = self.folder / "bin/srun"
        wrapper.parent.mkdir()
        wrapper.write_text(
            f'#!/bin/sh\nSLURM_CONF="{self.configuration}" exec "{program("srun")}" "$@"\n'
        )
        wrapper.chmod(0o755)
        return f"{wrapper.parent}{os.pathsep}{environment()['PATH']}"

    def stop(self):
        """Cancel what is left, and end the programs, the last started first."""
        if len(self.running) == 3:
            self.ask("scancel", f"--user={getpass.getuser()}")
            with contextlib.suppress(TimeoutError):
                wait("jobs to end", lambda: not self.ask("squeue", "--noheader"), 15)
        for process in reversed(self.running):
            process.terminate()
            try:
                process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(timeout=15)


def program(name):
    """Find a program, where Debian puts daemons too."""
    return shutil.which(name, path=f"{os.environ['PATH']}{os.pathsep}/usr/sbin")


def last_line(path):
    """Return the last line of a log that says something."""
    return next(
        filter(None, reversed(path.read_text(errors="replace").splitlines())), "says nothing"
    )


@pytest.fixture
def slurm():
    """Give the environment in which Slurm runs jobs on this machine."""
    missing = [name for name in Slurm.PROGRAMS if program(name) is None]
    if missing:
        pytest.skip(f"needs Slurm (Debian: slurm-wlm, munge): no {', '.join(missing)} here")
    # Not pytest's own folder: the path of a socket may have no more than 107 characters.
    with tempfile.TemporaryDirectory(prefix="slurm-", ignore_cleanup_errors=True) as folder:
        cluster = Slurm(Path(folder))
        try:
            try:
                cluster.start()
            except RuntimeError as error:
                pytest.skip(f"Slurm cannot be started here: {error}")
            yield {"SLURM_CONF": str(cluster.configuration), "PATH": cluster.path()}
        finally:
            cluster.stop()


def tables(folder):
    """Return the bytes of every table, facts included."""
    files = [*folder.glob("results/**/*.parquet"), *folder.glob("data/facts/v4.1/*.parquet")]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_slurm_makes_the_same_tables_as_this_machine_alone(small, slurm):
    run("snakemake", "--cores", "2", "results/summary.txt", folder=small)
    alone = tables(small)
    assert {"data/facts/v4.1/events.parquet"} < set(alone)
    for name in ("results", "logs", "data/facts/v4.1", "data/raw", ".snakemake"):
        shutil.rmtree(small / name)

    done = run(
        "timeout", "--kill-after=10", str(LONGEST), "snakemake", "--profile", "profiles/slurm",
        "--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "1",
        "--latency-wait", "5", "--retries", "0", folder=small, **slurm,
    )  # fmt: skip
    assert tables(small) == alone
    submitted = re.findall(r"has been submitted with SLURM jobid (\d+)", done.stdout + done.stderr)
    assert len(submitted) == 2, "one submission for the round, and one for all rounds"
    assert (small / "results/report/index.html").is_file()
