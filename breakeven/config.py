"""Configuration: models of every file in ``config/``, read and checked before any job starts."""

from __future__ import annotations

import datetime
import json
import re
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from breakeven.errors import BreakevenError

MethodName = Literal["paper", "knee", "efficiency_floor", "marginal", "pareto"]
Fraction = Annotated[float, Field(gt=0, lt=1)]
RoundName = Annotated[str, Field(pattern=r"^v\d+\.\d+$")]


class _Model(BaseModel):
    """A part of the configuration: unknown keys are errors and values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class BreakevenSettings(_Model):
    """Which break-even methods run, and their thresholds (fractions, no unit)."""

    methods: tuple[MethodName, ...] = Field(
        default=("paper", "knee", "efficiency_floor", "marginal", "pareto"), min_length=1
    )
    efficiency_floor: Fraction = 0.5
    marginal_efficiency: Fraction = 0.5


class FigureSettings(_Model):
    """How figures are written."""

    png_scale: Annotated[float, Field(ge=1, le=4)] = 2


class Settings(_Model):
    """``config/config.yaml``: what to analyse."""

    rounds: tuple[RoundName, ...] = Field(min_length=1)
    breakeven: BreakevenSettings = BreakevenSettings()
    figures: FigureSettings = FigureSettings()

    @field_validator("rounds")
    @classmethod
    def _distinct(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(value)) < len(value):
            raise ValueError("names a round twice; name each round once")
        return value


class Layout(_Model):
    """Where a round's repository keeps things: path templates with ``{names}`` and ``*``.

    A ``{name}`` is one folder or file name; ``*`` is any run of characters inside one name.
    """

    runs: tuple[str, ...] = ("{submitter}/results/{system}/{benchmark}/result_*.txt",)
    scaling: str = "{submitter}/results/{system}/{benchmark}/scaling.json"
    descriptions: str = "{submitter}/systems/{system}.json"


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
    layout: Layout = Layout()


class Folder(_Model):
    """A folder name that meant one benchmark from round ``first`` to round ``last``."""

    folder: str
    first: RoundName
    last: RoundName | None = None


class Benchmark(_Model):
    """Rules and names of one benchmark; results are comparable over its folders' rounds."""

    name: str
    runs: Annotated[int, Field(ge=1)]
    dropped: Annotated[int, Field(ge=0)] = 1
    folders: tuple[Folder, ...]


class BenchmarkDefault(_Model):
    """Rules of a benchmark that no entry names."""

    runs: Annotated[int, Field(ge=1)]
    dropped: Annotated[int, Field(ge=0)]


class Benchmarks(_Model):
    """``config/benchmarks.yaml``."""

    default: BenchmarkDefault
    benchmarks: dict[str, Benchmark]

    def find(self, round_name: str, folder: str) -> tuple[str, Benchmark] | None:
        """Return the key and entry that ``folder`` means in ``round_name``, or None."""
        when = round_number(round_name)
        for key, benchmark in self.benchmarks.items():
            for span in benchmark.folders:
                last = when if span.last is None else round_number(span.last)
                if span.folder == folder and round_number(span.first) <= when <= last:
                    return key, benchmark
        return None


class Vocabulary(_Model):
    """``config/vocabulary.yaml``: accepted spellings of each division and category."""

    division: dict[str, tuple[str, ...]]
    category: dict[str, tuple[str, ...]]


class Accelerator(_Model):
    """One row of the family map."""

    pattern: str
    family: str
    form: str
    vendor: str
    year: int

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
    }.get(first["type"], first["msg"])
    limits = _limits(error.title, first["loc"])
    got = "" if first["type"] == "missing" else f" (got {first['input']!r})"
    return f"{source}: {key}: {allowed}{limits}{got}"


def _limits(title: str, location: tuple[int | str, ...]) -> str:
    """Name what is allowed where pydantic's own message gives half of it."""
    model: Any = {
        m.__name__: m for m in (Settings, Round, Benchmarks, Vocabulary, Accelerators)
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
        return yaml.safe_load(path.read_text(encoding="utf-8"))
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
