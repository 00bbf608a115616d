"""The page: text stays text, the same input gives the same bytes, nothing is asked of a network."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest

from breakeven import report, schemas, tables
from breakeven.errors import BreakevenError
from tests import report_tables


class Elements(HTMLParser):
    """Collects every element with its attributes, and the text of each script."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.scripts, self.inside = [], [], False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.inside = tag == "script"
        if self.inside:
            self.scripts.append("")

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.scripts[-1] += data


@pytest.fixture(scope="module")
def text():
    return report_tables.page()


@pytest.fixture(scope="module")
def parsed(text):
    return Elements(text)


def embedded(parsed, name):
    places = [attributes for tag, attributes in parsed.elements if tag == "script"]
    return next(
        json.loads(script)
        for script, attributes in zip(parsed.scripts, places, strict=True)
        if attributes.get("id") == name
    )


def test_the_same_tables_give_the_same_page(text):
    assert report_tables.page() == text


def test_foreign_text_is_never_markup(parsed, text):
    assert "img" not in [tag for tag, _ in parsed.elements]
    assert not [a for _, attributes in parsed.elements for a in attributes if a.startswith("on")]
    assert "<img src=x" not in text
    # Three libraries and programs, the facts about rounds, and the tables.
    assert len(parsed.scripts) == 3 + 1 + len(report.WHOLE_TABLES) + 1


def test_foreign_text_is_all_there(parsed):
    column = embedded(parsed, "table-scaling")["columns"][schemas.SCALING.names.index("submitter")]
    assert set(column["texts"]) == {"Alpha", report_tables.HOSTILE, report_tables.FORMULA}


def test_nothing_is_loaded_from_anywhere(parsed):
    loading = {"src", "srcset", "data", "poster", "action", "formaction", "background"}
    for tag, attributes in parsed.elements:
        assert not loading & set(attributes), tag
        if tag == "link":
            assert attributes["href"] == "data:,"
        if "href" in attributes and tag != "a":
            assert attributes["href"].startswith("data:")


def test_styles_load_nothing():
    for style in (report.table_style(), (report.TEMPLATES / "report.css").read_text()):
        assert "@import" not in style
        assert all(
            address.startswith("data:") for address in re.findall(r"url\(['\"]?(.{5})", style)
        )


def test_the_policy_allows_these_scripts_and_no_other(parsed):
    policy = next(
        attributes["content"]
        for tag, attributes in parsed.elements
        if tag == "meta" and "http-equiv" in attributes
    )
    assert policy.startswith("default-src 'none';")
    programs = [script for script in parsed.scripts if not script.startswith("{")]
    hashes = [
        base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in programs
    ]
    assert re.findall(r"'sha256-([^']+)'", policy) == hashes
    assert "unsafe-eval" not in policy


def test_an_embedded_table_has_every_value_to_its_last_digit(parsed):
    frame = report_tables.frames()["scaling"]
    table = embedded(parsed, "table-scaling")
    assert table["rows"] == len(frame)
    assert [column["name"] for column in table["columns"]] == schemas.SCALING.names
    for column in table["columns"]:
        if column["type"] == "text":
            values = [p if p is None else column["texts"][p] for p in column["places"]]
        else:
            values = column["values"]
        expected = [row[column["name"]] for row in tables.records(frame)]
        assert values == expected, column["name"]


def test_json_in_a_script_cannot_end_it():
    text = report.as_json({"a": "</script><!-- & \u2028"})
    assert not set("<>&") & set(text)
    assert json.loads(text) == {"a": "</script><!-- & \u2028"}


def test_a_script_that_would_end_its_element_is_refused():
    with pytest.raises(BreakevenError, match="cannot stand in a page"):
        report.inline("let a = '</SCRIPT>'", "script")


def test_a_module_becomes_a_script_that_defines_its_default():
    script = report.as_classic_script("let a$=1,b=2;export{b as other,a$ as default};")
    assert "window.DataTable = a$;" in script
    assert "export" not in script


@pytest.mark.parametrize(
    "module", ["let a=1;", "export{a as b};", "export{a as default};export{b}"]
)
def test_a_module_of_another_kind_is_an_error(module):
    with pytest.raises(BreakevenError, match="not known"):
        report.as_classic_script(module)


def test_permalinks_name_the_commit_and_the_lines():
    pinned = report_tables.pin("v9.0")
    assert pinned.address("a b/c#d.txt", 3, 9) == (
        f"https://github.com/mlcommons/training_results_v9.0/blob/{'9' * 40}/a%20b/c%23d.txt#L3-L9"
    )
    local = pinned.model_copy(update={"repository": "/some/folder"})
    assert local.address("a") == ""


def test_problems_are_counted_by_kind_and_round():
    counts = report.problem_counts(report_tables.frames()["problems"], report_tables.ROUNDS)
    assert [(row["kind"], row["counts"], row["total"]) for row in counts] == [
        ("broken line", [0, 1], 1),
        ("file absent", [1, 0], 1),
    ]


def test_the_page_says_how_it_was_made(text):
    for name in report_tables.ROUNDS:
        assert report_tables.pin(name).commit in text
    assert "ab" * 32 in text
    assert "unofficial metrics, not verified by MLCommons" in text
