"""Turn count tables into entropies and dependences.

Takes count tables; hands on numbers.

Every measure exists for single variables, `mutual_information(a, b, weights=None, base=2)`, where a variable is a
column of any discrete values or several columns taken together, and for all pairs of columns of matrices,
`mutual_information_matrix(X, Y=None, weights=None, base=2, n_jobs=None)`. Matrices are whatever
`plait.counts.encode` or `plait.counts.count_pairs` take: dense, CSR, codes, chunks of rows, Dask arrays, `PairCounts`.
`conditional_mutual_information_matrix(X, Y, Z, pairs=None)` and `interaction_information_matrix` take one more variable
Z; `entropies(X)` gives the entropy of every column; `g_test` and `g_test_matrix` say what is more than chance.

Sums of n log2 n are integer arithmetic (see `plait.information.logs`), so that without float weights every number is
the same to the last bit for dense, sparse, packed and chunked input, any number of threads and any naming of symbols:
a copy of a column has exactly the same values, I(A;A) = H(A) and I(A;constant) = 0 exactly.

Notation
--------
H(A), I(A;B), I(A;B|C) : entropy, mutual and conditional mutual information, plug-in estimates, bits by default
content                : the sum of n log2 n over the cells of a table, in units of `logs_of(total)`;
                         H = (content of all rows - content of the cells) * bits
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
