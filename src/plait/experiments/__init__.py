"""Run, store, compare and show experiments.

Takes plans; hands on stored results, pictures and pages.
"""

__all__: list[str] = []
