"""Values of a command line are those of the specification."""

import pytest

from coldcache.measure.model.__main__ import parse_argument
from coldcache.measure.model.errors import ModelError


def test_values_are_numbers_quantities_or_words():
    assert parse_argument("targets", "4") == 4
    assert parse_argument("target_rate", "1e6") == 1_000_000
    assert parse_argument("target_rate", "10 MB/s") == "10 MB/s"
    assert parse_argument("target_rate", "none") is None
    assert parse_argument("client_cache", "false") is False


def test_an_unknown_key_gets_the_nearest_one():
    with pytest.raises(ModelError, match=r'unknown key "target"; did you mean "targets"\?'):
        parse_argument("target", "4")
