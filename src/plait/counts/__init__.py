"""Turn columns into contingency tables that add up.

Takes arrays; hands on count tables.

Nothing is here yet.
"""

__all__: list[str] = []
