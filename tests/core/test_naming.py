from types import ModuleType

import pytest

from plait.core.naming import registered, registry, resolve
from plait.core.sentences import ParameterError


class Base:
    pass


class BestFirst(Base):
    pass


class MLkNN(Base):
    pass


class Unrelated:
    pass


@pytest.fixture
def room():
    module = ModuleType("room")
    module.__all__ = ["Base", "BestFirst", "MLkNN", "Unrelated", "some_function"]
    for kind in (Base, BestFirst, MLkNN, Unrelated):
        setattr(module, kind.__name__, kind)
    module.some_function = len
    return module


def test_registry_lists_the_classes_of_the_base_only(room):
    assert registry(room, Base) == {"best_first": BestFirst, "mlknn": MLkNN}


def test_resolve_takes_objects_and_words(room):
    given = BestFirst()
    assert resolve("Owner", "inference", given, room, Base) is given
    assert isinstance(resolve("Owner", "inference", "mlknn", room, Base), MLkNN)


@pytest.mark.parametrize("wrong", ["bestfirst", Base, Unrelated(), None])
def test_a_wrong_name_lists_the_right_ones(room, wrong):
    with pytest.raises(ParameterError, match="one of 'best_first', 'mlknn', but it is"):
        resolve("Owner", "inference", wrong, room, Base)


def test_an_underscore_too_many_is_forgiven_and_the_nearest_word_named(room):
    assert isinstance(resolve("Owner", "inference", "ml_knn", room, Base), MLkNN)
    with pytest.raises(ParameterError, match=r"Did you mean 'best_first'\?$"):
        resolve("Owner", "inference", "bestfirst", room, Base)


@pytest.mark.parametrize(
    ("name", "word"),
    [
        *[("JointClassifier", "joint_classifier"), ("SCLS", "scls"), ("D2F", "d2f"), ("GainRatio", "gain_ratio")],
        *[("MicroF1", "micro_f1"), ("PairwiseCRF", "pairwise_crf"), ("LAIMDiscretizer", "laim_discretizer")],
    ],
)
def test_words(name, word):
    assert registered(name) == word


class Learner:
    pass


class LinearSVMLearner(Learner):
    pass


def test_the_word_of_the_base_may_be_left_out():
    module = ModuleType("learners")
    module.__all__, module.LinearSVMLearner = ["LinearSVMLearner"], LinearSVMLearner
    assert list(registry(module, Learner)) == ["linear_svm"]
    for word in ("linear_svm", "linear_svm_learner"):
        assert isinstance(resolve("Owner", "learner", word, module, Learner), LinearSVMLearner)


class Wrapped(Learner):
    def __init__(self, estimator):
        self.estimator = estimator


def test_words_of_ones_own_stand_beside_the_classes_that_need_nothing():
    module = ModuleType("learners")
    module.__all__, module.LinearSVMLearner, module.Wrapped = ["LinearSVMLearner", "Wrapped"], LinearSVMLearner, Wrapped
    assert resolve("Owner", "learner", "tuned", module, Learner, {"tuned": lambda: 3}) == 3
    with pytest.raises(ParameterError, match="one of 'linear_svm', 'tuned', but it is 'magic'"):
        resolve("Owner", "learner", "magic", module, Learner, {"tuned": lambda: 3})
