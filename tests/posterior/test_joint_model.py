"""What all joint models share: words for parts, the means of columns, answers in chunks."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import HistGradientBoostingClassifier

from plait import JointClassifier, recipes
from plait.core.sentences import ParameterError
from plait.learners import LogisticLearner, SklearnLearner
from plait.posterior import FewLabelsWarning

rng = np.random.default_rng(0)
X = rng.normal(size=(60, 3))
Y = (X[:, :2] + 0.5 * rng.normal(size=(60, 2)) > 0).astype(int)


def test_means_of_columns_leave_gaps_out():
    gappy = X.copy()
    gappy[::3, 0] = np.nan
    gappy[5:, 2] = np.nan
    learner = SklearnLearner(HistGradientBoostingClassifier(max_iter=2))
    model = JointClassifier(learner=learner).fit(gappy, Y)
    expected = [gappy[~np.isnan(gappy[:, 0]), 0].mean(), X[:, 1].mean(), X[:5, 2].mean()]
    np.testing.assert_allclose(model.feature_means_, expected, rtol=1e-12)


def test_setting_a_parameter_of_one_part_leaves_the_words_of_others():
    model = JointClassifier(structure="full_chain", learner="logistic").set_params(learner__C=2.0)
    assert model.learner.C == 2.0
    assert model.structure == "full_chain"


@pytest.mark.parametrize("one_column", [False, True])
def test_answers_about_chunks_have_the_form_of_those_about_all_rows(one_column):
    model = recipes.br().fit(X, Y[:, 0] if one_column else Y)
    expected = model.predict(X)
    parts = list(model.predict([X[:20], X[20:20], X[20:]]))
    assert [part.shape[1:] for part in parts] == [expected.shape[1:]] * 3
    np.testing.assert_array_equal(np.concatenate(parts), expected)


def test_no_rows_have_no_reasons_and_no_families():
    answer = recipes.pcc(random_state=0).fit(X, Y).joint(X)[:0]
    why = answer.why(0)
    assert [len(values) for values in why._columns().values()] == [0] * len(why._columns())
    assert repr(answer.credible_sets(0.9)) == "LabelFamilies(0 rows, 0.0 label sets a row)"


@pytest.mark.parametrize("k", [1, 3])
def test_a_picture_of_a_row_shows_its_likeliest_sets_and_labels(k):
    answer = recipes.pcc(random_state=0).fit(X, Y).joint(X)
    sets, labels = answer.plot(2, k=k).groups
    likely, names = answer[2].top(k), answer[2].top_labels(k)
    np.testing.assert_allclose(sets.values, likely.probabilities[0])
    np.testing.assert_allclose(labels.values, names.probabilities[0])
    assert labels.names == [str(name) for name in names.names[0]]
    with pytest.raises(ParameterError, match="plot needs k to be"):
        answer.plot(2, k=0)


def test_few_labels_are_told_by_the_row():
    draws = np.random.default_rng(0)
    X, Y = draws.normal(size=(200, 2)), (draws.random((200, 10)) < 0.3).astype(int)
    Y[:, 0] = X[:, 0] > 1  # the only label that is ever given
    model = recipes.br().fit(X, Y)
    with pytest.warns(FewLabelsWarning) as told:
        given = model.predict(X)
    few, many = (f"{each.sum() / 200:.2g}" for each in (given, Y))
    assert f"gives {few} labels a row here, while training rows have {many}:" in str(told[0].message)


def test_chunks_without_rows_are_trained_on_like_none():
    empty = recipes.br().fit([X[:0], X[:20], X[20:20], X[20:]], [Y[:0], Y[:20], Y[20:20], Y[20:]])
    full = recipes.br().fit([X[:20], X[20:]], [Y[:20], Y[20:]])
    np.testing.assert_array_equal(empty.predict_proba(X), full.predict_proba(X))
    with pytest.raises(ParameterError, match="JointClassifier needs at least one row, but no chunk has any"):
        recipes.br().fit([X[:0]], [Y[:0]])


def test_a_dask_collection_may_be_filtered():
    array = pytest.importorskip("dask.array")
    rows = array.from_array(X, chunks=20)
    kept = X[:, 0] > np.sort(X[20:40, 0])[-1]  # no row of the second block
    model = recipes.br().fit(X, Y)
    np.testing.assert_array_equal(model.predict(rows[kept]).compute(), model.predict(X[kept]))


@pytest.mark.parametrize("n_rows", [1, 2, 3])
def test_thresholds_come_from_models_that_did_not_see_the_row(n_rows):
    # The first two rows have no label in common.
    chosen = [*np.flatnonzero(Y.all(axis=1))[:1], *np.flatnonzero(~Y.any(axis=1))[:2]][:n_rows]
    learner, few = LogisticLearner(C=1.0), (X[chosen], Y[chosen])
    found = recipes.br(loss="macro_f1", learner=learner).fit(X, Y)._held_out(*few, None)
    for row in range(n_rows):
        others = np.arange(n_rows) != row if n_rows > 1 else [row]
        alone = recipes.br(learner=learner).fit(few[0][others], few[1][others])
        np.testing.assert_allclose(found[row], alone.predict_proba(few[0][[row]])[0], rtol=1e-9)


@pytest.mark.parametrize("sparse_output", [False, True])
def test_answers_without_rows_have_the_form_of_others(sparse_output):
    model = recipes.pcc(random_state=0).fit(X, Y)
    full, none = model.predict(X, sparse_output=sparse_output), model._like("predict", sparse_output=sparse_output)
    assert type(none) is type(full)
    assert none.shape == (0, 2)
    assert none.dtype == full.dtype
    assert model._like("predict_proba").shape == (0, 2)
    assert not sparse.issparse(model._like("predict_proba"))
