"""Where a run converged, in every way that logs say it."""

import pytest

from breakeven.config import Progress
from breakeven.convergence import of_run


def evaluation(line, value=0.5, key="eval_accuracy", **fields):
    empty = {"metric": None, "epoch_num": None, "samples_count": None, "step_num": None}
    return {**empty, "line": line, "key": key, "value": value, **fields}


def progress(*fields, **changes):
    return Progress(first="v1.0", fields=fields, unit="samples", **changes)


def test_the_last_evaluation_before_run_stop_counts():
    events = [evaluation(2, epoch_num=1), evaluation(4, epoch_num=2), evaluation(9, epoch_num=3)]
    found = of_run(events, 8, progress("epoch_num"))
    assert (found.amount, found.line, found.evaluations) == (2, 4, 2)


def test_fields_are_tried_in_order_and_bounds_tell_which_is_meant():
    events = [
        evaluation(2, epoch_num=1),
        evaluation(3, key="train_samples", value=2_500_000.0),
        evaluation(5, epoch_num=1),
    ]
    found = of_run(events, 8, progress("epoch_num", "train_samples", at_least=2))
    assert (found.amount, found.line) == (2_500_000, 3)


@pytest.mark.parametrize(("logged", "samples"), [(1080.0, 181_440), (181_440.0, 181_440)])
def test_epochs_among_samples_are_made_samples(logged, samples):
    rules = progress("epoch_num", epochs_below=20_000, samples_per_epoch=168)
    assert of_run([evaluation(2, epoch_num=logged)], 8, rules).amount == samples


def test_an_offset_is_added():
    rules = progress("epoch_num", offset=-1, at_most=5)
    assert of_run([evaluation(2, epoch_num=1.75)], 8, rules).amount == 0.75


def test_what_is_out_of_bounds_is_unknown_with_a_reason():
    found = of_run([evaluation(2, epoch_num=17)], 8, progress("epoch_num", at_most=5))
    assert (found.amount, found.line, found.evaluations) == (None, None, 1)
    assert found.reason == "no usable epoch_num in its evaluations"
    assert of_run([], 8, None).reason == "no progress configured"


def test_the_first_point_at_which_all_metrics_reach_their_limits():
    limits = {"FID": ("at_most", 90), "CLIP": ("at_least", 0.15)}
    events = [
        evaluation(20, 95.0, metric="FID", samples_count=512),
        evaluation(21, 0.16, metric="CLIP", samples_count=512),
        evaluation(22, 0.17, metric="CLIP", samples_count=2048),
        evaluation(24, 85.0, metric="FID", samples_count=1024),
        evaluation(25, 0.16, metric="CLIP", samples_count=1024),
        evaluation(26, 80.0, metric="FID", samples_count=2048),
    ]
    # Their lines stand behind run_stop, in line 10.
    found = of_run(events, 10, progress("samples_count", reaches=limits))
    assert (found.amount, found.line, found.evaluations) == (1024, 25, 3)
    none = of_run(events[:2], 10, progress("samples_count", reaches=limits))
    assert none.reason == "no point reaches FID and CLIP"


def test_a_run_that_converged_before_it_began_gives_nothing_to_divide_by():
    events = [evaluation(2, 1.0, samples_count=0, metric="FID")]
    assert of_run(events, 8, progress("samples_count")).amount is None
    limits = {"FID": ("at_most", 90)}
    assert of_run(events, 8, progress("samples_count", reaches=limits)).amount is None
    later = [*events, evaluation(3, 1.0, samples_count=512, metric="FID")]
    assert of_run(later, 8, progress("samples_count", reaches=limits)).amount == 512
