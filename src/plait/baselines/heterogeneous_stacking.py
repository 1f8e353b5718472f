"""CHF: a second layer of classifiers that sees what the first layer says about all labels [Godbole2004]."""

from typing import Any, ClassVar

import numpy as np
from scipy.special import expit

from plait import learners as learners_room
from plait.baselines.foundations.binary_learners import LabelRegressions
from plait.baselines.foundations.column_scaling import beside, divided_columns, unscaled_learner
from plait.core.arrays import Floats, Labels
from plait.core.checks import Boolean, HasMethods, InstanceOf, Interval, Nothing, OneOf, RandomState
from plait.core.naming import resolve
from plait.core.parallel import JOBS_RULES
from plait.core.sentences import ParameterError
from plait.data.folds import MultilabelStratifiedKFold
from plait.learners import Conditionals, Learner, LogisticLearner, SklearnLearner

__all__ = ["HeterogeneousStacking"]


class HeterogeneousStacking(LabelRegressions):
    """Classification with heterogeneous features (CHF): binary relevance, twice [Godbole2004].

    The first layer has one classifier for each label on x. The second layer has one for each label on x and what the
    first layer says about all labels, and decides.

    It assumes that a label follows from the features and from the other labels as far as these are seen in the
    features. A good choice where binary relevance does well but labels are strongly related, at twice its price for
    prediction and a few times for training; unlike a chain it needs no order of the labels.

    Parameters
    ----------
    learner : Learner or str, optional
        What both layers are trained by; None is `LogisticLearner()`.
    estimator : classifier, optional
        Any classifier of scikit-learn instead of a learner; cloned for each label and layer.
    n_folds : int, default=5
        The second layer is trained on outputs of the first for rows that took no part in its training: so many parts,
        in which labels are spread evenly, are left out in turn (one row each where there are fewer rows). The first
        layer that serves prediction is trained on all rows.
    in_sample : bool, default=False
        Train the second layer on outputs for the very rows the first layer was trained on, as the original does.
        Faster, but these outputs are better than those for new rows, and the second layer relies on them too much.
    outputs : {"probabilities", "labels"}, default="probabilities"
        What the second layer sees of the first.
    random_state : int, RandomState, Generator or None
        Shares out rows that would serve a fold equally well.
    n_jobs : int, optional
        How many labels are trained at once if an estimator is given; learners train all labels together anyway.

    Attributes
    ----------
    first_ : Conditionals
        The first layer, trained on all rows.
    conditionals_ : Conditionals
        The second layer, on the columns of X followed by the outputs for each label.
    label_names_, n_labels_, n_features_in_, classes_
        As for all classifiers.

    Notes
    -----
    Labels with one value only, among all rows or in the training part of a fold, are constants there, with the
    probability (n_1 + 1) / (N + 2).

    The outputs are never scaled; X is, as `LogisticLearner.standardize` says. An estimator with a scaler of its own
    blows up the outputs for rare labels: scale X before this classifier instead.

    References
    ----------
    Godbole and Sarawagi: Discriminative methods for multi-labeled classification [Godbole2004].

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 2))
    >>> first = X[:, 0] > 0.5
    >>> Y = np.column_stack([first, first & (X[:, 1] > 0)]).astype(int)  # the second label needs the first
    >>> model = HeterogeneousStacking(random_state=0).fit(X, Y)
    >>> model.predict([[1.5, 1.0], [-1.5, 1.0], [1.5, -1.0]])
    array([[1, 1],
           [0, 0],
           [1, 0]])
    """

    parameter_rules: ClassVar[dict[str, Any]] = {
        "learner": (InstanceOf((Learner, str)), Nothing()),
        "estimator": (HasMethods(("fit", "predict", "get_params", "set_params")), Nothing()),
        "n_folds": (Interval(int, 2, None),),
        "in_sample": (Boolean(),),
        "outputs": (OneOf(("probabilities", "labels")),),
        "random_state": (RandomState(),),
        "n_jobs": JOBS_RULES,
    }

    def __init__(
        self,
        learner: Any = None,
        estimator: Any = None,
        n_folds: int = 5,
        in_sample: bool = False,
        outputs: str = "probabilities",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.learner = learner
        self.estimator = estimator
        self.n_folds = n_folds
        self.in_sample = in_sample
        self.outputs = outputs
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fit(self, X: Any, Y: Labels, sample_weight: Any) -> None:
        learner = self._learner()
        self.first_ = learner.fit(X, Y)
        if self.in_sample or len(Y) == 1:
            outputs = self._outputs(self.first_, X)
        else:
            outputs = self._held_out_outputs(learner, X, Y)
        self.conditionals_ = self._second_layer(learner, X, outputs, Y)

    def _second_layer(self, learner: Learner, X: Any, outputs: Floats, Y: Labels) -> Conditionals:
        """Train on X, scaled as the learner does it, and on outputs that keep their scale.

        The outputs for a rare label hardly vary in training. Divided by their deviation, what a first layer trained on
        all rows says instead of one trained without a fold would outweigh everything else.
        """
        learner, scales = unscaled_learner(learner, X, None)
        fitted = learner.fit(beside(divided_columns(X, scales), outputs), Y)
        return fitted.divided_by(np.concatenate([scales, np.ones(outputs.shape[1])]))

    def _learner(self) -> Learner:
        if self.estimator is None:
            chosen = LogisticLearner() if self.learner is None else self.learner
            return resolve(type(self).__name__, "learner", chosen, learners_room, Learner)
        if self.learner is not None:
            raise ParameterError(
                f"{type(self).__name__} needs a learner or an estimator, but both are given. Leave one of them at None."
            )
        return SklearnLearner(self.estimator, n_jobs=self.n_jobs)

    def _held_out_outputs(self, learner: Learner, X: Any, Y: Labels) -> Floats:
        """Return the outputs of first layers that have not seen the row they are asked about."""
        outputs = np.empty(Y.shape)
        folds = MultilabelStratifiedKFold(min(int(self.n_folds), len(Y)), random_state=self.random_state)
        for rows, held_rows in folds.split(Y, Y):
            outputs[held_rows] = self._outputs(learner.fit(X[rows], Y[rows]), X[held_rows])
        return outputs

    def _outputs(self, layer: Conditionals, X: Any) -> Floats:
        scores = layer.base_scores(X)
        if self.outputs == "labels":
            return (scores > 0).astype(np.float64)
        layer.require_probabilities(f"{type(self).__name__} with outputs='probabilities'")
        return np.asarray(expit(scores))

    def _columns(self, X: Any) -> Any:
        return beside(X, self._outputs(self.first_, X))

    def _probabilistic(self) -> bool:
        if self.estimator is not None and not hasattr(self, "conditionals_"):
            return hasattr(self.estimator, "predict_proba")
        return super()._probabilistic()

    def _finite(self) -> bool | str:
        return "allow-nan" if self.estimator is not None else True
