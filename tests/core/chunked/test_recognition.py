"""What is taken for chunks, and how methods answer about them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from plait import AutoJoint, recipes
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


def test_small_chunks_are_gathered_with_a_warning(data):
    """What cannot be fitted in parts reads small chunks into memory and says so."""
    pairs = [(data.X[:60], data.Y[:60]), (data.X[60:], data.Y[60:])]
    with pytest.warns(UserWarning, match="MLkNN needs all rows in memory: 2 chunks were read"):
        found = MLkNN().fit(pairs)
    assert np.array_equal(found.predict(data.X), MLkNN().fit(data.X, data.Y).predict(data.X))


@pytest.mark.parametrize(
    "kind", [np.asarray, sparse.csr_matrix, sparse.coo_matrix, pd.DataFrame, pl.DataFrame], ids=str
)
def test_a_sample_stands_for_large_chunks(data, monkeypatch, kind):
    """As many rows as may be held, of all chunks alike, the same ones however rows are cut, with labels and weights."""
    monkeypatch.setattr(recognition, "MOST_GATHERED", 120 * 5 * 8 / 3)
    numbered = data.X.copy()
    numbered[:, 0] = 1 + np.arange(120)
    found = []
    for cuts in ([120], [60], [7, 8, 70], []):
        blocks = zip(np.split(numbered, cuts), np.split(data.Y, cuts), strict=True)
        with pytest.warns(UserWarning, match=r"MLkNN needs all rows in memory: a sample of \d+ of 120 rows"):
            got = recognition.gathered(
                "MLkNN", chunks_of("MLkNN", [(kind(X), Y) for X, Y in blocks], None, np.arange(120))
            )
        values = got.X.toarray() if sparse.issparse(got.X) else np.asarray(got.X)
        rows = values[:, 0].astype(int) - 1
        assert np.array_equal(values, numbered[rows])
        assert np.array_equal(got.y, data.Y[rows])
        assert np.array_equal(got.sample_weight, rows)
        found.append(rows)
    assert all(np.array_equal(rows, found[0]) for rows in found)
    assert 10 < len(found[0]) <= 40
    assert len(np.unique(found[0] // 30)) == 4


def test_what_trains_on_a_sample(data, monkeypatch):
    """A classifier that needs its rows in memory is the one fitted on the sample, and weights go with their rows."""
    monkeypatch.setattr(recognition, "MOST_GATHERED", 120 * 5 * 8 / 2)
    pairs, weights = [(data.X[:60], data.Y[:60]), (data.X[60:], data.Y[60:])], np.linspace(0.5, 2, 120)
    with pytest.warns(UserWarning, match="needs all rows in memory"):
        some = recognition.gathered("", chunks_of("", pairs, None, weights))
    with pytest.warns(UserWarning, match="needs all rows in memory"):
        found = recipes.ebcc(n_estimators=2, random_state=0).fit(pairs, sample_weight=weights)
    model = recipes.ebcc(n_estimators=2, random_state=0).fit(some.X, some.y, some.sample_weight)
    assert np.array_equal(found.predict_proba(data.X), model.predict_proba(data.X))


def test_auto_joint_names_its_sample(data, monkeypatch):
    """Its report says how many rows it has seen, beside its other notes; a later fit in memory says nothing of it."""
    monkeypatch.setattr(recognition, "MOST_GATHERED", 120 * 5 * 8)
    model, pairs = AutoJoint(effort="fast", random_state=0), [(data.X, data.Y), (data.X, data.Y)]
    with pytest.warns(UserWarning, match="a sample of"):
        model.fit(pairs)
    assert [note for note in model.report_.notes if note.startswith("rows: a sample of")]
    assert not [note for note in model.fit(data.X, data.Y).report_.notes if note.startswith("rows")]


def test_bytes():
    """Of dense and sparse arrays and frames."""
    assert n_bytes(X) == 64
    assert n_bytes(sparse.csr_matrix(X)) == 7 * 12
    assert n_bytes(pd.DataFrame(X)) == 64
