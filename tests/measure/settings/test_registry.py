"""Every kind of setting has one driver, which has what the protocol asks; names in journals stay what they were."""

import inspect

import pytest

from coldcache.design.settings import SETTING_KINDS
from coldcache.measure.settings.registry import DRIVERS, Driver


def test_every_kind_has_exactly_one_driver():
    served = [kind for driver in DRIVERS.values() for kind in driver.KINDS]
    assert len(served) == len(set(served))
    assert set(served) == set(SETTING_KINDS.values())


@pytest.mark.parametrize("name", DRIVERS)
@pytest.mark.parametrize("function", ["locate", "why_not", "read", "apply", "restore"])
def test_every_driver_takes_the_arguments_of_the_protocol(name, function):
    stated = list(inspect.signature(getattr(Driver, function)).parameters)
    assert list(inspect.signature(getattr(DRIVERS[name], function)).parameters) == stated[1:]


def test_the_journals_of_killed_runners_stay_readable():
    known = {
        "kernel-value", "mount-option", "prepared-mount", "site-commands", "lustre-layout", "volume-option",
        "tuned-profile", "device-limit",
    }  # fmt: skip
    assert known <= set(DRIVERS)
