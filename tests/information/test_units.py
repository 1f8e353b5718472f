import math

import numpy as np
import pytest

from plait.information.units import bits_to


def test_bases():
    assert bits_to(2, "x") == bits_to(2.0, "x") == bits_to(np.int64(2), "x") == 1.0
    assert bits_to("e", "x") == pytest.approx(bits_to(math.e, "x"), rel=1e-15)
    assert bits_to(4, "x") == 0.5
