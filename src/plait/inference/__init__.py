"""Search or sample a distribution over label sets.

Takes `LabelDistribution`; hands on `LabelSupport`.

Nothing is here yet.
"""

__all__: list[str] = []
