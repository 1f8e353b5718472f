import matplotlib as mpl
import numpy as np
import pytest

from plait import recipes
from plait.core.sentences import ParameterError
from plait.structure import LabelGraphDisplay


def test_graphs_of_models_and_of_labels():
    mpl.use("Agg")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    first = X[:, 0] > 0
    Y = np.column_stack([first, first ^ (rng.random(120) < 0.1), rng.random(120) < 0.5]).astype(int)
    model = recipes.bcc(learner="logistic", random_state=0).fit(X, Y)
    display = LabelGraphDisplay.from_estimator(model)
    assert display.graph is model.graph_
    assert "y1" in display.to_svg()
    assert "y1" in {words.get_text() for words in display.plot().texts}
    mpl.pyplot.close("all")
    shown = LabelGraphDisplay.from_predictions(Y)
    assert (0, 1) in shown.graph.edges
    mixture = recipes.mc(random_state=0).fit(X[:60], Y[:60])
    assert LabelGraphDisplay.from_estimator(mixture, component=len(mixture.graphs_) - 1).graph is mixture.graphs_[-1]
    with pytest.raises(ParameterError, match="component to be below the number of label graphs"):
        LabelGraphDisplay.from_estimator(mixture, component=len(mixture.graphs_))
