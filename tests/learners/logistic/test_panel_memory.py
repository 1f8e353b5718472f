"""Panels start with a line of the cache, whatever their size, and can be written to."""

import numpy as np
import pytest

from plait.learners.logistic.panel_memory import zero_panel


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(0, 8), (1, 8), (7, 16), (5000, 16)])
def test_zeros_that_start_with_a_line(shape, dtype):
    panels = [zero_panel(shape, dtype) for _ in range(5)]
    for place, panel in enumerate(panels):
        assert panel.shape == shape
        assert panel.dtype == dtype
        assert panel.ctypes.data % 64 == 0 or not panel.size
        assert panel.flags.c_contiguous
        assert not panel.any()
        panel[:] = place
    assert all((panel == place).all() for place, panel in enumerate(panels))
