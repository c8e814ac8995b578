"""What one shared file costs is told by pairs."""

from dataclasses import replace

import pytest

from coldcache.analysis.questions.select import choose
from coldcache.analysis.sentences import compare_layouts, describe_meaning, layout_ratios, pair_layouts
from coldcache.analysis.tables import Table
from coldcache.statistics.dependence import Rounds


@pytest.fixture
def layouts(dell):
    """Return the estimates of one shared file and of one file per thread, as if both were measured alike."""
    found = [
        choose(dell, "dell-lustre", "throughput", ["write", "read"], layout, over="threads").found[0]
        for layout in ("shared-file", "file-per-thread")
    ]
    return [replace(one, cube=one.cube.assign_attrs(tool="fio", direct_io="false")) for one in found]


def test_one_file_is_told_against_many(layouts):
    one, many = layouts
    assert compare_layouts(one, many) == ("Sharing one file: no measurable difference to reads and writes.")


def test_pairs_enough_without_an_interval_are_no_difference(layouts):
    runs = [one.runs.assign_attrs(rounds=Rounds(0.8, 0.8, modes=True)) for one in layouts]
    refused = [replace(one, cube=one.cube.assign(throughput=run)) for one, run in zip(layouts, runs, strict=True)]
    why = "5 pairs each; no interval: runs of two modes that resemble those before them need 10"
    assert compare_layouts(*refused) == (
        f"Medians of one shared file over those of one file per thread: reads 1 times ({why}), writes 1 times ({why}); "
        "too few to compare."
    )


def test_different_tools_and_definitions_have_no_ratio(layouts):
    one, many = layouts
    assert layout_ratios(one, many, "write")
    other = replace(many, cube=many.cube.assign_attrs(tool="iozone"))
    one = replace(one, cube=one.cube.assign(throughput=one.runs.assign_attrs(definition="parent")))
    summed = many.runs.assign_attrs(definition="sum of the processes' own rates")
    for two, why in (
        (other, "fio measured the former, iozone the latter"),
        (replace(many, cube=many.cube.assign(throughput=summed)),
         "the former is defined as parent, the latter as sum of the processes' own rates"),
    ):  # fmt: skip
        assert layout_ratios(one, two, "write") == []
        assert compare_layouts(one, two) == f"One shared file and one file per thread are not compared: {why}."
        table = Table.of_layouts(one, two, "Ratios")
        assert table.numbers.empty and table.caption == f"Ratios: not compared, {why}"


@pytest.mark.parametrize(
    ("levels", "why"),
    [
        ({"transfer_size": 4096}, "transfer size 1 MiB in the former, 4 KiB in the latter"),
        ({"transfer_size": 4096, "direct_io": "true"},
         "transfer size 1 MiB in the former, 4 KiB in the latter; direct I/O no in the former, yes in the latter"),
        ({"fsync": "1"}, "fsync 0 in the former, 1 in the latter"),
    ],
)  # fmt: skip
def test_cases_that_differ_in_more_than_the_layout_have_no_ratio(layouts, levels, why):
    one, many = (replace(each, cube=each.cube.assign_attrs(fsync="0")) for each in layouts)
    other = replace(many, cube=many.cube.assign_attrs(levels))
    assert layout_ratios(one, many, "write") and layout_ratios(one, other, "write") == []
    assert compare_layouts(one, other) == f"One shared file and one file per thread are not compared: {why}."


def test_the_size_of_a_file_follows_from_the_layout_and_a_level_that_one_side_alone_states_is_no_difference(layouts):
    sizes = ({"file_size": 64 * 2**20}, {"file_size": 2**20, "queue_depth": 8})
    one, many = (
        replace(each, cube=each.cube.assign_attrs(size)) for each, size in zip(layouts, sizes, strict=True)
    )  # fmt: skip
    assert compare_layouts(one, many) == "Sharing one file: no measurable difference to reads and writes."


def test_a_shared_file_is_paired_with_the_sweep_that_was_measured_alike(layouts):
    one, many = layouts
    far, foreign = (
        replace(many, cube=many.cube.assign_attrs(levels)) for levels in ({"transfer_size": 4096}, {"tool": "ior"})
    )  # fmt: skip
    ((_, found),) = pair_layouts([one], [far, foreign, many])
    assert found is many
    ((_, found),) = pair_layouts([one], [far, foreign])
    assert found is far
    odd = replace(one, cube=one.cube.assign_attrs(transfer_size=8192))
    first, last = pair_layouts([odd, one], [far, many])
    assert first[0] is one and first[1] is many and last[0] is odd and last[1] is far
    assert pair_layouts([one], []) == pair_layouts([], [many]) == []
    assert describe_meaning([far, many, odd, one])[1] == compare_layouts(one, many)


def test_the_sweep_that_a_study_made_for_the_comparison_is_the_one_compared(invent):
    path = invent("pixstor-nvme")
    shared, own = (
        choose(path, "pixstor-nvme", "throughput", ["write", "read"], layout, over="threads")
        for layout in ("shared-file", "file-per-thread")
    )
    assert own.found[0].question.sweep == "sequential"
    ((one, many),) = pair_layouts(shared, own)
    assert (one.question.sweep, many.question.sweep) == ("shared-file", "file-per-rank")
