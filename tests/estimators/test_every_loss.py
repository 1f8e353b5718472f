"""Every recipe under every loss: `predict` has the least expected loss by definition, or refuses in one sentence."""

import warnings

import numpy as np
import pytest

from plait import EnsembleClassifier, JointClassifier, losses, recipes
from plait.core.naming import registry
from plait.core.randomness import generator
from plait.core.sentences import ParameterError
from plait.data.synthetic import make_label_network
from plait.posterior import FewLabelsWarning

DATA = make_label_network(120, 4, 3, structure="tree", random_state=0).dataset
VECTORS = np.array([[i >> 2 & 1, i >> 1 & 1, i & 1] for i in range(8)], dtype=np.uint8)
LOSSES = {word: kind() for word, kind in registry(losses, losses.Loss).items() if kind().answer == "labels"}
MODELS: dict[str, object] = {}


SMALL = {"mc": {"max_components": 2}}


def fitted(name, loss):
    """Return a fitted recipe; for losses of thresholds another one, which finds those of all of them."""
    fit_loss = "micro_f1" if loss.needs_thresholds else "subset"
    if (name, fit_loss) not in MODELS:
        model = getattr(recipes, name)(random_state=0, loss=fit_loss, **SMALL.get(name, {}))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            MODELS[name, fit_loss] = model.fit(DATA.X, DATA.Y)
    return MODELS[name, fit_loss]


def refused(model, loss):
    """Say whether a model cannot decide for a loss: votes and mean marginals know no sets, margins no probabilities."""
    if isinstance(model, EnsembleClassifier) and model._combined() != "mixture":
        return loss.wanted == "distribution"
    return loss.wanted != "mode" and not hasattr(model, "predict_proba")


@pytest.mark.parametrize("word", sorted(LOSSES))
@pytest.mark.parametrize("name", sorted(recipes.__all__))
def test_the_answer_has_the_least_expected_loss_or_is_refused(name, word):
    loss, X = LOSSES[word], DATA.X[:20]
    if loss.needs_thresholds and refused(getattr(recipes, name)(), loss):
        with pytest.raises(ParameterError, match="margins only"):
            fitted(name, loss)
        return
    model = fitted(name, loss)
    if refused(model, loss):
        with pytest.raises(ParameterError, match=r"margins only|combine='mixture'"):
            model.predict(X, loss=word)
        return
    answer = model.predict(X, loss=word)
    loss = loss.with_thresholds(getattr(model, "thresholds_", None))
    if loss.needs_thresholds:
        np.testing.assert_array_equal(answer, model.predict_proba(X) > loss.thresholds)
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


def test_a_model_that_was_fitted_for_another_loss_says_how_to_get_thresholds():
    model = fitted("br", LOSSES["subset"])
    with pytest.raises(ParameterError, match="Fit it with loss='macro_f1'"):
        model.predict(DATA.X, loss="macro_f1")
    with pytest.raises(ParameterError, match="Fit it with loss='micro_f1'"):
        model.joint(DATA.X).decide("micro_f1")
    given = model.predict(DATA.X, loss=losses.MicroF1(0.3))
    np.testing.assert_array_equal(given, model.predict_proba(DATA.X) > 0.3)


def test_thresholds_are_found_on_rows_held_out_and_can_be_changed():
    model = recipes.br(loss="macro_f1", random_state=0).fit(DATA.X, DATA.Y)
    marginals = np.empty(DATA.Y.shape)
    for held in np.array_split(generator(model._seed).permutation(len(DATA.Y)), 5):
        rest = np.setdiff1d(np.arange(len(DATA.Y)), held)
        marginals[held] = (
            JointClassifier("independent", learner=model.learner.settled(model.conditionals_))
            .fit(DATA.X[rest], DATA.Y[rest])
            .predict_proba(DATA.X[held])
        )
    assert set(model.thresholds_) == {"micro_f1", "macro_f1"}
    assert model.thresholds_["micro_f1"] == pytest.approx(losses.micro_f1_threshold(marginals), rel=1e-9)
    assert model.thresholds_["micro_f1"] != pytest.approx(losses.micro_f1_threshold(model.predict_proba(DATA.X)))
    np.testing.assert_allclose(model.thresholds_["macro_f1"], losses.macro_f1_thresholds(marginals), rtol=1e-9)
    again = recipes.br(loss="macro_f1", random_state=0, n_jobs=2).fit(DATA.X, DATA.Y)
    np.testing.assert_array_equal(again.thresholds_["macro_f1"], model.thresholds_["macro_f1"])
    model.thresholds_["macro_f1"][1] = 1.0
    assert not model.predict(DATA.X)[:, 1].any()
    np.testing.assert_array_equal(model.joint(DATA.X).decide(), model.predict(DATA.X))
    assert not hasattr(model.set_params(loss="subset").fit(DATA.X, DATA.Y), "thresholds_")


def test_weights_absent_labels_and_few_rows():
    Y = np.column_stack([DATA.Y, np.zeros(len(DATA.Y), dtype=int)])
    weights = np.arange(len(Y)) % 3
    model = recipes.br(loss="macro_f1", random_state=0).fit(DATA.X, Y, sample_weight=weights)
    alone = recipes.br(loss="macro_f1", random_state=0).fit(DATA.X[weights > 0], Y[weights > 0], weights[weights > 0])
    np.testing.assert_allclose(model.thresholds_["macro_f1"], alone.thresholds_["macro_f1"], rtol=1e-6)
    assert model.thresholds_["macro_f1"][3] == 1.0
    assert not model.predict(DATA.X)[:, 3].any()
    for n_rows in (1, 2, 3):
        few = recipes.br(loss="micro_f1").fit(DATA.X[:n_rows], DATA.Y[:n_rows])
        assert few.predict(DATA.X).shape == DATA.Y.shape


def test_far_fewer_labels_than_in_training_are_told_once():
    draws = np.random.default_rng(0)
    X, Y = draws.normal(size=(200, 2)), (draws.random((200, 10)) < 0.3).astype(int)
    model = recipes.br().fit(X, Y)
    with pytest.warns(FewLabelsWarning, match='loss="micro_f1"'):
        model.predict(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(X)
        recipes.br().fit(X, Y).predict(X[:10])
        recipes.br().fit(X, Y).predict(X, loss="hamming")
