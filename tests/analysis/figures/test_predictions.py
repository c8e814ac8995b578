"""Predictions are dotted lines in the colours of the measured ones."""

import xarray as xr
from matplotlib.colors import to_hex

from coldcache.analysis.figures.predictions import draw_predictions
from coldcache.analysis.figures.style import COLOURS


def test_each_level_has_a_dotted_line(axes, sweep):
    predicted = xr.full_like(sweep.cells.estimate, 2e8)
    note = draw_predictions(axes, predicted, x="threads", by="operation")
    assert note == "Dotted: what the limits of the model predict."
    for line, operation in zip(axes.lines, ["write", "read"], strict=True):
        assert line.get_linestyle() == ":"
        assert to_hex(line.get_color()) == COLOURS[operation].lower()
        assert line.get_xydata().tolist() == [[1, 2e8], [2, 2e8], [4, 2e8]]


def test_without_prediction_nothing_is_drawn(axes, sweep):
    assert draw_predictions(axes, None, x="threads", by="operation") is None
    nothing = xr.full_like(sweep.cells.estimate, float("nan"))
    assert draw_predictions(axes, nothing, x="threads", by="operation") is None
    assert not axes.lines
