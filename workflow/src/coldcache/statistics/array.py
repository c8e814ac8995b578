"""The type of an array of figures."""

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
