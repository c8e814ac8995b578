"""A forest has a row per ratio with its interval, its pairs, and the side that a document claims."""

import numpy as np
import pandas as pd
import pytest
from canvas import find_outside, find_overlaps
from matplotlib.collections import PolyCollection

from coldcache.analysis.figures.forest import caption_forest, draw_forest, open_forest
from coldcache.analysis.figures.style import COLOURS, house_style

NAN = float("nan")


@pytest.fixture
def ratios():
    rows = [
        ("s/w", "write: on / off", 2.0, 1.5, 2.6, 6, (), 1.2, np.inf, "D1"),
        ("s/w", "read: on / off", 1.1, 0.8, 1.5, 6, (), NAN, NAN, ""),
        ("s/v", "random write, with a name that is too long for one line: on / off", 30.0, NAN, NAN, 2, (20.0, 45.0),
         NAN, NAN, ""),
    ]  # fmt: skip
    names = ["sweep", "case", "ratio", "low", "high", "n", "runs", "claimed_low", "claimed_high", "claim"]
    return pd.DataFrame(rows, columns=names).assign(page="../trials/s/w/index.html")


def test_every_ratio_is_a_mark_with_its_interval_and_its_pairs(ratios):
    with house_style():
        figure, axes = open_forest(ratios)
        draw_forest(axes, ratios)
        marks = [line for line in axes.lines if line.get_marker() == "o"]
        assert [(*line.get_xydata()[0], line.get_markerfacecolor()) for line in marks] == [
            (2.0, 0, COLOURS["first"]), (1.1, 1, "white"), (30.0, 2, "white"),
        ]  # fmt: skip
        bars = [line.get_xdata().tolist() for line in axes.lines if line.get_linewidth() == 1.8]
        assert bars == [[1.5, 2.6], [0.8, 1.5]]
        (runs,) = (line.get_xdata().tolist() for line in axes.lines if line.get_marker() == ".")
        assert runs == [20.0, 45.0]
        assert [text.get_text() for text in axes.texts] == ["n=6", "n=6", "n=2"]
        assert find_overlaps(figure) == [] and find_outside(figure) == []


def test_the_side_that_a_document_claims_is_shaded(ratios):
    with house_style():
        _, axes = open_forest(ratios)
        draw_forest(axes, ratios)
        (shade,) = (part for part in axes.collections if isinstance(part, PolyCollection))
        box = shade.get_paths()[0].get_extents()
        assert (box.x0, box.x1, box.y0, box.y1) == (1.2, axes.get_xlim()[1], -0.45, 0.45)


def test_a_caption_says_what_is_drawn(ratios):
    assert caption_forest(ratios) == (
        "Bars: 95 % intervals of n pairs; hollow: the interval includes 1. Small dots: single pairs, fewer than five; "
        "hollow, their typical ratio. Shaded: where the document says that the ratio lies."
    )
    assert caption_forest(ratios[1:2]) == "Bars: 95 % intervals of n pairs; hollow: the interval includes 1."


def test_a_line_marks_the_ratio_of_no_difference_and_rows_begin_at_the_top(ratios):
    with house_style():
        _, axes = open_forest(ratios)
        (upright,) = axes.lines
        assert (list(upright.get_xdata()), upright.get_zorder()) == ([1, 1], 1)
        assert axes.get_ylim() == (2.5, -0.5)
