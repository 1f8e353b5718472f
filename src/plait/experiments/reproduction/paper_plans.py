"""The plans of the five papers, as shipped, and the parts of them that a user asks for."""

from collections.abc import Sequence
from dataclasses import replace
from importlib import resources

from plait.core.checks import OneOf, check_value
from plait.core.sentences import ParameterError
from plait.data.loading import cache_folder, data_folder, find_data_file
from plait.experiments.planning.plan import DatasetPlan, Plan
from plait.experiments.planning.plan_file import plan_from_text
from plait.experiments.published import PAPERS

__all__ = ["available_datasets", "paper_plan", "part_of_plan"]

# What runs within minutes on two cores: small data sets, no method that needs far longer than the others.
_QUICK: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "occ": (("emotions", "birds"), ("BR", "ECC", "EBCC", "MDDM", "LLSF", "oCC")),
    "scls": (("genbase", "medical", "yeast"), ("SCLS", "AMI", "MDMR", "MLCFS-Jungjit")),
    "mc": (("emotions",), ("BR", "CHF", "MLKNN", "IBLR", "CC", "PCC", "SC", "MC")),
    "pcc": (("emotions", "scene", "yeast", "medical", "enron"), ()),
    "pacc": (("emotions", "scene", "yeast"), ()),
}


def paper_plan(paper: str) -> Plan:
    """Return the plan of a paper, with its names of data sets and methods.

    Parameters
    ----------
    paper : {"occ", "scls", "mc", "pcc", "pacc"}
        The paper.

    Examples
    --------
    >>> [method.name for method in paper_plan("pacc").methods][:4]
    ['BR', 'CC', 'BCC', 'PACC']
    """
    check_value("paper_plan", "paper", paper, [OneOf(PAPERS)])
    file = resources.files("plait.experiments.reproduction").joinpath("plans", f"{paper}.toml")
    return plan_from_text(file.read_text(encoding="utf8"), source=f"{paper}.toml")


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
    few = _QUICK[plan.name] if quick else ((), ())
    kept_data = _named("--datasets", datasets or few[0], [data.name for data in plan.datasets])
    kept_methods = _named("--methods", methods or few[1], [method.name for method in plan.methods])
    return replace(
        plan,
        datasets=tuple(data for data in plan.datasets if data.name in kept_data),
        methods=tuple(method for method in plan.methods if method.name in kept_methods),
    )


def _named(option: str, words: Sequence[str], known: list[str]) -> list[str]:
    lower = {name.lower(): name for name in known}
    strange = [word for word in words if word.lower() not in lower]
    if strange:
        must = f"names of the paper, {', '.join(known)}"
        raise ParameterError(
            f"plait reproduce needs {option} to be {must}, but it is {strange[0]!r}. Pass some of these."
        )
    return [lower[word.lower()] for word in words] or known


def available_datasets(plan: Plan) -> tuple[Plan, list[str]]:
    """Return the plan with the data sets that are on this machine, and the names of the others.

    A data set of the same name elsewhere need not be the paper's, so nothing is downloaded here.
    """
    here = [data for data in plan.datasets if _is_here(data, plan)]
    return replace(plan, datasets=tuple(here)), [data.name for data in plan.datasets if data not in here]


def _is_here(data: DatasetPlan, plan: Plan) -> bool:
    split = "test" if plan.protocol_on(data).kind == "split" else None
    folders = [folder for folder in (data_folder(), cache_folder()) if folder is not None]
    return any(find_data_file(folder, data.source, split) is not None for folder in folders)
