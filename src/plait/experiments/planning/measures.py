"""What is measured in a cell: names, directions, and what a model must answer for each.

A measure of one's own is the import path of a function of true and predicted labels, or `scores:` and the path of a
function of true labels and scores. Those of `plait.metrics` and `sklearn.metrics` are data, others are code.

The usual measures of labels cost nothing and are always taken. Those of scores need marginals and those of the joint
need log P(y | x), which can cost more than the prediction itself: they are taken when a plan names one of their group.
All others are taken when a plan names them.
"""

import inspect
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from plait import metrics
from plait.core.sentences import ParameterError, shown
from plait.experiments.planning.plan_objects import imported_object, is_foreign

__all__ = [
    "JOINT_MEASURES",
    "LABEL_MEASURES",
    "MEASURES",
    "SCORE_MEASURES",
    "SHOWN_MEASURES",
    "USUAL_MEASURES",
    "answers_needed",
    "is_own_measure",
    "of_scores",
    "own_measure",
    "smaller_is_better",
]

Measure = Callable[[Any, Any], float]

LABEL_MEASURES: dict[str, Measure] = {
    "exact_match": metrics.exact_match,
    "subset_loss": metrics.subset_loss,
    "hamming_score": metrics.hamming_score,
    "hamming_loss": metrics.hamming_loss,
    "jaccard_accuracy": metrics.jaccard_accuracy,
    "sample_f1": metrics.sample_f1,
    "macro_f1": metrics.macro_f1,
    # A label that is neither true nor predicted in any row counts 1 instead of 0: papers differ.
    "macro_f1_absent_1": partial(metrics.macro_f1, zero_division=1),
    "micro_f1": metrics.micro_f1,
}
SCORE_MEASURES: dict[str, Measure] = {
    "ranking_loss": metrics.ranking_loss,
    "normalized_coverage": metrics.normalized_coverage,
}
JOINT_MEASURES: dict[str, Measure] = {
    "cll_loss": metrics.cll_loss,
    # The mean over rows, to compare test parts of different sizes.
    "log_loss": partial(metrics.cll_loss, mean=True),
}
_FURTHER_OF_LABELS: dict[str, Measure] = {
    **{
        f"{mean}_{what}": getattr(metrics, f"{mean}_{what}")
        for what in ("precision", "recall")
        for mean in ("sample", "macro", "micro")
    },
    # The harmonic mean of mean precision and mean recall, 0/0 counting 1: papers differ.
    "macro_f1_of_means": partial(metrics.macro_f1, averaged="precision_recall", zero_division=1),
}
_FURTHER_OF_SCORES: dict[str, Measure] = {
    "one_error": metrics.one_error,
    # The first place of a ranking counts 1 instead of 0: papers differ.
    "normalized_coverage_from_1": partial(metrics.normalized_coverage, count_from=1),
    "sample_average_precision": metrics.sample_average_precision,
    "macro_average_precision": metrics.macro_average_precision,
    "micro_average_precision": metrics.micro_average_precision,
    "sample_roc_auc": metrics.sample_roc_auc,
    "macro_roc_auc": metrics.macro_roc_auc,
    "micro_roc_auc": metrics.micro_roc_auc,
    **{f"precision_at_{k}": partial(metrics.precision_at_k, k=k) for k in (1, 3, 5)},
    **{f"ndcg_at_{k}": partial(metrics.ndcg_at_k, k=k) for k in (1, 3, 5)},
}
_FURTHER = _FURTHER_OF_LABELS | _FURTHER_OF_SCORES
_SCORES = "scores:"
_KNOWN = ("plait.metrics.", "sklearn.metrics.")
USUAL_MEASURES: dict[str, Measure] = LABEL_MEASURES | SCORE_MEASURES | JOINT_MEASURES
MEASURES: dict[str, Measure] = USUAL_MEASURES | _FURTHER
# What a report shows of a plan that names none: one of each kind.
SHOWN_MEASURES = ("exact_match", "hamming_loss", "micro_f1", "macro_f1", "log_loss")


def smaller_is_better(measure: str) -> bool:
    """Say whether smaller values of a measure are better.

    Examples
    --------
    >>> smaller_is_better("hamming_loss"), smaller_is_better("normalized_coverage"), smaller_is_better("micro_f1")
    (True, True, False)
    """
    return measure.endswith(("loss", "error")) or measure.startswith("normalized_coverage")


def is_own_measure(word: Any) -> bool:
    """Say whether a measure is taken only where a plan names it: plait's further ones, and import paths."""
    return isinstance(word, str) and ("." in word or word in _FURTHER)


def of_scores(word: str) -> bool:
    """Say whether a measure needs scores."""
    return word in SCORE_MEASURES or word in _FURTHER_OF_SCORES or word.startswith(_SCORES)


def own_measure(word: str, *, allow_imports: bool = False) -> Measure:
    """Return the function that a word or a path names; nothing foreign is imported unless that is allowed.

    Examples
    --------
    >>> own_measure("scores:sklearn.metrics.label_ranking_loss")([[1, 0]], [[0.9, 0.2]])
    0.0
    """
    if word in _FURTHER:
        return _FURTHER[word]
    path = word.removeprefix(_SCORES)
    if is_foreign(path) and not allow_imports:
        raise ParameterError(
            f"metric {shown(word)} is code from outside plait and scikit-learn, which a plan may not run by itself. "
            "Allow it (--allow-imports, allow_imports=True) if you know where the plan comes from."
        )
    found = imported_object(path) if is_foreign(path) or path.startswith(_KNOWN) else None
    if not inspect.isfunction(found):
        raise ParameterError(
            f"metric {shown(word)} is no function of plait.metrics or sklearn.metrics. Pass one of them."
        )
    return found


def answers_needed(measures: Iterable[str]) -> tuple[str, ...]:
    """Return what a model is asked for to take the measures.

    Examples
    --------
    >>> answers_needed(["exact_match"]), answers_needed(["cll_loss", "ranking_loss"])
    (('labels',), ('labels', 'scores', 'joint'))
    """
    names = set(measures)
    groups = (("labels", names), ("scores", any(map(of_scores, names))), ("joint", names & set(JOINT_MEASURES)))
    return tuple(word for word, wanted in groups if wanted)
