"""Many labels with few parents each: coefficients of parents are kept sparse, and nothing else changes."""

import numpy as np
import pytest
from scipy import sparse

from plait import load_model, recipes, save_model
from plait.core.kernel_policy import using_kernels
from plait.data.synthetic import make_tagged_text
from plait.features import GivenFeatures
from plait.learners import LogisticLearner, linear_conditionals

METHODS = {
    "kcc": lambda **how: recipes.kcc(k=3, random_state=0, **how),
    "bcc": lambda **how: recipes.bcc(random_state=0, **how),
    "br": lambda **how: recipes.br(random_state=0, **how),
}


@pytest.fixture
def data():
    with using_kernels("always"):
        yield make_tagged_text(400, 300, 12, random_state=1)


def both(fit):
    """Return a model as it is made, and as it is made of many labels."""
    whole = fit()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linear_conditionals, "_MANY_LABELS", 1)
        patch.setattr(linear_conditionals, "_FEW", 1.0)
        few = fit()
    assert not sparse.issparse(whole.conditionals_.parent_coef_)
    assert sparse.issparse(few.conditionals_.parent_coef_)
    return whole, few


def check_equal(whole, few):
    for name in ("coef_", "intercept_", "n_iter_", "converged_", "C_", "dense_parent_coef"):
        np.testing.assert_array_equal(getattr(few.conditionals_, name), getattr(whole.conditionals_, name))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "learner", [LogisticLearner(C=3.0), LogisticLearner(scale_parents=True), LogisticLearner("cv")]
)
def test_the_same_coefficients(data, method, learner):
    Y = data.Y.toarray()
    Y[:, 5] = 0
    Y = sparse.csr_matrix(Y)
    for X in (data.X, data.X.toarray()):
        whole, few = both(lambda X=X: METHODS[method](learner=learner).fit(X, Y))
        check_equal(whole, few)
        np.testing.assert_array_equal(few.predict(data.X[:50]), whole.predict(data.X[:50]))


def test_features_of_each_label_and_threads(data):
    support = np.random.default_rng(0).random((12, 300)) < 0.8
    how = {"learner": LogisticLearner()}
    whole, few = both(lambda: METHODS["kcc"](**how).set_params(selector=GivenFeatures(support)).fit(data.X, data.Y))
    check_equal(whole, few)
    assert not few.conditionals_.coef_[~support].any()
    _, two = both(lambda: METHODS["kcc"](n_jobs=2, **how).fit(data.X, data.Y))
    _, one = both(lambda: METHODS["kcc"](n_jobs=1, **how).fit(data.X, data.Y))
    check_equal(one, two)


def test_answers_and_files(data, tmp_path):
    whole, few = both(lambda: METHODS["kcc"](learner=LogisticLearner()).fit(data.X, data.Y))
    rows = data.X[:20]
    assert few.joint(rows).mode().tolist() == whole.joint(rows).mode().tolist()
    np.testing.assert_allclose(
        few.joint(rows).log_prob(data.Y[:20]), whole.joint(rows).log_prob(data.Y[:20]), rtol=1e-9
    )
    # Both estimates come from 200 draws.
    np.testing.assert_allclose(few.predict_proba(rows), whole.predict_proba(rows), atol=0.15)
    np.testing.assert_allclose(few.predict_proba(rows).mean(axis=0), whole.predict_proba(rows).mean(axis=0), atol=0.03)
    save_model(few, tmp_path / "few.plait")
    again = load_model(tmp_path / "few.plait")
    assert sparse.issparse(again.conditionals_.parent_coef_)
    np.testing.assert_array_equal(again.predict_proba(rows), few.predict_proba(rows))
