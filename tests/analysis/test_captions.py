"""Captions count what was measured: trials by verdict, cold reads, and figures that memory served."""

import pytest
import xarray as xr

from coldcache.analysis.captions import NOT_PROVED, describe_marks, describe_reached, describe_room, describe_trials


def test_reads_that_are_not_proved_cold_are_counted_in_the_caption(sweep):
    for repetition, cold in enumerate(("warm", "mixed", "unproved")):
        sweep.cube.cold.loc[{"operation": "read", "threads": 1, "repetition": repetition}] = cold
    sweep.cube.cold.loc[{"operation": "write"}] = "not applicable"
    assert "Reads: 12 cold, 1 warm, 1 mixed, 1 unproved. Diamonds: reads that are not proved cold." in sweep.caption()
    assert NOT_PROVED == ("warm", "mixed", "unproved")
    sweep.cube.cold[:] = "not applicable"
    assert "Reads" not in sweep.caption()


@pytest.mark.parametrize(("counts", "said"), [
    ([1, 1], "Points: single trials; one repetition has no interval."),
    ([0, 3], "Points: median of 3 repetitions, too few for an interval; dots: single trials."),
    ([5, 6], "Points: median of 5 to 6 repetitions; bands and bars: its 95 % interval, 93.8 % of 5; dots: "
     "single trials."),
])  # fmt: skip
def test_marks_are_explained_by_the_repetitions_that_count(counts, said):
    assert describe_marks(xr.DataArray(counts)) == said


def test_marks_of_trials_are_explained_only_where_they_are_drawn(sweep):
    assert describe_marks(xr.DataArray([0, 3]), has_runs=False).endswith("3 repetitions, too few for an interval.")
    sweep.cube.verdict.loc[{"operation": "read", "threads": 1, "repetition": 0}] = "suspect"
    assert "dots: single trials" in sweep.caption() and "Hollow dots" in sweep.caption()
    without = sweep.caption(has_runs=False)
    assert "single trials" not in without and "Hollow" not in without and "1 suspect" in without


def test_intervals_that_go_beyond_a_figure_are_counted(sweep):
    assert describe_room(sweep.cells) == []
    cells = sweep.cells.copy(deep=True)
    cells["high"].loc[{"operation": "read", "threads": 4}] = 3.01 * float(cells.estimate.max())
    assert describe_room(cells) == ["1 interval goes beyond the figure; the table has all ends."]
    cells["high"][:] = 3.01 * float(cells.estimate.max())
    assert describe_room(cells) == ["6 intervals go beyond the figure; the table has all ends."]


def test_trials_are_counted_by_verdict(sweep):
    sweep.cube.verdict.loc[{"operation": "read", "threads": 1, "repetition": [0, 2]}] = "void"
    assert describe_trials(sweep.cube) == ["Trials: 28 valid, 2 void.", "Reads: 30 cold."]


def test_a_trial_of_several_operations_is_counted_once(sweep):
    case = sweep.cube.case.copy(data=[[[f"threads={count}"] * 5 for count in (1, 2, 4)]] * 2)
    cube = sweep.cube.assign(case=case)
    cube.verdict.loc[{"threads": 1, "repetition": [0, 2]}] = "suspect"
    assert describe_trials(cube, has_marks=False) == ["Trials: 13 valid, 2 suspect.", "Reads: 30 cold."]


def test_figures_that_memory_served_are_counted_unless_their_trial_is_void(sweep):
    assert describe_reached(sweep.cube, "throughput") == []
    reached = xr.full_like(sweep.cube.verdict, "storage")
    reached.loc[{"operation": "read", "threads": 1}] = "memory"
    cube = sweep.cube.assign(reached=reached)
    said = "In memory, without reaching the storage: {} of {} figures (read), drawn as diamonds."
    assert describe_reached(cube, "throughput") == [said.format(5, 30)]
    cube.verdict.loc[{"operation": "read", "threads": 1, "repetition": 0}] = "void"
    assert describe_reached(cube, "throughput") == [said.format(4, 29)]
