"""Snakemake ends with its last job, and waits for no timer."""

import threading

from coldcache.workflow.timers import cancel_timers


def test_a_cancelled_timer_ends_at_once_and_does_nothing():
    called = []
    timer = threading.Timer(3600, called.append, ["late"])
    timer.start()
    cancel_timers()
    timer.join(timeout=60)
    assert not timer.is_alive()
    assert called == []
