import json

import numpy as np
import pytest

from plait import recipes
from plait.baselines import MLkNN
from plait.data import Dataset
from plait.experiments.running.answers import ask, report_extras


@pytest.fixture(scope="module")
def data():
    chance = np.random.default_rng(0)
    X = chance.normal(size=(60, 5))
    Y = (X[:, :3] + chance.normal(size=(60, 3)) > 0).astype(np.uint8)
    return Dataset(X, Y, list("abcde"), ["sea", "sun", "sand"], "beach")


def extras_of(model, data):
    model.fit(data.X, data.Y)
    return report_extras(model, ask(model, data.X, data.Y, ("labels", "scores")), data, data)


def test_strengths_are_the_coefficients_of_the_parents(data):
    model = recipes.cc(random_state=0)
    graph = extras_of(model, data)["graphs"][0]
    assert [len(group) for group in graph["strengths"]] == [len(group) for group in graph["parents"]]
    for label, (group, sizes) in enumerate(zip(graph["parents"], graph["strengths"], strict=True)):
        np.testing.assert_allclose(sizes, abs(model.conditionals_.parent_coef_[label, group]), rtol=6e-3)
    json.dumps(graph)


def test_a_model_without_a_graph_has_none(data):
    assert "graphs" not in extras_of(MLkNN(), data)
