"""Whether a round's facts are what a new reading of its raw files says."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa

from breakeven.facts import TABLES, Stored


class Difference(NamedTuple):
    """A row that only one of two readings has: ``line`` is None where its table has no lines."""

    table: str
    path: str
    line: int | None
    what: str

    @property
    def where(self) -> str:
        """Name the place: the path, and the line where there is one."""
        return self.path if self.line is None else f"{self.path}:{self.line}"


def difference(ours: Mapping[str, pa.Table], theirs: Mapping[str, pa.Table]) -> list[Difference]:
    """Compare two readings of a round, row by row.

    Returns:
        What each side has that the other lacks ("only here" or "only upstream"), sorted. A row
        whose content changed appears once on each side, and one that is there twice instead of
        once appears once.
    """
    found = []
    for table in TABLES:
        left, right = ours[table.name], theirs[table.name]
        if left.equals(right):
            continue
        here, there = (
            collections.Counter(tuple(row.values()) for row in side.to_pylist())
            for side in (left, right)
        )
        for what, rows in (("only here", here - there), ("only upstream", there - here)):
            for values in rows.elements():
                row = dict(zip(table.schema.names, values, strict=True))
                found.append(Difference(table.name, row["path"], row.get("line"), what))
    return sorted(found, key=lambda row: (row.table, row.path, row.line or 0, row.what))


@dataclasses.dataclass(frozen=True)
class Verdict:
    """Whether a round's facts hold, and the report that says so."""

    holds: bool
    text: str


def verdict(
    ours: Stored, theirs: Stored, altered: Sequence[str], source: str, limit: int = 20
) -> Verdict:
    """Judge the facts in the repository against a new reading of the raw files.

    A file that one side could not have is not a contradiction: it is named and left out.

    Args:
        ours: the facts in the repository.
        theirs: the facts parsed anew.
        altered: raw files whose bytes are not what their blob ids say.
        source: where the raw files come from, for the report.
        limit: how many differences to list.
    """
    here, there = (_states(side["files"]) for side in (ours, theirs))
    both = sorted(here.keys() & there.keys())
    gained = [path for path in both if (here[path], there[path]) == ("absent", "present")]
    lost = [path for path in both if (here[path], there[path]) == ("present", "absent")]
    apart = {*gained, *lost}
    found = [row for row in difference(ours, theirs) if row.path not in apart]
    holds = not found and not altered
    lines = [f"Facts against {source}"]
    compared = len(here.keys() - apart)
    if holds:
        rows = sum(len(ours[table.name]) for table in TABLES)
        lines.append(f"HOLDS: {compared} files compared, {rows} rows of facts, no difference")
    else:
        lines.append(f"DOES NOT HOLD: {compared} files compared, {len(found)} rows differ")
    lines += [f"  {row.what}: {row.table}: {row.where}" for row in found[:limit]]
    if len(found) > limit:
        lines.append(f"  and {len(found) - limit} more")
    lines += [f"  raw file changed since its download: {path}" for path in altered]
    for paths, what in (
        (gained, "can be had now, but could not when the facts were made: parse them anew"),
        (lost, "could not be had now, so that their facts were not checked"),
    ):
        if paths:
            lines.append(f"{len(paths)} files {what}:")
            lines += [f"  {path}" for path in paths]
    return Verdict(holds, "\n".join(lines) + "\n")


def _states(files: pa.Table) -> dict[str, str]:
    return dict(zip(files["path"].to_pylist(), files["state"].to_pylist(), strict=True))
