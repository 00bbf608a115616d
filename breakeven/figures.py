"""Figures: tables in, Altair charts out; one theme, one registry of views, no browser, no network.

A chart function takes the points of one benchmark and returns an ``alt.Chart``; :func:`save` writes
it as Vega-Lite JSON, SVG and PNG. The same table gives the same bytes: the font is one that
vl-convert carries, and nothing in a file depends on time, machine or path.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import altair as alt
import pandas as pd
import vl_convert

from breakeven import tables
from breakeven.config import Round, round_number

VEGALITE = "6.4"
FONT = "Liberation Sans"
INK, GREY, LIGHT = "#222222", "#6b6b6b", "#dddddd"
WIDTH, HEIGHT = 620, 380

# Okabe and Ito's colours, which colour-blind readers can tell apart; yellow is left out, too pale
# on white. Vendors share none: a model gets the next colour in the order of its name.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#56B4E9", "#E69F00", "#7F7F7F")
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")

# A legend whose symbols show their outline alone.
OUTLINED = alt.Legend(symbolStrokeColor=INK, symbolFillColor="transparent")

UNOFFICIAL = (
    "Unofficial metric, derived from the results of {title}, {division} division; "
    "not verified by MLCommons."
)
SOURCE = "Data: {repository} at commit {commit}."


@dataclass(frozen=True)
class Metric:
    """What a figure shows: a column of the scaling table, in words, and its ideal."""

    column: str
    title: str
    ideal: Callable[[float], float]
    logarithmic: tuple[str, ...]
    label_dy: int


METRICS = {
    "speedup": Metric(
        "speedup", "Speedup (reference time / time)", lambda ratio: ratio, ("paper", "series"), 18
    ),
    "efficiency": Metric(
        "efficiency", "Efficiency (speedup × N0 / N)", lambda ratio: 1.0, ("paper",), -16
    ),
}


@dataclass(frozen=True)
class Figure:
    """One figure: where it goes below a round's figures, its chart, and its text alternative."""

    name: str
    chart: alt.TopLevelMixin
    alternative: str


def theme(chart: alt.VConcatChart) -> alt.VConcatChart:
    """Apply the one theme."""
    themed: alt.VConcatChart = chart.configure(
        font=FONT,
        background="white",
        axis=alt.AxisConfig(
            labelColor=INK,
            titleColor=INK,
            gridColor="#eeeeee",
            domainColor=GREY,
            tickColor=GREY,
            labelFontSize=11,
            titleFontSize=12,
            titleFontWeight="normal",
        ),
        legend=alt.LegendConfig(
            labelFontSize=11,
            titleFontSize=11,
            titleFontWeight="normal",
            titleColor=GREY,
            labelLimit=260,
            symbolSize=80,
        ),
        title=alt.TitleConfig(
            anchor="start", fontSize=15, subtitleFontSize=12, subtitleColor=GREY, offset=12
        ),
        view=alt.ViewConfig(stroke=None),
    )
    return themed


def footnote(pinned: Round, division: str) -> alt.TitleParams:
    """Say under a figure that its metric is unofficial, and where its data come from."""
    lines = [
        UNOFFICIAL.format(title=pinned.title, division=division),
        SOURCE.format(repository=pinned.repository, commit=pinned.commit),
    ]
    return alt.TitleParams(
        text=lines, orient="bottom", anchor="start", fontSize=10, fontWeight="normal", color=GREY
    )


def shown_points(points: pd.DataFrame) -> pd.DataFrame:
    """Add what is shown of each point: its accelerator with its category where not available."""
    note = points["category"].map(lambda word: "" if word == "available" else f" ({word})")
    return points.assign(shown_accelerator=points["accelerator_model"] + note)


def count_axis(points: pd.DataFrame) -> alt.X:
    """Accelerators on a logarithmic axis, ticked by powers of two."""
    low, high = int(points["accelerators"].min()), int(points["accelerators"].max())
    ticks = [2**i for i in range(24) if low / 2 < 2**i < high * 2]
    return alt.X(
        "accelerators:Q",
        title="Accelerators (N)",
        scale=alt.Scale(type="log", base=2, domain=[low / 1.25, high * 1.25], nice=False),
        axis=alt.Axis(values=ticks, format=",d", grid=False, labelOverlap="greedy"),
    )


def value_axis(points: pd.DataFrame, metric: Metric, view: str) -> alt.Y:
    """Give the metric's axis: logarithmic where it spans magnitudes, else from zero."""
    values = points[metric.column]
    if view in metric.logarithmic:
        low, high = min(float(values.min()), 1.0) / 1.3, max(float(values.max()), 1.0) * 1.4
        scale = alt.Scale(type="log", domain=[low, high], nice=False)
        axis = alt.Axis(values=magnitude_ticks(low, high), format="~g")
    else:
        scale = alt.Scale(domain=[0, max(1.1, float(values.max()) * 1.05)], nice=False)
        axis = alt.Axis(format=".0%")
    return alt.Y(f"{metric.column}:Q", title=metric.title, scale=scale, axis=axis)


def ideal_line(points: pd.DataFrame, metric: Metric) -> alt.Chart:
    """Draw perfect scaling over the measured counts, from the reference."""
    rows = []
    for n0 in sorted(set(points["reference_accelerators"])):
        high = points.loc[points["reference_accelerators"] == n0, "accelerators"].max()
        rows += [
            {"accelerators": int(n), metric.column: metric.ideal(n / n0), "reference": int(n0)}
            for n in (n0, high)
        ]
    line: alt.Chart = (
        alt.Chart(pd.DataFrame(rows))
        .mark_line(color=GREY, strokeDash=[5, 4], strokeWidth=1.2, clip=True)
        .encode(x="accelerators:Q", y=f"{metric.column}:Q", detail="reference:N")
    )
    return line


def accelerator_colour(points: pd.DataFrame) -> dict[str, Any]:
    """Colour by accelerator, in the order of their names: arguments of a colour channel."""
    models = sorted(set(points["shown_accelerator"]))
    colours = [COLOURS[i % len(COLOURS)] for i in range(len(models))]
    return {
        "shorthand": "shown_accelerator:N",
        "title": "Accelerator",
        "scale": alt.Scale(domain=models, range=colours),
        "legend": alt.Legend(symbolType="circle", symbolOpacity=1),
    }


def tooltips(metric: Metric) -> list[alt.Tooltip]:
    """List what hovering over a point says."""
    return [
        alt.Tooltip("submitter:N", title="Submitter"),
        alt.Tooltip("system:N", title="System"),
        alt.Tooltip("accelerator:N", title="Accelerator"),
        alt.Tooltip("accelerators:Q", title="Accelerators"),
        alt.Tooltip("minutes:Q", title="Minutes (official)", format=".3f"),
        alt.Tooltip(f"{metric.column}:Q", title=metric.column.capitalize(), format=".3f"),
    ]


def marked(
    points: pd.DataFrame, answers: pd.DataFrame, metric: Metric, word: str
) -> alt.LayerChart | alt.FacetChart:
    """Ring the points that a method found, and label them; nothing where it found none."""
    keys = ["series", "accelerators"]
    found = answers.loc[answers["status"] == "found", keys].astype({"accelerators": "int64"})
    best = points.sort_values("minutes").drop_duplicates(keys).merge(found, on=keys)
    best = best.assign(label=[f"{word}: {n:,}" for n in best["accelerators"]])
    data = best[["accelerators", metric.column, "label"]]
    base = alt.Chart(data).encode(x="accelerators:Q", y=f"{metric.column}:Q")
    ring = base.mark_point(shape="circle", size=330, stroke=INK, strokeWidth=1.6, fill=None)
    # Text stands where no curve goes, and inside the frame at its right edge.
    low, high = points["accelerators"].min(), points["accelerators"].max()
    edge = float(low * (high / low) ** 0.88)
    texts = [
        base.transform_filter(f"datum.accelerators {sign} {edge!r}")
        .mark_text(
            align=align, dx=dx, dy=metric.label_dy, fontSize=11, fontWeight="bold", color=INK
        )
        .encode(text="label:N")
        for sign, align, dx in TEXT_PLACES
    ]
    return alt.layer(ring, *texts)


def paper_chart(
    points: pd.DataFrame, answers: pd.DataFrame, metric: Metric, pinned: Round
) -> alt.TopLevelMixin:
    """Draw one benchmark in the paper view: every closed system against one reference."""
    shown = shown_points(points)
    first = tables.records(points)[0]
    x, y, colour = count_axis(shown), value_axis(shown, metric, "paper"), accelerator_colour(shown)
    kinds = ["same accelerator", "another accelerator"]
    drawn = shown[POINT_COLUMNS].assign(
        kind=shown["same_accelerator"].map({True: kinds[0], False: kinds[1]})
    )
    dots = (
        alt.Chart(drawn)
        .mark_point(size=75, strokeWidth=1.7, opacity=0.9)
        .encode(
            x=x,
            y=y,
            stroke=alt.Stroke(**{**colour, "legend": None}),
            fill=alt.Fill(**colour),
            fillOpacity=alt.when("datum.same_accelerator")
            .then(alt.value(0.9))
            .otherwise(alt.value(0)),
            shape=alt.Shape(
                "kind:N",
                title="Against the reference",
                scale=alt.Scale(domain=kinds, range=["circle", "diamond"]),
                legend=OUTLINED,
            ),
            tooltip=tooltips(metric),
        )
    )
    subtitle = [
        f"{pinned.title}, closed division, all systems. Dashed: perfect scaling.",
        f"Reference: {first['reference_submitter']} {first['reference_system']} "
        f"({first['reference_accelerators']} × {first['reference_accelerator']}, "
        f"{first['reference_minutes']:.2f} minutes)",
    ]
    layers = (
        ideal_line(points, metric).encode(x=x, y=y)
        + dots
        + marked(points, answers, metric, "largest S × E")
    )
    title = f"{first['model']}: {metric.column} in the paper's view"
    return framed(layers, title, subtitle, footnote(pinned, "closed"))


def series_chart(
    points: pd.DataFrame, answers: pd.DataFrame, metric: Metric, pinned: Round
) -> alt.TopLevelMixin:
    """Draw one benchmark's scaling series, each against its own smallest system."""
    shown = shown_points(points)
    first = tables.records(points)[0]
    x, y, colour = count_axis(shown), value_axis(shown, metric, "series"), accelerator_colour(shown)
    series = sorted(set(shown["series_name"]))
    shape = alt.Shape(
        "series_name:N",
        title="Series",
        scale=alt.Scale(domain=series, range=[SHAPES[i % len(SHAPES)] for i in range(len(series))]),
        legend=OUTLINED,
    )
    base = alt.Chart(shown[POINT_COLUMNS]).encode(x=x, y=y, color=alt.Color(**colour))
    lines = base.mark_line(strokeWidth=2).encode(detail="series:N")
    dots = base.mark_point(filled=True, size=80, opacity=1).encode(
        shape=shape, tooltip=tooltips(metric)
    )
    divisions = sorted(set(points["division"]))
    subtitle = [
        f"{pinned.title}, {' and '.join(divisions)} division, one submitter's systems of one kind "
        "of node.",
        "Reference: each series' smallest system. Dashed: perfect scaling. "
        "Ringed: the knee, where one was found.",
    ]
    layers = (
        ideal_line(points, metric).encode(x=x, y=y)
        + lines
        + dots
        + marked(points, answers, metric, "knee")
    )
    title = f"{first['model']}: {metric.column} of scaling series"
    return framed(layers, title, subtitle, footnote(pinned, " and ".join(divisions)))


def empty_chart(model: str, metric: Metric, reason: str, pinned: Round) -> alt.TopLevelMixin:
    """Say honestly that there is nothing to draw, and why."""
    text = (
        alt.Chart(pd.DataFrame({"text": [f"Nothing to show: {reason}."]}))
        .mark_text(fontSize=13, color=GREY)
        .encode(text="text:N")
    )
    return framed(
        alt.layer(text), f"{model}: {metric.column}", [pinned.title], footnote(pinned, "closed")
    )


def framed(
    layers: alt.LayerChart | alt.FacetChart, title: str, subtitle: list[str], note: alt.TitleParams
) -> alt.TopLevelMixin:
    """Put title, subtitle and footnote around a chart, and apply the theme."""
    inner = layers.properties(
        width=WIDTH, height=HEIGHT, title=alt.TitleParams(title, subtitle=subtitle)
    )
    return theme(alt.vconcat(inner).properties(title=note))


POINT_COLUMNS = [
    "series",
    "series_name",
    "submitter",
    "system",
    "accelerator",
    "shown_accelerator",
    "accelerators",
    "minutes",
    "speedup",
    "efficiency",
    "same_accelerator",
]
TEXT_PLACES: tuple[tuple[str, Literal["left", "right"], int], ...] = (
    ("<=", "left", 12),
    (">", "right", -12),
)
CHARTS = {"paper": (paper_chart, "paper"), "series": (series_chart, "knee")}
VIEWS = (*CHARTS, "decomposition")

# Each factor of efficiency with its column, colour and dash; solid black is their product.
FACTORS: tuple[tuple[str, str, str, list[int]], ...] = (
    ("Efficiency (the product)", "efficiency", "#000000", []),
    ("Throughput", "efficiency_throughput", COLOURS[0], [6, 3]),
    ("Convergence", "efficiency_convergence", COLOURS[1], [2, 2]),
    ("Normalisation", "efficiency_normalisation", COLOURS[2], [8, 3, 2, 3]),
)


def decomposition_chart(points: pd.DataFrame, pinned: Round) -> alt.TopLevelMixin:
    """Draw which factor ate what of the efficiency of each series of one benchmark."""
    first = tables.records(points)[0]
    known = points[points["efficiency_throughput"].notna()]
    rows = [
        {
            "series": row["series_name"],
            "accelerators": row["accelerators"],
            "factor": name,
            "value": row[column],
        }
        for row in tables.records(known)
        for name, column, _, _ in FACTORS
    ]
    frame = pd.DataFrame(rows)
    low = min(float(frame["value"].min()), 0.5) / 1.2
    high = max(float(frame["value"].max()), 1.0) * 1.2
    names = [name for name, *_ in FACTORS]
    base = alt.Chart(frame).encode(
        x=count_axis(known),
        y=alt.Y(
            "value:Q",
            title="Factor of efficiency",
            scale=alt.Scale(type="log", domain=[low, high], nice=False),
            axis=alt.Axis(values=magnitude_ticks(low, high), format="~g"),
        ),
        color=alt.Color(
            "factor:N",
            title="Factor",
            scale=alt.Scale(domain=names, range=[colour for _, _, colour, _ in FACTORS]),
        ),
    )
    dash = alt.StrokeDash(
        "factor:N",
        title="Factor",
        scale=alt.Scale(domain=names, range=[dash for *_, dash in FACTORS]),
    )
    layers = alt.layer(
        base.mark_line(strokeWidth=2).encode(strokeDash=dash),
        base.mark_point(filled=True, size=45, opacity=1),
    ).properties(width=300, height=220)
    panels = layers.facet(
        facet=alt.Facet("series:N", title=None, header=alt.Header(labelFontSize=12)), columns=3
    )
    subtitle = [
        f"{pinned.title}. Efficiency = throughput × convergence × normalisation, exactly, against "
        "each series' smallest system.",
        "Throughput: training done in a minute by each accelerator. Convergence: training needed "
        "to reach the target. Normalisation: the official scaling factor.",
    ]
    title = alt.TitleParams(f"{first['model']}: what ate the efficiency", subtitle=subtitle)
    divisions = " and ".join(sorted(set(points["division"])))
    note = footnote(pinned, divisions)
    return theme(alt.vconcat(panels.properties(title=title)).properties(title=note))


def alternative(points: pd.DataFrame, metric: Metric, title: str) -> str:
    """Compute a figure's text alternative from its points."""
    parts = []
    for _, part in points.groupby("series_name", sort=True):
        rows = tables.records(part.sort_values(["accelerators", "minutes"]))
        low, high = rows[0], rows[-1]
        parts.append(
            f"{part['series_name'].iloc[0]}: {len(rows)} points from {low['accelerators']} to "
            f"{high['accelerators']} accelerators, {metric.column} from {low[metric.column]:.3g} "
            f"to {high[metric.column]:.3g}"
        )
    return f"{title}. " + "; ".join(parts) + "."


def build(
    scaling: pd.DataFrame,
    breakeven: pd.DataFrame,
    pinned: Round,
    view: str,
) -> Iterator[Figure]:
    """Make every figure of one round in one view.

    Args:
        scaling: the round's scaling table.
        breakeven: the round's break-even table; its benchmarks are those drawn.
        pinned: the round's pin, for title and footnote.
        view: one of VIEWS.

    Yields:
        Figures named ``<benchmark>-<metric>``; one that says why where there are no points.
    """
    named = breakeven.drop_duplicates("benchmark").sort_values("benchmark")
    if view == "decomposition":
        yield from build_decomposition(scaling, breakeven, named, pinned)
        return
    draw, method = CHARTS[view]
    for about in tables.records(named):
        mine = breakeven["benchmark"].eq(about["benchmark"]) & breakeven["view"].eq(view)
        answers = breakeven[mine & breakeven["method"].eq(method)]
        chosen = scaling["benchmark"].eq(about["benchmark"]) & scaling["view"].eq(view)
        points = scaling[chosen].sort_values(["series", "accelerators", "minutes"])
        for name, metric in METRICS.items():
            title = f"{about['model']}, {view} view, {name}, {pinned.title}"
            if points.empty:
                reason = why_empty(breakeven[mine])
                chart = empty_chart(about["model"], metric, reason, pinned)
                text = f"{title}: {reason}."
            else:
                chart = draw(points, answers, metric, pinned)
                text = alternative(points, metric, title)
            yield Figure(f"{about['benchmark']}-{name}", chart, text)


def why_empty(answers: pd.DataFrame) -> str:
    """Return why a benchmark has no point in a view, as its break-even rows say it."""
    without = answers.loc[answers["series"].isna(), "reason"]
    return str(without.iloc[0]) if len(without) else "no points"


def build_decomposition(
    scaling: pd.DataFrame, breakeven: pd.DataFrame, named: pd.DataFrame, pinned: Round
) -> Iterator[Figure]:
    """Make one figure a benchmark of what ate its efficiency."""
    for about in tables.records(named):
        model = about["model"]
        chosen = scaling["benchmark"].eq(about["benchmark"]) & scaling["view"].eq("series")
        points = scaling[chosen].sort_values(["series", "accelerators"])
        known = points[points["efficiency_throughput"].notna()]
        if known.empty:
            mine = breakeven["benchmark"].eq(about["benchmark"]) & breakeven["view"].eq("series")
            reason = why_empty(breakeven[mine])
            if not points.empty:
                reason = str(points["decomposition_reason"].iloc[0])
            chart = empty_chart(model, METRICS["efficiency"], reason, pinned)
            yield Figure(about["benchmark"], chart, f"{model}, {pinned.title}: {reason}.")
            continue
        parts = []
        for name, part in known.groupby("series_name", sort=True):
            last = tables.records(part)[-1]
            parts.append(
                f"{name} at {last['accelerators']}: {last['efficiency']:.2f} = "
                f"{last['efficiency_throughput']:.2f} throughput × "
                f"{last['efficiency_convergence']:.2f} convergence × "
                f"{last['efficiency_normalisation']:.2f} normalisation"
            )
        text = f"{model}, what ate the efficiency, {pinned.title}. " + "; ".join(parts) + "."
        yield Figure(about["benchmark"], decomposition_chart(points, pinned), text)


def save(figure: Figure, folder: Path, png_scale: float) -> None:
    """Write a figure as Vega-Lite JSON, SVG and PNG below ``folder``, each aside first."""
    spec: dict[str, Any] = figure.chart.to_dict(validate=False)
    spec["description"] = figure.alternative
    text = json.dumps(spec, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    svg = vl_convert.vegalite_to_svg(spec, vl_version=VEGALITE)
    contents = {
        "json": text.encode(),
        "svg": svg.encode(),
        "png": vl_convert.svg_to_png(svg, scale=png_scale),
    }
    for suffix, data in contents.items():
        path = folder / f"{figure.name}.{suffix}"
        with tables.written_aside(path) as aside:
            aside.write_bytes(data)


def fill(
    folder: Path, figures: Iterable[Figure], png_scale: float, say: Callable[[str], None]
) -> None:
    """Write figures to ``folder``, all of them or none: filled aside, then renamed."""
    aside = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(aside, ignore_errors=True)
    aside.mkdir(parents=True)
    for number, figure in enumerate(figures, start=1):
        save(figure, aside, png_scale)
        say(f"figure {number}: {figure.name}")
    shutil.rmtree(folder, ignore_errors=True)
    aside.replace(folder)


def usual_count(history: pd.DataFrame) -> int:
    """Return the number of accelerators at which most families and rounds have a result."""
    equal = history[history["basis"] == "equal"]
    pairs = equal.groupby("accelerators").size()
    return int(pairs.index[pairs == pairs.max()].min())


def magnitude_ticks(low: float, high: float) -> list[float]:
    """Return ticks of a logarithmic axis: 1, 2 and 5 of each power of ten; more where few fit."""
    for steps in ((1, 2, 5), (1, 2, 3, 4, 5, 6, 7, 8, 9), tuple(i / 10 for i in range(10, 100))):
        ticks = [float(f"{m}e{e}") for e in range(-4, 7) for m in steps]
        inside = [tick for tick in ticks if low < tick < high]
        if len(inside) > 1:
            break
    return inside


def history_panel(
    points: pd.DataFrame, families: list[str], rounds: list[str], title: str, legend: bool
) -> alt.Chart:
    """Draw one basis of one benchmark's history; a line breaks where a comparability span ends."""
    colours = [COLOURS[i % len(COLOURS)] for i in range(len(families))]
    shapes = [SHAPES[(i // len(COLOURS) + i) % len(SHAPES)] for i in range(len(families))]
    shown = points.assign(
        minutes_text=[f"{m:.3g}" for m in points["minutes"]],
        key=points["accelerator_family"] + " " + points["span"],
    )
    low, high = float(points["minutes"].min()) / 1.5, float(points["minutes"].max()) * 1.5
    key = alt.Legend() if legend else None
    base = alt.Chart(shown[HISTORY_COLUMNS]).encode(
        x=alt.X(
            "round:O", title="Round", scale=alt.Scale(domain=rounds), axis=alt.Axis(labelAngle=0)
        ),
        y=alt.Y(
            "minutes:Q",
            title="Minutes (official)",
            scale=alt.Scale(type="log", domain=[low, high], nice=False),
            axis=alt.Axis(values=magnitude_ticks(low, high), format="~g"),
        ),
        color=alt.Color(
            "accelerator_family:N",
            title="Accelerator",
            scale=alt.Scale(domain=families, range=colours),
            legend=key,
        ),
        shape=alt.Shape(
            "accelerator_family:N",
            title="Accelerator",
            scale=alt.Scale(domain=families, range=shapes),
            legend=key,
        ),
    )
    lines = base.mark_line(strokeWidth=1.8).encode(detail="key:N", shape=alt.Undefined)
    dots = base.mark_point(filled=True, size=75, opacity=1).encode(
        tooltip=[
            alt.Tooltip("submitter:N", title="Submitter"),
            alt.Tooltip("system:N", title="System"),
            alt.Tooltip("accelerators:Q", title="Accelerators"),
            alt.Tooltip("minutes:Q", title="Minutes (official)", format=".3f"),
            alt.Tooltip("accelerator_hours:Q", title="Accelerator-hours", format=".2f"),
        ]
    )
    labels = base.mark_text(dy=-11, fontSize=10).encode(
        text=alt.Text("accelerators:Q", format=",d"), shape=alt.Undefined
    )
    layers = lines + dots if not legend else lines + dots + labels
    panel: alt.Chart = layers.properties(
        width=330, height=330, title=alt.TitleParams(title, fontSize=12, fontWeight="normal")
    )
    return panel


HISTORY_COLUMNS = [
    "round",
    "key",
    "accelerator_family",
    "accelerators",
    "minutes",
    "accelerator_hours",
    "submitter",
    "system",
]


def build_history(history: pd.DataFrame) -> Iterator[Figure]:
    """Make one figure a benchmark from the history table of all rounds.

    Yields:
        Figures named after the workload: left the fastest at the usual number of accelerators,
        right the fastest at any number (written beside each point).
    """
    for workload, points in history.groupby("workload", sort=True):
        model = str(points["model"].iloc[0])
        rounds = sorted(set(points["round"]), key=round_number)
        families = sorted(set(points["accelerator_family"]))
        count = usual_count(points)
        equal = points[points["basis"].eq("equal") & points["accelerators"].eq(count)]
        overall = points[points["basis"].eq("overall")]
        spans = sorted(set(points["span"]), key=lambda span: round_number(span.split(" ")[0]))
        note = alt.TitleParams(
            text=[
                "Derived from the results of MLPerf Training, closed division, available systems; "
                "not verified by MLCommons.",
                "A line ends where results stop being comparable. Rounds that compare: "
                + "; ".join(spans)
                + ". Data: github.com/mlcommons/training_results_<round>.",
            ],
            orient="bottom",
            anchor="start",
            fontSize=10,
            fontWeight="normal",
            color=GREY,
        )
        left = history_panel(
            equal, families, rounds, f"The fastest at {count:,} accelerators", False
        )
        right = history_panel(
            overall, families, rounds, "The fastest at any number (written beside each point)", True
        )
        title = alt.TitleParams(f"{model}: best result of each accelerator family over the rounds")
        inner = alt.hconcat(left, right, spacing=40).properties(title=title)
        inner = inner.resolve_scale(color="independent", shape="independent")
        best = tables.records(overall.sort_values("minutes").head(1))[0]
        text = (
            f"{model} over the rounds {rounds[0]} to {rounds[-1]}: best {best['minutes']:.3g} "
            f"minutes ({best['accelerators']} {best['accelerator_family']}, round {best['round']})."
        )
        yield Figure(str(workload), theme(alt.vconcat(inner).properties(title=note)), text)
