import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from plait import recipes
from plait.data.synthetic import make_label_network
from plait.inference import BestFirst
from plait.learners import LogisticLearner


def by_hand(model, X, Y, X_new, support):
    """Predict greedily along the order by scikit-learn, all columns scaled, parents among them."""
    found = np.zeros((len(X_new), Y.shape[1]))
    for label in model.graph_.order:
        parents = list(model.graph_.parents[label])
        scaler = StandardScaler()
        design = scaler.fit_transform(np.column_stack([X[:, support[label]], Y[:, parents]]))
        fitted = LogisticRegression(C=5.0, tol=1e-10, max_iter=1000).fit(design, Y[:, label])
        found[:, label] = fitted.predict(
            scaler.transform(np.column_stack([X_new[:, support[label]], found[:, parents]]))
        )
    return found


@pytest.mark.parametrize("name", ["pacc", "pacc_ldf"])
def test_the_program_of_pacc_predicts_greedily_from_every_earlier_label(name):
    data = make_label_network(400, 8, 5, strength=3.0, random_state=0).dataset
    X, Y, X_new = data.X[:250], data.Y[:250], data.X[250:]
    learner = LogisticLearner(5.0, standardize=True, scale_parents=True, tol=1e-10)
    model = getattr(recipes, name)(released=True, learner=learner).fit(X, Y)
    assert sum(map(len, model.graph_.parents)) > 4  # more than a polytree has
    support = np.ones((5, 8), dtype=bool) if model.mask_ is None else model.mask_.support
    np.testing.assert_array_equal(model.predict(X_new), by_hand(model, X, Y, X_new, support))
    exact = getattr(recipes, name)(released=True, learner=learner, inference=BestFirst()).fit(X, Y)
    assert exact.graph_ == model.graph_
    answer = exact.joint(X_new)
    assert (answer.log_prob(exact.predict(X_new)) >= answer.log_prob(model.predict(X_new)) - 1e-12).all()
