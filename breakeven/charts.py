"""Charts: small functions from the rows of one benchmark to one Altair chart, without a frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd

from breakeven import tables
from breakeven.annotations import Canvas, domain
from breakeven.labels import Say
from breakeven.pareto import front
from breakeven.theme import (
    COLOURS,
    GREY,
    INK,
    OUTLINED,
    SHAPES,
    accelerator_colour,
    count_axis,
    cycle,
    magnitude_scale,
    series_shape,
    share_scale,
)

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


@dataclass(frozen=True)
class Metric:
    """A column of the scaling table as a figure shows it, and its ideal for N/N0."""

    column: str
    ideal: Callable[[float], float]


METRICS = {
    "speedup": Metric("speedup", lambda ratio: ratio),
    "efficiency": Metric("efficiency", lambda ratio: 1.0),
}


def shown_points(points: pd.DataFrame) -> pd.DataFrame:
    """Add what is shown of each point: its accelerator with its category where not available."""
    kind = points["category"].map(lambda word: "" if word == "available" else f" ({word})")
    return points.assign(shown_accelerator=points["accelerator_model"] + kind)


def value_axis(points: pd.DataFrame, metric: Metric, view: str, say: Say) -> alt.Y:
    """Give the metric's axis: logarithmic where it spans magnitudes, else from zero."""
    values = points[metric.column]
    logarithmic = metric.column == "speedup" or view == "paper"
    look = magnitude_scale(values, including=1.0) if logarithmic else share_scale(values)
    return alt.Y(f"{metric.column}:Q", title=say(metric.column), **look)


def ideal_points(points: pd.DataFrame, metric: Metric, y: alt.Y) -> pd.DataFrame:
    """Return both ends of perfect scaling over the measured counts, from each ``reference``.

    It ends at the frame's upper edge: to cut it off there in drawing takes longer than the rest.
    """
    top = domain(y)[1]
    rows = []
    for n0 in sorted(set(points["reference_accelerators"])):
        high = points.loc[points["reference_accelerators"] == n0, "accelerators"].max()
        ratio = high / n0 if metric.ideal(high / n0) <= top else top
        rows += [
            {"accelerators": float(n0 * r), metric.column: metric.ideal(r), "reference": int(n0)}
            for r in (1.0, ratio)
        ]
    return pd.DataFrame(rows)


def ideal_line(ideal: pd.DataFrame, x: alt.X, y: alt.Y) -> alt.Chart:
    """Draw perfect scaling."""
    line: alt.Chart = (
        alt.Chart(ideal)
        .mark_line(color=GREY, strokeDash=[5, 4], strokeWidth=1.2)
        .encode(x=x, y=y, detail=alt.Detail("reference:N"))
    )
    return line


def tooltips(metric: Metric) -> list[alt.Tooltip]:
    """List what hovering over a point says."""
    return [
        alt.Tooltip("submitter:N"),
        alt.Tooltip("system:N"),
        alt.Tooltip("accelerator:N"),
        alt.Tooltip("accelerators:Q"),
        alt.Tooltip("minutes:Q", format=".3f"),
        alt.Tooltip(f"{metric.column}:Q", format=".3f"),
    ]


def found_points(
    points: pd.DataFrame, answers: pd.DataFrame, word: Callable[[int], str]
) -> pd.DataFrame:
    """Return the points that a method found, the fastest of each, with what to write at them."""
    keys = ["series", "accelerators"]
    found = answers.loc[answers["status"] == "found", keys].astype({"accelerators": "int64"})
    best = points.sort_values("minutes").drop_duplicates(keys).merge(found, on=keys)
    return best.assign(label=[word(int(n)) for n in best["accelerators"]])


def paper(
    points: pd.DataFrame, answers: pd.DataFrame, metric: Metric, say: Say
) -> alt.LayerChart | alt.FacetChart:
    """Draw every closed system against one reference; another accelerator is drawn hollow."""
    shown = shown_points(points)
    colour = accelerator_colour(shown, say)
    kinds = [say("same"), say("another")]
    drawn = shown[POINT_COLUMNS].assign(
        kind=shown["same_accelerator"].map({True: kinds[0], False: kinds[1]})
    )
    x, y = count_axis(shown, say), value_axis(shown, metric, "paper", say)
    dots = (
        alt.Chart(drawn)
        .mark_point(size=75, strokeWidth=1.7, opacity=1)
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
                title=say("against"),
                scale=alt.Scale(domain=kinds, range=["circle", "diamond"]),
                legend=OUTLINED,
            ),
            tooltip=tooltips(metric),
        )
    )
    ideal = ideal_points(points, metric, y)
    found = found_points(points, answers, lambda n: say("largest", n=f"{n:,}"))
    canvas = Canvas(x, y)
    rings = canvas.rings(points, found, canvas.paths(ideal, "reference"))
    return alt.layer(ideal_line(ideal, x, y), dots, *rings)


def series(
    points: pd.DataFrame, answers: pd.DataFrame, metric: Metric, say: Say
) -> alt.LayerChart | alt.FacetChart:
    """Draw scaling series with the band of run-to-run noise, each against its smallest system."""
    shown = shown_points(points)
    colour = alt.Color(**accelerator_colour(shown, say))
    x, y = count_axis(shown, say), value_axis(shown, metric, "series", say)
    ends = [f"{metric.column}_low", f"{metric.column}_high"]
    banded = shown[[*POINT_COLUMNS, *ends]].dropna(subset=ends)
    banded[ends] = banded[ends].clip(*domain(y))
    base = alt.Chart(shown[POINT_COLUMNS]).encode(x=x, y=y, color=colour)
    ideal = ideal_points(points, metric, y)
    layers: list[Any] = [ideal_line(ideal, x, y)]
    if not banded.empty:
        layers.append(
            alt.Chart(banded)
            .mark_area(fillOpacity=0.18, opacity=1)
            .encode(
                x=x,
                y=alt.Y(f"{ends[0]}:Q"),
                y2=alt.Y2(f"{ends[1]}:Q"),
                color=colour,
                detail=alt.Detail("series:N"),
            )
        )
    layers.append(base.mark_line(strokeWidth=2).encode(detail=alt.Detail("series:N")))
    layers.append(
        base.mark_point(filled=True, size=80, opacity=1).encode(
            shape=series_shape(shown, say), tooltip=tooltips(metric)
        )
    )
    found = found_points(points, answers, lambda n: say("knee", n=f"{n:,}"))
    canvas = Canvas(x, y)
    lines = [*canvas.paths(points, "series"), *canvas.paths(ideal, "reference")]
    return alt.layer(*layers, *canvas.rings(points, found, lines))


def time(points: pd.DataFrame, say: Say) -> alt.LayerChart | alt.FacetChart:
    """Draw minutes against accelerators of every scaling series."""
    shown = shown_points(points)
    base = alt.Chart(shown[POINT_COLUMNS]).encode(
        x=count_axis(shown, say),
        y=alt.Y("minutes:Q", title=say("minutes"), **magnitude_scale(shown["minutes"])),
        color=alt.Color(**accelerator_colour(shown, say)),
    )
    return alt.layer(
        base.mark_line(strokeWidth=2).encode(detail=alt.Detail("series:N")),
        base.mark_point(filled=True, size=80, opacity=1).encode(shape=series_shape(shown, say)),
    )


def pareto(points: pd.DataFrame, say: Say) -> alt.LayerChart | alt.FacetChart:
    """Draw minutes against accelerator-hours; points on their series' front are filled."""
    shown = shown_points(points)
    hours = shown["minutes"] * shown["accelerators"].astype(float) / 60
    shown = shown.assign(accelerator_hours=hours)
    drawn = shown[[*POINT_COLUMNS, "accelerator_hours", "on_front"]]
    colour = accelerator_colour(shown, say)
    x = alt.X(
        "accelerator_hours:Q",
        title=say("accelerator_hours"),
        **magnitude_scale(shown["accelerator_hours"]),
    )
    y = alt.Y("minutes:Q", title=say("minutes"), **magnitude_scale(shown["minutes"]))
    base, canvas = alt.Chart(drawn).encode(x=x, y=y), Canvas(x, y)
    return alt.layer(
        base.mark_line(strokeWidth=1.4, strokeOpacity=0.6).encode(
            color=alt.Color(**colour),
            detail=alt.Detail("series:N"),
            order=alt.Order("accelerators:Q"),
        ),
        base.mark_point(size=85, strokeWidth=1.8, opacity=1).encode(
            stroke=alt.Stroke(**{**colour, "legend": None}),
            fill=alt.Fill(**{**colour, "legend": None}),
            fillOpacity=alt.when("datum.on_front").then(alt.value(1)).otherwise(alt.value(0)),
            shape=series_shape(shown, say),
        ),
        *canvas.labels(drawn, counted(drawn), canvas.paths(drawn, "series"), color=INK),
    )


def counted(points: pd.DataFrame) -> pd.DataFrame:
    """Label points with their number of accelerators."""
    return points.assign(label=[f"{n:,}" for n in points["accelerators"]])


def runs(points: pd.DataFrame, run_rows: pd.DataFrame, say: Say) -> alt.LayerChart | alt.FacetChart:
    """Draw every run of every series' points as a dot, and the score as a bar.

    Args:
        points: series rows of the scaling table.
        run_rows: rows of the runs table that count.
        say: the words.
    """
    shown = shown_points(points)
    keys = ["submitter", "system", "benchmark"]
    joined = shown.merge(run_rows[[*keys, "minutes"]], on=keys, suffixes=("_score", ""))
    rank = joined.groupby(["series", "accelerators"])["minutes"].rank(method="first")
    size = joined.groupby(["series", "accelerators"])["minutes"].transform("size")
    # Dots of one point stand side by side over a twelfth of an octave, in the order of their times.
    spread = ((rank - 0.5) / size - 0.5) * 0.35
    drawn = joined.assign(accelerators=joined["accelerators"].astype(float) * 2**spread)
    colour = alt.Color(**accelerator_colour(shown, say))
    columns = ["accelerators", "minutes", "series", "series_name", "shown_accelerator", "system"]
    x = count_axis(shown, say)
    y = alt.Y("minutes:Q", title=say("run_minutes"), **magnitude_scale(joined["minutes"]))
    dots = (
        alt.Chart(drawn[columns])
        .mark_point(filled=True, size=32, fillOpacity=0.75, opacity=1)
        .encode(x=x, y=y, color=colour, shape=series_shape(shown, say))
    )
    scores = (
        alt.Chart(shown[[*POINT_COLUMNS]])
        .mark_tick(orient="horizontal", thickness=2, size=26, color=INK)
        .encode(x=x, y=y)
    )
    return alt.layer(dots, scores)


def strip(
    answers: pd.DataFrame, points: pd.DataFrame, methods: Sequence[str], say: Say
) -> alt.LayerChart | alt.FacetChart:
    """Draw each method's answer, bracket and probability for each series on one axis."""
    low, high = int(points["accelerators"].min()), int(points["accelerators"].max())
    rows = []
    for row in tables.records(answers):
        beyond, below = row["status"] == "beyond", row["status"] == "below"
        if row["status"] != "found" and not (beyond or below):
            continue
        point = row["low"] if beyond else row["high"] if below else row["accelerators"]
        rows.append(
            {
                "series_name": row["series_name"],
                "method": row["method"].replace("_", " "),
                "accelerators": point,
                "low": row["low"] or point,
                "high": row["high"] or point,
                "status": row["status"],
                "probability": 0.5 if row["probability"] is None else row["probability"],
                "label": f"{point:,}" if row["status"] == "found" else "",
            }
        )
    frame = pd.DataFrame(rows)
    ticks = [2**i for i in range(24) if low / 2 < 2**i < high * 2]
    x = alt.X(
        "accelerators:Q",
        title=say("accelerators"),
        scale=alt.Scale(type="log", base=2, domain=[low / 1.5, high * 1.5], nice=False),
        axis=alt.Axis(values=ticks, format=",d", labelOverlap="greedy"),
    )
    order = {name.replace("_", " "): i for i, name in enumerate(methods)}
    y = alt.Y("method:N", title=None, sort=sorted(set(frame["method"]), key=order.__getitem__))
    base = alt.Chart(frame).encode(y=y)
    shapes = {"found": "circle", "beyond": "triangle-right", "below": "triangle-left"}
    layers = alt.layer(
        base.mark_rule(strokeWidth=3, color=COLOURS[5]).encode(
            x=alt.X("low:Q"), x2=alt.X2("high:Q")
        ),
        base.mark_point(filled=True, color=COLOURS[0], opacity=1).encode(
            x=x,
            size=alt.Size(
                "probability:Q",
                title=say("probability"),
                scale=alt.Scale(domain=[0, 1], range=[30, 200]),
                legend=alt.Legend(format=".0%", values=[0.5, 0.8, 1.0]),
            ),
            shape=alt.Shape(
                "status:N",
                scale=alt.Scale(domain=list(shapes), range=list(shapes.values())),
                legend=None,
            ),
        ),
        base.mark_text(dy=-13, fontSize=10, color=INK).encode(x=x, text=alt.Text("label:N")),
    ).properties(width=430, height=alt.Step(28))
    facets: alt.FacetChart = layers.facet(
        row=alt.Row(
            "series_name:N",
            title=None,
            header=alt.Header(
                labelAngle=0, labelAlign="left", labelAnchor="middle", labelLimit=260
            ),
        ),
        spacing=6,
    ).resolve_scale(y="independent")
    return facets


def decomposition(points: pd.DataFrame, say: Say) -> alt.FacetChart:
    """Draw which factor ate what of the efficiency of each series.

    Args:
        points: series rows of the scaling table whose factors are known.
        say: the words.
    """
    # Each factor with its column, colour and dash; solid black is their product.
    factors: list[tuple[str, str, str, list[int]]] = [
        (say("product"), "efficiency", "#000000", []),
        (say("throughput"), "efficiency_throughput", COLOURS[0], [6, 3]),
        (say("convergence"), "efficiency_convergence", COLOURS[1], [2, 2]),
        (say("normalisation"), "efficiency_normalisation", COLOURS[2], [8, 3, 2, 3]),
    ]
    frame = pd.DataFrame(
        {
            "series": row["series_name"],
            "accelerators": row["accelerators"],
            "factor": name,
            "value": row[column],
        }
        for row in tables.records(points)
        for name, column, _, _ in factors
    )
    names = [name for name, *_ in factors]
    base = alt.Chart(frame).encode(
        x=count_axis(points, say),
        y=alt.Y("value:Q", title=say("factor"), **magnitude_scale(frame["value"], including=0.6)),
        color=alt.Color(
            "factor:N",
            title=None,
            scale=alt.Scale(domain=names, range=[colour for _, _, colour, _ in factors]),
        ),
    )
    dash = alt.StrokeDash(
        "factor:N",
        title=None,
        scale=alt.Scale(domain=names, range=[dash for *_, dash in factors]),
    )
    layers = alt.layer(
        base.mark_line(strokeWidth=2).encode(strokeDash=dash),
        base.mark_point(filled=True, size=45, opacity=1),
    ).properties(width=300, height=220)
    facets: alt.FacetChart = layers.facet(facet=alt.Facet("series:N", title=None), columns=3)
    return facets


def cover(points: pd.DataFrame, say: Say) -> alt.FacetChart:
    """Draw the efficiency of all series of a round, one small panel a benchmark."""
    shown = shown_points(points)
    columns = ["model", "series", "accelerators", "efficiency", "shown_accelerator"]
    base = alt.Chart(shown[columns]).encode(
        x=count_axis(shown, say),
        y=alt.Y("efficiency:Q", title=say("efficiency"), **share_scale(shown["efficiency"])),
        color=alt.Color(**accelerator_colour(shown, say)),
        detail=alt.Detail("series:N"),
    )
    layers = alt.layer(
        base.mark_line(strokeWidth=1.8), base.mark_point(filled=True, size=40, opacity=1)
    ).properties(width=260, height=170)
    facets: alt.FacetChart = layers.facet(facet=alt.Facet("model:N", title=None), columns=3)
    return facets


def history_panel(
    points: pd.DataFrame, families: list[str], rounds: list[str], title: str, full: bool, say: Say
) -> Any:
    """Draw one basis of a benchmark's history; a line breaks where a comparability span ends.

    Args:
        points: rows of the history table of one basis.
        families: all families of the figure, so that colours mean the same in both panels.
        rounds: all rounds of the figure, in order.
        title: the panel's.
        full: whether to write each point's accelerators beside it, and the legend.
        say: the words.
    """
    key = alt.Legend() if full else None
    width, height = 520 if full else 300, 380
    shapes = [SHAPES[(i // len(COLOURS) + i) % len(SHAPES)] for i in range(len(families))]
    columns = ["round", "accelerator_family", "accelerators", "minutes", "submitter", "system"]
    drawn = points.assign(key=points["accelerator_family"] + " " + points["span"])
    x = alt.X(
        "round:O",
        title=say("history_round"),
        scale=alt.Scale(domain=rounds),
        axis=alt.Axis(labelAngle=0),
    )
    y = alt.Y("minutes:Q", title=say("minutes"), **magnitude_scale(points["minutes"]))
    base = alt.Chart(drawn[[*columns, "key"]]).encode(
        x=x,
        y=y,
        color=alt.Color(
            "accelerator_family:N",
            title=say("accelerator"),
            scale=alt.Scale(domain=families, range=cycle(families, COLOURS)),
            legend=key,
        ),
    )
    shape = alt.Shape(
        "accelerator_family:N",
        title=say("accelerator"),
        scale=alt.Scale(domain=families, range=shapes),
        legend=key,
    )
    layers = [
        base.mark_line(strokeWidth=1.8).encode(detail=alt.Detail("key:N")),
        base.mark_point(filled=True, size=75, opacity=1).encode(shape=shape),
    ]
    if full:
        canvas = Canvas(x, y, width, height)
        layers += canvas.labels(drawn, counted(drawn), canvas.paths(drawn, "key"), color=INK)
    return alt.layer(*layers).properties(
        width=width, height=height, title=alt.TitleParams(title, fontSize=12, fontWeight="normal")
    )


def empty(reason: str, say: Say) -> alt.Chart:
    """Say honestly that there is nothing to draw, and why."""
    text: alt.Chart = (
        alt.Chart(pd.DataFrame({"text": [say("empty", reason=reason)]}))
        .mark_text(fontSize=13, color=GREY)
        .encode(text=alt.Text("text:N"))
    )
    return text


def usual_count(history: pd.DataFrame) -> int:
    """Return the number of accelerators at which most families and rounds have a result."""
    equal = history[history["basis"] == "equal"]
    pairs = equal.groupby("accelerators").size()
    return int(pairs.index[pairs == pairs.max()].min())


def on_front(points: pd.DataFrame) -> pd.Series:
    """Say for each point whether it is on the Pareto front of its own series."""
    parts = [front(part) for _, part in points.groupby("series")]
    together: pd.Series = pd.concat(parts).reindex(points.index)
    return together
