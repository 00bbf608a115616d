"""A simulation study of the knee: how often its bracket holds the true one, and when it refuses.

Synthetic series follow a known law (Amdahl's or the USL) with the run-to-run noise of real rounds:
each run's time is lognormal around the law, ten runs a point, scored by the official rule. Seeded:
the same numbers on every machine that draws the same normals.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from breakeven import outcomes
from breakeven.config import BreakevenSettings
from breakeven.uncertainty import generator

Floats = npt.NDArray[np.float64]

SEED = 42
SERIES = 2000
RUNS = 10
DROPPED = 1
# Median coefficients of variation of run times: v4.1 BERT 7.1 %, Llama 2 70B LoRA 6.6 %.
NOISE = (0.03, 0.07, 0.15)


@dataclasses.dataclass(frozen=True)
class Case:
    """One kind of series: where its knee lies (evenly in log N) and where it is measured."""

    name: str
    knees: tuple[float, float]
    counts: tuple[int, ...]
    contention: float | None = None


CASES = (
    Case("Amdahl, knee 8 to 512, sizes 8, 64, 512", (8, 512), (8, 64, 512)),
    Case("Amdahl, knee 8 to 512, sizes 8 to 512 by 4", (8, 512), (8, 32, 128, 512)),
    Case(
        "Amdahl, knee 8 to 1024, sizes 8 to 1024 by 2", (8, 1024), tuple(2**i for i in range(3, 11))
    ),
    Case("USL, knee 16 to 512, sizes 8, 64, 512", (16, 512), (8, 64, 512), 0.001),
    Case("USL, knee 16 to 512, sizes 8 to 2048 by 4", (16, 512), (8, 32, 128, 512, 2048), 0.001),
    Case("Amdahl, knee beyond: 2000 to 9000, sizes 8, 64, 512", (2000, 9000), (8, 64, 512)),
    Case("Amdahl, knee below: 1 to 4, sizes 64, 512, 4096", (1, 4), (64, 512, 4096)),
    Case("Amdahl, knee 8 to 512, two sizes", (8, 512), (8, 512)),
)


def simulate(case: Case, noise: float) -> tuple[Floats, Floats]:
    """Draw many series of one kind.

    Returns:
        The true knees, shape (SERIES,), and the scores in minutes, shape (SERIES, sizes).
    """
    random = generator(SEED, f"{case.name}|{noise}")
    n = np.array(case.counts, dtype=float)
    low, high = np.log(case.knees)
    knees = np.exp(random.uniform(low, high, SERIES))
    if case.contention is None:
        contention, coherency = 1 / (1 + knees), np.zeros(SERIES)
    else:
        contention = np.full(SERIES, case.contention)
        coherency = (1 - contention - contention * knees) / (3 * knees**2 - knees)
    overhead = contention[:, None] * (n - 1) + coherency[:, None] * n * (n - 1)
    law = 600 * (1 + overhead) / n
    sigma = np.sqrt(np.log(1 + noise**2))
    drawn = random.normal(-(sigma**2) / 2, sigma, (SERIES, len(n), RUNS))
    times = np.sort(law[:, :, None] * np.exp(drawn), axis=2)
    means: Floats = times[:, :, DROPPED : RUNS - DROPPED].mean(axis=2)
    return knees, means


def results() -> list[dict[str, object]]:
    """Run the study.

    Returns:
        One row a case and noise: the share of series with each status; of those with a knee found
        the share whose bracket holds the true one; and of those "beyond" or "below" the share
        whose true knee is past the last size but one, or before the second (None where there is
        no such series).
    """
    settings = BreakevenSettings()
    rows: list[dict[str, object]] = []
    for case in CASES:
        n = np.array(case.counts, dtype=float)
        for noise in NOISE:
            truth, minutes = simulate(case, noise)
            positions = outcomes.knee(n, minutes, settings)
            found = np.flatnonzero(positions >= 0)
            inside = [n[positions[k] - 1] <= truth[k] <= n[positions[k] + 1] for k in found]
            edge = truth[positions == outcomes.BEYOND] >= n[-2]
            foot = truth[positions == outcomes.BELOW] <= n[1]
            right = np.concatenate([edge, foot])
            rows.append(
                {
                    "case": case.name,
                    "noise": noise,
                    "found": len(found) / SERIES,
                    "covered": float(np.mean(inside)) if inside else None,
                    "edges": float(right.mean()) if len(right) else None,
                    **{
                        word: float((positions == code).mean())
                        for code, word in outcomes.WORDS.items()
                    },
                }
            )
    return rows


def table(rows: Sequence[dict[str, object]]) -> str:
    """Write the study's results as a Markdown table, in percent."""
    heads = [
        "case",
        "noise",
        "found",
        "its bracket holds",
        *outcomes.WORDS.values(),
        "at an edge, right",
    ]
    lines = ["| " + " | ".join(heads) + " |", "| --- " + "| ---: " * (len(heads) - 1) + "|"]
    for row in rows:
        names = ("noise", "found", "covered", *outcomes.WORDS.values(), "edges")
        numbers = [row[name] for name in names]
        shown = ["" if v is None else f"{100 * float(str(v)):.0f} %" for v in numbers]
        lines.append("| " + " | ".join([str(row["case"]), *shown]) + " |")
    return "\n".join(lines) + "\n"
