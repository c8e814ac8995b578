"""What one shared file costs is told by pairs."""

from dataclasses import replace

import pytest

from coldcache.analysis.questions.select import choose
from coldcache.analysis.sentences import compare_layouts, layout_ratios
from coldcache.analysis.tables import Table
from coldcache.statistics.dependence import Rounds


@pytest.fixture
def layouts(dell):
    """Return the estimates of one shared file and of one file per thread, as if one tool had measured both."""
    found = [
        choose(dell, "dell-lustre", "throughput", ["write", "read"], layout, over="threads").found[0]
        for layout in ("shared-file", "file-per-thread")
    ]
    return [replace(one, cube=one.cube.assign_attrs(tool="fio")) for one in found]


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
