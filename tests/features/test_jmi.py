import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from plait.features import JMI
from plait.features.ties import first_best
from plait.information import mutual_information


def by_joint_information(X, Y, labels):
    """Choose by (1/|S|) sum_n I({X_m,X_n};Y_j), summed over labels [OCC, table 1]."""
    ranking, scores = [], []
    while len(ranking) < X.shape[1]:
        values = np.full(X.shape[1], -np.inf)
        for m in set(range(X.shape[1])) - set(ranking):
            sets = [[m, n] for n in ranking] or [[m]]
            values[m] = np.mean([sum(mutual_information(X[:, s], Y[:, j]) for j in labels) for s in sets])
        ranking.append(first_best(values))
        scores.append(values[ranking[-1]])
    return ranking, scores


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 3))
def test_joint_information_form(seed, d, q):
    rng = np.random.default_rng(seed)
    X, Y = rng.integers(0, 3, size=(14, d)), rng.integers(0, 2, size=(14, q))
    X[0], X[1] = 0, 1  # no column is constant
    for scope, groups in (("global", [range(q)]), ("label", [[j] for j in range(q)])):
        mask = JMI(n_features=1.0, scope=scope, discretizer="passthrough").select(X, Y)
        for ranking, scores, group in zip(mask.rankings, mask.scores, groups, strict=True):
            right, values = by_joint_information(X, Y, group)
            assert ranking.tolist() == right
            np.testing.assert_allclose(scores, values, rtol=0, atol=1e-12)
