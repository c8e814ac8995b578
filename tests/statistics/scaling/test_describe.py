"""Peak, plateau, sustained rate, drop and efficiency of curves that can be checked by hand; dims and units stay."""

import numpy as np
import pytest
import xarray as xr

from coldcache.statistics.scaling.describe import (
    NoPlateau,
    describe_scaling,
    efficiency,
    peak,
    plateau,
    rate_per,
    sustained,
)

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


def test_peak_and_where_it_is():
    found = peak(curves(LEVEL, PEAKED, RISING))
    assert found.peak.values.tolist() == [80, 80, 1280]
    assert found.peak_threads.values.tolist() == [8, 8, 128]
    assert found.peak.attrs["units"] == "B/s"
    assert found.peak.dims == ("operation",)


def test_peak_of_no_rate_is_missing():
    found = peak(curves([np.nan] * 8, LEVEL))
    np.testing.assert_array_equal(found.peak.values, [np.nan, 80])
    np.testing.assert_array_equal(found.peak_threads.values, [np.nan, 8])


def test_peak_is_that_of_the_medians():
    rate = curves(LEVEL).expand_dims(repetition=3).copy()
    rate[0, 0, 2] = 999.0
    assert peak(rate).peak.values.tolist() == [80]


def test_plateau_is_from_the_knee_to_the_last_thread_count():
    found = plateau(curves(LEVEL, PEAKED))
    assert found.dims == ("operation", "threads")
    assert found.values.tolist() == [[False] * 3 + [True] * 5] * 2


def test_sustained_is_the_least_rate_of_the_plateau():
    found = sustained(curves(LEVEL, PEAKED))
    assert found.values.tolist() == [80, 50]
    assert found.dims == ("operation",)
    assert found.operation.values.tolist() == ["curve-0", "curve-1"]
    assert found.attrs["units"] == "B/s"


def test_sustained_of_one_curve_has_no_dims():
    assert sustained(curves(PEAKED)[0]).shape == ()
    assert float(sustained(curves(PEAKED)[0])) == 50


def test_order_of_thread_counts_does_not_matter():
    shuffled = curves(LEVEL, PEAKED).isel(threads=[3, 0, 7, 2, 5, 1, 4, 6])
    assert sustained(shuffled).values.tolist() == [80, 50]
    assert plateau(shuffled).sel(threads=[4, 8, 128]).values.tolist() == [[False, True, True]] * 2


def test_sustained_is_that_of_the_medians():
    rate = repeated(curves(PEAKED))
    assert sustained(rate).values == pytest.approx([50])
    assert sustained(rate).dims == ("operation",)


def test_a_rate_that_still_rises_has_nothing_to_sustain():
    with pytest.raises(NoPlateau) as caught:
        sustained(curves(LEVEL, RISING))
    assert str(caught.value) == (
        "operation curve-1: the rate still rises by 100 % over the last doubling to 128 threads: measure at more "
        "threads"
    )


def test_too_few_thread_counts_have_no_plateau():
    with pytest.raises(NoPlateau) as caught:
        plateau(curves(LEVEL)[0].isel(threads=[0, 1, 2]))
    assert str(caught.value) == (
        "the curve: scaling curve: rates at 1, 2, 4 threads: a knee needs at least 4 thread counts over two doublings"
    )


def test_rate_per_thread():
    found = rate_per(curves(LEVEL))
    assert found.values.tolist() == [[10, 10, 10, 10, 5, 2.5, 1.25, 0.625]]
    assert found.attrs["units"] == "B/s"


def test_efficiency_names_its_base():
    found = efficiency(curves(LEVEL).isel(threads=[7, 1, 3]))
    assert found.threads.values.tolist() == [2, 8, 128]
    assert found.values.tolist() == [[1, 1, 0.0625]]
    assert found.attrs == {"units": "1", "base": "threads = 2"}


def test_efficiency_of_each_repetition_has_its_own_base():
    rate = repeated(curves(LEVEL), (1, 2, 3))
    found = efficiency(rate).transpose("repetition", "operation", "threads")
    np.testing.assert_allclose(found.values[1], found.values[0])
    assert efficiency(rate).dims == rate.dims


def test_efficiency_over_nodes():
    rate = xr.DataArray([100.0, 150.0], dims="nodes", coords={"nodes": [1, 2]})
    assert efficiency(rate, "nodes").values.tolist() == [1, 0.75]


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
        "last_to_plateau": [1, 55 / 65, np.nan, np.nan],
        "last_to_plateau_low": [1, 55 / 65, np.nan, np.nan],
        "last_to_plateau_high": [1, 55 / 65, np.nan, np.nan],
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
    assert float(found.last_to_plateau[0]) == pytest.approx(55 / 65)
