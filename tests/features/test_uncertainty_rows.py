import numpy as np
import pytest
from scipy import sparse

from plait.counts import encode
from plait.features.uncertainty_rows import UncertaintyRows
from plait.information import symmetric_uncertainty_matrix


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("n_symbols", [2, 4])
def test_rows_are_those_of_the_matrix(form, n_symbols, monkeypatch):
    X = np.random.default_rng(0).integers(0, n_symbols, size=(40, 6))
    expected = symmetric_uncertainty_matrix(X)
    monkeypatch.setattr("plait.features.uncertainty_rows._MOST_BYTES", 2 * 6 * 8)  # two rows are kept
    rows = UncertaintyRows(encode(form(X)))
    for column in (0, 1, 0, 2, 3, 0, 1, 5):
        np.testing.assert_allclose(rows.of(column), expected[column], rtol=1e-13, atol=0)
        assert len(rows._rows) <= 2
    assert list(rows._rows) == [1, 5]
    assert rows.of(5) is rows.of(5)
