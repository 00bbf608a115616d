"""The tables that other tools read: columns, types and sort order, with their units.

Every table is ``results/<round>/<name>.parquet`` (history, resubmissions and problems of all rounds
are in ``results/`` itself), and the same as ``.csv``. Columns may be added; none is taken away.
"""

from __future__ import annotations

import pyarrow as pa

from breakeven.tables import REAL, TEXT, WHOLE

# Statuses of a run whose log could not be had: it is no run that failed.
NOT_HAD = ("absent", "refused", "unreadable")

# minutes: run_stop - run_start; init_minutes: first init_start to init_stop; start_ms, stop_ms:
# the log's clock. official_reason: why MLCommons' own summarizer would not count the run, where
# that differs from `reason`. converged_at: how far training had come, in progress_unit, read from
# converged_line; evaluations: points of training that were evaluated. averaged: whether the run is
# one of those whose mean is the score.
RUNS = pa.schema(
    [
        pa.field("round", TEXT, nullable=False),
        pa.field("submitter", TEXT, nullable=False),
        pa.field("system", TEXT, nullable=False),
        pa.field("benchmark", TEXT, nullable=False),
        pa.field("path", TEXT, nullable=False),
        pa.field("blob", TEXT, nullable=False),
        pa.field("start_line", WHOLE),
        pa.field("stop_line", WHOLE),
        pa.field("start_ms", REAL),
        pa.field("stop_ms", REAL),
        pa.field("minutes", REAL),
        pa.field("status", TEXT, nullable=False),
        pa.field("counted", pa.bool_(), nullable=False),
        pa.field("reason", TEXT, nullable=False),
        pa.field("official_reason", TEXT, nullable=False),
        pa.field("init_minutes", REAL),
        pa.field("global_batch_size", REAL),
        pa.field("converged_at", REAL),
        pa.field("converged_line", WHOLE),
        pa.field("progress_unit", TEXT),
        pa.field("evaluations", WHOLE),
        pa.field("convergence_reason", TEXT, nullable=False),
        pa.field("averaged", pa.bool_(), nullable=False),
        pa.field("duplicate_of", TEXT),
    ]
)
RUNS_KEYS = ("round", "path")

# mean_minutes: before scaling; minutes: the score, after it; official_minutes: what MLCommons'
# own summarizer gives by those of its present checks that runs.official_reason knows. runs: logs
# found; runs_repeated: of those, listed twice in this very folder; runs_asked: what the rules ask
# for; runs_dropped: fastest and slowest left out, each. workload: one name of a benchmark over all
# rounds; span: rounds it may be compared in. converged_at: mean over the averaged runs of how far
# training had come, in progress_unit. correction: how the system's counts are known where its
# description is wrong or missing.
SCORES = pa.schema(
    [
        pa.field("round", TEXT, nullable=False),
        pa.field("submitter", TEXT, nullable=False),
        pa.field("system", TEXT, nullable=False),
        pa.field("benchmark", TEXT, nullable=False),
        pa.field("workload", TEXT, nullable=False),
        pa.field("model", TEXT, nullable=False),
        pa.field("span", TEXT, nullable=False),
        pa.field("division", TEXT),
        pa.field("category", TEXT),
        pa.field("accelerator", TEXT),
        pa.field("accelerator_family", TEXT),
        pa.field("accelerator_model", TEXT),
        pa.field("accelerator_memory", WHOLE),
        pa.field("node_type", TEXT),
        pa.field("nodes", WHOLE),
        pa.field("accelerators_per_node", WHOLE),
        pa.field("accelerators", WHOLE),
        pa.field("runs", WHOLE, nullable=False),
        pa.field("runs_failed", WHOLE, nullable=False),
        pa.field("runs_absent", WHOLE, nullable=False),
        pa.field("runs_repeated", WHOLE, nullable=False),
        pa.field("runs_asked", WHOLE, nullable=False),
        pa.field("runs_dropped", WHOLE, nullable=False),
        pa.field("mean_minutes", REAL),
        pa.field("scaling_factor", REAL),
        pa.field("minutes", REAL),
        pa.field("official_minutes", REAL),
        pa.field("reason", TEXT, nullable=False),
        pa.field("converged_at", REAL),
        pa.field("progress_unit", TEXT),
        pa.field("global_batch_size", REAL),
        pa.field("correction", TEXT, nullable=False),
        pa.field("duplicate_of", TEXT),
    ]
)
SCORES_KEYS = ("round", "benchmark", "submitter", "system")

# The known disagreements with the official summarizer, one row a run that causes one.
RECONCILIATION = pa.schema(
    [
        pa.field("round", TEXT, nullable=False),
        pa.field("submitter", TEXT, nullable=False),
        pa.field("system", TEXT, nullable=False),
        pa.field("benchmark", TEXT, nullable=False),
        pa.field("minutes", REAL),
        pa.field("official_minutes", REAL),
        pa.field("path", TEXT, nullable=False),
        pa.field("reason", TEXT, nullable=False),
    ]
)
RECONCILIATION_KEYS = ("round", "benchmark", "submitter", "system", "path")

PROBLEMS = pa.schema(
    [
        pa.field("round", TEXT, nullable=False),
        pa.field("path", TEXT, nullable=False),
        pa.field("line", WHOLE),
        pa.field("kind", TEXT, nullable=False),
        pa.field("detail", TEXT, nullable=False),
        pa.field("action", TEXT, nullable=False),
    ]
)
PROBLEMS_KEYS = ("round", "path", "line", "kind", "detail")

# minutes: official score; speedup, efficiency, speedup_per_accelerator, marginal_efficiency: no
# unit; price_of_hour: accelerator-hours paid for each hour saved since the previous point;
# exponent, marginal_efficiency and price_of_hour: of the step from the previous point, null in the
# other views, where neighbours are different systems. alternatives: other systems measured at the
# same point, slower than this one. efficiency_throughput, _convergence and _normalisation: factors
# whose product is efficiency, null with decomposition_reason. *_low, *_high: percentile interval
# of run-to-run noise, null with interval_reason; lumpy: the runs stopped at very few distinct
# points, so that the interval is coarse.
SCALING = pa.schema(
    [
        pa.field("round", TEXT, nullable=False),
        pa.field("view", TEXT, nullable=False),
        pa.field("series", TEXT, nullable=False),
        pa.field("series_name", TEXT, nullable=False),
        pa.field("benchmark", TEXT, nullable=False),
        pa.field("model", TEXT, nullable=False),
        pa.field("division", TEXT, nullable=False),
        pa.field("category", TEXT, nullable=False),
        pa.field("submitter", TEXT, nullable=False),
        pa.field("system", TEXT, nullable=False),
        pa.field("accelerator", TEXT, nullable=False),
        pa.field("accelerator_family", TEXT, nullable=False),
        pa.field("accelerator_model", TEXT, nullable=False),
        pa.field("accelerator_memory", WHOLE),
        pa.field("accelerators", WHOLE, nullable=False),
        pa.field("minutes", REAL, nullable=False),
        pa.field("runs", WHOLE, nullable=False),
        pa.field("runs_failed", WHOLE, nullable=False),
        pa.field("runs_absent", WHOLE, nullable=False),
        pa.field("reference_submitter", TEXT, nullable=False),
        pa.field("reference_system", TEXT, nullable=False),
        pa.field("reference_accelerator", TEXT, nullable=False),
        pa.field("reference_accelerators", WHOLE, nullable=False),
        pa.field("reference_minutes", REAL, nullable=False),
        pa.field("speedup", REAL, nullable=False),
        pa.field("efficiency", REAL, nullable=False),
        pa.field("speedup_per_accelerator", REAL, nullable=False),
        pa.field("exponent", REAL),
        pa.field("marginal_efficiency", REAL),
        pa.field("price_of_hour", REAL),
        pa.field("efficiency_throughput", REAL),
        pa.field("efficiency_convergence", REAL),
        pa.field("efficiency_normalisation", REAL),
        pa.field("decomposition_reason", TEXT, nullable=False),
        pa.field("global_batch_size", REAL),
        pa.field("converged_at", REAL),
        pa.field("progress_unit", TEXT),
        pa.field("minutes_low", REAL),
        pa.field("minutes_high", REAL),
        pa.field("speedup_low", REAL),
        pa.field("speedup_high", REAL),
        pa.field("efficiency_low", REAL),
        pa.field("efficiency_high", REAL),
        pa.field("interval_reason", TEXT, nullable=False),
        pa.field("lumpy", pa.bool_(), nullable=False),
        pa.field("same_accelerator", pa.bool_(), nullable=False),
        pa.field("alternatives", TEXT, nullable=False),
    ]
)
SCALING_KEYS = (
    "round",
    "view",
    "benchmark",
    "series",
    "accelerators",
    "minutes",
    "submitter",
    "system",
)

# status: found (accelerators is the answer), beyond (at or beyond the largest measured: low),
# below (at or below the smallest: high), ambiguous, front (pareto names no winner), prices (of
# each step), off (not asked for) or refused. low and high bracket the answer, in accelerators;
# threshold: the method's, no unit; probability: of exactly this answer under run-to-run noise,
# null with probability_reason.
BREAKEVEN = pa.schema(
    [
        pa.field("round", TEXT, nullable=False),
        pa.field("benchmark", TEXT, nullable=False),
        pa.field("series_name", TEXT),
        pa.field("method", TEXT, nullable=False),
        pa.field("status", TEXT, nullable=False),
        pa.field("accelerators", WHOLE),
        pa.field("low", WHOLE),
        pa.field("high", WHOLE),
        pa.field("threshold", REAL),
        pa.field("probability", REAL),
        pa.field("reason", TEXT, nullable=False),
        pa.field("probability_reason", TEXT, nullable=False),
        pa.field("view", TEXT, nullable=False),
        pa.field("series", TEXT),
        pa.field("model", TEXT, nullable=False),
    ]
)
BREAKEVEN_KEYS = ("round", "view", "benchmark", "series")

# probability: share of the replicates of a series in which a method gives this very answer.
PROBABILITIES = pa.schema(
    [
        pa.field("round", TEXT, nullable=False),
        pa.field("benchmark", TEXT, nullable=False),
        pa.field("series_name", TEXT, nullable=False),
        pa.field("method", TEXT, nullable=False),
        pa.field("status", TEXT, nullable=False),
        pa.field("accelerators", WHOLE),
        pa.field("probability", REAL, nullable=False),
        pa.field("view", TEXT, nullable=False),
        pa.field("series", TEXT, nullable=False),
    ]
)
PROBABILITIES_KEYS = ("round", "view", "benchmark", "series", "method", "status", "accelerators")

# methods_found: methods that gave a point; low, high: the smallest and largest of those points, in
# accelerators; agree: whether they are one point.
CONCLUSIONS = pa.schema(
    [
        pa.field("round", TEXT, nullable=False),
        pa.field("benchmark", TEXT, nullable=False),
        pa.field("series_name", TEXT, nullable=False),
        pa.field("methods_found", TEXT, nullable=False),
        pa.field("low", WHOLE),
        pa.field("high", WHOLE),
        pa.field("agree", pa.bool_(), nullable=False),
        pa.field("sentence", TEXT, nullable=False),
        pa.field("series", TEXT, nullable=False),
        pa.field("model", TEXT, nullable=False),
    ]
)
CONCLUSIONS_KEYS = ("round", "benchmark", "series")

# basis: `overall` (the fastest, at any number of accelerators) or `equal` (the fastest at exactly
# this number). minutes: official; accelerator_hours: minutes times accelerators over 60.
# resubmission_of: the earlier result that this one is, as round/submitter/system, if it is one.
HISTORY = pa.schema(
    [
        pa.field("workload", TEXT, nullable=False),
        pa.field("model", TEXT, nullable=False),
        pa.field("span", TEXT, nullable=False),
        pa.field("round", TEXT, nullable=False),
        pa.field("basis", TEXT, nullable=False),
        pa.field("accelerator_family", TEXT, nullable=False),
        pa.field("accelerators", WHOLE, nullable=False),
        pa.field("minutes", REAL, nullable=False),
        pa.field("accelerator_hours", REAL, nullable=False),
        pa.field("submitter", TEXT, nullable=False),
        pa.field("system", TEXT, nullable=False),
        pa.field("benchmark", TEXT, nullable=False),
        pa.field("resubmission_of", TEXT),
    ]
)
HISTORY_KEYS = ("workload", "basis", "accelerator_family")

# A run of a later round that is one of an earlier round, by content.
RESUBMISSIONS = pa.schema(
    [
        pa.field("round", TEXT, nullable=False),
        pa.field("submitter", TEXT, nullable=False),
        pa.field("system", TEXT, nullable=False),
        pa.field("benchmark", TEXT, nullable=False),
        pa.field("path", TEXT, nullable=False),
        pa.field("original_round", TEXT, nullable=False),
        pa.field("original_path", TEXT, nullable=False),
    ]
)
RESUBMISSIONS_KEYS = ("round", "path")
