"""The XC format there and back."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from plait.data import Dataset
from plait.data.readers.xc import read_xc
from plait.data.writers.xc import write_xc


@given(data=st.data(), n=st.integers(0, 5), d=st.integers(0, 5), q=st.integers(0, 4))
def test_what_is_written_reads_back_the_same(tmp_path_factory, data, n, d, q):
    cells = st.one_of(st.just(0.0), st.floats())
    X = np.array(data.draw(st.lists(st.lists(cells, min_size=d, max_size=d), min_size=n, max_size=n))).reshape(n, d)
    Y = np.array(
        data.draw(st.lists(st.lists(st.integers(0, 1), min_size=q, max_size=q), min_size=n, max_size=n))
    ).reshape(n, q)
    ids = [str(k) for k in range(q)]
    dataset = Dataset(sparse.csr_matrix(X), sparse.csr_matrix(Y), label_names=ids, name="a")
    path = tmp_path_factory.mktemp("xc") / "a.txt"
    write_xc(dataset, path)
    assert read_xc(path) == dataset
