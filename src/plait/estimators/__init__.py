"""The scikit-learn contract over all rooms below.

Takes X, Y; hands on fitted classifiers.

Nothing is here yet.
"""

__all__: list[str] = []
