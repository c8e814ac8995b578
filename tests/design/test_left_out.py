"""A sweep leaves out the cases that it names; what it names has to be there, and something has to be left."""

import pytest
from drafts import expand, make_site, make_study, sweep
from pydantic import ValidationError

from coldcache.core.errors import DesignError

OPERATIONS = ("file-create", "file-remove")


def files(*left_out, **factors):
    return make_study(a=sweep(OPERATIONS, more={"leave_out": list(left_out)}, **{"threads": [1, 16], **factors}))


def names(study, **more):
    return [case.name for case in expand(study, **more)]


def test_a_case_is_left_out_by_its_operation_and_level():
    assert names(files({"operation": "file-remove", "threads": 1})) == [
        "operation=file-create,threads=1", "operation=file-create,threads=16", "operation=file-remove,threads=16"
    ]  # fmt: skip


def test_what_is_not_named_may_have_any_level():
    assert names(files({"threads": 1})) == ["operation=file-create", "operation=file-remove"]
    assert names(files({"operation": "file-remove"})) == [
        "operation=file-create,threads=1", "operation=file-create,threads=16"
    ]  # fmt: skip


def test_levels_are_compared_in_their_stored_unit():
    left_out = [{"transfer_size": "1024 KiB", "threads": 2}, {"transfer_size": 4096, "threads": 1}]
    study = make_study(a=sweep(threads=[1, 2], transfer_size=["4 KiB", "1 MiB"], more={"leave_out": left_out}))
    assert names(study) == ["threads=1,transfer_size=1048576", "threads=2,transfer_size=4096"]


def test_a_tool_that_measures_several_operations_at_once_runs_them_all():
    study = make_study(
        a=sweep(OPERATIONS, ("mdtest",), {"leave_out": [{"operation": "file-remove", "threads": 1}]}, threads=[1, 2])
    )
    assert names(study, tool="mdtest") == ["threads=1", "threads=2"]


@pytest.mark.parametrize(
    ("group", "problem"),
    [
        ({}, "leave_out[0]: names no level, so it would leave out every case"),
        ({"operation": "file-stat"}, 'leave_out[0].operation: unknown "file-stat"'),
        ({"thread": 1}, 'leave_out[0]: unknown factor "thread"; did you mean "threads"?'),
        ({"threads": 2}, 'leave_out[0].threads: "2" is none of its levels, 1, 16'),
        ({"threads": "many"}, "leave_out[0].threads: "),
    ],
)
def test_what_the_sweep_does_not_have_is_refused(group, problem):
    with pytest.raises(ValidationError) as refused:
        files(group)
    assert problem in str(refused.value)


@pytest.mark.parametrize("possible", [True, False])
def test_direct_transfers_where_possible_are_left_out_as_they_would_run(possible):
    left_out = {"direct_io": "where-possible", "threads": 1}
    study = make_study(a=sweep(threads=[1, 2], direct_io=["where-possible"], more={"leave_out": [left_out]}))
    assert [case.factors["threads"] for case in expand(study, direct_io=possible)] == [2]


def test_a_sweep_of_no_case_is_refused():
    study = files({"threads": 1}, {"threads": 16})
    with pytest.raises(DesignError, match=r"sweeps\.a: leave_out: leaves no case of the sweep; let at least one run"):
        expand(study)


def test_a_sites_thread_counts_are_named_where_they_leave_nothing():
    study = files({"threads": 1}).model_copy(update={"scale": "site"})
    with pytest.raises(DesignError, match=r"none is in config/sites/x\.yaml, limits\.thread_counts\.s"):
        expand(study, make_site(thread_counts={"s": [1]}))
