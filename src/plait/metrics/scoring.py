"""The metrics as scikit-learn scorers, by name.

A scorer's value is the larger the better, so losses come back with their sign turned.
"""

from collections.abc import Callable, Mapping
from typing import Any

from sklearn.metrics import make_scorer

from plait.metrics.f1 import macro_f1, micro_f1, sample_f1
from plait.metrics.label_sets import exact_match, hamming_loss, hamming_score, jaccard_accuracy, subset_loss
from plait.metrics.likelihood import cll_loss
from plait.metrics.ranking import normalized_coverage, ranking_loss
from plait.metrics.responses import label_scores, log_likelihoods

__all__ = ["ResponseScorer", "ScorerTable", "label_scorers", "scorers"]

Metric = Callable[[Any, Any], float]
Response = Callable[[str, Any, Any, Any], Any]


class ResponseScorer:
    """A scorer of a loss that needs scores or probabilities of an estimator, not its labels.

    scikit-learn's own scorers take the last column of each label's `predict_proba`, which is wrong for a label that
    was absent in training, and in a dict they stop all other scorers where an estimator has no `predict_proba`.
    """

    def __init__(self, loss: Metric, response: Response) -> None:
        self.loss = loss
        self.response = response

    def __call__(self, estimator: Any, X: Any, Y: Any) -> float:
        """Return minus the loss of the estimator's answer for X."""
        name = self.loss.__name__
        return -self.loss(Y, self.response(name, estimator, X, Y))

    def __repr__(self) -> str:
        return f"ResponseScorer({self.loss.__name__}, {self.response.__name__})"

    def _accept_sample_weight(self) -> bool:
        # Asked by scikit-learn's searches when they are fitted with weights.
        return False


class ScorerTable(dict[str, Any]):
    """Name -> scorer, with a docstring of its own; an unknown name lists the known ones."""

    def __init__(self, scorers: Mapping[str, Any], doc: str) -> None:
        super().__init__(scorers)
        self.__doc__ = doc

    def __missing__(self, name: str) -> Any:
        raise KeyError(f"there is no scorer {name!r}; there are {', '.join(sorted(self))}")


label_scorers = ScorerTable(
    {metric.__name__: make_scorer(metric) for metric in (exact_match, hamming_score, jaccard_accuracy)}
    | {metric.__name__: make_scorer(metric) for metric in (sample_f1, macro_f1, micro_f1)}
    | {loss.__name__: make_scorer(loss, greater_is_better=False) for loss in (subset_loss, hamming_loss)},
    "Scorers that need only `predict`, by the name of their metric; losses are negated.",
)

scorers = ScorerTable(
    label_scorers
    | {loss.__name__: ResponseScorer(loss, label_scores) for loss in (ranking_loss, normalized_coverage)}
    | {"cll_loss": ResponseScorer(cll_loss, log_likelihoods)},
    "All scorers, by the name of their metric; losses are negated. Those of `ranking_loss` and `normalized_coverage` "
    "need `predict_proba` or `decision_function`, that of `cll_loss` needs `joint` or `predict_proba`.",
)
