import numpy as np
import pytest

from plait.features.engine.criterion import GeneralCriterion


def test_weights_by_default_are_means():
    criterion = GeneralCriterion()
    assert [criterion.beta_of(n) for n in (0, 1, 4)] == [0.0, 1.0, 0.25]
    np.testing.assert_allclose(criterion.gammas(4), [0, 1, 1 / 2, 1 / 3], rtol=1e-15)
    assert criterion.shares(100).tolist() == [0.0] + 99 * [1.0]


def test_given_weights():
    criterion = GeneralCriterion(beta=2, gamma=0.5)
    assert [criterion.beta_of(n) for n in (0, 1, 4)] == [0.0, 2.0, 2.0]
    assert criterion.gammas(3).tolist() == [0.0, 0.5, 0.5]
    assert criterion.shares(4).tolist() == pytest.approx([0.0, 0.5, 1.0, 1.5], rel=1e-15)
    assert criterion.gammas(0).size == criterion.shares(0).size == 0
