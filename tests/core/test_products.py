"""Products of matrices and vectors raise no warning, whatever the processor's flags say."""

import numpy as np
import pytest

from plait.core import product


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equals_the_operator(dtype):
    rng = np.random.default_rng(0)
    for shapes in (((5, 3), (3,)), ((3,), (3, 4)), ((7, 5, 3), (7, 3, 1)), ((2, 3), (3, 4))):
        left, right = (rng.normal(size=shape).astype(dtype) for shape in shapes)
        found = product(left, right)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, left @ right)


def test_an_invalid_value_is_no_warning_but_is_there():
    with pytest.warns(RuntimeWarning, match="invalid value"):
        np.array([[np.inf]]) @ np.array([0.0])
    assert np.isnan(product(np.array([[np.inf]]), np.array([0.0]))).all()
