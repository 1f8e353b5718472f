"""Find the few features each label needs.

Takes a graph and information measures; hands on `FeatureMask (n_labels, n_features)`.

Nothing is here yet.
"""

__all__: list[str] = []
