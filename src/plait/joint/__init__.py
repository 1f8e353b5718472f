"""Multiply conditionals into one distribution over label sets.

Takes fitted conditionals; hands on `LabelDistribution`, by `condition(X)`.

Nothing is here yet.
"""

__all__: list[str] = []
