"""`LossConformance`: what every loss must do, as tests that an author of a loss derives."""

from itertools import permutations, product
from typing import Any

import numpy as np
from sklearn.base import clone

from plait.core.arrays import Floats
from plait.inference import LabelSupport
from plait.losses import Loss
from plait.metrics import loss_metric

__all__ = ["LossConformance"]


class LossConformance:
    """Tests of a loss, each against plain loops. Derive a class and give it losses.

    The tests take a `loss`: parametrise the class, or write a fixture of that name.

    Examples
    --------
    In a test file, with a loss of one's own:

    >>> import pytest
    >>> from plait.losses import Hamming
    >>> @pytest.mark.parametrize("loss", [Hamming()], ids=repr)
    ... class TestMine(LossConformance):
    ...     pass
    """

    def test_value_is_one_number_a_row_and_no_row_sees_another(self, loss: Loss) -> None:
        """Rows in another order have the same losses in that order."""
        Y, answers = _labels(30, 5, 0), _answers(loss, 30, 5, 1)
        values = np.asarray(loss.value(Y, answers))
        assert values.shape == (30,)
        assert np.isfinite(values).all()
        np.testing.assert_array_equal(loss.value(Y[::-1], answers[::-1]), values[::-1])
        assert np.asarray(loss.value(Y[:0], answers[:0])).shape == (0,)

    def test_pairwise_is_the_value_of_every_pair(self, loss: Loss) -> None:
        """A faster `pairwise` says what `value` says."""
        Y, answers = _labels(6, 5, 0), _answers(loss, 7, 5, 1)
        Y[0] = answers[0] = 0
        plain = [[loss.value(y[None], answer[None])[0] for answer in answers] for y in Y]
        np.testing.assert_allclose(loss.pairwise(Y, answers), plain, rtol=1e-15)

    def test_expected_is_the_weighted_mean(self, loss: Loss) -> None:
        """Of all vectors with probabilities, and of a sample."""
        for support in (_distribution(4, 4, 5), _sample(4, 30, 4, 6)):
            answers = _answers(loss, 4, 4, 7)
            plain = [_risk(loss, support, row, answer) for row, answer in enumerate(answers)]
            np.testing.assert_allclose(loss.expected(support, answers), plain, rtol=1e-12)

    def test_no_answer_is_better_than_the_decision(self, loss: Loss) -> None:
        """Of up to four labels all answers are tried: label sets, or orders of the labels for scores."""
        for support in (*(_distribution(3, q, q) for q in (1, 2, 4)), _sample(3, 9, 4, 2)):
            decided = loss.decide(support)
            answers = _all_answers(loss, support.n_labels)
            for row, answer in enumerate(decided):
                least = min(_risk(loss, support, row, other) for other in answers)
                assert _risk(loss, support, row, answer) <= least + 1e-12

    def test_the_decision_has_the_shape_and_kind_it_says(self, loss: Loss) -> None:
        """Labels are `uint8`, scores are floats; also of no rows, and of more labels than are enumerated."""
        for n_rows, n_labels in ((5, 1), (5, 3), (5, 14), (0, 3), (0, 14)):
            decided = loss.decide(_sample(n_rows, 20, n_labels, 3))
            assert decided.shape == (n_rows, n_labels)
            assert decided.dtype == (np.float64 if loss.answer == "scores" else np.uint8)
            assert loss.answer == "scores" or np.isin(decided, (0, 1)).all()

    def test_rows_are_decided_alone_as_among_others(self, loss: Loss) -> None:
        """A block of rows is decided as its rows are one by one."""
        for support in (_distribution(6, 4, 1), _sample(6, 40, 5, 2), _sample(6, 40, 14, 3)):
            whole = loss.decide(support)
            alone = [loss.decide(support.take(slice(row, row + 1)))[0] for row in range(6)]
            np.testing.assert_allclose(whole, alone, rtol=1e-12, atol=1e-15)

    def test_the_one_vector_of_a_search_is_the_decision(self, loss: Loss) -> None:
        """Where a search found one vector and knows nothing else, there is nothing to decide."""
        for n_labels in (1, 4, 14):
            vectors = _labels(6, n_labels, 0)[:, None]
            vectors[0], vectors[1] = 0, 1
            support = LabelSupport(vectors, np.full((6, 1), -2.0), "modes", "a search", np.zeros(6, bool))
            np.testing.assert_array_equal(loss.decide(support), vectors[:, 0])

    def test_it_is_a_small_estimator(self, loss: Loss) -> None:
        """`clone` and `repr` work, and the loss says what it wants from an inference."""
        assert repr(clone(loss)) == repr(loss)
        assert loss.wanted in ("mode", "marginals", "distribution")
        assert loss.answer in ("labels", "scores")

    def test_it_is_a_metric(self, loss: Loss) -> None:
        """The metric is the mean over rows, for labels in any form."""
        Y, answers = _labels(30, 5, 0), _answers(loss, 30, 5, 1)
        metric = loss_metric(loss)
        np.testing.assert_allclose(metric(Y, answers), np.mean(loss.value(Y, answers)), rtol=1e-12)
        np.testing.assert_allclose(metric(Y.tolist(), answers.tolist()), metric(Y, answers), rtol=1e-12)


def _labels(n_rows: int, n_labels: int, seed: int) -> Any:
    return np.random.default_rng(seed).integers(0, 2, (n_rows, n_labels)).astype(np.uint8)


def _answers(loss: Loss, n_rows: int, n_labels: int, seed: int) -> Any:
    """Return label sets, or scores with ties among them."""
    labels = _labels(n_rows, n_labels, seed)
    if loss.answer == "labels":
        return labels
    return labels + np.random.default_rng(seed).integers(0, 3, labels.shape).astype(np.float64)


def _all_answers(loss: Loss, n_labels: int) -> Any:
    if loss.answer == "scores":
        return np.array(list(permutations(range(n_labels))), dtype=np.float64)
    return np.array(list(product((0, 1), repeat=n_labels)), dtype=np.uint8)


def _distribution(n_rows: int, n_labels: int, seed: int) -> LabelSupport:
    vectors = np.array(list(product((0, 1), repeat=n_labels)), dtype=np.uint8)
    logs = np.random.default_rng(seed).normal(size=(n_rows, len(vectors)))
    every = np.broadcast_to(vectors, (n_rows, *vectors.shape))
    return LabelSupport(every, logs, "distribution", "random weights", np.ones(n_rows, dtype=np.bool_))


def _sample(n_rows: int, n_vectors: int, n_labels: int, seed: int) -> LabelSupport:
    vectors = _labels(n_rows * n_vectors, n_labels, seed).reshape(n_rows, n_vectors, n_labels)
    logs: Floats = np.random.default_rng(seed).normal(size=(n_rows, n_vectors))
    return LabelSupport(vectors, logs, "sample", "random draws", np.zeros(n_rows, dtype=np.bool_))


def _risk(loss: Loss, support: LabelSupport, row: int, answer: Any) -> float:
    weights = support.weights()[row]
    losses = [loss.value(vector[None], np.asarray(answer)[None])[0] for vector in support.vectors[row]]
    return float(sum(weight * value for weight, value in zip(weights, losses, strict=True)))
