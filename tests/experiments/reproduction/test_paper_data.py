import numpy as np
import pytest
from scipy import sparse

from plait.data import DataError, Dataset, save_dataset
from plait.experiments.reproduction.paper_data import reuters

MARKETS = (93, 94, 95, 98)  # M11, M12, M13, M14 of 103 labels in their order


def whole(n_rows=6000, seed=0):
    """All 103 labels, of which the last is the parent of four, and words that tell the rows apart."""
    rng = np.random.default_rng(seed)
    Y = (rng.random((n_rows, 103)) < rng.random(103) * 0.1).astype(np.uint8)
    Y[:, 102] = Y[:, MARKETS].any(axis=1)
    return (rng.random((n_rows, 600)) < 0.02) * rng.random((n_rows, 600)), Y


@pytest.fixture
def mulan_file(tmp_path, monkeypatch):
    """The public file: the last two labels lost, and in the second half the first one too."""
    X, Y = whole()
    shown = np.zeros((6000, 101), dtype=np.uint8)
    shown[:3000], shown[3000:, :100] = Y[:3000, :101], Y[3000:, 1:101]
    save_dataset(Dataset(sparse.csr_matrix(X), sparse.csr_matrix(shown)), tmp_path / "rcv1subset1.svm")
    monkeypatch.setenv("PLAIT_DATA", str(tmp_path))
    return X, Y


def test_halves_are_put_together_again(mulan_file):
    X, Y = mulan_file
    made = reuters()
    wanted = np.r_[1:101, 102]
    np.testing.assert_array_equal(made.train.Y, Y[:3000][:, wanted])
    np.testing.assert_array_equal(made.test.Y, Y[3000:][:, wanted])
    frequent = np.sort(np.argsort(-(X[:3000] != 0).sum(axis=0), kind="stable")[:500])
    np.testing.assert_allclose(made.test.X.toarray(), X[3000:][:, frequent], rtol=1e-6, atol=0)
    np.testing.assert_array_equal(reuters(binary=True).train.X.toarray(), X[:3000][:, frequent] != 0)
    few = reuters(most_frequent=True)
    most = wanted[np.sort(np.argsort(-Y[:3000][:, wanted].sum(axis=0, dtype=int), kind="stable")[:10])]
    np.testing.assert_array_equal(few.test.Y, Y[3000:][:, most])


def test_another_file_is_refused(tmp_path, monkeypatch):
    save_dataset(Dataset(np.eye(3), np.eye(3)), tmp_path / "rcv1subset1.svm")
    monkeypatch.setenv("PLAIT_DATA", str(tmp_path))
    with pytest.raises(DataError, match="6000 rows and 101 labels"):
        reuters()
