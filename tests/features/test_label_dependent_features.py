import numpy as np
import pytest
from scipy import sparse

from plait.core.sentences import ParameterError
from plait.data.readers.mulan import read_mulan
from plait.features import MLIG, CorrelationSubset, LabelDependentFeatures
from plait.structure import LabelGraph

pytestmark = pytest.mark.usefixtures("kernels")

GRAPH = LabelGraph([[], [0], [0, 1]])


def problem(n=120, d=10, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    X[:, 5] = X[:, 0] + 0.1 * rng.normal(size=n)
    Y = np.column_stack([X[:, 0] > 0, X[:, 0] + X[:, 1] > 0, X[:, 2] > 0.5]).astype(np.uint8)
    return X, Y


def test_both_stages_one_after_the_other():
    X, Y = problem()
    found = LabelDependentFeatures(r=0.2).fit(X, Y, graph=GRAPH)
    first = MLIG(r=0.2).select(X, Y)
    assert found.candidates_ == first
    assert found.mask_ == CorrelationSubset(candidates=first).select(X, Y, GRAPH)
    assert (found.mask_.support <= first.support).all()
    assert found.mask_.support.sum() < first.support.sum()


def test_what_the_first_stage_drops_does_not_come_back():
    X, Y = problem()
    narrow = LabelDependentFeatures(n_candidates=1).select(X, Y)
    np.testing.assert_array_equal(narrow.support, MLIG(n_features=1).select(X, Y).support)
    assert LabelDependentFeatures(stages="cfs").select(X, Y).support.sum() > narrow.support.sum()


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("stages", ["both", "mlig", "cfs"])
def test_stages_apart_are_the_stages_together(form, stages):
    X, Y = problem()
    selector = LabelDependentFeatures(n_candidates=0.5, stages=stages, patience=3)
    candidates = selector.first_stage(form(X), Y)
    assert selector.second_stage(form(X), Y, GRAPH, candidates) == selector.select(form(X), Y, GRAPH)


def test_one_stage_only():
    X, Y = problem()
    only_first = LabelDependentFeatures(n_candidates=4, stages="mlig").fit(X, Y, graph=GRAPH)
    assert only_first.mask_ == MLIG(n_features=4).select(X, Y)
    only_second = LabelDependentFeatures(stages="cfs").fit(X, Y, graph=GRAPH)
    assert only_second.candidates_.support.all()
    assert only_second.mask_ == CorrelationSubset().select(X, Y, GRAPH)


def test_stages_check_parameters_under_their_own_name():
    X, Y = problem()
    wrong = LabelDependentFeatures(r=2.0)
    for call in (lambda: wrong.first_stage(X, Y), lambda: wrong.second_stage(X, Y, None, MLIG().select(X, Y))):
        with pytest.raises(ParameterError, match="LabelDependentFeatures needs r to be"):
            call()


@pytest.mark.parametrize("name", ["emotions", "scene"])
def test_reported_effect(benchmark_data, name):
    """About 60 % of the features are removed on scene and emotions [PACC, section 7.3]."""
    data = read_mulan(benchmark_data / name / f"{name}.arff.gz")
    mask = LabelDependentFeatures().select(data.X, data.Y)
    assert 0 < mask.support.mean() < 0.4
