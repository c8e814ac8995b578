"""What the limits of a scale model predict, as dotted lines beside the measured ones."""

import xarray as xr
from matplotlib.axes import Axes

from coldcache.analysis.figures.style import mark_level


def draw_predictions(axes: Axes, predicted: xr.DataArray | None, x: str, by: str) -> str | None:
    """Draw the predicted rate of each level as a dotted line in the colour of its measured line.

    Parameters
    ----------
    axes : Axes
        Where the lines are.
    predicted : DataArray or None
        Over the dims `x` and `by`, as `coldcache.analysis.predictions.predict_sweep` returns it; NaN is not drawn.
    x, by : str
        The dim along the axis, and the factor of which each level is a line.

    Returns
    -------
    str or None
        A sentence for the caption; None where nothing is drawn.
    """
    if predicted is None or not bool(predicted.notnull().any()):
        return None
    levels = predicted[by].values.tolist() if by in predicted.dims else [None]
    for level in levels:
        line = predicted if level is None else predicted.sel({by: level})
        colour = mark_level(level, levels).colour
        axes.plot(line[x].values, line.values, color=colour, linewidth=1.6, linestyle=":", zorder=1.5)
    return "Dotted: what the limits of the model predict."
