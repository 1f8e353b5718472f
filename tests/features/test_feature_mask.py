import numpy as np
import pytest

from plait.core.sentences import ParameterError
from plait.features import FeatureMask


def test_shared_and_by_label():
    shared = FeatureMask.shared([3, 1], [2.0, 1.0], n_labels=2, n_features=4)
    assert shared.support.tolist() == [[False, True, False, True]] * 2
    assert shared.ranking_of(1).tolist() == [3, 1]
    assert not shared.label_specific
    single = FeatureMask.by_label([[3, 1]], [[2.0, 1.0]], n_features=4)
    assert single.label_specific
    assert single.ranking_of(0).tolist() == [3, 1]
    assert single != FeatureMask.shared([3, 1], [2.0, 1.0], n_labels=1, n_features=4)


def test_equality_sees_order_and_scores():
    mask = FeatureMask.by_label([[0], [1, 2]], [[1.0], [0.5, 0.2]], n_features=3)
    assert mask == FeatureMask.by_label([[0], [1, 2]], [[1.0], [0.5, 0.2]], n_features=3)
    assert mask != FeatureMask.by_label([[0], [2, 1]], [[1.0], [0.5, 0.2]], n_features=3)
    assert mask != FeatureMask.by_label([[0], [1, 2]], [[1.0], [0.5, 0.1]], n_features=3)
    assert mask != "mask"


@pytest.mark.parametrize(("ranking", "scores"), [([0, 0], [1, 1]), ([4], [1]), ([-1], [1]), ([0], [1, 2])])
def test_wrong_rankings(ranking, scores):
    with pytest.raises(ParameterError, match="FeatureMask needs"):
        FeatureMask.shared(ranking, scores, n_labels=1, n_features=4)


def test_repr_and_empty():
    assert repr(FeatureMask.by_label([[0], [1, 2]], [[1.0], [0.5, 0.2]], 3)) == (
        "FeatureMask(2 labels, 1 to 2 of 3 features each)"
    )
    empty = FeatureMask.shared([], [], n_labels=2, n_features=3)
    assert not empty.support.any()
    assert repr(empty) == "FeatureMask(2 labels, 0 of 3 features each)"
    assert np.array_equal(empty.ranking_of(0), [])
