"""The metrics as scikit-learn scorers, by name.

A scorer's value is the larger the better, so losses come back with their sign turned. Scores of every label come from
a fitted estimator in whichever form scikit-learn's classifiers give them: `predict_proba` is an array (n_samples,
n_labels) for some classes and a list of one array (n_samples, n_classes) per label for others. In a list, a label that
was constant in training has a single column, which is P(0) or P(1) according to `classes_`; taking the last column, as
is often done, turns an absent label into a certain one.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.metrics import make_scorer
from sklearn.pipeline import Pipeline

from plait import losses as losses_room
from plait.core.label_forms import LabelTable, label_rows_of, read_labels
from plait.core.naming import registry
from plait.core.unknown_labels import given_again
from plait.data.errors import DataError
from plait.losses import Loss
from plait.metrics.curves import (
    macro_average_precision,
    macro_roc_auc,
    micro_average_precision,
    micro_roc_auc,
    sample_roc_auc,
)
from plait.metrics.inputs import label_matrix
from plait.metrics.label_metrics import (
    LossMetric,
    exact_match,
    hamming_loss,
    hamming_score,
    jaccard_accuracy,
    macro_f1,
    micro_f1,
    sample_f1,
    subset_loss,
)
from plait.metrics.likelihood import cll_loss
from plait.metrics.precision_recall import (
    macro_precision,
    macro_recall,
    micro_precision,
    micro_recall,
    sample_precision,
    sample_recall,
)
from plait.metrics.ranking import (
    ndcg_at_k,
    normalized_coverage,
    one_error,
    precision_at_k,
    ranking_loss,
    sample_average_precision,
)

__all__ = [
    "LabelScorer",
    "ResponseScorer",
    "ScorerTable",
    "label_probabilities",
    "label_scorers",
    "label_scores",
    "log_likelihoods",
    "scorers",
]


def label_names_of(estimator: Any) -> list[str] | None:
    """Return the names of a fitted estimator's labels, also inside pipelines and finished searches; None without."""
    while not hasattr(estimator, "label_names_"):
        if isinstance(estimator, Pipeline):
            estimator = estimator.steps[-1][1]
        elif hasattr(estimator, "best_estimator_"):
            estimator = estimator.best_estimator_
        else:
            return None
    return [str(name) for name in estimator.label_names_]


def labels_for(estimator: Any, Y: Any, *, more: bool = False) -> LabelTable | None:
    """Return rows of names, or a frame, as a table in the order of the estimator's labels; None for other forms."""
    known = label_names_of(estimator)
    if known is None or (not hasattr(Y, "columns") and label_rows_of("a scorer", "Y", Y, DataError) is None):
        return None
    return read_labels("a scorer", "Y", Y, DataError, known, more=more)


def label_probabilities(owner: str, estimator: Any, X: Any, Y: Any) -> Any:
    """Return marginal probabilities of shape (n_samples, n_labels) from `predict_proba`."""
    if not hasattr(estimator, "predict_proba"):
        raise _lacking(owner, estimator, "predict_proba", "Wrap it in a calibrated or probabilistic classifier")
    response = estimator.predict_proba(X)
    classes = getattr(estimator, "classes_", None)
    if isinstance(response, list):
        known = classes if isinstance(classes, list) else [None] * len(response)
        columns = [_positive(owner, table, known[j]) for j, table in enumerate(response)]
        return np.column_stack(columns)
    if _n_labels(owner, Y) == 1:
        return _single_label(response, classes)
    return response


def label_scores(owner: str, estimator: Any, X: Any, Y: Any) -> Any:
    """Return scores of shape (n_samples, n_labels): probabilities, else values of the decision function."""
    if hasattr(estimator, "predict_proba"):
        return label_probabilities(owner, estimator, X, Y)
    if hasattr(estimator, "decision_function"):
        return estimator.decision_function(X)
    raise _lacking(owner, estimator, "predict_proba or decision_function", "Use an estimator that has one of them")


def log_likelihoods(owner: str, estimator: Any, X: Any, Y: Any) -> Any:
    """Return log P(y | x) of the true label sets from a joint model, else marginals from `predict_proba`.

    Of a row with unknown labels (NaN) it is that of the known ones.

    A joint model is found inside pipelines and finished searches too; its own likelihood is then used, since the
    product of its marginals is another number.
    """
    model, X_inside = estimator, X
    while not hasattr(model, "joint"):
        if isinstance(model, Pipeline) and len(model.steps) > 1:
            X_inside, model = model[:-1].transform(X_inside), model.steps[-1][1]
        elif hasattr(model, "best_estimator_"):
            model = model.best_estimator_
        else:
            return label_probabilities(owner, estimator, X, Y)
    return model.joint(X_inside).log_prob(given_again(label_matrix(owner, "Y_true", Y, unknown=True)))


def _lacking(owner: str, estimator: Any, methods: str, todo: str) -> DataError:
    return DataError(
        f"{owner} needs an estimator with {methods}, but {type(estimator).__name__} has none. "
        f"{todo}, or score with plait.metrics.label_scorers."
    )


def _n_labels(owner: str, Y: Any) -> int:
    return int(label_matrix(owner, "Y_true", Y, unknown=True).shape[1])


def _positive(owner: str, table: Any, classes: Any) -> Any:
    """Return the column of class 1 of one label; a label without that class has probability 0."""
    if classes is None:
        if table.shape[1] != 2:
            raise DataError(
                f"{owner} needs an estimator whose classes_ say what its single column of predict_proba is, "
                "but it has no such list. Fit it on data where no label is constant."
            )
        return table[:, 1]
    column = np.flatnonzero(np.asarray(classes) == 1)
    return table[:, column[0]] if column.size else np.zeros(table.shape[0])


def _single_label(response: Any, classes: Any) -> Any:
    """Return P(1) of the only label; a binary classifier answers with one column per class, not per label."""
    table = np.asarray(response)
    if table.ndim == 1 or classes is None or isinstance(classes, list):
        return table
    values = np.asarray(classes)
    # One class seen in training: some classifiers give its column of ones, others two columns that mean nothing.
    if values.size == 1 and (table.shape[1] == 2 or np.all(table == 1.0)):
        return np.full(table.shape[0], float(values[0] == 1)).reshape(-1, 1)
    return _positive("", table, values).reshape(-1, 1) if table.shape[1] == 2 else table


Metric = Callable[[Any, Any], float]
Response = Callable[[str, Any, Any, Any], Any]


class ResponseScorer:
    """A scorer of a metric that needs scores or probabilities of an estimator, not its labels.

    scikit-learn's own scorers take the last column of each label's `predict_proba`, which is wrong for a label that
    was absent in training, and in a dict they stop all other scorers where an estimator has no `predict_proba`.
    """

    def __init__(self, metric: Metric, response: Response, sign: int = -1) -> None:
        self.metric = metric
        self.response = response
        self.sign = sign

    def __call__(self, estimator: Any, X: Any, Y: Any) -> float:
        """Return the metric of the estimator's answer for X, with its sign turned where the smaller is the better."""
        name = self.metric.__name__
        named = labels_for(estimator, Y)
        Y = Y if named is None else named.table
        return self.sign * self.metric(Y, self.response(name, estimator, X, Y))

    def __repr__(self) -> str:
        return f"ResponseScorer({self.metric.__name__}, {self.response.__name__})"

    def _accept_sample_weight(self) -> bool:
        # Asked by scikit-learn's searches when they are fitted with weights.
        return False


class LabelScorer(type(make_scorer(exact_match))):  # type: ignore[misc]
    """scikit-learn's scorer of predicted labels, which also takes rows of names.

    Names that the estimator has never seen are columns that it predicts as 0. Derived from scikit-learn's own class,
    for only those share one prediction among several scorers.
    """

    def _score(self, method_caller: Any, estimator: Any, X: Any, y_true: Any, *args: Any, **kwargs: Any) -> float:
        named = labels_for(estimator, y_true, more=True)
        if named is None:
            return float(super()._score(method_caller, estimator, X, y_true, *args, **kwargs))
        n_labels = named.table.shape[1]

        def padded(*asked: Any, **how: Any) -> Any:
            labels = np.asarray(method_caller(*asked, **how))
            return np.pad(labels, ((0, 0), (0, max(0, n_labels - labels.shape[-1]))))

        return float(super()._score(padded, estimator, X, named.table, *args, **kwargs))


def _label_scorer(metric: Any, *, greater_is_better: bool = True) -> Any:
    scorer = make_scorer(metric, greater_is_better=greater_is_better)
    scorer.__class__ = LabelScorer
    return scorer


class ScorerTable(dict[str, Any]):
    """Name -> scorer, with a docstring of its own; an unknown name lists the known ones."""

    def __init__(self, scorers: Mapping[str, Any], doc: str) -> None:
        super().__init__(scorers)
        self.__doc__ = doc

    def __missing__(self, name: str) -> Any:
        raise KeyError(f"there is no scorer {name!r}; there are {', '.join(sorted(self))}")


# Every loss that `plait.losses` knows is a metric and a scorer; some metrics have names of their own.
# Losses of thresholds are no means over rows: `micro_f1` and `macro_f1` are what they are for.
_OF_LOSSES = [LossMetric(kind()) for kind in registry(losses_room, Loss).values() if not kind.needs_thresholds]
_LABEL_LOSSES: list[Any] = [metric for metric in _OF_LOSSES if metric.loss.answer == "labels"]
_SCORE_LOSSES: list[Any] = [metric for metric in _OF_LOSSES if metric.loss.answer == "scores"]

_OF_LABELS = (macro_precision, macro_recall, micro_precision, micro_recall, sample_precision, sample_recall)
_OF_SCORES: tuple[Any, ...] = (
    *(macro_average_precision, micro_average_precision, sample_average_precision),
    *(macro_roc_auc, micro_roc_auc, sample_roc_auc, ndcg_at_k, precision_at_k),
)

label_scorers = ScorerTable(
    {metric.__name__: _label_scorer(metric) for metric in (exact_match, hamming_score, jaccard_accuracy)}
    | {metric.__name__: _label_scorer(metric) for metric in (sample_f1, macro_f1, micro_f1)}
    | {metric.__name__: _label_scorer(metric) for metric in _OF_LABELS}
    | {
        metric.__name__: _label_scorer(metric, greater_is_better=False)
        for metric in (*_LABEL_LOSSES, subset_loss, hamming_loss)
    },
    "Scorers that need only `predict`, by the name of their metric; losses are negated. A loss called `Own` that "
    "`plait.losses` exports is here as `own_loss`.",
)

scorers = ScorerTable(
    label_scorers
    | {
        metric.__name__: ResponseScorer(metric, label_scores)
        for metric in (*_SCORE_LOSSES, ranking_loss, normalized_coverage, one_error)
    }
    | {metric.__name__: ResponseScorer(metric, label_scores, 1) for metric in _OF_SCORES}
    | {"cll_loss": ResponseScorer(cll_loss, log_likelihoods)},
    "All scorers, by the name of their metric; losses are negated. Those of rankings and curves, and of losses that "
    "take scores, need `predict_proba` or `decision_function`, that of `cll_loss` needs `joint` or `predict_proba`.",
)
