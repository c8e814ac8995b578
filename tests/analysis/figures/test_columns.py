"""A column per operation: values from zero above, ratios with a line at 1 below."""

import seaborn as sns
import xarray as xr
from canvas import find_outside, find_overlaps

from coldcache.analysis.figures.columns import open_columns, set_columns
from coldcache.analysis.figures.style import house_style, lines_by


def test_values_start_at_zero_and_ratios_have_a_line_at_one(sweep):
    cells = xr.concat([sweep.cells, sweep.cells * 1.5], xr.Variable("write_cache", ["writethrough", "writeback"]))
    with house_style():
        figure, panels = open_columns(sweep.operations())
        for operation, (above, below) in panels.items():
            line = cells.sel(operation=operation)
            how = lines_by(line, "write_cache")
            sns.lineplot(line.to_dataframe(), x="threads", y="estimate", ax=above, **how)
            sns.lineplot((line / line.isel(write_cache=0)).to_dataframe(), x="threads", y="estimate", ax=below, **how)
        set_columns(panels, cells, "write_cache", "B/s")
        assert list(panels) == ["read", "write"]
        for above, below in panels.values():
            assert above.get_ylim()[0] == 0
            assert below.get_ylim()[0] <= 0.8 and below.get_ylim()[1] >= 1.2
            assert [1, 1] in [list(line.get_ydata()) for line in below.lines]
            assert below.get_xlabel() == "threads (log2)"
        first, last = panels.values()
        assert (first[0].get_ylabel(), last[0].get_ylabel()) == ("throughput, MB/s", "")
        assert first[0].get_title(loc="left") == "read"
        assert {text.get_text() for text in last[0].texts} == {"writethrough", "writeback"}
        assert find_overlaps(figure) == []
        assert find_outside(figure) == []
