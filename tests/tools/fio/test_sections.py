"""An entry that sums up sections of a job file has no pattern and no factors of one of them; others keep theirs."""

import re
from pathlib import Path

import pytest

from coldcache.tools.fio.parse import read

SPECIMENS = Path(__file__).parents[2] / "specimens"


def load(name):
    return (SPECIMENS / f"fio-{name}.json").read_bytes()


def without_run_time_of_all(log):
    """Return a log as fio before 3.8 would have printed it, in so far as the sum of all run times is missing."""
    return re.sub(rb' *"job_runtime" : \d+,\n', b"", log)


@pytest.mark.parametrize("name", ["3.33-shared", "3.33-mixed", "3.33-nbd", "3.33-lay-verify", "3.33-seq-write"])
def test_jobs_of_one_section_keep_their_pattern_and_factors_without_the_sum_of_their_run_times(name):
    log = load(name)
    found = read(without_run_time_of_all(log))
    assert [record[:9] for record in found] == [record[:9] for record in read(log)]
    assert [(record.caveats, record.factors) for record in found] == [
        (record.caveats, record.factors) for record in read(log)
    ]


def test_more_transfers_in_flight_than_one_section_keeps_are_the_sum_of_several():
    log = without_run_time_of_all(load("3.33-shared").replace(b'"numjobs" : "3"', b'"numjobs" : "1"'))
    found = {(record.operation, *record.caveats) for record in read(log)}
    assert found == {("read", "pattern-unknown")}
    assert all(record.factors == {} for record in read(log))


def test_a_ramp_makes_no_sum_of_several_sections():
    log = re.sub(rb'"job_runtime" : \d+', b'"job_runtime" : 90000', load("3.33-mixed"))
    assert {(record.operation, record.caveats) for record in read(log)} == {
        ("random-read", ()), ("random-write", ()),
    }  # fmt: skip
    assert all("threads" not in record.factors for record in read(log))
