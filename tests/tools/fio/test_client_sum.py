"""The total of several clients is read where they ran the same job, and never where it sums up different ones."""

import json
from pathlib import Path

import pytest

from coldcache.core.records import name_share, split_records
from coldcache.tools.fio.client_sum import read_sum
from coldcache.tools.fio.parse import read

SPECIMENS = Path(__file__).parents[2] / "specimens"


def load(name):
    return (SPECIMENS / f"fio-{name}.json").read_bytes()


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
