"""Tables are walked along in blocks; the blocks together are the whole."""

import numpy as np
import pytest
from scipy import sparse

from plait.metrics import cll_loss, loss_metric, normalized_coverage, ranking_loss
from plait.metrics import inputs as blocks


@pytest.fixture
def tables():
    rng = np.random.default_rng(3)
    scores = rng.random((23, 5)) * (rng.random((23, 5)) < 0.6)
    return (rng.random((23, 5)) < 0.4).astype(np.uint8), scores


@pytest.mark.parametrize("entries", [1, 10, 35, 1000])
def test_blocks_are_the_whole(tables, entries, monkeypatch):
    monkeypatch.setattr(blocks, "_ENTRIES", entries)
    Y, scores = tables
    parts = list(blocks.score_blocks("metric", "scores", Y, sparse.csr_array(scores)))
    assert max(block.size for _, block in parts) <= max(entries, 5)
    np.testing.assert_array_equal(np.vstack([block for _, block in parts]), scores)
    np.testing.assert_array_equal(np.vstack([labels for labels, _ in parts]), Y)
    for metric in (ranking_loss, normalized_coverage, cll_loss, loss_metric("rank")):
        assert metric(Y, sparse.csr_array(scores)) == pytest.approx(metric(Y, scores), rel=1e-12)


def test_dense_scores_are_one_block_without_a_copy(tables):
    Y, scores = tables
    ((_, block),) = blocks.score_blocks("metric", "scores", Y, scores)
    assert np.shares_memory(block, scores)
