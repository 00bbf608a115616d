"""The dictionary of the tables: what each table and each of its columns holds, and in which unit.

Units are written as in UCUM (``min``, ``ms``, ``h``, ``By``, ``GBy``; ``1`` for a ratio or a place
in a file); what is counted is a unit of its own, such as ``accelerators``. Text and truth values
have none. A name that means the same in several tables is described once.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from breakeven import facts, schemas
from breakeven.errors import BreakevenError

UNOFFICIAL = "Derived metrics are unofficial, not verified by MLCommons."


@dataclass(frozen=True)
class Column:
    """What a column holds, its unit, and whether it is a derived metric, which is unofficial."""

    description: str
    unit: str = ""
    unofficial: bool = False


@dataclass(frozen=True)
class Table:
    """One kind of table.

    ``order``: columns it is sorted by; ``key``: columns that together name a row, none of which is
    ever empty; ``each_round``, ``overall``: whether each round has one, and all rounds together.
    """

    name: str
    description: str
    schema: pa.Schema
    order: tuple[str, ...]
    key: tuple[str, ...] = ()
    each_round: bool = True
    overall: bool = False


RESULTS = (
    Table(
        "runs",
        "One row a run log: start and stop line, minutes, whether it counts and why not.",
        schemas.RUNS,
        schemas.RUNS_KEYS,
        ("round", "path"),
    ),
    Table(
        "scores",
        "One row a system and benchmark: the official score, recomputed from its runs.",
        schemas.SCORES,
        schemas.SCORES_KEYS,
        ("round", "benchmark", "submitter", "system"),
    ),
    Table(
        "problems",
        "Everything odd about the inputs, with file and line, and what was done about it.",
        schemas.PROBLEMS,
        schemas.PROBLEMS_KEYS,
        overall=True,
    ),
    Table(
        "reconciliation",
        "One row a run that makes the score of MLCommons' own summarizer another one, and why.",
        schemas.RECONCILIATION,
        schemas.RECONCILIATION_KEYS,
        ("round", "benchmark", "submitter", "system", "path"),
    ),
    Table(
        "scaling",
        f"One row a point of a scaling curve: speedup, efficiency and their factors. {UNOFFICIAL}",
        schemas.SCALING,
        schemas.SCALING_KEYS,
        ("round", "view", "benchmark", "series", "submitter", "system"),
    ),
    Table(
        "breakeven",
        f"One row a series and method: the break-even point, or why there is none. {UNOFFICIAL}",
        schemas.BREAKEVEN,
        schemas.BREAKEVEN_KEYS,
    ),
    Table(
        "probabilities",
        f"How often a method gives each answer under run-to-run noise. {UNOFFICIAL}",
        schemas.PROBABILITIES,
        schemas.PROBABILITIES_KEYS,
    ),
    Table(
        "conclusions",
        f"One row a series: where the methods agree, and one plain sentence. {UNOFFICIAL}",
        schemas.CONCLUSIONS,
        schemas.CONCLUSIONS_KEYS,
        ("round", "benchmark", "series"),
    ),
    Table(
        "history",
        "The best closed result of available systems, by accelerator family, over the rounds.",
        schemas.HISTORY,
        schemas.HISTORY_KEYS,
        ("workload", "basis", "accelerator_family", "accelerators", "round"),
        each_round=False,
        overall=True,
    ),
    Table(
        "resubmissions",
        "One row a run that was handed in before, in an earlier round, found by content.",
        schemas.RESUBMISSIONS,
        schemas.RESUBMISSIONS_KEYS,
        ("round", "path"),
        each_round=False,
        overall=True,
    ),
)

_FACTS = {
    "files": ("One row a file of the upstream data folders.", ("path",)),
    # Two statements may stand in one line of a log, so that path and line are no key.
    "events": ("One row a log line that matters: its key, numbers and place.", ()),
    "systems": ("One row a system description, as its submitter wrote it.", ("path",)),
    "problems": ("One row an oddity met in reading, and what was done about it.", ()),
}
FACTS = tuple(
    Table(f"facts/{table.name}", _FACTS[table.name][0], table.schema, table.keys, key)
    for table in facts.TABLES
    for key in [_FACTS[table.name][1]]
)
TABLES = RESULTS + FACTS

# What a name means, wherever SPECIFIC has no other meaning for the table.
COLUMNS = {
    "round": Column("round of MLPerf Training, such as v4.1"),
    "submitter": Column("who handed the result in: upstream's folder name"),
    "system": Column("the system measured: upstream's folder or file name"),
    "benchmark": Column(
        "upstream's folder name for the benchmark in that round (RetinaNet is ssd until v4.1)"
    ),
    "workload": Column("one name of the benchmark over all rounds"),
    "model": Column("the name people use for the benchmark, such as Llama 2 70B LoRA"),
    "span": Column("the rounds inside which results of this benchmark may be compared"),
    "division": Column("closed or open"),
    "category": Column("available, preview or research"),
    "path": Column("path of the run's log in the upstream repository"),
    "blob": Column("git's blob id of the file at the pinned commit"),
    # Runs.
    "start_line": Column("line of the log's run_start, counted from 1", "1"),
    "stop_line": Column("line that ends the run, its run_stop or eval_result, from 1", "1"),
    "start_ms": Column("time of the start by the log's own clock", "ms"),
    "stop_ms": Column("time of the end by the log's own clock", "ms"),
    "counted": Column("whether the run counts: it ended with success and has usable times"),
    "official_reason": Column(
        "why MLCommons' own summarizer would not count a run that counts here; else empty"
    ),
    "init_minutes": Column("initialisation, from the first init_start to init_stop", "min"),
    "global_batch_size": Column(
        "global batch size that the logs name; empty where the runs of a score differ", "samples"
    ),
    "converged_line": Column("line of the log that converged_at was read from, from 1", "1"),
    "progress_unit": Column(
        "unit of converged_at: samples, epochs, steps, tokens or generations, by benchmark"
    ),
    "evaluations": Column("points of training that were evaluated", "evaluations"),
    "convergence_reason": Column("why converged_at of a run that counts is not known; else empty"),
    "averaged": Column("whether the run is one of those whose mean is the score"),
    # Scores.
    "minutes": Column("the official score, recomputed: mean_minutes times scaling_factor", "min"),
    "mean_minutes": Column("mean of the averaged runs, before scaling", "min"),
    "scaling_factor": Column(
        "MLCommons' normalisation by reference convergence points; 1 where there is none, "
        "empty where it could not be read",
        "1",
    ),
    "official_minutes": Column(
        "score by those present checks of MLCommons' own summarizer that official_reason knows",
        "min",
    ),
    "accelerator": Column("the accelerator, as the submitter calls it"),
    "accelerator_family": Column("family of the accelerator, such as H100; CPU only or unnamed"),
    "accelerator_model": Column("family and form factor of the accelerator, such as H100 SXM"),
    "accelerator_memory": Column("memory of one accelerator, where its name says it", "GBy"),
    "node_type": Column("kind of node: accelerators a node (not of a pod) and host processor"),
    "nodes": Column("nodes of the system", "nodes"),
    "accelerators_per_node": Column("accelerators in each node", "accelerators"),
    "accelerators": Column("nodes times accelerators in each; 0 without any", "accelerators"),
    "runs": Column("run logs that were found", "runs"),
    "runs_failed": Column("of the runs found, those that do not count", "runs"),
    "runs_absent": Column("run logs that upstream lists and that could not be had", "runs"),
    "runs_repeated": Column("of the runs found, those listed twice in this very folder", "runs"),
    "runs_asked": Column("runs that the rules of the benchmark ask for", "runs"),
    "runs_dropped": Column("fastest and slowest runs that are left out, at each end", "runs"),
    "converged_at": Column(
        "how far training had to go: mean over the averaged runs, in progress_unit",
        "see progress_unit",
    ),
    "correction": Column(
        "how the system's counts are known, where its description is wrong or missing; else empty"
    ),
    # Problems.
    "line": Column("line that it is about, counted from 1; empty where it is not one line", "1"),
    "kind": Column("what is odd"),
    "detail": Column("what exactly was found"),
    "action": Column("what was done about it"),
    # Scaling.
    "view": Column(
        "series (one submitter's kind of system), pooled (all submitters, one accelerator) or "
        "paper (all closed systems)"
    ),
    "series": Column("key of the series within its round and benchmark"),
    "series_name": Column("name of the series, for people"),
    "reference_submitter": Column("submitter of the reference, the first point of the series"),
    "reference_system": Column("system of the reference"),
    "reference_accelerator": Column("accelerator of the reference"),
    "reference_accelerators": Column("accelerators of the reference", "accelerators"),
    "reference_minutes": Column("the reference's official score, recomputed", "min"),
    "speedup": Column("the reference's minutes over this system's", "1", unofficial=True),
    "efficiency": Column("speedup over the multiple of accelerators", "1", unofficial=True),
    "speedup_per_accelerator": Column(
        "speedup over the number of accelerators", "1/accelerators", unofficial=True
    ),
    "exponent": Column(
        "of the step from the previous point of a series: time falls as accelerators to the power "
        "of minus this; 1 is perfect, 0 no faster",
        "1",
        unofficial=True,
    ),
    "marginal_efficiency": Column(
        "speedup gained since the previous point of a series for each multiple of the reference's "
        "accelerators added",
        "1",
        unofficial=True,
    ),
    "price_of_hour": Column(
        "accelerator-hours paid for each hour saved since the previous point of a series; empty "
        "where none is saved",
        "accelerator-hours/h",
        unofficial=True,
    ),
    "efficiency_throughput": Column(
        "factor of efficiency: progress of training in each accelerator-minute, over the "
        "reference's",
        "1",
        unofficial=True,
    ),
    "efficiency_convergence": Column(
        "factor of efficiency: how far training had to go at the reference, over here",
        "1",
        unofficial=True,
    ),
    "efficiency_normalisation": Column(
        "factor of efficiency: the reference's scaling factor over this score's",
        "1",
        unofficial=True,
    ),
    "decomposition_reason": Column("why efficiency has no factors; else empty"),
    "minutes_low": Column(
        "lower end of the interval of minutes under run-to-run noise", "min", unofficial=True
    ),
    "minutes_high": Column(
        "upper end of the interval of minutes under run-to-run noise", "min", unofficial=True
    ),
    "speedup_low": Column(
        "lower end of the interval of speedup under run-to-run noise", "1", unofficial=True
    ),
    "speedup_high": Column(
        "upper end of the interval of speedup under run-to-run noise", "1", unofficial=True
    ),
    "efficiency_low": Column(
        "lower end of the interval of efficiency under run-to-run noise", "1", unofficial=True
    ),
    "efficiency_high": Column(
        "upper end of the interval of efficiency under run-to-run noise", "1", unofficial=True
    ),
    "interval_reason": Column("why there is no interval of run-to-run noise; else empty"),
    "lumpy": Column(
        "whether the runs stopped at one or two distinct points, so that the interval is coarse"
    ),
    "same_accelerator": Column(
        "whether accelerator model and memory are the reference's; if not, chips are compared"
    ),
    "alternatives": Column("other systems of the same size in the series, slower than this one"),
    # Break-even points.
    "method": Column("method of finding a break-even point, as docs/methods.md defines it"),
    "threshold": Column("the method's threshold; empty where it has none", "1"),
    "probability": Column(
        "share of the replicates of the runs in which the method gives this very answer",
        "1",
        unofficial=True,
    ),
    "probability_reason": Column("why there is no probability; else empty"),
    "methods_found": Column("the methods that found a point, with commas between them"),
    "agree": Column("whether two or more methods found a point, and all the same"),
    "sentence": Column("what the series says, in one sentence", unofficial=True),
    # Over all rounds.
    "basis": Column(
        "overall (the fastest, at any number of accelerators) or equal (the fastest at exactly "
        "this number)"
    ),
    "accelerator_hours": Column("accelerators times hours", "accelerator-hours", unofficial=True),
    "resubmission_of": Column(
        "round/submitter/system of the earlier result that this one is; empty where it is new"
    ),
    "original_round": Column("round in which the run was first handed in"),
    "original_path": Column("path of its log in that round's repository"),
    # Facts.
    "bytes": Column("size of the file; empty where it was not downloaded", "By"),
    "state": Column(
        "present, absent (upstream could not give it), ignored (not downloaded), refused (not safe "
        "to write) or unreadable"
    ),
    "lines": Column("lines of a run log", "lines"),
    "key": Column("key of the log line, such as run_start"),
    "time_ms": Column("time by the log's own clock", "ms"),
    "value": Column("the line's number, in the unit of its key", "see key"),
    "text": Column("the line's text, at most 120 characters"),
    "metric": Column("what an evaluation measured, where the line names it"),
    "epoch_num": Column("epoch that the line names", "epochs"),
    "samples_count": Column("samples that the line names", "samples"),
    "step_num": Column("step that the line names", "steps"),
    "submitter_name": Column("the submitter, as the description calls it"),
    "system_name": Column("the system, as the description calls it"),
    "host_processor": Column("host processor, as the submitter calls it"),
    "host_processors_per_node": Column("host processors in each node", "processors"),
    "framework": Column("training framework, as the submitter calls it"),
}

_ANSWER = (
    "found (accelerators is the answer), beyond (at or beyond the largest size measured), below "
    "(at or below the smallest), ambiguous"
)
SPECIFIC = {
    ("runs", "minutes"): Column("time of the run, from its start to its end", "min"),
    ("runs", "status"): Column(
        "what the log ends with, such as success or aborted; unfinished, unusable or unknown; "
        "absent, refused or unreadable where the log could not be had"
    ),
    ("runs", "reason"): Column("why the run does not count; empty where it does"),
    ("runs", "converged_at"): Column(
        "how far training had come when a run that counts converged, in progress_unit",
        "see progress_unit",
    ),
    ("runs", "duplicate_of"): Column(
        "path of the first run of the round with the same content; empty where this is the first"
    ),
    ("scores", "reason"): Column("why there is no score; empty where there is one"),
    ("scores", "duplicate_of"): Column(
        "submitter/system whose runs all of these repeat; empty where any is new"
    ),
    ("reconciliation", "reason"): Column("why MLCommons' own summarizer does not count the run"),
    ("problems", "path"): Column(
        "path of the file in the upstream repository; of what concerns a whole folder, its first"
    ),
    ("breakeven", "status"): Column(
        f"{_ANSWER}, undecided, front (pareto names no winner), prices (of each step), off (not "
        "asked for) or refused"
    ),
    ("breakeven", "accelerators"): Column(
        "the break-even point; empty unless status is found", "accelerators", unofficial=True
    ),
    ("breakeven", "low"): Column("lower end of its bracket", "accelerators", unofficial=True),
    ("breakeven", "high"): Column("upper end of its bracket", "accelerators", unofficial=True),
    ("breakeven", "reason"): Column("what the answer rests on, or why there is none"),
    ("probabilities", "status"): Column(f"{_ANSWER} or refused"),
    ("probabilities", "accelerators"): Column(
        "the break-even point of these replicates; empty unless status is found",
        "accelerators",
        unofficial=True,
    ),
    ("conclusions", "low"): Column("smallest of the points found", "accelerators", unofficial=True),
    ("conclusions", "high"): Column("largest of the points found", "accelerators", unofficial=True),
    ("facts/files", "path"): Column("path of the file in the upstream repository"),
    ("facts/files", "kind"): Column("run, scaling, description, or other (listed, not read)"),
    ("facts/files", "benchmark"): Column(
        "benchmark by the log's folder, or by the log itself where the folder names none"
    ),
    ("facts/files", "scaling_factor"): Column("the factor that a scaling.json holds", "1"),
    ("facts/events", "line"): Column("line of the log, counted from 1", "1"),
    ("facts/events", "status"): Column("the status that a run_stop names"),
    ("facts/systems", "path"): Column("path of the description in the upstream repository"),
    ("facts/systems", "division"): Column("division, as the submitter writes it"),
    ("facts/systems", "status"): Column("category, as the submitter writes it"),
    ("facts/problems", "path"): Column("path of the file in the upstream repository"),
}


def column(table: str, name: str) -> Column:
    """Look up a column of a table.

    Raises:
        BreakevenError: the dictionary has no such entry.
    """
    found = SPECIFIC.get((table, name)) or COLUMNS.get(name)
    if found is None:
        raise BreakevenError(f"breakeven/dictionary.py: {table} has no entry for {name!r}")
    return found
