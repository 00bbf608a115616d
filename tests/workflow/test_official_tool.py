"""A submission written by the official logger, scored by its summarizer and by this project."""

import json
import logging

import pytest
from mlperf_logging.mllog import constants
from mlperf_logging.mllog.mllog import MLLogger
from mlperf_logging.result_summarizer.result_summarizer import summarize_results

from breakeven import config, facts, parse, scores
from breakeven.analysis import scored
from breakeven.fetch import Entry, blob_id
from tests.conftest import ROOT

pytestmark = pytest.mark.workflow

MINUTES = (31.25, 30.5, 47.125, 29.0, 33.75)
BROKEN = (
    ':::MLLOG {"namespace": "", "time_ms": 1, "key": "opt_name", "value": "adam" "metadata": {}}\n'
)
DESCRIPTION = {
    "submitter": "Example", "division": "open", "status": "Available on-premise",
    "system_name": "sys", "number_of_nodes": "2", "host_processors_per_node": "2",
    "host_processor_model_name": "Example CPU", "host_processor_core_count": "8",
    "accelerators_per_node": "8", "accelerator_model_name": "NVIDIA H100-SXM5-80GB",
    "framework": "Example", "hw_notes": "", "sw_notes": "",
}  # fmt: skip


def write_run(path, minutes):
    """Write one log with the official logger."""
    path.parent.mkdir(parents=True, exist_ok=True)
    target = logging.Logger(str(path))
    target.addHandler(logging.FileHandler(path))
    logger = MLLogger(logger=target)
    time = 1_700_000_000_000

    def event(key, value=None, **metadata):
        logger.event(key, value, metadata=metadata, time_ms=time)

    for key, value in (
        (constants.SUBMISSION_ORG, "Example"),
        (constants.SUBMISSION_PLATFORM, "sys"),
        (constants.SUBMISSION_DIVISION, "open"),
        (constants.SUBMISSION_BENCHMARK, "ssd"),
        (constants.SUBMISSION_STATUS, "onprem"),
        (constants.CACHE_CLEAR, True),
        (constants.GLOBAL_BATCH_SIZE, 256),
        (constants.TRAIN_SAMPLES, 1_000_000),
        (constants.EVAL_SAMPLES, 1_000),
    ):
        event(key, value)
    logger.start(constants.INIT_START, time_ms=time)
    time += 60_000
    logger.end(constants.INIT_STOP, time_ms=time)
    logger.start(constants.RUN_START, time_ms=time)
    logger.start(constants.EPOCH_START, metadata={"epoch_num": 1}, time_ms=time)
    time += round(minutes * 60_000)
    logger.start(constants.EVAL_START, metadata={"epoch_num": 1}, time_ms=time)
    event(constants.EVAL_ACCURACY, 0.35, epoch_num=1)
    logger.end(constants.EVAL_STOP, metadata={"epoch_num": 1}, time_ms=time)
    logger.end(constants.EPOCH_STOP, metadata={"epoch_num": 1}, time_ms=time)
    logger.end(constants.RUN_STOP, metadata={"status": "success", "epoch_num": 1}, time_ms=time)


def submission(folder, factor=None, broken=None):
    """Write a submission of one system and five runs; `broken` names a run to damage."""
    (folder / "Example/systems").mkdir(parents=True)
    (folder / "Example/systems/sys.json").write_text(json.dumps(DESCRIPTION))
    bench = folder / "Example/results/sys/ssd"
    for i, minutes in enumerate(MINUTES):
        write_run(bench / f"result_{i}.txt", minutes)
    if factor is not None:
        (bench / "scaling.json").write_text(json.dumps({"scaling_factor": factor}))
    if broken is not None:
        path = bench / f"result_{broken}.txt"
        path.write_text(BROKEN + path.read_text())
    return folder


def ours(folder):
    """Score the submission with this project; return the score's row and the reconciliation."""
    entries = [
        Entry(path.relative_to(folder).as_posix(), blob_id(path.read_bytes()), 0, "present", "")
        for path in folder.rglob("*")
        if path.is_file()
    ]
    load, where = config.load, ROOT / "config"
    accepted = load(config.Descriptions, where / "descriptions.yaml")
    found = facts.framed(parse.parse(entries, config.Layout(), accepted, folder))
    run_table, table, _, _ = scored(
        found,
        config.load_round(where / "rounds", "v4.1"),
        load(config.Benchmarks, where / "benchmarks.yaml"),
        load(config.Vocabulary, where / "vocabulary.yaml"),
        load(config.Accelerators, where / "accelerators.yaml"),
    )
    (row,) = table.to_dict("records")
    return row, scores.reconcile(table, run_table)


def theirs(folder):
    """Score the submission with the official summarizer."""
    strong, *_ = summarize_results(str(folder / "Example"), "training", "4.1.0")
    return float(strong["ssd"].iloc[0])


@pytest.mark.parametrize("factor", [None, 1.0625])
def test_both_give_the_same_score(tmp_path, factor):
    folder = submission(tmp_path / "submission", factor)
    row, reconciliation = ours(folder)
    assert row["minutes"] == pytest.approx(sum((30.5, 31.25, 33.75)) / 3 * (factor or 1), rel=1e-12)
    assert row["minutes"] == row["official_minutes"] == pytest.approx(theirs(folder), rel=1e-12)
    assert reconciliation.empty
    assert row["accelerators"] == 16


def test_where_the_official_tool_drops_a_run_both_numbers_and_the_reason_are_there(tmp_path):
    folder = submission(tmp_path / "submission", broken=3)
    row, reconciliation = ours(folder)
    assert row["minutes"] == pytest.approx(sum((30.5, 31.25, 33.75)) / 3, rel=1e-12)
    assert row["official_minutes"] == pytest.approx(theirs(folder), rel=1e-12)
    assert row["official_minutes"] != row["minutes"]
    assert reconciliation["path"].tolist() == ["Example/results/sys/ssd/result_3.txt"]
    assert reconciliation["reason"].tolist() == [
        "line 1 is not valid JSON, though no score needs it"
    ]
