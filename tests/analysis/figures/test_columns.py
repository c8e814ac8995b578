"""A column per operation: values from zero, a line per level of a setting."""

import seaborn as sns
import xarray as xr
from canvas import find_outside, find_overlaps

from coldcache.analysis.figures.columns import open_columns, set_columns
from coldcache.analysis.figures.style import house_style, lines_by


def test_values_start_at_zero_and_lines_are_named_once(sweep):
    cells = xr.concat([sweep.cells, sweep.cells * 1.5], xr.Variable("write_cache", ["writethrough", "writeback"]))
    with house_style():
        figure, panels = open_columns(sweep.operations())
        for operation, axes in panels.items():
            line = cells.sel(operation=operation)
            how = lines_by(line, "write_cache")
            sns.lineplot(line.to_dataframe(), x="threads", y="estimate", ax=axes, **how)
        set_columns(panels, cells, "write_cache", "B/s")
        assert list(panels) == ["read", "write"]
        assert all(axes.get_ylim()[0] == 0 for axes in panels.values())
        assert all(axes.get_xlabel() == "threads (log2)" for axes in panels.values())
        first, last = panels.values()
        assert (first.get_ylabel(), last.get_ylabel()) == ("throughput, MB/s", "")
        assert first.get_title(loc="left") == "read"
        assert {text.get_text() for text in last.texts} == {"off", "on"} and not first.texts
        assert find_overlaps(figure) == []
        assert find_outside(figure) == []
