import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from plait.features import PearsonSubset, SelectionWarning

TOLERANCE = 1e-10


def r(a, b):
    return 0.0 if np.ptp(a) == 0 or np.ptp(b) == 0 else abs(np.corrcoef(a, b)[0, 1])


def merit_of(members, X, Y):
    """Return the merit by double loops over members."""
    n = len(members)
    to_labels = np.mean([r(X[:, f], y) for f in members for y in Y.T])
    pairs = [r(X[:, f], X[:, g]) for f in members for g in members if f < g]
    between = np.mean(pairs) if pairs else 0.0
    return n * to_labels / np.sqrt(n + n * (n - 1) * between)


def climbed(X, Y, wanted):
    chosen, merits = [], []
    left = [f for f in range(X.shape[1]) if np.ptp(X[:, f]) > 0]
    while left and (wanted is None or len(chosen) < wanted):
        scores = {f: merit_of([*chosen, f], X, Y) for f in left}
        best = min(f for f in left if scores[f] >= max(scores.values()) - TOLERANCE)
        if wanted is None and chosen and scores[best] <= merits[-1] + TOLERANCE:
            break
        chosen.append(best)
        merits.append(scores[best])
        left.remove(best)
    return chosen, merits


@given(
    X=st.integers(3, 10).flatmap(lambda n: arrays(float, (n, 5), elements=st.integers(-2, 3).map(float))),
    seed=st.integers(0, 999),
    wanted=st.sampled_from([None, 1, 3, 5]),
)
def test_every_step_is_the_best_by_double_loops(X, seed, wanted):
    X[:, 0] += np.arange(len(X))  # something varies
    Y = (np.random.default_rng(seed).random((len(X), 3)) < 0.5).astype(np.uint8)
    if wanted is not None and (np.ptp(X, axis=0) > 0).sum() < wanted:
        return
    ranking, merits = climbed(X, Y, wanted)
    for form in (np.asarray, sparse.csr_matrix):
        found = PearsonSubset(n_features=wanted).fit(form(X), Y)
        assert found.ranking_.tolist() == ranking
        np.testing.assert_allclose(found.scores_, merits, rtol=1e-9, atol=1e-12)


def test_a_copy_is_not_added():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    Y = np.column_stack([X[:, 1] > 0, X[:, 1] + 0.1 * X[:, 2] > 0]).astype(np.uint8)
    X = np.column_stack([X, X[:, 1]])
    found = PearsonSubset().fit(X, Y).ranking_
    assert 1 in found
    assert 3 not in found


def test_unrelated_labels_still_give_one_feature():
    X = np.array([[0.0, 1.0], [1.0, 1.0], [0.0, 1.0], [1.0, 1.0]])
    assert PearsonSubset().fit(X, np.zeros((4, 2))).ranking_.tolist() == [0]


def test_nothing_varies():
    with pytest.warns(SelectionWarning, match="there are only 0 features that vary"):
        assert not PearsonSubset(n_features=1).fit(np.ones((4, 2)), np.eye(4)[:, :2]).mask_.support.any()


def test_more_than_vary():
    X = np.column_stack([np.arange(4.0), np.ones(4)])
    with pytest.warns(SelectionWarning, match="asked for 2 features, but there are only 1"):
        assert PearsonSubset(n_features=2).fit(X, np.eye(4)[:, :2]).ranking_.tolist() == [0]


def test_missing_values_are_refused():
    with pytest.raises(ValueError, match="NaN"):
        PearsonSubset().fit(np.array([[np.nan], [1.0]]), np.array([[0], [1]]))
