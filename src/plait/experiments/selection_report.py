"""Chosen features as text, as plain objects for JSON, and as a file of zeros and ones."""

import csv
import io
import math
import os
from typing import Any

from plait.data.conversion.files import open_bytes, replacing
from plait.experiments.selection import Selection
from plait.pictures.text_bars import bar_lines, shortened

__all__ = ["selection_dict", "selection_text", "write_mask"]

_BAR = 20
_LONGEST_TITLE = 60
_FEATURES_SHOWN = 3
_FEATURE_ENDS = (9, 14)


def selection_text(selection: Selection) -> str:
    """Return the chosen features as a table: in their order, or for each label the first few of them.

    Examples
    --------
    >>> from plait.data import Dataset
    >>> from plait.experiments.selection import select_features
    >>> data = Dataset([[0, 1], [0, 0], [1, 1], [1, 0]], [[0], [0], [1], [1]], ["warm", "red"], ["sea"], "beach")
    >>> print(selection_text(select_features(data, "mlig", 1)))
    beach: 1 of 2 features for each label, by mlig
    <BLANKLINE>
      label  features  best first
      sea           1  warm 1.000
    """
    dataset, mask = selection.dataset, selection.mask
    kept = mask.support.sum(axis=1)
    number = f"{kept.min()} to {kept.max()}" if kept.size and kept.min() < kept.max() else f"{kept.max(initial=0)}"
    whose = "for each label" if mask.label_specific else "for all labels"
    title = f"{dataset.name}: {number} of {dataset.n_features} features {whose}, by {selection.method}"
    return "\n".join([title, "", *(_by_label(selection) if mask.label_specific else _ranked(selection))])


def _ranked(selection: Selection) -> list[str]:
    ranking, scores = selection.mask.rankings[0], selection.mask.scores[0].tolist()
    names = _names(selection.dataset.feature_names)
    width = len(str(ranking.size))
    titles = [f"{place:>{width}}. {names[feature]}" for place, feature in enumerate(ranking.tolist(), start=1)]
    highest = max([score for score in scores if math.isfinite(score)], default=0.0)
    shares = [min(max(score / highest, 0.0), 1.0) if highest > 0 else 0.0 for score in scores]
    return bar_lines(titles, shares, [f"{score:.4f}" for score in scores], [""] * len(titles), _BAR, _LONGEST_TITLE)


def _by_label(selection: Selection) -> list[str]:
    labels = [shortened(name) for name in _names(selection.dataset.label_names)]
    column = max(len("label"), *map(len, labels)) if labels else len("label")
    lines = [f"  {'label':<{column}}  features  best first"]
    features = _names(selection.dataset.feature_names)
    for label, ranking, scores in zip(labels, selection.mask.rankings, selection.mask.scores, strict=True):
        pairs = list(zip(ranking.tolist(), scores.tolist(), strict=True))
        words = [f"{_both_ends(features[m])} {score:.3f}" for m, score in pairs[:_FEATURES_SHOWN]]
        more = ", ..." if len(pairs) > _FEATURES_SHOWN else ""
        lines.append(f"  {label:<{column}}  {len(pairs):>8}  {', '.join(words)}{more}")
    return lines


def _both_ends(name: str) -> str:
    """Return a name cut in its middle: features made by a program often differ in their last letters only."""
    name = shortened(name, len(name) + 9)
    first, last = _FEATURE_ENDS
    return name if len(name) <= first + 1 + last else f"{name[:first]}…{name[-last:]}"


def _names(names: Any) -> list[str]:
    return [str(name) for name in names]


def selection_dict(selection: Selection) -> dict[str, Any]:
    """Return the chosen features in a form `json.dumps` takes; `None` stands for a score that is no finite number."""
    dataset, mask = selection.dataset, selection.mask
    plain: dict[str, Any] = {
        "name": dataset.name,
        "method": selection.method,
        "n_features": dataset.n_features,
        "label_specific": mask.label_specific,
    }
    chosen = [_plain(selection, place) for place in range(len(mask.rankings))]
    if mask.label_specific:
        names = _names(dataset.label_names)
        plain["labels"] = [{"name": name, "features": each} for name, each in zip(names, chosen, strict=True)]
    else:
        plain["features"] = chosen[0]
    return plain


def _plain(selection: Selection, place: int) -> list[dict[str, Any]]:
    names = _names(selection.dataset.feature_names)
    pairs = zip(selection.mask.rankings[place].tolist(), selection.mask.scores[place].tolist(), strict=True)
    return [{"name": names[m], "column": m, "score": score if math.isfinite(score) else None} for m, score in pairs]


def write_mask(selection: Selection, path: str | os.PathLike[str]) -> None:
    """Write which label keeps which feature as CSV, 1 or 0, with names; the old file stays if anything fails.

    A file name that ends in .gz, .bz2 or .xz is packed.
    """
    dataset = selection.dataset
    with (
        replacing(path) as draft,
        open_bytes(draft, "wb") as stream,
        io.TextIOWrapper(stream, encoding="utf8", newline="") as text,
    ):
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["label", *_names(dataset.feature_names)])
        rows = selection.mask.support.astype(int).tolist()
        writer.writerows([name, *row] for name, row in zip(_names(dataset.label_names), rows, strict=True))
