"""Published values have a mark of their own where the scale allows, and the caption counts the others."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from coldcache.analysis.figures.cases import list_cases
from coldcache.analysis.figures.published import (
    draw_published,
    draw_published_rows,
    draw_stars,
    published_by_case,
)
from coldcache.analysis.questions.select import choose


@pytest.fixture
def published(invent):
    (found,) = choose(invent("pixstor-nvme"), "pixstor-nvme", "throughput", ["read", "write"], "shared-file", "threads")
    return found


def test_a_value_at_a_number_of_threads_is_a_star_and_others_are_ticks_at_the_right_edge(axes, published):
    note = draw_published(axes, published)
    stars = [line for line in axes.lines if line.get_marker() == "*"]
    assert {(line.get_xdata()[0], line.get_ydata()[0]) for line in stars} == {
        (value.threads, value.high) for value in published.published if value.threads
    }
    assert all(line.get_markerfacecolor() == "white" for line in stars)
    levels = {line.get_ydata()[0] for line in axes.lines if line.get_marker() != "*"}
    assert levels == {value.high for value in published.published if not value.threads}
    assert all(list(line.get_xdata()) == [0.95, 1] for line in axes.lines if line.get_marker() != "*")
    assert note == "Stars and ticks at the right edge: published values."


def test_a_value_beyond_the_scale_is_counted_in_the_caption(axes, published):
    value = published.published[0]
    note = draw_published(axes, replace(published, published=(value._replace(high=1e12, low=1e12),)))
    assert note == "1 published value beyond this scale: see the table."
    assert not axes.lines
    assert draw_published(axes, replace(published, published=())) is None


def test_a_logarithmic_axis_has_room_for_values_further_away(axes, published):
    far = replace(published, published=(published.published[0]._replace(high=2e12, low=2e12),))
    assert draw_published(axes, far, log=True) == "Stars and ticks at the right edge: published values."


def test_stars_are_hollow_and_skip_what_is_not_stated(axes):
    draw_stars(axes, [1.0, np.nan], [0, 1])
    (line,) = axes.lines
    assert (line.get_marker(), line.get_markerfacecolor(), line.get_linestyle()) == ("*", "white", "None")


def test_rows_find_the_values_of_their_levels(invent):
    (found, *_) = choose(invent("dell-lustre"), "dell-lustre", "throughput", ["read", "write"], by=["stripe_count"])
    rows = list_cases(found.cells, "stripe_count")
    values = published_by_case(found, rows, "stripe_count")
    stated = {(row.operation, row.stripe_count): value for row, value in zip(rows.itertuples(), values, strict=True)}
    assert stated["read", 8] == 1005e6
    assert np.isnan(stated["read", 2])


def test_a_value_at_a_number_of_threads_is_of_no_row_with_another(invent):
    (found, *_) = choose(invent("dell-lustre"), "dell-lustre", "throughput", ["read", "write"], by=["stripe_count"])
    (value,) = [one for one in found.published if (one.high, one.unit) == (1005e6, "B/s")]
    rows = pd.DataFrame({"operation": "read", "stripe_count": 8, "threads": [1, 24, 256]})
    at_24 = replace(found, published=(value._replace(threads=24),))
    assert published_by_case(at_24, rows, "stripe_count").isna().tolist() == [True, False, True]
    at_any = replace(found, published=(value._replace(threads=None),))
    assert published_by_case(at_any, rows, "stripe_count").tolist() == [1005e6] * 3
    assert published_by_case(at_24, rows.drop(columns="threads"), "stripe_count").tolist() == [1005e6] * 3


def test_a_star_of_a_row_that_would_press_the_measured_values_together_is_counted_in_the_caption(axes, invent):
    (found, *_) = choose(invent("dell-lustre"), "dell-lustre", "throughput", ["read", "write"], by=["stripe_count"])
    rows = list_cases(found.cells, "stripe_count")
    assert draw_published_rows(axes, found, rows, "stripe_count") == "Stars: published values."
    (stars,) = axes.lines
    of_eight = rows[rows.stripe_count == 8].set_index("operation").row
    assert dict(zip(stars.get_ydata(), stars.get_xdata(), strict=True)) == {
        of_eight["read"]: 1005e6, of_eight["write"]: 1090e6,
    }  # fmt: skip
    stars.remove()
    slow = rows.assign(estimate=rows.estimate * 1004e6 / 2.5 / rows.estimate.max())
    note = draw_published_rows(axes, found, slow, "stripe_count")
    assert note == "2 published values beyond this scale: see the table."
    (stars,) = axes.lines
    assert not stars.get_xdata().size
    none = replace(found, published=())
    assert draw_published_rows(axes, none, rows, "stripe_count") is None
