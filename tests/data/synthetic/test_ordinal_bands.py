import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from plait.core.sentences import ParameterError
from plait.data.synthetic import synth2_like


def linear():
    return LogisticRegression(C=1e4, solver="liblinear", max_iter=10_000)


def chain_predictions(X, Y, X_new):
    """Label after label, each a linear function of x and of the labels before it, greedily."""
    before = np.zeros((len(X_new), 0))
    for t in range(Y.shape[1]):
        fitted = linear().fit(np.hstack([X, Y[:, :t]]), Y[:, t])
        before = np.column_stack([before, fitted.predict(np.hstack([X_new, before]))])
    return before


def test_one_label_a_row_by_the_band_of_a_hidden_number():
    made = synth2_like(0, n_train=300, n_test=700)
    np.testing.assert_allclose(np.linalg.norm(made.direction), 1, rtol=1e-12, atol=0)
    for part, n in ((made.train, 300), (made.test, 700)):
        assert part.X.shape == (n, 40)
        assert (part.Y.sum(axis=1) == 1).all()
        hidden = part.X @ made.direction
        for t in range(10):
            low, high = np.r_[-np.inf, made.cuts, np.inf][[t, t + 1]]
            np.testing.assert_array_equal(part.Y[:, t] == 1, (low < hidden) & (hidden <= high))


def test_bands_are_equally_frequent():
    Y = synth2_like(0).test.Y
    n = len(Y)
    assert n == 10_000
    assert np.abs(Y.sum(axis=0) - n / 10).max() < 4 * np.sqrt(n * 0.1 * 0.9)


def test_sizes_of_the_paper():
    made = synth2_like(0)
    assert (made.train.n_samples, made.test.n_samples, made.train.n_features, made.train.n_labels) == (
        1000,
        10_000,
        40,
        10,
    )


def test_a_chain_in_band_order_separates_what_one_label_at_a_time_cannot():
    made = synth2_like(0)
    X, Y, X_test, Y_test = made.train.X, made.train.Y, made.test.X, made.test.Y
    alone = np.column_stack([linear().fit(X, Y[:, t]).predict(X_test) for t in range(10)])
    loss_alone = (alone != Y_test).any(axis=1).mean()
    loss_chain = (chain_predictions(X, Y, X_test) != Y_test).any(axis=1).mean()
    assert (chain_predictions(X, Y, X) == Y).all()  # separable: no training row is wrong
    assert loss_alone > 0.7
    assert loss_chain < loss_alone / 3


def test_same_seed_same_bits():
    first, again, other = (synth2_like(seed, n_train=20, n_test=5) for seed in (3, 3, 4))
    assert first.train == again.train
    assert first.test == again.test
    assert first.train != other.train


@pytest.mark.parametrize(("name", "value"), [("n_train", 0), ("n_test", 1.5), ("random_state", -1)])
def test_wrong_parameters(name, value):
    with pytest.raises(ParameterError, match=f"synth2_like needs {name} to be"):
        synth2_like(**{name: value})
