"""Rows as lines."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from plait.data import Dataset
from plait.data.writers.row_text import number_text, pair_lines


def test_rows_become_labels_and_pairs_without_zeros():
    X = sparse.csr_matrix(([0.0, 2.0, 0.5], [1, 2, 0], [0, 3, 3]), shape=(2, 3))
    Y = np.array([[0, 1], [1, 1]])
    assert list(pair_lines("a.svm", Dataset(X, Y), ["7", "9"], first=1)) == [("9", "1:0.5 3:2"), ("7,9", "")]
    assert X.nnz == 3
    assert not X.has_sorted_indices


@given(st.floats())
def test_a_word_reads_back_as_the_same_number(value):
    word = number_text(value)
    assert float(word) == value or math.isnan(value)
    assert math.copysign(1.0, float(word)) == math.copysign(1.0, value) or math.isnan(value)
    assert len(word) <= len(repr(value))
