"""What is taken for chunks, and how methods answer about them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from plait import recipes
from plait.baselines import MLkNN
from plait.core.chunked import recognition
from plait.core.chunked.recognition import chunks_of, n_bytes
from plait.core.sentences import ParameterError
from plait.data import Dataset
from plait.data.synthetic import make_label_network

X = np.arange(8.0).reshape(4, 2)


class Again:
    """An object that starts anew whenever it is iterated over."""

    def __init__(self, blocks):
        self.blocks = blocks

    def __iter__(self):
        return iter(self.blocks)


@pytest.mark.parametrize(
    "whole",
    [
        X,
        X.tolist(),
        sparse.csr_matrix(X),
        sparse.csr_array(X),
        pd.DataFrame(X),
        pl.DataFrame(X),
        Dataset(X, np.eye(4)),
        ["some", "text"],
        [["sea"], ["sun", "sea"]],
        [],
        pd.Series(["a", "b"]),
        "a",
        {"a": [1]},
    ],
)
def test_whole_rows_are_no_chunks(whole):
    """Whatever is rows already stays as it is."""
    assert chunks_of("fit", whole) is None


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, pd.DataFrame])
@pytest.mark.parametrize("holder", [list, tuple, Again])
def test_chunks(kind, holder):
    """Lists, tuples and objects of one's own."""
    found = list(chunks_of("fit", holder([kind(X), kind(X[:1])])))
    assert [part.shape for part, _, _ in found] == [(4, 2), (1, 2)]


def test_iterators_are_refused():
    """They cannot be read twice: one sentence says so, in fit and in predict."""
    model = recipes.br().fit(X, [[0], [1], [0], [1]])
    for ask in (model.predict, model.predict_proba, model.joint, model.fit):
        with pytest.raises(ParameterError, match="can be read once only"):
            ask(iter([X]))


@pytest.fixture(scope="module")
def data():
    """Rows with labels that depend on each other."""
    return make_label_network(120, 5, 4, random_state=0).dataset


@pytest.fixture(scope="module")
def model(data):
    """A fitted chain."""
    return recipes.pcc().fit(data.X, data.Y)


@pytest.mark.parametrize("method", ["predict", "predict_proba"])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_answers_are_those_of_all_rows(data, model, method, kind):
    """Chunk by chunk, with one row alone, the answers are those about all rows at once."""
    blocks = [kind(data.X[:70]), kind(data.X[70:71]), kind(data.X[71:])]
    answers = getattr(model, method)(Again(blocks))
    assert np.allclose(answers.joined(), getattr(model, method)(data.X), rtol=1e-12, atol=0)
    assert [len(part) for part in answers] == [70, 1, 49]


def test_names_and_top_labels(data, model):
    """Answers that are no arrays come chunk by chunk too."""
    halves = [data.X[:60], data.X[60:]]
    assert [name for part in model.predict_sets(halves) for name in part] == model.predict_sets(data.X)
    names = np.concatenate([top.names for top in model.top_labels(halves, 2)])
    assert np.array_equal(names, model.top_labels(data.X, 2).names)


def test_arguments_are_handed_on(data, model):
    """A loss, and the form of the answer."""
    halves = [data.X[:60], data.X[60:]]
    assert np.array_equal(model.predict(halves, loss="f1").joined(), model.predict(data.X, loss="f1"))
    assert sparse.issparse(model.predict(halves, sparse_output=True).joined())


def test_small_chunks_are_gathered_with_a_warning(data, monkeypatch):
    """What cannot be fitted in parts reads small chunks into memory and says so; large ones are refused."""
    pairs = [(data.X[:60], data.Y[:60]), (data.X[60:], data.Y[60:])]
    with pytest.warns(UserWarning, match="MLkNN needs all rows in memory: 2 chunks were read"):
        found = MLkNN().fit(pairs)
    assert np.array_equal(found.predict(data.X), MLkNN().fit(data.X, data.Y).predict(data.X))
    monkeypatch.setattr(recognition, "MOST_GATHERED", 10)
    with pytest.raises(ParameterError, match="MLkNN needs all rows in memory, but X comes in chunks of more"):
        MLkNN().fit(pairs)


def test_bytes():
    """Of dense and sparse arrays and frames."""
    assert n_bytes(X) == 64
    assert n_bytes(sparse.csr_matrix(X)) == 7 * 12
    assert n_bytes(pd.DataFrame(X)) == 64
