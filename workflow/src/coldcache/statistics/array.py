"""Arrays of figures, in which NaN is missing."""

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def mean_there(values: Array, axis: int | tuple[int, ...]) -> Array:
    """Return the mean of what is there along some axes; NaN where nothing is."""
    there = ~np.isnan(values)
    count = there.sum(axis=axis)
    return np.where(count > 0, np.sum(values, axis=axis, where=there) / np.maximum(count, 1), np.nan)
