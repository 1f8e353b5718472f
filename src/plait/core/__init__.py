"""What every room leans on, without any knowledge of labels.

Takes nothing; hands on parameter checks declared as data (`checks`), the one form of a complaint (`sentences`),
names for classes (`naming`), log-space helpers (`logspace`), generators from `random_state` (`randomness`),
`progress_bar`, `text_bars` and scikit-learn's `callbacks`, and optional packages (`extras`).
"""

__all__: list[str] = []
