"""Writing beside points: labels placed so that they stay apart, and rings around found points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from breakeven import placing
from breakeven.theme import GREY, HEIGHT, INK, WIDTH

RING_RADIUS = 10.0


@dataclass(frozen=True)
class Canvas:
    """The frame of a chart: its axes, whose scales have a domain, and its size in pixels."""

    x: alt.X
    y: alt.Y
    width: float = WIDTH
    height: float = HEIGHT

    def spots(self, points: pd.DataFrame) -> list[placing.Pixel]:
        """Return where points are drawn, in pixels from the frame's top left."""
        across = _share(points, self.x) * self.width
        down = (1 - _share(points, self.y)) * self.height
        return [(float(x), float(y)) for x, y in zip(across, down, strict=True)]

    def paths(self, points: pd.DataFrame, group: str) -> list[list[placing.Pixel]]:
        """Return the lines that join the points of each group, in the table's order."""
        spots = np.array(self.spots(points)).reshape(-1, 2)
        groups = points[group].to_numpy()
        return [[(x, y) for x, y in spots[groups == name]] for name in dict.fromkeys(groups)]

    def labels(
        self,
        points: pd.DataFrame,
        marked: pd.DataFrame,
        paths: list[list[placing.Pixel]],
        *,
        size: float = 10,
        radius: float = 5,
        **look: Any,
    ) -> list[alt.Chart]:
        """Write the ``label`` of marked points where it keeps apart from all else.

        Args:
            points: all points drawn, with the columns of the axes.
            marked: those with a ``label``, with the same columns.
            paths: lines drawn, in pixels.
            size: of the text, pixels.
            radius: of the marked points' symbols, pixels.
            look: further properties of the text mark.
        """
        spots = self.spots(marked)
        places = placing.place(
            spots,
            list(marked["label"]),
            size,
            (self.width, self.height),
            lines=paths,
            obstacles=self.spots(points),
            radius=radius,
        )
        rows = [
            {"label": label, "x": round(place.x, 1), "y": round(place.y, 1), "led": place.led}
            | {"point_x": round(spot[0], 1), "point_y": round(spot[1], 1)}
            for label, place, spot in zip(marked["label"], places, spots, strict=True)
            if place is not None
        ]
        if not rows:
            return []
        base = alt.Chart(pd.DataFrame(rows)).encode(
            x=alt.X("x:Q", scale=None), y=alt.Y("y:Q", scale=None)
        )
        texts = base.mark_text(fontSize=size, align="center", baseline="middle", **look)
        charts = [texts.encode(text=alt.Text("label:N"))]
        if any(row["led"] for row in rows):
            led = base.transform_filter("datum.led").mark_rule(color=GREY, strokeWidth=0.5)
            charts.insert(0, led.encode(x2=alt.X2("point_x:Q"), y2=alt.Y2("point_y:Q")))
        return charts

    def rings(
        self, points: pd.DataFrame, marked: pd.DataFrame, paths: list[list[placing.Pixel]]
    ) -> list[alt.Chart]:
        """Ring marked points and write their ``label`` beside them; nothing without any."""
        if marked.empty:
            return []
        columns = [_about(self.x)["field"], _about(self.y)["field"]]
        ring = alt.Chart(marked[columns]).mark_point(
            shape="circle", size=330, stroke=INK, strokeWidth=1.6, fill=None
        )
        encoded = ring.encode(x=alt.X(f"{columns[0]}:Q"), y=alt.Y(f"{columns[1]}:Q"))
        return [
            encoded,
            *self.labels(
                points, marked, paths, size=11, radius=RING_RADIUS, fontWeight="bold", color=INK
            ),
        ]


def domain(channel: alt.X | alt.Y) -> tuple[float, float]:
    """Return the ends of an axis whose scale has a domain."""
    low, high = _about(channel)["scale"]["domain"]
    return low, high


def _about(channel: alt.X | alt.Y) -> dict[str, Any]:
    """Return a channel as its specification: field, type, scale."""
    about: Any = channel.to_dict()
    return dict(about)


def _share(points: pd.DataFrame, channel: alt.X | alt.Y) -> placing.Numbers:
    """Return how far along an axis values stand: 0 at its start, 1 at its end."""
    about = _about(channel)
    values, domain = points[about["field"]], about["scale"]["domain"]
    if about["type"] == "ordinal":
        order = {name: i for i, name in enumerate(domain)}
        middles: placing.Numbers = (values.map(order).to_numpy(dtype=float) + 0.5) / len(domain)
        return middles
    numbers, ends = values.to_numpy(dtype=float), np.array(domain, dtype=float)
    if about["scale"].get("type") == "log":
        numbers, ends = np.log(numbers), np.log(ends)
    share: placing.Numbers = (numbers - ends[0]) / (ends[1] - ends[0])
    return share
