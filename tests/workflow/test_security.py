"""Names and texts made to do harm go through the whole workflow, and are only shown."""

import csv
import html.parser
import json
import re
import xml.etree.ElementTree as ElementTree

import pyarrow.parquet as parquet
import pytest

from breakeven.tables import FORMULA_STARTS
from breakeven.text import CONTROL
from tests.conftest import DESCRIPTION, Upstream, copy_project, make_small, publish, run

pytestmark = [pytest.mark.workflow, pytest.mark.xdist_group("security")]

SHELL = "$(touch pwned)`touch pwned`;touch pwned;'\"&|>pwned *"
SUBMITTER = f"=cmd {SHELL}"
SYSTEMS = [
    f"one {SHELL} <img src=x onerror=alert(1)> é",
    f"-two {SHELL} {{{{ 7 * 7 }}}} %s {{input}}",
]
BENCHMARK = f"bert {SHELL} <img src=x onerror=alert(1)>"
ESCAPES = "\x1b[31m\x1b]0;owned\x07\x9b1m\u202e<img src=x onerror=alert(1)>"


def describe(nodes):
    """Describe a system of some nodes in words that a terminal would obey."""
    about = json.loads(DESCRIPTION)
    about["number_of_nodes"] = str(nodes)
    for key in ("accelerator_model_name", "host_processor_model_name", "submitter"):
        about[key] += f" {ESCAPES}"
    about["system_name"] = about["framework"] = SHELL + ESCAPES
    return json.dumps(about)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """Give a small project whose upstream means harm, after a whole run."""
    folder = tmp_path_factory.mktemp("hostile")
    upstream = Upstream(folder / "upstream")
    for nodes, system in enumerate(SYSTEMS, start=1):
        publish(upstream, system, BENCHMARK, SUBMITTER, describe(nodes))
    upstream.write(f"{SUBMITTER}/results/{SYSTEMS[0]}/{BENCHMARK}/result_\x1b[31m\n.txt", "x")
    upstream.write(
        f"{SUBMITTER}/results/{SYSTEMS[0]}/{BENCHMARK}/result_x.txt", f":::MLL {ESCAPES}"
    )
    project = make_small(copy_project(folder / "project"), upstream)
    done = run("snakemake", folder=project)
    (folder / "said").write_text(done.stdout + done.stderr, encoding="utf-8")
    return project


def no_trace(project):
    """Nothing that the names ask for was done."""
    assert not list(project.parent.rglob("*pwned"))
    assert not [path for path in project.parent.iterdir() if path.name not in KNOWN]


KNOWN = ("project", "upstream", "said")


def printable(text):
    assert CONTROL.search(re.sub(r"[\n\r\t]", "", text)) is None


def test_names_run_nothing(hostile):
    scores = parquet.read_table(hostile / "results/v4.1/scores.parquet").to_pylist()
    assert {(row["submitter"], row["system"], row["benchmark"]) for row in scores} == {
        (SUBMITTER, system, BENCHMARK) for system in SYSTEMS
    }
    no_trace(hostile)


def test_nothing_leaves_its_folder(hostile):
    changed = run("git", "status", "--porcelain", "-uall", folder=hostile).stdout.splitlines()
    places = ("config/", "data/facts/v4.1/", "dvc.lock")
    assert [line for line in changed if not line[3:].strip('"').startswith(places)] == []
    for path in (hostile / "results").rglob("*"):
        assert re.fullmatch(r"[\w.-]+", path.name, flags=re.ASCII), path


def test_no_text_reaches_the_terminal_that_it_would_obey(hostile):
    printable((hostile.parent / "said").read_text(encoding="utf-8"))
    for path in (hostile / "results").rglob("*.txt"):
        printable(path.read_text(encoding="utf-8"))
    for name in ("problems.csv", "v4.1/scores.csv", "v4.1/scaling.csv", "v4.1/runs.csv"):
        printable((hostile / "results" / name).read_text(encoding="utf-8"))
    printable((hostile / "data/raw/v4.1.manifest.tsv").read_text(encoding="utf-8"))
    for words in (("results/v4.1/scaling.csv", "--point", "1"), ("results/problems.csv",),
                  ("results/v4.1/runs.csv", "--json")):  # fmt: skip
        done = run("breakeven", "explain", *words, folder=hostile)
        printable(done.stdout + done.stderr)
    done = run(
        "breakeven", "advise", "--round", "v4.1", "--benchmark", BENCHMARK, "--accelerator", "H100",
        "--within", "1h", folder=hostile,
    )  # fmt: skip
    assert SUBMITTER in done.stdout
    printable(done.stdout + done.stderr)
    no_trace(hostile)


class Elements(html.parser.HTMLParser):
    """Collects the elements of a page that the names ask for."""

    def __init__(self, text):
        super().__init__()
        self.odd = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag == "img" or any(name.startswith("on") for name, _ in attrs):
            self.odd.append((tag, attrs))


def test_pages_and_pictures_hold_names_as_text(hostile):
    page = (hostile / "results/report/index.html").read_text(encoding="utf-8")
    assert Elements(page).odd == []
    run("snakemake", "results/audit/passed.txt", "--no-hooks", folder=hostile, check=False)
    audit = (hostile / "results/audit/report.html").read_text(encoding="utf-8")
    assert Elements(audit).odd == []
    pictures = list((hostile / "results").rglob("*.svg"))
    assert len(pictures) >= 10
    for path in pictures:
        for element in ElementTree.parse(path).iter():
            assert element.tag.rpartition("}")[2] not in ("img", "script", "foreignObject"), path
            assert not [name for name in element.attrib if name.startswith("on")], path
    no_trace(hostile)


def test_no_cell_of_a_table_is_a_formula(hostile):
    for path in (hostile / "results").rglob("*.csv"):
        with path.open(encoding="utf-8", newline="") as stream:
            for row in list(csv.reader(stream))[1:]:
                for cell in row:
                    number = re.fullmatch(r"-?[\d.]+(e[+-]?\d+)?", cell)
                    assert number or not cell.startswith(FORMULA_STARTS), (path, cell)


@pytest.mark.parametrize(
    "words",
    [
        ["rounds=['v4.1;touch pwned']"],
        ["rounds=['v4.1$(touch pwned)', v4.1]"],
        ['figures={language: "en;touch pwned"}'],
        ["rounds=!!python/object/apply:os.system ['touch pwned']"],
    ],
)
def test_settings_of_the_command_line_run_nothing(hostile, words):
    done = run("snakemake", "--dry-run", "--config", *words, folder=hostile, check=False)
    assert done.returncode != 0
    no_trace(hostile)


def test_text_in_settings_is_quoted_for_the_shell(hostile):
    prices = {"accelerator_hour": 1, "hour": 1, "currency": SHELL, "dated": "2024-01-01"}
    given = "breakeven=" + json.dumps({"prices": prices, "methods": ["cost_and_value"]})
    target = "results/v4.1/breakeven.parquet"
    run("snakemake", target, "--config", given, folder=hostile)
    assert "touch pwned" in (hostile / "results/v4.1/breakeven.prov.json").read_text()
    no_trace(hostile)
