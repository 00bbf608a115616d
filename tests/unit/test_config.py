"""Every configuration error is one line that names the key and what is allowed."""

from pathlib import Path

import pytest
import yaml

from breakeven import config
from breakeven.errors import BreakevenError
from breakeven.workflow import plan
from tests.conftest import ROOT

SETTINGS = yaml.safe_load((ROOT / "config/config.yaml").read_text())


def changed(path, value):
    content = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    *parents, last = path.split(".")
    place = content
    for name in parents:
        place = place[name]
    place[last] = value
    return content


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("colour", "red", ["colour", "unknown key", "rounds", "breakeven"]),
        ("breakeven.colour", "red", ["breakeven.colour", "unknown key", "efficiency_floor"]),
        ("breakeven.efficiency_floor", 7, ["breakeven.efficiency_floor", "between 0 and 1", "7"]),
        ("breakeven.marginal_efficiency", 0, ["breakeven.marginal_efficiency", "between 0 and 1"]),
        ("breakeven.methods", ["guess"], ["breakeven.methods", "guess", "knee", "pareto"]),
        ("breakeven.methods", [], ["breakeven.methods", "at least 1"]),
        ("figures.png_scale", 9, ["figures.png_scale", "at most 4"]),
        ("rounds", [], ["rounds", "at least 1"]),
        ("rounds", ["v4.1", "v4.1"], ["rounds", "twice"]),
        ("rounds", "v4.1", ["rounds", "must be a list"]),
        ("breakeven.methods", ["knee", "knee"], ["breakeven.methods", "twice"]),
        ("rounds", ["4.1"], ["rounds.0", "must match"]),
        ("rounds", ["v9.9"], ["rounds", "unknown round 'v9.9'", "allowed: ", "v4.1"]),
    ],
)
def test_settings(path, value, said):
    with pytest.raises(BreakevenError) as caught:
        plan(ROOT, changed(path, value))
    message = str(caught.value)
    assert "\n" not in message
    for part in said:
        assert part in message, message


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("commit", "b87b9e3", "commit: must match ^[0-9a-f]{40}$ (got 'b87b9e3')"),
        ("repository", "git@host:x", "repository: must match"),
        ("ruleset", "4.1", "ruleset: must match"),
        ("round", "v4.0", "a file's name is its round's"),
        ("extra", 1, "extra: unknown key"),
    ],
)
def test_pins(tmp_path, key, value, said):
    pin = yaml.safe_load((ROOT / "config/rounds/v4.1.yaml").read_text())
    (tmp_path / "v4.1.yaml").write_text(yaml.safe_dump({**pin, key: value}))
    with pytest.raises(BreakevenError) as caught:
        config.load_round(tmp_path, "v4.1")
    assert said in str(caught.value)
    assert "v4.1.yaml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_committed_is_valid():
    assert plan(ROOT, SETTINGS).rounds.keys() == set(SETTINGS["rounds"])


def test_yaml_that_is_not_is_one_line(tmp_path):
    (tmp_path / "x.yaml").write_text("a: [1,\nb")
    with pytest.raises(BreakevenError, match=r"x\.yaml: is not valid YAML") as caught:
        config.read_yaml(tmp_path / "x.yaml")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("round_name", "folder", "key"),
    [
        ("v1.1", "ssd", "ssd_resnet34"),
        ("v2.0", "ssd", "retinanet"),
        ("v4.1", "ssd", "retinanet"),
        ("v5.0", "retinanet", "retinanet"),
        ("v4.1", "gnn", "rgat"),
        ("v5.0", "rgat", "rgat"),
        ("v10.0", "llama2_70b_lora", "llama2_70b_lora"),
        ("v4.1", "mystery", None),
        ("v5.1", "bert", None),
    ],
)
def test_a_folder_means_a_benchmark_in_its_span(round_name, folder, key):
    benchmarks = config.load(config.Benchmarks, ROOT / "config/benchmarks.yaml")
    rules = benchmarks.rules(round_name, folder)
    assert (rules.workload if rules.known else None) == key


def test_environment_yaml_names_the_locked_versions():
    lock = (ROOT / "requirements.lock").read_text()
    named = yaml.safe_load((ROOT / "environment.yaml").read_text())["dependencies"]
    pins = [name for name in named if "=" in name and not name.startswith("python=")]
    assert len(pins) > 5
    for pin in pins:
        assert "\n" + pin.replace("=", "==") in lock, pin


def test_the_lock_names_no_registry():
    locks = ("requirements.lock", "tests/fuzz/requirements.lock")
    for name in (*locks, "pyproject.toml", "environment.yaml"):
        text = Path(ROOT / name).read_text()
        assert "index-url" not in text
        assert "://" not in text


def test_spans_and_special_rules_are_data():
    benchmarks = config.load(config.Benchmarks, ROOT / "config/benchmarks.yaml")
    assert benchmarks.rules("v0.5", "resnet").span == "v0.5 to v0.5"
    assert benchmarks.rules("v0.6", "resnet").span == benchmarks.rules("v4.0", "resnet").span
    assert benchmarks.rules("v4.1", "ssd").span == benchmarks.rules("v5.0", "retinanet").span
    assert benchmarks.rules("v1.1", "ssd").span != benchmarks.rules("v2.0", "ssd").span
    assert benchmarks.rules("v0.6", "minigo").ends_at == "eval_result"
    assert benchmarks.rules("v0.5", "ncf").first_converged == 50
    unknown = benchmarks.rules("v9.9", "mystery")
    assert (unknown.known, unknown.runs, unknown.dropped) == (False, 10, 1)


# The first and last round of each comparability span, from the MLPerf Training compatibility table.
SPANS = {
    "bert": ["v0.7-v0.7", "v1.0-v5.0"], "dlrm": ["v0.7-v2.1"], "dlrm_dcnv2": ["v3.0-"],
    "gnmt": ["v0.5-v0.5", "v0.6-v0.7"], "gpt3": ["v3.0-v4.1"], "llama2_70b_lora": ["v4.0-"],
    "llama31_405b": ["v5.0-v6.0"], "maskrcnn": ["v0.5-v0.5", "v0.6-v3.1"],
    "resnet": ["v0.5-v0.5", "v0.6-v4.0"], "retinanet": ["v2.0-v5.1"], "rgat": ["v4.0-v5.1"],
    "rnnt": ["v1.0-v1.0", "v1.1-v3.1"], "ssd_resnet34": ["v0.5-v0.5", "v0.6-v1.1"],
    "stable_diffusion": ["v3.1-v5.0"], "transformer": ["v0.5-v0.5", "v0.6-v0.7"],
    "unet3d": ["v1.0-v4.0"],
}  # fmt: skip


@pytest.mark.parametrize("name", SPANS)
def test_spans(name):
    benchmarks = config.load(config.Benchmarks, ROOT / "config/benchmarks.yaml").benchmarks
    spans = benchmarks[name].spans
    assert [f"{span.first}-{span.last or ''}" for span in spans] == SPANS[name]
