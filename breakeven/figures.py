"""Figures: a registry of views, each from a round's tables to named charts, and how they are saved.

Every figure is written as Vega-Lite JSON, SVG and PNG without a browser or a network. The same
tables give the same bytes: nothing in a file depends on time, machine or path.
"""

from __future__ import annotations

import functools
import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import altair as alt
import pandas as pd
import vl_convert
from altair.utils.schemapi import disable_debug_mode

from breakeven import charts, files, labels, provenance, tables, theme
from breakeven.config import MethodName, Round, round_number
from breakeven.text import file_name

# From the top of a break-even figure down.
METHOD_ORDER = get_args(MethodName)


@dataclass(frozen=True)
class Figure:
    """One figure: its name in its view's folder, its chart, its text alternative.

    ``subject`` says which rows of which table it shows: column and value.
    """

    name: str
    chart: alt.VConcatChart
    alternative: str
    subject: dict[str, Any]


@dataclass(frozen=True)
class Source:
    """What the figures of one round are drawn from."""

    scaling: pd.DataFrame
    breakeven: pd.DataFrame
    runs: pd.DataFrame
    pinned: Round
    language: str


@dataclass(frozen=True)
class Topic:
    """One benchmark of one round, for a view: its rows, and the words."""

    source: Source
    benchmark: str
    model: str
    view: str
    say: labels.Say

    @functools.cached_property
    def points(self) -> pd.DataFrame:
        """Rows of the scaling table in the view (`paper`, else the series')."""
        table = self.source.scaling
        chosen = table["benchmark"].eq(self.benchmark) & table["view"].eq(self.view)
        return table[chosen].sort_values(["series", "accelerators", "minutes"])

    def answers(self, *methods: str) -> pd.DataFrame:
        """Rows of the break-even table in the view, of these methods or of all."""
        table = self.source.breakeven
        chosen = table["benchmark"].eq(self.benchmark) & table["view"].eq(self.view)
        return table[chosen & (table["method"].isin(methods) if methods else True)]

    def figure(self, name: str, inner: Any, title: str, lines: list[str], text: str) -> Figure:
        """Frame a chart of this topic."""
        names = list(self.points["division"]) or ["closed"]
        division = labels.divisions(names, self.source.language)
        round_line = self.say("round", round=self.source.pinned.title, division=division)
        under = theme.footnote(self.source.pinned, division, self.say)
        subtitle = [f"{round_line} {lines[0]}".strip(), *lines[1:]] if lines else [round_line]
        heading = self.say(title, model=self.model)
        subject = {"table": "scaling", "benchmark": self.benchmark, "view": self.view}
        return Figure(name, theme.framed(inner, heading, subtitle, under), text, subject)

    def empty(self, name: str, title: str, reason: str) -> Figure:
        """Make the figure that says why there is none."""
        text = f"{self.say(title, model=self.model)}, {self.source.pinned.title}: {reason}."
        return self.figure(name, theme.sized(charts.empty(reason, self.say)), title, [], text)

    def why_empty(self) -> str:
        """Return why there is no point, as the break-even rows say it."""
        answers = self.answers()
        without = answers.loc[answers["series"].isna(), "reason"]
        return str(without.iloc[0]) if len(without) else "no points"


def about(topic: Topic, what: str, parts: Iterable[str]) -> str:
    """Write a text alternative: what a figure shows of which round, then its parts."""
    head = topic.say(
        "alt_about", model=topic.model, what=topic.say(what), round=topic.source.pinned.title
    )
    return f"{head} {'; '.join(parts)}."


def alternative(topic: Topic, what: str, points: pd.DataFrame, column: str) -> str:
    """Compute a figure's text alternative from its points."""
    parts = []
    for name, part in points.groupby("series_name", sort=True):
        rows = tables.records(part.sort_values(["accelerators", "minutes"]))
        parts.append(
            topic.say(
                "alt_points",
                name=name,
                count=len(rows),
                low=rows[0]["accelerators"],
                high=rows[-1]["accelerators"],
                column=topic.say(f"alt_{column}"),
                first=f"{rows[0][column]:.3g}",
                last=f"{rows[-1][column]:.3g}",
            )
        )
    return about(topic, what, parts)


def paper_view(topic: Topic) -> Iterator[Figure]:
    """Draw speedup and efficiency of all closed systems, as the paper does."""
    points = topic.points
    for name, metric in charts.METRICS.items():
        title, file = f"title_paper_{name}", f"{topic.benchmark}-{name}"
        if points.empty:
            yield topic.empty(file, title, topic.why_empty())
            continue
        first = tables.records(points)[0]
        reference = topic.say(
            "paper_reference",
            submitter=first["reference_submitter"],
            system=first["reference_system"],
            count=first["reference_accelerators"],
            accelerator=first["reference_accelerator"],
            minutes=first["reference_minutes"],
        )
        inner = charts.paper(points, topic.answers("paper"), metric, topic.say)
        lines = [topic.say("dashed"), reference]
        text = alternative(topic, "alt_paper", points, name)
        yield topic.figure(file, theme.sized(inner), title, lines, text)


def series_view(topic: Topic) -> Iterator[Figure]:
    """Draw speedup and efficiency of scaling series, with their bands."""
    points = topic.points
    for name, metric in charts.METRICS.items():
        title, file = f"title_series_{name}", f"{topic.benchmark}-{name}"
        if points.empty:
            yield topic.empty(file, title, topic.why_empty())
            continue
        inner = charts.series(points, topic.answers("knee"), metric, topic.say)
        words = [topic.say(key) for key in ("dashed", "ringed", "band")]
        lines = [topic.say("series_reference"), " ".join(words)]
        text = alternative(topic, "alt_series", points, name)
        yield topic.figure(file, theme.sized(inner), title, lines, text)


def time_view(topic: Topic) -> Iterator[Figure]:
    """Draw minutes against accelerators, and against accelerator-hours."""
    points = topic.points
    drawings: tuple[tuple[str, str, Callable[..., Any], list[str]], ...] = (
        ("time", "title_time", charts.time, ["series_reference"]),
        ("pareto", "title_pareto", charts.pareto, ["front"]),
    )
    for name, title, draw, keys in drawings:
        file = f"{topic.benchmark}-{name}"
        if points.empty:
            yield topic.empty(file, title, topic.why_empty())
            continue
        inner = draw(points.assign(on_front=charts.on_front(points)), topic.say)
        lines = [topic.say(key) for key in keys]
        text = alternative(topic, f"alt_{name}", points, "minutes")
        yield topic.figure(file, theme.sized(inner), title, lines, text)


def runs_view(topic: Topic) -> Iterator[Figure]:
    """Draw every run, so that spread is seen."""
    points, title = topic.points, "title_runs"
    if points.empty:
        yield topic.empty(topic.benchmark, title, topic.why_empty())
        return
    counted = topic.source.runs[topic.source.runs["counted"]]
    inner = charts.runs(points, counted, topic.say)
    text = alternative(topic, "alt_runs", points, "minutes")
    yield topic.figure(topic.benchmark, theme.sized(inner), title, ["", topic.say("dots")], text)


def breakeven_view(topic: Topic) -> Iterator[Figure]:
    """Draw each method's answer, bracket and probability."""
    points, title = topic.points, "title_breakeven"
    answers = topic.answers()
    pointed = answers[answers["status"].isin(["found", "beyond", "below"])]
    if points.empty or pointed.empty:
        reason = topic.why_empty() if points.empty else "no method gives a point"
        yield topic.empty(topic.benchmark, title, reason)
        return
    inner = charts.strip(pointed, points, METHOD_ORDER, topic.say)
    parts = [
        topic.say(
            "alt_answer",
            name=row["series_name"],
            method=row["method"].replace("_", " "),
            status=topic.say(row["status"]),
            accelerators=row["accelerators"] or row["low"] or row["high"],
        )
        for row in tables.records(pointed)
    ]
    text = about(topic, "alt_breakeven", parts)
    yield topic.figure(topic.benchmark, inner, title, ["", topic.say("strip")], text)


def decomposition_view(topic: Topic) -> Iterator[Figure]:
    """Draw what ate the efficiency of each series."""
    points, title = topic.points, "title_decomposition"
    known = points[points["efficiency_throughput"].notna()]
    if known.empty:
        reason = topic.why_empty() if points.empty else str(points["decomposition_reason"].iloc[0])
        yield topic.empty(topic.benchmark, title, reason)
        return
    parts = []
    for name, part in known.groupby("series_name", sort=True):
        last = tables.records(part)[-1]
        factors = ("throughput", "convergence", "normalisation")
        parts.append(
            topic.say(
                "alt_factors",
                name=name,
                n=last["accelerators"],
                efficiency=f"{last['efficiency']:.2f}",
                **{factor: f"{last[f'efficiency_{factor}']:.2f}" for factor in factors},
            )
        )
    lines = [topic.say("factors"), topic.say("factors_mean")]
    inner = charts.decomposition(known, topic.say)
    text = about(topic, "alt_decomposition", parts)
    yield topic.figure(topic.benchmark, inner, title, lines, text)


# Each view with the view of the tables it reads.
VIEWS: dict[str, tuple[str, Callable[[Topic], Iterator[Figure]]]] = {
    "paper": ("paper", paper_view),
    "series": ("series", series_view),
    "time": ("series", time_view),
    "runs": ("series", runs_view),
    "breakeven": ("series", breakeven_view),
    "decomposition": ("series", decomposition_view),
}


def build(source: Source, view: str) -> Iterator[Figure]:
    """Make every figure of one round in one view.

    Args:
        source: the round's tables, pin and language; the benchmarks of its break-even table are
            those drawn.
        view: one of VIEWS.

    Yields:
        Figures; one that says why where a benchmark has no points.
    """
    say = labels.speaker(source.language)
    read, draw = VIEWS[view]
    named = source.breakeven.drop_duplicates("benchmark").sort_values("benchmark")
    for row in tables.records(named):
        yield from draw(Topic(source, row["benchmark"], row["model"], read, say))
    if view == "series":
        yield from cover(source, say)


def cover(source: Source, say: labels.Say) -> Iterator[Figure]:
    """Draw all series of a round as small multiples; nothing where there is none."""
    points = source.scaling[source.scaling["view"].eq("series")]
    if points.empty:
        return
    division = labels.divisions(list(points["division"]), source.language)
    lines = [
        say("round", round=source.pinned.title, division=division) + " " + say("series_reference")
    ]
    under = theme.footnote(source.pinned, division, say)
    inner = charts.cover(points, say)
    text = say(
        "alt_cover",
        count=points["series"].nunique(),
        round=source.pinned.title,
        models=", ".join(sorted(set(points["model"]))),
    )
    subject = {"table": "scaling", "view": "series"}
    yield Figure("cover", theme.framed(inner, say("title_cover"), lines, under), text, subject)


def build_history(history: pd.DataFrame, language: str) -> Iterator[Figure]:
    """Make one figure a benchmark from the history table of all rounds.

    Yields:
        Figures named after the workload: left the fastest at the usual number of accelerators,
        right the fastest at any number (written beside each point).
    """
    say = labels.speaker(language)
    for workload, points in history.groupby("workload", sort=True):
        model = str(points["model"].iloc[0])
        rounds = sorted(set(points["round"]), key=round_number)
        families = sorted(set(points["accelerator_family"]))
        count = charts.usual_count(points)
        equal = points[points["basis"].eq("equal") & points["accelerators"].eq(count)]
        overall = points[points["basis"].eq("overall")]
        spans = sorted(set(points["span"]), key=lambda span: round_number(span.split(" ")[0]))
        panels = [
            charts.history_panel(equal, families, rounds, say("equal", n=f"{count:,}"), False, say),
            charts.history_panel(overall, families, rounds, say("overall"), True, say),
        ]
        inner = alt.hconcat(*panels, spacing=40)
        inner = inner.resolve_scale(color="independent", shape="independent")
        under = theme.note([say("history_note"), say("history_spans", spans="; ".join(spans))])
        best = tables.records(overall.sort_values("minutes").head(1))[0]
        text = say(
            "alt_history",
            model=model,
            first=rounds[0],
            last=rounds[-1],
            minutes=f"{best['minutes']:.3g}",
            n=best["accelerators"],
            family=best["accelerator_family"],
            round=best["round"],
        )
        chart = theme.framed(inner, say("title_history", model=model), [], under)
        subject = {"table": "history", "workload": str(workload)}
        yield Figure(str(workload), chart, text, subject)


def renumbered(svg: str) -> str:
    """Number an SVG's identifiers from 1: Vega counts them on over all figures of a process."""
    found = dict.fromkeys(re.findall(r'\bid="([a-z]+)(\d+)"', svg))
    numbers: dict[tuple[str, str], int] = {}
    for kind, number in found:
        numbers[kind, number] = 1 + sum(other == kind for other, _ in numbers)

    def new(match: re.Match[str]) -> str:
        kind, number = match[2], match[3]
        return f"{match[1]}{kind}{numbers.get((kind, number), number)}{match[4]}"

    return re.sub(r'(id="|url\(#|href="#)([a-z]+)(\d+)("|\))', new, svg)


def save(figure: Figure, folder: Path, png_scale: float, made: provenance.Maker) -> None:
    """Write a figure as Vega-Lite JSON, SVG and PNG below ``folder``, and their record."""
    spec: dict[str, Any] = figure.chart.to_dict(validate=False)
    spec["description"] = figure.alternative
    text = json.dumps(spec, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    svg = renumbered(vl_convert.vegalite_to_svg(spec, vl_version=theme.VEGALITE))
    identity = made.identity(figure.subject)
    contents = {
        "json": text.encode(),
        "svg": provenance.into_svg(svg, identity).encode(),
        "png": provenance.into_png(vl_convert.svg_to_png(svg, scale=png_scale), identity),
    }
    # Others name benchmarks.
    name = file_name(figure.name)
    paths = []
    for suffix, data in contents.items():
        paths.append(folder / f"{name}.{suffix}")
        with files.written_aside(paths[-1]) as aside:
            aside.write_bytes(data)
    made.record(folder / f"{name}{provenance.SUFFIX}", paths, figure.subject)


def fill(
    folder: Path,
    figures: Iterable[Figure],
    png_scale: float,
    made: provenance.Maker,
    say: Callable[[str], None],
) -> None:
    """Write figures to ``folder``, all of them or none: filled aside, then renamed."""
    # Charts are checked against the schema in tests, and figures drawn without that again.
    disable_debug_mode()
    # Read by vl-convert when it first draws: its own fonts, so that no machine's differ.
    os.environ["FONTCONFIG_FILE"] = str(Path(__file__).with_name("fonts.conf"))
    aside = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    for number, figure in enumerate(figures, start=1):
        save(figure, aside, png_scale, made)
        say(f"figure {number}: {figure.name}")
    shutil.rmtree(folder, ignore_errors=True)
    aside.replace(folder)
