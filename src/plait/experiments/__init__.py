"""Run, store, compare and show experiments.

Takes plans (today: the built-in demonstration); hands on results, pictures and pages.
"""

__all__: list[str] = []
