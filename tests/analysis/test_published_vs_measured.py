"""Published values beside measured ones."""

import pytest

from coldcache.analysis.published_vs_measured import compare_published, list_published
from coldcache.analysis.questions.select import choose


def row(table, **wanted):
    for name, value in wanted.items():
        table = table[table[name] == value]
    assert len(table) == 1
    return table.iloc[0]


def test_a_peak_stands_beside_the_highest_median_and_a_plateau_beside_where_it_begins(invent):
    path = invent("pixstor-nvme")
    (found,) = choose(path, "pixstor-nvme", "throughput", ["write", "read"], "shared-file", over="threads")
    table = compare_published(found)
    peak = row(table, item="sec 3", operation="write")
    assert (peak.published, peak.grade, peak["at"]) == ("34.5 GB/s", "text", "16 threads")
    assert peak.measured == pytest.approx(16.08e9)
    sustained = row(table, item="table 4", operation="write", statistic="sustained")
    assert sustained.measured == pytest.approx(16.08e9)


def test_a_value_at_a_number_of_threads_stands_beside_that_cell(invent):
    (found,) = choose(
        invent("dell-lustre"), "dell-lustre", "rate", ["file-create", "file-stat", "file-remove"], over="threads"
    )
    table = compare_published(found)
    assert row(table, operation="file-create", **{"at": "240 threads"}).measured == pytest.approx(16_080)
    assert row(table, operation="file-stat", **{"at": "1 thread"}).published == "above 2,000 op/s"


def test_a_value_of_a_level_stands_beside_that_level_and_a_time_beside_a_time(invent):
    path = invent("anf-nfs")
    found, _ = choose(path, "anf-nfs", "throughput", ["write"], by=["write_mode"])
    table = compare_published(found)
    assert table["at"].tolist() == ["sync", "async"]
    assert table.published.tolist() == ["70 s", "6 s"]
    assert row(table, **{"at": "async"}).measured == pytest.approx(2**30 / 2e9, rel=0.01)


def test_what_is_not_measured_stands_alone(invent):
    (found,) = choose(invent("dell-lustre"), "dell-lustre", "rate", ["random-write", "random-read"], over="threads")
    table = list_published(found.published)
    assert table.published.tolist() == ["slightly above 12,600 IOPS"]
    assert table.measured.isna().all()
