"""Authors of extensions derive the conformance classes: a good choice passes all tests, a broken one fails some."""

import inspect
import json
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
from scipy import sparse

from plait import testing
from plait.core.checks import Interval
from plait.core.multilabel_classifier import WeightedClassifier
from plait.data import DataError, Dataset
from plait.data.conversion.files import blocks_of_lines
from plait.features import FeatureMask, Selector
from plait.learners import Learner, LinearConditionals
from plait.learners.training.problem import constant_labels, constant_scores
from plait.losses import Loss
from plait.metrics.inputs import label_pair
from plait.structure import LabelGraph, Structure
from plait.testing import (
    BaselineConformance,
    LearnerConformance,
    LossConformance,
    MetricConformance,
    ReaderConformance,
    SelectorConformance,
    StructureConformance,
)


def failures(conformance, **given):
    """Return the names of the tests of a class that fail."""
    found = []
    for name, test in inspect.getmembers(conformance(), inspect.ismethod):
        if name.startswith("test_"):
            wanted = inspect.signature(test).parameters
            try:
                test(**{word: value for word, value in given.items() if word in wanted})
            except Exception:
                found.append(name)
    return found


def test_every_conformance_class_is_exported_and_says_how_to_derive_it():
    classes = [getattr(testing, name) for name in testing.__all__ if name.endswith("Conformance")]
    assert len(classes) >= 8
    for kind in classes:
        tests = [name for name in vars(kind) if name.startswith("test_")]
        assert len(tests) >= 5
        assert all(getattr(kind, name).__doc__ for name in tests)
        assert "class TestMine(" in kind.__doc__


class MissedShare(Loss):
    """Share of the true labels that were missed, plus a tenth for each that was predicted in vain."""

    def value(self, Y, Y_pred):
        missed = ((Y == 1) & (Y_pred == 0)).sum(axis=1) / np.maximum((Y == 1).sum(axis=1), 1)
        return missed + 0.1 * ((Y == 0) & (Y_pred == 1)).sum(axis=1)


class Careless(MissedShare):
    """Decides by the marginals, which is not the best answer to this loss."""

    def decide(self, support):
        return (support.marginal_estimate() > 0.5).astype(np.uint8)


@pytest.mark.parametrize("loss", [MissedShare()], ids=repr)
class TestLoss(LossConformance):
    pass


def test_a_careless_loss_is_found_out():
    assert "test_no_answer_is_better_than_the_decision" in failures(LossConformance, loss=Careless())


class Star(Structure):
    """The most frequent label is the only parent of all others."""

    parameter_rules: ClassVar = {}

    def _build(self, given):
        order = np.argsort(-given.Y.sum(axis=0, dtype=np.int64), kind="stable").tolist()
        return LabelGraph([[] if label == order[0] else order[:1] for label in range(given.n_labels)])


class Dice(Star):
    """A chain in an order that no seed fixes."""

    def _build(self, given):
        order = np.random.default_rng().permutation(given.n_labels).tolist()
        return LabelGraph([[] if place == 0 else [order[place - 1]] for place in np.argsort(order).tolist()], order)


@pytest.mark.parametrize("structure", [Star()], ids=repr)
class TestStructure(StructureConformance):
    pass


def test_a_structure_without_a_seed_is_found_out():
    assert "test_the_same_seed_gives_the_same_graph" in failures(StructureConformance, structure=Dice())


class Correlated(Selector):
    """The features with the largest mean absolute correlation with the labels."""

    parameter_rules: ClassVar = {"n_features": (Interval(int, 1, None),)}

    def __init__(self, n_features=3):
        self.n_features = n_features

    def _select(self, X, Y, graph):
        X, Y = (table.toarray() if sparse.issparse(table) else np.asarray(table, dtype=float) for table in (X, Y))
        X, Y = np.nan_to_num(X - np.nanmean(X, axis=0)), Y - Y.mean(axis=0)
        sizes = np.sqrt(np.outer((X**2).sum(axis=0), (Y**2).sum(axis=0)))
        scores = np.abs(np.divide(X.T @ Y, sizes, out=np.zeros(sizes.shape), where=sizes > 0)).round(12).mean(axis=1)
        varies = np.flatnonzero((X != 0).any(axis=0))
        self._warn_if_fewer(len(varies), self.n_features)
        best = varies[np.argsort(-scores[varies], kind="stable")][: self.n_features]
        return FeatureMask.shared(best, scores[best], Y.shape[1], X.shape[1])


class First(Correlated):
    """The first features, whatever they hold."""

    def _select(self, X, Y, graph):
        n = min(self.n_features, X.shape[1])
        return FeatureMask.shared(np.arange(n), np.ones(n), Y.shape[1], X.shape[1])


@pytest.mark.parametrize("selector", [Correlated()], ids=repr)
class TestSelector(SelectorConformance):
    pass


def test_a_selector_that_does_not_look_is_found_out():
    assert failures(SelectorConformance, selector=First())


class Ridge(Learner):
    """Margins by ridge regression: x and the parents against -1 and 1, one label after the other."""

    parameter_rules: ClassVar = {"alpha": (Interval(float, 0, None, closed="neither"),)}

    def __init__(self, alpha=1.0):
        self.alpha = alpha

    @property
    def gives_probabilities(self):
        return False

    def _fit(self, problem, start):
        n_features, n_labels = problem.X.shape[1], problem.n_labels
        mass = problem.class_mass()
        found = np.zeros((n_labels, n_features + n_labels)), constant_scores(mass)
        X = problem.X.toarray() if sparse.issparse(problem.X) else problem.X
        for label in np.flatnonzero(~constant_labels(mass)):
            used = np.arange(n_features) if problem.support is None else np.flatnonzero(problem.support[label])
            used = np.append(used, n_features + np.array(problem.graph.parents[label], dtype=int))
            weights = problem.weights_of(label)
            weights = np.ones(len(X)) if weights is None else weights
            columns = np.hstack([X, problem.Y])[:, used]
            middle = weights @ columns / weights.sum()
            target = 2.0 * problem.Y[:, label] - 1.0
            centre = weights @ target / weights.sum()
            weighted = weights[:, None] * (columns - middle)
            gram = weighted.T @ (columns - middle) + self.alpha * np.eye(len(used))
            found[0][label, used] = np.linalg.solve(gram, weighted.T @ (target - centre))
            found[1][label] = centre - middle @ found[0][label, used]
        coef, parent_coef = np.split(found[0], [n_features], axis=1)
        return LinearConditionals(problem.graph, coef, parent_coef, found[1], probabilistic=False, made_by="Ridge")


class Forgetful(Ridge):
    """Trains without the weights of rows."""

    def _fit(self, problem, start):
        return super()._fit(replace(problem, weights=None), start)


@pytest.mark.parametrize("learner", [Ridge()], ids=repr)
class TestLearner(LearnerConformance):
    tolerance = 1e-9


def test_a_forgetful_learner_is_found_out():
    assert failures(LearnerConformance, learner=Forgetful()) == [
        "test_constant_by_weight",
        "test_rows_of_weight_zero_are_absent",
        "test_weights_are_numbers_of_rows",
        "test_weights_of_each_label",
    ]


class Shares(WeightedClassifier):
    """Gives every row the labels that most training rows have, unless its nearest training row says more."""

    parameter_rules: ClassVar = {"s": (Interval(float, 0, None, closed="neither"),)}

    def __init__(self, s=1.0):
        self.s = s

    def _fit(self, X, Y, weights):
        self.rows_ = X.toarray() if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
        self.labels_ = Y.astype(np.float64)
        weights = np.ones(len(Y)) if weights is None else weights
        self.shares_ = (self.s + weights @ self.labels_) / (2 * self.s + weights.sum())

    def _marginals(self, X):
        rows = X.toarray() if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
        nearest = ((rows[:, None] - self.rows_) ** 2).sum(axis=2).argmin(axis=1)
        return 0.75 * self.labels_[nearest] + 0.25 * self.shares_


class Crowded(Shares):
    """Answers by the mean of the rows that are asked about together."""

    def _marginals(self, X):
        found = super()._marginals(X)
        return 0.5 * (found + found.mean(axis=0))


@pytest.mark.parametrize("model", [Shares()], ids=repr)
class TestBaseline(BaselineConformance):
    pass


def test_a_classifier_whose_rows_see_each_other_is_found_out():
    found = failures(BaselineConformance, model=Crowded())
    assert "test_rows_are_answered_alone_as_among_others" in found
    assert "test_scikit_learns_own_checks" in found


def balanced_accuracy(Y_true, Y_pred):
    """Mean of the share of true labels that are found and of other labels that are left out."""
    true, predicted = (
        np.asarray(labels.todense()) if sparse.issparse(labels) else labels
        for labels in label_pair("balanced_accuracy", Y_true, Y_pred)
    )
    shares = [(predicted[true == value] == value).mean() for value in (0, 1) if (true == value).any()]
    return float(np.mean(shares))


def first_row(Y_true, Y_pred):
    """Look at the first row only."""
    return balanced_accuracy(np.asarray(Y_true)[:1], np.asarray(Y_pred)[:1])


@pytest.mark.parametrize("metric", [balanced_accuracy])
class TestMetric(MetricConformance):
    bounds = (0.0, 1.0)


def test_a_metric_of_the_first_row_is_found_out():
    assert "test_the_order_of_rows_and_of_labels_has_no_effect" in failures(MetricConformance, metric=first_row)


def read_json_lines(path):
    """Read one object a line: features, and the list of labels under `labels`."""
    rows, labels = [], []
    lines = b"".join(blocks_of_lines(path)).splitlines()
    for number, line in enumerate(lines, 1):
        try:
            record = json.loads(line)
            labels.append([str(word) for word in record.pop("labels")])
            rows.append({str(name): float(value) for name, value in record.items()})
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as problem:
            raise DataError.at(path, number, "an object of numbers with a list of labels", repr(line[:40])) from problem
    if not rows:
        raise DataError.at(path, None, "a line at least", "none")
    columns, words = sorted({name for row in rows for name in row}), sorted({word for row in labels for word in row})
    X = np.array([[row.get(name, 0.0) for name in columns] for row in rows]).reshape(len(rows), len(columns))
    Y = np.array([[word in row for word in words] for row in labels], dtype=np.uint8).reshape(len(rows), len(words))
    try:
        return Dataset(X, Y, columns, words, "example")
    except DataError as problem:
        raise DataError.at(path, None, "a table of features and labels", str(problem)) from problem


class TestReader(ReaderConformance):
    suffix = ".jsonl"
    examples = (b'{"size": 1.5, "labels": ["sea"]}\n{"size": 2, "waves": 1, "labels": ["sea", "sun"]}\n',)

    def read(self, path):
        return read_json_lines(path)


def test_a_reader_that_lets_other_errors_out_is_found_out(tmp_path):
    class Hasty(TestReader):
        def read(self, path):
            record = json.loads(b"".join(blocks_of_lines(path)).splitlines()[0])
            return Dataset([[float(record["size"])]], [[1]], ["size"], record["labels"], "example")

    assert "test_broken_files_are_data_or_errors_of_one_line" in failures(Hasty, tmp_path=tmp_path)
