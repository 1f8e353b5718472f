import numpy as np
from scipy import sparse

from plait.counts import count_pairs
from plait.information.levels import level_contents
from plait.information.logs import logs_of


def test_sums_over_three_way_cells():
    rng = np.random.default_rng(0)
    X, Y, z = rng.integers(0, 3, (70, 3)), rng.integers(0, 2, (70, 2)), rng.integers(0, 4, 70)
    logs = logs_of(70)

    def content(*columns):
        return logs.of(np.unique(np.column_stack(columns), axis=0, return_counts=True)[1]).sum()

    for form in (X, sparse.csr_matrix(X)):
        for pairs in (None, count_pairs(X, Y)):
            found = level_contents(form, Y, z, pairs=pairs)
            assert found.z == content(z)
            np.testing.assert_array_equal(found.x, [content(x, z) for x in X.T])
            np.testing.assert_array_equal(found.y, [content(y, z) for y in Y.T])
            np.testing.assert_array_equal(found.joint, [[content(x, y, z) for y in Y.T] for x in X.T])
