"""Say how wrong an answer is and which answer is least wrong.

Takes `LabelSupport`; hands on decisions.

Nothing is here yet.
"""

__all__: list[str] = []
