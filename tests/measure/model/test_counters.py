"""What moved is the difference of two moments, and a busy machine is told."""

import pytest

from coldcache.measure.model.counters import ModelCounters, TargetCounters, is_saturated, share_of_cores, subtract


def counters(time, read, busy):
    return ModelCounters(
        time, {1: TargetCounters(1, read, 0, 0, 0, 0)}, {"c1": 5}, {"c1": read}, {0: {"requests": 7}}, {}, busy, 2
    )


def test_what_moved_is_the_difference():
    moved = subtract(counters(20.0, 4096, 103.0), counters(10.0, 1024, 100.0))
    assert moved.targets[1] == TargetCounters(0, 3072, 0, 0, 0, 0)
    assert moved.received == {"c1": 3072}
    assert moved.requests == {0: {"requests": 0}}
    assert moved.time == 10


def test_a_machine_busy_above_seven_tenths_of_its_cores_is_itself_the_limit():
    idle, busy = (subtract(counters(20.0, 0, end), counters(10.0, 0, 100.0)) for end in (113.9, 114.1))
    assert share_of_cores(busy) == pytest.approx(0.705)
    assert (is_saturated(idle), is_saturated(busy)) == (False, True)
