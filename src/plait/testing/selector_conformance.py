"""`SelectorConformance`: what every selector must do, as tests that an author of a selector derives."""

import contextlib
import pickle
import warnings
from collections.abc import Callable, Iterator
from typing import Any
from unittest import SkipTest

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import estimator_checks_generator

from plait.core.checks import wrong_values
from plait.core.kernel_policy import using_kernels
from plait.core.sentences import ParameterError
from plait.features import FeatureMask, SelectionWarning, Selector
from plait.structure import LabelGraph

__all__ = ["SelectorConformance"]

_GRAPH = LabelGraph([[], [0], [0]])


class SelectorConformance:
    """Tests of a selector, scikit-learn's own among them. Derive a class and give it selectors.

    The tests take a `selector`: parametrise the class, or write a fixture of that name.

    Examples
    --------
    In a test file, with a selector of one's own:

    >>> import pytest
    >>> from plait.features import MIM
    >>> @pytest.mark.parametrize("selector", [MIM()], ids=repr)
    ... class TestMine(SelectorConformance):
    ...     pass
    """

    def test_scikit_learns_own_checks(self, selector: Selector) -> None:
        """All of those that scikit-learn has for transformers."""
        for estimator, check in estimator_checks_generator(clone(selector)):
            # A check that skips itself (for want of an optional package) must not skip those behind it.
            with _no_warnings(), contextlib.suppress(SkipTest):
                check(estimator)

    def test_wrong_parameters_are_named(self, selector: Selector) -> None:
        """Every parameter has rules, from which wrong values are made."""
        X, Y = _problem()
        assert set(selector.get_params(deep=False)) == set(selector.parameter_rules)
        for name, rules in selector.parameter_rules.items():
            for wrong in wrong_values(rules):
                given = clone(selector).set_params(**{name: wrong})
                refusal = _refusal(lambda given=given: given.fit(X, Y))  # type: ignore[misc]
                assert refusal.startswith(f"{type(selector).__name__} needs {name} to be"), refusal

    def test_select_is_fit_and_the_transformer_keeps_the_columns(self, selector: Selector) -> None:
        """`select` leaves the selector as it was; `transform` keeps what any label keeps."""
        X, Y = _problem()
        fitted = clone(selector).fit(X, Y)
        mask = selector.select(X, Y)
        assert isinstance(mask, FeatureMask)
        assert mask == fitted.mask_
        kept = np.flatnonzero(mask.support.any(axis=0))
        np.testing.assert_array_equal(np.flatnonzero(fitted.get_support()), kept)
        np.testing.assert_array_equal(fitted.transform(X), X[:, kept])
        names = [f"c{column}" for column in range(X.shape[1])]
        assert list(fitted.get_feature_names_out(names)) == [names[column] for column in kept]
        assert fitted.n_labels_ == Y.shape[1]
        rankings = fitted.ranking_ if mask.label_specific else [fitted.ranking_]
        assert all(np.array_equal(mine, theirs) for mine, theirs in zip(rankings, mask.rankings, strict=True))

    def test_dense_and_sparse_agree(self, selector: Selector) -> None:
        """The same features in the same order, from CSR and CSC as from dense rows."""
        X, Y = _problem()
        X[np.abs(X) < 0.5] = 0.0
        expected = clone(selector).fit(X, Y, graph=_GRAPH).mask_
        for form in (sparse.csr_matrix, sparse.csc_array):
            other = clone(selector).fit(form(X), form(Y), graph=_GRAPH).mask_
            np.testing.assert_array_equal(other.support, expected.support)
            for mine, theirs in zip(other.rankings, expected.rankings, strict=True):
                np.testing.assert_array_equal(mine, theirs)

    def test_plain_and_compiled_agree(self, selector: Selector) -> None:
        """Plain NumPy and kernels choose the same features with the same scores, to the last bit, ties included."""
        X, Y = _problem()
        X = np.column_stack((X, X[:, 4], X[:, 1] > 0, np.rint(X[:, 2])))
        masks = []
        for policy in ("never", "always"):
            with using_kernels(policy), _no_warnings():
                masks.append(selector.select(X, Y, _GRAPH))
        assert masks[0] == masks[1]

    def test_duplicates_constants_and_labels_without_variation(self, selector: Selector) -> None:
        """They are no errors, and scores stay finite."""
        X, Y = _problem()
        X = np.column_stack([X, X[:, 1], np.ones(len(X))])
        Y = np.column_stack([Y, np.zeros(len(Y)), np.ones(len(Y))]).astype(np.uint8)
        with _no_warnings():
            mask = selector.select(X, Y)
        assert mask.support.shape == (5, 9)
        assert all(np.isfinite(scores).all() for scores in mask.scores)

    def test_features_that_decide_labels_are_chosen(self, selector: Selector) -> None:
        """Of columns of noise and two, in any places, that carry the labels, these two are among the chosen."""
        X, Y = _problem(n_rows=200)
        for places in ([0, 1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 1, 2, 0], [3, 0, 2, 1, 5, 6, 4]):
            with _no_warnings():
                chosen = clone(selector).fit(X[:, places], Y[:, :2]).mask_.support.any(axis=0)
            assert chosen[[places.index(1), places.index(4)]].all()

    def test_one_feature_is_chosen(self, selector: Selector) -> None:
        """There is no other."""
        with _no_warnings():
            mask = selector.select(np.array([[0.0], [1.0], [0.0], [1.0]]), np.array([[0], [1], [0], [1]]))
        assert mask.support.tolist() == [[True]]

    def test_the_graph_must_fit(self, selector: Selector) -> None:
        """It is a graph over as many labels as there are."""
        X, Y = _problem()
        for graph in (LabelGraph([[], []]), [[], [0], [0]]):
            refusal = _refusal(lambda graph=graph: clone(selector).fit(X, Y, graph=graph))  # type: ignore[misc]
            assert refusal.startswith(f"{type(selector).__name__} needs graph to be a LabelGraph over 3 labels")

    def test_it_can_what_it_declares(self, selector: Selector) -> None:
        """`label_specific`, `uses_graph` and `n_stages` are class attributes, on which others rely."""
        X, Y = _problem()
        mask = selector.select(X, Y, _GRAPH)
        assert mask.label_specific or not selector.label_specific
        if not selector.uses_graph:
            assert selector.select(X, Y) == mask
        candidates = selector.first_stage(X, Y)
        assert (candidates is not None) == (selector.n_stages == 2)
        assert selector.second_stage(X, Y, _GRAPH, candidates) == mask

    def test_unknown_labels_are_left_out_or_refused(self, selector: Selector) -> None:
        """Rows of which no label is known change nothing; what needs whole rows says so in one sentence."""
        X, Y = _problem()
        gaps = np.where(np.random.default_rng(0).random(Y.shape) < 0.2, np.nan, Y)
        if not selector.takes_unknown_labels:
            refusal = _refusal(lambda: clone(selector).fit(X, gaps))
            assert refusal.startswith(f"{type(selector).__name__} needs every label of y to be known"), refusal
            return
        far = np.vstack([X[:3] + 1e3, X, X[3:5] - 1e3])
        more = np.vstack([np.full((3, Y.shape[1]), np.nan), gaps, np.full((2, Y.shape[1]), np.nan)])
        with _no_warnings():
            found = clone(selector).fit(X, gaps, graph=_GRAPH).mask_
            assert clone(selector).fit(far, more, graph=_GRAPH).mask_ == found
            assert clone(selector).fit(X, Y.astype(np.float64)).mask_ == clone(selector).fit(X, Y).mask_
        refusal = _refusal(lambda: clone(selector).fit(X, gaps * np.nan))
        assert "all of them are NaN" in refusal

    def test_in_a_pipeline_and_a_grid_search(self, selector: Selector) -> None:
        """Sizes can be searched for where there is a parameter `n_features`."""
        X, Y = _problem(n_rows=90)
        pipeline = make_pipeline(clone(selector), MultiOutputClassifier(LogisticRegression()))
        word = type(selector).__name__.lower()
        sized = "n_features" in selector.get_params()
        grid = {f"{word}__n_features": [2, 4]} if sized else {word: [clone(selector)]}
        with _no_warnings():
            search = GridSearchCV(pipeline, grid, cv=2).fit(X, Y)
        assert search.predict(X).shape == Y.shape

    def test_it_is_a_small_estimator(self, selector: Selector) -> None:
        """`clone`, `repr` and `pickle` work."""
        assert repr(clone(selector)) == repr(selector)
        assert repr(pickle.loads(pickle.dumps(selector))) == repr(selector)


def _problem(n_rows: int = 60) -> tuple[Any, Any]:
    """Return data in which features 1 and 4 carry the first two of three labels, and the other five are noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, 7)).round(3)
    Y = np.column_stack([X[:, 1] > 0, X[:, 4] > 0.3, rng.random(n_rows) < 0.4]).astype(np.uint8)
    return X, Y


@contextlib.contextmanager
def _no_warnings() -> Iterator[None]:
    """Let a selector choose fewer features than it was asked for."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SelectionWarning)
        warnings.filterwarnings("ignore", message="No features were selected", category=UserWarning)
        yield


def _refusal(call: Callable[[], Any]) -> str:
    """Return the sentence in which a call is refused; it must be."""
    try:
        call()
    except ParameterError as error:
        return str(error)
    raise AssertionError("nothing was refused")
