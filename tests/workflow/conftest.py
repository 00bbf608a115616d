"""What tests of the workflow share: a clone whose one round takes seconds."""

import re
import shutil

import pytest
import yaml

DESCRIPTION = """{"submitter": "Sub", "division": "closed", "status": "Available on-premise",
"number_of_nodes": "1", "accelerators_per_node": "8", "host_processors_per_node": "2",
"accelerator_model_name": "NVIDIA H100-SXM5-80GB", "host_processor_model_name": "Example CPU"}"""


@pytest.fixture
def small(project, upstream):
    """Give a clone whose one round is a small real repository on this machine."""
    for i in range(10):
        log = upstream.LOG.format(start=1700000000000, stop=1700000000000 + 60_000 * (10 + i))
        upstream.write(f"Sub/results/sys/bert/result_{i}.txt", log)
    upstream.write("Sub/systems/sys.json", DESCRIPTION)
    pin_path = project / "config/rounds/v4.1.yaml"
    pin = yaml.safe_load(pin_path.read_text())
    pin.update(repository=upstream.url, commit=upstream.commit())
    pin_path.write_text(yaml.safe_dump(pin))
    shutil.rmtree(project / "data/facts/v4.1")
    settings = project / "config/config.yaml"
    settings.write_text(re.sub(r"(?m)^rounds: .*$", "rounds: [v4.1]", settings.read_text()))
    lock = project / "dvc.lock"
    stages = yaml.safe_load(lock.read_text())["stages"]
    kept = {"schema": "2.0", "stages": {"download@v4.1": stages["download@v4.1"]}}
    lock.write_text(yaml.safe_dump(kept))
    return project
