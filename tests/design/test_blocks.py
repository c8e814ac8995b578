"""Trials come in rounds, shuffled by the seed alone; a level that is slow to change changes rarely."""

import itertools
import random

from drafts import expand, make_site, make_study, sweep
from hypothesis import given, settings
from hypothesis import strategies as st

from coldcache.design.blocks import arrange_blocks
from coldcache.design.study import Sentinel


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


def watched(**sweeps):
    study = make_study(3, probe=sweep(), **sweeps)
    return study.model_copy(update={"sentinel": Sentinel(sweep="probe", every=4)})


def in_rounds(study):
    cases = expand(study, order="rounds")
    return cases, arrange_blocks(cases, 1, "rounds")


def test_each_round_visits_every_case_of_every_sweep_before_the_next_one_begins():
    grid = {"threads": [1, 2, 4, 8, 16, 32]}
    cases, blocks = in_rounds(make_study(4, a=sweep(**grid), b=sweep(**grid), c=sweep(["read"], **grid)))
    assert [block.round for block in blocks] == [1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4]
    orders = set()
    for number in range(4):
        own = blocks[3 * number : 3 * number + 3]
        trials = [trial for block in own for trial in block.trials]
        assert {trial.repetition for trial in trials} == {number}
        assert sorted(trial.case.key for trial in trials) == sorted(case.key for case in cases)
        orders.add(tuple(block.name for block in own))
    assert orders <= set(itertools.permutations(["s.a", "s.b", "s.c"]))
    assert len(orders) > 1
    random.seed(1)
    assert in_rounds(make_study(4, a=sweep(**grid), b=sweep(**grid), c=sweep(["read"], **grid)))[1] == blocks


def test_a_campaign_of_one_sweep_has_one_block_with_all_rounds():
    _, (block,) = in_rounds(make_study(3, a=sweep(threads=[1, 2])))
    assert (block.name, block.round) == ("s.a", 0)
    assert [trial.repetition for trial in block.trials] == [0, 0, 1, 1, 2, 2]


def test_operations_of_as_many_threads_run_one_after_the_other_and_reads_after_writes_that_leave_their_files():
    _, blocks = in_rounds(make_study(9, a=sweep(["write", "read"], threads=[1, 2, 4]), b=sweep()))
    pairs = [block.trials[start : start + 2] for block in blocks if block.name == "s.a" for start in (0, 2, 4)]
    assert all(one.case.factors["threads"] == other.case.factors["threads"] for one, other in pairs)
    assert {(one.case.operations, other.case.operations) for one, other in pairs} == {(("write",), ("read",))}


def test_cases_of_the_same_files_run_one_after_the_other_so_that_each_are_laid_out_once_a_round():
    sizes = {"transfer_size": ["4 KiB", "64 KiB", "1 MiB"], "file_size": {"aggregate": "64 MiB"}}
    _, blocks = in_rounds(make_study(6, a=sweep(["write", "read"], threads=[1, 2, 4], **sizes), b=sweep()))
    drawn = set()
    for block in (block for block in blocks if block.name == "s.a"):
        threads = [trial.case.factors["threads"] for trial in block.trials]
        assert [len(list(group)) for _, group in itertools.groupby(threads)] == [6, 6, 6]
        drawn.add(tuple(threads))
        operations = [trial.case.operations[0] for trial in block.trials]
        assert operations == ["write", "read"] * 9
    assert len(drawn) > 1


def largest_distance(trials, factor, alike=("operation",)):
    """Return how many trials lie at most between two that differ in one factor alone."""
    places = {}
    for place, trial in enumerate(trials):
        levels = {"operation": trial.case.operations, **trial.case.factors}
        places.setdefault(
            (trial.repetition, *sorted((name, str(level)) for name, level in levels.items() if name != factor)), []
        ).append(place)
    return max(max(found) - min(found) for found in places.values() if len(found) > 1)


def test_levels_of_settings_run_side_by_side_names_and_numbers_alike():
    how = {"kind": "commands", "apply": ["set", "{level}"], "verify": ["show"]}
    put = {"settings": {"stripe_count": how, "mdts": how}}
    grid = sweep(["write", "read"], threads=[1, 2, 4, 8], stripe_count=[1, 2, 4], mdts=[1, 2], more=put)
    _, blocks = in_rounds(make_study(4, a=grid, b=sweep()))
    trials = [trial for block in blocks if block.name == "s.a" for trial in block.trials]
    # Six combinations of both, of one operation and as many threads.
    assert largest_distance(trials, "stripe_count") <= 5
    assert largest_distance(trials, "mdts") <= 5
    assert largest_distance(trials, "operation") <= 11


def test_two_layouts_of_two_sweeps_run_side_by_side():
    size = {"file_size": {"aggregate": "64 MiB"}}
    many = sweep(["write", "read"], threads=[1, 4, 16, 64], file_layout=["file-per-thread"], **size)
    one = sweep(["write", "read"], threads=[1, 64], file_layout=["shared-file"], **size)
    cases, blocks = in_rounds(make_study(6, many=many, one=one, other=sweep(["random-read"], threads=[1, 2], **size)))
    trials = [trial for block in blocks for trial in block.trials if block.name != "s.other"]
    assert largest_distance(trials, "file_layout") == 1
    assert {block.name for block in blocks} == {"s.many", "s.one", "s.other"}
    for number in range(1, 7):
        own = [trial for block in blocks if block.round == number for trial in block.trials]
        assert sorted(trial.case.key for trial in own) == sorted(case.key for case in cases)


def test_sweeps_of_other_tools_operations_or_factors_are_no_companions():
    many = sweep(["write"], threads=[1, 2], file_layout=["file-per-thread"])
    one = sweep(["write", "read"], threads=[1, 2], file_layout=["shared-file"])
    _, blocks = in_rounds(make_study(3, many=many, one=one))
    assert [len(block.trials) for block in blocks if block.name == "s.one"] == [4, 4, 4]


def test_settings_that_are_compared_run_one_after_the_other():
    how = {"kind": "commands", "apply": ["set", "{level}"], "verify": ["show"]}
    grid = sweep(threads=[1, 2, 4], write_cache=["on", "off"], more={"settings": {"write_cache": how}})
    _, blocks = in_rounds(make_study(3, a=grid, b=sweep()))
    for block in (block for block in blocks if block.name == "s.a"):
        for start in (0, 2, 4):
            one, other = (trial.case.factors for trial in block.trials[start : start + 2])
            assert (one["threads"], {one["write_cache"], other["write_cache"]}) == (other["threads"], {"on", "off"})


def test_removals_come_last_as_what_they_free_changes_how_fast_files_are_created():
    names = ["file-create", "file-stat", "file-remove"]
    _, blocks = in_rounds(make_study(5, a=sweep(names, threads=[1, 2, 4]), b=sweep()))
    for block in (block for block in blocks if block.name == "s.a"):
        removes = [trial.case.operations == ("file-remove",) for trial in block.trials]
        assert removes == [False] * 6 + [True] * 3


def test_a_sentinel_begins_each_part_runs_between_its_trials_and_ends_the_last_round():
    study = watched(a=sweep(threads=[1, 2, 4, 8, 16]), b=sweep(threads=[1, 2, 4]))
    cases, blocks = in_rounds(study)
    fixed = [block for block in blocks if block.round <= 3]
    for block in fixed:
        begins = [bool(trial.case.sentinel_every) for trial in block.trials[:6]]
        assert begins == ([True, *[False] * 4, True] if block.name == "s.a" else begins)
        assert begins[0]
    trials = [trial for block in fixed for trial in block.trials]
    assert trials[-1].case.sentinel_every
    watch = [trial for trial in trials if trial.case.sentinel_every]
    # Two in the part of five trials and one in that of three, in each of three rounds, and the last one.
    assert [trial.repetition for trial in watch] == list(range(10))
    sentinel = next(case for case in cases if case.sentinel_every)
    assert (sentinel.repetitions, sentinel.repeats) == (10, 2 * 4)
    assert {block.name for block in blocks} == {"s.a", "s.b"}


def test_rounds_may_be_measured_again_at_the_end_with_a_sentinel_of_their_own():
    cases, blocks = in_rounds(watched(a=sweep(threads=[1, 2]), b=sweep(more={"repetitions": 2})))
    assert {case.sweep: case.most for case in cases} == {"a": 5, "b": 4, "probe": 7 - 1 + 2 * 3}
    found = {block.round: [] for block in blocks}
    for block in blocks:
        found[block.round] += [(trial.case.sweep, trial.repetition) for trial in block.trials]
    for number in (4, 5):
        own = [one for one in found[number] if one[0] != "probe"]
        # Of both sweeps the first trial beyond their own.
        assert sorted(own) == [("a", number - 1), ("a", number - 1), ("b", number - 2)]
        assert [name for name, _ in found[number]].count("probe") == 3
        assert found[number][0][0] == found[number][-1][0] == "probe"


def test_rounds_of_a_stop_rule_have_no_sentinel():
    until = {"repetitions": 5, "repeat_until": {"relative_width": 0.1, "most": 8}}
    study = watched(a=sweep(more=until), b=sweep())
    study = study.model_copy(update={"sentinel": study.sentinel.model_copy(update={"repeats": 0})})
    _, blocks = in_rounds(study)
    found = {block.round: [trial.case.sweep for trial in block.trials] for block in blocks if block.round > 3}
    assert found == {
        4: ["probe", "a"], 5: ["probe", "a", "probe"], 6: ["a"], 7: ["a"], 8: ["a"],
    }  # fmt: skip
