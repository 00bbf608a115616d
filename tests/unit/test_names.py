"""Meaning of what submitters wrote."""

import pandas as pd
import pytest

from breakeven import config, names
from breakeven.errors import BreakevenError
from tests.conftest import ROOT

VOCABULARY = config.load(config.Vocabulary, ROOT / "config/vocabulary.yaml")
ACCELERATORS = config.load(config.Accelerators, ROOT / "config/accelerators.yaml")


def system(**changes):
    return {
        "path": "S/systems/a.json", "submitter": "S", "system": "a", "division": "Closed",
        "status": "Available  On-Premise", "nodes": 2, "accelerators_per_node": 8,
        "accelerator": "NVIDIA H100-SXM5-80GB", "host_processor": "Intel(R) Xeon(R) X", **changes,
    }  # fmt: skip


def describe(*systems):
    return names.describe_systems(pd.DataFrame(systems), VOCABULARY, ACCELERATORS)


@pytest.mark.parametrize(
    ("raw", "model"),
    [
        ("NVIDIA H100-SXM5-80GB", "H100 SXM"), ("NVIDIA H100 80GB HBM3", "H100 SXM"),
        ("H100 NVL Tensor Core GPU (PCIe)", "H100 NVL"), ("NVIDIA H100-PCIe-80GB", "H100 PCIe"),
        ("NVIDIA Blackwell GPU (GB200)", "GB200 SXM"),
        ("NVIDIA Blackwell GPU (B200-SXM-180GB)", "B200 SXM"),
        ("NVIDIA A100 - PCIe - 80 GB", "A100 PCIe"), ("NVIDIA A100-SXM4-40GB (400W)", "A100 SXM"),
        ("Tesla V100-SXM3-32GB-H", "V100 SXM3-H"), ("NVIDIA L40S", "L40S PCIe"),
        ("NVIDIA L40", "L40 PCIe"), ("NVIDIA L4", "L4 PCIe"), ("Intel(R) Gaudi(R) 2 AI Accelerator",
        "Gaudi 2 OAM"), ("Habana Gaudi", "Gaudi OAM"), ("tpu-v3", "TPU v3"), ("TPU v3", "TPU v3"),
        ("tpuv2-512", "TPU v2"), ("TPU", "TPU v4"), ("Ascend910", "Ascend 910"),
        ("AMD Instinct MI325X 256GB HBM3E DLC", "MI325X OAM"),
    ],
)  # fmt: skip
def test_accelerator_models(raw, model):
    assert describe(system(accelerator=raw))["accelerator_model"].tolist() == [model]


def test_words_of_the_vocabulary_and_totals():
    row = describe(system()).iloc[0]
    assert (row["division"], row["category"], row["accelerators"]) == ("closed", "available", 16)


def test_cpu_only_systems_are_kept_and_labelled():
    row = describe(system(accelerators_per_node=0, accelerator=None)).iloc[0]
    assert (row["accelerator_family"], row["accelerators"]) == ("CPU only", 0)


def test_unknown_values_are_all_named_with_file_and_place_to_add():
    with pytest.raises(BreakevenError) as caught:
        describe(system(status="Sold out"), system(path="T/b.json", accelerator="Example Z9"))
    lines = str(caught.value).splitlines()
    assert "S/systems/a.json: status 'Sold out'" in lines[0]
    assert "available, preview, research" in lines[0]
    assert "T/b.json: accelerator 'Example Z9'" in lines[1]


@pytest.mark.parametrize(
    "processor", ["Intel(R) Xeon(R) Platinum 8480C", "INTEL(R) XEON(R) PLATINUM 8480C",
                  "Intel Xeon Platinum 8480C CPU @ 2.00GHz"]
)  # fmt: skip
def test_one_node_type_however_it_is_written(processor):
    assert names.node_type(8, processor) == "8 a node, Intel Xeon Platinum 8480C"


def test_a_pod_s_slices_are_one_node_type():
    one = describe(system(accelerator="tpu-v3", nodes=1, accelerators_per_node=16))
    two = describe(system(accelerator="tpu-v3", nodes=1, accelerators_per_node=512))
    assert one["node_type"].tolist() == two["node_type"].tolist() == ["pod, Intel Xeon X"]


@pytest.mark.parametrize(
    ("raw", "gigabytes"),
    [("NVIDIA A100-SXM4-40GB (400W)", 40), ("NVIDIA A100 - PCIe - 80 GB", 80), ("TPU-v5p", None)],
)
def test_memory_is_read_from_the_name(raw, gigabytes):
    assert names.memory(raw) == gigabytes
