"""Levels of a setting side by side: rounds are joined, medians have intervals."""

from dataclasses import replace

import numpy as np
import pytest
import seaborn as sns
from canvas import find_outside, find_overlaps

from coldcache.analysis.estimates import median_interval
from coldcache.analysis.figures.pairs import draw_pairs, open_pairs, tabulate_rounds
from coldcache.analysis.figures.style import house_style


@pytest.fixture
def cached(sweep):
    """Return the sweep with three levels of a write cache in place of threads."""
    cube = sweep.cube.rename(threads="write_cache").assign_coords(write_cache=["unsafe", "writeback", "writethrough"])
    return replace(sweep, cube=cube, cells=median_interval(cube.throughput))


def test_levels_begin_with_the_reference_and_runs_of_a_round_are_joined(cached):
    with house_style():
        figure, panels = open_pairs(cached, "write_cache")
        assert list(panels) == [("write",), ("read",)]
        for place, axes in panels.items():
            sns.lineplot(
                tabulate_rounds(cached, "write_cache", place), x="x", y="run", units="round", estimator=None, ax=axes
            )
            draw_pairs(axes, cached, "write_cache", place)
        axes = panels["read",]
        named = [label.get_text() for label in axes.get_xticklabels()]
        assert named == ["off\n(writethrough)", "on\n(writeback)", "on,\nflushes ignored\n(unsafe)"]
        joined = [line.get_ydata().tolist() for line in axes.lines if len(line.get_xdata()) == 3]
        assert joined == [[390e6, 180e6, 90e6], [400e6, 200e6, 100e6], [410e6, 260e6, 130e6]] + 2 * [
            [400e6, 200e6, 100e6]
        ]
        assert axes.get_title("left") == "read" and axes.get_ylim()[0] == 0
        assert find_overlaps(figure) == [] and find_outside(figure) == []


def test_a_median_says_its_interval_and_leads_to_its_case(cached):
    with house_style():
        _, panels = open_pairs(cached, "write_cache")
        draw_pairs(panels["read",], cached, "write_cache", ("read",))
        said = [spots.get_urls()[0] for spots in panels["read",].collections if spots.get_urls()[0]]
    assert "read, write cache writethrough: 400 MB/s (93.8 %: 390 to 410 MB/s), 5 runs" in said[0]
    assert np.isclose(panels["read",].get_xlim(), (-0.4, 2.4)).all()
