"""A data set in words and bars for a terminal: sizes, label imbalance, the most frequent label pairs."""

from collections import Counter
from collections.abc import Sequence
from math import isfinite

from scipy import sparse

from plait.data.dataset import Dataset
from plait.data.label_statistics import Statistics, statistics
from plait.pictures.text_bars import LONGEST_NAME, bar_lines, shortened

__all__ = ["LONGEST_PAIR", "describe_text", "pair_name"]

_MOST_LABELS = 12
_MOST_PAIRS = 8
_BAR = 30
LONGEST_PAIR = 43


def describe_text(dataset: Dataset, width: int = _BAR) -> str:
    """Return what is in a data set as text of several lines.

    Parameters
    ----------
    dataset : Dataset
        What to describe.
    width : int, default=30
        Characters of the longest bar.

    Returns
    -------
    str

    Examples
    --------
    >>> from plait.data import Dataset
    >>> print(describe_text(Dataset([[0.0], [1.0]], [[1, 1], [1, 0]], label_names=["sea", "sun"]), width=10))
    data
      rows                    2
      features                1  (1 numeric, dense)
      labels                  2
      ...
    """
    found = statistics(dataset)
    parts = [[dataset.name], _sizes(dataset, found), _imbalance(found, width), _pairs(found, width)]
    return "\n".join(line for part in parts for line in part)


def _sizes(dataset: Dataset, found: Statistics) -> list[str]:
    kinds = Counter(dataset.feature_kinds or ())
    form = "table" if dataset.is_table else "sparse" if sparse.issparse(dataset.X) else "dense"
    rows = [
        ("rows", f"{found.n_samples}", ""),
        ("features", f"{found.n_features}", ", ".join([*(f"{n} {kind}" for kind, n in kinds.most_common()), form])),
        ("labels", f"{found.n_labels}", ""),
        ("labels a row", f"{found.cardinality:.3f}", f"at least {found.min_labels}, at most {found.max_labels}"),
        ("label density", f"{found.density:.4f}", ""),
        ("distinct label sets", f"{found.distinct}", ""),
        ("rows without labels", f"{found.n_without_labels}", ""),
        ("mean imbalance ratio", _number(found.mean_ir), "imbalanced" if found.imbalanced else ""),
        ("its variation (CVIR)", _number(found.cvir), ""),
    ]
    if found.unknown.any():
        worst = int(found.unknown.argmax())
        note = f"most of {shortened(found.label_names[worst])}: {found.unknown[worst]:.1%}"
        rows.append(("labels unknown", f"{found.unknown.mean():.1%}", note))
    lines = [f"  {name:<21}{value:>8}" + (f"  ({note})" if note else "") for name, value, note in rows]
    for title, names in (("labels never on", found.never_on), ("labels always on", found.always_on)):
        if names:
            lines.append(f"  {title:<21}{len(names):>8}  ({_some(names)})")
    return lines


def _imbalance(found: Statistics, width: int) -> list[str]:
    """Return the labels from the most to the least frequent; of many, the two ends."""
    order = sorted(range(found.n_labels), key=lambda j: (-found.positives[j], j))
    half = _MOST_LABELS // 2
    cut = len(order) > _MOST_LABELS
    shown = order[:half] + order[-half:] if cut else order
    counts = [int(found.positives[j]) for j in shown]
    gaps = [f", {found.unknown[j]:.1%} unknown" if found.unknown[j] else "" for j in shown]
    notes = [_ratio(found.imbalance_ratios[j]) + gap for j, gap in zip(shown, gaps, strict=True)]
    lines = _counted([found.label_names[j] for j in shown], counts, notes, width)
    if cut:
        lines.insert(half, f"  ... {len(order) - len(shown)} more ...")
    return ["", "Labels, by rows that have them", *lines]


def _pairs(found: Statistics, width: int) -> list[str]:
    pairs = found.top_pairs(_MOST_PAIRS)
    if not pairs:
        return ["", "No two labels ever occur together."]
    names = [pair_name(pair.first, pair.second) for pair in pairs]
    notes = [f"{pair.n_samples / max(found.n_samples, 1):.1%} of rows" for pair in pairs]
    counts = [pair.n_samples for pair in pairs]
    return ["", "Label pairs, by rows that have both", *_counted(names, counts, notes, width, LONGEST_PAIR)]


def pair_name(first: str, second: str) -> str:
    """Return two labels as one short name, at most `LONGEST_PAIR` long."""
    return f"{shortened(first, 20)} + {shortened(second, 20)}"


def _counted(
    names: Sequence[str], counts: Sequence[int], notes: Sequence[str], width: int, longest: int = LONGEST_NAME
) -> list[str]:
    most = max([*counts, 1])
    return bar_lines(names, [n / most for n in counts], [str(n) for n in counts], notes, width, longest)


def _ratio(value: float) -> str:
    return f"IR {value:.2f}" if isfinite(value) else "never on"


def _number(value: float) -> str:
    return f"{value:.3f}" if isfinite(value) else "-"


def _some(names: Sequence[str], most: int = 5) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(shortened(name) for name in names[:most]) + more
