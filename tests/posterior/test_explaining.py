"""Why a label is likely: sums of linear parts, effects by their definition, names."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.special import logit
from sklearn.neighbors import KNeighborsClassifier

from plait import AutoJoint, recipes
from plait.core.sentences import ParameterError
from plait.inference import Auto, MonteCarlo
from plait.learners import SklearnLearner
from plait.posterior import Posterior, explaining


def data(seed=0, n_rows=200):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 4)) + np.array([0.0, 1.0, -2.0, 3.0])
    sea = X[:, 0] + 0.5 * rng.normal(size=n_rows) > 0
    sand = sea & (rng.random(n_rows) < 0.8)
    sun = X[:, 2] + rng.normal(size=n_rows) > -2
    return X, np.column_stack([sea, sand, sun]).astype(int)


def log_odds(answer, label):
    return logit(answer.marginals()[:, label])


def test_parts_of_independent_labels_add_up_to_the_score_against_the_mean_row():
    X, Y = data()
    model = recipes.br().fit(X, Y)
    why = model.joint(X[:3]).why("y0", k=10)
    assert why.additive
    mean = model.joint(X.mean(axis=0, keepdims=True))
    for row in range(3):
        parts = why.contribution[(why.row == row) & (why.kind == "feature")]
        gap = log_odds(model.joint(X[row : row + 1]), 0) - log_odds(mean, 0)
        np.testing.assert_allclose(parts.sum(), gap[0], rtol=1e-6)
    others = why.contribution[why.kind == "label, if known"]
    np.testing.assert_allclose(others, 0.0, atol=1e-9)
    np.testing.assert_allclose(why.log_odds, log_odds(model.joint(X[:3]), 0), rtol=1e-9)


def test_effects_are_what_changes_at_the_mean_and_without_knowing():
    X, Y = data(1)
    frame = pd.DataFrame(X, columns=["wind", "salt", "light", "noise"])
    model = recipes.pcc().fit(frame, pd.DataFrame(Y, columns=["sea", "sand", "sun"]))
    row = frame.iloc[[5]]
    answer = model.joint(row)
    table = answer.why("sand", k=10).to_frame()
    for name in frame.columns:
        moved = row.copy()
        moved[name] = frame[name].mean()
        gap = log_odds(answer, 1) - log_odds(model.joint(moved), 1)
        np.testing.assert_allclose(table.loc[table["name"] == name, "effect"], gap, rtol=1e-6, atol=1e-9)
        assert table.loc[table["name"] == name, "value"].item() == row[name].item()
    said = log_odds(answer.given({"sea": 1}), 1) - log_odds(answer.given({"sea": 0}), 1)
    np.testing.assert_allclose(table.loc[table["name"] == "sea", "contribution"], said, rtol=1e-9)
    known = answer.given({"sea": 1, "sun": 0}).why("sand", k=10).to_frame()
    gap = log_odds(answer.given({"sea": 1, "sun": 0}), 1) - log_odds(answer.given({"sun": 0}), 1)
    found = known[known["name"] == "sea"]
    np.testing.assert_allclose(found["contribution"], gap, rtol=1e-9)
    assert found["kind"].item() == "label"
    assert found["value"].item() == 1.0


def test_a_label_known_to_be_absent_is_a_reason():
    X, Y = data(1)
    answer = recipes.pcc().fit(X, Y).joint(X[5:6])
    why = answer.given({0: 0}).why(1, k=10)
    gap = log_odds(answer.given({0: 0}), 1) - log_odds(answer, 1)
    np.testing.assert_allclose(why.contribution[why.name == "y0"], gap, rtol=1e-9)
    assert why.kind[why.name == "y0"].tolist() == ["label"]
    assert "y2" not in why.name
    assert len(answer.why(1, k=1)) == 1


def test_the_strongest_come_first_and_a_feature_at_its_mean_says_nothing():
    X, Y = data(2)
    model = recipes.pcc().fit(X, Y)
    row = X[:1].copy()
    row[0, 1] = model.feature_means_[1]
    why = model.joint(row).why(0, k=3)
    assert len(why) == 3
    assert (np.diff(np.abs(why.contribution)) <= 0).all()
    assert "x1" not in model.joint(row).why(0, k=20).name


def test_what_moves_nothing_is_no_reason():
    X, Y = data(2)
    alone = recipes.br().fit(X, Y).joint(X[:5]).why(0, k=20)
    assert set(alone.kind) == {"feature"}  # labels that are independent say nothing about each other
    # Of six equal columns none decides alone which of two far groups a row is near to.
    groups = np.repeat([0, 1], 20)
    X = np.repeat(100.0 * groups[:, None], 6, axis=1) + np.arange(40)[:, None] / 100
    sure = recipes.br(learner=SklearnLearner(KNeighborsClassifier(3))).fit(X, groups[:, None])
    why = sure.joint(X[[0, 39]]).why(0)
    assert not why.row.size
    assert repr(why) == "Why y0: nothing alone moves it (log-odds -13.82 to 13.82)"


def test_sparse_rows_and_other_learners_have_reasons_too():
    X, Y = data(3)
    words = sparse.csr_matrix(np.where(np.abs(X) > 1.0, X, 0.0))
    linear = recipes.pcc().fit(words, Y).joint(words[:2]).why("y0")
    dense = recipes.pcc().fit(words, Y).joint(words[:2].toarray()).why("y0", k=20)
    for name, row, part in zip(linear.name, linear.row, linear.contribution, strict=True):
        np.testing.assert_allclose(dense.contribution[(dense.name == name) & (dense.row == row)], part, rtol=1e-6)
    mixture = recipes.mc(random_state=0).fit(X[:80], Y[:80])
    why = mixture.joint(X[:1]).why("y0", k=20)
    assert not why.additive
    moved = X[:1].copy()
    moved[0, 0] = X[:80, 0].mean()
    gap = log_odds(mixture.joint(X[:1]), 0) - log_odds(mixture.joint(moved), 0)
    np.testing.assert_allclose(why.contribution[why.name == "x0"], gap, rtol=1e-6)
    assert "approximate" in repr(why)


def test_refusals():
    X, Y = data(4)
    model = recipes.pcc().fit(X, Y)
    with pytest.raises(ParameterError, match="is known in some rows"):
        model.joint(X[:2]).given({"y0": 1}).why("y0")
    with pytest.raises(ParameterError, match="made by hand"):
        Posterior(model.joint_, X[:1], ["a", "b", "c"], Auto()).why("a")
    with pytest.raises(ParameterError, match="'y9' is not one of the 3 labels"):
        model.joint(X[:1]).why("y9")


def test_the_indicators_of_a_word_move_together_and_go_by_the_one_that_is_there():
    rng = np.random.default_rng(5)
    key = rng.integers(0, 3, size=150)
    X = np.column_stack([np.eye(3)[key], rng.normal(size=150)])
    Y = np.column_stack([(key == 1) ^ (rng.random(150) < 0.1), X[:, 3] > 0]).astype(int)
    model = recipes.br().fit(X, Y)
    answer = model.joint(X[:1])
    answer.features = answer.features._replace(groups=np.array([0, 0, 0, 3]))
    why = answer.why(0, k=9)
    features = why.name[why.kind == "feature"].tolist()
    assert sorted(features) == sorted([f"x{key[0]}", "x3"])
    moved = X[:1].copy()
    moved[0, :3] = X[:, :3].mean(axis=0)
    gap = log_odds(answer, 0) - log_odds(model.joint(moved), 0)
    mine = why.name == f"x{key[0]}"
    np.testing.assert_allclose(why.effect[mine], gap, rtol=1e-6)
    np.testing.assert_allclose(why.contribution[mine], gap, rtol=1e-6)
    assert why.value[mine] == 1.0


def test_reasons_of_scores_are_the_features_that_they_are_made_of():
    X, Y = data(6, 80)
    frame = pd.DataFrame(X, columns=["wind", "salt", "light", "noise"])
    frame.loc[3, "salt"] = np.nan
    frame["sky"] = np.where(X[:, 2] > -2, "bright", "dark")
    model = AutoJoint(effort="fast", random_state=0).fit(frame, pd.DataFrame(Y, columns=["sea", "sand", "sun"]))
    row = frame.iloc[[5]]
    answer = model.joint(frame.iloc[4:6])[1]
    why = answer.why("sun", k=20)
    assert not why.additive
    assert set(why.name[why.kind == "feature"]) <= {"wind", "salt", "light", "noise", f"sky={row['sky'].item()}"}
    moved = row.copy()
    moved["wind"] = frame["wind"].mean()
    gap = log_odds(answer, 2) - log_odds(model.joint(moved), 2)
    np.testing.assert_allclose(why.contribution[why.name == "wind"], gap, rtol=1e-6, atol=1e-9)
    assert why.value[why.name == "wind"] == row["wind"].item()


def test_a_picture_and_a_table_of_the_reasons_of_a_row():
    X, Y = data(7)
    why = recipes.pcc().fit(X, Y).joint(X[:3]).why("y1", k=4)
    panel = why.plot(2).groups[0]
    np.testing.assert_array_equal(panel.values, why.contribution[why.row == 2])
    assert [name.split(" (")[0] for name in panel.names] == why.name[why.row == 2].tolist()
    assert panel.signed
    assert why._repr_html_().count("<tr>") == 13
    assert "<button" not in why._repr_html_()  # no script sorts in a notebook
    with pytest.raises(ParameterError, match="plot needs row to be"):
        why.plot(3)


def test_of_many_labels_draws_say_what_each_would_say(monkeypatch):
    X, Y = data(3, 400)
    model = recipes.pcc(random_state=0).fit(X, Y)
    row = int(np.abs(model.predict_proba(X) - 0.5).max(axis=1).argmin())  # each label may be there, or not
    answer = model.joint(X[[row]])
    exact = answer.why("y1", k=10).to_frame()
    monkeypatch.setattr(explaining, "_MOST_ASKED", 2)
    monkeypatch.setattr(explaining, "_DRAWS", 20_000)
    np.testing.assert_allclose(answer.why("y1", k=10).to_frame()["effect"], exact["effect"], rtol=1e-12)  # exact sums
    drawn = answer._changed(inference=MonteCarlo(2000)).why("y1", k=10).to_frame()
    for name in ("y0", "y2"):
        said, want = (table.loc[table["name"] == name, "contribution"].item() for table in (drawn, exact))
        assert said == pytest.approx(want, abs=0.1)
    monkeypatch.setattr(explaining, "_LEAST_DRAWS", 20_000)  # no label is drawn that often
    assert "label, if known" not in answer._changed(inference=MonteCarlo(2000)).why("y1", k=10).kind


def test_only_words_that_are_there_are_reasons():
    X, Y = data(6)
    words = (X.mean(axis=0) < X).astype(float)
    why = recipes.pcc().fit(sparse.csr_matrix(words), Y).joint(sparse.csr_matrix(words[:5])).why("y0", k=20)
    for row in range(5):
        mine = (why.row == row) & (why.kind == "feature")
        assert sorted(why.name[mine]) == [f"x{j}" for j in np.flatnonzero(words[row])]
