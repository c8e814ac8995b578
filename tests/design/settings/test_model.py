"""A level of a model's setting is a value of the model, in its unit."""

import pytest

from coldcache.core.errors import DesignError
from coldcache.design.settings.model import ModelSetting, format_value, parse_value


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
