import pytest

from plait import baselines
from plait.commands.methods import make_method, method_names, parsed_settings
from plait.core.sentences import ParameterError
from plait.estimators import recipes
from plait.learners import LogisticLearner


def test_every_recipe_and_baseline_has_a_name():
    assert method_names() == [*sorted(recipes.__all__), *sorted(baselines.__all__)]
    for name in method_names():
        model = make_method(name, random_state=3)
        assert getattr(model, "random_state", 3) == 3
    assert isinstance(make_method("ml-knn", {"n_neighbors": 3}), baselines.MLkNN)


def test_settings_of_the_recipe_and_of_its_parts():
    model = make_method("KCC", {"k": 2, "learner__C": "cv", "loss": "f1"})
    assert model.structure.k == 2
    assert isinstance(model.learner, LogisticLearner)
    assert model.learner.C == "cv"
    assert model.loss == "f1"
    assert make_method("pacc-ldf", {"r": 0.05}).selector.r == 0.05


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: make_method("nope"), "plait needs --method to be one of auto, .*, but it is 'nope'"),
        (lambda: make_method("cc", {"k": 2}), r"cc has no parameter 'k'\. There are .*, order, "),
        (lambda: parsed_settings(["k"]), "plait needs --set to be NAME=VALUE, but it is 'k'"),
    ],
)
def test_wrong_words(call, words):
    with pytest.raises(ParameterError, match=words):
        call()


def test_values_are_numbers_constants_or_words():
    assert parsed_settings(["a=1", "b=0.5", "c=None", "d=cv", "e=[0, 1]", "f=x=y"]) == {
        "a": 1,
        "b": 0.5,
        "c": None,
        "d": "cv",
        "e": [0, 1],
        "f": "x=y",
    }
