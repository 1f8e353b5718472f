"""One label's classifier: what it is fitted on, and how its errors travel."""

import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from plait.learners.sklearn_learner import LabelFailure, fit_label

X = np.arange(12.0).reshape(4, 3)
VALUES = np.array([[1], [0], [1], [0]], dtype=np.uint8)
TARGET = np.array([0, 1, 1, 0])


class Recorder:
    def fit(self, X, y, **metadata):
        self.seen = X, y, metadata


class Fails:
    def __init__(self, error):
        self.error = error

    def fit(self, X, y):
        raise self.error


class StubbornError(Exception):
    """Cannot be made anew from its arguments."""

    def __init__(self, one, two):
        super().__init__(f"{one} {two}")


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_columns_parents_and_rows(form):
    weights = np.array([1.0, 0.0, 2.0, 3.0])
    metadata = {"sample_weight": weights, "groups": ["a", "b", "c", "d"], "depth": 3, "names": ["x", "y"]}
    label, fitted, converged = fit_label(5, Recorder(), form(X), np.array([0, 2]), VALUES, TARGET, weights, metadata)
    inputs, target, handed = fitted.seen
    assert (label, converged) == (5, True)
    dense = inputs.toarray() if sparse.issparse(inputs) else inputs
    np.testing.assert_array_equal(dense, [[0, 2, 1], [6, 8, 1], [9, 11, 0]])
    assert target.tolist() == [0, 1, 0]
    assert handed["sample_weight"].tolist() == [1, 2, 3]
    assert handed["groups"].tolist() == ["a", "c", "d"]
    assert (handed["depth"], handed["names"]) == (3, ["x", "y"])


def test_all_rows_without_weights():
    _, fitted, _ = fit_label(0, Recorder(), X, None, VALUES[:, :0], TARGET, None, {"groups": [1, 2, 3, 4]})
    assert fitted.seen[0] is X
    assert fitted.seen[2] == {"groups": [1, 2, 3, 4]}


@pytest.mark.parametrize("error", [ValueError("bad"), StubbornError(1, 2)], ids=["plain", "stubborn"])
def test_errors_travel_with_their_label(error):
    with pytest.raises(LabelFailure) as caught:
        fit_label(3, Fails(error), X, None, VALUES, TARGET, None, {})
    label, cause = pickle.loads(pickle.dumps(caught.value)).args
    assert label == 3
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    if isinstance(error, ValueError):
        assert type(cause) is ValueError
        assert str(cause) == "bad"
    else:
        # In words of its own where it cannot be pickled; packages that teach exceptions to be pickled change that.
        assert str(cause) in ("StubbornError: 1 2", "1 2")


class Warns:
    def fit(self, X, y):
        warnings.warn("not yet", ConvergenceWarning, stacklevel=1)
        warnings.warn("by the way", UserWarning, stacklevel=1)


def test_want_of_convergence_is_told_and_other_warnings_go_on():
    with pytest.warns(UserWarning, match="by the way") as caught:
        _, _, converged = fit_label(3, Warns(), X, None, VALUES, TARGET, None, {})
    assert not converged
    assert len(caught) == 1


def test_want_of_memory_is_not_the_estimators_fault():
    with pytest.raises(MemoryError):
        fit_label(3, Fails(MemoryError()), X, None, VALUES, TARGET, None, {})
