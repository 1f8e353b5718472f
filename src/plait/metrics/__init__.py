"""Score predictions against the truth.

Takes `Y_true` and predicted labels, scores or log-probabilities; hands on numbers and scikit-learn scorers.
"""

__all__: list[str] = []
