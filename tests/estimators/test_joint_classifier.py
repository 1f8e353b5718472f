import itertools
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_predict, cross_validate
from sklearn.multioutput import ClassifierChain
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from plait import JointClassifier, recipes
from plait.core.sentences import ParameterError
from plait.data.synthetic import make_label_network
from plait.estimators import load_model, save_model
from plait.estimators.joint_classifier import repeated_rows
from plait.features import MLFS
from plait.inference import BestFirst, Greedy
from plait.learners import LinearSVMLearner, LogisticLearner, SklearnLearner
from plait.structure import FullChain, Independent, KDependence


def problem(n=150, d=5, q=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).round(3)
    scores = X @ rng.normal(size=(d, q)) + rng.normal(size=(n, q))
    Y = (scores > 0).astype(np.uint8)
    Y[:, -1] |= Y[:, 0] & Y[:, q // 2]
    return X, Y


def test_fitted_attributes_and_shapes():
    X, Y = problem()
    model = JointClassifier("full_chain", MLFS(2, "label"), random_state=0).fit(X, Y)
    assert model.graph_.parents == ((), (0,), (0, 1), (0, 1, 2))
    assert model.mask_.support.sum(axis=1).tolist() == [2] * 4
    assert model.conditionals_.coef_.shape == (4, 5)
    assert model.conditionals_.parent_coef_.shape == (4, 4)
    assert (model.conditionals_.coef_ == 0).sum() == 12
    assert model.n_labels_ == 4
    assert model.n_features_in_ == 5
    assert model.label_names_.tolist() == ["y0", "y1", "y2", "y3"]
    assert model.predict(X).dtype == np.int64
    assert model.predict_proba(X).shape == Y.shape
    assert model.score(X, Y) == (model.predict(X) == Y).all(axis=1).mean()


def test_with_nothing_given_it_is_pcc():
    X, Y = problem()
    assert repr(JointClassifier().part("structure")) == "FullChain(order='information')"
    assert repr(JointClassifier().part("learner")) == "LogisticLearner(C='cv', standardize='balanced')"
    assert repr(recipes.pcc().learner) == repr(JointClassifier().part("learner"))
    mine, recipe = JointClassifier().fit(X, Y), recipes.pcc().fit(X, Y)
    np.testing.assert_array_equal(mine.predict(X), recipe.predict(X))
    np.testing.assert_array_equal(mine.predict_proba(X), recipe.predict_proba(X))


def test_marginals_are_sums_over_all_label_sets():
    X, Y = problem()
    model = JointClassifier().fit(X, Y)
    answer = model.joint(X[:10])
    vectors = np.array(list(itertools.product([0, 1], repeat=4)))
    table = np.exp(np.column_stack([answer.log_prob(np.tile(y, (10, 1))) for y in vectors]))
    np.testing.assert_allclose(table.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(model.predict_proba(X[:10]), table @ vectors, rtol=1e-9)
    np.testing.assert_array_equal(model.predict(X[:10]), vectors[table.argmax(axis=1)])


def test_inference_and_loss_may_change_after_fit_and_loss_for_one_call():
    X, Y = problem()
    model = JointClassifier().fit(X, Y)
    fitted = model.conditionals_
    by_call = model.predict(X, loss="hamming")
    model.set_params(loss="hamming")
    np.testing.assert_array_equal(model.predict(X), by_call)
    np.testing.assert_array_equal(by_call, model.predict_proba(X) > 0.5)
    model.set_params(inference=Greedy())
    np.testing.assert_array_equal(model.predict(X), by_call)  # one greedy set is no answer to this loss
    greedy = model.predict(X, loss="subset")
    model.set_params(inference="greedy", loss="subset")
    np.testing.assert_array_equal(model.predict(X), greedy)
    assert model.conditionals_ is fitted
    with pytest.raises(ParameterError, match=r"predict needs a loss that decides.*joint\(X\).decide\('rank'\)"):
        model.predict(X, loss="rank")


def test_greedy_is_scikit_learns_chain_given_the_same_coefficients():
    X, Y = problem(seed=3)
    learner = LogisticLearner(standardize=False, tol=1e-10)
    model = JointClassifier(FullChain([2, 0, 3, 1]), learner=learner, inference="greedy").fit(X, Y)
    chain = ClassifierChain(LogisticRegression(tol=1e-10, max_iter=10_000), order=[2, 0, 3, 1]).fit(X, Y)
    for place, label in enumerate(chain.order_):
        fitted = chain.estimators_[place].coef_[0]
        np.testing.assert_allclose(model.conditionals_.coef_[label], fitted[:5], rtol=1e-3, atol=1e-4)
    np.testing.assert_array_equal(model.predict(X), chain.predict(X))


def test_no_parents_is_binary_relevance_and_all_parents_is_the_chain():
    X, Y = problem()
    none = JointClassifier(KDependence(0)).fit(X, Y)
    np.testing.assert_array_equal(none.predict(X), JointClassifier(Independent()).fit(X, Y).predict(X))
    every = JointClassifier(KDependence(3)).fit(X, Y)
    np.testing.assert_array_equal(every.predict(X), JointClassifier(FullChain()).fit(X, Y).predict(X))


@pytest.mark.parametrize(
    "form",
    [
        sparse.csr_matrix,
        sparse.csc_array,
        np.asfortranarray,
        lambda X: pd.DataFrame(X, columns=list("abcde")),
        lambda X: pl.DataFrame(X, schema=list("abcde")),
        lambda X: X.tolist(),
    ],
)
def test_every_form_of_x_gives_the_same_answer(form):
    X, Y = problem()
    X[np.abs(X) < 0.7] = 0.0
    learner = LogisticLearner(tol=1e-12)
    expected = JointClassifier(learner=learner).fit(X, Y).predict_proba(X)
    model = JointClassifier(learner=learner).fit(form(X), Y)
    np.testing.assert_allclose(model.predict_proba(form(X)), expected, rtol=1e-5, atol=1e-7)
    assert list(getattr(model, "feature_names_in_", "abcde")) == list("abcde")


def test_names_of_labels_and_evidence_by_name():
    X, Y = problem()
    names = ["sea", "sun", "sand", "surf"]
    model = JointClassifier().fit(X, pd.DataFrame(Y, columns=names))
    assert model.label_names_.tolist() == names
    np.testing.assert_array_equal(model.joint(X).given({"sand": 1}).marginals()[:, 2], 1.0)
    sets = [{name for name, has in zip(names, row, strict=True) if has} for row in Y]
    by_set = JointClassifier().fit(X, sets)
    assert by_set.label_names_.tolist() == sorted(names)


def test_a_memory_map_is_read(tmp_path):
    X, Y = problem()
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    np.testing.assert_array_equal(
        JointClassifier().fit(mapped, Y).predict(mapped), JointClassifier().fit(X, Y).predict(X)
    )


def test_one_label_as_a_column_and_as_a_matrix():
    X, Y = problem(q=1)
    words = np.where(Y[:, 0] == 1, "yes", "no")
    column = JointClassifier().fit(X, words)
    matrix = JointClassifier().fit(X, Y)
    assert column.classes_.tolist() == ["no", "yes"]
    np.testing.assert_array_equal(column.predict(X) == "yes", matrix.predict(X)[:, 0])
    assert matrix.predict(X).shape == (150, 1)
    np.testing.assert_allclose(column.predict_proba(X)[:, 1], matrix.predict_proba(X)[:, 0], rtol=1e-12)
    assert column.predict_proba(X).shape == (150, 2)


def test_constant_and_absent_labels_and_a_single_row():
    X, Y = problem()
    Y[:, 1], Y[:, 2] = 0, 1
    model = JointClassifier().fit(X, Y)
    np.testing.assert_array_equal(model.predict(X)[:, 1:3], np.tile([0, 1], (150, 1)))
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], 1 / 152, rtol=1e-9)
    np.testing.assert_allclose(model.predict_proba(X)[:, 2], 151 / 152, rtol=1e-9)
    one = JointClassifier().fit(X[:1], Y[:1])
    np.testing.assert_array_equal(one.predict(X), np.tile(Y[0], (150, 1)))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"loss": "zero"}, "JointClassifier needs loss to be .*'hamming'"),
        ({"structure": "tower"}, "JointClassifier needs structure to be .*'full_chain'"),
        ({"learner": "magic"}, "JointClassifier needs learner to be .*'logistic', 'tuned', but"),
        ({"selector": "magic"}, "JointClassifier needs selector to be .*'scls'"),
        ({"inference": "magic"}, "JointClassifier needs inference to be .*'greedy'"),
        ({"structure": 3}, "JointClassifier needs structure to be"),
    ],
)
def test_wrong_parts(wrong, words):
    X, Y = problem()
    with pytest.raises(ParameterError, match=words):
        JointClassifier(**wrong).fit(X, Y).predict(X)


def test_multi_class_columns_are_refused():
    X, Y = problem()
    with pytest.raises(ParameterError, match=r"JointClassifier needs y to hold only 0 and 1.* but it holds 2"):
        JointClassifier().fit(X, Y * 2)
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        JointClassifier().fit(X, Y.sum(axis=1))
    with pytest.raises(ParameterError, match="X has 150 and y has 10"):
        JointClassifier().fit(X, Y[:10])


def test_margins_give_decisions_only():
    X, Y = problem()
    model = JointClassifier(learner=LinearSVMLearner(), inference="greedy").fit(X, Y)
    assert not hasattr(model, "predict_proba")
    assert not hasattr(model, "joint")
    np.testing.assert_array_equal(model.decision_function(X) > 0, model.predict(X))
    assert not hasattr(JointClassifier().fit(X, Y), "decision_function")


def test_any_scikit_learn_classifier_as_learner():
    X, Y = problem()
    tree = SklearnLearner(DecisionTreeClassifier(max_depth=3, random_state=0))
    model = JointClassifier(learner=tree, random_state=0).fit(X, Y)
    vectors = np.array(list(itertools.product([0, 1], repeat=4)))
    table = np.exp(np.column_stack([model.joint(X[:5]).log_prob(np.tile(y, (5, 1))) for y in vectors]))
    np.testing.assert_allclose(table.sum(axis=1), 1.0, rtol=1e-9)
    np.testing.assert_allclose(model.predict_proba(X[:5]), table @ vectors, rtol=1e-9)


def test_weights_are_copies_of_rows():
    X, Y = problem(n=60)
    weights = np.random.default_rng(0).integers(0, 3, size=60)
    learner = LogisticLearner(standardize=False, tol=1e-9)
    weighted = JointClassifier(learner=learner).fit(X, Y, sample_weight=weights)
    copied = JointClassifier(learner=learner).fit(np.repeat(X, weights, axis=0), np.repeat(Y, weights, axis=0))
    np.testing.assert_allclose(weighted.conditionals_.coef_, copied.conditionals_.coef_, rtol=1e-3, atol=1e-4)


def test_labels_and_rows_may_be_permuted():
    X, Y = problem(seed=5)
    order, rows = [2, 0, 3, 1], np.random.default_rng(0).permutation(150)
    learner = LogisticLearner(tol=1e-9)
    first = JointClassifier(FullChain(order), learner=learner).fit(X, Y).predict_proba(X)
    second = JointClassifier(FullChain([0, 1, 2, 3]), learner=learner).fit(X[rows], Y[rows][:, order]).predict_proba(X)
    np.testing.assert_allclose(first[:, order], second, rtol=1e-3, atol=1e-4)


def test_pipelines_searches_and_cross_validation():
    X, Y = problem()
    pipeline = make_pipeline(StandardScaler(), JointClassifier(inference=BestFirst(), learner=LogisticLearner()))
    search = GridSearchCV(
        pipeline,
        {
            "jointclassifier__structure": [Independent(), FullChain()],
            "jointclassifier__inference__epsilon": [0.0, 0.25],
            "jointclassifier__learner__C": [0.1, 1.0],
        },
        cv=3,
    ).fit(X, Y)
    assert search.predict(X).shape == Y.shape
    probabilities = cross_val_predict(JointClassifier(), X, Y, cv=3, method="predict_proba")
    assert probabilities.shape == Y.shape
    assert ((probabilities > 0) & (probabilities < 1)).all()


def test_metadata_routing():
    X, Y = problem()
    with config_context(enable_metadata_routing=True):
        model = JointClassifier().set_fit_request(sample_weight=True).set_score_request(sample_weight=False)
        scores = cross_validate(
            model, X, Y, cv=GroupKFold(3), params={"sample_weight": np.ones(150), "groups": np.arange(150) % 5}
        )
    assert len(scores["test_score"]) == 3


def test_clone_pickle_and_file(tmp_path):
    pytest.importorskip("skops.io")
    X, Y = problem()
    for model in (recipes.pcc(), recipes.bcc_ldf(random_state=0), recipes.occ(), recipes.pacc(random_state=0)):
        fitted = clone(model).fit(X, Y)
        expected = fitted.predict(X)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict(X), expected)
        save_model(fitted, tmp_path / "model.plait")
        np.testing.assert_array_equal(load_model(tmp_path / "model.plait").predict(X), expected)


def test_marginals_approach_the_true_ones():
    errors = []
    for n in (200, 1000, 5000):
        network = make_label_network(n + 200, 4, 4, structure="chain", strength=2.0, random_state=0)
        X, Y = network.dataset.X, network.dataset.Y
        model = JointClassifier(FullChain(network.order))
        marginals = model.fit(X[:n], Y[:n]).predict_proba(X[n:])
        errors.append(np.abs(marginals - network.marginals(X[n:])).mean())
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.03


def test_bad_columns_at_prediction():
    X, Y = problem()
    model = JointClassifier().fit(pd.DataFrame(X, columns=list("abcde")), Y)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(pd.DataFrame(X, columns=list("abcdf")))
    with pytest.raises(ValueError, match="4 features"):
        JointClassifier().fit(X, Y).predict(X[:, :4])


@pytest.mark.parametrize("name", sorted(set(recipes.__all__) - {"auto", "occ", "eocc"}))
@pytest.mark.parametrize("n_rows", [1, 2])
def test_one_row_or_two_are_learned_as_they_are(name, n_rows):
    X, Y = problem()
    model = getattr(recipes, name)(random_state=0).fit(X[:n_rows], Y[:n_rows])
    assert model.predict(X).shape == Y.shape
    if n_rows == 1:
        np.testing.assert_array_equal(model.predict(X), np.repeat(Y[:1], len(X), axis=0))


def test_words_in_x_are_refused_with_a_way_out():
    X, Y = problem()
    frame = pd.DataFrame(X, columns=list("abcde")).assign(e=["red", "blue"] * 75)
    with pytest.raises(ParameterError, match=r"needs X to hold numbers, but it holds 'red'.*TableEncoder"):
        JointClassifier().fit(frame, Y)


@pytest.mark.parametrize("recipe", [recipes.pcc, recipes.ctbn, recipes.pacc])
@pytest.mark.parametrize("unit", [1e300, 1e-300])
def test_the_unit_of_a_feature_changes_nothing(recipe, unit):
    data = make_label_network(80, 4, 3, random_state=0).dataset
    units = np.array([1.0, unit, 1.0, 1.0])
    plain = recipe(learner=LogisticLearner(), random_state=0).fit(data.X, data.Y)
    other = recipe(learner=LogisticLearner(), random_state=0).fit(data.X * units, data.Y)
    assert other.graph_ == plain.graph_
    np.testing.assert_allclose(other.predict_proba(data.X * units), plain.predict_proba(data.X), rtol=1e-5)


@pytest.mark.parametrize("exponent", [1000, -1000])
def test_the_common_unit_of_all_features_changes_nothing(exponent):
    data = make_label_network(80, 4, 3, random_state=0).dataset
    X = np.ldexp(data.X, exponent)
    plain, other = (recipes.pcc(learner=LogisticLearner()).fit(given, data.Y) for given in (data.X, X))
    assert other.graph_ == plain.graph_
    np.testing.assert_allclose(other.predict_proba(X), plain.predict_proba(data.X), rtol=1e-5)


def test_a_model_says_whether_probabilities_are_sampled():
    few, many = (make_label_network(60, 4, n_labels, random_state=0).dataset for n_labels in (3, 16))
    models = [recipes.pcc(random_state=0).fit(data.X, data.Y) for data in (few, many)]
    for model, data, sampled in zip(models, (few, many), (False, True), strict=True):
        answer = model.joint(data.X)
        chances = answer.marginals()
        assert model.proba_method_ == answer.method
        assert ("Monte Carlo" in model.proba_method_) == sampled
        assert (~answer.exact).all() == sampled
        np.testing.assert_array_equal(model.predict_proba(data.X), chances)
    assert not hasattr(recipes.pcc(), "proba_method_")
    assert not hasattr(recipes.pcc(learner="linear_svm").fit(few.X, few.Y), "proba_method_")


@pytest.mark.parametrize("weights", [[2.0, 0.0, 1.0, 0.0], [0.5, 0.0, 1.0, 0.0], [60.0, 0.0, 7.0, 0.0]])
def test_rows_that_weigh_nothing_are_not_counted(weights):
    X, Y = np.arange(4.0)[:, None], np.array([[1], [0], [1], [0]])
    counted = repeated_rows(X, Y, np.array(weights))
    assert set(counted[0].ravel()) == {0.0, 2.0}
    assert len(counted[0]) == (3 if weights[0] == 2.0 else 2)
    assert len(counted[1]) == len(counted[0])
