"""Results are found in whatever surrounds them, with the options that are certain."""

import json
from pathlib import Path

import pytest

from coldcache.core.errors import LogError
from coldcache.tools.fio.documents import find_documents, longest_run, place, plain

SPECIMENS = Path(__file__).parents[2] / "specimens"


def result(*jobs, version="fio-3.33", **more):
    return json.dumps({"fio version": version, **more, "jobs": list(jobs)}).encode()


def job(name="j", **more):
    return {"jobname": name, "groupid": 0, **more}


def test_the_jobs_of_a_real_log_have_their_options():
    path = SPECIMENS / "fio-3.33-group.json"
    (document,), foreign = find_documents(path.read_bytes())
    assert document.version == "3.33"
    assert [(entry.name, entry.group, entry.options["rw"]) for entry in document.jobs] == [("grp", (0,), "randwrite")]
    assert "".join(foreign).strip() == ""


def test_text_around_a_result_is_told_apart():
    log = b"fio: warning\n" + result(job()) + b"\nlast words\n"
    (document,), foreign = find_documents(log)
    assert document.start == len("fio: warning\n")
    assert foreign == ["fio: warning\n", "\nlast words\n"]


def test_a_jobs_options_join_the_global_ones():
    log = result(job(**{"job options": {"bs": "4k"}}), **{"global options": {"rw": "read", "bs": "1m"}})
    assert find_documents(log)[0][0].jobs[0].options == {"rw": "read", "bs": "4k"}


def test_the_line_before_a_job_states_its_options_where_its_result_does_not():
    log = b"j: (g=0): rw=randwrite, bs=(R) 4096B, ioengine=libaio, iodepth=8\n" + result(job())
    options = find_documents(log)[0][0].jobs[0].options
    assert (options["rw"], options["ioengine"], options["iodepth"]) == ("randwrite", "libaio", "8")
    twice = b"j: (g=0): rw=randread, bs=(R) 4096B, ioengine=libaio, iodepth=8\n" + log
    assert find_documents(twice)[0][0].jobs[0].options is None


def test_the_sum_of_all_clients_is_no_job_of_its_own():
    clients = [job(hostname="a", port=1), job("All clients")]
    log = json.dumps({"fio version": "fio-3.33", "client_stats": clients}).encode()
    (document,) = find_documents(log)[0]
    assert [(entry.name, entry.group) for entry in document.jobs] == [("j", ("a", 1, 0))]


@pytest.mark.parametrize(
    ("log", "message"),
    [
        (result(job(), version="fio-1.59"), "fio version 'fio-1.59' is not known: 2.1 to 3.x are read"),
        (b'{"fio version": "fio-3.33", "time": 1}', "line 1: the result holds no jobs"),
        (b"\n" + result({"groupid": 0}), "line 2: a job without a name"),
    ],
)
def test_a_result_that_cannot_be_trusted_is_refused_with_its_line(log, message):
    with pytest.raises(LogError, match=message):
        find_documents(log)


def test_results_of_the_same_jobs_share_a_key():
    first, second = (find_documents(result(job(read={"iops": iops})))[0][0] for iops in (1, 2))
    assert first.signature() == second.signature()
    assert first.figures() != second.figures()


def test_the_longest_side_of_a_job_is_its_run_time():
    log = result(job(read={"runtime": 1500}, write={"runtime": 2000}))
    assert longest_run(find_documents(log)[0][0].jobs[0]) == 2.0


def test_a_place_is_a_line_and_texts_have_their_own_encoding():
    assert place("a\nb\nc", 4) == "line 3"
    assert plain("é ".encode().decode("latin-1")) == "é"
