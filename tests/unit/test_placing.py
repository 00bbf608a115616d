"""Labels keep apart, inside the frame, near their points."""

import itertools

import altair as alt
import numpy as np
import pandas as pd
import pytest

from breakeven import placing
from breakeven.annotations import Canvas

FRAME = (620.0, 380.0)
SIZE = 10.0


def boxes(texts, places):
    for text, place in zip(texts, places, strict=True):
        if place is not None:
            half = placing.text_width(text, SIZE) / 2
            yield (place.x - half, place.y - SIZE / 2, place.x + half, place.y + SIZE / 2)


def meet(a, b):
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


@pytest.mark.parametrize("seed", range(8))
def test_labels_of_a_crowd_do_not_meet_each_other_or_leave_the_frame(seed):
    generator = np.random.default_rng(seed)
    middles = generator.uniform((40, 40), (580, 340), size=(5, 2))
    spots = np.concatenate([middle + generator.normal(0, 14, size=(5, 2)) for middle in middles])
    texts = [f"{n:,}" for n in generator.choice([8, 64, 512, 1024, 3472], size=25)]
    found = list(boxes(texts, placing.place([tuple(s) for s in spots], texts, SIZE, FRAME)))
    assert len(found) > 15
    for box, other in itertools.combinations(found, 2):
        assert not meet(box, other)
    for left, top, right, bottom in found:
        assert left >= 0
        assert top >= 0
        assert right <= FRAME[0]
        assert bottom <= FRAME[1]


def test_a_lone_label_stands_right_of_its_point_and_leaves_a_line_free():
    (place,) = placing.place([(100, 100)], ["64"], SIZE, FRAME)
    assert (place.x > 105, place.y, place.led) == (True, 100, False)
    (moved,) = placing.place([(100, 100)], ["64"], SIZE, FRAME, lines=[[(100, 100), (300, 100)]])
    assert moved.x <= 95 or moved.y != 100
    (inside,) = placing.place([(615, 100)], ["64"], SIZE, FRAME)
    assert inside.x < 610


def test_one_label_for_one_text_at_one_spot():
    places = placing.place([(100, 100), (102, 101), (102, 101)], ["8", "8", "16"], SIZE, FRAME)
    assert [place is None for place in places] == [False, True, False]


def test_where_a_chart_draws_its_points():
    points = pd.DataFrame({"n": [8, 64], "round": ["b", "a"], "line": ["x", "x"]})
    n = alt.X("n:Q", scale=alt.Scale(type="log", base=2, domain=[4, 64]))
    share = alt.Y("n:Q", scale=alt.Scale(domain=[0, 128]))
    rounds = alt.X("round:O", scale=alt.Scale(domain=["a", "b"]))
    assert Canvas(n, share, 400, 100).spots(points) == [(100, 93.75), (400, 50)]
    assert Canvas(rounds, share, 400, 100).paths(points, "line") == [[(300, 93.75), (100, 50)]]
