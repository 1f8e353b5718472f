"""`AutoJoint` as a whole: the contract, any kind of X and Y, what it promises and what it says."""

from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from scipy.special import expit
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

from plait import AutoJoint, recipes
from plait.core.sentences import ParameterError
from plait.data import DataWarning, TableEncoder
from plait.data.synthetic import make_label_network
from plait.estimators.auto_joint import FewRowsWarning
from plait.testing import EstimatorConformance

DATA = make_label_network(150, 5, 4, structure="chain", strength=2.0, random_state=0).dataset
CHEAP = ["logistic", "neighbours"]


@pytest.fixture(scope="module")
def fitted():
    return AutoJoint(random_state=0).fit(DATA.X, DATA.Y)


@pytest.mark.filterwarnings("ignore::plait.estimators.auto_joint.FewRowsWarning")
@pytest.mark.parametrize("model", [AutoJoint()], ids=["auto"])
class TestConformance(EstimatorConformance):
    def as_checked(self, model, check):
        # Copies of a row fall on both sides of a fold, into several bags, and are each other's neighbours.
        if check.startswith("check_sample_weight_equivalence"):
            return None
        # That predictions are marginals above one half is true of the decision for the Hamming loss.
        return model.set_params(loss="hamming") if check == "check_classifier_multioutput" else model


def test_the_joint_is_the_mixture_of_its_chains_written_out(fitted):
    X = DATA.X[:6]
    learners = [each.log_odds(X) for each in fitted.learners_]
    weights = list(fitted.weights_.values())
    scores = sum(w * each for w, each in zip(weights, learners, strict=True)) + fitted._pooled.intercept
    blocks = [scores, scores] if fitted._raw is None else [scores, fitted._raw.base_scores(X)]
    vectors = np.array(list(product((0, 1), repeat=4)))
    total = np.zeros((len(X), len(vectors)))
    for weight, joint in zip(fitted.joint_.weights, fitted.joint_.joints, strict=True):
        chain, block = joint.joint, blocks[int(joint.columns[0] > 0)]
        others = np.log(expit(block).sum(axis=1, keepdims=True) - expit(block) + 0.05)
        own = block * chain.slope + chain.intercept + (0.0 if chain.rival is None else chain.rival * others)
        for v, y in enumerate(vectors):
            odds = own + chain.parent_coef @ y
            total[:, v] += weight * np.where(y == 1, expit(odds), 1 - expit(odds)).prod(axis=1)
    np.testing.assert_allclose(total.sum(axis=1), 1.0, rtol=1e-9)
    answer = fitted.joint(X)
    found = np.exp(np.column_stack([answer.log_prob(np.tile(y, (len(X), 1))) for y in vectors]))
    np.testing.assert_allclose(found, total, rtol=1e-9)
    np.testing.assert_allclose(fitted.predict_proba(X), total @ vectors, rtol=1e-9)


def test_random_labels_get_no_better_than_their_base_rates():
    """Out of fold means unseen: what is fitted to noise must not look better than the base rates, nor predict it."""
    draws = np.random.default_rng(1)
    X, Y = draws.normal(size=(240, 8)), (draws.random((240, 3)) < [0.5, 0.3, 0.2]).astype(int)
    model = AutoJoint(random_state=0).fit(X, Y)
    rates = Y.mean(axis=0)
    entropy = -(rates * np.log(rates) + (1 - rates) * np.log(1 - rates)).sum()
    for line in model.report_.learners + model.report_.stages:
        assert line["log_loss"] is None or line["log_loss"] > 0.98 * entropy, line
    new = draws.normal(size=(400, 8))
    assert np.abs(model.predict_proba(new) - rates).mean() < 0.1


def test_labels_that_depend_on_each_other_and_on_x_are_learned(fitted):
    train, test = slice(0, 100), slice(100, None)
    model = AutoJoint(random_state=0).fit(DATA.X[train], DATA.Y[train])
    alone = LogisticRegression().fit(DATA.X[train], DATA.Y[train][:, 0])
    assert model.report_.stages[0]["log_loss"] < 4 * np.log(2)
    joint = -model.joint(DATA.X[test]).log_prob(DATA.Y[test]).mean()
    P = model.predict_proba(DATA.X[test])
    independent = -np.log(np.where(DATA.Y[test] == 1, P, 1 - P)).sum(axis=1).mean()
    assert joint < independent < 4 * np.log(2)
    assert ((P[:, 0] > 0.5) == DATA.Y[test][:, 0]).mean() >= alone.score(DATA.X[test], DATA.Y[test][:, 0]) - 0.1


def test_names_weights_and_words_of_frames_gaps_and_sparse_rows():
    draws = np.random.default_rng(0)
    colour = draws.choice(["red", "blue"], 200)
    size = draws.normal(size=200)
    Y = pd.DataFrame({"warm": (colour == "red") ^ (draws.random(200) < 0.05), "big": size > 0}).astype(int)
    size[::20] = np.nan
    X = pd.DataFrame({"size": size, "colour": pd.Categorical(colour), "odd": draws.random(200) < 0.5})
    model = AutoJoint(learners=CHEAP, random_state=0).fit(X, Y, sample_weight=np.where(np.arange(200) < 150, 1.0, 0.0))
    assert (model.predict(X) == Y.to_numpy()).mean() > 0.9
    assert model.predict_sets(pd.DataFrame({"size": [2.0], "colour": ["red"], "odd": [True]})) == [("warm", "big")]
    with pytest.warns(DataWarning, match="'green' in 'colour'"):
        assert model.predict(pd.DataFrame({"size": [np.nan], "colour": ["green"], "odd": [True]})).shape == (1, 2)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(X.rename(columns={"size": "length"}))
    rows = sparse.random(150, 30, 0.2, random_state=0, format="csr")
    labels = (rows @ draws.normal(size=(30, 3)) > 0).astype(int)
    found = AutoJoint(random_state=0).fit(rows, labels)
    assert "kernel" not in found.weights_
    assert (found.predict(rows) == labels).mean() > 0.8


def test_frames_with_texts_dates_and_names_of_rows_are_what_the_encoder_makes_of_them():
    draws = np.random.default_rng(0)
    words = draws.choice(["sand", "wind", "stone", "cloud", "grass"], (80, 12))
    frame = pd.DataFrame({"file": [f"img{i}.jpg" for i in range(80)], "note": [" ".join(row) for row in words]})
    frame["day"] = pd.date_range("2026-01-01", periods=80).astype(str)
    frame["hour"] = np.where(np.arange(80) % 9 == 0, np.nan, draws.normal(size=80))
    Y = np.column_stack([(words == "sand").any(axis=1), (words == "wind").sum(axis=1) > 2]).astype(int)
    Y ^= draws.random(Y.shape) < 0.2  # so that nothing is certain
    with pytest.warns(DataWarning, match="leaves out 'file'"):
        model = AutoJoint(learners=CHEAP, random_state=0).fit(frame, Y)
    with pytest.warns(DataWarning, match="leaves out 'file'"):
        encoder = TableEncoder(fill=None).fit(frame)
    alone = AutoJoint(learners=CHEAP, random_state=0).fit(encoder.transform(frame), Y)
    np.testing.assert_array_equal(model.predict_proba(frame), alone.predict_proba(encoder.transform(frame)))
    names = model.joint(frame[:1]).why("y1", k=40).to_frame()["name"].tolist()
    assert {"note:sand", "day.month"} <= set(names)
    assert not any("file" in name for name in names)


def test_weights_move_the_answer():
    X, Y = np.zeros((120, 1)), np.tile([[0], [1]], (60, 1))
    heavy = AutoJoint(learners=["logistic"], random_state=0).fit(X, Y, sample_weight=np.where(Y[:, 0] == 1, 9.0, 1.0))
    np.testing.assert_allclose(heavy.predict_proba(X[:1]), 0.9, atol=0.02)


@pytest.mark.parametrize("constant", [[1], [0, 1, 2, 3]], ids=["one", "all"])
def test_constant_labels_have_their_base_rates(constant):
    Y = DATA.Y.copy()
    Y[:, constant] = 1
    model = AutoJoint(learners=CHEAP, random_state=0).fit(DATA.X, Y)
    np.testing.assert_allclose(model.predict_proba(DATA.X[:3])[:, constant], 151 / 152, rtol=1e-9)
    assert (model.predict(DATA.X)[:, constant] == 1).all()
    assert model.joint(DATA.X[:3]).log_prob(Y[:3]).shape == (3,)


def test_one_label_and_many_labels():
    model = AutoJoint(learners=CHEAP, random_state=0).fit(DATA.X, DATA.Y[:, 0])
    assert model.predict_proba(DATA.X).shape == (150, 2)
    draws = np.random.default_rng(0)
    many = (DATA.X @ draws.normal(size=(5, 450)) > 1.0).astype(int)
    large = AutoJoint(learners=["neighbours"], random_state=0).fit(DATA.X, many)
    coef = large.joint_.joints[0].joint.parent_coef[large.graphs_[0].order[-1]]
    assert len(np.unique(coef[coef != 0.0].round(12))) == 21  # those of 20 labels, and that of their number
    assert (large.predict(DATA.X[:5]) == many[:5]).mean() > 0.8


def test_few_rows_are_weighed_equally_and_it_says_so():
    with pytest.warns(FewRowsWarning, match="40 rows, fewer than 60"):
        model = AutoJoint(random_state=0).fit(DATA.X[:40], DATA.Y[:40])
    assert model.weights_ == {"logistic": 0.5, "forest": 0.5}
    assert any("fewer than 60" in note for note in model.report_.notes)
    with pytest.warns(FewRowsWarning):
        assert AutoJoint().fit(DATA.X[:2], [[0, 1], [1, 0]]).predict(DATA.X).shape == (150, 2)


def test_learners_by_word_by_name_and_by_object():
    model = AutoJoint(learners=["logistic", "GaussianNB", GaussianNB(var_smoothing=0.1)], random_state=0)
    assert list(model.fit(DATA.X, DATA.Y).weights_) == ["logistic", "GaussianNB", "GaussianNB 2"]
    with pytest.raises(ParameterError, match=r"AutoJoint needs learners to be one of 'logistic'.*'nope'"):
        AutoJoint(learners=["nope"]).fit(DATA.X, DATA.Y)
    with pytest.raises(ParameterError, match="learners"):
        AutoJoint(learners=[]).fit(DATA.X, DATA.Y)


def test_structures_losses_and_thresholds(fitted):
    tree = AutoJoint(learners=CHEAP, structure="conditional_tree", random_state=0).fit(DATA.X, DATA.Y)
    assert tree.graphs_[0].is_forest
    P = fitted.predict_proba(DATA.X)
    for word in ("micro_f1", "macro_f1"):
        np.testing.assert_array_equal(fitted.predict(DATA.X, loss=word), fitted.thresholds_[word] < P)
    assert 0 < fitted.thresholds_["micro_f1"] < 0.5
    assert fitted.thresholds_["macro_f1"].shape == (4,)


def test_report_and_progress(fitted, capsys):
    assert [line["name"] for line in fitted.report_.learners] == ["logistic", "forest", "neighbours", "kernel"]
    assert fitted.report_.seconds > 0
    assert "pooled scores" in repr(fitted.report_)
    assert "<table>" in fitted.report_._repr_html_()
    assert not capsys.readouterr().out
    model = recipes.auto(effort="fast", verbose=1, random_state=0).fit(DATA.X, DATA.Y)
    assert "[AutoJoint] logistic, held-out log-loss" in capsys.readouterr().out
    assert list(model.weights_) == ["logistic"]
    assert len(model.graphs_) <= 2


def test_thorough_boosts_trees_where_labels_are_few():
    model = AutoJoint("thorough", random_state=0).fit(DATA.X[:100], DATA.Y[:100, :2])
    assert "boosting" in model.weights_


def test_chains_on_features_join_where_held_out_rows_prefer_them():
    """A label that is the product of another and the sign of a feature is beyond scores without features."""
    draws = np.random.default_rng(0)
    X = draws.normal(size=(600, 3))
    first = draws.random(600) < 0.5
    Y = np.column_stack([first, draws.random(600) < expit(8 * X[:, 0] + 6 * first - 3)]).astype(int)
    model = AutoJoint(learners=["neighbours"], random_state=0).fit(X, Y)
    assert any(note.startswith("chain on features: joins") for note in model.report_.notes)


TEXT_FORMS = {
    "list": list,
    "array": np.array,
    "objects": lambda texts: np.array(texts, dtype=object),
    "column of objects": lambda texts: np.array(texts, dtype=object)[:, None],
    "pandas": pd.Series,
    "polars": lambda texts: pl.Series("words", texts),
}


@pytest.mark.parametrize("form", TEXT_FORMS.values(), ids=TEXT_FORMS)
def test_texts_alone_are_a_table_of_one_column(form):
    draws = np.random.default_rng(0)
    words = draws.choice(["sand", "wind", "stone", "cloud", "grass", "is the"], (80, 9))
    texts = [" ".join(row) for row in words]
    tags = [[name for name in ("sand", "wind") if (row == name).sum() > 1] for row in words]
    model = AutoJoint(effort="fast", random_state=0).fit(form(texts), tags)
    alone = AutoJoint(effort="fast", random_state=0).fit(
        TableEncoder(text="t").fit_transform(pd.DataFrame({"t": texts})), tags
    )
    found = model.predict_proba(form(texts))
    encoded = TableEncoder(text="t").fit(pd.DataFrame({"t": texts})).transform(pd.DataFrame({"t": texts}))
    np.testing.assert_array_equal(found, alone.predict_proba(encoded))
    np.testing.assert_array_equal(found, model.predict_proba(texts if form is not list else pd.Series(texts)))
    assert model.n_features_in_ == 1
    assert any(name.endswith(":sand") for name in model.joint(form(texts)[:1]).why("sand", k=9).name)


def test_one_text_is_no_list_of_texts():
    model = AutoJoint(effort="fast", random_state=0).fit(
        ["a sea", "a wind", "the sea", "sea wind"] * 20, [[1], [0]] * 40
    )
    with pytest.raises(ParameterError, match=r"X to hold rows, but it is one text\. Pass a list"):
        model.predict("a sea")
    assert model.predict([None, "the sea"]).shape == (2, 1)
    with pytest.raises(ParameterError, match="needs X to hold numbers"):
        AutoJoint(effort="fast").fit(["a sea", 3.0] * 40, [[1], [0]] * 40)
