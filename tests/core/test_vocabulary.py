"""One name per thing: the words of YAML, of the data and of the models are the same, and a near miss is helped."""

from typing import get_args

import pytest

from coldcache.core.records import UNIT_OF_METRIC
from coldcache.core.units import UNITS
from coldcache.core.vocabulary import (
    FACTORS,
    METADATA_FACTORS,
    METRIC_OF_OPERATION,
    OPERATIONS,
    SETTINGS,
    nearest,
)
from coldcache.design.study import OperationName, SettingName


def test_the_models_know_the_words_that_there_are():
    assert get_args(OperationName) == OPERATIONS
    assert get_args(SettingName) == (*SETTINGS, "site")


def test_every_word_has_what_is_asked_of_it():
    assert set(OPERATIONS) <= set(METRIC_OF_OPERATION)
    assert set(METRIC_OF_OPERATION.values()) <= set(UNIT_OF_METRIC)
    assert set(METADATA_FACTORS) < set(FACTORS)
    assert all(setting.factor in FACTORS and setting.levels for setting in SETTINGS.values())
    assert all(factor.unit is None or factor.unit in UNITS for factor in FACTORS.values())


@pytest.mark.parametrize(
    ("word", "known", "hint"),
    [
        ("thread", list(FACTORS), 'did you mean "threads"?'),
        ("THREADS", list(FACTORS), 'did you mean "threads"?'),
        ("mib", ("MiB", "MB"), 'did you mean "MiB"?'),
        ("xyz", ("a", "b"), "known are a, b"),
        ("", ("a", "b"), "known are a, b"),
    ],
)
def test_the_nearest_word_is_named_or_all_of_them(word, known, hint):
    assert nearest(word, known) == hint
