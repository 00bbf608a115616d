"""Something odd about an input: what, where, and what was done about it."""

from __future__ import annotations

import collections
import dataclasses

# How many alike are kept of one file: a broken log may have as many as it has lines.
MOST = 5


@dataclasses.dataclass(frozen=True)
class Problem:
    """Something wrong with an input, and what was done about it."""

    line: int | None
    kind: str
    detail: str
    action: str


class Problems:
    """The problems of one file: the first few of each kind, and how many more there are."""

    def __init__(self) -> None:
        """Start with none."""
        self._kept: dict[str, list[Problem]] = {}
        self._more: collections.Counter[str] = collections.Counter()

    def append(self, problem: Problem) -> None:
        """Keep a problem, or count it where enough of its kind are kept."""
        alike = self._kept.setdefault(problem.kind, [])
        if len(alike) < MOST:
            alike.append(problem)
        else:
            self._more[problem.kind] += 1

    def listed(self) -> list[Problem]:
        """List what is kept; the last of a kind says how many more there were."""
        listed: list[Problem] = []
        for kind, alike in self._kept.items():
            listed += alike
            if more := self._more[kind]:
                detail = f"{alike[-1].detail}; and {more} more lines like it"
                listed[-1] = dataclasses.replace(alike[-1], detail=detail)
        return listed
