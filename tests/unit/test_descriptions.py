"""System descriptions as submitters write them."""

import json

import pytest

from breakeven.config import Descriptions, load
from breakeven.descriptions import read_description as read_with
from tests.conftest import ROOT

ACCEPTED = load(Descriptions, ROOT / "config/descriptions.yaml")


def read_description(data):
    return read_with(data, ACCEPTED)


GOOD = {
    "submitter": "Example",
    "division": "closed",
    "status": "Available on-premise",
    "number_of_nodes": "2",
    "accelerators_per_node": 8,
    "accelerator_model_name": "Example  X1",
    "host_processor_model_name": "Example CPU",
    "host_processors_per_node": "2",
}


def read(**changes):
    return read_description(json.dumps({**GOOD, **changes}).encode())


def test_a_good_description_has_exact_counts_and_no_problem():
    description, problems = read()
    assert (description.nodes, description.accelerators_per_node) == (2, 8)
    assert description.accelerator == "Example X1"
    assert problems == []


@pytest.mark.parametrize(
    ("written", "count"),
    [("8", 8), (8.0, 8), ("8.0", 8), (0, 0), ("0", 0), ("", None), ("8.5", None), (8.5, None),
     ("many", None), (None, None), (True, None), (-1, None)],
)  # fmt: skip
def test_counts(written, count):
    assert read(accelerators_per_node=written)[0].accelerators_per_node == count


def test_text_behind_a_count_is_a_recorded_problem():
    description, problems = read(accelerators_per_node="8 (400W)")
    assert description.accelerators_per_node == 8
    assert [problem.kind for problem in problems] == ["count with text"]


def test_a_trailing_comma_is_read_line_by_line_and_recorded():
    text = json.dumps(GOOD, indent=1).replace("\n}", ",\n}")
    description, problems = read_description(text.encode())
    assert (description.nodes, description.division) == (2, "closed")
    assert problems[0].kind == "description is not JSON"
    assert problems[0].line is not None


def test_a_repeated_key_is_recorded_and_the_last_counts():
    text = json.dumps(GOOD)[:-1] + ', "division": "open"}'
    description, problems = read_description(text.encode())
    assert description.division == "open"
    assert [problem.kind for problem in problems] == ["description repeats a key"]


@pytest.mark.parametrize("data", [b"", b"[]", b"null", b"\xff\xfe{", b"{" * 3000])
def test_no_bytes_make_it_raise(data):
    description, problems = read_description(data)
    assert description.nodes is None
    assert problems


def test_misspelt_keys_are_read_and_recorded():
    text = (
        json.dumps(GOOD)
        .replace('"division"', '"divison"')
        .replace("number_of_nodes", "Number of  nodes")
    )
    description, problems = read_description(text.encode())
    assert (description.division, description.nodes) == ("closed", 2)
    assert [(p.kind, p.detail) for p in problems] == [
        ("description renames a key", "divison for division")
    ]


def test_counts_inside_a_list_of_nodes():
    content = {
        "division": "closed", "status": "on-prem",
        "nodes": [{"num_nodes": 16, "num_accelerators": 4, "accelerator": "X1", "cpu": "C"}],
    }  # fmt: skip
    description, _ = read_description(json.dumps(content).encode())
    assert (description.nodes, description.accelerators_per_node) == (16, 4)
    assert (description.accelerator, description.host_processor) == ("X1", "C")


def test_text_that_spells_out_objects_inside_objects():
    nodes = str({"num_nodes": "130", "num_accelerators": "8", "accelerator": "Example X1"})
    entry = json.dumps({"value": str({"framework": "F", "nodes": nodes}), "metadata": {}})
    lines = ['org: {"value": "S"}', 'division: {"value": "closed"}', 'status: {"value": "onprem"}']
    text = "\n".join([*lines, f"entry: {entry}", ""])
    description, problems = read_description(text.encode())
    assert (description.nodes, description.accelerators_per_node) == (130, 8)
    assert (description.submitter_name, description.division) == ("S", "closed")
    assert (description.status, description.framework) == ("onprem", "F")
    assert problems[0].kind == "description is not JSON"


def test_a_system_without_accelerators_lacks_nothing():
    description, problems = read(accelerators_per_node="0", accelerator_model_name="N/A")
    assert (description.accelerators_per_node, description.accelerator) == (0, None)
    assert problems == []


def test_of_two_different_values_the_last_counts():
    text = '{"accelerator_model_name": "", ' + json.dumps(GOOD)[1:]
    description, problems = read_description(text.encode())
    assert description.accelerator == "Example X1"
    assert [problem.kind for problem in problems] == ["description repeats a key"]
