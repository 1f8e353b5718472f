"""The methods that the papers compare with.

Takes X, Y; hands on fitted classifiers.

Nothing is here yet.
"""

__all__: list[str] = []
