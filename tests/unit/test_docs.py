"""docs/methods.md says what the code computes."""

import itertools
import math
import re

import pytest

from breakeven import study
from tests.conftest import ROOT

TEXT = (ROOT / "docs/methods.md").read_text()


def test_the_study_is_what_the_program_prints():
    assert study.table(study.results()) in TEXT


def test_the_study_s_claims_hold():
    rows = study.results()
    covered = [row["covered"] for row in rows if row["covered"] is not None]
    edges = [row["edges"] for row in rows if row["edges"] is not None]
    assert min(covered) >= 0.965
    assert min(edges) >= 0.945
    assert all(row["refused"] == 1 for row in rows if "two sizes" in row["case"])
    beyond = [row for row in rows if "beyond" in row["case"]]
    below = [row for row in rows if "below" in row["case"]]
    assert all(row["beyond"] > 0.95 for row in beyond)
    assert all(row["below"] > 0.95 for row in below)


def worked_example():
    lines = TEXT[TEXT.index("| N | T | S |") :].split("\n\n")[0].splitlines()[2:]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [[float(cell) if cell else None for cell in row] for row in rows]


def test_the_worked_example_can_be_worked():
    rows = worked_example()
    n0, t0 = rows[0][:2]
    for before, after in itertools.pairwise(rows):
        n, t, s, e, b, marginal, price = after
        assert s == pytest.approx(t0 / t, abs=2e-5)
        assert e == pytest.approx(s * n0 / n, abs=2e-6)
        assert b == pytest.approx(math.log(before[1] / t) / math.log(n / before[0]), abs=2e-6)
        assert marginal == pytest.approx((s - before[2]) / ((n - before[0]) / n0), abs=2e-6)
        paid = n * t - before[0] * before[1]
        assert price == pytest.approx(paid / (before[1] - t), rel=2e-6)
    products = [row[2] * row[3] for row in rows]
    named = re.search(r"S\*E is 1, ([\d.]+) and ([\d.]+)", TEXT)
    assert products[1:] == pytest.approx([float(named[1].rstrip(".")), float(named[2])], abs=2e-4)
    assert max(products) == products[1]
