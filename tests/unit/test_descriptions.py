"""System descriptions as submitters write them."""

import json

import pytest

from breakeven.descriptions import read_description

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
     ("many", None), (None, None), (True, None), (-1, -1)],
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
