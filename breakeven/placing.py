"""Where labels stand: beside their points, off other labels, points and lines, inside the frame."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]
Pixel = tuple[float, float]

# Widths of characters of the figures' font as shares of its size; others are near a digit's.
CHARACTER_WIDTHS = {",": 0.28, ".": 0.28, ":": 0.28, " ": 0.28, "i": 0.22, "l": 0.22, "×": 0.58}
USUAL_WIDTH = 0.57
# How far a label may stand from its point, in pixels; farther than the first, a line leads to it.
DISTANCES = (0.0, 9.0, 20.0, 34.0, 50.0, 70.0)
# Right first, as readers expect, then around.
DIRECTIONS = tuple(math.radians(angle) for angle in (0, 180, 270, 90, 315, 45, 225, 135))
# What a place costs: each pixel of depth into another label or a point, out of the frame, or of
# a line below the text; and each pixel away from the point.
LABEL_COST, POINT_COST, FRAME_COST, LINE_COST, DISTANCE_COST = 40.0, 15.0, 60.0, 0.6, 0.25
PASSES = 4


@dataclass(frozen=True)
class Place:
    """Where a label's middle stands, in pixels from the frame's top left; led if far from it."""

    x: float
    y: float
    led: bool


def text_width(text: str, size: float) -> float:
    """Return the width of a text in pixels, near enough to keep texts apart."""
    return size * math.fsum(CHARACTER_WIDTHS.get(letter, USUAL_WIDTH) for letter in text)


def place(
    points: Sequence[Pixel],
    texts: Sequence[str],
    size: float,
    frame: Pixel,
    *,
    lines: Sequence[Sequence[Pixel]] = (),
    obstacles: Sequence[Pixel] = (),
    radius: float = 6.0,
) -> list[Place | None]:
    """Choose a place for each label so that they stay apart.

    Args:
        points: where each label's point is, in pixels from the frame's top left.
        texts: the labels.
        size: of the font, pixels.
        frame: width and height, pixels.
        lines: paths that are drawn, which labels rather avoid.
        obstacles: further points without a label.
        radius: of a point's symbol, pixels.

    Returns:
        A place for each label; none where the same text already stands at the same spot.
    """
    labelled = _first_of_each(points, texts)
    if not labelled:
        return [None] * len(points)
    spots = np.array([points[i] for i in labelled], dtype=float)
    every = np.array([*points, *obstacles], dtype=float)
    halves = np.array([[text_width(texts[i], size) / 2, size * 0.42] for i in labelled])
    drawn = _sampled(lines)
    options = [_options(spot, half, radius) for spot, half in zip(spots, halves, strict=True)]
    # What does not depend on other labels is counted once.
    fixed = [
        _fixed_cost(middles, away, half, every, drawn, frame, radius)
        for (middles, away), half in zip(options, halves, strict=True)
    ]
    chosen = np.array([_cheapest(cost) for cost in fixed])
    for _ in range(PASSES):
        before = chosen.copy()
        for i, (middles, _) in enumerate(options):
            others = np.array(
                [options[j][0][chosen[j]] for j in range(len(options)) if j != i]
            ).reshape(-1, 2)
            reach = np.delete(halves, i, axis=0) + halves[i] + 1.5
            cost = fixed[i] + LABEL_COST * _depth(middles, others, reach)
            chosen[i] = _cheapest(cost)
        if (chosen == before).all():
            break
    places: list[Place | None] = [None] * len(points)
    for position, (i, option) in enumerate(zip(labelled, chosen, strict=True)):
        middles, away = options[position]
        x, y = middles[option]
        places[i] = Place(float(x), float(y), bool(away[option] > DISTANCES[1]))
    return places


def _cheapest(cost: Numbers) -> int:
    """Return the first of the cheapest; machines whose last bits differ agree on it."""
    return int(np.argmin(np.round(cost, 6)))


def _first_of_each(points: Sequence[Pixel], texts: Sequence[str]) -> list[int]:
    """Return the labels to draw: one where several points of one text lie on one another."""
    kept: list[int] = []
    for i, (point, text) in enumerate(zip(points, texts, strict=True)):
        twins = (k for k in kept if texts[k] == text and math.dist(points[k], point) < 9)
        if next(twins, None) is None:
            kept.append(i)
    return kept


def _options(spot: Numbers, half: Numbers, radius: float) -> tuple[Numbers, Numbers]:
    """Return the middles of a label's possible places, and how far each is from its point."""
    middles, away = [], []
    for distance in DISTANCES:
        for angle in DIRECTIONS:
            cosine, sine = math.cos(angle), math.sin(angle)
            gap = radius + 3 + distance
            middles.append([spot[0] + cosine * (gap + half[0]), spot[1] + sine * (gap + half[1])])
            away.append(distance)
    return np.array(middles), np.array(away)


def _depth(middles: Numbers, others: Numbers, reach: Numbers) -> Numbers:
    """Return how deep boxes at ``middles`` lie in others: the shorter side, summed, pixels."""
    if not len(others):
        return np.zeros(len(middles))
    inside = reach[None] - np.abs(middles[:, None] - others[None])
    depth: Numbers = np.clip(inside.min(axis=2), 0, None).sum(axis=1)
    return depth


def _fixed_cost(
    middles: Numbers,
    away: Numbers,
    half: Numbers,
    every: Numbers,
    drawn: Numbers,
    frame: Pixel,
    radius: float,
) -> Numbers:
    """Return what each place costs by points, lines, frame and distance."""
    cost = DISTANCE_COST * away + 0.01 * np.arange(len(away)) % len(DIRECTIONS)
    cost += POINT_COST * _depth(middles, every, np.broadcast_to(half + radius + 1.5, every.shape))
    if len(drawn):
        cost += LINE_COST * _depth(middles, drawn, np.broadcast_to(half + 1, drawn.shape))
    over = np.maximum(half - middles, 0) + np.maximum(middles + half - np.array(frame), 0)
    total: Numbers = cost + FRAME_COST * over.sum(axis=1)
    return total


def _sampled(lines: Sequence[Sequence[Pixel]]) -> Numbers:
    """Return points every four pixels along paths."""
    found = []
    for line in lines:
        for start, end in itertools.pairwise(line):
            steps = max(1, int(math.dist(start, end) / 4))
            share = np.linspace(0, 1, steps + 1)[:, None]
            found.append(np.array(start) * (1 - share) + np.array(end) * share)
    return np.concatenate(found) if found else np.empty((0, 2))
