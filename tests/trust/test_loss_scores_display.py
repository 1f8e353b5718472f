import matplotlib as mpl
import numpy as np
import pytest

from plait import recipes
from plait.core.sentences import ParameterError
from plait.data.synthetic import make_label_network
from plait.metrics import loss_metric
from plait.trust import LossScoresDisplay


def test_every_answer_is_scored_by_every_loss():
    mpl.use("Agg")
    data = make_label_network(200, 4, 3, structure="tree", random_state=0).dataset
    model = recipes.pcc(learner="logistic", random_state=0).fit(data.X[:100], data.Y[:100])
    X, Y = data.X[100:], data.Y[100:]
    display = LossScoresDisplay.from_estimator(model, X, Y)
    for r, decided in enumerate(display.decided_for):
        for c, loss in enumerate(display.losses):
            assert display.scores[r, c] == loss_metric(loss)(Y, model.predict(X, loss=decided))
    assert f"{display.scores[0, 0]:.3f}" in display.to_svg()
    assert {words.get_text() for words in display.plot().texts} == {f"{score:.3f}" for score in display.scores.flat}
    mpl.pyplot.close("all")
    with pytest.raises(ParameterError, match="needs answers to hold predicted labels"):
        LossScoresDisplay.from_predictions(Y, {})
    np.testing.assert_array_equal(LossScoresDisplay.from_predictions(Y, {"truth": Y}).scores, 0.0)
