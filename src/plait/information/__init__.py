"""Turn count tables into entropies and dependences.

Takes count tables; hands on numbers.

Nothing is here yet.
"""

__all__: list[str] = []
