"""Say which labels depend on which.

Takes dependence matrices; hands on `LabelGraph`.

Nothing is here yet.
"""

__all__: list[str] = []
