"""Peak, plateau, sustained rate and drop of curves that can be checked by hand; dims and units stay."""

import numpy as np
import pytest
import xarray as xr

from coldcache.statistics.dependence import Rounds
from coldcache.statistics.intervals import interval
from coldcache.statistics.ratios import paired_ratio
from coldcache.statistics.scaling.describe import describe_scaling

THREADS = [1, 2, 4, 8, 16, 32, 64, 128]
LEVEL = [10.0, 20, 40, 80, 80, 80, 80, 80]
#: As the PixStor document tells of stat: a peak, then less, and a rate that it never falls below.
PEAKED = [10.0, 20, 40, 80, 70, 50, 60, 55]
RISING = [10.0, 20, 40, 80, 160, 320, 640, 1280]


def curves(*cells, dim="operation", **coords):
    return xr.DataArray(
        np.array(cells, dtype=float),
        dims=(dim, "threads"),
        coords={"threads": THREADS, dim: [f"curve-{place}" for place in range(len(cells))], **coords},
        attrs={"units": "B/s"},
        name="throughput",
    )


def repeated(rate, factors=(0.98, 1.02, 1.0, 0.99, 1.01)):
    return (rate * xr.DataArray(list(factors), dims="repetition")).assign_attrs(rate.attrs)


def test_description_of_several_curves():
    rate = repeated(curves(LEVEL, PEAKED, RISING, [np.nan] * 8))
    found = describe_scaling(rate)
    assert set(found.dims) == {"operation"}
    assert found.operation.values.tolist() == [f"curve-{place}" for place in range(4)]
    expected = {
        "peak": [80, 80, 1280, np.nan],
        "peak_low": [78.4, 78.4, 1254.4, np.nan],
        "peak_high": [81.6, 81.6, 1305.6, np.nan],
        "peak_threads": [8, 8, 128, np.nan],
        "sustained": [80, 50, np.nan, np.nan],
        "sustained_low": [78.4, 49, np.nan, np.nan],
        "sustained_high": [81.6, 51, np.nan, np.nan],
        "plateau_from": [8, 8, np.nan, np.nan],
        "last_to_plateau": [1, 55 / 70, np.nan, np.nan],
        "last_to_plateau_low": [1, 55 / 70, np.nan, np.nan],
        "last_to_plateau_high": [1, 55 / 70, np.nan, np.nan],
    }
    for name, values in expected.items():
        np.testing.assert_allclose(found[name].values, values, rtol=1e-3, err_msg=name)
    assert found.knee.values[0] == pytest.approx(8)
    assert found.growth_first.values[[0, 2]] == pytest.approx([2, 2])
    assert found.growth_last.values[[0, 2]] == pytest.approx([1, 2])
    assert found.why.values.tolist() == [
        "",
        "",
        "the rate still rises by 100 % over the last doubling to 128 threads: measure at more threads",
        "scaling curve: rates at no threads: a knee needs at least 4 thread counts over two doublings",
    ]


def test_description_carries_units_and_dims():
    rate = repeated(curves(LEVEL, PEAKED)).expand_dims(file_layout=["shared-file", "file-per-thread"])
    found = describe_scaling(rate, level=0.9)
    assert dict(found.sizes) == {"file_layout": 2, "operation": 2}
    assert found.attrs == {"level": 0.9}
    assert {found[name].attrs["units"] for name in ("peak", "peak_low", "sustained")} == {"B/s"}
    assert {found[name].attrs["units"] for name in ("knee", "peak_threads", "growth_last", "last_to_plateau")} == {"1"}


def test_a_single_repetition_has_estimates_without_bounds():
    found = describe_scaling(curves(PEAKED))
    assert (float(found.peak[0]), float(found.sustained[0])) == (80, 50)
    assert np.isnan([float(found[name][0]) for name in ("peak_low", "sustained_high", "last_to_plateau_low")]).all()
    assert float(found.last_to_plateau[0]) == pytest.approx(55 / 70)


def test_the_order_of_thread_counts_does_not_matter():
    shuffled = curves(LEVEL, PEAKED).isel(threads=[3, 0, 7, 2, 5, 1, 4, 6])
    assert describe_scaling(shuffled).sustained.values.tolist() == [80, 50]


def test_figures_are_those_of_the_medians():
    rate = repeated(curves(PEAKED)).copy()
    rate[0, 0, 2] = 999.0
    assert float(describe_scaling(rate).peak[0]) == 80


def test_intervals_are_those_of_the_runs_with_the_rounds_that_they_state():
    """The same case has one interval, whoever asks."""
    random, stated = np.random.default_rng(5), Rounds(0.4, 0.45, 0.3)
    rate = repeated(curves(PEAKED), random.lognormal(0, 0.05, 6)) * random.lognormal(0, 0.02, (1, 8, 6))
    rate = rate.assign_attrs(units="B/s", rounds=stated)
    found, runs = describe_scaling(rate).isel(operation=0), rate[0].values
    top, bottom = (int(np.flatnonzero(rate.threads == count)[0]) for count in (8, 32))
    peak = [float(found[name]) for name in ("peak", "peak_low", "peak_high")]
    assert peak == list(interval(runs[top], rounds=stated)[:3])
    assert float(found.sustained_low) == interval(runs[bottom], rounds=stated).low
    middle = int(np.flatnonzero(rate.threads == 16)[0])
    assert float(found.last_to_plateau_low) == paired_ratio(runs[-1], runs[middle], rounds=stated).low
