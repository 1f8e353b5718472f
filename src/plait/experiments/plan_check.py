"""All that can be found wrong with a plan before anything runs: its text, its methods and its data."""

import os

from plait.experiments.planning.plan import Plan
from plait.experiments.planning.plan_file import parse_file
from plait.experiments.running.runner import data_fingerprints

__all__ = ["ready_plan"]


def ready_plan(path: str | os.PathLike[str]) -> tuple[Plan, dict[str, str]]:
    """Read a plan and load its data once; return it with the digests of the data.

    Parameters
    ----------
    path : path
        The TOML file.

    Returns
    -------
    plan : Plan
        Ready to run.
    fingerprints : dict of str to str
        Name of a data set -> digest of its content, for `run_plan`.

    Raises
    ------
    PlanError
        If anything is wrong, data sets included: its `lines` name all of it, with line numbers.
    """
    plan, problems = parse_file(path)
    fingerprints, missing = data_fingerprints(plan)
    for name, reason in missing.items():
        problems.add(problems.homes[name], f"data set {name} cannot be used: {reason}")
    problems.stop_if_any()
    return plan, fingerprints
