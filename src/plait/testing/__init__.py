"""Oracles and generators for tests, ours and those of extensions.

Takes nothing; hands on hypothesis strategies and plain oracles.

Nothing is here yet.
"""

__all__: list[str] = []
