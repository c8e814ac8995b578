"""Files and directories at full scale, and rates by files per directory."""

from dataclasses import replace

import pytest

from coldcache.analysis.questions.directories import (
    compare_directories,
    describe_directories,
    join_directories,
    tabulate_design,
)
from coldcache.analysis.questions.select import choose
from coldcache.core.errors import NoData

METADATA = ["file-create", "file-stat", "file-remove"]


def test_files_at_full_scale_are_those_of_the_documents_table_3(invent):
    dell = tabulate_design(invent("dell-lustre"), "dell-lustre")["files"].set_index("threads (1)")
    assert dell["directories per thread (1)"].to_dict() == {
        1: 320, 2: 160, 4: 80, 8: 40, 12: 27, 16: 20, 24: 14, 32: 10, 48: 7, 64: 5, 72: 5, 96: 4, 120: 3, 128: 3,
        144: 3, 168: 2, 192: 2, 216: 2, 240: 2,
    }  # fmt: skip
    assert dell["files (1)"][240] == 1_500_000
    pixstor = tabulate_design(invent("pixstor-nvme"), "pixstor-nvme")["metadata"]
    assert set(pixstor["files (1)"]) == {2**21}


def test_rates_are_compared_by_files_per_directory(invent):
    choice = choose(invent("dell-lustre"), "dell-lustre", "rate", METADATA, item="files per directory")
    table = compare_directories(choice)
    assert sorted(set(table["files per directory (1)"])) == [624, 3125]
    assert set(table["threads (1)"]) == {64}
    told = describe_directories(choice)
    assert told.startswith("For the same number of threads: ")
    assert "with 3,125 files per directory, " in told and "with 624 files per directory" in told


def test_one_layout_alone_is_compared_with_nothing(invent):
    choice = choose(
        invent("dell-lustre", "few-directories"), "dell-lustre", "rate", METADATA, item="files per directory"
    )
    assert describe_directories(choice) == "Each directory holds 3,125 files: there is nothing to compare it with."


def test_runs_are_joined_over_the_files_per_directory_that_each_sweep_fixes(invent):
    choice = choose(invent("dell-lustre"), "dell-lustre", "rate", METADATA, item="files per directory")
    runs = join_directories(choice)
    assert runs.dims == ("operation", "items_per_directory", "repetition")
    assert runs.items_per_directory.values.tolist() == [624, 3125]
    for sweep in choice:
        files = int(sweep.cube.attrs["items_per_directory"])
        for operation in METADATA:
            own = sweep.runs.sel(operation=operation).values.ravel()
            assert runs.sel(operation=operation, items_per_directory=files).values.tolist() == own.tolist()


def test_runs_of_one_operation_and_one_repetition_are_joined(invent):
    choice = choose(invent("dell-lustre"), "dell-lustre", "rate", METADATA, item="files per directory")
    choice.found = [replace(found, cube=found.cube.isel(operation=[0], repetition=[0])) for found in choice.found]
    runs = join_directories(choice)
    assert runs.sizes == {"operation": 1, "items_per_directory": 2, "repetition": 1}
    assert sorted(runs.values.ravel()) == sorted(float(found.runs.squeeze()) for found in choice)


def test_nothing_is_joined_where_nothing_was_measured(invent):
    choice = choose(invent("dell-lustre", "random"), "dell-lustre", "rate", METADATA, item="files per directory")
    with pytest.raises(NoData, match="no sweep on files per directory was measured"):
        join_directories(choice)
