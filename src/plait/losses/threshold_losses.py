"""`MicroF1` and `MacroF1`: a label is given where its marginal is above a threshold that a model finds at `fit`."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from plait.core.arrays import Floats, Labels
from plait.core.checks import Constraint, Interval, Nothing, check_parameters
from plait.core.naming import registered
from plait.core.sentences import ParameterError
from plait.inference import LabelSupport
from plait.losses.loss import Loss, checked_pair

__all__ = ["MacroF1", "MicroF1"]


class Shares(Constraint):
    """A number from 0 to 1 for each label."""

    def accepts(self, value: Any) -> bool:
        """Say whether all are numbers from 0 to 1."""
        table = np.asarray(value) if isinstance(value, list | tuple | np.ndarray) else np.empty((0, 0))
        return table.ndim == 1 and table.dtype.kind in "iuf" and bool(((table >= 0) & (table <= 1)).all())

    def describe(self) -> str:
        """Say so."""
        return "a number from 0 to 1 for each label"

    def wrong(self) -> list[Any]:
        """Return what lies outside, a word, and a table."""
        return [[1.5], ["half"], [[0.5]]]


class ThresholdLoss(Loss):
    """Base of both: a label missed costs 1 - t and one too many costs t, so that labels with P > t have least risk."""

    wanted: ClassVar[str] = "marginals"
    needs_thresholds: ClassVar[bool] = True

    def __init__(self, thresholds: Any = None) -> None:
        self.thresholds = thresholds

    def with_thresholds(self, found: Mapping[str, Any] | None) -> Self:
        """Return the loss with its thresholds: its own if it has some, else those that a model found."""
        word = registered(type(self).__name__)
        if self.thresholds is not None:
            return self
        if found is None or word not in found:
            raise ParameterError(
                f"{type(self).__name__} needs thresholds that a model finds at fit, but this model was fitted for "
                f"another loss and looked for none. Fit it with loss={word!r}, after which it answers for other losses "
                "too, or put it into plait.trust.TunedThresholds."
            )
        return type(self)(found[word])

    def _limits(self, n_labels: int) -> Floats:
        """Return the threshold of every label."""
        check_parameters(self)
        limits = np.asarray(self.with_thresholds(None).thresholds, dtype=np.float64)
        if limits.ndim and limits.shape != (n_labels,):
            raise ParameterError(
                f"{type(self).__name__} needs a threshold for each of {n_labels} labels, but there are {limits.size}. "
                "Pass as many as there are labels."
            )
        return np.broadcast_to(limits, (n_labels,))

    def value(self, Y: Any, Y_pred: Any) -> Floats:
        """Return the mean cost of the labels of every row."""
        true, answers = checked_pair(type(self).__name__, Y, Y_pred)
        return self._cost((true == 1).astype(np.float64), answers)

    def _cost(self, marginals: Floats, answers: Any) -> Floats:
        limits = self._limits(marginals.shape[1])
        costs = np.where(answers == 1, limits * (1.0 - marginals), (1.0 - limits) * marginals)
        return np.asarray(costs.mean(axis=1))

    def expected(self, support: LabelSupport, Y_pred: Any) -> Floats:
        """Return the expected loss of every row's answer, from the marginals."""
        return self._cost(*checked_pair(type(self).__name__, support.marginal_estimate(), Y_pred))

    def decide(self, support: LabelSupport) -> Labels:
        """Return the labels whose marginals exceed their thresholds."""
        return (support.marginal_estimate() > self._limits(support.n_labels)).astype(np.uint8)


class MicroF1(ThresholdLoss):
    """Errors weighed so that the best decisions have the largest expected micro-F1: one threshold for all labels.

    Micro-F1 is of many rows together and no mean over rows, so no row has a micro-F1 of its own to be best for. But
    among all answers for many rows the largest ratio of expectations F* belongs to those labels whose marginals exceed
    F* / 2 [Lipton2014]. A model fitted with `loss="micro_f1"` finds this threshold on its training rows, out of fold
    (`thresholds_`, see `micro_f1_threshold`); the answer for a row then depends on that row alone. `value` is what such
    decisions minimise: the mean over labels of 1 - t for a label missed and t for one too many. The score itself is
    `plait.metrics.micro_f1`.

    Parameters
    ----------
    thresholds : float, optional
        Labels with a marginal above it are given; None takes the one that the model found.

    References
    ----------
    [Lipton2014] Lipton, Elkan and Naryanaswamy: Optimal thresholding of classifiers to maximize F1 measure, 2014.

    Examples
    --------
    >>> MicroF1(0.25).value([[1, 0], [1, 1]], [[1, 1], [0, 1]])
    array([0.125, 0.375])
    """

    parameter_rules: ClassVar[dict[str, tuple[Constraint, ...]]] = {"thresholds": (Interval(float, 0, 1), Nothing())}


class MacroF1(ThresholdLoss):
    """Errors weighed so that the best decisions have the largest expected macro-F1: one threshold for each label.

    As `MicroF1`, label by label: the mean of the labels' F1 is largest where each is. Rare labels get low thresholds.
    A label that no training row has is never given (its threshold is 1).

    Parameters
    ----------
    thresholds : array of shape (n_labels,) or float, optional
        A label is given where its marginal is above its threshold; None takes those that the model found.

    References
    ----------
    [Lipton2014] Lipton, Elkan and Naryanaswamy: Optimal thresholding of classifiers to maximize F1 measure, 2014.

    Examples
    --------
    >>> MacroF1([0.25, 0.5]).value([[1, 0], [1, 1]], [[1, 1], [0, 1]])
    array([0.25 , 0.375])
    """

    parameter_rules: ClassVar[dict[str, tuple[Constraint, ...]]] = {
        "thresholds": (Shares(), Interval(float, 0, 1), Nothing())
    }
