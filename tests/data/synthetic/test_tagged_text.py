"""Rows of words with tags."""

import numpy as np
import pytest
from scipy import sparse

from plait import recipes
from plait.data.synthetic import make_tagged_text, tagged_text
from plait.metrics import precision_at_k


def test_rows_are_sparse_have_length_one_and_a_few_tags():
    data = make_tagged_text(3000, 2000, 100, random_state=0)
    assert sparse.issparse(data.X)
    assert sparse.issparse(data.Y)
    assert data.X.dtype == np.float32
    np.testing.assert_allclose(np.sqrt(data.X.multiply(data.X).sum(axis=1)), 1.0, rtol=1e-6)
    tags = np.asarray(data.Y.sum(axis=1)).ravel()
    assert tags.min() >= 1
    assert tags.max() <= 10
    assert 2.3 < tags.mean() < 3.0  # three are drawn, some twice
    assert set(data.Y.data) == {1}


def test_frequencies_fall_by_zipfs_law():
    data = make_tagged_text(20_000, 2000, 100, random_state=0)
    for table, least in ((data.X, 3), (data.Y, 3)):
        counts = np.sort(np.asarray((table != 0).sum(axis=0)).ravel())[::-1]
        assert counts[0] > least * counts[len(counts) // 10] > 0


def test_blocks_and_seeds(monkeypatch):
    one, again, other = (make_tagged_text(50, 100, 7, random_state=seed) for seed in (3, 3, 4))
    assert (one.X != again.X).nnz == (one.Y != again.Y).nnz == 0
    assert (one.X != other.X).nnz > 0
    monkeypatch.setattr(tagged_text, "_BLOCK", 8)
    assert make_tagged_text(50, 100, 7, random_state=3).X.shape == (50, 100)


def test_words_tell_tags():
    data = make_tagged_text(1500, 400, 20, random_state=0)
    model = recipes.br(learner="logistic").fit(data.X[:1000], data.Y[:1000])
    found = precision_at_k(data.Y[1000:], model.predict_proba(data.X[1000:]), k=1)
    base = np.asarray(data.Y[1000:].mean(axis=0)).max()
    assert found > base + 0.2


@pytest.mark.parametrize("wrong", [{"n_samples": 0}, {"n_tags": 0.5}, {"n_words": 0}])
def test_wrong_sizes_are_refused(wrong):
    sizes = {"n_samples": 10, "n_features": 5, "n_labels": 3} | wrong
    with pytest.raises(ValueError, match="make_tagged_text needs"):
        make_tagged_text(**sizes)
