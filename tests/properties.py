"""How property tests run here: bounded, without chance, and without leaving files in the tree."""

import tempfile

from hypothesis import HealthCheck, configuration, settings

configuration.set_hypothesis_home_dir(tempfile.gettempdir())


def bounded(examples, seconds=5):
    """Run the same examples each time; none may take longer than the seconds given.

    Which they are depends on the version of hypothesis and on the modules that are loaded, whose
    constants it tries, so that a test must hold for any.
    """
    return settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=seconds * 1000,
        suppress_health_check=[HealthCheck.too_slow],
    )
