"""A specification knows its keys, units and bounds, and refuses what does not fit together."""

import pytest
from pydantic import ValidationError

from coldcache.design.model.specification import CLIENT_VALUES, MODEL_LIMITS, Specification, show_value


def test_the_default_fits_a_small_machine():
    assert Specification().targets == 8
    assert Specification().target_rate == 1e7


@pytest.mark.parametrize(
    "values",
    [
        {"targets": 0},
        {"targets": 2, "storage_nodes": 3},
        {"target_rate": 0.0},
        {"target_rate": "10 MB"},
        {"metadata_cpu": 0.0},
        {"target_size": 1 << 29},
        {"network_delay": -1.0},
        {"target_rates": 1e7},
    ],
)
def test_what_does_not_fit_is_refused(values):
    with pytest.raises(ValidationError):
        Specification.model_validate(values)


def test_a_change_is_checked_as_a_whole():
    with pytest.raises(ValidationError, match="storage_nodes: 2 nodes for 1 targets"):
        Specification().change(targets=1)


def test_targets_are_dealt_out_to_nodes_in_equal_parts():
    nodes = [Specification(targets=8, storage_nodes=2).node_of(target) for target in range(1, 9)]
    assert nodes == [1, 1, 1, 1, 2, 2, 2, 2]


def test_writes_have_their_own_bound_without_a_write_cache():
    slow = Specification(write_cache=False, uncached_write_rate=1e6)
    assert slow.write_rate == 1e6
    assert slow.change(write_cache=True).write_rate == 1e7
    assert Specification(write_cache=False).write_rate == 1e7


def test_it_survives_its_file():
    specification = Specification(targets=2, metadata_cpu=0.2, network_delay=0.001)
    assert Specification.model_validate_json(specification.model_dump_json()) == specification


def test_limits_are_keys():
    assert set(MODEL_LIMITS + CLIENT_VALUES) <= set(Specification.model_fields)


def test_quantities_have_units():
    stated = {"target_rate": "25 MB/s", "target_size": "2 GiB", "network_delay": "2 ms", "node_rate": None}
    found = Specification.model_validate(stated)
    assert (found.target_rate, found.target_size, found.network_delay, found.node_rate) == (2.5e7, 1 << 31, 0.002, None)


def test_values_are_shown_with_their_units():
    shown = {key: show_value(key, value) for key, value in Specification(metadata_cpu=0.05, target_iops=500)}
    assert shown["targets"] == "8"
    assert shown["target_size"] == "4 GiB"
    assert shown["target_rate"] == "10.0 MB/s"
    assert shown["target_iops"] == "500 /s"
    assert shown["metadata_cpu"] == "0.05 of a core"
    assert (shown["client_rate"], shown["io_timeout"]) == ("no limit", "no limit")
    assert (shown["client_cache"], shown["kernel_cache"]) == ("on", "off")
    assert (shown["network_delay"], shown["failure_grace"]) == ("none", "10 min 00 s")
    assert show_value("network_delay", 0.0005) == "500 µs"
