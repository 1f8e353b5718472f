"""Array types that all rooms write in their signatures, declared once."""

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Array", "Bits", "Bools", "Floats", "Ints", "Labels"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
# Labels are 0/1 in one byte inside plait; at its doors they become int64.
Labels = npt.NDArray[np.uint8]
# 64 flags a word: bit planes, and states of random generators.
Bits = npt.NDArray[np.uint64]
# float32 or float64, whichever the caller works in.
Array = npt.NDArray[Any]
