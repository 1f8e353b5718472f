"""What every selector must do, for every selector in the room's `__all__`."""

import inspect

import numpy as np
import pandas as pd
import polars as pl
import pytest

from plait import features
from plait.features import Selector
from plait.structure import LabelGraph
from plait.testing import SelectorConformance

CLASSES = [
    kind
    for kind in (getattr(features, name) for name in features.__all__)
    if isinstance(kind, type) and issubclass(kind, Selector) and not inspect.isabstract(kind)
]
every_selector = pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)


def made(kind):
    """Return a selector; those that train classifiers train them on fewer folds, which proves the same."""
    return kind(cv=2) if "cv" in kind._get_param_names() else kind()


@pytest.mark.parametrize("selector", [made(kind) for kind in CLASSES], ids=[kind.__name__ for kind in CLASSES])
class TestConformance(SelectorConformance):
    """Every selector of the room with its defaults."""


def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 7)).round(3)
    Y = np.column_stack([X[:, 1] > 0, X[:, 4] > 0.3, rng.random(60) < 0.4]).astype(np.uint8)
    return X, Y


@every_selector
def test_frames_agree_with_arrays(kind):
    X, Y = problem()
    graph = LabelGraph([[], [0], [0]])
    expected = made(kind).fit(X, Y, graph=graph)
    names = [f"c{j}" for j in range(X.shape[1])]
    for frame in (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)):
        other = made(kind).fit(frame, Y, graph=graph)
        assert list(other.feature_names_in_) == names
        np.testing.assert_array_equal(other.mask_.support, expected.mask_.support)


@every_selector
def test_set_output(kind):
    X, Y = problem()
    frame = pd.DataFrame(X, columns=[f"c{j}" for j in range(X.shape[1])])
    out = kind().set_output(transform="pandas").fit(frame, Y).transform(frame)
    assert isinstance(out, pd.DataFrame)
    assert list(out.columns) == list(kind().fit(frame, Y).get_feature_names_out())
