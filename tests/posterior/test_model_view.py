"""What a notebook shows of a model: scikit-learn's diagram, its parts, the label graph, and where to read more."""

import inspect

import numpy as np
import pytest
from sklearn import config_context

import plait
from plait import AutoJoint, JointClassifier, recipes
from plait.core.multilabel_classifier import DOCUMENTATION, MultilabelClassifier
from plait.posterior.model_view import label_graphs


@pytest.fixture(scope="module")
def data():
    chance = np.random.default_rng(0)
    X = chance.normal(size=(60, 3))
    return X, [{name for name, value in zip(("sea", "<sun>", "sand"), row, strict=True) if value > 0} for row in X]


def test_parts_are_in_sight_before_and_after_the_fit(data):
    model = recipes.pcc(loss="hamming")
    for shown in (model._repr_html_(), model.fit(*data)._repr_html_()):
        assert "sk-top-container" in shown
        for part in ("structure", "learner", "inference", "loss"):
            assert f"<th>{part}</th>" in shown
        assert "Hamming()" in shown


def test_a_fitted_model_shows_its_graph_with_names(data):
    model = recipes.ctbn(random_state=0)
    assert "plait-graph" not in model._repr_html_()
    shown = model.fit(*data)._repr_html_()
    assert "plait-graph" in shown
    assert "&lt;sun&gt;" in shown
    assert "<sun>" not in shown
    assert model._repr_mimebundle_()["text/html"].count("plait-graph") == 1


def test_of_a_mixture_the_weightiest_graph_is_shown_and_without_edges_none(data):
    mixture = recipes.mc(random_state=0).fit(*data)
    graphs = label_graphs(mixture)
    assert len(graphs) == mixture.n_components_
    assert [weight for weight, _ in graphs] == sorted(mixture.weights_, reverse=True)
    assert (f"of {len(graphs)} label graphs" in mixture._repr_html_()) == (len(graphs) > 1)
    assert "plait-graph" not in recipes.br().fit(*data)._repr_html_()


@pytest.mark.filterwarnings("ignore::plait.estimators.auto_joint.auto_joint.FewRowsWarning")
def test_the_weights_of_learners_are_not_those_of_graphs(data):
    model = AutoJoint(effort="fast", random_state=0).fit(*data)
    assert isinstance(model.weights_, dict)
    assert [weight for weight, _ in label_graphs(model)] == [1.0 / len(model.graphs_)] * len(model.graphs_)
    assert "sk-top-container" in model._repr_html_()


def test_the_display_setting_of_scikit_learn_counts():
    with config_context(display="text"):
        assert not hasattr(JointClassifier(), "_repr_html_")


def test_every_classifier_links_to_its_page():
    kinds = [thing for name in plait.__all__ if inspect.isclass(thing := getattr(plait, name))]
    kinds += [getattr(plait.baselines, name) for name in plait.baselines.__all__]
    kinds = [kind for kind in kinds if isinstance(kind, type) and issubclass(kind, MultilabelClassifier)]
    assert len(kinds) > 10
    for kind in kinds:
        room = f"plait.{kind.__module__.split('.')[1]}"
        link = MultilabelClassifier._get_doc_link(object.__new__(kind))
        assert link == f"{DOCUMENTATION}/api/names/{room}.{kind.__name__}.html"
        assert getattr(__import__(room, fromlist=[kind.__name__]), kind.__name__) is kind
