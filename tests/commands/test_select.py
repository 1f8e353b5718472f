import numpy as np
import pytest

from plait.commands.select import select_features, selector_names
from plait.core.sentences import ParameterError
from plait.counts import MeanStdDiscretizer
from plait.data import Dataset
from plait.features import GainRatio, PrunedReliefF


def toy(kinds=None):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5, size=(60, 4)).astype(float)
    Y = np.column_stack([X[:, 1] > 2, X[:, 2] > 2]).astype(np.uint8)
    return Dataset(X, Y, feature_kinds=kinds)


def test_names_are_those_of_selectors_that_can_be_made():
    names = selector_names()
    assert names == sorted(names)
    assert {"scls", "mlig", "wrapper", "pruned_relieff", "label_dependent_features"} <= set(names)
    assert not {"selector", "information_selector", "mddm", "feature_mask"} & set(names)


@pytest.mark.parametrize("name", selector_names())
def test_every_method_by_name(name):
    found = select_features(toy(), name)
    assert found.method == name
    assert found.mask.support.shape == (2, 4)
    assert found.mask.support.any()


def test_spelling():
    assert select_features(toy(), "Gain-Ratio", 2).method == "gain_ratio"


def test_sizes():
    assert select_features(toy(), "gain_ratio", 2).mask.support.sum() == 4
    assert select_features(toy(), "gain_ratio", 0.25).mask.support.sum() == 2
    with pytest.raises(ParameterError, match="needs -n to be left out for label_dependent_features"):
        select_features(toy(), "label_dependent_features", 2)
    with pytest.raises(ParameterError, match="GainRatio needs n_features to be"):
        select_features(toy(), "gain_ratio", 0)


def test_by_label():
    assert select_features(toy(), "mlig", label_specific=True).mask.label_specific
    with pytest.raises(ParameterError, match=r"but pruned_relieff chooses for all labels .* one of .*, mlig, "):
        select_features(toy(), "pruned_relieff", label_specific=True)


def test_wrong_method_lists_the_right_ones():
    with pytest.raises(ParameterError, match=r"--method to be one of .*scls.* but it is 'best'"):
        select_features(toy(), "best")


def test_nominal_features_are_taken_as_such():
    kinds = ("numeric", "nominal", "numeric", "numeric")
    data = toy(kinds)
    expected = GainRatio(discretizer=MeanStdDiscretizer(nominal=[1])).select(data.X, data.Y)
    assert select_features(data, "gain_ratio").mask == expected
    assert select_features(data, "gain_ratio").mask != select_features(toy(), "gain_ratio").mask
    assert select_features(data, "pruned_relieff").mask == PrunedReliefF(nominal=[1]).select(data.X, data.Y)


def test_data_a_method_cannot_take():
    data = toy()
    X = np.array(data.X)
    X[0, 0] = np.nan
    with pytest.raises(ParameterError, match=r"^PearsonSubset needs X to hold finite .*row 0, column 0 holds NaN"):
        select_features(Dataset(X, data.Y), "pearson_subset")
    assert select_features(Dataset(X, data.Y), "mlig").mask.support.any()
