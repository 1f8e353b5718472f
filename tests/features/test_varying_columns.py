import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from plait.counts import encode
from plait.features.varying_columns import varying

matrices = st.tuples(st.integers(1, 5), st.integers(1, 6)).flatmap(
    lambda shape: hnp.arrays(np.float64, shape, elements=st.sampled_from([0.0, 1.0, -2.0, np.nan]))
)


@given(matrices)
def test_what_varies_stays_as_it_was(X):
    expected = [j for j in range(X.shape[1]) if np.unique(X[:, j]).size > 1]
    for codes in (encode(X).packed(), encode(X).sparse(), encode(sparse.csr_matrix(X))):
        kept, columns = varying(codes)
        assert columns.tolist() == expected
        alone = encode(X[:, expected])
        assert kept.vocabulary == alone.vocabulary
        assert kept.n_rows == len(X)
        np.testing.assert_array_equal(kept.packed().words, alone.packed().words)
        assert type(kept) is type(codes)


def test_nothing_to_leave_out():
    codes = encode([[0, 1], [1, 0]])
    assert varying(codes)[0] is codes
