"""Parts of the comparison of methods: problems, methods, cells and the table; see `benchmarks/comparison.py`."""
