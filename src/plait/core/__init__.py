"""What every room leans on, without any knowledge of labels.

Takes nothing; hands on parameter checks declared as data (`checks`), the one form of a complaint (`sentences`),
names for classes (`registry`), log-space helpers (`logspace`), generators from `random_state` (`randomness`),
`progress` and scikit-learn's `callbacks`, and optional packages (`optional`).
"""

__all__: list[str] = []
