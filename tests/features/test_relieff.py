import numpy as np
import pytest
from scipy import sparse

from plait.features import PrunedReliefF, ReliefF
from plait.features.pruned_relieff import WholeDifferences, relieff_weights

pytestmark = pytest.mark.usefixtures("kernels")


def problem():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, size=(40, 4)).astype(float)
    Y = np.column_stack([X[:, 0] > 1, (X[:, 1] > 1) ^ (X[:, 2] > 1), np.zeros(40), np.ones(40)]).astype(np.uint8)
    return X, Y


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_every_label_has_the_weights_of_its_two_classes(form):
    X, Y = problem()
    nominal = np.array([False, True, False, False])
    model = ReliefF(n_features=3, n_neighbors=4, nominal=nominal).fit(form(X), Y)
    for label in range(2):
        classes = Y[:, label].astype(np.int64)
        expected = relieff_weights(WholeDifferences.of(X, nominal), classes, np.arange(40), 4)
        np.testing.assert_allclose(model.weights_[label], expected, rtol=0, atol=1e-12)
        assert model.ranking_[label].tolist() == np.argsort(-expected, kind="stable")[:3].tolist()
        np.testing.assert_array_equal(model.scores_[label], model.weights_[label][model.ranking_[label]])
    np.testing.assert_array_equal(model.weights_[2:], 0.0)


def test_one_label_is_one_set_of_labels():
    X, Y = problem()
    words = {"n_features": 2, "n_neighbors": 3, "n_samples": 20, "random_state": 1}
    own, sets = ReliefF(**words).fit(X, Y[:, [1]]), PrunedReliefF(pruning=0, **words).fit(X, Y[:, [1]])
    np.testing.assert_allclose(own.weights_[0], sets.weights_, rtol=0, atol=1e-14)
    assert own.ranking_[0].tolist() == sets.ranking_.tolist()


@pytest.mark.parametrize("n_samples", [None, 12])
def test_a_label_has_the_weights_of_the_rows_that_know_it(n_samples):
    X, Y = problem()
    gaps = np.where(np.random.default_rng(1).random(Y.shape) < 0.3, np.nan, Y)
    gaps[:, 0] = Y[:, 0]
    words = {"n_features": 2, "n_neighbors": 3, "n_samples": n_samples, "random_state": 1, "nominal": [1]}
    found = ReliefF(**words).fit(X, gaps)
    for label in range(4):
        known = ~np.isnan(gaps[:, label])
        alone = ReliefF(**words).fit(X[known], gaps[known, label : label + 1])
        np.testing.assert_array_equal(found.weights_[label], alone.weights_[0])
        assert found.ranking_[label].tolist() == alone.ranking_[0].tolist()
