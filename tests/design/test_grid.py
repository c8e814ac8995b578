"""A sweep's levels become every combination in stored units, each once."""

import pytest
from drafts import make_site, make_study, sweep
from pydantic import ValidationError

from coldcache.core.errors import DesignError
from coldcache.design.grid import Environment, expand_grid
from coldcache.design.site import Site

KIB, MIB, GIB = 2**10, 2**20, 2**30
HERE = Environment(cores=4, direct_io=True, tools={}, seed=7)


def points(sweep_, *factors, site=None, environment=HERE, **limits):
    drafted = make_study(one=sweep_).sweeps["one"]
    grid = expand_grid(drafted, site or make_site(), environment, **limits)
    return [tuple(point[factor] for factor in factors) for point in grid]


def test_every_combination_is_there_in_the_order_of_the_study():
    found = points(sweep(threads=[1, 2], transfer_size=["4 KiB", "1 MiB"]), "threads", "transfer_size", "file_size")
    assert found == [(1, 4 * KIB, 64 * MIB), (1, MIB, 64 * MIB), (2, 4 * KIB, 64 * MIB), (2, MIB, 64 * MIB)]


def test_threads_double_up_to_the_cores_and_to_the_limit_of_the_site():
    doubling = sweep(threads={"first": 1, "last_per_core": 2})
    assert points(doubling, "threads") == [(1,), (2,), (4,), (8,)]
    assert points(doubling, "threads", site=make_site(threads=3)) == [(1,), (2,), (3,)]
    assert points(doubling, "threads", environment=HERE._replace(physical_cores=2)) == [(1,), (2,), (4,), (8,)]
    physical = sweep(threads={"last_per_core": 2, "physical": True})
    assert points(physical, "threads", environment=HERE._replace(physical_cores=2)) == [(1,), (2,), (4,)]


def test_larger_numbers_become_the_largest_that_is_allowed_and_count_once():
    found = points(sweep(threads=[1, 4, 8, 16]), "threads", most_threads=4)
    assert found == [(1,), (4,)]
    sizes = sweep(transfer_size=["64 KiB", "1 MiB", "4 MiB"])
    assert points(sizes, "transfer_size", largest_transfer=MIB) == [(64 * KIB,), (MIB,)]


def test_a_site_may_keep_some_numbers_of_threads():
    assert points(sweep(threads=[1, 2, 4]), "threads", thread_counts=(1, 4)) == [(1,), (4,)]
    assert points(sweep(threads=[1, 2, 4]), "threads", thread_counts=(3,)) == []


@pytest.mark.parametrize("possible", [True, False])
def test_direct_transfers_where_possible_are_those_of_the_file_system(possible):
    found = points(sweep(direct_io=["where-possible"]), "direct_io", environment=HERE._replace(direct_io=possible))
    assert found == [(possible,)]
    # A level that equals another one is no second case.
    both = points(sweep(direct_io=["where-possible", True]), "direct_io", environment=HERE)
    assert both == [(True,)]
    large_only = {"by": "transfer_size", "levels": {"4 KiB": False, "1 MiB": "where-possible"}}
    looked_up = sweep(transfer_size=["4 KiB", "1 MiB"], direct_io=large_only)
    found = points(looked_up, "transfer_size", "direct_io", environment=HERE._replace(direct_io=possible))
    assert found == [(4 * KIB, False), (MIB, possible)]


def test_a_total_is_shared_and_rounded_to_whole_transfers():
    share = {"aggregate": "10 MiB", "round": "down"}
    found = points(sweep(threads=[1, 3], file_size=share), "threads", "file_size")
    assert found == [(1, 10 * MIB), (3, 3 * MIB)]
    up = points(sweep(threads=[3], file_size={**share, "round": "up"}), "file_size")
    assert up == [(4 * MIB,)]


def test_a_share_that_does_not_divide_is_refused_with_the_remedy():
    with pytest.raises(DesignError, match=r"factors.file_size: 10 MiB does not divide by 3 threads"):
        points(sweep(threads=[3], file_size={"aggregate": "10 MiB"}), "file_size")
    with pytest.raises(DesignError, match="512 KiB per thread is no whole number of transfers of 1 MiB"):
        points(sweep(threads=[2], file_size={"aggregate": "1 MiB"}), "file_size")
    with pytest.raises(DesignError, match="over 4 threads leaves nothing each"):
        points(sweep(threads=[4], file_size={"aggregate": "1 MiB", "round": "down"}), "file_size")


def test_memory_comes_from_the_site():
    shared = sweep(threads=[2], file_size={"memory": 2})
    assert points(shared, "file_size", environment=HERE._replace(memory=GIB)) == [(GIB,)]
    with pytest.raises(DesignError, match=r"config/sites/x.yaml does not state the memory of a client"):
        points(shared, "file_size")


def test_a_probe_raises_a_total_to_what_lasts_long_enough_within_the_limit_of_the_site():
    shared = sweep(threads=[2], file_size={"aggregate": "64 MiB", "lasts": "2 s", "round": "down"})
    paced = HERE._replace(paces={"write": 100 * MIB, "read": 400 * MIB})
    # Only the sweep's own operation counts: 2 s of 100 MiB/s over two threads.
    assert points(shared, "file_size", environment=paced) == [(100 * MIB,)]
    assert points(shared, "file_size", environment=paced, site=make_site(bytes="128 MiB")) == [(64 * MIB,)]
    assert points(shared, "file_size") == [(32 * MIB,)]


def test_a_level_is_looked_up_by_another_one():
    looked_up = sweep(threads=[1, 2], file_size={"by": "threads", "levels": {"1": "8 MiB", "2": "4 MiB"}})
    assert points(looked_up, "threads", "file_size") == [(1, 8 * MIB), (2, 4 * MIB)]
    with pytest.raises(DesignError, match=r'factors.file_size: has no level for threads "4"'):
        points(sweep(threads=[4], file_size={"by": "threads", "levels": {"1": "8 MiB"}}), "file_size")


def test_more_combinations_than_a_sweep_may_have_are_refused_before_they_are_made():
    many = sweep(threads=list(range(1, 1002)), transfer_size=list(range(1, 1002)))
    with pytest.raises(DesignError, match="1,002,001 combinations of levels, a sweep has at most 1,000,000"):
        points(many, "threads")


def test_the_cores_of_an_environment_are_logical_unless_physical_ones_are_known():
    assert HERE.count_cores(physical=True) == 4
    assert HERE._replace(physical_cores=2).count_cores(physical=True) == 2
    assert HERE._replace(physical_cores=2).count_cores(physical=False) == 4
    assert isinstance(make_site(), Site)


def test_a_size_follows_from_a_transfer_size_in_any_spelling():
    sizes = {"by": "transfer_size", "levels": {"4 KiB": "16 MiB", "1024 KiB": "32 MiB"}}
    found = points(sweep(transfer_size=["4 KiB", "1 MiB"], file_size=sizes), "transfer_size", "file_size")
    assert found == [(4 * KIB, 16 * MIB), (MIB, 32 * MIB)]


@pytest.mark.parametrize(("factor", "levels"), [("file_layout", ["shared-file"]), ("direct_io", [True])])
def test_a_total_is_multiplied_by_counts_alone(factor, levels):
    share = {"aggregate": "1 GiB", "times": factor}
    with pytest.raises(ValidationError, match=f"factors.file_size.times: {factor} is no count, .*; name one"):
        points(sweep(file_size=share, **{factor: levels}))
