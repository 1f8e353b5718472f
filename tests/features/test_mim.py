import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from plait.features import MIM
from plait.features.ties import stable_ranking
from plait.information import mutual_information_matrix


@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.integers(1, 4))
def test_relevance_in_falling_order(seed, d, q):
    rng = np.random.default_rng(seed)
    X, Y = rng.integers(0, 3, size=(15, d)), rng.integers(0, 2, size=(15, q))
    X[0], X[1] = 0, 1  # no column is constant
    information = mutual_information_matrix(X, Y)
    for scope, columns in (("global", [information.sum(axis=1)]), ("label", information.T)):
        mask = MIM(n_features=1.0, scope=scope, discretizer="passthrough").select(X, Y)
        for ranking, scores, relevance in zip(mask.rankings, mask.scores, columns, strict=True):
            assert ranking.tolist() == stable_ranking(relevance).tolist()
            np.testing.assert_allclose(scores, relevance[ranking], rtol=1e-13, atol=1e-15)
