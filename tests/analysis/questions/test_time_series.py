"""Series of CloudWatch as foreign logs state them: found, told and drawn."""

from dataclasses import replace
from pathlib import Path

import pytest

from coldcache.analysis.questions.time_series import (
    MOST_SERIES,
    caption_series,
    describe_series,
    find_series,
    group_series,
    list_points,
    summarise_series,
    title_series,
)
from coldcache.campaign.importing.import_logs import import_logs
from coldcache.dataset.collect import collect

SPECIMENS = Path(__file__).parents[2] / "specimens"


@pytest.fixture
def series(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("logs").mkdir()
    for name in ("cloudwatch-statistics-write.json", "cloudwatch-statistics-create.json"):
        (Path("logs") / name).write_bytes((SPECIMENS / name).read_bytes())
    import_logs(Path("logs"), "old")
    collect("old", Path("results"))
    return find_series("results/dataset.nc", "imported")


def test_series_are_found_with_rising_times(series):
    assert sorted((one.operation, one.unit, len(one.values)) for one in series) == [
        ("file-create", "1/s", 10), ("write", "B/s", 30),
    ]  # fmt: skip
    assert all((one.times[1:] > one.times[:-1]).all() for one in series)


def test_series_that_share_a_unit_share_a_figure(series):
    assert sorted(unit for _, _, unit in group_series(series)) == ["1/s", "B/s"]


def test_a_series_is_told_by_its_p99_9(series):
    (write,) = (one for one in series if one.operation == "write")
    assert title_series([write]).endswith("peaks at 54.8 MB/s (p99.9)")
    assert "write 54.8 MB/s over 30 points" in describe_series(series)
    assert summarise_series([write]).greatest.tolist() == [3291480064 / 60]
    alone = [replace(write, sweep="minutes", case="only", metric="throughput_per_process")]
    assert describe_series(alone) == "Peaks (p99.9): minutes write throughput per process 54.8 MB/s over 30 points."
    assert title_series(alone) == "write: peaks at 54.8 MB/s (p99.9)"
    assert describe_series([]) is None


def test_points_are_listed_by_the_minute_for_a_figure(series):
    (write,) = (one for one in series if one.operation == "write")
    points = list_points([write] * 8)
    assert len(points) == MOST_SERIES * len(write.values)
    assert points.value.tolist()[:30] == write.values.tolist()
    assert points.minutes.tolist()[:3] == pytest.approx([0, 1, 2])
    assert caption_series([write]) == "Points: 30. Dashed: the 99.9th percentile of the points."
    assert caption_series([write] * 8).endswith(" 2 more series: see the table.")
