"""A measured interval is the one that the log states, else bytes over rate."""

import json
from pathlib import Path

import pytest
from observations import READ, load_observation

from coldcache.verdicts.judge import judge
from coldcache.verdicts.observation import measured_seconds


def test_the_measured_interval_is_the_one_that_the_log_states(trial):
    log = json.loads((Path("raw/tiny") / READ / "stdout.txt").read_text())
    assert measured_seconds(trial(READ), "read") == log["jobs"][0]["read"]["runtime"] / 1000
    assert measured_seconds(trial(READ), "write") is None


def test_where_the_log_states_no_interval_it_is_bytes_over_rate(root):
    for path in sorted((root / "raw/reference/quick/sequential").glob("*write,threads=*/r0")):
        found = load_observation(path)
        if found.outcome.tool == "iozone":
            rate = next(r.value for r in found.records if (r.metric, r.statistic) == ("throughput_parent", "value"))
            assert measured_seconds(found, "write") == pytest.approx(2**30 / rate)
            assert measured_seconds(found, "write") < found.outcome.seconds
            break
    else:
        pytest.skip("the reference campaign was measured without IOzone")


def test_where_mdtest_states_the_time_of_rank_0_alone_the_interval_is_that_of_the_slowest_rank(root):
    found = load_observation(root / "raw/pixstor-metadata/pixstor-nvme/metadata/threads=128/r1")
    stated = {r.operation: r.value for r in found.records if r.metric == "elapsed" and "rank-0-only" in r.caveats}
    assert stated["file-stat"] == 0.884
    assert measured_seconds(found, "file-stat") == pytest.approx(4096 / 2632.557)
    assert all(measured_seconds(found, operation) >= seconds for operation, seconds in stated.items())
    assert "too-short" not in judge(found).codes
