"""Choose the features of a data set by the name of a method."""

import inspect
from dataclasses import dataclass
from typing import Any

import numpy as np

from plait import features
from plait.core.naming import registry
from plait.core.sentences import ParameterError, complaint
from plait.data import Dataset
from plait.features import FeatureMask, InformationSelector, Selector

__all__ = ["Selection", "select_features", "selector_names"]


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
    return {name: kind for name, kind in known.items() if not inspect.isabstract(kind)}


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
    if label_specific and not selector.chooses_by_label:
        if "scope" not in known:
            able = ", ".join(sorted(word for word, kind in _selectors().items() if _can_choose_by_label(kind)))
            raise ParameterError(
                f"plait select needs a method that chooses by label for --label-specific, but {name} chooses for all "
                f"labels together. Leave it out, or pass one of {able}."
            )
        asked["scope"] = "label"
    return asked


def _can_choose_by_label(kind: Any) -> bool:
    return bool(kind.chooses_by_label or "scope" in kind().get_params(deep=False))


def _take_kinds(selector: Any, dataset: Dataset) -> None:
    """Tell the selector, or its discretiser, which features are nominal."""
    nominal = np.flatnonzero(np.array(dataset.feature_kinds) == "nominal").tolist()
    if nominal and "nominal" in selector.get_params(deep=False):
        selector.set_params(nominal=nominal)
    if nominal and isinstance(selector, InformationSelector):
        discretizer = selector._default_discretizer()
        selector.set_params(discretizer=discretizer.set_params(nominal=nominal))
