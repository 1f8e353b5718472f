"""`MetricConformance`: what every metric must do, as tests that an author of a metric derives."""

import inspect
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from plait.core.arrays import Array, Labels
from plait.metrics.label_metrics import LossMetric

__all__ = ["MetricConformance"]

Metric = Callable[[Any, Any], float]

_FORMS: tuple[Callable[[Any], Any], ...] = (
    np.asfortranarray,
    np.ndarray.tolist,
    sparse.csr_matrix,
    sparse.csc_array,
    sparse.coo_array,
)


class MetricConformance:
    """Laws of metrics: one value for every form of input, for any order of rows and of labels.

    The tests take a `metric`, a function of `Y_true` and of predicted labels (where its second parameter is called
    `Y_pred`) or scores between 0 and 1: parametrise the class, or write a fixture of that name. `bounds` says what it
    may be, at least and at most.

    Examples
    --------
    In a test file, with a metric of one's own:

    >>> import pytest
    >>> from plait.metrics import hamming_loss
    >>> @pytest.mark.parametrize("metric", [hamming_loss])
    ... class TestMine(MetricConformance):
    ...     pass
    """

    bounds: ClassVar[tuple[float, float]] = (0.0, np.inf)

    def test_it_is_a_number_within_its_bounds(self, metric: Metric) -> None:
        """A Python float, never NaN."""
        for Y, answer in _cases(metric):
            value = metric(Y, answer)
            assert isinstance(value, float)
            assert self.bounds[0] <= value <= self.bounds[1]

    def test_lists_and_sparse_matrices_give_the_same_value(self, metric: Metric) -> None:
        """The truth and the answer may have different forms."""
        for number, (Y, answer) in enumerate(_cases(metric)):
            expected = metric(Y, answer)
            for first in _FORMS:
                second = _FORMS[number % len(_FORMS)]
                _assert_close(metric(first(Y), second(answer)), expected)

    def test_the_order_of_rows_and_of_labels_has_no_effect(self, metric: Metric) -> None:
        """Rows and labels may be shuffled."""
        rng = np.random.default_rng(1)
        for Y, answer in _cases(metric):
            rows, labels = rng.permutation(Y.shape[0]), rng.permutation(Y.shape[1])
            _assert_close(metric(Y[rows][:, labels], answer[rows][:, labels]), metric(Y, answer))

    def test_rows_that_stand_twice_change_nothing_but_a_sum(self, metric: Metric) -> None:
        """All rows twice: the same value, or twice the value of a sum over rows, always the same of the two."""
        values = np.array([metric(*case) for case in _cases(metric)])
        twice = np.array([metric(np.vstack([Y, Y]), np.vstack([H, H])) for Y, H in _cases(metric)])
        same, double = (np.allclose(twice, factor * values, rtol=1e-12, atol=1e-15) for factor in (1.0, 2.0))
        assert same or double

    def test_the_input_is_left_alone(self, metric: Metric) -> None:
        """Arrays and sparse matrices are as they were."""
        for Y, answer in _cases(metric):
            for form in (np.asarray, sparse.csr_matrix):
                given = form(Y), form(answer)
                kept = [table.copy() for table in given]
                metric(*given)
                assert all((table != copy).sum() == 0 for table, copy in zip(given, kept, strict=True))

    def test_what_has_not_the_shape_of_the_truth_is_refused(self, metric: Metric) -> None:
        """A wrong shape, and labels that are not 0 or 1, end in an error of one line."""
        Y, answer = next(iter(_cases(metric)))
        for wrong in ((Y, answer[:-1]), (Y, answer[:, :-1]), (Y + 2, answer)):
            with np.testing.assert_raises_regex(ValueError, r"\A[^\n]+\Z"):
                metric(*wrong)


def _takes_labels(metric: Metric) -> bool:
    if isinstance(metric, LossMetric):
        return metric.loss.answer == "labels"
    return list(inspect.signature(metric).parameters)[1] == "Y_pred"


def _cases(metric: Metric) -> list[tuple[Labels, Array]]:
    """Return true labels and answers: rows and columns of zeros and ones among them, ties among scores."""
    rng = np.random.default_rng(0)
    cases = []
    for shape in ((4, 3), (1, 1), (1, 4), (6, 1), (7, 5), (30, 6)):
        Y, H = rng.integers(0, 2, (2, *shape)).astype(np.uint8)
        Y[0], H[:, 0] = 0, 0
        Y[-1, -1] = 1
        scores = rng.choice([0.1, 0.25, 0.5, 0.9], shape)
        cases.append((Y, H if _takes_labels(metric) else scores))
    return cases


def _assert_close(value: float, expected: float) -> None:
    np.testing.assert_allclose(value, expected, rtol=1e-12, atol=1e-15)
