import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import ClassifierChain

from plait.core.sentences import ParameterError
from plait.data.synthetic import synth1_like


@pytest.mark.parametrize("seed", range(4))
def test_what_the_paper_states(seed):
    made = synth1_like(seed)
    assert (made.train.n_samples, made.test.n_samples, made.train.n_features, made.train.n_labels) == (
        471,
        5045,
        6000,
        6,
    )
    for part in (made.train, made.test):
        assert sparse.issparse(part.X)
        a_row = part.Y.sum(axis=1)
        assert a_row.min() == 1
        assert a_row.max() == 6
        # The mean of all rows is tuned; that of a part of them differs by chance.
        assert abs(a_row.mean() - 2.045) < 0.005 + 4 * a_row.std() / np.sqrt(part.n_samples)


def test_labels_are_linear_scores_but_for_the_flips():
    made = synth1_like(0)
    wrong = sum(((part.X @ made.weights > 0) != part.Y).sum() for part in (made.train, made.test))
    n = 6 * (471 + 5045)
    # A flip that leaves a row without labels is taken back, so there are fewer than two per cent.
    assert 0.01 * n < wrong < 0.02 * n + 4 * np.sqrt(n * 0.02)


def test_rows_count_the_words_of_short_texts():
    X = synth1_like(0).train.X
    assert (X.sum(axis=1) == 60).all()
    assert np.isin(X.data, np.arange(1, 61)).all()
    assert X.nnz / np.prod(X.shape) < 0.01


def test_a_chain_has_nothing_to_gain():
    made = synth1_like(0)
    X, Y, X_test, Y_test = made.train.X, made.train.Y, made.test.X, made.test.Y
    learner = LogisticRegression(C=10, max_iter=2000)
    alone = np.column_stack([learner.fit(X, Y[:, j]).predict(X_test) for j in range(6)])
    chain = ClassifierChain(learner).fit(X, Y).predict(X_test)
    hamming_alone, hamming_chain = (alone != Y_test).mean(), (chain != Y_test).mean()
    assert abs(hamming_alone - hamming_chain) < 0.01
    assert hamming_alone < 0.1  # the paper has 0.067


def test_same_seed_same_bits():
    first, again, other = (synth1_like(seed, n_train=20, n_test=5) for seed in (3, 3, 4))
    assert first.train == again.train
    assert first.train != other.train


@pytest.mark.parametrize(("name", "value"), [("n_train", 0), ("n_test", 1.5), ("random_state", -1)])
def test_wrong_parameters(name, value):
    with pytest.raises(ParameterError, match=f"synth1_like needs {name} to be"):
        synth1_like(**{name: value})
