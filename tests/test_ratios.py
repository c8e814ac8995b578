"""Ratios over arrays agree with those of single cells, and estimates made apart are combined."""

import numpy as np
import pytest
import xarray as xr

from coldcache.ratios import paired_ratio_over, ratio_of_estimates
from coldcache.statistics import interval_over, paired_ratio


@pytest.fixture
def rate():
    values = np.random.default_rng(2).lognormal(0, 0.2, size=(2, 3, 6))
    return xr.DataArray(
        values,
        dims=("write_cache", "threads", "repetition"),
        coords={"write_cache": ["on", "off"], "threads": [1, 2, 4], "repetition": np.arange(6)},
        attrs={"units": "B/s"},
    )


@pytest.mark.parametrize("statistic", ["median", "geometric"])
def test_each_cell_gets_the_ratio_it_would_get_alone(rate, statistic):
    rate[0, 1, 2] = np.nan
    on, off = rate.sel(write_cache="on", drop=True), rate.sel(write_cache="off", drop=True)
    cells = paired_ratio_over(on, off.isel(repetition=[5, 4, 3, 2, 1]), statistic=statistic)
    assert cells.n.values.tolist() == [5, 4, 5]
    assert cells.estimate.attrs["units"] == "1"
    for place in range(3):
        alone = paired_ratio(on[place, 1:], off[place, 1:], statistic)
        found = [float(cells[name][place]) for name in ("estimate", "low", "high")]
        assert found == pytest.approx(list(alone[:3]))


def test_ratio_of_estimates_is_exact_where_one_is_known_exactly():
    known = xr.Dataset({"estimate": 2.0, "low": 2.0, "high": 2.0, "n": 5})
    other = xr.Dataset({"estimate": 8.0, "low": 6.0, "high": 9.0, "n": 7})
    found = ratio_of_estimates(other, known)
    assert [float(found[name]) for name in ("estimate", "low", "high", "n")] == pytest.approx([4.0, 3.0, 4.5, 5])
    turned = ratio_of_estimates(known, other)
    assert [float(turned[name]) for name in ("estimate", "low", "high")] == pytest.approx([1 / 4, 1 / 4.5, 1 / 3])


def test_ratio_of_estimates_is_wider_than_either(rate):
    on, off = (interval_over(rate.sel(write_cache=state, drop=True)) for state in ("on", "off"))
    found = ratio_of_estimates(on, off)
    assert (found.high / found.low > on.high / on.low).all()
    assert (found.high / found.low > off.high / off.low).all()


def test_mean_of_ratios_is_refused(rate):
    with pytest.raises(ValueError, match="the mean of ratios has no meaning: choose median or geometric"):
        paired_ratio_over(rate, rate, statistic="mean")


def test_zero_rate_is_refused(rate):
    with pytest.raises(ValueError, match="a rate is zero or negative: leave void trials out as NaN"):
        paired_ratio_over(rate, rate.where(rate.threads > 1, 0.0))
