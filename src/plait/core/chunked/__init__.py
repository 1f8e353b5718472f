"""Rows that come in chunks: re-iterables in this process, and collections of Dask."""
