from . import published, report, reproduction, statistics
from .planning.plan import Plan
from .planning.plan_file import plan_from_text, read_plan
from .planning.plan_problems import PlanError
from .running.cells import CellResult
from .running.runner import RunSummary, run_plan
from .running.store import Store, StoreError, open_store

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
    "published",
    "report",
    "reproduction",
    "statistics",
]
