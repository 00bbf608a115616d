"""The tables that other tools read: columns, types and sort order.

Every table is ``results/<round>/<name>.parquet`` (history, resubmissions and problems of all rounds
are in ``results/`` itself), and the same as ``.csv``. Columns may be added; none is taken away.
What each means, and its unit, is in :mod:`breakeven.dictionary`.
"""

from __future__ import annotations

import pyarrow as pa

from breakeven.parquet import REAL, TEXT, WHOLE

# Statuses of a run whose log could not be had: it is no run that failed.
NOT_HAD = ("absent", "refused", "unreadable")

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
