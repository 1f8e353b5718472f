import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from plait.features import MRMR
from plait.features.ties import first_best
from plait.information import mutual_information_matrix


@given(st.integers(0, 2**32 - 1), st.integers(1, 7), st.integers(1, 4))
def test_relevance_less_mean_redundancy(seed, d, q):
    """MLMRMR is sum_j I(X_m;Y_j) - (q/|S|) sum_n I(X_m;X_n) [OCC, table 1]."""
    rng = np.random.default_rng(seed)
    X, Y = rng.integers(0, 3, size=(15, d)), rng.integers(0, 2, size=(15, q))
    X[0], X[1] = 0, 1  # no column is constant
    among, relevance = mutual_information_matrix(X), mutual_information_matrix(X, Y)
    for scope, groups in (("global", [range(q)]), ("label", [[j] for j in range(q)])):
        mask = MRMR(n_features=1.0, scope=scope, discretizer="passthrough").select(X, Y)
        for ranking, scores, group in zip(mask.rankings, mask.scores, groups, strict=True):
            for t, (m, score) in enumerate(zip(ranking, scores, strict=True)):
                redundancy = among[:, ranking[:t]].mean(axis=1) if t else 0.0
                values = relevance[:, list(group)].sum(axis=1) - len(group) * redundancy
                values[ranking[:t]] = -np.inf
                assert m == first_best(values)
                np.testing.assert_allclose(score, values[m], rtol=0, atol=1e-12)
