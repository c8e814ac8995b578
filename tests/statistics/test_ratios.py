"""Pairs cancel what they share, ratios over arrays agree with those of single cells, estimates made apart combine."""

import numpy as np
import pytest
import xarray as xr

from coldcache.statistics.intervals import interval_over
from coldcache.statistics.ratios import paired_ratio, paired_ratio_over, ratio_of_estimates
from coldcache.statistics.simulation.intervals import NOISES


@pytest.fixture
def rate():
    values = np.random.default_rng(2).lognormal(0, 0.2, size=(2, 3, 6))
    return xr.DataArray(
        values,
        dims=("write_cache", "threads", "repetition"),
        coords={"write_cache": ["on", "off"], "threads": [1, 2, 4], "repetition": np.arange(6)},
        attrs={"units": "B/s"},
    )


def test_what_a_block_does_to_both_of_a_pair_cancels():
    block = np.array([1.0, 0.2, 5.0, 0.7, 3.0, 11.0])
    found = paired_ratio(30 * block, 10 * block)
    assert (found.estimate, found.low, found.high) == pytest.approx((3.0, 3.0, 3.0))


def test_pairs_are_found_by_repetition_and_lone_members_do_not_count():
    on = xr.DataArray([2.0, 4.0, 6.0, np.nan], dims="repetition", coords={"repetition": [0, 1, 2, 3]})
    off = xr.DataArray([3.0, 2.0, 1.0], dims="repetition", coords={"repetition": [2, 1, 5]})
    found = paired_ratio(on, off)
    assert (found.estimate, found.low, found.high, found.n) == pytest.approx((2.0, 2.0, 2.0, 2))


@pytest.mark.parametrize("statistic", ["median", "geometric"])
def test_changing_places_turns_the_ratio_over(statistic):
    on, off = np.random.default_rng(8).lognormal(size=(2, 7))
    one, other = paired_ratio(on, off, statistic), paired_ratio(off, on, statistic)
    assert (one.estimate, one.low, one.high) == pytest.approx((1 / other.estimate, 1 / other.high, 1 / other.low))


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


@pytest.fixture(scope="module", params=["skewed", "drift, random times", "two modes, 7 to 3", "two modes, even"])
def sides(request):
    """Two thousand campaigns of ten rounds that drift by 20 %, the first side twice the second."""
    random = np.random.default_rng(6)
    drifting = NOISES["drift, one per block"](random, 2000, 10)
    shape = ("campaign", "repetition")
    return [xr.DataArray(ratio * NOISES[request.param](random, 2000, 10) * drifting, dims=shape) for ratio in (2, 1)]


def covered(found):
    return float(((found.low <= 2) & (found.high >= 2)).mean())


@pytest.mark.parametrize("statistic", ["median", "geometric"])
def test_pairs_cover_the_true_ratio_however_the_system_drifts(sides, statistic):
    assert 0.935 <= covered(paired_ratio_over(*sides, statistic=statistic)) <= 0.965


def test_five_pairs_cover_it_with_fifteen_of_sixteen(sides):
    five = paired_ratio_over(*(side.isel(repetition=slice(5)) for side in sides))
    assert covered(five) == pytest.approx(15 / 16, abs=0.011)


def test_estimates_made_apart_cover_more_than_stated(sides):
    above, below = (interval_over(side) for side in sides)
    assert covered(ratio_of_estimates(above, below)) > 0.965


def test_the_geometric_mean_of_three_pairs_is_trusted_and_their_median_is_not():
    pairs = ([2.0, 2.1, 2.2], [1.0, 1.0, 1.0])
    assert paired_ratio(*pairs, "geometric").caveat is None
    assert paired_ratio(*pairs).caveat == "no interval of a median from 3 values can cover more than 75 %"


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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda rate: paired_ratio([1.0], [1.0, 2.0]),
            "paired ratio: 1 values against 2: pairs need one of each, NaN where one is missing",
        ),
        (
            lambda rate: paired_ratio([1.0], [0.0]),
            "paired ratio: a rate is zero or negative: leave void trials out as NaN",
        ),
        (
            lambda rate: paired_ratio([1.0], [2.0], "mean"),
            "paired ratio: the mean of ratios has no meaning: choose median or geometric",
        ),
        (
            lambda rate: paired_ratio_over(rate, rate, statistic="harmonic"),
            "paired ratio: the harmonic of ratios has no meaning: choose median or geometric",
        ),
        (
            lambda rate: paired_ratio_over(rate, rate.where(rate.threads > 1, 0.0)),
            "paired ratio: a rate is zero or negative: leave void trials out as NaN",
        ),
        (
            lambda rate: paired_ratio_over(rate, rate, dim="block"),
            "interval_over: no dimension 'block' in ('write_cache', 'threads', 'repetition'): name the one to "
            "estimate over",
        ),
    ],
)
def test_wrong_use_is_told_what_to_do(rate, call, message):
    with pytest.raises(ValueError) as caught:
        call(rate)
    assert str(caught.value) == message
