import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from plait.features import GainRatio, SelectionWarning

pytestmark = pytest.mark.usefixtures("kernels")


def entropy(*columns):
    """Return the joint entropy of columns in bits, by counting tuples."""
    counts = Counter(zip(*(column.tolist() for column in columns), strict=True)).values()
    return -sum(n / sum(counts) * math.log2(n / sum(counts)) for n in counts)


@given(
    X=arrays(np.int64, (9, 5), elements=st.integers(0, 3)),
    Y=arrays(np.uint8, (9, 2), elements=st.integers(0, 1)),
)
def test_each_label_ranks_by_the_ratio(X, Y):
    X[0, :] = [0, 1, 0, 1, 0]
    X[1, :] = [1, 0, 1, 0, 1]
    for form in (np.asarray, sparse.csr_matrix):
        found = GainRatio(n_features=3, discretizer="passthrough").fit(form(X), Y)
        for label in range(2):
            ratios = [
                (entropy(X[:, m]) + entropy(Y[:, label]) - entropy(X[:, m], Y[:, label])) / entropy(X[:, m])
                for m in range(5)
            ]
            order = sorted(range(5), key=lambda m: (-round(ratios[m], 9), m))[:3]
            assert found.ranking_[label].tolist() == order
            np.testing.assert_allclose(found.scores_[label], [ratios[m] for m in order], rtol=0, atol=1e-12)


def test_many_values_are_no_advantage():
    X = np.column_stack([np.arange(8), np.tile([0, 1], 4)])
    Y = X[:, [1]]
    assert GainRatio(n_features=2, discretizer="passthrough").fit(X, Y).ranking_[0].tolist() == [1, 0]


def test_constant_features_never():
    X = np.column_stack([np.ones(6), [0, 1, 0, 1, 0, 1]])
    with pytest.warns(SelectionWarning, match="asked for 2 features, but there are only 1"):
        assert GainRatio(n_features=2).fit(X, X[:, [1]]).ranking_[0].tolist() == [1]
