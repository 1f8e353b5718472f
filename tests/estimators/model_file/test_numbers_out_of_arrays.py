"""Files whose numbers compiled code would follow out of its arrays are refused."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
)
from sklearn.tree import DecisionTreeClassifier

from plait import load_model, recipes
from plait.joint import MixtureJoint

skops = pytest.importorskip("skops.io")


def crafted_tree(model, **changes):
    """Change the nodes of a scikit-learn tree, which it does not check itself."""
    state = model.tree_.__getstate__()
    for field, value in changes.items():
        state["nodes"][field][0] = value
    model.tree_.__setstate__(state)
    return model


@pytest.mark.parametrize(
    "changes", [{"left_child": 10**9}, {"right_child": 0}, {"left_child": -7}, {"feature": 10**6}, {"feature": -9}]
)
def test_a_tree_that_leads_out_of_its_nodes(tmp_path, changes, problem, refused):
    X, Y = problem()
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, Y)
    skops.dump(tree, tmp_path / "m.plait")
    load_model(tmp_path / "m.plait")
    skops.dump(crafted_tree(tree, **changes), tmp_path / "m.plait")
    refused(tmp_path / "m.plait", "Tree lead out")


@pytest.mark.parametrize("changes", [("left", 10**9), ("right", 0), ("feature_idx", 10**6), ("feature_idx", -1)])
def test_a_boosted_tree_that_leads_out_of_its_nodes(tmp_path, changes, problem, refused):
    X, Y = problem()
    model = HistGradientBoostingClassifier(max_iter=2, min_samples_leaf=5).fit(X, Y[:, 0])
    model._predictors[1][0].nodes[changes[0]][0] = changes[1]
    skops.dump(model, tmp_path / "m.plait")
    refused(tmp_path / "m.plait", "TreePredictor lead out")


@pytest.mark.parametrize("name", ["indices", "indptr"])
def test_a_sparse_matrix_that_leads_out_of_its_columns(tmp_path, name, problem, refused):
    model = recipes.br().fit(*problem())
    model.spare_ = sparse.csr_matrix(problem()[0])
    skops.dump(model, tmp_path / "m.plait")
    load_model(tmp_path / "m.plait")
    getattr(model.spare_, name)[1] = 10**6
    skops.dump(model, tmp_path / "m.plait")
    refused(tmp_path / "m.plait", "csr_matrix lead out")


@pytest.mark.parametrize("name", ["indices", "indptr"])
def test_sparse_coefficients_that_lead_out_of_their_columns(tmp_path, name, refused, thin_model):
    getattr(thin_model.conditionals_.coef_, name)[1] = 10**6
    skops.dump(thin_model, tmp_path / "m.plait")
    refused(tmp_path / "m.plait", "csr_array lead out")


@pytest.mark.parametrize(
    "change", [{"coef_": np.zeros((2, 4))}, {"parent_coef_": np.zeros((3, 1))}, {"intercept_": 0.0}]
)
def test_coefficients_that_do_not_fit_their_graph(tmp_path, change, problem, refused):
    model = recipes.pcc().fit(*problem())
    for name, value in change.items():
        object.__setattr__(model.conditionals_, name, np.asarray(value))
    skops.dump(model, tmp_path / "m.plait")
    refused(tmp_path / "m.plait", "LinearConditionals lead out")


@pytest.mark.parametrize("weights", [[1.0], [], [0.0, 0.0], [0.5, np.nan], [1.5, -0.5]])
def test_weights_of_a_mixture_that_cannot_be(tmp_path, weights, problem, refused):
    model = recipes.epcc(n_estimators=2, random_state=0).fit(*problem())
    model.joint_ = MixtureJoint(np.array(weights), model.joint_.joints if weights else ())
    skops.dump(model, tmp_path / "m.plait")
    refused(tmp_path / "m.plait", "MixtureJoint lead out")
