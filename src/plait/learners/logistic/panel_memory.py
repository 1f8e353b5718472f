"""Memory of panels: a row of a panel never lies across two lines of the cache, or reading it would cost twice."""

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["LANES", "NARROW", "WIDTHS", "zero_panel"]

# Problems side by side in a panel, and how kernels are told how many there are (see `plait.core._lanes`).
LANES, NARROW = 16, 8
WIDTHS: dict[int, tuple[int, ...]] = {NARROW: (0,), LANES: (0, 0)}

_LINE = 64


def zero_panel(shape: tuple[int, int], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return zeros in C order that start with a line of the cache.

    Examples
    --------
    >>> panel = zero_panel((5, 16), np.float32)
    >>> panel.shape, panel.ctypes.data % 64
    ((5, 16), 0)
    """
    n_bytes = shape[0] * shape[1] * np.dtype(dtype).itemsize
    memory = np.zeros(n_bytes + _LINE, np.uint8)
    first = -memory.ctypes.data % _LINE
    return memory[first : first + n_bytes].view(dtype).reshape(shape)
