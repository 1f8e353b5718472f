"""Warnings name the line of the program that called plait, however deep they come from."""

import warnings

import numpy as np
import pandas as pd
from sklearn.model_selection import cross_val_predict

from plait import AutoJoint, recipes
from plait.data import TableEncoder


def places(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert caught
    return {warning.filename for warning in caught}


def test_warnings_name_this_file():
    draws = np.random.default_rng(0)
    X, rare = draws.normal(size=(50, 2)), (draws.random((50, 3)) < 0.3).astype(int)
    model = recipes.br(learner="logistic").fit(X, rare)
    assert places(lambda: AutoJoint(effort="fast", random_state=0).fit(X, rare)) == {__file__}
    assert places(lambda: model.predict(X)) == {__file__}
    assert places(lambda: cross_val_predict(AutoJoint(effort="fast", random_state=0), X, rare, cv=2)) == {__file__}
    files = pd.DataFrame({"file": [f"img{i}.jpg" for i in range(50)], "size": X[:, 0]})
    assert places(lambda: TableEncoder().fit(files)) == {__file__}
