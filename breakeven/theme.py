"""One look for all figures: font, colours, axes, frame and footnote.

The font is one that vl-convert carries, so that no machine lacks it. Colours are Okabe and Ito's,
which colour-blind readers can tell apart; shapes and dashes say the same again for black and white.
"""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd

from breakeven.config import Round
from breakeven.labels import Say

# The version of Vega-Lite that charts are written for, here and in the page.
VEGALITE = "6.4"
FONT = "Liberation Sans"
INK, GREY = "#222222", "#6b6b6b"
WIDTH, HEIGHT = 620, 380

# Yellow is left out, too pale on white; the eighth is a grey.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#56B4E9", "#E69F00", "#7F7F7F")
SHAPES = (
    "circle",
    "square",
    "triangle-up",
    "diamond",
    "cross",
    "triangle-down",
    "triangle-right",
    "triangle-left",
    "wedge",
)

# A legend whose symbols show their outline alone.
OUTLINED = alt.Legend(symbolStrokeColor=INK, symbolFillColor="transparent")


def cycle(names: list[str], choices: tuple[str, ...]) -> list[str]:
    """Give each name the next choice, from the first again after the last."""
    return [choices[i % len(choices)] for i in range(len(names))]


def look() -> alt.Config:
    """Return the one theme of whole figures."""
    return alt.Config(
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
        header=alt.HeaderConfig(labelFontSize=12),
        view=alt.ViewConfig(stroke=None),
    )


def note(lines: list[str]) -> alt.TitleParams:
    """Write lines under a figure."""
    return alt.TitleParams(
        text=lines, orient="bottom", anchor="start", fontSize=10, fontWeight="normal", color=GREY
    )


def footnote(pinned: Round, division: str, say: Say) -> alt.TitleParams:
    """Say under a figure that its metric is unofficial, and where its data come from."""
    return note(
        [
            say("unofficial", round=pinned.title, division=division),
            say("source", repository=pinned.repository, commit=pinned.commit),
        ]
    )


def framed(inner: Any, title: str, subtitle: list[str], under: alt.TitleParams) -> alt.VConcatChart:
    """Put title, subtitle and footnote around a chart, and apply the theme."""
    # Set in place: every way that gives a new chart copies the whole of the old one.
    inner["title"] = alt.TitleParams(title, subtitle=subtitle)
    return alt.VConcatChart(vconcat=[inner], title=under, config=look())


def sized(layers: Any, width: int = WIDTH, height: int = HEIGHT) -> Any:
    """Give a single chart its size."""
    layers["width"], layers["height"] = width, height
    return layers


def count_axis(points: pd.DataFrame, say: Say) -> alt.X:
    """Accelerators on a logarithmic axis, ticked by powers of two."""
    low, high = int(points["accelerators"].min()), int(points["accelerators"].max())
    ticks = [2**i for i in range(24) if low / 2 < 2**i < high * 2]
    return alt.X(
        "accelerators:Q",
        title=say("accelerators"),
        scale=alt.Scale(type="log", base=2, domain=[low / 1.25, high * 1.25], nice=False),
        axis=alt.Axis(values=ticks, format=",d", grid=False, labelOverlap="greedy"),
    )


def magnitude_ticks(low: float, high: float) -> list[float]:
    """Return ticks of a logarithmic axis: 1, 2 and 5 of each power of ten; more where few fit."""
    for steps in ((1, 2, 5), (1, 2, 3, 4, 5, 6, 7, 8, 9), tuple(i / 10 for i in range(10, 100))):
        ticks = [float(f"{m}e{e}") for e in range(-4, 7) for m in steps]
        inside = [tick for tick in ticks if low < tick < high]
        if len(inside) > 1:
            break
    return inside


def magnitude_scale(values: pd.Series, including: float | None = None) -> dict[str, Any]:
    """Return scale and axis of values that span magnitudes, with room above and below."""
    low, high = float(values.min()), float(values.max())
    if including is not None:
        low, high = min(low, including), max(high, including)
    low, high = low / 1.3, high * 1.4
    return {
        "scale": alt.Scale(type="log", domain=[low, high], nice=False),
        "axis": alt.Axis(values=magnitude_ticks(low, high), format=",~g"),
    }


def share_scale(values: pd.Series) -> dict[str, Any]:
    """Return scale and axis of fractions, from zero to at least one."""
    return {
        "scale": alt.Scale(domain=[0, max(1.1, float(values.max()) * 1.05)], nice=False),
        "axis": alt.Axis(format=".0%"),
    }


def accelerator_colour(points: pd.DataFrame, say: Say) -> dict[str, Any]:
    """Colour by accelerator, in the order of their names: arguments of a colour channel."""
    models = sorted(set(points["shown_accelerator"]))
    return {
        "shorthand": "shown_accelerator:N",
        "title": say("accelerator"),
        "scale": alt.Scale(domain=models, range=cycle(models, COLOURS)),
        "legend": alt.Legend(symbolType="circle", symbolOpacity=1),
    }


def series_shape(points: pd.DataFrame, say: Say) -> alt.Shape:
    """Tell series apart by shape, in the order of their names."""
    series = sorted(set(points["series_name"]))
    return alt.Shape(
        "series_name:N",
        title=say("series"),
        scale=alt.Scale(domain=series, range=cycle(series, SHAPES)),
        legend=OUTLINED,
    )
