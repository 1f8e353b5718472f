"""What is known of a paper beside its plans: what its "±" is, which tests it made, which figures it shows."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from plait.core.checks import OneOf, check_value
from plait.experiments.published import PAPERS

__all__ = ["COLUMNS", "SPREADS", "Figure", "PaperFacts", "paper_facts", "paper_folder"]

# As the paper says, and as its program ran.
COLUMNS = ("clean", "as_run")
SPREADS = ("deviation", "standard error", "standard error over rows", "none")


@dataclass(frozen=True)
class Figure:
    """How the results of a plan are drawn: one panel for each data set, one line for each word before " @ ".

    Parameters
    ----------
    metric : str
        What is shown upward.
    words : str
        What the picture shows, for its heading.
    across : str, default=""
        What the number after " @ " in a method's name is; empty for a map of numbers, data sets by methods.
    plan : str, default=""
        The plan whose results are drawn, where it has not the figure's name.
    methods : tuple of str
        Which methods a map shows; none means all.
    by_lowest : bool, default=False
        Whether a map divides the numbers of a data set by its lowest.
    """

    metric: str
    words: str
    across: str = ""
    plan: str = ""
    methods: tuple[str, ...] = ()
    by_lowest: bool = False


@dataclass(frozen=True)
class PaperFacts:
    """What the file `paper.toml` of a paper says.

    Parameters
    ----------
    title : str
        Authors and title.
    spread : str
        What the paper prints after "±": one of `SPREADS`.
    quoted : tuple of str
        Methods whose numbers the paper took from others.
    quick : dict
        Data sets and methods that are done within minutes.
    ranks : dict
        Methods that are ranked together, and the control where there is one.
    pairs : dict
        Pairs of methods compared by Wilcoxon's test, the rule for equal scores, and the data sets.
    control : str
        The method from whose side paired t-tests are counted; empty where there are none.
    measures : dict of str to dict
        Column -> printed measure -> the measure of the run that it is compared with, where that has another name.
    aliases : dict of str to str
        Data set of the plans -> its name in print, where tables of the paper mean different data by one name.
    figures : dict of str to Figure
        Name of a figure, which is that of its plan unless it says otherwise -> how it is drawn.
    gains : dict
        Pairs of methods and the measure in which the first gains on the second.
    times : dict
        Pairs of methods whose times are compared.
    """

    title: str
    spread: str
    quoted: tuple[str, ...] = ()
    quick: Mapping[str, Any] = field(default_factory=dict)
    ranks: Mapping[str, Any] = field(default_factory=dict)
    pairs: Mapping[str, Any] = field(default_factory=dict)
    control: str = ""
    measures: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    figures: Mapping[str, Figure] = field(default_factory=dict)
    gains: Mapping[str, Any] = field(default_factory=dict)
    times: Mapping[str, Any] = field(default_factory=dict)


@cache
def paper_facts(paper: str) -> PaperFacts:
    """Return what is known of a paper.

    Parameters
    ----------
    paper : {"occ", "scls", "mc", "pcc", "pacc"}
        The paper.

    Examples
    --------
    >>> paper_facts("occ").spread, paper_facts("mc").control
    ('standard error', 'MC')
    """
    check_value("paper_facts", "paper", paper, [OneOf(PAPERS)])
    table = tomllib.loads(paper_folder(paper).joinpath("paper.toml").read_text(encoding="utf8"))
    drawn = table.pop("figures", {})
    figures = {name: Figure(**{**words, "methods": tuple(words.get("methods", ()))}) for name, words in drawn.items()}
    return PaperFacts(quoted=tuple(table.pop("quoted", ())), figures=figures, **table)


def paper_folder(paper: str) -> Any:
    """Return the folder with the plans of a paper and what is known of it."""
    return resources.files("plait.experiments.reproduction").joinpath("papers", paper)
