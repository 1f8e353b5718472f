import numpy as np
import pytest

from plait.inference.messages.polytree_scores import setting_index, setting_shifts
from plait.structure import LabelGraph
from plait.testing import random_graph, random_linear


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("turned", [False, True])
def test_shifted_scores_are_the_tables(seed, turned):
    draws = np.random.default_rng(seed)
    model = random_linear(random_graph(6, draws), 3, draws)
    order = tuple(range(6))[:: -1 if turned else 1]
    index = setting_index(model.graph, order if turned else None)
    scores = model.base[:, index.label] + setting_shifts(model, index)
    np.testing.assert_allclose(scores, np.concatenate([model.table(k) for k in order], axis=1), rtol=1e-12)


def test_without_parents():
    model = random_linear(LabelGraph([[], []]), 2, np.random.default_rng(0))
    shifts = setting_shifts(model, setting_index(model.graph))
    np.testing.assert_array_equal(shifts, np.zeros(2))
    assert shifts.dtype == np.float64
