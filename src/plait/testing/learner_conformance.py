"""`LearnerConformance`: what every learner must do, as tests that an author of a learner derives."""

import inspect
import pickle
import re
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import clone

from plait.core.arrays import Floats, Labels
from plait.core.checks import wrong_values
from plait.core.sentences import ParameterError
from plait.features import FeatureMask
from plait.learners import Conditionals, Learner
from plait.structure import LabelGraph

__all__ = ["LearnerConformance"]

_GRAPH = LabelGraph([[], [0], [1, 0]])
_FORMS: tuple[Callable[[Any], Any], ...] = (np.asarray, sparse.csr_matrix)


class LearnerConformance:
    """Tests of a learner. Derive a class and give it learners.

    The tests take a `learner`: parametrise the class, or write a fixture of that name. `tolerance` says how far two
    fits of one problem in different words (rows doubled or weighted, dense or sparse) may be apart: what a solver
    leaves undone; for a learner without a solver set it to rounding, 1e-9.

    Examples
    --------
    In a test file, with a learner of one's own:

    >>> import pytest
    >>> from plait.learners import LogisticLearner
    >>> @pytest.mark.parametrize("learner", [LogisticLearner(tol=1e-10)], ids=repr)
    ... class TestMine(LearnerConformance):
    ...     pass
    """

    tolerance: ClassVar[float] = 1e-4

    def test_clone_repr_and_parameters(self, learner: Learner) -> None:
        """A learner is a small scikit-learn estimator with a rule for each parameter."""
        copy = clone(learner)
        assert repr(copy) == repr(learner)
        assert set(learner.get_params(deep=False)) <= set(type(learner).parameter_rules)
        assert list(inspect.signature(type(learner)).parameters) == list(vars(copy))

    def test_wrong_parameters_are_refused(self, learner: Learner) -> None:
        """Values that the rules do not accept end in one sentence."""
        X, Y = _problem()
        for name, rules in type(learner).parameter_rules.items():
            for value in wrong_values(rules):
                wrong = clone(learner)
                setattr(wrong, name, value)
                with np.testing.assert_raises_regex(ParameterError, f"^{type(learner).__name__} needs {name} to be"):
                    wrong.fit(X, Y)

    def test_fit_hands_on_conditionals_and_leaves_the_learner_as_it_was(self, learner: Learner) -> None:
        """What was learnt is handed on; learner and data do not change."""
        X, Y = _problem()
        before, X_before, Y_before = pickle.dumps(learner), X.copy(), Y.copy()
        fitted = learner.fit(X, Y, _GRAPH)
        assert isinstance(fitted, Conditionals)
        assert (fitted.graph, fitted.n_features, fitted.n_labels) == (_GRAPH, 5, 3)
        assert pickle.dumps(learner) == before
        np.testing.assert_array_equal(X, X_before)
        np.testing.assert_array_equal(Y, Y_before)

    def test_labels_are_learnt(self, learner: Learner) -> None:
        """On new rows it is better than the most frequent value."""
        X, Y = _problem(400)
        fitted = learner.fit(X, Y, _GRAPH)
        fresh, truth = _problem(400, seed=1)
        for label, parents in enumerate(_GRAPH.parents):
            scores = fitted.scores(label, fresh, truth[:, list(parents)])
            share = truth[:, label].mean()
            assert ((scores > 0) == truth[:, label]).mean() > max(share, 1 - share) + 0.05

    def test_probabilities_are_those_of_the_scores(self, learner: Learner) -> None:
        """Scores are log-odds; margins refuse to be taken for such."""
        X, Y = _problem()
        fitted = learner.fit(X, Y, _GRAPH)
        scores = fitted.scores(1, X, Y[:, [0]])
        if fitted.probabilistic:
            _alike(np.exp(fitted.log_prob(1, X, Y[:, [0]])), _chances(scores), 1e-12)
        else:
            with np.testing.assert_raises_regex(ParameterError, "^log_prob needs a learner that gives probabilities"):
                fitted.log_prob(1, X, Y[:, [0]])

    def test_the_same_bits_twice_and_after_pickling(self, learner: Learner) -> None:
        """A second fit, and a pickled one, answer the same."""
        X, Y = _problem()
        first, again = learner.fit(X, Y, _GRAPH), clone(learner).fit(X, Y, _GRAPH)
        np.testing.assert_array_equal(_answers(first, X), _answers(again, X))
        np.testing.assert_array_equal(_answers(pickle.loads(pickle.dumps(first)), X), _answers(first, X))

    def test_dense_and_sparse_agree(self, learner: Learner) -> None:
        """The form of X does not matter, neither in training nor in prediction."""
        X, Y = _problem()
        dense = learner.fit(X, Y, _GRAPH)
        for form in (sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix):
            fitted = learner.fit(form(X), Y, _GRAPH)
            _alike(_answers(fitted, sparse.csr_matrix(X)), _answers(dense, X), self.tolerance)
            _alike(_answers(fitted, X), _answers(fitted, sparse.csr_array(X)), 1e-9)

    def test_lists_and_other_types_agree_to_the_bit(self, learner: Learner) -> None:
        """Nor does the form of Y, or the order in memory."""
        X, Y = _problem()
        expected = _answers(learner.fit(X, Y, _GRAPH), X)
        forms: list[tuple[Any, Any]] = [
            (X.tolist(), Y.tolist()),
            (np.asfortranarray(X), np.asfortranarray(Y)),
            (X, Y.astype(bool)),
            (X, Y.astype(float)),
            (X, sparse.csr_matrix(Y)),
            (X, sparse.csc_array(Y)),
        ]
        for same_X, same_Y in forms:
            np.testing.assert_array_equal(_answers(learner.fit(same_X, same_Y, _GRAPH), X), expected)

    def test_single_precision_is_close(self, learner: Learner) -> None:
        """float32 is taken as it is, or made double."""
        X, Y = _problem()
        fitted = learner.fit(X.astype(np.float32), Y, _GRAPH)
        _alike(_answers(fitted, X), _answers(learner.fit(X, Y, _GRAPH), X), 2e-2)

    def test_features_outside_the_mask_change_nothing(self, learner: Learner) -> None:
        """A label sees the features of its mask, and all of these."""
        mask = FeatureMask.by_label([[0, 1], [1, 2, 4], [2, 3]], [[1, 1], [1, 1, 1], [1, 1]], n_features=5)
        X, Y = _problem()
        for form in _FORMS:
            fitted = learner.fit(form(X), Y, _GRAPH, mask)
            for label, support in enumerate(mask.support):
                other = X.copy()
                other[:, ~support] = np.random.default_rng(9).normal(size=(60, (~support).sum())) * 5
                again = learner.fit(form(other), Y, _GRAPH, mask)
                table = fitted.score_table(label, form(X))
                _alike(again.score_table(label, form(X)), table, self.tolerance)
                _alike(fitted.score_table(label, form(other)), table, 1e-12)
                used = other.copy()
                used[:, support] = other[::-1, support]
                changed = learner.fit(form(used), Y, _GRAPH, mask).score_table(label, X)
                assert np.abs(changed - fitted.score_table(label, X)).any()

    def test_labels_that_are_no_parents_change_nothing(self, learner: Learner) -> None:
        """A label sees its parents, and no other labels."""
        X, Y = _problem()
        graph = LabelGraph([[], [0], [0]])
        for form in _FORMS:
            fitted = learner.fit(form(X), Y, graph)
            for changed, label in ((1, 2), (2, 1), (1, 0), (2, 0)):
                other = Y.copy()
                other[:, changed] = np.random.default_rng(9).integers(0, 2, size=60)
                again = learner.fit(form(X), other, graph)
                _alike(again.score_table(label, form(X)), fitted.score_table(label, form(X)), self.tolerance)
            other = Y.copy()
            other[:, 0] = Y[::-1, 0]
            assert np.abs(learner.fit(X, other, graph).score_table(1, X) - fitted.score_table(1, X)).max() > 1e-3

    def test_parents_matter_in_their_order(self, learner: Learner) -> None:
        """The values of parents stand in the order of the graph."""
        X, Y = _problem(200)
        one, two = LabelGraph([[], [0], [1, 0]]), LabelGraph([[], [0], [0, 1]])
        first, second = (learner.fit(X, Y, graph).score_table(2, X) for graph in (one, two))
        assert np.abs(first[:, 3] - first[:, 0]).max() > 1e-2
        _alike(first[:, [0, 2, 1, 3]], second, self.tolerance)

    def test_constant_labels_get_the_laplace_estimate(self, learner: Learner) -> None:
        """A label with one value only has the probability (n_1 + 1) / (N + 2)."""
        X, Y = _problem()
        for form in _FORMS:
            for value in (0, 1):
                Y[:, 1] = value
                fitted = learner.fit(form(X), Y, _GRAPH)
                table = fitted.score_table(1, form(X))
                assert ((table > 0) == value).all()
                if fitted.probabilistic:
                    _alike(_chances(table), np.full((60, 2), (60 * value + 1) / 62), 1e-9)
                assert np.isfinite(_answers(fitted, form(X))).all()

    def test_constant_by_weight(self, learner: Learner) -> None:
        """So has one whose other value weighs nothing."""
        X, Y = _problem()
        weights = np.where(Y == 1, 0.0, 0.5)
        weights[:, [0, 2]] = 1.0
        fitted = learner.fit(X, Y, sample_weight=weights)
        table = fitted.score_table(1, X)
        assert (table < 0).all()
        if fitted.probabilistic:
            _alike(_chances(table), np.full((60, 1), 1 / (weights[:, 1].sum() + 2)), 1e-9)

    def test_one_positive(self, learner: Learner) -> None:
        """One row with the label is enough to learn something, and does no harm."""
        X, Y = _problem()
        Y[:, 1] = 0
        Y[7, 1] = 1
        fitted = learner.fit(X, Y, _GRAPH)
        assert np.isfinite(_answers(fitted, X)).all()
        assert np.ptp(fitted.score_table(1, X)) > 0

    def test_one_label_and_one_row(self, learner: Learner) -> None:
        """The smallest problems there are."""
        X, Y = _problem()
        single = learner.fit(X, Y[:, [0]])
        assert single.n_labels == 1
        _alike(single.score_table(0, X), learner.fit(X, Y).score_table(0, X), self.tolerance)
        np.testing.assert_array_equal(learner.fit(X, Y[:, 0]).score_table(0, X), single.score_table(0, X))
        fitted = learner.fit(X[:1], [[0, 1, 0]], _GRAPH)
        for label, value in enumerate((0, 1, 0)):
            table = fitted.score_table(label, X[:1])
            assert ((table > 0) == value).all()
            if fitted.probabilistic:
                _alike(_chances(table), np.full(table.shape, (value + 1) / 3), 1e-9)

    def test_no_rows_to_answer(self, learner: Learner) -> None:
        """Nothing asked, nothing answered."""
        X, Y = _problem()
        fitted = learner.fit(X, Y, _GRAPH)
        assert fitted.score_table(2, X[:0]).shape == (0, 4)
        assert fitted.scores(1, X[:0], np.zeros((0, 1), dtype=np.uint8)).shape == (0,)

    def test_constant_columns_do_no_harm(self, learner: Learner) -> None:
        """Columns that do not vary are as good as absent."""
        X, Y = _problem()
        X[:, 2], X[:, 3] = 0.0, 7.0
        for form in _FORMS:
            assert np.isfinite(_answers(learner.fit(form(X), Y, _GRAPH), X)).all()

    def test_weights_are_numbers_of_rows(self, learner: Learner) -> None:
        """A row of weight 3 counts as three rows."""
        learner = _unscaled(clone(learner))
        X, Y = _problem()
        counts = np.random.default_rng(3).integers(0, 4, size=60)
        repeated = np.repeat(np.arange(60), counts)
        for form in _FORMS:
            weighted = learner.fit(form(X), Y, _GRAPH, sample_weight=counts)
            doubled = learner.fit(form(X[repeated]), Y[repeated], _GRAPH)
            _alike(_answers(weighted, X), _answers(doubled, X), self.tolerance)
            plain = _answers(learner.fit(form(X), Y, _GRAPH), X)
            assert np.abs(_answers(weighted, X) - plain).max() > 10 * self.tolerance

    def test_rows_of_weight_zero_are_absent(self, learner: Learner) -> None:
        """Whatever they hold."""
        X, Y = _problem()
        kept = np.arange(60) % 3 > 0
        strange = X.copy()
        strange[~kept] = 50.0
        weighted = learner.fit(strange, Y, _GRAPH, sample_weight=kept.astype(float))
        _alike(_answers(weighted, X), _answers(learner.fit(X[kept], Y[kept], _GRAPH), X), self.tolerance)

    def test_weights_of_each_label(self, learner: Learner) -> None:
        """Weights may be given for each label; then each label is trained with its own."""
        learner = _unscaled(clone(learner))
        X, Y = _problem()
        weights = np.random.default_rng(4).uniform(0.2, 2.0, size=(60, 3))
        weights[::7, 1] = 0
        fitted = learner.fit(X, Y, _GRAPH, sample_weight=weights)
        for label in range(3):
            alone = learner.fit(X, Y, _GRAPH, sample_weight=weights[:, label])
            _alike(fitted.score_table(label, X), alone.score_table(label, X), self.tolerance)
        ones, plain = learner.fit(X, Y, _GRAPH, sample_weight=np.ones((60, 3))), learner.fit(X, Y, _GRAPH)
        _alike(_answers(ones, X), _answers(plain, X), self.tolerance)
        assert np.abs(_answers(fitted, X) - _answers(plain, X)).max() > 10 * self.tolerance

    def test_wrong_weights_rows_and_numbers_are_refused(self, learner: Learner) -> None:
        """What cannot be used is told in one sentence."""
        X, Y = _problem()
        bad = X.copy()
        bad[4, 2] = np.inf
        wrong: list[tuple[str, Any, Any, Any]] = [
            ("sample_weight to have shape (60,) or (60, 3), but it has (59,).", X, Y, np.ones(59)),
            ("sample_weight to have shape (60,) or (60, 3), but it has (60, 2).", X, Y, np.ones((60, 2))),
            ("sample_weight to hold finite numbers of at least 0, but it holds -1.0.", X, Y, -np.ones(60)),
            ("X and Y to have the same number of rows, but X has 60 and Y has 59.", X, Y[:59], None),
            ("y to hold only 0 and 1, but it holds 2.", X, Y + 1, None),
            ("X to hold finite numbers, but it holds infinite ones.", bad, Y, None),
        ]
        for sentence, rows, labels, weights in wrong:
            expected = re.escape(f"{type(learner).__name__} needs {sentence}")
            with np.testing.assert_raises_regex(ParameterError, f"^{expected}"):
                learner.fit(rows, labels, _GRAPH, sample_weight=weights)

    def test_nan_is_taken_or_refused_by_one_sentence(self, learner: Learner) -> None:
        """Missing values are taken, where the learner says that it may take them; else they are refused."""
        X, Y = _problem()
        X[4, 2] = np.nan
        for form in _FORMS:
            try:
                found = _answers(learner.fit(form(X), Y, _GRAPH), form(X))
            except ParameterError as error:
                sentence = str(error)
            else:
                sentence = ""
                assert learner._allows_nan()
                assert np.isfinite(found).all()
            assert not sentence or re.fullmatch(rf"{type(learner).__name__} needs .*NaN.*", sentence)

    def test_an_earlier_fit_may_be_handed_in(self, learner: Learner) -> None:
        """A start changes how long it takes, not where it ends."""
        X, Y = _problem()
        cold = learner.fit(X, Y, _GRAPH)
        warm = learner.fit(X, Y, _GRAPH, start=cold)
        _alike(_answers(warm, X), _answers(cold, X), self.tolerance)


def _problem(n: int = 60, d: int = 5, seed: int = 0) -> tuple[Floats, Labels]:
    """Return data with three labels, each of which depends on features and on those before it."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).round(3) * (rng.random((n, d)) < 0.8)
    Y = np.zeros((n, 3), dtype=np.uint8)
    for label in range(3):
        drive = X[:, label] - X[:, label + 1] + 2 * Y[:, :label].sum(axis=1) - label + rng.normal(size=n)
        Y[:, label] = drive > 0
    return X, Y


def _answers(fitted: Conditionals, X: Any) -> Floats:
    """Return the scores of all labels for all rows and settings of parents, side by side."""
    return np.hstack([fitted.score_table(label, X) for label in range(fitted.n_labels)])


def _unscaled(learner: Learner) -> Learner:
    """Return the learner on columns as they are: scales come from rows and not from their weights."""
    return learner.set_params(standardize=False) if "standardize" in learner.get_params() else learner


def _alike(first: Floats, second: Any, tolerance: float) -> None:
    np.testing.assert_allclose(first, second, rtol=tolerance, atol=tolerance)


def _chances(scores: Floats) -> Floats:
    return np.asarray(1.0 / (1.0 + np.exp(-scores)))
