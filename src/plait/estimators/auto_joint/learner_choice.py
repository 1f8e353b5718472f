"""Which base learners serve a problem: words as objects, and the rules by which costly ones are left out."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from plait.core.sentences import ParameterError, complaint
from plait.estimators.auto_joint.base_scores import BaseScores
from plait.estimators.auto_joint.classifier_scores import BOOSTED, ClassifierScores, boosted, named_classifier
from plait.estimators.auto_joint.forest_scores import ForestScores
from plait.estimators.auto_joint.kernel_scores import KernelScores
from plait.estimators.auto_joint.lasso_scores import LassoScores
from plait.estimators.auto_joint.logistic_scores import LogisticScores
from plait.estimators.auto_joint.neighbour_scores import NeighbourScores
from plait.estimators.auto_joint.text_scores import TextScores

__all__ = ["FEW_ROWS", "chosen_learners", "numbered_names"]

# Below this, rows held out are too few to weigh learners by.
FEW_ROWS = 60
_BOOSTED_LABELS = 20
# Numbers of X, times labels, up to which boosted trees are affordable.
_BOOSTED_WORK = 1e8
# Numbers other than 0 in sparse X, times labels, up to which the lasso is.
_LASSO_WORK = 1e6
_TREES = {"fast": 50, "default": 100, "thorough": 300}

_WORDS: dict[str, type[BaseScores]] = {
    "logistic": LogisticScores,
    "forest": ForestScores,
    "neighbours": NeighbourScores,
    "kernel": KernelScores,
    "text": TextScores,
    "lasso": LassoScores,
}


def chosen_learners(owner: str, learners: Any, effort: str, X: Any, Y: Any) -> tuple[list[BaseScores], list[str]]:
    """Return the base learners, not fitted, and notes about rules that applied.

    Parameters
    ----------
    owner : str
        Whose parameter, for errors.
    learners : list of str, BaseScores or classifiers, or None
        What the user wants; None is what the effort and the problem say.
    effort : {"fast", "default", "thorough"}
        How much may be spent.
    X, Y : arrays
        The problem.
    """
    if learners is not None and not len(learners):
        raise ParameterError(complaint(owner, "learners", "a list with at least one base learner", learners))
    words, notes = (list(learners), []) if learners is not None else _by_rule(effort, X, Y)
    found = [_as_scores(owner, each, effort) for each in words]
    n_rows = X.shape[0]
    notes += [
        f"{each.name}: learns from {each.max_samples} rows {'a tree' if each.name == 'forest' else 'at random'}."
        for each in found
        if n_rows > getattr(each, "max_samples", n_rows)
    ]
    return found, notes


def numbered_names(learners: list[BaseScores]) -> list[str]:
    """Return the names of base learners, numbered from the second of a name on."""
    names = [each.name for each in learners]
    numbers = [names[:place].count(name) + 1 for place, name in enumerate(names)]
    return [name if number == 1 else f"{name} {number}" for name, number in zip(names, numbers, strict=True)]


def _as_scores(owner: str, value: Any, effort: str) -> BaseScores:
    if isinstance(value, BaseScores):
        return clone(value)
    if not isinstance(value, str):
        return ClassifierScores(clone(value), type(value).__name__)
    if value in BOOSTED:
        return boosted(value)
    if value == "forest":
        return ForestScores(_TREES[effort])
    return _WORDS[value]() if value in _WORDS else named_classifier(owner, value, [*_WORDS, *BOOSTED])


def _by_rule(effort: str, X: Any, Y: Any) -> tuple[list[str], list[str]]:
    n_rows, n_labels = Y.shape
    if effort == "fast":
        return ["logistic"], []
    if n_rows < FEW_ROWS:
        return ["logistic", "forest"], []
    words, notes = ["logistic", "forest", "neighbours"], []
    words.append("text" if sparse.issparse(X) else "kernel")
    if sparse.issparse(X) and X.shape[1] > n_rows:
        work = float(X.nnz) * n_labels
        if work <= _LASSO_WORK:
            words.append("lasso")
        else:
            notes.append(
                f"lasso: left out, as it serves up to {_LASSO_WORK:.0e} numbers of X other than 0 times labels, and "
                f"here these are {work:.0e}."
            )
    if effort == "thorough":
        work = float(np.prod(X.shape, dtype=np.float64)) * n_labels
        if n_labels <= _BOOSTED_LABELS and work <= _BOOSTED_WORK:
            words.append("boosting")
        else:
            notes.append(
                f"boosting: left out, as it serves up to {_BOOSTED_LABELS} labels and {_BOOSTED_WORK:.0e} numbers of X "
                f"times labels, and here these are {n_labels} and {work:.0e}."
            )
    return words, notes
