"""Chunks in this process: pairs, data sets, answers that are computed when they are needed."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from plait.core.chunked.row_chunks import ChunkAnswers, LocalChunks, joined
from plait.core.sentences import ParameterError
from plait.data import Dataset


def test_forms_of_chunks():
    """Arrays, pairs, and data sets, which bring names."""
    X, Y = np.arange(6.0).reshape(3, 2), np.array([[1], [0], [1]])
    assert [part[1:] for part in LocalChunks("fit", [X])] == [(None, None)]
    ((found, labels, names),) = LocalChunks("fit", [(X, Y)])
    assert found is X
    assert labels is Y
    assert names is None
    ((found, labels, names),) = LocalChunks("fit", [Dataset(X, Y, label_names=["sea"])])
    assert names == ("sea",)
    assert np.array_equal(labels, Y)
    ((found, labels, _),) = LocalChunks("fit", [X], [Y])
    assert found is X
    assert labels is Y


@pytest.mark.parametrize(("X", "y", "says"), [([], None, "at least one chunk"), ([1], [1, 2], "same number of chunks")])
def test_bad_chunks(X, y, says):
    """Nothing at all, and lists of different length."""
    with pytest.raises(ParameterError, match=says):
        list(LocalChunks("fit", X, y))


def test_answers_are_computed_anew():
    """Nothing is asked before it is needed, and each reading asks again."""
    asked = []

    def ask(model, X):
        asked.append(len(X))
        return model + X

    answers = ChunkAnswers(LocalChunks("predict", [np.zeros((2, 1)), np.ones((1, 1))]), ask, 1.0)
    assert not asked
    assert [part.tolist() for part in answers] == [[[1.0], [1.0]], [[2.0]]]
    assert answers.joined().ravel().tolist() == [1.0, 1.0, 2.0]
    assert asked == [2, 1, 2, 1]


def test_joined():
    """Arrays, sparse matrices and frames, which keep their types."""
    halves = [sparse.csr_matrix(np.eye(2)), sparse.csr_matrix(np.ones((1, 2)))]
    assert joined(halves).toarray().tolist() == [[1, 0], [0, 1], [1, 1]]
    frames = [pd.DataFrame({"word": ["a"], "size": [1.0]}), pd.DataFrame({"word": ["b"], "size": [2.0]})]
    whole = joined(frames)
    assert whole["size"].dtype == np.float64
    assert whole["word"].tolist() == ["a", "b"]
