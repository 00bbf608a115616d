"""The sentence never says more than the data."""

import pytest

from breakeven.conclusions import sentence


def point(accelerators, price=None, **changes):
    return {
        "model": "BERT", "accelerator_model": "H100 SXM", "submitter": "NVIDIA",
        "series_name": "NVIDIA H100 SXM", "accelerators": accelerators, "price_of_hour": price,
        **changes,
    }  # fmt: skip


POINTS = [point(8), point(64, 3.0), point(1024, 272.7)]
FOUND = {"status": "found", "low": 8, "high": 1024, "reason": "r"}
LIKELY = [
    {"status": "found", "accelerators": 64, "probability": 0.84},
    {"status": "beyond", "accelerators": None, "probability": 0.16},
]


def test_a_knee_that_was_found():
    assert sentence(POINTS, FOUND, LIKELY) == (
        "BERT on H100 SXM (NVIDIA): past 64 accelerators each further hour saved costs 273 "
        "accelerator-hours (measured up to 1,024); knee between 8 and 1,024, most likely 64 "
        "(84 % of replicates)"
    )


BEYOND = {"status": "beyond", "low": 1024, "high": None, "reason": ""}
BELOW = {"status": "below", "low": None, "high": 8, "reason": ""}
AMBIGUOUS = {"status": "ambiguous", "low": 8, "high": 1024, "reason": ""}
REFUSED = {"status": "refused", "low": None, "high": None, "reason": "only 2"}


@pytest.mark.parametrize(
    ("knee", "said"),
    [
        (
            BEYOND,
            "no knee up to 1,024, still the best size by speedup times efficiency "
            "(a smooth curve's may lie anywhere above 64)",
        ),
        (
            BELOW,
            "no knee above 8, already the best size by speedup times efficiency "
            "(a smooth curve's may lie anywhere below 64)",
        ),
        (AMBIGUOUS, "the knee is ambiguous"),
        (REFUSED, "no knee can be read (only 2)"),
        (None, "the knee was not asked for"),
    ],
)
def test_other_answers_claim_no_probability_that_was_not_estimated(knee, said):
    text = sentence(POINTS, knee, [])
    assert text.endswith(said)
    assert "likely" not in text


def test_steps_that_save_nothing_or_cost_nothing():
    slower = sentence([point(8), point(16, None)], FOUND, [])
    assert "16 accelerators are no faster than 8" in slower
    free = sentence([point(8), point(16, -0.5)], FOUND, [])
    assert "from 8 to 16 accelerators time is saved at no accelerator-hours more" in free


def test_certainty_is_never_a_hundred_percent():
    sure = [{"status": "found", "accelerators": 64, "probability": 1.0}]
    assert "(over 99 % of replicates)" in sentence(POINTS, FOUND, sure)


def test_two_node_types_are_told_apart():
    points = [
        point(n, p, series_name="NVIDIA H100 SXM (8 a node, CPU)") for n, p in ((8, None), (16, 2))
    ]
    assert sentence(points, FOUND, []).startswith("BERT on H100 SXM (NVIDIA, 8 a node, CPU): ")


def test_an_edge_says_how_sure_it_is():
    beyond = [{"status": "beyond", "accelerators": None, "probability": 0.69}]
    assert sentence(POINTS, BEYOND, beyond).endswith("anywhere above 64) (69 % of replicates)")
    likely = sentence(POINTS, BEYOND, [{**LIKELY[0], "probability": 0.6}])
    assert likely.endswith(", most likely 64 (60 % of replicates)")
