"""Train the conditionals of all labels in one batch.

Takes X, Y, a graph, a mask; hands on fitted conditionals.

Nothing is here yet.
"""

__all__: list[str] = []
