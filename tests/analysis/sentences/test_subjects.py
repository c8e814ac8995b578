"""Operations, sweeps and levels as sentences name them."""

from dataclasses import replace

import numpy as np
import pytest

from coldcache.analysis.estimates import median_interval
from coldcache.analysis.question import Question
from coldcache.analysis.sentences import describe_growth
from coldcache.analysis.sentences.subjects import (
    PLURALS,
    capitalise,
    list_measured,
    list_varied,
    name_level,
    name_operation,
    title_with_scale,
)


def test_an_operation_is_named_in_the_plural(sweep):
    assert name_operation(sweep, "write") == "writes"


def test_an_operation_whose_work_stayed_in_memory_is_named_so(sweep):
    inside = sweep.cube.assign(reached=(sweep.cube.throughput.dims, np.full((2, 3, 5), "memory", dtype=object)))
    assert name_operation(replace(sweep, cube=inside), "read", {"threads": 1}) == "reads in memory"


def test_only_operations_with_an_estimate_are_listed_the_fastest_first(sweep):
    assert list_measured(sweep) == ["read", "write"]
    runs = sweep.runs.where(sweep.runs.operation == "write")
    assert list_measured(replace(sweep, cells=median_interval(runs))) == ["write"]


def test_operations_on_one_tree_are_listed_only_without_others(sweep):
    def rename(*names):
        cube = sweep.cube.assign_coords(operation=list(names))
        return replace(sweep, cube=cube, cells=median_interval(cube.throughput))

    assert list_measured(rename("file-create", "tree-create")) == ["file-create"]
    assert describe_growth(rename("file-create", "tree-remove")) == "Creations grow 1.47 times from 1 to 4 threads"
    assert list_measured(rename("tree-remove", "tree-create")) == ["tree-create", "tree-remove"]


def test_a_factor_of_one_level_is_not_varied(sweep):
    assert list_varied(sweep) == ["threads"]
    assert list_varied(replace(sweep, cells=sweep.cells.isel(threads=[0]))) == []


def test_the_scale_follows_the_title(sweep):
    assert title_with_scale(sweep) == "A sweep"
    scaled = replace(sweep, question=Question("s", "w", "A sweep", why="sizes divided by 10"))
    assert title_with_scale(scaled) == "A sweep (sizes divided by 10)"


def test_a_capital_letter_changes_the_first_alone():
    assert (capitalise("reads of NFS"), capitalise("")) == ("Reads of NFS", "")


@pytest.mark.parametrize(
    ("factor", "level", "words"),
    [("threads", 1, "1 thread"), ("threads", 4096, "4,096 threads"), ("transfer_size", 2**20, "transfer size 1 MiB")],
)
def test_levels_are_named_with_their_factor(factor, level, words):
    assert name_level(factor, level) == words


def test_operations_on_directories_say_so_beside_those_on_files(sweep):
    names = ["file-remove", "directory-remove"]
    cube = sweep.cube.assign_coords(operation=names)
    both = replace(sweep, cube=cube, cells=median_interval(cube.throughput))
    assert [name_operation(both, name) for name in names] == ["removals", "removals of directories"]
    assert PLURALS["find"] == "searches by find"
