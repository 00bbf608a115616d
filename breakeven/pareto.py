"""The Pareto front of minutes against accelerator-minutes."""

from __future__ import annotations

import pandas as pd


def front(points: pd.DataFrame) -> pd.Series:
    """Say for each point whether it is on the front of minutes against accelerator-minutes.

    A point is off the front when another is no worse in both and better in one.

    Args:
        points: columns minutes and accelerators.
    """
    time = points["minutes"].to_numpy(dtype=float)
    cost = time * points["accelerators"].to_numpy(dtype=float)
    no_worse = (time[None, :] <= time[:, None]) & (cost[None, :] <= cost[:, None])
    better = (time[None, :] < time[:, None]) | (cost[None, :] < cost[:, None])
    return pd.Series(~(no_worse & better).any(axis=1), index=points.index)
