"""Labels with one value only."""

import numpy as np
import pytest

from plait.learners.one_valued_labels import LEAST_MASS, constant_labels, constant_scores


def test_which_labels_are_constant():
    mass = np.array([[5.0, 0.0], [0.0, 5.0], [4.0, 1.0], [0.0, 0.0], [3.0, LEAST_MASS / 2], [3.0, LEAST_MASS * 2]])
    assert constant_labels(mass).tolist() == [True, True, False, True, True, False]


@pytest.mark.parametrize(("zeros", "ones"), [(8, 0), (0, 8), (0, 0), (0.25, 0), (0, 1e6)])
def test_scores_are_the_log_odds_of_the_laplace_estimate(zeros, ones):
    score = constant_scores(np.array([[zeros, ones]], dtype=np.float64))
    chance = (ones + 1) / (zeros + ones + 2)
    np.testing.assert_allclose(1 / (1 + np.exp(-score)), [chance], rtol=1e-12)
