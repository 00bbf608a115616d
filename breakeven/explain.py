"""From an artefact back to the log lines: figure, rows, scores, runs, and where each run stands.

:func:`explain` builds a tree of steps, each with a line for people and its facts for machines.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from breakeven import config, facts, provenance, schemas, tables
from breakeven.dictionary import RESULTS
from breakeven.errors import BreakevenError

Row = dict[str, Any]

# How many rows are listed when none is chosen.
LISTED = 60
SCHEMAS = {table.name: table.schema for table in RESULTS}
SCORE_KEYS = ("benchmark", "submitter", "system")


@dataclasses.dataclass
class Step:
    """One step of the chain: a line for people, its facts, and what it comes from."""

    line: str
    facts: Row
    sources: list[Step] = dataclasses.field(default_factory=list)

    def as_text(self) -> str:
        """Draw the step and all before it as a tree."""
        return "\n".join([self.line, *_branches(self.sources, "")])

    def as_json(self) -> Row:
        """Return the step and all before it as JSON."""
        return {
            "step": self.line,
            **self.facts,
            "from": [source.as_json() for source in self.sources],
        }


def _branches(steps: Sequence[Step], indent: str) -> Iterator[str]:
    for step in steps:
        last = step is steps[-1]
        yield f"{indent}{'└─' if last else '├─'} {step.line}"
        yield from _branches(step.sources, f"{indent}{'   ' if last else '│  '}")


@dataclasses.dataclass(frozen=True)
class Project:
    """The project's folder, with the tables of its results read once."""

    root: Path

    @functools.cached_property
    def _read(self) -> Callable[[str, str], pd.DataFrame]:
        @functools.cache
        def read(name: str, round_name: str) -> pd.DataFrame:
            folder = self.root / "results" / round_name
            return tables.read(folder / f"{name}.parquet", SCHEMAS[name])

        return read

    def table(self, name: str, round_name: str = "") -> pd.DataFrame:
        """Return a table of a round, or of all rounds together."""
        return self._read(name, round_name)

    def rows(self, table: str, round_name: str, **values: Any) -> list[Row]:
        """Return the rows of a table that have these values."""
        return tables.records(chosen(self.table(table, round_name), values.items()))

    def pin(self, round_name: str) -> config.Round:
        """Return a round's pin."""
        return config.load_round(self.root / "config" / "rounds", round_name)

    def sidecars(self) -> Iterator[Path]:
        """List the records of all artefacts."""
        yield from sorted((self.root / "results").rglob(f"*{provenance.SUFFIX}"))


def chosen(frame: pd.DataFrame, wanted: Iterable[tuple[str, Any]]) -> pd.DataFrame:
    """Return the rows whose columns have the wanted values, compared as text.

    Raises:
        BreakevenError: there is no such column.
    """
    for name, value in wanted:
        if name not in frame.columns:
            raise BreakevenError(
                f"there is no column {name!r}; columns: {', '.join(frame.columns)}"
            )
        frame = frame[frame[name].astype("string") == str(value)]
    return frame


def find(project: Project, path: Path) -> tuple[Path, provenance.Record, bool]:
    """Find the record of an artefact, wherever its file was copied to.

    Returns:
        The record's file, the record, and whether the artefact's bytes are those it names.

    Raises:
        BreakevenError: the file is not there, or no record is of it.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise BreakevenError(f"{path}: cannot be read ({error.strerror})") from error
    identity, hashed = provenance.embedded(data), provenance.sha256(path)
    by_identity = None
    for sidecar in project.sidecars():
        # Most records are of something else: a look at their text spares parsing them.
        text = sidecar.read_text(encoding="utf-8", errors="replace")
        if hashed in text:
            record = provenance.read(sidecar)
            if any(entity["sha256"] == hashed for entity in record["prov:generated"]):
                return sidecar, record, True
        if identity is not None and f'"{identity}"' in text:
            by_identity = sidecar
    if by_identity is not None:
        return by_identity, provenance.read(by_identity), False
    named = f" (it carries the id {identity})" if identity else ""
    raise BreakevenError(
        f"{path}: no record in results/ is of this file{named}: it was changed, or made by "
        "another state of the project. Run snakemake for the results of this one"
    )


def explain(
    root: Path, path: Path, wanted: Sequence[tuple[str, str]] = (), point: int | None = None
) -> Step:
    """Trace an artefact, or one of its points or rows, back to upstream's files.

    Args:
        root: the project's folder, with results.
        path: a table, figure, picture or page; it may be a copy elsewhere.
        wanted: columns and values that choose rows.
        point: the number of one row among these, from 1.

    Raises:
        BreakevenError: no record is of the file, or nothing is chosen.
    """
    project = Project(root)
    sidecar, record, same = find(project, path)
    place = sidecar.relative_to(root).as_posix().removesuffix(provenance.SUFFIX)
    agent = record["prov:wasAssociatedWith"]
    head = Step(
        place if same else f"{place} (of this id; the file's bytes are not those recorded)",
        {"artefact": place, "id": record["@id"], "unchanged": same},
        [
            Step(
                f"made by {agent['@id']}, code {agent['code'][:12]}, id {record['@id'][11:23]}",
                {"program": agent, "settings": record["settings"]},
            ),
            *_used(project, record, set()),
            *(
                Step(
                    f"from {source['repository']} at commit {source['commit']}"
                    f", raw files {source['raw'] or 'not pinned'}",
                    dict(source),
                )
                for source in record["prov:hadPrimarySource"]
            ),
        ],
    )
    name, frame = _shown(project, place, record["subject"])
    if frame is None:
        if wanted or point:
            raise BreakevenError(f"{place}: has no rows to choose from")
        return head
    numbered = [(i, row) for i, row in enumerate(tables.records(chosen(frame, wanted)), start=1)]
    if point is not None:
        numbered = [pair for pair in numbered if pair[0] == point]
    if not numbered:
        raise BreakevenError(f"{place}: no row is like that ({len(frame)} rows)")
    if len(numbered) == 1:
        head.sources.append(ORIGINS[name](project, numbered[0][1], numbered[0][0]))
        return head
    for number, row in numbered[:LISTED]:
        head.sources.append(Step(_title(name, row, number), {"point": number, "row": row}))
    more = f"; {len(numbered) - LISTED} more are not listed" if len(numbered) > LISTED else ""
    head.sources.append(
        Step(f"{len(numbered)} rows{more}: choose one with --point N or --where COLUMN=VALUE", {})
    )
    return head


def _used(project: Project, record: provenance.Record, seen: set[str]) -> list[Step]:
    """Trace what an activity used, each file's own record included, up to the facts."""
    steps = []
    for entity in record["prov:used"]:
        step = Step(f"from {entity['@id']}, sha256 {entity['sha256'][:12]}", dict(entity))
        steps.append(step)
        sidecar = provenance.sidecar_of(project.root / entity["@id"])
        if entity["@id"] in seen:
            step.line += " (see above)"
        elif sidecar.is_file():
            before = provenance.read(sidecar)
            program = before["prov:wasAssociatedWith"]["@id"]
            step.sources = [Step(f"made by {program}", {}), *_used(project, before, seen)]
        seen.add(entity["@id"])
    return steps


def _shown(project: Project, place: str, subject: Row | None) -> tuple[str, pd.DataFrame | None]:
    """Return the rows that an artefact shows, with their table's name."""
    parts = place.split("/")
    round_name = parts[1] if len(parts) > 2 and parts[1].startswith("v") else ""
    values = dict(subject or {})
    name = values.pop("table", parts[-1])
    if name not in SCHEMAS:
        return name, None
    frame = chosen(project.table(name, round_name), values.items())
    order = {"scaling": list(schemas.SCALING_KEYS)}.get(name)
    return name, frame.sort_values(order) if order else frame


def _value(row: Row, *names: str) -> str:
    """Return the first of these columns that has a value."""
    return next((str(row[name]) for name in names if row.get(name) is not None), "-")


def _title(name: str, row: Row, number: int) -> str:
    """Name a row in one line."""
    who = (
        f"{row['submitter']} {row['system']}" if "submitter" in row else _value(row, "series_name")
    )
    what = {
        "scaling": lambda: (
            f"{row['accelerators']:,} accelerators, {row['minutes']:.6g} minutes, "
            f"speedup {row['speedup']:.4g}, efficiency {row['efficiency']:.4g} ({row['view']} view)"
        ),
        "history": lambda: (
            f"{row['accelerators']:,} {row['accelerator_family']}, "
            f"{row['minutes']:.6g} minutes, {row['round']} ({row['basis']})"
        ),
        "scores": lambda: (
            f"{_value(row, 'accelerators')} accelerators, "
            f"{_value(row, 'minutes', 'reason')} minutes"
        ),
        "breakeven": lambda: (
            f"{row['method']}: {row['status']} "
            f"{_value(row, 'accelerators', 'low', 'high', 'reason')}"
        ),
        "problems": lambda: f"{row['kind']}: {row['path']}",
    }.get(name, lambda: _value(row, "path", "sentence", "method"))()
    benchmark = row.get("benchmark") or ""
    return f"point {number}: {' '.join(part for part in (benchmark, who) if part != '-')}: {what}"


def of_point(project: Project, row: Row, number: int, *, alone: bool = True) -> Step:
    """Trace a row of the scaling table: its own score, and where it is alone its reference's."""
    reference = {
        "benchmark": row["benchmark"],
        "submitter": row["reference_submitter"],
        "system": row["reference_system"],
    }
    step = Step(_title("scaling", row, number), {"point": number, "row": row})
    step.sources.append(Step(f"of {row['series_name']} ({row['series']})", {}))
    own = {key: row[key] for key in SCORE_KEYS}
    if reference == own:
        step.sources.append(Step("it is its own reference", {}))
    else:
        (score,) = project.rows("scores", row["round"], **reference)
        line = (
            f"against {score['submitter']} {score['system']}: {score['accelerators']:,} "
            f"accelerators, {score['minutes']:.6g} minutes"
        )
        runs = of_score(project, score).sources if alone else []
        step.sources.append(Step(line, {"reference": score}, runs))
    (score,) = project.rows("scores", row["round"], **own)
    step.sources.append(of_score(project, score))
    return step


def of_score(project: Project, row: Row, number: int | None = None) -> Step:
    """Trace a row of the scores table: how it is worked out, and its runs."""
    keys = {key: row[key] for key in SCORE_KEYS}
    runs = project.rows("runs", row["round"], **keys)
    if row["minutes"] is None:
        line = f"no score: {row['reason']}"
    else:
        averaged = sum(run["averaged"] for run in runs)
        line = (
            f"score {row['minutes']!r} minutes = mean of {averaged} of {len(runs)} runs "
            f"({row['mean_minutes']!r}) × scaling factor {row['scaling_factor']!r}"
        )
    step = Step(line, {"score": row} | ({} if number is None else {"point": number}))
    if row["correction"]:
        step.sources.append(Step(f"counts corrected: {row['correction']}", {}))
    step.sources += _scaling_file(project, row)
    step.sources += [of_run(project, run, why_left_out=_why_left_out(run, runs)) for run in runs]
    return step


def _scaling_file(project: Project, score: Row) -> list[Step]:
    """Name the file that a score's scaling factor comes from, if there is one."""
    if score["scaling_factor"] in (None, 1.0):
        return []
    listed = facts.read(project.root / "data" / "facts" / score["round"])["files"]
    keys = {key: score[key] for key in SCORE_KEYS}
    found = chosen(listed, [("kind", "scaling"), *keys.items()])
    pinned = project.pin(score["round"])
    return [
        Step(
            f"scaling factor {row['scaling_factor']!r}: {row['path']}, blob {row['blob']} "
            f"{pinned.address(row['path'])}".rstrip(),
            {"path": row["path"], "blob": row["blob"], "address": pinned.address(row["path"])},
        )
        for row in tables.records(found)
    ]


def _why_left_out(run: Row, runs: Sequence[Row]) -> str:
    """Say why a run that counts is not in the mean: the fastest and the slowest are not."""
    kept = [other["minutes"] for other in runs if other["averaged"]]
    if run["averaged"] or not run["counted"] or not kept:
        return ""
    if run["minutes"] <= min(kept):
        return ", as the fastest"
    return ", as the slowest" if run["minutes"] >= max(kept) else ", as more than are asked for"


def of_run(project: Project, row: Row, number: int | None = None, why_left_out: str = "") -> Step:
    """Trace a row of the runs table to its log's lines."""
    pinned = project.pin(row["round"])
    start, stop = row["start_line"], row["stop_line"]
    if not row["counted"]:
        judged = f"does not count: {row['reason']}"
    elif row["averaged"]:
        judged = f"{row['minutes']!r} minutes"
    else:
        judged = f"{row['minutes']!r} minutes, left out of the mean{why_left_out}"
    lines = f"lines {_value(row, 'start_line')} to {_value(row, 'stop_line')}"
    if start is None and stop is None:
        lines = "no start or stop line"
    address = pinned.address(row["path"], start, stop)
    line = f"run {row['path']}: {judged}; {lines}, blob {row['blob']} {address}".rstrip()
    shown = {"run": row, "address": address} | ({} if number is None else {"point": number})
    return Step(line, shown)


def of_series(project: Project, row: Row, number: int) -> Step:
    """Trace a row about a series to the points of the series."""
    name = "breakeven" if "method" in row else "conclusions"
    step = Step(_title(name, row, number), {"point": number, "row": row})
    if row.get("series") is None:
        return step
    wanted = {"view": row.get("view", "series"), "benchmark": row["benchmark"]}
    points = project.rows("scaling", row["round"], **wanted, series=row["series"])
    step.sources = [
        of_point(project, point, i, alone=False) for i, point in enumerate(points, start=1)
    ]
    return step


def of_history(project: Project, row: Row, number: int) -> Step:
    """Trace a row of the history table to its score."""
    (score,) = project.rows("scores", row["round"], **{key: row[key] for key in SCORE_KEYS})
    title = _title("history", row, number)
    return Step(title, {"point": number, "row": row}, [of_score(project, score)])


def of_path(project: Project, row: Row, number: int) -> Step:
    """Trace a row that names a file to that file, and to its run where it is one."""
    step = Step(_title("problems" if "kind" in row else "", row, number), {"row": row})
    address = project.pin(row["round"]).address(row["path"], row.get("line"))
    step.sources = [
        of_run(project, run) for run in project.rows("runs", row["round"], path=row["path"])
    ]
    if not step.sources:
        step.sources = [Step(f"{row['path']} {address}".rstrip(), {"address": address})]
    if "original_path" in row:
        first = project.rows("runs", row["original_round"], path=row["original_path"])
        step.sources += [of_run(project, run) for run in first]
    return step


ORIGINS: dict[str, Callable[[Project, Row, int], Step]] = {
    "scaling": of_point,
    "scores": of_score,
    "runs": of_run,
    "breakeven": of_series,
    "probabilities": of_series,
    "conclusions": of_series,
    "history": of_history,
    "problems": of_path,
    "reconciliation": of_path,
    "resubmissions": of_path,
}
