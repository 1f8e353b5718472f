"""`plait select DATA --method NAME`: the features that a selector chooses, as text, JSON, and a file of 0 and 1."""

import inspect
import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait import features
from plait.commands.feature_files import write_mask
from plait.commands.sources import Source
from plait.core.naming import registry
from plait.core.sentences import ParameterError, complaint
from plait.data import Dataset
from plait.data.encoded_tables import encoded_parts
from plait.features import FeatureMask, GivenFeatures, Selector
from plait.pictures.tables import Entry, Heading, Table, as_text
from plait.pictures.text_bars import bar_lines, shortened

__all__ = [
    "Selection",
    "choose_features",
    "select_features",
    "selection_dict",
    "selection_text",
    "selector_names",
]

_BAR = 20
_LONGEST_TITLE = 60
_FEATURES_SHOWN = 3
_FEATURE_ENDS = (9, 14)


def choose_features(
    data: str,
    *,
    method: str,
    n_features: Any = None,
    label_specific: bool = False,
    as_json: bool = False,
    out: str | None = None,
    **columns: Any,
) -> None:
    """Print the features that a selector chooses, and write them as labels x features of 0 and 1 if asked to.

    Parameters
    ----------
    data : str
        A file, or the name of a data set.
    method : str
        Registered name of a selector.
    n_features : int, float or "sqrt", optional
        How many; by default what the method does by itself.
    label_specific : bool, default=False
        Choose for each label by itself.
    as_json : bool, default=False
        Print JSON instead of a table.
    out : str, optional
        The CSV file to write.
    **columns
        What is said of labels and columns, as `Source` takes it.

    Examples
    --------
    >>> from plait.data import save_dataset
    >>> photos = Dataset([[0, 1], [0, 0], [1, 1], [1, 0]], [[0], [0], [1], [1]], ["blue", "bright"], ["sea"])
    >>> save_dataset(photos, "photos.csv")
    >>> choose_features("photos.csv", method="mim", n_features=1, labels=["sea"])
    photos: 1 of 2 features for all labels, by mim
    <BLANKLINE>
      1. blue  1.0000  ████████████████████
    """
    source = Source(data, **columns)
    dataset = source.load()
    source.tell_gaps(dataset)
    (dataset,) = encoded_parts(dataset, **(source.options(None) if dataset.is_table else {}))
    selection = select_features(dataset, method, n_features, label_specific=label_specific)
    if out:
        write_mask(out, selection.mask.support, _names(dataset.label_names), _names(dataset.feature_names))
    print(json.dumps(selection_dict(selection), indent=2) if as_json else selection_text(selection))


@dataclass(frozen=True, eq=False)
class Selection:
    """Which features of a data set a method chose.

    Parameters
    ----------
    dataset : Dataset
        From which they were chosen.
    method : str
        The registered name of the selector.
    mask : FeatureMask
        What it chose.

    Examples
    --------
    >>> data = Dataset([[0, 1], [0, 0], [1, 1], [1, 0]], [[0], [0], [1], [1]], ["blue", "bright"], ["sea"])
    >>> found = select_features(data, "mim", 1)
    >>> found.method, found.mask.support.tolist()
    ('mim', [[True, False]])
    """

    dataset: Dataset
    method: str
    mask: FeatureMask


def selector_names() -> list[str]:
    """Return the names of all selectors, sorted.

    Examples
    --------
    >>> "scls" in selector_names()
    True
    """
    return sorted(_selectors())


def _selectors() -> dict[str, type]:
    known = registry(features, Selector)
    return {name: kind for name, kind in known.items() if not inspect.isabstract(kind) and kind is not GivenFeatures}


def select_features(
    dataset: Dataset, method: str, n_features: Any = None, *, label_specific: bool = False
) -> Selection:
    """Choose features by a method with its default parameters.

    Parameters
    ----------
    dataset : Dataset
        Nominal features are taken as such where the method can.
    method : str
        Registered name of a selector; capitals and hyphens do not matter.
    n_features : int, float or "sqrt", optional
        How many; by default what the method does by itself.
    label_specific : bool, default=False
        Choose for each label by itself, where the method can do both; an error where it cannot.

    Returns
    -------
    Selection

    Examples
    --------
    >>> data = Dataset([[0.0, 1.0], [0.0, 0.0], [1.0, 1.0], [1.0, 0.0]], [[0], [0], [1], [1]])
    >>> select_features(data, "mlig", 1).mask.rankings
    (array([0]),)
    """
    known = _selectors()
    name = method.lower().replace("-", "_")
    if name not in known:
        words = ", ".join(sorted(known))
        raise ParameterError(complaint("plait select", "--method", f"one of {words}", method, "Pass one of these."))
    selector = known[name]()
    selector.set_params(**_asked(name, selector, n_features, label_specific))
    _take_kinds(selector, dataset)
    try:
        return Selection(dataset, name, selector.select(dataset.X, dataset.Y))
    except ParameterError:
        raise
    except ValueError as problem:  # scikit-learn's complaints about data, of which the first line says all
        raise ParameterError(f"{name} cannot choose from {dataset.name}: {str(problem).splitlines()[0]}") from None


def _asked(name: str, selector: Any, n_features: Any, label_specific: bool) -> dict[str, Any]:
    known, asked = selector.get_params(deep=False), {}
    if n_features is not None:
        if "n_features" not in known:
            must = f"left out for {name}, which finds its own sizes"
            raise ParameterError(complaint("plait select", "-n", must, n_features, "Leave it out."))
        asked["n_features"] = n_features
    if label_specific and not selector.label_specific:
        if "scope" not in known:
            able = ", ".join(sorted(word for word, kind in _selectors().items() if _can_choose_by_label(kind)))
            raise ParameterError(
                f"plait select needs a method that chooses by label for --label-specific, but {name} chooses for all "
                f"labels together. Leave it out, or pass one of {able}."
            )
        asked["scope"] = "label"
    return asked


def _can_choose_by_label(kind: Any) -> bool:
    return bool(kind.label_specific or "scope" in kind().get_params(deep=False))


def _take_kinds(selector: Any, dataset: Dataset) -> None:
    """Tell the selector, or its discretiser, which features are nominal."""
    nominal = np.flatnonzero(np.array(dataset.feature_kinds) == "nominal").tolist()
    if nominal and "nominal" in selector.get_params(deep=False):
        selector.set_params(nominal=nominal)
    if nominal and selector.discretizes:
        discretizer = selector._default_discretizer()
        selector.set_params(discretizer=discretizer.set_params(nominal=nominal))


def selection_text(selection: Selection) -> str:
    """Return the chosen features as a table: in their order, or for each label the first few of them.

    Examples
    --------
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
    features, rows = _names(selection.dataset.feature_names), []
    parts = zip(_names(selection.dataset.label_names), selection.mask.rankings, selection.mask.scores, strict=True)
    for label, ranking, scores in parts:
        pairs = list(zip(ranking.tolist(), scores.tolist(), strict=True))
        words = [f"{_both_ends(features[m])} {score:.3f}" for m, score in pairs[:_FEATURES_SHOWN]]
        more = ", ..." if len(pairs) > _FEATURES_SHOWN else ""
        rows.append((Entry(shortened(label)), Entry(float(len(pairs))), Entry(", ".join(words) + more)))
    columns = (Heading("label", is_text=True), Heading("features", 0), Heading("best first", is_text=True, longest=200))
    return [as_text(Table("labels", "", columns, tuple(rows)), width=2**16, indent="  ")]


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
