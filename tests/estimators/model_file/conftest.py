"""A fitted model and its file, and the refusal of a file that is none."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from plait import load_model, recipes, save_model
from plait.data import DataError
from plait.estimators import model_types
from plait.learners import LogisticLearner

NAMES = ["sea", "sun", "sand"]


@pytest.fixture(scope="session")
def problem():
    """Return a function that draws X and Y."""

    def drawn(n=60, d=4, q=3):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, d))
        return X, (X[:, :q] + rng.normal(size=(n, q)) > 0).astype(np.int64)

    return drawn


@pytest.fixture(scope="module")
def fitted(problem):
    X, Y = problem()
    return recipes.pcc().fit(pd.DataFrame(X, columns=list("abcd")), pd.DataFrame(Y, columns=NAMES))


@pytest.fixture
def thin_model(problem):
    """Return a model with sparse coefficients."""
    model = recipes.br(learner=LogisticLearner(sparsify=0.05)).fit(*problem())
    assert sparse.issparse(model.conditionals_.coef_)
    return model


@pytest.fixture
def small_limits(monkeypatch):
    """Let small bombs do."""
    monkeypatch.setattr(model_types, "_GROWTH", (model_types._GROWTH[0], 1 << 23))
    monkeypatch.setattr(model_types, "_SCHEMA_GROWTH", (model_types._SCHEMA_GROWTH[0], 1 << 21))


@pytest.fixture(scope="session")
def refused():
    """Return a function that reads a file which is refused by a `DataError` of one line."""

    def error_of(path, words=""):
        with pytest.raises(DataError) as caught:
            load_model(path)
        assert "\n" not in str(caught.value)
        assert words in str(caught.value)
        return caught.value

    return error_of


@pytest.fixture(scope="module")
def written(tmp_path_factory, fitted):
    path = tmp_path_factory.mktemp("models") / "m.plait"
    save_model(fitted, path)
    return path
