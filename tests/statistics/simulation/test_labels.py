"""Labels say whether a share is as stated."""

import pytest

from coldcache.statistics.simulation.labels import (
    AS_STATED,
    NONE_GIVEN,
    TOO_NARROW,
    TOO_WIDE,
    label_coverage,
    label_errors,
)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"coverage": 0.95}, AS_STATED),
        ({"coverage": 0.935}, AS_STATED),
        ({"coverage": 0.965}, AS_STATED),
        ({"coverage": 0.9348}, TOO_NARROW),
        ({"coverage": 0.9652}, TOO_WIDE),
        ({"coverage": 0.93, "level": 0.9375}, AS_STATED),
        ({"coverage": 0.92, "campaigns": 400}, AS_STATED),
        ({"coverage": 0.92, "campaigns": 4000}, TOO_NARROW),
        ({"coverage": 0.80, "given": 0.4}, NONE_GIVEN),
        ({"coverage": 0.80, "given": 0.6}, TOO_NARROW),
    ],
)
def test_coverage(arguments, expected):
    assert label_coverage(**arguments) == expected


@pytest.mark.parametrize(
    ("share", "campaigns", "expected"),
    [(0.05, 8000, AS_STATED), (0.0548, 8000, AS_STATED), (0.0549, 8000, "not to be trusted"), (0.0549, 500, AS_STATED)],
)
def test_errors(share, campaigns, expected):
    """Two standard errors are 0.49 points from 8,000 campaigns, and 1.95 points from 500."""
    assert label_errors(share, campaigns) == expected
