"""A status is no result, a text that is there twice counts once, and the same jobs again are repetitions."""

import json

import pytest

from coldcache.core.errors import LogError
from coldcache.tools.fio.documents import find_documents
from coldcache.tools.fio.duplicates import drop_repeats, number_repetitions

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


def test_one_result_has_no_number_and_several_of_the_same_jobs_count_from_0():
    assert number_repetitions(documents(result(8 * MIB, 4, 100))) == [None]
    several = documents(result(8 * MIB, 4, 100), result(8 * MIB, 4, 200), result(8 * MIB, 4, 300, name="other"))
    assert number_repetitions(several) == [0, 1, None]


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
