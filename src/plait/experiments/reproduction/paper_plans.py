"""The plans of the five papers, as shipped, and the parts of them that a user asks for."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePath

from plait.core.checks import OneOf, check_value
from plait.core.sentences import ParameterError
from plait.data.loading import cache_folder, data_folder, find_data_file
from plait.experiments.planning.plan import DatasetPlan, Plan
from plait.experiments.planning.plan_file import plan_from_text
from plait.experiments.published import PAPERS
from plait.experiments.reproduction.facts import paper_facts, paper_folder

__all__ = ["available_datasets", "paper_plan", "part_of_plan", "plan_names"]


def plan_names(paper: str) -> list[str]:
    """Return the names of a paper's plans: "clean", "as_run", then figures and what explains a difference.

    Parameters
    ----------
    paper : {"occ", "scls", "mc", "pcc", "pacc"}
        The paper.

    Returns
    -------
    list of str

    Examples
    --------
    >>> plan_names("occ")[:2]
    ['clean', 'as_run']
    """
    check_value("plan_names", "paper", paper, [OneOf(PAPERS)])
    stems = sorted(PurePath(file.name).stem for file in paper_folder(paper).iterdir() if file.name.endswith(".toml"))
    first = [name for name in ("clean", "as_run") if name in stems]
    return first + [name for name in stems if name not in (*first, "paper")]


def paper_plan(paper: str, plan: str = "clean") -> Plan:
    """Return a plan of a paper, with its names of data sets and methods.

    Parameters
    ----------
    paper : {"occ", "scls", "mc", "pcc", "pacc"}
        The paper.
    plan : str, default="clean"
        "clean" as the paper says, "as_run" as its program ran, or the name of a figure or of an explanation.

    Returns
    -------
    Plan

    Examples
    --------
    >>> [method.name for method in paper_plan("pacc").methods][:4]
    ['BR', 'CC', 'BCC', 'PACC']
    """
    check_value("paper_plan", "paper", paper, [OneOf(PAPERS)])
    names = plan_names(paper)
    if plan not in names:
        raise ParameterError(
            f"plait reproduce needs --plan to be one of {', '.join(names)}, but it is {plan!r}. Pass one of these."
        )
    text = paper_folder(paper).joinpath(f"{plan}.toml").read_text(encoding="utf8")
    found = plan_from_text(text, source=f"{paper}/{plan}.toml")
    return replace(found, name=paper if plan == "clean" else f"{paper}/{plan}")


def part_of_plan(plan: Plan, datasets: Sequence[str] = (), methods: Sequence[str] = (), *, quick: bool = False) -> Plan:
    """Return the plan with some of its data sets and methods only.

    Parameters
    ----------
    plan : Plan
        From `paper_plan`.
    datasets, methods : sequence of str
        Names to keep, in any capitals; none means all.
    quick : bool, default=False
        Where nothing is named, keep what is done within minutes.

    Examples
    --------
    >>> part = part_of_plan(paper_plan("pcc"), ["yeast"], ["br"])
    >>> [data.name for data in part.datasets], [method.name for method in part.methods]
    (['yeast'], ['BR'])
    """
    few = paper_facts(plan.name.partition("/")[0]).quick if quick else {}
    kept_data = _named("--datasets", datasets, few.get("datasets", ()), [data.name for data in plan.datasets])
    kept_methods = _named("--methods", methods, few.get("methods", ()), [method.name for method in plan.methods])
    return replace(
        plan,
        datasets=tuple(data for data in plan.datasets if data.name in kept_data),
        methods=tuple(method for method in plan.methods if method.name in kept_methods),
    )


def _named(option: str, words: Sequence[str], few: Sequence[str], known: list[str]) -> list[str]:
    lower = {name.lower(): name for name in known}
    strange = [word for word in words if word.lower() not in lower]
    if strange:
        must = f"names of the paper, {', '.join(known)}"
        raise ParameterError(
            f"plait reproduce needs {option} to be {must}, but it is {strange[0]!r}. Pass some of these."
        )
    return [lower[word.lower()] for word in words] or [name for name in few if name in known] or known


def available_datasets(plan: Plan) -> tuple[Plan, list[str]]:
    """Return the plan with the data sets that are on this machine, and the names of the others.

    A data set of the same name elsewhere need not be the paper's, so nothing is downloaded here. Where only the most
    frequent features count, a file that holds nothing else (`yahoo_arts_1157`) goes before the whole one.
    """
    folders = [folder for folder in (data_folder(), cache_folder()) if folder is not None]
    found = [(data.name, _found(data, plan, folders)) for data in plan.datasets]
    here = tuple(data for _, data in found if data is not None)
    return replace(plan, datasets=here), [name for name, data in found if data is None]


def _found(data: DatasetPlan, plan: Plan, folders: Sequence[Path]) -> DatasetPlan | None:
    split = "test" if plan.protocol_on(data).kind == "split" else None
    cut = replace(data, source=f"{data.source}_{data.top_features}", top_features=None)
    if data.made_by is not None and data.source == data.name:
        return data  # others name the file that they are made of
    for choice in (cut, data):
        if any(find_data_file(folder, choice.source, split) is not None for folder in folders):
            return choice
    return None
