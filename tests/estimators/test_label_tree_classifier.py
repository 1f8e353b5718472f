"""Probabilistic label trees: binary relevance without groups, exact top labels, each node from its own rows."""

import numpy as np
import pytest
from scipy import sparse

from plait import LabelTreeClassifier, load_model, recipes, save_model
from plait.core.kernel_policy import using_kernels
from plait.data.synthetic import make_tagged_text
from plait.learners import LinearSVMLearner, LogisticLearner


@pytest.fixture(scope="module")
def text():
    """Rows of words with 60 tags; the last 100 rows are new ones."""
    data = make_tagged_text(700, 400, 60, random_state=0)
    return data.X[:600], data.Y[:600], data.X[600:]


@pytest.fixture(scope="module")
def model(text):
    """A tree of two levels of groups."""
    return LabelTreeClassifier(arity=3, max_leaves=8, random_state=0).fit(*text[:2])


def test_without_groups_it_is_binary_relevance(text):
    X, Y, new = text
    flat = recipes.plt(max_leaves=60, random_state=0).fit(X, Y)
    single = recipes.br(learner="logistic").fit(X, Y)
    # Weights are kept in float32.
    np.testing.assert_allclose(flat.predict_proba(new), single.predict_proba(new), rtol=1e-5)
    np.testing.assert_array_equal(flat.predict(new, "hamming"), single.predict(new, "hamming"))


def test_every_node_is_trained_on_the_rows_of_its_parent(text, model):
    X, Y, _ = text
    tree, values = model.hierarchy_, model.hierarchy_.values(Y).toarray()
    for node in tree.inner[[0, 1, len(tree.inner) - 1]]:
        rows = np.arange(X.shape[0]) if node < 0 else np.flatnonzero(values[:, node])
        children = tree.children(int(node))
        alone = LogisticLearner().fit(X[rows], values[rows][:, children])
        coef = model.conditionals_.weights[:, children].T.toarray()
        np.testing.assert_allclose(coef, alone.coef_, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(model.conditionals_.intercept_[children], alone.intercept_, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kernels", ["always", "never"])
@pytest.mark.parametrize("k", [1, 5, 60, 100])
def test_top_labels_are_the_highest_marginals(text, model, k, kernels):
    new = text[2]
    with using_kernels(kernels):
        names, probabilities = model.top_labels(new, k)
    marginals = model.predict_proba(new)
    best = np.argsort(-marginals, axis=1, kind="stable")[:, :k]
    np.testing.assert_allclose(probabilities, np.take_along_axis(marginals, best, axis=1), rtol=1e-9)
    places = np.vectorize({name: place for place, name in enumerate(model.label_names_)}.__getitem__)(names)
    np.testing.assert_allclose(np.take_along_axis(marginals, places, axis=1), probabilities, rtol=1e-9)


def test_best_first_search_leaves_most_nodes_aside(text, model):
    with using_kernels("always"):
        visited = model.joint_.likeliest(text[2], 1)[2]
    assert visited.max() <= model.hierarchy_.n_nodes
    assert visited.mean() < 0.7 * model.hierarchy_.n_nodes


def test_kernels_and_plain_scores_have_the_same_bits(text, model):
    new = text[2]
    scores = []
    for policy in ("always", "never"):
        with using_kernels(policy):
            scores += [model.conditionals_.node_scores(form) for form in (new, new.toarray())]
    for other in scores[1:]:
        np.testing.assert_array_equal(scores[0], other)


@pytest.mark.parametrize("weights", [None, np.arange(600) % 3])
def test_same_bits_for_any_jobs_and_for_dense_labels(text, model, weights):
    X, Y, new = text
    one = LabelTreeClassifier(arity=3, max_leaves=8, random_state=0, n_jobs=1).fit(X, Y, weights)
    two = LabelTreeClassifier(arity=3, max_leaves=8, random_state=0, n_jobs=2).fit(X, Y.toarray(), weights)
    assert (one.conditionals_.weights != two.conditionals_.weights).nnz == 0
    np.testing.assert_array_equal(one.conditionals_.intercept_, two.conditionals_.intercept_)
    np.testing.assert_array_equal(one.top_labels(new, 3).probabilities, two.top_labels(new, 3).probabilities)


def test_small_coefficients_are_dropped(text, model):
    X, Y, new = text
    learner = LogisticLearner(sparsify=0.05)
    thin = LabelTreeClassifier(arity=3, max_leaves=8, random_state=0, learner=learner).fit(X, Y)
    whole, left = model.conditionals_.weights, thin.conditionals_.weights
    assert left.nnz == (np.abs(whole.data) > 0.05).sum() < whole.nnz
    assert np.abs(thin.predict_proba(new) - model.predict_proba(new)).max() < 0.2


def test_questions_to_the_joint(text, model):
    new = text[2][:4]
    answer = model.joint(new)
    np.testing.assert_allclose(answer.log_prob(answer.mode()), np.log(answer.top(1).probabilities[:, 0]), rtol=1e-9)
    assert answer.exact.all()
    known = answer.given({"y0": 1})
    assert (known.marginals()[:, 0] == 1).all()
    assert (known.sample(5, random_state=0)[:, :, 0] == 1).all()
    assert answer.decide("f1").shape == (4, 60)


def test_labels_that_never_or_always_are_there():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(60, 3)), rng.random((60, 7)) < 0.3
    Y[:, 2], Y[:, 5] = False, True
    model = LabelTreeClassifier(arity=2, max_leaves=2, random_state=0).fit(X, Y)
    marginals = model.predict_proba(X)
    assert (marginals[:, 2] < 0.1).all()
    assert (marginals[:, 5] > 0.9).all()


def test_files(tmp_path, text, model):
    save_model(model, tmp_path / "tree.plait")
    again = load_model(tmp_path / "tree.plait")
    np.testing.assert_array_equal(again.predict_proba(text[2]), model.predict_proba(text[2]))
    np.testing.assert_array_equal(again.top_labels(text[2], 3).names, model.top_labels(text[2], 3).names)


def test_learners_without_log_odds_are_refused(text):
    with pytest.raises(ValueError, match="needs a learner with linear log-odds"):
        LabelTreeClassifier(learner=LinearSVMLearner()).fit(sparse.csr_matrix(text[0]), text[1])
