"""Percentiles of the latency of the reference campaign, as its logs state them."""

import json
from pathlib import Path

import numpy as np
import pytest

from coldcache.analysis.estimates import median_interval
from coldcache.analysis.questions.latency import find_latencies
from coldcache.analysis.questions.select import choose


@pytest.fixture(scope="module")
def found(reference_report):
    dataset = reference_report.parent / "dataset.nc"
    (curve,) = choose(dataset, "quick", "rate", ["random-write", "random-read"], over="threads")
    return find_latencies(dataset, curve)


def test_percentiles_are_those_of_the_logs(found, root):
    for operation, direction in (("random-read", "read"), ("random-write", "write")):
        log = root / f"raw/reference/quick/random/operation={operation},threads=4/r3/stdout.txt"
        text = Path(log).read_text()
        stated = json.loads(text[text.index("{") :])["jobs"][0][direction]["clat_ns"]["percentile"]
        for name, key in (("p50", "50.000000"), ("p99", "99.000000")):
            value = float(found.runs.sel(line=f"{operation} {name}", threads=4, repetition=3))
            assert value == pytest.approx(stated[key] / 1e9, rel=1e-9)


def test_a_point_has_the_rate_of_its_case_and_leads_there(found):
    points = found.points()
    assert len(points) == 12 and (points.low <= points.latency).all() and (points.latency <= points.high).all()
    row = points[(points.line == "random-read p99") & (points.threads == 4)].iloc[0]
    assert row["rate"] == float(found.sweep.cells.estimate.sel(operation="random-read", threads=4))
    assert row.latency == pytest.approx(1e6 * np.median(found.runs.sel(line=row.line, threads=4)), rel=1e-12)
    cell = median_interval(found.runs).sel(line=row.line, threads=4)
    assert [row.low, row.high] == pytest.approx([1e6 * float(cell.low), 1e6 * float(cell.high)], rel=1e-12)
    page = "../trials/quick/random/operation=random-read,threads=4/index.html#random-read-rate"
    assert row.page.startswith(f"{page} random read p99, threads 4: ")


def test_the_title_says_within_which_time_half_and_almost_all_were_done(found):
    assert found.title() == (
        "With 4 threads random reads: half within 157 µs, 99 % within 538 µs; "
        "random writes: half within 165 µs, 99 % within 618 µs"
    )


def test_a_sweep_whose_logs_state_no_percentile_has_none(reference_report):
    dataset = reference_report.parent / "dataset.nc"
    curves = choose(dataset, "quick", "throughput", ["write", "read"], file_layout="file-per-thread", over="threads")
    assert [find_latencies(dataset, curve) for curve in curves if curve.tool.startswith("iozone")] == [None]


def test_a_latency_in_the_table_is_a_link_to_its_case(found):
    html = found.table("Percentiles")._repr_mimebundle_()["text/html"]
    assert html.count("<a href=") == len(found.points()) and "&lt;a" not in html


def test_a_row_of_the_table_has_both_percentiles(found):
    shown = found.table("Percentiles").shown
    assert list(shown.columns) == ["operation", "threads", "p50", "p99", "rate", "n"]
    assert len(shown) == len(found.points()) / 2
    assert (shown.p50 != shown.p99).all()
