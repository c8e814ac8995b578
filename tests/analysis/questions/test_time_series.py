"""Series of CloudWatch as foreign logs state them: found, told and drawn."""

from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from coldcache.analysis.questions.time_series import (
    MOST_SERIES,
    _choose_step,
    caption_series,
    describe_pauses,
    describe_series,
    find_peaks,
    find_series,
    format_series,
    group_series,
    list_points,
    set_time,
    sum_processes,
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
    assert title_series([write]).endswith("peak at 54.8 MB/s (p99.9)")
    assert "write 54.8 MB/s over 30 points" in describe_series(series)
    assert summarise_series([write]).greatest.tolist() == [3291480064 / 60]
    alone = [replace(write, sweep="minutes", case="only", metric="throughput_per_process")]
    assert describe_series(alone) == "Peaks (p99.9): minutes write throughput per process 54.8 MB/s over 30 points."
    assert title_series(alone) == "Writes peak at 54.8 MB/s (p99.9)"
    assert describe_series([]) is None


def test_points_are_listed_by_the_second_for_a_figure(series):
    (write,) = (one for one in series if one.operation == "write")
    eight = [replace(write, case=f"threads={threads}") for threads in range(8)]
    points = list_points(eight)
    assert len(points) == MOST_SERIES * len(write.values)
    assert points.index.tolist() == list(range(len(points)))
    assert points.value.tolist()[:30] == write.values.tolist()
    assert points.seconds.tolist()[:3] == pytest.approx([0, 60, 120])
    assert caption_series([write]) == "Points: 30. Dashed: the 99.9th percentile of the points."
    several = caption_series(eight)
    assert several.startswith("Points: 30 of each line. ") and several.endswith(" 2 more series: see the table.")
    # Runs of a case share a name, and so a colour: all of them are shown.
    assert list_points([*eight, replace(eight[0], repetition=1)]).groupby("series").run.unique().map(list).tolist() == [
        [0, 1], [0], [0], [0], [0], [0],
    ]  # fmt: skip


def test_processes_are_summed_over_the_same_windows(series):
    write = next(one for one in series if one.operation == "write")
    first = replace(
        write, metric="throughput_per_process", times=np.array([0.10, 0.21, 0.30, 0.41]),
        values=np.array([1.0, 2.0, 3.0, 4.0]), part="process 0",
    )  # fmt: skip
    # The second process begins later, moves nothing in a window, and has two points in the last one.
    second = replace(first, times=np.array([0.22, 0.40, 0.41]), values=np.array([10.0, 20.0, 40.0]), part="process 1")
    total = sum_processes([first, second])
    assert (total.metric, total.part, total.is_process) == ("throughput", "all 2 processes", False)
    assert total.values.tolist() == [12.0, 3.0, 34.0]
    # Of the distances 0.01, 0.09, 0.11, 0.11 and 0.18 the median is the width of a window; the first ends at 0.1.
    assert total.times.tolist() == pytest.approx([0.1 + 0.11, 0.1 + 2 * 0.11, 0.1 + 3 * 0.11])
    assert total.pause == pytest.approx(0.11)
    # A third one moves nothing until the others end.
    third = replace(first, times=np.array([0.10, 0.21]), values=np.array([100.0, 200.0]), part="process 2")
    assert sum_processes([first, second, third]).values.tolist() == [212.0, 3.0, 34.0]
    assert sum_processes([first, second, third]).pause == pytest.approx(2 * 0.11)
    assert list(group_series([total, first, second])) == [(write.sweep, "throughput", "B/s")]
    assert len(find_peaks([total, first, second])) == 1
    points = list_points([total, first, second])
    assert points.groupby("is_process").size().to_dict() == {False: 3, True: 7}
    assert "Bold: the sum" in caption_series([total, first])


def test_the_longest_pause_of_a_process_is_named_for_the_runs_of_each_case(series):
    write = replace(next(one for one in series if one.operation == "write"), sweep="outage")
    runs = [
        replace(write, case=f"target_outage={outage}", part="all 2 processes", pause=pause, repetition=run)
        for outage, pauses in (("0.0", (0.0, 0.0)), ("5.0", (10.5, 11.5))) for run, pause in enumerate(pauses)
    ]  # fmt: skip
    assert describe_pauses(runs) == (
        "Longest time in which a process moved nothing while others did: "
        "outage write (outage of a storage target 0 ms, all 2 processes) none over 2 runs; "
        "outage write (outage of a storage target 5 s, all 2 processes) 10.5 s to 11.5 s over 2 runs."
    )
    assert describe_pauses(runs[:2]) is None
    assert describe_pauses([write]) is None
    shown = format_series(summarise_series(runs))
    assert shown["pause"].tolist() == ["none", "none", "10.5 s", "11.5 s"]
    assert shown["run"].tolist() == [0, 1, 0, 1]
    assert not {"run", "pause"} & set(format_series(summarise_series([write])).columns)
    assert "A line for each run: the sum of its processes." in caption_series(runs)


def test_the_processes_of_a_log_by_the_tenth_of_a_second_sum_up_to_the_limit_of_the_device(reference_report):
    found = find_series(reference_report.parent / "dataset.nc", "sas-grid")
    assert [one.part for one in found] == ["all 4 processes", *(f"process {number}" for number in range(4))]
    total = found[0]
    assert len(total.values) > 170
    # The device is limited to 900 MB/s; one process alone moves a quarter of it.
    assert np.median(total.values) == pytest.approx(900e6, rel=0.02)
    assert np.median(found[1].values) == pytest.approx(225e6, rel=0.03)


@pytest.mark.parametrize(
    ("case", "operation", "name"),
    [
        ("only", "write", "write"),
        ("threads=4", "write", "write, threads 4"),
        ("operation=write,threads=4", "write", "write, threads 4"),
        ("operation=write", "write", "write"),
        ("operation=read,threads=4", "write", "write, threads 4"),
    ],
)
def test_a_series_is_named_by_its_operation_and_what_else_its_case_says(series, case, operation, name):
    assert replace(series[0], case=case, operation=operation).name == name


@pytest.mark.parametrize(
    ("minutes", "step"), [(7, 1), (8, 2), (35, 5), (36, 10), (70, 10), (71, 20), (840, 120), (900, 150)]
)
def test_at_most_seven_ticks_fit_on_an_axis_of_minutes(minutes, step):
    assert _choose_step(minutes) == step


@pytest.mark.parametrize(("is_process", "names"), [([True, False], ["total", "each process"]), ([False, False], [])])
def test_total_and_processes_are_named_at_their_ends_where_there_are_both(is_process, names):
    _, axes = plt.subplots()
    set_time(axes, pd.DataFrame({"series": ["a", "b"], "seconds": [3.0, 4.0], "value": [1.0, 2.0],
                                 "is_process": is_process}))  # fmt: skip
    assert [text.get_text() for text in axes.texts] == names
    plt.close("all")
