"""The workflow as users run it: what it plans, what it reruns, and how it refuses."""

import os
import random
import re
import shutil

import pytest

from breakeven.dependencies import imported_modules
from tests.conftest import ROOT, run

pytestmark = [pytest.mark.workflow, pytest.mark.xdist_group("built")]


def planned(folder, *words):
    """Return the rules that Snakemake would run."""
    done = run("snakemake", "--dry-run", *words, folder=folder)
    table = re.search(r"^job +count\n-+ +-+\n(.*?)^total", done.stdout, re.DOTALL | re.MULTILINE)
    if table is None:
        assert "Nothing to be done" in done.stdout + done.stderr
        return set()
    return {line.split()[0] for line in table[1].splitlines()} - {"all"}


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def append(path):
    path.write_text(path.read_text() + "\n# edited\n")


def test_a_fresh_clone_with_any_mtimes_downloads_and_parses_nothing(project):
    chance = random.Random(4)
    for path in project.rglob("*"):
        time = chance.randint(1_000_000_000, 1_700_000_000)
        os.utime(path, (time, time), follow_symlinks=False)
    assert planned(project) == set(CHAIN) | {"overview", "history", "report"}


def test_a_run_prints_where_the_results_are_and_the_breakeven_table(built):
    said = (built / "output.txt").read_text()
    assert "Break-even points, v4.1" in said
    assert re.search(r"NVIDIA H100 SXM +knee +64 \(8 to 1,024\)", said)
    assert "Tables: results/v4.1/*.csv" in said
    assert re.search(r"recorded problem +number", said)
    assert re.search(r"file absent +120", said)


def test_a_second_run_does_nothing_and_says_so(built):
    done = run("snakemake", folder=built)
    assert "Nothing to be done" in done.stdout + done.stderr


def test_a_touch_reruns_nothing(built_copy):
    for path in built_copy.rglob("*"):
        if ".git" not in path.parts and ".snakemake" not in path.parts and path.is_file():
            os.utime(path)
    assert planned(built_copy) == set()


# Each library module with the rules whose programs import it (`download` and `verify` aside).
USERS = {
    "breakeven/logs.py": {"parse"},
    "breakeven/fetch.py": {"parse"},
    "breakeven/facts.py": {"parse", "scores"},
    "breakeven/convergence.py": {"scores"},
    "breakeven/scores.py": {"scores"},
    "breakeven/uncertainty.py": {"scaling", "breakeven", "overview"},
    "breakeven/scaling.py": {"scaling", "breakeven", "overview"},
    "breakeven/methods.py": {"breakeven"},
    "breakeven/laws.py": {"breakeven"},
    "breakeven/summary.py": {"breakeven", "overview"},
    "breakeven/history.py": {"overview"},
    "breakeven/figures.py": {"figures", "history"},
}
CHAIN = ("scores", "scaling", "breakeven", "figures")


@pytest.mark.parametrize("module", USERS)
def test_programs_depend_on_exactly_the_modules_they_import(module):
    programs = ("parse", *CHAIN[:4], "overview", "history")
    code = {name: imported_modules(ROOT / "scripts" / f"{name}.py", ROOT) for name in programs}
    assert {name for name in programs if module in code[name]} == USERS[module]


@pytest.mark.parametrize(
    "module", ["breakeven/logs.py", "breakeven/methods.py", "breakeven/figures.py"]
)
def test_an_edit_of_a_module_reruns_the_steps_that_use_it_and_no_other(built_copy, module):
    append(built_copy / module)
    after = {
        "parse": set(),
        "scores": {*CHAIN, "overview", "history", "report"},
        "scaling": {"scaling", "breakeven", "figures", "overview", "history", "report"},
        "breakeven": {"breakeven", "figures", "overview", "history", "report"},
        "figures": {"figures"},
        "overview": {"overview", "history", "report"},
        "history": {"history"},
    }
    assert planned(built_copy) == set().union(*(after[name] for name in USERS[module]))


def test_a_threshold_reruns_only_from_breakeven_on(built_copy):
    edit(built_copy / "config/config.yaml", "efficiency_floor: 0.5", "efficiency_floor: 0.7")
    assert planned(built_copy) == {
        "breakeven",
        "figures",
        "overview",
        "history",
        "report",
    }


def test_a_benchmark_rule_reruns_from_scores_on(built_copy):
    append(built_copy / "config/benchmarks.yaml")
    assert "scores" in planned(built_copy)


def test_results_do_not_depend_on_cores_path_or_time(built, tmp_path):
    other = shutil.copytree(built, tmp_path / "anöther påth", symlinks=True)
    shutil.rmtree(other / "results")
    shutil.rmtree(other / ".snakemake")
    run("snakemake", "--cores", "1", folder=other, TZ="Asia/Tokyo")
    files = {
        path.relative_to(built / "results"): path.read_bytes()
        for path in (built / "results").rglob("*")
        if path.is_file()
    }
    assert len(files) > 250
    again = {
        path.relative_to(other / "results"): path.read_bytes()
        for path in (other / "results").rglob("*")
        if path.is_file()
    }
    assert files.keys() == again.keys()
    assert [name for name in files if files[name] != again[name]] == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--config", "rounds=[v9.9]"], "rounds: unknown round 'v9.9'"),
        (["--config", "colour=red"], "colour: unknown key"),
        (["--config", "breakeven={efficiency_floor: 7}"], "breakeven.efficiency_floor: must be"),
    ],
)
def test_a_configuration_error_is_one_line_and_no_job(project, words, said):
    done = run("snakemake", *words, folder=project, check=False)
    assert done.returncode != 0
    errors = [line for line in done.stderr.splitlines() if line.startswith("breakeven:")]
    assert len(errors) == 1
    assert said in errors[0]
    assert "Traceback" not in done.stdout + done.stderr
    assert not (project / "results").exists()


def test_a_damaged_facts_file_is_a_clear_message(built_copy):
    facts = built_copy / "data/facts/v4.1/events.parquet"
    facts.write_bytes(facts.read_bytes()[:1000])
    done = run("snakemake", folder=built_copy, check=False)
    said = done.stdout + done.stderr
    assert done.returncode != 0
    assert "data/facts/v4.1/events.parquet: damaged, or not a Parquet file" in said
    assert "git checkout -- data/facts/v4.1/events.parquet" in said
    assert "Traceback" not in said


def test_no_artefact_names_this_machine(built):
    needles = [str(built).encode(), str(ROOT).encode(), os.uname().nodename.encode()]
    for path in (built / "results").rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            assert not [needle for needle in needles if len(needle) > 5 and needle in data], path


def test_facts_of_another_commit_are_refused_and_named(built_copy):
    edit(built_copy / "config/rounds/v4.1.yaml", "commit: b87b9e39", "commit: aaaaaaaa")
    done = run("snakemake", "results/v4.1/scores.parquet", folder=built_copy, check=False)
    assert done.returncode != 0
    said = done.stdout + done.stderr
    assert "config/rounds/ pins" in said
    assert "make facts" in said
