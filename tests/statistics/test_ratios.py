"""Pairs cancel what they share, and ratios over arrays agree with those of single cells."""

import numpy as np
import pytest
import xarray as xr
from scipy import stats

from coldcache.statistics.dependence import Rounds
from coldcache.statistics.ratios import paired_ratio, paired_ratio_over
from coldcache.statistics.simulation.noise import DRIFT, NOISES
from coldcache.statistics.widening import widening


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
    assert (found.estimate, found.n, found.runs) == (pytest.approx(2.0), 2, (2.0, 2.0))
    assert np.isnan([found.low, found.high]).all()


def test_changing_places_turns_the_ratio_over():
    on, off = np.random.default_rng(8).lognormal(size=(2, 7))
    one, other = paired_ratio(on, off), paired_ratio(off, on)
    assert (one.estimate, one.low, one.high) == pytest.approx((1 / other.estimate, 1 / other.high, 1 / other.low))


def test_each_cell_gets_the_ratio_it_would_get_alone(rate):
    rate[0, 1, 2] = np.nan
    on, off = rate.sel(write_cache="on", drop=True), rate.sel(write_cache="off", drop=True)
    cells = paired_ratio_over(on, off.isel(repetition=[5, 4, 3, 2, 1]))
    assert cells.n.values.tolist() == [5, 4, 5]
    assert cells.estimate.attrs["units"] == "1"
    for place in range(3):
        alone = paired_ratio(on[place, 1:], off[place, 1:])
        found = [float(cells[name][place]) for name in ("estimate", "low", "high")]
        assert found == pytest.approx(list(alone[:3]), nan_ok=True)


@pytest.mark.parametrize("noise", [name for name in NOISES if name != DRIFT])
def test_pairs_cover_the_true_ratio_however_the_system_drifts(noise):
    random = np.random.default_rng(6)
    common = np.exp(random.normal(0, 0.3, (3000, 10)))
    sides = [
        xr.DataArray(ratio * common * NOISES[noise](random.standard_normal((3000, 10))), dims=("case", "repetition"))
        for ratio in (2, 1)
    ]
    found = paired_ratio_over(*sides)
    assert 0.935 <= float(((found.low <= 2) & (found.high >= 2)).mean()) <= 0.965


def test_the_interval_is_students_of_the_logarithms():
    on, off = np.random.default_rng(8).lognormal(size=(2, 7))
    found, expected = paired_ratio(on, off), stats.ttest_1samp(np.log(on / off), 0).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((np.exp(expected.low), np.exp(expected.high)))
    assert found.caveat is None
    assert paired_ratio(on[:4], off[:4]).caveat == "no interval from 4 runs"


def test_ratios_are_widened_for_the_more_dependent_of_their_sides(rate):
    on, off = rate.sel(write_cache="on", drop=True)[0], rate.sel(write_cache="off", drop=True)[0]
    plain = paired_ratio(on, off)
    stated = Rounds(0.4, 0.5)
    wider = paired_ratio(on.assign_attrs(rounds=Rounds(0.2, 0.2)), off.assign_attrs(rounds=stated))
    assert wider.rounds == stated
    assert np.log(wider.high / wider.low) == pytest.approx(widening(6, stated) * np.log(plain.high / plain.low))
    assert paired_ratio(on.values, off.values, rounds=stated) == wider


def test_dependent_pairs_of_two_modes_are_listed():
    found = paired_ratio([2.0, 2.1, 2.0, 1.9, 2.0, 2.2], np.ones(6), rounds=Rounds(0.7, 0.7, 0.0, True))
    assert np.isnan([found.low, found.high]).all()
    assert found.runs == (2.0, 2.1, 2.0, 1.9, 2.0, 2.2)


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
