"""What every selector must do, for every selector in the room's `__all__`."""

import contextlib
import inspect
import warnings
from unittest import SkipTest

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import estimator_checks_generator

from plait import features
from plait.core.checks import wrong_values
from plait.core.sentences import ParameterError
from plait.features import FeatureMask, SelectionWarning, Selector
from plait.structure import LabelGraph

CLASSES = [
    kind
    for kind in (getattr(features, name) for name in features.__all__)
    if isinstance(kind, type) and issubclass(kind, Selector) and not inspect.isabstract(kind)
]
every_selector = pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)


def problem(n=60, d=7, q=3, seed=0):
    """Return data in which features 1 and 4 carry the first two labels, and the others are noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).round(3)
    Y = np.column_stack([X[:, 1] > 0, X[:, 4] > 0.3, rng.random(n) < 0.4][:q]).astype(np.uint8)
    return X, Y


GRAPH = LabelGraph([[], [0], [0]])


@every_selector
def test_scikit_learns_own_checks(kind):
    for selector, check in estimator_checks_generator(kind()):
        # A check that skips itself (for want of an optional package) must not skip those behind it.
        with warnings.catch_warnings(), contextlib.suppress(SkipTest):
            warnings.simplefilter("ignore", SelectionWarning)
            warnings.filterwarnings("ignore", message="No features were selected", category=UserWarning)
            check(selector)


@every_selector
def test_wrong_parameters_are_refused(kind):
    X, Y = problem()
    for name, rules in kind.parameter_rules.items():
        for value in wrong_values(rules):
            with pytest.raises(ParameterError, match=f"^{kind.__name__} needs {name} to be"):
                kind(**{name: value}).fit(X, Y)


@every_selector
def test_select_is_fit_and_the_transformer_keeps_the_columns(kind):
    X, Y = problem()
    fitted = kind().fit(X, Y)
    mask = kind().select(X, Y)
    assert isinstance(mask, FeatureMask)
    assert mask == fitted.mask_
    kept = np.flatnonzero(fitted.get_support())
    np.testing.assert_array_equal(kept, np.flatnonzero(mask.support.any(axis=0)))
    if fitted.transform(X).shape[1] == kept.size:
        names = fitted.get_feature_names_out([f"c{j}" for j in range(X.shape[1])])
        assert len(names) == fitted.transform(X).shape[1]


@every_selector
def test_dense_sparse_and_frames_agree(kind):
    X, Y = problem()
    X[np.abs(X) < 0.5] = 0.0
    expected = kind().fit(X, Y, graph=GRAPH)
    for form in (sparse.csr_matrix, sparse.csc_array):
        other = kind().fit(form(X), form(Y), graph=GRAPH)
        np.testing.assert_array_equal(other.mask_.support, expected.mask_.support)
        for mine, theirs in zip(other.mask_.rankings, expected.mask_.rankings, strict=True):
            np.testing.assert_array_equal(mine, theirs)
    names = [f"c{j}" for j in range(X.shape[1])]
    for frame in (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)):
        other = kind().fit(frame, Y, graph=GRAPH)
        assert list(other.feature_names_in_) == names
        np.testing.assert_array_equal(other.mask_.support, expected.mask_.support)


@every_selector
def test_duplicates_constants_absent_labels(kind):
    X, Y = problem()
    X = np.column_stack([X, X[:, 1], np.ones(len(X))])
    Y = np.column_stack([Y, np.zeros(len(Y)), np.ones(len(Y))]).astype(np.uint8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SelectionWarning)
        mask = kind().fit(X, Y).mask_
    assert mask.support.shape == (5, 9)
    assert all(np.isfinite(scores).all() for scores in mask.scores)


@every_selector
def test_smallest_data(kind):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SelectionWarning)
        warnings.filterwarnings("ignore", message="No features were selected", category=UserWarning)
        one_feature = kind().fit(np.array([[0.0], [1.0], [0.0], [1.0]]), np.array([[0], [1], [0], [1]]))
    assert one_feature.mask_.support.tolist() == [[True]]


@every_selector
def test_graph_must_fit(kind):
    X, Y = problem()
    with pytest.raises(ParameterError, match=f"{kind.__name__} needs graph to be a LabelGraph over 3 labels"):
        kind().fit(X, Y, graph=LabelGraph([[], []]))


@every_selector
def test_in_a_pipeline_and_a_grid_search(kind):
    X, Y = problem(n=90)
    pipeline = make_pipeline(kind(), MultiOutputClassifier(LogisticRegression()))
    word = kind.__name__.lower()
    grid = {f"{word}__n_features": [2, 4]} if "n_features" in kind().get_params() else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SelectionWarning)
        search = GridSearchCV(pipeline, grid or {f"{word}": [kind()]}, cv=2).fit(X, Y)
    assert search.predict(X).shape == Y.shape


@every_selector
def test_clone_and_repr(kind):
    copy = clone(kind())
    assert repr(copy) == repr(kind())


@every_selector
def test_set_output(kind):
    X, Y = problem()
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    out = kind().set_output(transform="pandas").fit(frame, Y).transform(frame)
    assert isinstance(out, pd.DataFrame)
    assert list(out.columns) == list(kind().fit(frame, Y).get_feature_names_out())
