"""The laws' published check values."""

import numpy as np
import pytest

from breakeven.laws import Law, fit


def test_usl_recovers_the_published_example():
    n = np.array([1, 2, 4, 6, 8, 10], dtype=float)
    throughput = np.array([1, 1.8868, 3.0769, 3.5294, 3.5398, 3.3557])
    law = fit(n, 1 / throughput, coherency=True)
    assert (law.contention, law.coherency) == pytest.approx((0.02, 0.02), rel=1e-3)
    assert not law.at_bound


def test_usl_peak():
    assert Law(0.001, 1e-5, 1.0, False).peak() == pytest.approx(316.07, abs=0.005)
    assert Law(0.1, 0.0, 1.0, False).peak() == float("inf")


def test_amdahl_knee():
    assert Law(0.01, 0.0, 1.0, False).knee() == pytest.approx(99)
    assert Law(0.0, 0.0, 1.0, False).knee() == float("inf")


@pytest.mark.parametrize(("a", "b"), [(0.001, 1e-5), (0.02, 0.02), (0.05, 1e-4)])
def test_usl_knee_is_where_speedup_times_efficiency_is_largest(a, b):
    law = Law(a, b, 1.0, False)
    n = np.linspace(1, 3 * law.knee() + 10, 400_001)
    best = n[np.argmax(1 / (law.minutes(n) ** 2 * n))]
    assert law.knee() == pytest.approx(best, abs=1e-3 * max(1.0, best))
    assert 3 * b * law.knee() ** 2 + (a - b) * law.knee() - (1 - a) == pytest.approx(0, abs=1e-9)


def test_amdahl_fit():
    n = np.array([8, 64, 512, 1024], dtype=float)
    law = fit(n, Law(0.004, 0.0, 250.0, False).minutes(n), coherency=False)
    assert law.contention == pytest.approx(0.004, rel=1e-6)
    assert law.minutes_on_one == pytest.approx(250.0, rel=1e-6)
