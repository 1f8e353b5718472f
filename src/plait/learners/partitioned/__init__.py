"""Training where rows lie in parts, on disk or on workers: only sums over rows travel."""
