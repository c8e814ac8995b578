"""What computes for too long is ended, and nothing stays behind."""

import re
import signal
import threading

import pytest

from coldcache.core.errors import LogError
from coldcache.tools.command.time_limit import limited


def test_an_expression_that_searches_for_ever_is_ended():
    with (
        pytest.raises(LogError, match=r"^the expression takes more than 0\.2 s of computing time$"),
        limited(0.2, "the expression"),
    ):
        re.search("(a+)+b", "a" * 60)
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGVTALRM) == signal.SIG_DFL


def test_what_is_quick_is_left_alone():
    with limited(5, "x"):
        assert re.search("(a+)+b", "aab")
    assert signal.getitimer(signal.ITIMER_VIRTUAL) == (0.0, 0.0)


def test_another_thread_has_no_limit():
    done = []

    def work():
        with limited(5, "x"):
            done.append(signal.getitimer(signal.ITIMER_VIRTUAL))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [(0.0, 0.0)]
