"""Trials come in rounds, shuffled by the seed alone; a level that is slow to change changes rarely."""

import random

from drafts import expand, make_site, make_study, sweep
from hypothesis import given, settings
from hypothesis import strategies as st

from coldcache.design.blocks import arrange_blocks


def test_a_repetition_count_of_a_sweep_goes_before_that_of_the_study():
    study = make_study(2, a=sweep(), b=sweep(more={"repetitions": 7}))
    blocks = arrange_blocks(expand(study), 1)
    assert [(block.name, len(block.trials)) for block in blocks] == [("s.a", 2), ("s.b", 7)]


@given(
    st.integers(0, 2**32 - 1),
    st.lists(st.integers(1, 64), min_size=1, max_size=6, unique=True),
    st.integers(1, 6),
)
@settings(deadline=None, max_examples=40)
def test_each_round_holds_each_case_once_in_an_order_that_the_seed_alone_decides(seed, threads, repetitions):
    study = make_study(repetitions, a=sweep(["file-create", "file-stat"], threads=threads))
    cases = expand(study)
    (block,) = arrange_blocks(cases, seed)
    rounds = [block.trials[start : start + len(cases)] for start in range(0, len(block.trials), len(cases))]
    assert len(rounds) == repetitions
    for number, turn in enumerate(rounds):
        assert sorted(trial.case.key for trial in turn) == sorted(case.key for case in cases)
        assert {trial.repetition for trial in turn} == {number}
    random.seed(1)
    assert arrange_blocks(expand(study), seed) == [block]


def test_rounds_and_seeds_shuffle_differently():
    study = make_study(4, a=sweep(threads=list(range(1, 9))), b=sweep(threads=list(range(1, 9))))
    cases = expand(study, make_site(bytes="1 GiB"))

    def orders(seed):
        return {
            tuple(trial.case.name for trial in block.trials[start : start + 8])
            for block in arrange_blocks(cases, seed)
            for start in range(0, 32, 8)
        }

    assert len(orders(1)) == 8
    assert not orders(1) & orders(2)


def test_what_is_slow_to_change_changes_once_per_level_and_round():
    how = {"kind": "commands", "apply": ["set", "{level}"], "verify": ["show"], "slow": True}
    grid = sweep(threads=[1, 2, 4, 8], write_cache=["on", "off"], more={"settings": {"write_cache": how}})
    (block,) = arrange_blocks(expand(make_study(a=grid, repetitions=6)), 7)
    firsts = set()
    for start in range(0, 48, 8):
        levels = [trial.case.factors["write_cache"] for trial in block.trials[start : start + 8]]
        assert levels in (["on"] * 4 + ["off"] * 4, ["off"] * 4 + ["on"] * 4)
        firsts.add(levels[0])
    assert firsts == {"on", "off"}
