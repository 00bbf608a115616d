"""What tests of the workflow share: a clone whose one round takes seconds."""

import pytest

from tests.conftest import make_small, publish


@pytest.fixture
def small(project, upstream):
    """Give a clone whose one round is a small real repository on this machine."""
    publish(upstream)
    return make_small(project, upstream)
