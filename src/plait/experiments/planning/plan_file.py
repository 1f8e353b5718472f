"""Read a plan from a TOML file; all that is wrong with it is said at once."""

import os
import sys
import tomllib
from pathlib import Path
from typing import Any

from plait.data import DataError
from plait.experiments.planning.plan import Plan
from plait.experiments.planning.plan_methods import read_methods
from plait.experiments.planning.plan_problems import Place, PlanError, Problems, key_lines
from plait.experiments.planning.plan_tables import read_datasets, read_keep, read_metrics, read_protocol, read_seeds

__all__ = ["parse_file", "parse_plan", "plan_from_text", "read_plan"]

_KEYS = ("name", "datasets", "methods", "protocol", "metrics", "seeds", "keep")


def read_plan(path: str | os.PathLike[str], *, allow_imports: bool = False) -> Plan:
    r"""Read a plan from a TOML file.

    Parameters
    ----------
    path : path
        The file; paths of data sets in it are relative to its folder.
    allow_imports : bool, default=False
        Let it name code from outside plait and scikit-learn, also from its own folder. Such a plan is a program: it is
        imported once it runs, not before. Allow it only if you know where the plan comes from.

    Returns
    -------
    Plan

    Raises
    ------
    PlanError
        If anything in it is wrong: its `lines` name all of it, with line numbers. Data sets are not looked at.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "mine.toml")
    ...     size = path.write_text('datasets = ["emotions"]\nmethods = ["br", "pcc"]')
    ...     read_plan(path).name
    'mine'
    """
    plan, problems = parse_file(path, allow_imports=allow_imports)
    problems.stop_if_any()
    return plan


def parse_file(path: str | os.PathLike[str], *, allow_imports: bool = False) -> tuple[Plan, Problems]:
    """Return what can be made of a file, and what is wrong with it so far."""
    file = Path(path)
    try:
        text = file.read_text(encoding="utf8")
    except (OSError, ValueError) as problem:  # a name with a zero byte, or text that is none, is a ValueError
        name = str(file).replace("\0", "\\0")
        raise DataError(f"{name}: cannot be read as a plan, {problem}. Pass a TOML file.") from None
    folder = file.resolve().parent
    if allow_imports and str(folder) not in sys.path:
        # A module beside the plan can be named in it. Last, so that it hides nothing.
        sys.path.append(str(folder))
    return parse_plan(text, str(path), folder, allow_imports=allow_imports)


def plan_from_text(
    text: str, source: str = "plan.toml", folder: Path | None = None, *, allow_imports: bool = False
) -> Plan:
    r"""Make a plan of a TOML text; `source` names it in errors, and without its suffix it is the plan's name.

    Parameters
    ----------
    text : str
        TOML.
    source : str, default="plan.toml"
        What errors call it.
    folder : Path, optional
        Where paths in it begin; the working directory by default.
    allow_imports : bool, default=False
        Whether it may name code from outside plait and scikit-learn.

    Returns
    -------
    Plan

    Examples
    --------
    >>> plan = plan_from_text('datasets = ["emotions"]\nmethods = ["br", "pcc"]')
    >>> plan.protocol_on(plan.datasets[0]).n_parts, [method.name for method in plan.methods]
    (5, ['br', 'pcc'])
    >>> plan_from_text('datasets = ["emotions"]\nmethods = ["pcx"]\nseeds = [-1]', "p")
    Traceback (most recent call last):
    plait...PlanError: p, line 2: There is nothing called 'pcx' to use. Did you mean pcc?
    p, line 3: plan needs a seed to be an integer of at least 0 and at most 4294967295, but it is -1.
    """
    plan, problems = parse_plan(text, source, folder, allow_imports=allow_imports)
    problems.stop_if_any()
    return plan


def parse_plan(
    text: str, source: str, folder: Path | None = None, *, allow_imports: bool = False
) -> tuple[Plan, Problems]:
    """Return what can be made of a text, and what is wrong with it so far."""
    try:
        table: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise PlanError([f"{source}: is no TOML, {problem}. Mend it there."]) from None
    problems = Problems(source, key_lines(text), allow_imports=allow_imports)
    top = Place(problems)
    top.check_keys("plan", table, _KEYS)
    protocol = read_protocol(top.at("protocol"), table.get("protocol", {}))
    datasets = read_datasets(top.at("datasets"), table.get("datasets"), folder or Path.cwd(), protocol)
    plan = Plan(
        _name(top.at("name"), table, source),
        datasets,
        read_methods(top.at("methods"), table.get("methods"), [data.name for data in datasets]),
        protocol,
        read_metrics(top.at("metrics"), table.get("metrics")),
        read_seeds(top.at("seeds"), table.get("seeds")),
        text,
        str(folder) if folder and allow_imports else "",
        read_keep(top.at("keep"), table.get("keep")),
    )
    return plan, problems


def _name(place: Place, table: dict[str, Any], source: str) -> str:
    name = table.get("name", Path(source).stem)
    if not isinstance(name, str) or not name:
        place.wrong(f"plan needs name to be a word, but it is {name!r}. Leave it out, or write one.")
    return str(name)
