"""Run, store, compare and show experiments.

Takes plans (TOML files); hands on stored results, statistics, pictures and pages.
"""

from plait.experiments.planning.plan import Plan
from plait.experiments.planning.plan_errors import PlanError
from plait.experiments.planning.plan_file import plan_from_text, read_plan
from plait.experiments.running.cells import CellResult
from plait.experiments.running.runner import RunSummary, run_plan
from plait.experiments.running.store import Store, StoreError, open_store

__all__ = [
    "CellResult",
    "Plan",
    "PlanError",
    "RunSummary",
    "Store",
    "StoreError",
    "open_store",
    "plan_from_text",
    "read_plan",
    "run_plan",
]
