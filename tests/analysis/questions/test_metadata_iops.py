"""The provisioning model and rates for each provisioned IOPS."""

import pytest

from coldcache.analysis.questions.metadata_iops import model, published_iops, rate_per_iops
from coldcache.analysis.questions.select import choose

METADATA = ["file-create", "file-stat", "file-remove"]


def test_the_provisioning_model_meets_what_the_document_states(invent):
    rules = model([1200, 12000])
    assert rules.automatic == [1500, 12000]
    assert published_iops(invent("fsx-metadata"), "fsx-metadata") == {1200: 1500, 12000: 12000}


def test_rates_are_divided_by_the_provisioned_iops(invent):
    path = invent("fsx-metadata")
    sweeps = list(choose(
        path, "fsx-metadata", "rate", ["file-create", "file-stat", "file-read", "file-remove"], by=["metadata_iops"]
    ))  # fmt: skip
    assert [found.path for found in sweeps] == [
        f"fsx-metadata/{sweep}" for sweep in ("metadata-iops", "metadata-bound", "metadata-bound-others")
    ]
    rows = rate_per_iops(sweeps[0])
    create = rows[(rows.operation == "file-create") & (rows["metadata IOPS (1/s)"] == 12000)]
    assert len(create) == 2
    # 1,000 for each of 16 threads, 1 % more in the second trial, over 12,000; twice that on the larger tier.
    assert sorted(create["per IOPS (1)"]) == pytest.approx([16080 / 12000, 2 * 16080 / 12000])
    assert set(create["model per IOPS (1)"]) == {"2"}
    assert set(rows[rows.operation == "file-stat"]["model per IOPS (1)"]) == {"not stated"}
