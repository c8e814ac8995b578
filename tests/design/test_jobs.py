"""Blocks become jobs: parted by their nodes, split where they outlast the longest job, merged while they are short."""

import itertools

import pytest

from coldcache.core.errors import DesignError
from coldcache.design.blocks import Block
from coldcache.design.cases import Case, Trial
from coldcache.design.jobs import (
    arrange_allocations,
    fill_allocations,
    find_allocation,
    node_hours,
    refuse_hours,
    walltime,
)
from coldcache.design.site import Clients, Limits, Site
from coldcache.tools.run import Run


def block(name, seconds, nodes=(1,), trials=1, round=0):
    """Return a block of as many rounds as `trials`, or of one, each of one case per number of nodes."""
    cases = [
        Case("s", name, f"nodes={count}", "fio", ("write",), {"nodes": count} if len(nodes) > 1 else {}, {},
             Run(("write",), "/t", 4, nodes=count, seconds=seconds - 0.4), trials, "")
        for count in nodes
    ]  # fmt: skip
    return Block(f"s.{name}", tuple(Trial(case, number) for number in range(trials) for case in cases), round)


def site(**limits):
    clients = Clients(nodes=4, cores=4, launcher="srun")
    return Site(site="x", title="X", targets={"t": {"path": "/t"}}, clients=clients, limits=Limits(**limits))


def test_without_limits_each_block_is_one_job():
    blocks = [block("a", 60), block("b", 60)]
    jobs = arrange_allocations(blocks, site())
    assert [(job.name, job.nodes, job.blocks) for job in jobs] == [("s.a", 1, (blocks[0],)), ("s.b", 1, (blocks[1],))]


def test_a_job_has_the_nodes_that_its_cases_name():
    jobs = arrange_allocations([block("a", 60, nodes=(1, 4, 2), trials=3)], site())
    assert [(job.name, job.nodes, len(job.blocks[0].trials)) for job in jobs] == [
        ("s.a.n1", 1, 3), ("s.a.n4", 4, 3), ("s.a.n2", 2, 3),
    ]  # fmt: skip


def test_a_block_that_outlasts_the_longest_job_is_split_in_the_order_of_its_trials():
    # 3 times 500 s and 300 s beside them fit into 30 min, 3 times 600 s do not.
    whole = block("a", 100, trials=12)
    limits = site(walltime="30 min")
    jobs = arrange_allocations([whole], limits)
    assert [(job.name, len(job.blocks[0].trials)) for job in jobs] == [("s.a.1", 5), ("s.a.2", 5), ("s.a.3", 2)]
    assert tuple(itertools.chain.from_iterable(job.blocks[0].trials for job in jobs)) == whole.trials
    assert all(walltime(job, limits.limits) <= 1800 for job in jobs)
    with pytest.raises(DesignError) as refused:
        arrange_allocations([whole], site(walltime="9 min"))
    assert str(refused.value) == (
        "limits.walltime: a trial of s/a/nodes=1 takes about 1 min 40 s, a job of 9 min 00 s holds no more than "
        "1 min 20 s of trials: raise it, or lower limits.margin"
    )


def test_short_blocks_of_as_many_nodes_share_a_job_up_to_the_stated_length():
    blocks = [block("a", 60), block("b", 60), block("c", 60), block("d", 60, nodes=(2,)), block("e", 60)]
    jobs = arrange_allocations(blocks, site(merged="3 min"))
    assert [(job.name, [one.name for one in job.blocks]) for job in jobs] == [
        ("s.a.and-2-more", ["s.a", "s.b", "s.c"]), ("s.d", ["s.d"]), ("s.e", ["s.e"]),
    ]  # fmt: skip


def test_a_plan_that_takes_too_many_node_hours_is_refused():
    jobs = arrange_allocations([block("a", 1800, nodes=(4,)), block("b", 3600)], site())
    assert node_hours(jobs) == pytest.approx(3)
    refuse_hours(jobs, site(max_node_hours=3))
    with pytest.raises(DesignError) as refused:
        refuse_hours(jobs, site(max_node_hours=2.5))
    assert str(refused.value) == (
        "config/sites/x.yaml, limits.max_node_hours: the plan takes 3 node-hours, 2.5 are allowed; lower repetitions "
        "or levels, or raise it"
    )


def rounds(count, **how):
    return [block(name, 60, round=number + 1, **how) for number in range(count) for name in "ab"]


def describe(jobs):
    return [(job.name, job.nodes, [(one.name, one.round) for one in job.blocks]) for job in jobs]


def test_on_this_machine_one_job_has_all_rounds():
    here = Site(site="x", title="X", targets={"t": {"path": "/t"}})
    (job,) = arrange_allocations(rounds(10), here)
    assert (job.name, [one.round for one in job.blocks]) == ("rounds-01-to-10", sorted([*range(1, 11)] * 2))


def test_a_scheduler_gets_one_job_per_round_and_number_of_nodes():
    assert describe(arrange_allocations(rounds(2), site())) == [
        ("round-1", 1, [("s.a", 1), ("s.b", 1)]), ("round-2", 1, [("s.a", 2), ("s.b", 2)]),
    ]  # fmt: skip
    assert describe(arrange_allocations(rounds(2, nodes=(1, 4)), site())) == [
        ("round-1.n1", 1, [("s.a", 1), ("s.b", 1)]), ("round-1.n4", 4, [("s.a", 1), ("s.b", 1)]),
        ("round-2.n1", 1, [("s.a", 2), ("s.b", 2)]), ("round-2.n4", 4, [("s.a", 2), ("s.b", 2)]),
    ]  # fmt: skip


def test_short_rounds_share_a_job_up_to_the_stated_length():
    jobs = describe(arrange_allocations(rounds(5), site(merged="5 min")))
    assert [name for name, _, _ in jobs] == ["rounds-1-to-2", "rounds-3-to-4", "round-5"]


def test_a_round_that_outlasts_the_longest_job_is_split_in_the_order_of_its_trials():
    # 300 s beside the trials and three times as long: 100 s of trials fit into ten minutes.
    jobs = arrange_allocations(rounds(2), site(walltime="10 min"))
    assert [name for name, _, _ in describe(jobs)] == ["round-1.1", "round-1.2", "round-2.1", "round-2.2"]
    assert all(walltime(job, Limits(walltime="10 min")) <= 600 for job in jobs)


def test_a_sweep_is_named_for_its_part_of_every_round():
    blocks = rounds(3)
    jobs = arrange_allocations(blocks, site())
    found = find_allocation(jobs, blocks, "s.b")
    assert describe([found]) == [("s.b", 1, [("s.b", 1), ("s.b", 2), ("s.b", 3)])]
    assert find_allocation(jobs, blocks, "round-2").name == "round-2"
    assert find_allocation(jobs, blocks, "s.c") is None


def test_jobs_keep_their_trials_when_these_last_longer_and_are_in_another_order():
    limits = site(walltime="30 min", merged="5 min")
    short, longer = (
        [
            one._replace(trials=tuple(Trial(trial.case._replace(expected=seconds), one.round) for trial in one.trials))
            for one in rounds(4)
        ]
        for seconds in (60.0, 200.0)
    )
    longer.reverse()
    jobs = arrange_allocations(short, limits)
    assert describe(arrange_allocations(longer, limits)) != describe(jobs)
    filled = list(fill_allocations(jobs, longer))
    keys = [sorted((one.name, one.round) for one in job.blocks) for job in jobs]
    assert [sorted((one.name, one.round) for one in job.blocks) for job in filled] == keys
    assert [job.name for job in filled] == [job.name for job in jobs]
    assert {trial.case.expected for job in filled for one in job.blocks for trial in one.trials} == {200.0}


def test_a_job_of_rounds_that_a_stop_rule_decides_waits_for_those_before_it():
    extra = rounds(2)[2:]
    extra = [one._replace(trials=tuple(trial._replace(repetition=1) for trial in one.trials)) for one in extra]
    jobs = arrange_allocations([*rounds(1), *extra], site())
    assert [(job.name, job.is_conditional) for job in jobs] == [("round-1", False), ("round-2", True)]


def test_the_estimate_of_each_trial_is_read_once_however_many_blocks_there_are(monkeypatch):
    read, seconds_of = [], Case.seconds.fget
    monkeypatch.setattr(Case, "seconds", property(lambda case: read.append(case.name) or seconds_of(case)))
    blocks = [block(f"b{number}", 1, round=1 + number // 200) for number in range(400)]
    assert sum(len(job.blocks) for job in arrange_allocations(blocks, site(walltime="1 h"))) == 400
    assert len(read) == sum(len(one.trials) for one in blocks)
