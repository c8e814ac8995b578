"""Small figures: the quantity is above the axes, values start at zero, and cases have rows."""

import matplotlib.pyplot as plt
import pytest
import seaborn as sns

from coldcache.analysis import figures as fig
from coldcache.analysis.figures.style import house_style


@pytest.fixture(autouse=True)
def small():
    with house_style():
        fig.set_house_style(is_small=True)
        yield
        plt.close("all")


def test_lines_have_their_quantity_above_and_start_at_zero(sweep):
    roles = fig.assign_roles(sweep.cells)
    figure, axes = fig.open_small()
    sns.lineplot(
        sweep.cells.to_dataframe(), x="threads", y="estimate", ax=axes, **fig.lines_by(sweep.cells, "operation")
    )
    fig.set_small(axes, sweep, sweep.cells, roles)
    assert figure.get_size_inches().tolist() == [2.9, 2.1]
    assert (axes.get_title(loc="left"), axes.get_ylabel(), axes.get_ylim()[0]) == ("throughput, MB/s", "", 0)
    assert {text.get_text() for text in axes.texts} == {"read", "write"}
    assert len(axes.get_yticks()) <= 6


def test_cases_have_a_row_each_from_the_top(sweep):
    cells = sweep.cells.sel(operation=["read"], threads=[1, 4])
    rows = fig.list_cases(cells, "threads")
    _, axes = fig.open_small(rows)
    axes.errorbar(rows.estimate, rows.row, xerr=[rows.estimate - rows.low, rows.high - rows.estimate], fmt="o")
    fig.set_small(axes, sweep, cells, fig.assign_roles(cells)._replace(x=""))
    assert [label.get_text() for label in axes.get_yticklabels()] == rows.case.tolist()
    assert axes.get_ylim() == (1.5, -0.5)
    assert (axes.get_title(loc="left"), axes.get_xlabel(), axes.get_xlim()[0]) == ("throughput, MB/s", "", 0)
