"""Which dicts of class weights are taken."""

import numpy as np
import pytest

from plait.core.sentences import ParameterError
from plait.learners import LinearSVMLearner
from plait.learners.training.problem import ClassWeights


def test_what_is_taken_and_refused():
    rule = ClassWeights()
    assert all(map(rule.accepts, [{}, {0: 1}, {1: np.float64(0.5)}, {0: 1e-9, 1: 2}]))
    assert not any(map(rule.accepts, [None, "balanced", {2: 1}, {"1": 1}, {1: -1}, {1: np.nan}, {1: None}, [1, 2]]))
    assert not any(map(rule.accepts, rule.wrong()))


def test_the_sentence():
    with pytest.raises(
        ParameterError, match=r"^LinearSVMLearner needs class_weight to be None, 'balanced' or a dict f"
    ):
        LinearSVMLearner(class_weight={3: 1.0}).fit([[0.0], [1.0]], [[0], [1]])
