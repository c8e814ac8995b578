"""How long and how much a trial measured, from what its log and its counters state."""

from observed import MIB, observe, record

from coldcache.verdicts.observation import crossed_bytes, crossing, measured_seconds, moved_bytes


def test_the_longest_stated_interval_is_the_whole():
    parts = [record("elapsed", 2.0), record("elapsed", 9.0), record("elapsed", 30.0, statistic="max"),
             record("elapsed", 40.0, operation="write")]  # fmt: skip
    assert measured_seconds(observe(records=parts), "read") == 9.0


def test_without_an_interval_it_is_bytes_over_rate():
    factors = {"file_size": 1000 * MIB, "threads": 4}
    assert measured_seconds(observe(records=[record()], factors=factors), "read") == 40.0
    assert measured_seconds(observe(records=[record()]), "read") is None
    assert measured_seconds(observe(records=[record(statistic="max")], factors=factors), "read") is None
    assert measured_seconds(observe(records=[record("rate", 5.0)], factors=factors), "read") is None
    assert measured_seconds(observe(), "write") is None


def test_moved_bytes_are_the_rate_over_the_interval():
    assert moved_bytes(observe(), "read") == 1000 * MIB
    assert moved_bytes(observe(), "write") is None
    assert moved_bytes(observe(records=[record()]), "read") is None
    assert moved_bytes(observe(records=[record(statistic="max"), record("elapsed", 2.0)]), "read") is None


def test_processes_that_are_stated_alone_are_added_up():
    alone = {"definition": "one process of several, by itself"}
    rows = [
        record("throughput_per_process", 10.0, **alone), record("elapsed", 2.0, **alone),
        record("throughput_per_process", 20.0, **alone), record("elapsed", 3.0, **alone),
    ]  # fmt: skip
    assert moved_bytes(observe(records=rows), "read") == 80.0
    assert moved_bytes(observe(records=rows[:3]), "read") is None
    assert moved_bytes(observe(records=rows), "write") is None
    assert moved_bytes(observe(records=[row._replace(definition="") for row in rows]), "read") is None


def test_crossed_bytes_are_the_difference_of_the_counters():
    assert crossed_bytes(observe(), "read_bytes") == 1000 * MIB
    assert crossed_bytes(observe(), "written_bytes") == 0
    assert crossed_bytes(observe(counters=None), "read_bytes") is None
    assert crossed_bytes(observe(counters={"before": {}, "after": {}}), "read_bytes") is None


def test_bytes_cross_the_device_unless_a_server_has_it():
    assert crossing(observe()) == "device"
    assert crossing(observe(counters=None)) == "device"
    assert crossing(observe(counters={"crossing": "wire"})) == "wire"
