"""Every recipe under every loss: `predict` has the least expected loss by definition, or refuses in one sentence."""

import warnings

import numpy as np
import pytest

from plait import losses, recipes
from plait.core.naming import registry
from plait.core.sentences import ParameterError
from plait.data.synthetic import make_label_network

DATA = make_label_network(120, 4, 3, structure="tree", random_state=0).dataset
VECTORS = np.array([[i >> 2 & 1, i >> 1 & 1, i & 1] for i in range(8)], dtype=np.uint8)
LOSSES = {word: kind() for word, kind in registry(losses, losses.Loss).items() if kind().answer == "labels"}
MODELS: dict[str, object] = {}


def fitted(name):
    if name not in MODELS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            MODELS[name] = getattr(recipes, name)(random_state=0).fit(DATA.X, DATA.Y)
    return MODELS[name]


def refused(model, loss):
    """Say whether a model cannot decide for a loss: votes and mean marginals know no sets, margins no probabilities."""
    if getattr(model, "combine", "mixture") != "mixture":
        return loss.wanted == "distribution"
    return loss.wanted != "mode" and not hasattr(model, "predict_proba")


@pytest.mark.parametrize("word", sorted(LOSSES))
@pytest.mark.parametrize("name", sorted(recipes.__all__))
def test_the_answer_has_the_least_expected_loss_or_is_refused(name, word):
    model, loss, X = fitted(name), LOSSES[word], DATA.X[:20]
    if refused(model, loss):
        with pytest.raises(ParameterError, match=r"margins only|combine='mixture'"):
            model.predict(X, loss=word)
        return
    answer = model.predict(X, loss=word)
    assert set(np.unique(answer)) <= {0, 1}
    if not hasattr(model, "joint_") or not hasattr(model, "predict_proba") or word == "subset":
        return  # Votes have no joint; greedy inference approximates the mode, and says so.
    posterior = model.joint(X)
    P = np.exp(np.column_stack([posterior.log_prob(np.tile(v, (20, 1))) for v in VECTORS]))
    np.testing.assert_allclose(P.sum(axis=1), 1.0, rtol=1e-9)
    costs = np.array([[loss.value(y[None], h[None])[0] for h in VECTORS] for y in VECTORS])
    risks = P @ costs
    chosen = risks[np.arange(20), answer @ [4, 2, 1]]
    np.testing.assert_allclose(chosen, risks.min(axis=1), rtol=1e-7, atol=1e-9)
