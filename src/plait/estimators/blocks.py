"""Rows in blocks: what is large for each row is made for a few rows at a time."""

from collections.abc import Iterator

__all__ = ["MOST_BYTES", "row_blocks"]

# What one block may take for the vectors of a sample or an enumeration.
MOST_BYTES = 64 * 2**20


def row_blocks(n_rows: int, bytes_a_row: int, most_bytes: int = MOST_BYTES) -> Iterator[slice]:
    """Yield slices that cover all rows, each of at most `most_bytes` (but at least one row).

    The slices depend on sizes only, never on the number of workers, so that draws do not either.

    Examples
    --------
    >>> list(row_blocks(5, 10, most_bytes=20))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    >>> list(row_blocks(0, 10))
    []
    """
    step = max(1, most_bytes // max(1, bytes_a_row))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))
