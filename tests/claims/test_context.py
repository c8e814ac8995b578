"""What a claim is judged by: the system's offers and limits, its cubes, and why there is no data."""

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from coldcache.campaign.campaign import read_campaign
from coldcache.claims.context import ClaimContext, select_published
from coldcache.core.errors import NoData
from coldcache.dataset.published import read_published


@pytest.fixture
def campaign(root, monkeypatch):
    """The reference campaign, where it is."""
    monkeypatch.chdir(root)
    return read_campaign(Path("raw/reference"))


def choose(condition, one, other):
    return condition.astype(object).where(~condition, one).where(condition, other)


def with_site(campaign, **stated):
    return replace(campaign, site=campaign.site.model_copy(update=stated))


def test_published_values_are_selected_by_their_columns():
    values = read_published()
    found = select_published(values, "dell-lustre", {"item": "fig 17", "threads": 64})
    assert [(value.operation, value.low, value.unit) for value in found] == [("stat", 300_000, "1/s")]
    assert select_published(values, "sas-grid", {"item": "fig 17", "threads": 64}) == []


def test_what_a_site_offers_is_counted_where_it_states_a_number(campaign, tmp_path):
    found = ClaimContext(with_site(campaign, offers=["24 storage targets", "an NFS server", "many clients"]), tmp_path)
    assert found.count_offered("storage targets") == 24
    assert (found.count_offered("NFS server"), found.count_offered("clients"), found.count_offered("nodes")) == (
        0,
        0,
        0,
    )


def test_the_limit_of_an_operation_is_that_of_its_direction(campaign, tmp_path):
    target = campaign.site.target.model_copy(update={"read_rate": 2e9, "write_rate": 1e9})
    found = ClaimContext(with_site(campaign, targets={campaign.site.target_name: target}), tmp_path)
    assert [found.ceiling(name) for name in ("read", "random-read", "write")] == [2e9, 2e9, 1e9]


def test_a_sweep_that_cannot_run_here_says_why(campaign, tmp_path):
    found = ClaimContext(campaign, tmp_path)
    reason = "needs several OSTs, which the site reference does not offer"
    assert found.why_empty("dell-lustre", "osts") == reason
    assert found.why_empty("quick", "sequential") is None
    with pytest.raises(NoData, match=f"the sweep dell-lustre/osts was not run: {reason}"):
        found.cube("dell-lustre", "osts")


def test_a_sweep_without_data_and_a_study_that_is_not_there_are_told_apart(campaign, tmp_path):
    found = ClaimContext(campaign, tmp_path)
    with pytest.raises(NoData, match="no trial of quick/sequential counts"):
        found.cube("quick", "sequential")
    with pytest.raises(NoData, match="the campaign does not hold the study other"):
        found.rows("other", "sequential")


def test_cubes_and_rows_are_those_of_the_dataset(campaign, invent):
    found = ClaimContext(campaign, invent("dell-lustre", "sequential").parent)
    cube = found.cube("dell-lustre", "sequential")
    assert found.cube("dell-lustre", "sequential") is cube
    assert (cube.attrs["study"], cube.attrs["sweep"]) == ("dell-lustre", "sequential")
    rows = found.rows("dell-lustre", "sequential")
    assert set(rows.sweep) == {"sequential"} and len(rows) < len(found.records) + 1


def test_without_memory_figures_that_never_reached_the_storage_are_missing(campaign, invent, monkeypatch):
    dataset = invent("dell-lustre", "sequential")
    found = ClaimContext(campaign, dataset.parent)
    cube = found.cube("dell-lustre", "sequential")
    is_read = (cube.operation == "read").broadcast_like(cube.throughput).transpose(*cube.throughput.dims)
    reached = choose(is_read, "memory", "storage")
    monkeypatch.setattr(ClaimContext, "_read_cube", lambda *_: cube.assign(reached=reached))
    without = ClaimContext(campaign, dataset.parent).without_memory()
    left = without.cube("dell-lustre", "sequential").throughput
    assert bool(left.sel(operation="read").isnull().all())
    assert left.sel(operation="write").equals(cube.throughput.sel(operation="write"))
    assert (without.leaves_memory_out, found.leaves_memory_out) == (True, False)


def test_a_rate_without_memory_has_the_dims_that_it_had(campaign, shared_calls, monkeypatch, tmp_path):
    is_read = shared_calls.case.astype(str).str.startswith("operation=read")
    reached = choose(is_read, "memory", choose(shared_calls.case != "", "storage", ""))
    monkeypatch.setattr(ClaimContext, "_read_cube", lambda *_: shared_calls.assign(reached=reached))
    left = ClaimContext(campaign, tmp_path).without_memory().cube("anf-nfs", "rsize-wsize")
    assert left.throughput.dims == ("operation", "io_size", "repetition")
    assert bool(left.throughput.sel(operation="read").isnull().all())
    assert left.throughput.sel(operation="write").equals(shared_calls.throughput.sel(operation="write"))
    calls = left["count"].sel(operation="rpc-access")
    assert bool(calls.sel(operations="read").isnull().all())
    assert bool((calls.sel(operations="write") == 5).all())


def test_the_table_of_what_crossed_is_read_as_it_is(campaign, tmp_path):
    (tmp_path / "reached.csv").write_text("study,reached\nquick,storage\n")
    assert ClaimContext(campaign, tmp_path).reached.equals(pd.DataFrame({"study": ["quick"], "reached": ["storage"]}))
