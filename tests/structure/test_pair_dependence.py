"""`PairDependence`: both directions averaged, never below 0."""

import numpy as np

from plait.structure.pair_dependence import PairDependence


def test_conditional_information_is_the_mean_of_both_directions():
    rng = np.random.default_rng(0)
    directed = rng.normal(0.05, 0.1, size=(5, 5))
    np.fill_diagonal(directed, 0.0)
    found = PairDependence(np.zeros((5, 5)), np.zeros(5), directed, n_held_out=3)
    assert found.n_labels == 5
    for i in range(5):
        for j in range(5):
            expected = max((directed[i, j] + directed[j, i]) / 2, 0.0)
            np.testing.assert_allclose(found.conditional_information[i, j], expected, rtol=1e-12)
    assert (found.conditional_information == 0).any()
    np.testing.assert_array_equal(found.conditional_information, found.conditional_information.T)


def test_repr_says_what_was_scored():
    nothing = (np.zeros((2, 2)), np.zeros(2), np.zeros((2, 2)))
    assert repr(PairDependence(*nothing, n_held_out=7)) == "PairDependence(2 labels, 7 rows held out)"
    assert repr(PairDependence(*nothing, n_held_out=0)) == "PairDependence(2 labels, training rows scored)"
