import numpy as np
import pytest
from scipy import sparse

from plait.baselines import class_sums
from plait.baselines.class_sums import ClassSums


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_sums_by_class(weighted, form, monkeypatch):
    monkeypatch.setattr(class_sums, "_LABELS", 3)  # several blocks of labels
    rng = np.random.default_rng(0)
    Y = (rng.random((30, 7)) < [0.5, 0.1, 0.9, 0.3, 0.7, 0.0, 1.0]).astype(np.uint8)
    Y[:, 5:] = [0, 1]
    X = rng.normal(size=(30, 4))
    weights = rng.random(30) if weighted else None
    classes = ClassSums.of(Y, weights)
    found = classes.sums(form(X))
    w = np.ones(30) if weights is None else weights
    for label in range(7):
        for value in (0, 1):
            rows = Y[:, label] == value
            np.testing.assert_allclose(classes.mass[label, value], w[rows].sum(), rtol=1e-13)
            np.testing.assert_allclose(found[label, value], w[rows] @ X[rows], rtol=1e-12, atol=1e-14)


def test_a_class_without_rows_weighs_nothing_at_all():
    classes = ClassSums.of(np.array([[1], [1], [1]], dtype=np.uint8), np.array([0.1, 0.2, 0.3]))
    assert classes.mass[0, 0] == 0
    assert classes.sums(np.array([[0.1], [0.2], [0.3]]))[0, 0] == 0
