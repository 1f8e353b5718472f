"""`LabelPowerset`: every distinct label set is a class [Tsoumakas2007]."""

from typing import Any, ClassVar

from plait.baselines.foundations.label_sets import LabelSetClassifier
from plait.baselines.foundations.meta_classifier import ESTIMATOR_RULE
from plait.core.checks import InstanceOf
from plait.losses import Loss

__all__ = ["LabelPowerset"]


class LabelPowerset(LabelSetClassifier):
    """One classifier over several classes, one class for each label set seen in training (LP) [Tsoumakas2007].

    Assumes that rows to come have label sets that were seen in training, each often enough to learn it: no other set
    can be predicted. A good choice for few labels or few distinct label sets when whole sets must be right, since it
    models all dependence between labels; with hundreds of rare sets use `PrunedSets` or `RAkEL`.

    With an estimator that has `predict_proba` it is a whole joint distribution over the seen label sets, so that
    marginals are exact sums and any loss can be minimised.

    Parameters
    ----------
    estimator : classifier, optional
        Any scikit-learn classifier of several classes; it is cloned. None is `LogisticLearner()` on all label sets in
        one batch, each against the others, with probabilities made to sum to one.
    loss : Loss or str, default="subset"
        What `predict` minimises the expectation of. "subset" takes the class that the estimator predicts, any other
        needs an estimator with `predict_proba`. May be changed after `fit`.

    Attributes
    ----------
    label_sets_ : ndarray of uint8, shape (n_sets, n_labels)
        The label sets, the smallest vector first; class c of `estimator_` is row c.
    estimator_ : classifier or None
        The fitted classifier; None where all training rows have the same label set.
    label_names_, n_labels_, n_features_in_, classes_
        As for all classifiers of plait.

    References
    ----------
    Tsoumakas and Katakis: Multi-label classification: an overview [Tsoumakas2007].

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> Y = np.column_stack([X[:, 0] > 0, X[:, 0] <= 0, X[:, 1] > 0]).astype(int)
    >>> model = LabelPowerset().fit(X, Y)
    >>> model.label_sets_
    array([[0, 1, 0],
           [0, 1, 1],
           [1, 0, 0],
           [1, 0, 1]], dtype=uint8)
    >>> model.predict([[2.0, 2.0], [-2.0, -2.0]])
    array([[1, 0, 1],
           [0, 1, 0]])
    >>> model.predict_proba([[0.0, 2.0]]).round(1)
    array([[0.5, 0.5, 1. ]])
    """

    parameter_rules: ClassVar[dict[str, Any]] = {
        "estimator": ESTIMATOR_RULE,
        "loss": (InstanceOf((Loss, str)),),
    }

    def __init__(self, estimator: Any = None, loss: Any = "subset") -> None:
        self.estimator = estimator
        self.loss = loss
