"""A row is answered with the same bits alone and among others, in NumPy and by kernels."""

import numpy as np
import pytest
from sklearn.datasets import make_multilabel_classification

from plait import recipes
from plait.core.kernel_policy import using_kernels

METHODS = {
    "br": recipes.br,
    "pcc": recipes.pcc,
    "ctbn": recipes.ctbn,
    "pacc": recipes.pacc,
    "mc": recipes.mc,
    "ecc": lambda **parts: recipes.ecc(n_estimators=2, **parts),
}


@pytest.fixture(params=sorted(METHODS), scope="module")
def fitted(request):
    X, Y = make_multilabel_classification(120, 9, n_classes=5, n_labels=2, random_state=3)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return METHODS[request.param](random_state=0).fit(X, Y), X


@pytest.mark.parametrize("path", ["never", "always"])
@pytest.mark.parametrize("size", [1, 3, 50])
def test_rows_alone_and_together(fitted, path, size):
    model, X = fitted
    with using_kernels(path):
        labels, chances = model.predict(X), model.predict_proba(X)
        for at in range(0, 60, size):
            rows = slice(at, at + size)
            np.testing.assert_array_equal(model.predict(X[rows]), labels[rows])
            np.testing.assert_array_equal(model.predict_proba(X[rows]), chances[rows])


def test_both_paths_answer_the_same(fitted):
    model, X = fitted
    answers = []
    for path in ("never", "always"):
        with using_kernels(path):
            answers.append((model.predict(X), model.predict_proba(X)))
    np.testing.assert_array_equal(answers[0][0], answers[1][0])
    np.testing.assert_allclose(answers[0][1], answers[1][1], rtol=1e-10)
