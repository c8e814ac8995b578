"""A source's own numbers are checked by computation, with the exact result."""

import pytest

from coldcache.claims.source_arithmetic import CHECKS, weigh_arithmetic
from coldcache.core.errors import DesignError
from coldcache.design.claim_tests import ArithmeticTest

RESULTS = {
    "dell-directories": (True, 1.0),
    "pixstor-directories": (True, 1.0),
    "provisionable": (True, 19.0),
}


@pytest.mark.parametrize("check", CHECKS)
def test_each_check_has_its_exact_result(root, monkeypatch, check):
    monkeypatch.chdir(root)
    found = weigh_arithmetic(None, "", ArithmeticTest(kind="arithmetic", check=check))
    assert (found.decided, found.estimate, found.trials) == (*RESULTS[check], 0)


def test_an_unknown_check_is_refused_with_the_nearest():
    with pytest.raises(DesignError, match='unknown check "provision"; did you mean "provisionable"'):
        weigh_arithmetic(None, "", ArithmeticTest(kind="arithmetic", check="provision"))
