"""Questions about rows in chunks are answered as about all rows at once."""

import numpy as np
import pytest

from plait import recipes
from plait.data.synthetic import make_label_network

da = pytest.importorskip("dask.array")

DATA = make_label_network(90, 5, 4, random_state=0).dataset
MODEL = recipes.pcc().fit(DATA.X, DATA.Y)
QUESTIONS = {
    "marginals": lambda answer: answer.marginals(),
    "mode": lambda answer: answer.mode(),
    "decide": lambda answer: answer.decide("f1"),
    "rank": lambda answer: answer.decide("rank"),
    "entropy": lambda answer: answer.entropy(),
    "given": lambda answer: answer.given({0: 1}).given({2: 0}).marginals(),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_answers(question):
    """Of a list of chunks, and of a Dask array."""
    whole = QUESTIONS[question](MODEL.joint(DATA.X))
    by_chunks = QUESTIONS[question](MODEL.joint([DATA.X[:40], DATA.X[40:]])).joined()
    by_dask = QUESTIONS[question](MODEL.joint(da.from_array(DATA.X, chunks=(40, 5))))
    assert by_dask.dtype == whole.dtype
    assert np.allclose(by_chunks, whole, rtol=1e-12, atol=1e-14)
    assert np.allclose(by_dask.compute(scheduler="synchronous"), whole, rtol=1e-12, atol=1e-14)


def test_probability_of_labels():
    """Labels come in the chunks of the rows."""
    whole = MODEL.joint(DATA.X).log_prob(DATA.Y)
    halves = MODEL.joint([DATA.X[:40], DATA.X[40:]])
    assert np.allclose(halves.log_prob([DATA.Y[:40], DATA.Y[40:]]).joined(), whole, rtol=1e-12, atol=0)
    rows = MODEL.joint(da.from_array(DATA.X, chunks=(40, 5)))
    assert np.allclose(rows.log_prob(DATA.Y).compute(scheduler="synchronous"), whole, rtol=1e-12, atol=0)


def test_posteriors_of_chunks():
    """Iterating gives whole posteriors."""
    halves = MODEL.joint([DATA.X[:40], DATA.X[40:]]).given({1: 1})
    assert [len(part) for part in halves] == [40, 50]
    assert all(np.allclose(part.marginals()[:, 1], 1, rtol=1e-12, atol=0) for part in halves)
    assert "4 labels" in repr(halves)
    assert len(list(halves.top(2))) == 2
