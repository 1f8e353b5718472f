"""Turn columns into contingency tables that add up.

Takes arrays; hands on count tables.

`encode(X)` turns any matrix of discrete values (dense, CSR, data frame; every distinct value of a column is a symbol,
NaN is one) into indicator planes: `SparseCodes` (by row) or `PackedCodes` (bits). Everything that takes a matrix here
and in `plait.information` also takes codes, so encode once what is used often; `codes.packed()` and `codes.sparse()`
convert, `codes.columns(first, last)` cuts columns, `codes.within(mask)` keeps only the entries of some rows.

`count_pairs(X, Y=None, weights=None)` gives `PairCounts`: `.joint`, `.x_counts`, `.y_counts`, `.total`, the
vocabularies `.x` and `.y`, `.table(i, j)`; `a + b` is the table of the joined rows, exactly. X may also be a memory
map, an iterator of row chunks `(X_chunk, Y_chunk)` or a Dask array.

`count_columns(X)` counts single columns; `count_triples(X, Y, z)` gives `TripleCounts`, the pair tables of the rows
with each value of one column z.

`MeanStdDiscretizer`, `LAIMDiscretizer` and `QuantileDiscretizer` are scikit-learn transformers from numbers to codes;
sparse in, sparse out.

Notation
--------
plane    : the rows in which a column holds one of its non-zero values; the value 0 has no plane
codes    : all planes of a matrix, with the `Vocabulary` that says which plane is which column and value
joint    : joint[p, r] = number (or weight) of rows in which planes p and r hold
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
