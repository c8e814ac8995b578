"""Metadata IOPS follow the rules of the document; what cannot be provisioned is refused with the nearest value."""

from pathlib import Path

import pytest

from coldcache.core.errors import DesignError
from coldcache.design.study import read_study
from coldcache.statistics.models.fsx_metadata_iops import (
    automatic_iops,
    check_provisioned,
    expected_rate,
    largest_increase,
)


@pytest.mark.parametrize(
    ("capacity", "iops"),
    [
        (1_200, 1_500), (2_400, 3_000), (4_800, 6_000), (9_600, 6_000), (12_000, 12_000), (45_600, 12_000),
        (48_000, 24_000), (72_000, 36_000),
    ],
)  # fmt: skip
def test_automatic_mode_follows_capacity(capacity, iops):
    assert automatic_iops(capacity) == iops


@pytest.mark.parametrize("capacity", [0, 600, 1_201, 3_600, 12_001])
def test_a_capacity_that_does_not_exist_is_refused(capacity):
    with pytest.raises(DesignError) as refused:
        automatic_iops(capacity)
    assert str(refused.value) == f"no file system has {capacity:,} GiB: choose 1,200 or a multiple of 2,400"


def test_a_user_may_ask_for_three_small_values_and_sixteen_multiples():
    allowed = []
    for iops in range(0, 250_000, 500):
        try:
            allowed.append(check_provisioned(iops))
        except DesignError:
            continue
    assert allowed == [1_500, 3_000, 6_000, *range(12_000, 192_001, 12_000)]
    assert len(allowed) == 19


@pytest.mark.parametrize(("iops", "nearest"), [(13_000, "12,000"), (4_000, "3,000"), (204_000, "192,000")])
def test_another_value_is_refused_with_the_nearest(iops, nearest):
    with pytest.raises(DesignError) as refused:
        check_provisioned(iops)
    assert str(refused.value) == (
        f"{iops:,} metadata IOPS cannot be provisioned: choose 1,500, 3,000, 6,000 or a multiple of 12,000 up to "
        f"192,000; the nearest is {nearest}"
    )


def test_creating_and_opening_take_half_an_iops_and_removing_a_whole_one():
    assert expected_rate("file-create", 12_000) == expected_rate("file-open", 12_000) == 24_000
    assert expected_rate("file-remove", 192_000) == 192_000
    with pytest.raises(DesignError, match="no rate is given for file-stat; known are file-create"):
        expected_rate("file-stat", 12_000)


def test_the_most_is_sixteen_times_what_12_tib_have_and_not_fifteen():
    assert largest_increase(12_000) == 16


def test_a_study_that_asks_for_13000_is_refused_with_file_and_key(root, tmp_path):
    text = (root / "config/studies/fsx-metadata.yaml").read_text()
    assert text.count("[12000, 192000]") == 1
    (tmp_path / "fsx-metadata.yaml").write_text(text.replace("[12000, 192000]", "[12000, 13000]"))
    with pytest.raises(DesignError) as refused:
        read_study(Path(tmp_path), "fsx-metadata")
    assert str(refused.value).startswith(
        f"{tmp_path}/fsx-metadata.yaml, line 34, sweeps.metadata-iops: factors.metadata_iops: 13,000 metadata IOPS"
    )
