"""Quantities mean what they say, to the last byte, and what is no quantity is refused in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coldcache.core.errors import DesignError
from coldcache.core.units import (
    UNITS,
    parse_bytes,
    parse_quantity,
    parse_seconds,
    show_bytes,
    show_percent,
    show_range,
    show_rate,
    show_seconds,
    show_span,
)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("4 KiB", 4096),
        ("4KiB", 4096),
        (" 1 MiB ", 1048576),
        ("1.5 GiB", 1610612736),
        ("2 TB", 2_000_000_000_000),
        ("1 kB", 1000),
        ("1 MB", 1_000_000),
        ("12,345,678 B", 12345678),
        ("1_000", 1000),
        (512, 512),
        (0, 0),
    ],
)
def test_a_size_is_read_to_the_byte(text, size):
    assert parse_bytes(text) == size
    assert isinstance(parse_bytes(text), int)


@pytest.mark.parametrize(
    ("text", "seconds"), [("200 ms", 0.2), ("1.2 s", 1.2), ("5 min", 300), ("2 h", 7200), ("3", 3), (0.5, 0.5)]
)
def test_a_duration_is_read_in_seconds(text, seconds):
    assert parse_seconds(text) == seconds


@given(st.integers(0, 8000), st.sampled_from([(unit, name) for unit in UNITS for name in UNITS[unit]]))
def test_every_unit_scales_its_number(number, unit_and_name):
    unit, name = unit_and_name
    assert parse_quantity(f"{number} {name}", unit) == number * UNITS[unit][name]
    assert parse_quantity(f"{number}{name}", unit) == number * UNITS[unit][name]


@pytest.mark.parametrize(
    ("text", "unit", "message"),
    [
        ("4 Kib", "B", '"4 Kib" has an unknown unit "Kib"; did you mean "KiB"?'),
        ("4 kib", "B", '"4 kib" has an unknown unit "kib"; did you mean "KiB"?'),
        (
            "4 parsec",
            "B",
            '"4 parsec" has an unknown unit "parsec"; known are B, kB, MB, GB, TB, PB, KiB, MiB, GiB, TiB, PiB',
        ),
        ("4k", "B", '"4k" has an unknown unit "k"; did you mean 4 KiB (4,096 B)?'),
        ("4K", "B", '"4K" has an unknown unit "K"; did you mean 4 KiB (4,096 B)?'),
        ("1m", "B", '"1m" has an unknown unit "m"; did you mean 1 MiB (1,048,576 B)?'),
        ("1.5 g", "B", '"1.5 g" has an unknown unit "g"; did you mean 1.5 GiB (1,610,612,736 B)?'),
        ("4 kb", "B", '"4 kb" has an unknown unit "kb"; did you mean 4 KiB (4,096 B), or 4 kB of powers of ten?'),
        ("2 KB", "B", '"2 KB" has an unknown unit "KB"; did you mean 2 KiB (2,048 B), or 2 kB of powers of ten?'),
        ("100M", "B/s", '"100M" has an unknown unit "M"; did you mean 100 MB/s?'),
        ("5m", "s", '"5m" has an unknown unit "m"; did you mean 5 min?'),
        ("3 secs", "s", '"3 secs" has an unknown unit "secs"; did you mean 3 s?'),
        ("4 KiB", "1", '"4 KiB" has a unit, where a plain number is meant'),
        (
            "much",
            "B",
            '"much" is not a number with a unit of B, kB, MB, GB, TB, PB, KiB, MiB, GiB, TiB, PiB',
        ),
        ("many", "1", '"many" is not a number'),
        (True, "1", '"True" is not a number'),
        ("-1 s", "s", '"-1 s" is not a number with a unit of ms, s, min, h'),
        (-1, "1", "-1 is negative"),
        ("", "1", '"" is not a number'),
    ],
)
def test_what_is_no_quantity_is_refused_in_words(text, unit, message):
    with pytest.raises(DesignError) as refused:
        parse_quantity(text, unit)
    assert str(refused.value) == message


@pytest.mark.parametrize("text", ["1,5 GiB", "1,50 GiB", "10,00 GiB", "1,0000 B", ",5 GiB", "1__0,5 B"])
def test_a_comma_that_parts_no_thousands_is_refused_rather_than_dropped(text):
    with pytest.raises(DesignError, match="is not a number with a unit of"):
        parse_bytes(text)


@pytest.mark.parametrize("text", [float("inf"), float("nan"), 10**400, "9" * 400, 2**63])
def test_a_number_that_nothing_can_hold_is_refused(text):
    with pytest.raises(DesignError, match="is no number that can be meant"):
        parse_bytes(text)


def test_part_of_a_byte_is_refused():
    with pytest.raises(DesignError) as refused:
        parse_bytes("1.0001 KiB")
    assert str(refused.value) == '"1.0001 KiB" is not a whole number of bytes'


@given(st.integers(0, 2**50))
def test_a_size_that_is_shown_whole_is_read_back_as_it_was(size):
    shown = show_bytes(size)
    if "." not in shown:
        assert parse_bytes(shown) == size
    else:
        assert parse_quantity(shown, "B") == pytest.approx(size, rel=0.05)


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1 KiB"),
        (1536, "1.5 KiB"),
        (2**30, "1 GiB"),
        (10**12, "931.3 GiB"),
        (2**60, "1024 PiB"),
    ],
)
def test_a_size_is_shown_in_its_largest_unit(size, shown):
    assert show_bytes(size) == shown


@pytest.mark.parametrize(
    ("share", "signed", "shown"),
    [
        (0.956, False, "96 %"),
        (0.0, False, "0 %"),
        (0.61, True, "+61 %"),
        (-0.042, True, "−4 %"),
        (99.0, True, "+9,900 %"),
    ],
)
def test_a_share_is_shown_in_per_cent_and_a_change_with_its_sign(share, signed, shown):
    assert show_percent(share, signed) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0 s"),
        (-1e-12, "0 s"),
        (59.4, "59 s"),
        (59.6, "1 min 00 s"),
        (200, "3 min 20 s"),
        (3599.7, "1 h 00 min"),
        (3900, "1 h 05 min"),
        (90000, "25 h 00 min"),
    ],
)
def test_a_duration_is_shown_in_its_two_largest_units(seconds, shown):
    assert show_seconds(seconds) == shown


@pytest.mark.parametrize(
    ("rate", "unit", "shown"),
    [
        (1_234_567_890, "B/s", "1.23 GB/s"),
        (999.4, "B/s", "999 B/s"),
        (999.6, "B/s", "1.00 kB/s"),
        (9.996, "1/s", "10.0/s"),
        (45_600, "1/s", "45.6 k/s"),
        (99.96, "1/s", "100/s"),
        (3e15, "B/s", "3000 TB/s"),
        (0, "B/s", "0.00 B/s"),
        (0.00123, "s", "1.23 ms"),
        (12.0, "1", "12"),
        (999.4, "1", "999"),
        (999.5, "1", "1,000"),
        (16384, "1", "16,384"),
        (1.2e9, "1", "1,200,000,000"),
    ],
)
def test_a_rate_is_shown_with_three_digits(rate, unit, shown):
    assert show_rate(rate, unit) == shown


@pytest.mark.parametrize(
    ("values", "shown"),
    [((2.5, 1024.2, 1.0049), "1 to 1,024"), ((2.0449, 2.0401), "2.04"), ((999.4, 999.6), "999 to 1,000"), ((5,), "5")],
)
def test_a_span_has_three_digits_and_no_exponent(values, shown):
    assert show_span(values) == shown


@pytest.mark.parametrize(("low", "high", "unit", "shown"), [
    (1.12e9, 1.2e9, "B/s", "1.12 to 1.20 GB/s"), (896e6, 1.05e9, "B/s", "896 MB/s to 1.05 GB/s"),
    (16900, 28100, "1/s", "16.9 to 28.1 k/s"), (0.5, 1.5, "1", "0.5 to 1.5"),
    (16384, 17408, "1", "16,384 to 17,408"), (950, 1050, "1", "950 to 1,050"), (1e-5, 2e-5, "1", "1e-05 to 2e-05"),
])  # fmt: skip
def test_a_range_names_its_unit_once(low, high, unit, shown):
    assert show_range(low, high, unit) == shown


@given(st.floats(1, 1e14))
def test_a_rate_that_is_shown_is_off_by_half_a_percent_at_most(rate):
    number, unit = show_rate(rate, "B/s").split(" ")
    assert float(number) * UNITS["B"][unit.removesuffix("/s")] == pytest.approx(rate, rel=0.00501)
    assert len(number.replace(".", "")) == 3
