"""Selected features as a heat map: labels by features, the stronger the more parts chose the feature for the label."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from plait.core.arrays import Floats
from plait.experiments.report.drawing import BLUE, cut_to, picture, rectangle, text, text_width
from plait.experiments.running.cells import CellResult

__all__ = ["ChosenFeatures", "chosen_features", "draw_heat"]

_CELL, _NAMES, _FEATURE_NAMES = 15.0, 170.0, 150.0
_MOST_FEATURES, _MOST_LABELS = 60, 60


@dataclass(frozen=True, eq=False)
class ChosenFeatures:
    """How often each label keeps each feature.

    Parameters
    ----------
    shares : ndarray of shape (n_labels, n_features)
        Share of the parts in which the label keeps the feature; labels and features as named.
    labels, features : tuple of str
        Names.
    n_parts : int
        Number of parts.
    n_kept : float
        Mean number of features that a label keeps.
    n_features : int
        Number of features of the data, chosen or not.
    """

    shares: Floats
    labels: tuple[str, ...]
    features: tuple[str, ...]
    n_parts: int
    n_kept: float
    n_features: int


def chosen_features(cells: Sequence[CellResult]) -> ChosenFeatures | None:
    """Return the features of all parts together; None where nothing is selected, or each label keeps all."""
    found = [cell.extras for cell in cells if cell.extras.get("features")]
    if not found:
        return None
    first = found[0]
    n_labels, n_features = len(first["features"]["by_label"]), int(first.get("n_features") or 0)
    found = [extras for extras in found if len(extras["features"]["by_label"]) == n_labels]
    names: dict[int, str] = {}
    for extras in found:
        names |= {int(key): str(name) for key, name in extras["features"].get("names", {}).items()}
    used = sorted({int(f) for extras in found for group in extras["features"]["by_label"] for f in group})
    column = {feature: place for place, feature in enumerate(used)}
    counts = np.zeros((n_labels, len(used)))
    for extras in found:
        for label, group in enumerate(extras["features"]["by_label"]):
            counts[label, [column[int(feature)] for feature in group]] += 1
    if not used or (len(used) == n_features and counts.min() == len(found)):
        return None
    labels = ("all labels",) if first["features"].get("shared") else tuple(map(str, first.get("label_names") or ()))
    labels = labels if len(labels) == n_labels else tuple(f"label {k}" for k in range(n_labels))
    shares = counts / len(found)
    features = tuple(names.get(feature, f"feature {feature}") for feature in used)
    return ChosenFeatures(shares, labels, features, len(found), float(shares.sum(axis=1).mean()), n_features)


def draw_heat(chosen: ChosenFeatures, title: str) -> tuple[str, str]:
    """Return the picture of the features that most labels keep, and a sentence about what it shows."""
    columns = np.argsort(-chosen.shares.sum(axis=0), kind="stable")[:_MOST_FEATURES]
    rows = _rows(chosen.shares)
    shares = chosen.shares[rows][:, columns]
    labels = [cut_to(chosen.labels[k], _NAMES) for k in rows]
    features = [cut_to(chosen.features[k], _FEATURE_NAMES) for k in columns]
    left = max(map(text_width, labels)) + 14
    top = max(map(text_width, features)) + 12
    parts = []
    for c, name in enumerate(features):
        x = left + _CELL * (c + 0.5)
        parts.append(text(x + 4, top - 6, name, turn=-90, title=chosen.features[columns[c]]))
    for r, name in enumerate(labels):
        y = top + _CELL * r
        parts.append(text(left - 8, y + 12, name, anchor="end", title=chosen.labels[rows[r]]))
        # A faint ground, by which the row can be followed.
        parts.append(rectangle(left, y, _CELL * len(columns) - 1.5, _CELL - 1.5, fill="currentColor", opacity=0.05))
        for c in np.flatnonzero(shares[r]).tolist():
            words = f"{chosen.labels[rows[r]]}, {chosen.features[columns[c]]}: {shares[r, c]:.0%} of {chosen.n_parts}"
            depth, x = 0.15 + 0.85 * float(shares[r, c]), left + _CELL * float(c)
            parts.append(rectangle(x, y, _CELL - 1.5, _CELL - 1.5, fill=BLUE, opacity=depth, title=words))
    width, height = left + _CELL * len(columns) + 6, top + _CELL * len(rows) + 6
    return picture(width, height, parts, title), _sentence(chosen, len(columns), len(rows))


def _rows(shares: Floats) -> list[int]:
    if len(shares) <= _MOST_LABELS:
        return list(range(len(shares)))
    return sorted(np.argsort(-shares.sum(axis=1), kind="stable")[:_MOST_LABELS].tolist())


def _sentence(chosen: ChosenFeatures, n_columns: int, n_rows: int) -> str:
    of = f" of {chosen.n_features}" if chosen.n_features else ""
    whom = "The model keeps" if len(chosen.labels) == 1 else "A label keeps"
    parts = "part" if chosen.n_parts == 1 else "parts"
    words = [f"{whom} {chosen.n_kept:.4g}{of} features on average over {chosen.n_parts} {parts}."]
    if n_columns < len(chosen.features):
        words.append(f"Shown are the {n_columns} of {len(chosen.features)} chosen ones that most labels keep.")
    if n_rows < len(chosen.labels):
        words.append(f"Shown are {n_rows} of {len(chosen.labels)} labels.")
    if chosen.n_parts > 1:
        words.append("The stronger the colour, the more parts chose the feature.")
    return " ".join(words)
