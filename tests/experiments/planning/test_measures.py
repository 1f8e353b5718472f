"""Which measures are taken always, and which where a plan names them."""

import numpy as np
import pytest

from plait import metrics
from plait.experiments.planning.measures import (
    MEASURES,
    USUAL_MEASURES,
    answers_needed,
    is_own_measure,
    of_scores,
    own_measure,
    smaller_is_better,
)
from plait.experiments.running.answers import Answers, measured

Y = np.array([[1, 0, 1], [0, 1, 0]], dtype=np.uint8)
LABELS = np.array([[1, 1, 0], [0, 1, 0]], dtype=np.uint8)
SCORES = np.array([[0.9, 0.6, 0.2], [0.1, 0.8, 0.3]])


def test_every_metric_of_the_room_is_a_measure():
    # A class (`Propensities`) is fitted before it measures.
    names = {name for name in metrics.__all__ if not isinstance(getattr(metrics, name), type)}
    names -= {"label_report", "label_scorers", "loss_metric", "scorers"}
    at_k = {name for name in names if name.endswith("_at_k")}
    assert names - at_k <= set(MEASURES)
    assert {name.replace("_k", f"_{k}") for name in at_k for k in (1, 3, 5)} <= set(MEASURES)


def test_further_measures_are_taken_where_they_are_named():
    answers = Answers(LABELS, SCORES)
    usual = measured(answers, Y)
    assert set(usual) <= set(USUAL_MEASURES)
    named = measured(answers, Y, ["precision_at_1", "macro_recall"])
    assert set(named) - set(usual) == {"precision_at_1", "macro_recall"}
    assert named["precision_at_1"] == metrics.precision_at_k(Y, SCORES, k=1)
    assert named["macro_recall"] == metrics.macro_recall(Y, LABELS)


@pytest.mark.parametrize("word", sorted(set(MEASURES) - set(USUAL_MEASURES)))
def test_each_further_measure_is_asked_for_what_it_needs(word):
    assert is_own_measure(word)
    assert answers_needed([word]) == (("labels", "scores") if of_scores(word) else ("labels",))
    assert 0.0 <= own_measure(word)(Y, SCORES if of_scores(word) else LABELS) <= 1.0
    assert smaller_is_better(word) == (word in ("one_error", "normalized_coverage_from_1"))
