"""A status is no result, a text that is there twice counts once, and the same jobs again are repetitions."""

import json

import pytest

from coldcache.core.errors import LogError
from coldcache.core.records import Record
from coldcache.tools.fio.documents import find_documents
from coldcache.tools.fio.duplicates import GroupRecords, drop_repeats, number_groups

MIB = 2**20


def result(moved, elapsed, at, job_start=0, name="j", **options):
    """Return a result that was printed `at` seconds, of a job that has run for `elapsed`."""
    values = {
        "jobname": name, "groupid": 0, "elapsed": elapsed, "job options": {"rw": "write", "size": "8m", **options},
        "write": {"io_bytes": moved, "io_kbytes": moved // 1024, "runtime": 1000 * elapsed},
        **({"job_start": job_start} if job_start else {}),
    }  # fmt: skip
    return json.dumps({"fio version": "fio-3.33", "timestamp": at, "jobs": [values]})


def documents(*texts):
    return find_documents("\n".join(texts).encode())[0]


def group(offset, *jobs, operation="read", **factors):
    """Return a reporting group with one record; its jobs are named if their options are unknown."""
    rate = Record("fio", None, operation, "rate", "value", 1.0, "1/s", None, "", offset, 1, "1 IOPS", (), factors)
    return GroupRecords(jobs, [rate])


def numbers(*groups):
    return [(record.offset, record.repetition) for record in number_groups(groups)]


def test_groups_with_the_same_factors_count_from_0_and_others_have_no_number():
    assert numbers(group(3)) == [(3, None)]
    assert numbers(group(3, threads=1), group(5, threads=1), group(8, threads=2)) == [(3, 0), (5, 1), (8, None)]
    assert numbers(group(3), group(5, operation="write"), group(8)) == [(3, 0), (5, None), (8, 1)]


def test_jobs_of_unknown_options_are_told_apart_by_their_names_alone():
    assert numbers(group(3, "a"), group(5, "b"), group(8, "a"), group(9)) == [(3, 0), (5, None), (8, 1), (9, None)]


def test_a_text_that_was_pasted_twice_counts_once():
    text = result(8 * MIB, 4, 100)
    assert len(drop_repeats(documents(text, text))) == 1


def test_a_status_of_a_run_gives_way_to_its_result():
    kept = drop_repeats(documents(result(2 * MIB, 4, 100), result(4 * MIB, 8, 104), result(8 * MIB, 12, 108)))
    assert [document.jobs[0].members["elapsed"].value for document in kept] == [12]


def test_two_runs_of_the_same_job_are_both_kept():
    assert len(drop_repeats(documents(result(8 * MIB, 4, 100), result(8 * MIB, 5, 200)))) == 2


def test_a_start_that_both_state_tells_a_status_from_a_second_run():
    same = documents(result(2 * MIB, 4, 100, job_start=9), result(8 * MIB, 8, 104, job_start=9))
    other = documents(result(8 * MIB, 4, 100, job_start=9), result(8 * MIB, 4, 104, job_start=13))
    assert (len(drop_repeats(same)), len(drop_repeats(other))) == (1, 2)


def test_a_status_without_its_result_is_refused():
    with pytest.raises(LogError, match=r"line 1: job 'j' had reached neither its size nor its runtime"):
        drop_repeats(documents(result(2 * MIB, 4, 100, runtime="60")))


def test_results_without_a_time_cannot_be_told_apart():
    bare = [json.dumps({"fio version": "fio-3.33", "jobs": [{"jobname": "j", "write": {"iops": n}}]}) for n in (1, 2)]
    with pytest.raises(LogError, match=r"a second result of the same jobs without a time: a status or a repetition"):
        drop_repeats(documents(*bare))
