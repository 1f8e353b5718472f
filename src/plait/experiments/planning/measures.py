"""What is measured in a cell: names, directions, and what a model must answer for each.

Measures of labels cost nothing and are always taken. Those of scores need marginals and those of the joint need
log P(y | x), which can cost more than the prediction itself: they are taken when a plan names one of their group.
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from plait import metrics

__all__ = ["JOINT_MEASURES", "LABEL_MEASURES", "MEASURES", "SCORE_MEASURES", "answers_needed", "smaller_is_better"]

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
MEASURES: dict[str, Measure] = LABEL_MEASURES | SCORE_MEASURES | JOINT_MEASURES


def smaller_is_better(measure: str) -> bool:
    """Say whether smaller values of a measure are better.

    Examples
    --------
    >>> smaller_is_better("hamming_loss"), smaller_is_better("normalized_coverage"), smaller_is_better("micro_f1")
    (True, True, False)
    """
    return measure.endswith("loss") or measure == "normalized_coverage"


def answers_needed(measures: Iterable[str]) -> tuple[str, ...]:
    """Return what a model is asked for to take the measures.

    Examples
    --------
    >>> answers_needed(["exact_match"]), answers_needed(["cll_loss", "ranking_loss"])
    (('labels',), ('labels', 'scores', 'joint'))
    """
    names = set(measures)
    groups = (("labels", names), ("scores", names & set(SCORE_MEASURES)), ("joint", names & set(JOINT_MEASURES)))
    return tuple(word for word, wanted in groups if wanted)
