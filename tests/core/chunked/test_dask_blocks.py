"""Dask collections: answers stay in Dask and are computed when they are needed."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from plait import recipes
from plait.core.chunked.dask_blocks import DaskChunks, current_client, is_dask
from plait.core.sentences import ParameterError
from plait.data.synthetic import make_label_network

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def data():
    """Rows with labels that depend on each other."""
    return make_label_network(120, 5, 4, random_state=0).dataset


@pytest.fixture(scope="module")
def model(data):
    """A fitted chain."""
    return recipes.pcc().fit(pd.DataFrame(data.X, columns=list("abcde")), data.Y)


def collections(X):
    """Return Dask collections of the same rows: blocks of rows and columns, sparse blocks, a frame."""
    frame = pd.DataFrame(X, columns=list("abcde"))
    return {
        "dense": da.from_array(X, chunks=(50, 2)),
        "sparse": da.from_array(X, chunks=(50, 5)).map_blocks(sparse.csr_matrix),
        "csr_array": da.from_array(X, chunks=(50, 5)).map_blocks(sparse.csr_array),
        "frame": dd.from_pandas(frame, npartitions=3),
    }


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("kind", ["dense", "sparse", "csr_array", "frame"])
@pytest.mark.parametrize("method", ["predict", "predict_proba"])
def test_dask_in_dask_out(data, model, kind, method):
    """Lazy arrays of the right shape, type and content."""
    answer = getattr(model, method)(collections(data.X)[kind])
    with_names = getattr(model, method)(pd.DataFrame(data.X, columns=list("abcde")))
    assert is_dask(answer)
    assert answer.dtype == with_names.dtype
    assert answer.shape[1] == 4
    assert np.allclose(answer.compute(scheduler="synchronous"), with_names, rtol=1e-12, atol=0)


def test_nothing_is_computed_before(model):
    """Rows that cannot be made do no harm until the answer is asked for."""

    def fails(block):
        raise RuntimeError("computed")

    rows = da.zeros((10, 5), chunks=(5, 5)).map_blocks(fails, dtype=float, meta=np.zeros((0, 5)))
    answer = model.predict(rows)
    with pytest.raises(RuntimeError, match="computed"):
        answer.compute(scheduler="synchronous")


def test_single_column_and_many_labels(data):
    """A binary classifier answers in one dimension; many labels are answered sparsely."""
    X = da.from_array(data.X, chunks=(50, 5))
    one = recipes.br().fit(data.X, data.Y[:, 0])
    assert np.array_equal(one.predict(X).compute(scheduler="synchronous"), one.predict(data.X))
    assert one.predict_proba(X).shape == (120, 2)
    many = recipes.br().fit(data.X, data.Y)
    answer = many.predict(X, sparse_output=True).compute(scheduler="synchronous")
    assert sparse.issparse(answer)
    assert np.array_equal(answer.toarray(), many.predict(data.X))


def test_labels_beside_rows(data):
    """Labels of an array, of blocks of other lengths and of a frame are cut as X is."""
    X = da.from_array(data.X, chunks=(50, 5))
    for Y in (data.Y, da.from_array(data.Y, chunks=(40, 2))):
        parts = list(DaskChunks("fit", X, Y))
        assert [len(labels) for _, labels, _ in parts] == [50, 50, 20]
        assert np.array_equal(np.concatenate([labels for _, labels, _ in parts]), data.Y)
    frame = dd.from_pandas(pd.DataFrame(data.X), npartitions=2)
    labels = dd.from_pandas(pd.DataFrame(data.Y, columns=["p", "q", "r", "s"]), npartitions=2)
    assert [names for _, _, names in DaskChunks("fit", frame, labels)] == [["p", "q", "r", "s"]] * 2
    with pytest.raises(ParameterError, match="partitions of X, which has 2, but it has 0"):
        DaskChunks("fit", frame, data.Y)


def test_current_client():
    """There is none without a cluster."""
    assert current_client() is None
