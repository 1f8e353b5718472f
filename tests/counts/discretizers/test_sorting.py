import numpy as np
from scipy import sparse

from plait.counts.discretizers.sorting import sorted_columns


def test_entries_of_each_column_ascend_with_missing_ones_last(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.choice([0.0, 1.0, -2.0, 0.5, np.nan], (40, 7))
    chosen = np.array([0, 2, 3, 6])
    monkeypatch.setattr("plait.counts.discretizers.sorting._BLOCK", 90)
    for form in (X, sparse.csr_matrix(X)):
        seen = []
        for some in sorted_columns(form, chosen):
            for k, j in enumerate(some.columns):
                part = slice(some.starts[k], some.starts[k + 1])
                values, rows = some.values[part], some.rows[part]
                np.testing.assert_array_equal(values, np.sort(values))
                np.testing.assert_array_equal(values, X[rows, j])
                assert np.unique(rows).size == rows.size
                assert rows.size == (np.count_nonzero(X[:, j]) if sparse.issparse(form) else 40)
                seen.append(j)
        assert seen == chosen.tolist()
