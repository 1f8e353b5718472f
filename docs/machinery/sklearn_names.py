"""An inventory of scikit-learn's public names, made from the installed package: links to its pages without the network.

Its reference has one page an object, `modules/generated/sklearn.room.Name.html`, for every name of its public rooms.
"""

import zlib
from pathlib import Path

import sklearn
from sklearn.utils.discovery import all_displays, all_estimators, all_functions

__all__ = ["ADDRESS", "sklearn_names", "write_inventory"]

ADDRESS = "https://scikit-learn.org/stable"


def sklearn_names() -> dict[str, str]:
    """Return full public name -> kind, "class" or "function"."""
    kinds = {}
    for things, kind in ((all_estimators() + all_displays(), "class"), (all_functions(), "function")):
        for name, thing in things:
            # sklearn.linear_model._logistic.LogisticRegression is shown as sklearn.linear_model.LogisticRegression
            room = thing.__module__.split(".")[1]
            kinds[f"sklearn.{room}.{name}"] = kind
    return kinds


def write_inventory(path: Path) -> None:
    """Write the names as an inventory of Sphinx, version 2."""
    lines = [f"{name} py:{kind} 1 modules/generated/{name}.html#$ -\n" for name, kind in sklearn_names().items()]
    head = f"# Sphinx inventory version 2\n# Project: scikit-learn\n# Version: {sklearn.__version__}\n"
    head += "# The remainder of this file is compressed using zlib.\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(head.encode() + zlib.compress("".join(lines).encode()))
