"""The page in a browser: what it draws, says, keeps in its address and hands out."""

import re
import time
from pathlib import Path
from urllib.parse import urlencode

import pandas as pd
import pytest

from breakeven import schemas, tables
from tests import report_tables
from tests.report_tables import FORMULA, HOSTILE

CHROMIUM = Path("/usr/bin/chromium")
LIMIT_MB = 15

pytestmark = [
    pytest.mark.browser,
    pytest.mark.xdist_group("built"),
    pytest.mark.skipif(not CHROMIUM.exists(), reason=f"needs Chromium at {CHROMIUM}"),
]


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "index.html"
    path.write_text(report_tables.page(), encoding="utf-8")
    return path.as_uri()


class Visit:
    """One page in a window of its own, with all that it asked for and complained about."""

    def __init__(self, context):
        self.page = context.new_page()
        self.requests, self.complaints = [], []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        # Nothing leaves the machine: a window opened for a link ends here.
        context.route(re.compile("^https?:"), lambda route: route.abort())

    def open(self, address, **state):
        self.page.goto(address + (f"#{urlencode(state)}" if state else ""))
        self.drawn()

    def drawn(self):
        self.page.wait_for_selector("#chart svg, #chart.empty", timeout=10_000)
        self.page.wait_for_function(
            "document.querySelector('#chart.empty')"
            " || document.querySelector('#chart').dataset.drawn === location.hash"
        )

    def choose(self, name, value):
        self.page.select_option(f"select[name={name}]", value)
        self.drawn()

    def picture(self):
        """Return what the chart shows, as the text of its elements, without their numbers."""
        return re.sub(r"\bclip\d+", "clip", self.page.inner_html("#chart"))

    def dots(self):
        return self.page.locator("#chart .mark-symbol[class*=points] path")

    def points(self):
        """Return the text alternative of each point."""
        return self.dots().evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")

    def download(self):
        with self.page.expect_download() as waiting:
            self.page.click("#download")
        return Path(waiting.value.path()).read_text(encoding="utf-8").split("\n")


@pytest.fixture
def visit(browser):
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    yield Visit(context)
    context.close()


def test_it_loads_without_a_complaint_or_a_request(visit, address):
    visit.open(address)
    assert [url.split("#")[0] for url in visit.requests] == [address]
    assert visit.complaints == []
    assert "Series view of BERT" in visit.page.text_content("#summary")
    assert "not verified by MLCommons" in visit.page.text_content("#footnote")
    assert "1" * 40 in visit.page.text_content("#footnote")


def test_each_control_changes_what_is_drawn_and_the_address(visit, address):
    visit.open(address)
    before, start = visit.picture(), visit.page.evaluate("location.hash")
    for name, value in (
        ("round", "v9.0"), ("benchmark", "ssd"), ("view", "paper"), ("view", "pooled"),
        ("view", "history"), ("view", "runs"), ("quantity", "minutes"),
        ("quantity", "efficiency"), ("scale", "linear"), ("family", "H200"),
        ("submitter", "Alpha"), ("division", "open"),
    ):  # fmt: skip
        visit.choose(name, value)
        assert visit.picture() != before, name
        assert f"{name}={value}" in visit.page.evaluate("location.hash")
        visit.page.evaluate("hash => { location.hash = hash }", start)
        visit.drawn()
        assert visit.picture() == before, name
    # A chosen round is seen in the history too.
    visit.choose("view", "history")
    later = visit.picture()
    visit.choose("round", "v9.0")
    assert visit.picture() != later
    assert visit.complaints == []


def test_a_shared_address_restores_the_view(visit, address, browser):
    visit.open(address)
    state = {"round": "v9.0", "benchmark": "ssd", "view": "paper", "quantity": "minutes",
             "scale": "linear", "submitter": HOSTILE}  # fmt: skip
    for name, value in state.items():
        visit.choose(name, value)
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    other = Visit(context)
    other.open(visit.page.url)
    for name, value in state.items():
        assert other.page.input_value(f"select[name={name}]") == value
    assert other.points() == visit.points()
    assert len(other.points()) == 3
    context.close()


def test_going_back_restores_the_view_before(visit, address):
    visit.open(address)
    visit.choose("view", "runs")
    visit.page.go_back()
    visit.drawn()
    assert visit.page.input_value("select[name=view]") == "series"


def test_nonsense_in_the_address_is_corrected(visit, address):
    visit.open(address, round="v1", view="<b>", quantity="toString", submitter="nobody")
    assert visit.page.input_value("select[name=round]") == "v10.0"
    assert visit.page.input_value("select[name=view]") == "series"
    assert len(visit.points()) == 9
    assert visit.complaints == []


def test_a_download_equals_the_rows_of_the_table(visit, address, tmp_path):
    visit.open(address, round="v9.0", benchmark="bert", view="paper")
    for view in ("paper", "series", "pooled", "history", "runs"):
        visit.choose("view", view)
        name = view if view in ("history", "runs") else "scaling"
        frame = report_tables.frames()[name]
        mine = frame["benchmark"].eq("bert")
        if name != "history":
            mine &= frame["round"].eq("v9.0")
        if name == "scaling":
            mine &= frame["view"].eq(view)
        assert visit.download() == report_tables.csv(name, frame[mine], tmp_path)


def test_the_filter_of_the_table_reaches_the_download(visit, address):
    visit.open(address, round="v9.0", benchmark="bert", view="series")
    visit.page.fill("#rows input[type=search]", "cmd(")
    lines = visit.download()
    assert len(lines) == 1 + 3 + 1
    assert all('"\'=cmd(""a,b"")"' in line for line in lines[1:-1])
    assert "3 of 9 rows" in visit.page.text_content("#rows-note")


def test_the_table_is_sorted_by_number(visit, address):
    visit.open(address, round="v9.0", benchmark="bert", view="series")
    visit.page.locator("#rows th", has_text="minutes").click()
    place = visit.page.locator("#rows thead th").all_text_contents().index("minutes") + 1
    shown = visit.page.locator(f"#rows tbody td:nth-child({place})").all_text_contents()
    assert [float(text) for text in shown] == sorted(float(text) for text in shown)


def test_a_hostile_name_is_text_everywhere(visit, address):
    for view in ("series", "paper", "history", "runs"):
        visit.open(address, round="v9.0", benchmark="bert", view=view)
        visit.page.check("#all-columns")
        assert HOSTILE in visit.page.locator("#rows tbody").inner_text()
        assert HOSTILE in visit.page.locator("select[name=submitter]").inner_text()
    visit.open(address, round="v9.0", benchmark="bert", view="series", submitter=HOSTILE)
    visit.dots().last.hover()
    tip = visit.page.locator("#vg-tooltip-element")
    assert HOSTILE in tip.inner_text()
    assert HOSTILE in visit.page.locator("#sentences").inner_text()
    assert FORMULA not in visit.page.locator("#sentences").inner_text()
    assert HOSTILE in visit.page.locator("#methods").inner_text()
    visit.page.locator("#rows button[data-row]").first.click()
    assert HOSTILE in visit.page.locator("#links").inner_text()
    assert visit.page.locator("img").count() == 0
    assert visit.complaints == []


def test_a_click_on_a_point_lists_its_log_lines(visit, address):
    visit.open(address, round="v9.0", benchmark="bert", view="series", submitter="Alpha")
    with visit.page.context.expect_page() as opened:
        visit.dots().first.click()
    opened.value.close()
    links = visit.page.locator("#links-list a")
    assert links.evaluate_all("all => all.map(one => one.href)") == [
        f"https://github.com/mlcommons/training_results_v9.0/blob/{'9' * 40}"
        "/Alpha/results/8%20x%20H100/bert/result_1.txt#L11-L901"
    ]


def test_the_keyboard_reaches_the_log_lines(visit, address):
    visit.open(address, round="v9.0", benchmark="bert", view="series")
    visit.page.locator("#rows button[data-row]").first.focus()
    visit.page.keyboard.press("Enter")
    assert visit.page.evaluate("document.activeElement.id") == "links-heading"
    assert visit.page.locator("#links-list a").count() == 1


def test_the_knee_the_ideal_and_the_interval_are_drawn(visit, address):
    visit.open(address, round="v9.0", benchmark="bert", view="series")
    assert visit.picture().count("knee: 64") >= 3
    for part in ("ideal", "band", "interval", "lines"):
        assert visit.page.locator(f"#chart .{part}_marks, #chart [class*={part}]").count()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_scrolls_down_alone(browser, address, scheme):
    context = browser.new_context(viewport={"width": 390, "height": 844}, color_scheme=scheme)
    visit = Visit(context)
    visit.open(address, round="v9.0", benchmark="bert", view="series")
    for view in ("series", "paper", "history", "runs"):
        visit.choose("view", view)
        assert visit.page.evaluate("document.documentElement.scrollWidth") == 390
    assert visit.complaints == []
    context.close()


def test_every_control_has_a_label(visit, address):
    visit.open(address)
    unnamed = visit.page.evaluate(
        "[...document.querySelectorAll('select, input, button')]"
        ".filter(one => !one.labels?.length && !one.ariaLabel && !one.textContent.trim()).length"
    )
    assert unnamed == 0
    assert visit.page.get_attribute("#summary", "aria-live") == "polite"


@pytest.mark.workflow
def test_the_whole_page_is_light_and_equals_the_results(visit, built):
    path = built / "results/report/index.html"
    assert path.stat().st_size < LIMIT_MB * 1e6
    begun = time.monotonic()
    visit.open(path.as_uri(), round="v4.1", benchmark="llama2_70b_lora", view="series")
    # Two seconds, with room for a machine that is busy with other tests.
    assert time.monotonic() - begun < 6
    lines = (built / "results/v4.1/scaling.csv").read_text(encoding="utf-8").split("\n")
    frame = tables.read(built / "results/v4.1/scaling.parquet", schemas.SCALING)
    mine = frame["benchmark"].eq("llama2_70b_lora") & frame["view"].eq("series")
    expected = [lines[0], *(lines[1 + place] for place in frame.index[mine]), ""]
    assert visit.download() == expected
    visit.choose("view", "runs")
    runs = (built / "results/v4.1/runs.csv").read_text(encoding="utf-8").split("\n")
    table = pd.read_parquet(built / "results/v4.1/runs.parquet")
    wanted = table.index[table["benchmark"].eq("llama2_70b_lora")]
    assert visit.download() == [runs[0], *(runs[1 + place] for place in wanted), ""]
    assert visit.complaints == []
