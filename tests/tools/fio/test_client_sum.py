"""The total of several clients is read where they ran the same job, and never where it sums up different ones."""

import json
import re
from pathlib import Path

import pytest

from coldcache.core.records import name_share, split_records
from coldcache.tools.fio import client_sum
from coldcache.tools.fio.documents import find_documents
from coldcache.tools.fio.parse import read

SPECIMENS = Path(__file__).parents[2] / "specimens"


def load(name):
    return (SPECIMENS / f"fio-{name}.json").read_bytes()


def read_sum(log):
    return client_sum.read_sum(find_documents(log)[0])


def test_the_total_of_clients_with_the_same_job_is_a_figure_of_the_whole_run():
    log = load("3.33-same-clients")
    stated = json.loads(log[log.index(b"{") :])["client_stats"]
    assert [job["jobname"] for job in stated] == ["put", "put", "All clients"]
    whole = [one for one in read(log) if not name_share(one)]
    (total,) = [one for one in whole if (one.metric, one.statistic) == ("throughput", "value")]
    assert total.value == stated[2]["write"]["bw_bytes"]
    assert log[total.offset : total.offset + total.length].decode() == str(stated[2]["write"]["bw_bytes"])
    assert total.offset > log.index(b'"All clients"')
    assert (total.operation, total.factors["threads"], total.factors["transfer_size"]) == ("write", 4, 65536)
    assert read(log)[-len(read_sum(log)) :] == read_sum(log)
    # Each client's share has its own factors, and so does not mix with the total.
    assert [part.factors.get("clients") for part in split_records(read(log))] == [2, None]


@pytest.mark.parametrize("name", ["3.33-client", "3.33-clients", "2.16-client", "3.33-jobs"])
def test_one_client_or_different_jobs_have_no_total(name):
    assert read_sum(load(name)) == []


def of_each_process(log):
    """Return a log in which each of the two clients has an entry for each of its two processes."""
    head, first, second, rest = re.split(r'(?=    \{\n      "jobname")', log.decode())
    # The second process of a client differs from its first in its latencies.
    pairs = [entry + re.sub(r'"stddev" : (?=[1-9])', '"stddev" : 1', entry) for entry in (first, second)]
    return "".join((head, *pairs, rest)).encode()


def test_processes_with_entries_of_their_own_have_a_total_of_all_clients():
    log = load("3.33-same-clients")
    found, grouped = read_sum(of_each_process(log)), read_sum(log)
    assert [(one.operation, one.metric, one.statistic, one.value, one.factors, one.caveats) for one in found] == [
        (one.operation, one.metric, one.statistic, one.value, one.factors, one.caveats) for one in grouped
    ]
    assert found[0].factors["threads"] == 4
    assert {name_share(one) for one in read(of_each_process(log))} == {"one of several", None}


def later(log):
    """Return the log of a second run with the same factors, and files of other names."""
    return log.replace(b"$jobnum.f", b"$jobnum.g").replace(b'"usr_cpu" : 0.000000', b'"usr_cpu" : 0.100000')


def test_each_run_in_a_log_has_its_total():
    log = load("3.33-same-clients")
    found, once = read_sum(log + later(log)), read_sum(log)
    assert [one.value for one in found] == [one.value for one in once] * 2
    assert [one.repetition for one in found] == [0] * len(once) + [1] * len(once)
    assert read_sum(log + log) == once
    both = read(log + later(log))
    assert [one.offset for one in both] == sorted(one.offset for one in both)


def test_a_run_without_a_total_does_not_hide_that_of_another():
    log = load("3.33-same-clients")
    found = [(one.metric, one.statistic, one.value, one.repetition) for one in read_sum(log + load("3.33-jobs"))]
    assert found == [(one.metric, one.statistic, one.value, None) for one in read_sum(log)]
