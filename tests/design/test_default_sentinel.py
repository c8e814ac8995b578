"""A study without a sentinel gets one where its site asks for it and fio is installed."""

import pytest
from drafts import expand, make_site, make_study, sweep

from coldcache.core.errors import DesignError
from coldcache.design.blocks import arrange_blocks
from coldcache.design.default_sentinel import with_sentinel


@pytest.fixture
def site():
    return make_site().model_copy(update={"sentinel": True})


def test_it_begins_each_part_of_each_round(site):
    study = with_sentinel(make_study(2, a=sweep(threads=[1, 2]), b=sweep(["read"])), site, is_installed=True)
    blocks = arrange_blocks(expand(study, site, order="rounds"), 1, "rounds")
    for block in (block for block in blocks if block.round <= 2):
        assert block.trials[0].case.sweep == "sentinel"
    (case,) = {trial.case.name: trial.case for block in blocks for trial in block.trials
               if trial.case.sentinel_every}.values()  # fmt: skip
    assert (case.run.seconds, case.bytes, case.operations) == (1.2, 64 * 2**20, ("read",))


def test_a_sentinel_of_its_own_stays_and_nothing_is_added_where_nobody_asks_or_fio_is_missing(site):
    study = make_study(2, a=sweep(), b=sweep())
    own = with_sentinel(study, site, is_installed=True)
    assert with_sentinel(own, site, is_installed=True) == own
    assert with_sentinel(study, make_site(), is_installed=True) == study
    assert with_sentinel(study, site, is_installed=False) == study


@pytest.mark.parametrize(
    ("limit", "expected"),
    [("64 MiB", 64), ("33 MiB", 33), ("34000000 B", 32), ("1 MiB", 1), ("2 GiB", 64)],
)
@pytest.mark.parametrize("paces", [{}, {"read": 1e12}])
def test_in_a_study_that_scales_down_its_file_fits_the_site(limit, expected, paces):
    small = make_site(bytes=limit).model_copy(update={"sentinel": True})
    study = make_study(2, a=sweep(), b=sweep()).model_copy(update={"scale": "site"})
    cases = expand(with_sentinel(study, small, is_installed=True), small, paces=paces)
    (size,) = {case.bytes for case in cases if case.sentinel_every}
    assert size == expected * 2**20


def test_a_study_that_scales_down_is_refused_where_one_transfer_of_the_sentinel_does_not_fit():
    small = make_site(bytes="512 KiB").model_copy(update={"sentinel": True})
    study = make_study(2, a=sweep(), b=sweep()).model_copy(update={"scale": "site"})
    with pytest.raises(DesignError) as refused:
        with_sentinel(study, small, is_installed=True)
    assert str(refused.value) == (
        "config/sites/x.yaml, sentinel: its file has 1 MiB, limits.bytes allows 512 KiB: raise it, or set sentinel to "
        "false"
    )


@pytest.mark.parametrize(
    ("limits", "problem"),
    [
        ({"bytes": "32 MiB"}, "its file has 64 MiB, limits.bytes allows 32 MiB: raise it, or set sentinel to false"),
        ({"seconds": 1}, "it reads for 1.2 s, limits.seconds ends it after 1 s: raise it, or set sentinel to false"),
    ],
)
def test_a_site_without_room_for_the_sentinel_is_named(limits, problem):
    small = make_site(**limits).model_copy(update={"sentinel": True})
    with pytest.raises(DesignError) as refused:
        with_sentinel(make_study(2, a=sweep(), b=sweep()), small, is_installed=True)
    assert str(refused.value) == f"config/sites/x.yaml, sentinel: {problem}"
