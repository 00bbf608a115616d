"""Foreign text and foreign YAML do nothing but be read."""

import ast
import io
import re

import pytest

from breakeven import config, fetch, logs, pins, program, text
from breakeven.audit import report
from breakeven.errors import BreakevenError
from breakeven.fetch import Entry, unsafe, without_collisions
from tests.conftest import ROOT

ESCAPES = "\x1b[31mred\x1b]0;title\x07 \x9b1m \u202eevil\u2066 \ufeff \x00"
TAGGED = "!!python/object/apply:os.system ['touch pwned']\n"


def test_control_characters_are_written_out_and_nothing_else_changes():
    assert text.plain("\x1b[31m") == "\\x1b[31m"
    assert text.CONTROL.search(text.plain(ESCAPES)) is None
    assert text.plain("é <b> 中文 $(x)\n", keep="\n") == "é <b> 中文 $(x)\n"


@pytest.mark.parametrize(
    "name", ["../../x", "/etc/x", "a/b", "..", ".hidden", "a;$(touch pwned)", "é\n", "x" * 300, ""]
)
def test_any_name_becomes_one_part_of_a_path(name):
    made = text.file_name(name)
    assert re.fullmatch(r"[\w-][\w.-]{0,140}", made, flags=re.ASCII)


def test_plain_names_stay_and_odd_ones_stay_apart():
    assert text.file_name("llama2_70b_lora-speedup") == "llama2_70b_lora-speedup"
    assert text.file_name("a b") != text.file_name("a;b")


def test_nothing_that_a_terminal_obeys_is_printed(capsys):
    def fails():
        raise BreakevenError(f"{ESCAPES}\nsecond line")

    program.show(f"{ESCAPES}\n", end="")
    program.say(ESCAPES)
    with pytest.raises(SystemExit):
        program.run(fails, job=False)
    said = "".join(capsys.readouterr())
    assert "\\x1b[31mred" in said
    assert text.CONTROL.search(said.replace("\n", "")) is None
    assert "\nsecond line" in said


def test_a_terminal_without_unicode_is_told_all_the_same(monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(raw, encoding="ascii"))
    program.show("knee … é")
    assert raw.getvalue() == b"knee \\u2026 \\xe9\n"


@pytest.mark.parametrize(
    "path",
    ["Sub/results/a\u202eb/x.txt", "Sub/results/\ufeffx.txt", "Sub/results/a\u200bb.txt",
     "Sub/results/\x1b[31m.txt"],
)  # fmt: skip
def test_paths_that_mislead_are_refused(path):
    assert "control character" in unsafe(path, "100644")


@pytest.mark.parametrize(
    ("first", "second"),
    [("A/results/x.txt", "A/results/X.txt"), ("a/results/\xe9.txt", "a/results/e\u0301.txt"),
     ("A/results/x", "a/results/x/y.txt")],
)  # fmt: skip
def test_of_two_names_that_some_file_systems_take_for_one_the_first_is_kept(first, second):
    found = without_collisions(Entry(path, "1", None, "present", "") for path in (first, second))
    assert sorted(entry.state for entry in found) == ["present", "refused"]
    assert next(e.path for e in found if e.state == "present") == sorted((first, second))[0]


def refused_yaml(path):
    """List what each reader of YAML says of a file."""
    yield lambda: config.read_yaml(path)
    yield lambda: config.load(config.Settings, path)
    yield lambda: config.load(config.Accelerators, path)
    yield lambda: pins.outputs(path, "download@v4.1")


def test_yaml_that_names_python_objects_is_refused_everywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "v4.1.yaml").write_text(TAGGED)
    for read in refused_yaml(tmp_path / "v4.1.yaml"):
        with pytest.raises(BreakevenError):
            read()
    with pytest.raises(BreakevenError):
        config.load_round(tmp_path, "v4.1")
    log = logs.read_log(f":::MLL 1541635888.1 run_stop: {TAGGED}".encode())
    assert [(event.key, event.value, event.text) for event in log.events] == [
        ("run_stop", None, None)
    ]
    assert [problem.kind for problem in log.problems] == ["broken JSON"]
    assert [path.name for path in tmp_path.iterdir()] == ["v4.1.yaml"]


SOURCES = [*ROOT.glob("breakeven/**/*.py"), *ROOT.glob("scripts/*.py")]


def calls():
    """Yield every call in the project's code: where, what is called, and the call."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                yield f"{path.name}:{node.lineno}", ast.unparse(node.func), node


def test_no_code_reads_yaml_unsafely_or_evaluates_text():
    forbidden = {"eval", "exec", "pickle.load", "pickle.loads", "yaml.unsafe_load",
                 "yaml.full_load", "yaml.load_all", "os.system", "os.popen"}  # fmt: skip
    odd = [(where, name) for where, name, _ in calls() if name in forbidden]
    for where, name, node in calls():
        if name == "yaml.load" and "SafeLoader" not in ast.unparse(node):
            odd.append((where, name))
        if any(word.arg == "shell" for word in node.keywords):
            odd.append((where, "shell"))
    assert odd == []


def test_rules_quote_what_they_put_into_a_shell():
    # Unquoted are numbers, and round names, which are digits and a dot behind a v.
    harmless = {"threads", "wildcards.round", "params.rounds"}
    for path in ROOT.glob("rules/*.smk"):
        for line in path.read_text(encoding="utf-8").split("shell:")[1:]:
            for field in re.findall(r"\{([^{}]+)\}", line.split("\n\n\n")[0]):
                assert field.endswith(":q") or field in harmless, (path.name, field)


@pytest.mark.parametrize("name", ["v4.1;x", "v4.1\n", "v4.1 v5.0", "../v4.1", "v$(x)", "v４.1x"])
def test_only_plain_round_names_are_accepted(name):
    with pytest.raises(BreakevenError, match="rounds"):
        config.validate(config.Settings, {"rounds": [name]}, "config")


def test_the_audit_page_escapes_what_it_names():
    evil = "<script>alert(1)</script>\"'&"
    found = {
        "holds": False, "commit": evil, "dirty": True,
        "checks": [{"name": evil, "examined": 1, "skipped": [evil],
                    "findings": [{"file": evil, "what": evil}]}],
    }  # fmt: skip
    page = report.as_html(found)
    assert "<script" not in page
    assert page.count("&lt;script&gt;") >= 4


def test_a_refused_path_is_escaped_in_the_manifest():
    entry = Entry("a/results/\x1b[31m\n.txt", "1" * 40, None, "refused", "odd")
    assert (
        text.CONTROL.search(fetch.manifest_text([entry]).replace("\n", "").replace("\t", ""))
        is None
    )
