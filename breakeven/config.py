"""Configuration: models of every file in ``config/``, read and checked before any job starts."""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import json
import re
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import quote

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from breakeven.errors import BreakevenError

MethodName = Literal[
    "paper",
    "knee",
    "efficiency_floor",
    "marginal",
    "price_of_hour",
    "cost_and_value",
    "amdahl",
    "usl",
    "pareto",
]
Fraction = Annotated[float, Field(gt=0, lt=1)]
RoundName = Annotated[str, Field(pattern=r"^v\d+\.\d+$")]


class _Model(BaseModel):
    """A part of the configuration: unknown keys are errors and values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Prices(_Model):
    """A user's own prices, in any one currency: there is no default."""

    accelerator_hour: Annotated[float, Field(gt=0)]
    hour: Annotated[float, Field(ge=0)]
    currency: str
    dated: datetime.date


class BreakevenSettings(_Model):
    """Which break-even methods run, their thresholds (fractions, no unit), and prices."""

    methods: tuple[MethodName, ...] = Field(
        default=("paper", "knee", "efficiency_floor", "marginal", "price_of_hour", "pareto"),
        min_length=1,
    )

    @field_validator("methods")
    @classmethod
    def _distinct(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(value)) < len(value):
            raise ValueError("names a method twice; name each method once")
        return value

    efficiency_floor: Fraction = 0.5
    marginal_efficiency: Fraction = 0.5
    prices: Prices | None = None


class UncertaintySettings(_Model):
    """The bootstrap: number of replicates, seed, and level of its intervals."""

    replicates: Annotated[int, Field(ge=100, le=100_000)] = 2000
    seed: Annotated[int, Field(ge=0)] = 1
    level: Fraction = 0.95


class FigureSettings(_Model):
    """How figures are written."""

    png_scale: Annotated[float, Field(ge=1, le=4)] = 2
    language: Literal["en", "es"] = "en"


class AuditSettings(_Model):
    """Of which systems the official summarizer's score is asked for."""

    sample: Annotated[int, Field(ge=1)] = 3
    seed: Annotated[int, Field(ge=0)] = 2509
    all: bool = False


class Settings(_Model):
    """``config/config.yaml``: what to analyse."""

    rounds: tuple[RoundName, ...] = Field(min_length=1)
    breakeven: BreakevenSettings = BreakevenSettings()
    uncertainty: UncertaintySettings = UncertaintySettings()
    figures: FigureSettings = FigureSettings()
    audit: AuditSettings = AuditSettings()

    @field_validator("rounds")
    @classmethod
    def _distinct(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(value)) < len(value):
            raise ValueError("names a round twice; name each round once")
        return value


class Layout(_Model):
    """Where a round's repository keeps things: path templates.

    ``{name}`` is one folder or file name and ``{name**}`` one or more folders; ``*`` is any run of
    characters inside one name and ``**`` one or more folders. A run's template without
    ``{benchmark}`` takes the benchmark that the log itself names.
    """

    runs: tuple[str, ...] = ("{submitter}/results/{system}/{benchmark}/result_*.txt",)
    scaling: str = "{submitter}/results/{system}/{benchmark}/scaling.json"
    descriptions: tuple[str, ...] = ("{submitter}/systems/{system}.json",)


class Correction(_Model):
    """What is known to be wrong or missing in a system's description, and how it is known."""

    submitter: str
    system: str
    benchmark: str | None = None
    description: str | None = None
    nodes: Annotated[int, Field(ge=1)] | None = None
    accelerators_per_node: Annotated[int, Field(ge=0)] | None = None
    reason: str


class Round(_Model):
    """``config/rounds/<round>.yaml``: one pinned input."""

    round: RoundName
    title: str
    ruleset: Annotated[str, Field(pattern=r"^\d+\.\d+\.\d+$")]
    published: datetime.date
    repository: Annotated[str, Field(pattern=r"^(https://|file://|/)[^\s]+$")]
    commit: Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
    origin: str
    licence: str
    accessed: datetime.date
    folders: tuple[str, ...] = Field(min_length=1)
    layout: Layout = Layout()
    targets: dict[str, float] = {}
    corrections: tuple[Correction, ...] = ()

    def source(self) -> str:
        """Name what facts are parsed from: repository, commit, and a digest of the layout."""
        parts = json.dumps([self.folders, self.layout.model_dump(mode="json")], sort_keys=True)
        layout = hashlib.sha256(parts.encode()).hexdigest()[:12]
        return f"{self.repository} {self.commit} layout {layout}"

    def address(self, path: str, start: int | None = None, stop: int | None = None) -> str:
        """Return the address of lines of a file at the pinned commit; "" where it has none."""
        if not self.repository.startswith("https://"):
            return ""
        file = f"{self.repository.removesuffix('.git')}/blob/{self.commit}/{quote(path)}"
        if start is None:
            return file
        return f"{file}#L{start}" + ("" if stop is None else f"-L{stop}")


class Span(_Model):
    """Rounds from ``first`` to ``last`` (or on), both included."""

    first: RoundName
    last: RoundName | None = None

    def covers(self, round_name: str) -> bool:
        """Say whether a round is in the span."""
        when = round_number(round_name)
        last = when if self.last is None else round_number(self.last)
        return round_number(self.first) <= when <= last


class Folder(Span):
    """A folder name that means one benchmark in a span of rounds, and what is special there.

    ``ends_at``: the line a run ends at; an ``eval_result`` gives the time since the start itself.
    ``ranked_as``: the benchmark it is ranked with, where others' folder for it has another name.
    ``first_converged``: score only this many of the runs, the first in order that converged.
    """

    folder: str
    ranked_as: str | None = None
    ends_at: Literal["run_stop", "eval_result"] = "run_stop"
    runs: Annotated[int, Field(ge=1)] | None = None
    first_converged: Annotated[int, Field(ge=1)] | None = None


class Progress(Span):
    """Where logs of a span of rounds say how far training had come, and in which unit.

    ``fields`` are tried in order, and the first whose last value lies between ``at_least`` and
    ``at_most`` counts; a value below ``epochs_below`` is in epochs of ``samples_per_epoch``;
    ``offset`` is added, where counting starts from another number than 0.
    ``reaches`` names limits that evaluations of several metrics must reach together: the first
    point where they do is where training converged.
    """

    fields: tuple[Literal["epoch_num", "samples_count", "step_num", "train_samples"], ...]
    unit: Literal["samples", "epochs", "steps", "tokens", "generations"]
    at_least: float = 0
    at_most: float = float("inf")
    epochs_below: float = 0
    samples_per_epoch: float = 1
    offset: float = 0
    reaches: dict[str, tuple[Literal["at_least", "at_most"], float]] = {}


class Benchmark(_Model):
    """Rules and names of one benchmark.

    ``progress``: how its progress to convergence is read, by rounds. ``spans``: the rounds inside
    which results may be compared.
    """

    name: str
    runs: Annotated[int, Field(ge=1)]
    dropped: Annotated[int, Field(ge=0)] = 1
    progress: tuple[Progress, ...] = ()
    folders: tuple[Folder, ...] = Field(min_length=1)
    spans: tuple[Span, ...] = Field(min_length=1)

    def progress_in(self, round_name: str) -> Progress | None:
        """Return where logs of a round say how far training had come, if that is known."""
        return next((entry for entry in self.progress if entry.covers(round_name)), None)

    def span(self, round_name: str) -> str:
        """Name the comparability span that a round is in; the round alone where it is in none."""
        for span in self.spans:
            if span.covers(round_name):
                return f"{span.first} to {span.last or 'now'}"
        return round_name


@dataclasses.dataclass(frozen=True)
class Rules:
    """How one benchmark is scored in one round."""

    workload: str
    benchmark: str
    name: str
    runs: int
    dropped: int
    span: str
    ends_at: str = "run_stop"
    first_converged: int | None = None
    progress: Progress | None = None
    known: bool = True


class BenchmarkDefault(_Model):
    """Rules of a benchmark that no entry names."""

    runs: Annotated[int, Field(ge=1)]
    dropped: Annotated[int, Field(ge=0)]


class Benchmarks(_Model):
    """``config/benchmarks.yaml``."""

    default: BenchmarkDefault
    benchmarks: dict[str, Benchmark]

    def rules(self, round_name: str, folder: str) -> Rules:
        """Say how the benchmark that ``folder`` means in ``round_name`` is scored.

        A folder that no entry names is scored by the default, and is not ``known``.
        """
        for key, benchmark in self.benchmarks.items():
            for entry in benchmark.folders:
                if entry.folder == folder and entry.covers(round_name):
                    return Rules(
                        workload=key,
                        benchmark=entry.ranked_as or folder,
                        name=benchmark.name,
                        runs=entry.runs or benchmark.runs,
                        dropped=benchmark.dropped,
                        span=benchmark.span(round_name),
                        ends_at=entry.ends_at,
                        first_converged=entry.first_converged,
                        progress=benchmark.progress_in(round_name),
                    )
        default = self.default
        return Rules(folder, folder, folder, default.runs, default.dropped, round_name, known=False)


class Vocabulary(_Model):
    """``config/vocabulary.yaml``: accepted spellings of each division and category."""

    division: dict[str, tuple[str, ...]]
    category: dict[str, tuple[str, ...]]


class Descriptions(_Model):
    """``config/descriptions.yaml``: what submitters call the keys of a system description."""

    keys: dict[str, tuple[str, ...]]
    inside: tuple[str, ...]
    none: tuple[str, ...]


class Accelerator(_Model):
    """One row of the family map.

    ``pod``: descriptions call a slice of any size one node, so that accelerators a node say nothing
    of the kind of node.
    """

    pattern: str
    family: str
    form: str
    vendor: str
    year: int
    pod: bool = False

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, value: str) -> str:
        try:
            re.compile(value)
        except re.error as error:
            raise ValueError(f"is not a regular expression ({error})") from error
        return value


class Accelerators(_Model):
    """``config/accelerators.yaml``."""

    accelerators: tuple[Accelerator, ...]


ModelType = TypeVar("ModelType", bound=BaseModel)


def round_number(name: str) -> tuple[int, int]:
    """Return a round's name as numbers that sort: ``v4.1`` is ``(4, 1)``."""
    major, minor = name.removeprefix("v").split(".")
    return int(major), int(minor)


def explain(error: ValidationError, source: str) -> str:
    """Turn the first problem that pydantic found into one line: file, key and what is allowed."""
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"]) or "(top level)"
    context = first.get("ctx", {})
    allowed = {
        "extra_forbidden": "unknown key",
        "missing": "missing; add it",
        "literal_error": f"must be one of {context.get('expected')}",
        "string_pattern_mismatch": f"must match {context.get('pattern')}",
        "greater_than": f"must be greater than {context.get('gt')}",
        "less_than": f"must be less than {context.get('lt')}",
        "greater_than_equal": f"must be at least {context.get('ge')}",
        "less_than_equal": f"must be at most {context.get('le')}",
        "tuple_type": "must be a list, in brackets",
        "string_type": "must be text; put it in quotes",
    }.get(first["type"], first["msg"])
    limits = _limits(error.title, first["loc"])
    got = "" if first["type"] == "missing" else f" (got {first['input']!r})"
    return f"{source}: {key}: {allowed}{limits}{got}"


def _limits(title: str, location: tuple[int | str, ...]) -> str:
    """Name what is allowed where pydantic's own message gives half of it."""
    model: Any = {
        m.__name__: m for m in (Settings, Round, Benchmarks, Descriptions, Vocabulary, Accelerators)
    }.get(title)
    name = str(location[-1]) if location else ""
    for part in location[:-1]:
        field = getattr(model, "model_fields", {}).get(str(part))
        if field is None:
            return ""
        model = field.annotation
    fields = getattr(model, "model_fields", {})
    if name not in fields:
        return f"; allowed here: {', '.join(fields)}" if fields else ""
    bounds = fields[name].metadata
    low = next((b.gt for b in bounds if hasattr(b, "gt")), None)
    high = next((b.lt for b in bounds if hasattr(b, "lt")), None)
    return f"; allowed: between {low} and {high}, both excluded" if low is not None else ""


def validate(model: type[ModelType], content: Any, source: str) -> ModelType:
    """Check ``content`` against ``model``; raise BreakevenError in one line that names the key."""
    try:
        return model.model_validate(content)
    except ValidationError as error:
        raise BreakevenError(explain(error, source)) from error


def read_yaml(path: Path) -> Any:
    """Read one YAML file; raise BreakevenError where it is missing or not YAML."""
    try:
        return yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    except FileNotFoundError as error:
        raise BreakevenError(f"{path}: there is no such file") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())
        raise BreakevenError(f"{path}: is not valid YAML: {reason}") from error


def load(model: type[ModelType], path: Path) -> ModelType:
    """Read and check one configuration file."""
    return validate(model, read_yaml(path), str(path))


def section(name: str, model: type[ModelType], given: str | None) -> ModelType:
    """Read one section of the settings: from ``given`` JSON, or else from config/config.yaml."""
    if given is not None:
        try:
            return validate(model, json.loads(given), f"--settings ({name})")
        except json.JSONDecodeError as error:
            raise BreakevenError(f"--settings: is not valid JSON: {error}") from error
    path = Path("config/config.yaml")
    settings = load(Settings, path)
    return validate(model, getattr(settings, name).model_dump(), str(path))


def load_round(folder: Path, name: str) -> Round:
    """Read the pin of round ``name`` from ``folder`` (``config/rounds``).

    Raises:
        BreakevenError: there is no such pin (the message lists those there are), it is
            malformed, or it pins another round than its file name says.
    """
    path = folder / f"{name}.yaml"
    if not path.is_file():
        known = sorted((p.stem for p in folder.glob("v*.yaml")), key=round_number)
        raise BreakevenError(
            f"rounds: unknown round {name!r}: there is no {path}; allowed: {', '.join(known)}"
        )
    pinned = load(Round, path)
    if pinned.round != name:
        raise BreakevenError(f"{path}: round: says {pinned.round!r}; a file's name is its round's")
    return pinned
