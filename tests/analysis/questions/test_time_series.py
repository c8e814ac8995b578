"""Series of CloudWatch as foreign logs state them: found, told and drawn."""

from pathlib import Path

import pytest

from coldcache.analysis.figures import draw_series
from coldcache.analysis.questions.time_series import (
    find_series,
    group_series,
    summarise_series,
    tell_series,
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
    assert "write 54.8 MB/s over 30 points" in tell_series(series)
    assert summarise_series([write]).greatest.tolist() == [3291480064 / 60]
    alone = [write._replace(sweep="minutes", case="only", metric="throughput_per_process")]
    assert tell_series(alone) == "Peaks (p99.9): minutes write throughput per process 54.8 MB/s over 30 points."
    assert title_series(alone) == "write: peaks at 54.8 MB/s (p99.9)"
    assert tell_series([]) == ""


def test_a_series_is_drawn_with_its_p99_9_as_a_dashed_line(series):
    (write,) = (one for one in series if one.operation == "write")
    picture = draw_series({write.name: (write.times, write.values)}, "B/s", "Writes", "throughput")
    assert "<!-- p99.9, 54.8 MB/s -->" in picture.svg
    assert "stroke-dasharray" in picture.svg
    assert picture.caption == "Points: 30. Dashed: the 99.9th percentile of the points."
