"""Laws of scaling fitted to a series: Amdahl's, and Gunther's Universal Scalability Law.

Both give the time on N accelerators as ``T = C (1 + a (N-1) + b N (N-1)) / N`` with contention
``a`` and coherency ``b`` (0 in Amdahl's law, where ``a`` is the serial fraction). Fitted by bounded
least squares of log T (scipy). The knee is where ``S * E`` is largest.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

# A parameter closer to its bound than this part of what it could be was not determined by the data.
AT_BOUND = 1e-7


@dataclasses.dataclass(frozen=True)
class Law:
    """A fitted law: contention, coherency, and minutes on one accelerator."""

    contention: float
    coherency: float
    minutes_on_one: float
    at_bound: bool

    def minutes(self, accelerators: Floats) -> Floats:
        """Return the law's minutes on N accelerators."""
        overhead = self.contention * (accelerators - 1)
        overhead = overhead + self.coherency * accelerators * (accelerators - 1)
        return np.asarray(self.minutes_on_one * (1 + overhead) / accelerators)

    def knee(self) -> float:
        """Return the N at which S * E is largest, infinite where it never falls.

        Amdahl: (1-a)/a. USL: the positive root of 3 b N^2 + (a-b) N - (1-a) = 0.
        """
        a, b = self.contention, self.coherency
        if b == 0:
            return (1 - a) / a if a > 0 else float("inf")
        return float((-(a - b) + np.sqrt((a - b) ** 2 + 12 * b * (1 - a))) / (6 * b))

    def peak(self) -> float:
        """Return the N at which time is shortest: sqrt((1-a)/b), infinite without coherency."""
        if self.coherency == 0:
            return float("inf")
        return float(np.sqrt((1 - self.contention) / self.coherency))


def fit(accelerators: Floats, minutes: Floats, coherency: bool) -> Law:
    """Fit Amdahl's law (``coherency`` false) or the USL to points of one series.

    Args:
        accelerators: N of each point, shape (points,).
        minutes: time of each point, shape (points,).
        coherency: whether the law has the USL's coherency term.
    """
    # Takes a second to import, and few series have points enough to need it.
    from scipy.optimize import least_squares

    n = accelerators.astype(float)
    pair = n * (n - 1)
    target = np.log(minutes * n)

    def residuals(parameters: Floats) -> Floats:
        overhead = 1 + parameters[1] * (n - 1)
        if coherency:
            overhead = overhead + parameters[2] * pair
        return np.asarray(parameters[0] + np.log(overhead) - target)

    start = [float(target.min()), 1 / float(n.max())]
    low, high = [-np.inf, 0.0], [np.inf, 1.0]
    # Parameters differ by magnitudes: let the solver step in what each does at the largest N.
    scale = [1.0, 1 / float(n.max())]
    if coherency:
        start.append(0.1 / float(pair.max()))
        low.append(0.0)
        high.append(1.0)
        scale.append(1 / float(pair.max()))
    found = least_squares(
        residuals, start, bounds=(low, high), x_scale=scale, xtol=1e-14, ftol=1e-14, gtol=1e-14
    )
    # At a bound the solver leaves rounding noise that differs between versions: give the bound.
    shape = [
        0.0 if value < AT_BOUND * size else 1.0 if value > 1 - AT_BOUND else float(value)
        for value, size in zip(found.x[1:], scale[1:], strict=True)
    ]
    return Law(
        contention=shape[0],
        coherency=shape[1] if coherency else 0.0,
        minutes_on_one=float(np.exp(found.x[0])),
        at_bound=any(value in (0.0, 1.0) for value in shape),
    )
