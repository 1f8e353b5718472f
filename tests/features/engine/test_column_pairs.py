import numpy as np
import pytest
from scipy import sparse

from plait.counts import PackedCodes, SparseCodes, encode
from plait.features.engine.column_pairs import cells_within, counts_within, plane_of, same_form


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    return rng.integers(0, 3, size=(200, 5)), rng.integers(0, 2, size=(200, 4))


def test_bits_and_rows_count_the_same(data):
    X, Y = data
    x, y = encode(X), encode(Y)
    for p in range(x.vocabulary.n_planes):
        rows = X[:, p // 2] == 1 + p % 2
        expected = [((X[rows] == v).sum(axis=0)) for v in (1, 2)]
        expected = np.stack(expected, axis=1).ravel()
        cells = np.array([Y[rows & (X[:, a // 2] == 1 + a % 2)].sum(axis=0) for a in range(10)])
        for form in ("packed", "sparse"):
            a, b = getattr(x, form)(), getattr(y, form)()
            plane = plane_of(a, p)
            np.testing.assert_array_equal(counts_within(plane, a), expected)
            np.testing.assert_array_equal(cells_within(plane, a, b), cells)


def test_form(data, kernels):
    X, Y = data
    assert isinstance(same_form(encode(X)), PackedCodes)
    assert isinstance(same_form(encode(X).sparse()), PackedCodes)  # two thirds are entries
    thin = sparse.random(3000, 500, density=0.002, random_state=0, format="csr")
    thin.data[:] = 1
    kind = PackedCodes if kernels == "never" else SparseCodes  # rows are walked by kernels
    assert isinstance(same_form(encode(thin)), kind)
    forms = same_form(encode(thin), encode(thin.toarray()[:, :3]))
    assert [type(form) for form in forms] == [kind, kind]
    forms = same_form(encode(X), encode(Y).sparse())
    assert [type(form) for form in forms] == [PackedCodes, PackedCodes]
