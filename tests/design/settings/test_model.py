"""A level of a model's setting is a value of the model, in its unit."""

import pytest

from coldcache.core.errors import DesignError
from coldcache.design.settings.model import ModelSetting, count_servers, format_value, parse_value, split_levels


def kind(of, **stated):
    return ModelSetting(kind="model", of=of, **stated)


@pytest.mark.parametrize(
    ("of", "level", "value"),
    [
        ("target_rate", 500_000, "500000"),
        ("target_rate", "2.5 MB/s", "2500000"),
        ("target_rate", "none", "none"),
        ("network_delay", 0.002, "0.002"),
        ("client_cache", "off", "off"),
        ("stripe_size", "1 MiB", "1048576"),
        ("stripe_count", 4, "4"),
    ],
)
def test_a_level_is_written_in_the_unit_of_the_key(of, level, value):
    assert kind(of).value(level) == kind(of).reading(level) == value


def test_values_stand_for_levels():
    limit = kind("target_rate", values={"on": "10 MB/s", "off": "none"})
    assert (limit.value("on"), limit.value("off")) == ("10000000", "none")
    with pytest.raises(DesignError, match='unknown level "of"; did you mean "off"'):
        limit.refuse_level("of")


@pytest.mark.parametrize(
    ("of", "level", "message"),
    [
        ("target_rate", "10 MB", 'unknown unit "MB"'),
        ("target_rate", 5, "must be at least 100000"),
        ("stripe_count", "many", '"many" is not a whole number of at least 1'),
    ],
)
def test_a_level_that_is_no_value_is_refused(of, level, message):
    with pytest.raises(DesignError, match=message):
        kind(of).refuse_level(level)


def test_layouts_have_fresh_files_and_mounts_are_slow():
    assert kind("stripe_count").fresh_files
    assert not kind("target_rate").fresh_files
    assert kind("client_cache").slow
    assert not kind("stripe_count").slow


def test_what_is_written_is_read():
    assert [format_value(parse_value("metadata_cpu", text)) for text in ("0.05", "none")] == ["0.05", "none"]


def test_the_levels_of_a_case_are_split_into_the_layout_and_the_limits():
    settings = {"stripes": kind("stripe_count"), "rate": kind("target_rate"), "servers": kind("metadata_servers")}
    levels = {"stripes": 2.0, "rate": "10 MB/s", "servers": 2, "threads": 4}
    assert split_levels(settings, levels) == ({"stripe_count": 2}, {"target_rate": 1e7})
    # A table has NaN where a case has no such factor.
    assert split_levels(settings, {"stripes": float("nan"), "rate": "none"}) == ({}, {"target_rate": None})


def test_folders_are_dealt_out_to_one_metadata_server_unless_a_factor_says_more():
    assert count_servers({"rate": kind("target_rate")}, {"rate": "10 MB/s"}) == 1
    assert count_servers({"mdts": kind("metadata_servers"), "other": "site"}, {"mdts": 2, "other": 1}) == 2
