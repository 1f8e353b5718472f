"""`write_static_page`: some rows as one file that infers by itself, for models that are forests or mixtures of them."""

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from plait.core.sentences import ParameterError
from plait.data.conversion.files import replacing
from plait.explore.explorer import Explorer
from plait.explore.page import explore_page
from plait.joint import GraphDistribution, LabelDistribution, MixtureDistribution

__all__ = ["forest_tables", "write_static_page"]

# Reasons by features are worked out beforehand, for so many pairs of a row and a label.
_MOST_REASONS = 2000
# Beyond this many labels the page decides for the losses that need no enumeration.
_ENUMERATED = 10


def forest_tables(distribution: LabelDistribution) -> tuple[list[dict[str, Any]], Any]:
    """Return a forest, or a mixture of forests, as plain lists.

    Parameters
    ----------
    distribution : LabelDistribution
        P(y | x) of some rows, in which every label has at most one parent.

    Returns
    -------
    parts : list of dict
        Of each component its weight, the parent of every label (-1 at a root), and an order with parents first.
    scores : ndarray of shape (n_rows, n_components, 2 * n_labels)
        Log-odds of label k where its parent is v, at place 2 k + v; of a root at v = 0.

    Examples
    --------
    >>> from plait import recipes
    >>> X, Y = np.array([[0.0], [1.0]] * 10), np.array([[1, 1], [0, 1]] * 10)
    >>> parts, scores = forest_tables(recipes.ctbn().fit(X, Y).joint_.condition(X[:2]))
    >>> parts[0]["weight"], scores.shape
    (1.0, (2, 1, 4))
    """
    whole = (
        distribution if isinstance(distribution, MixtureDistribution) else MixtureDistribution([0.0], [distribution])
    )
    whole = whole.flattened()
    if not all(_is_forest(part) for part in whole.components):
        raise ParameterError(
            "a page without a server needs a model in which every label has at most one parent, or a mixture of such, "
            "but this one is none. Fit br, bcc, ctbn or mc, or leave --static out."
        )
    parts, scores = [], np.zeros((distribution.n_rows, len(whole.components), 2 * distribution.n_labels))
    for m, (weight, part) in enumerate(zip(np.exp(whole.log_weights), whole.components, strict=True)):
        assert isinstance(part, GraphDistribution)
        parents = [own[0] if own else -1 for own in part.graph.parents]
        parts.append({"weight": float(weight), "parent": parents, "order": list(map(int, part.graph.order))})
        for k in range(part.n_labels):
            table = part.table(k)
            scores[:, m, 2 * k : 2 * k + table.shape[1]] = table
    return parts, scores


def _is_forest(part: Any) -> bool:
    return (
        isinstance(part, GraphDistribution) and part.probabilistic and all(len(own) <= 1 for own in part.graph.parents)
    )


def write_static_page(explorer: Explorer, path: str | os.PathLike[str], rows: Sequence[int] | None = None) -> None:
    """Write a page that needs neither server nor network.

    Parameters
    ----------
    explorer : Explorer
        What is shown.
    path : path
        The HTML file.
    rows : sequence of int, optional
        Which rows; the first 50 if nothing is given.

    Examples
    --------
    >>> from plait import recipes
    >>> from plait.data import Dataset
    >>> beach = Dataset([[0.0], [1.0]] * 5, [[1, 0], [0, 1]] * 5)
    >>> explorer = Explorer(recipes.br().fit(beach.X, beach.Y), beach)
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_static_page(explorer, Path(folder, "page.html"), rows=[0, 1])
    ...     [file.name for file in Path(folder).iterdir()]
    ['page.html']
    """
    chosen = np.arange(min(50, explorer.data.n_samples)) if rows is None else np.asarray(rows, dtype=np.int64)
    page = explore_page(explorer.data.name, _held(explorer, chosen))
    with replacing(path) as draft:
        draft.write_text(page, encoding="utf-8")


def _held(explorer: Explorer, chosen: Any) -> dict[str, Any]:
    """Return all that the page knows."""
    answer = explorer.posterior(chosen)
    parts, scores = forest_tables(answer.joint.condition(answer.X))
    recorded, n_labels = explorer.records(chosen), len(explorer.label_names)
    explained = len(chosen) * n_labels <= _MOST_REASONS
    rows = [
        {
            "number": int(row),
            "name": explorer.row_names[row],
            "glimpse": glimpse,
            "row": explorer.row(row),
            "recorded": None if recorded is None else np.flatnonzero(recorded[i]).tolist(),
            "scores": scores[i].tolist(),
            "why": [_features_only(explorer.why(row, k)) for k in range(n_labels)] if explained else None,
        }
        for i, (row, glimpse) in enumerate(explorer.glimpses(chosen.tolist()))
    ]
    able = ("subset", "hamming", *(("f1", "jaccard") if n_labels <= _ENUMERATED else ()))
    about = explorer.about()
    about |= {
        "losses": [word for word in about["losses"] if word in able],
        "n_rows": len(rows),
        "ask_by": explorer.ask_by,
        "corrections": None,
    }
    return {"about": about, "parts": parts, "rows": rows}


def _features_only(found: dict[str, Any]) -> dict[str, Any]:
    return {**found, "reasons": [reason for reason in found["reasons"] if reason[1] == "feature"]}
