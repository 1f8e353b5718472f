"""Parts that recipes share: what stands for None and for the word "published"."""

from typing import Any

from sklearn.base import clone

from plait.inference import Auto, Greedy
from plait.learners import LinearSVMLearner, LogisticLearner
from plait.learners.learner_words import tuned
from plait.structure import Polytree

__all__ = ["exact", "greedy", "learner_for", "pacc_graph"]

# What the papers trained with, which their plans of `plait reproduce` set too: [PCC] strengths by cross-validation on
# columns as they are, [PACC] lambda = 0.1, [MC] strengths by cross-validation on columns of total variance one, [OCC]
# linear support vector machines.
_PUBLISHED = {
    "PCC": LogisticLearner(C="cv", standardize=False),
    "PACC": LogisticLearner(C=5.0),
    "MC": LogisticLearner(C="cv", standardize="balanced"),
    "OCC": LinearSVMLearner(),
}


def learner_for(learner: Any, paper: str) -> Any:
    """Return the learner: for None the default, for "published" that of the paper, each time a new one."""
    if isinstance(learner, str) and learner == "published":
        return clone(_PUBLISHED[paper])
    return tuned() if learner is None else learner


def exact(inference: Any) -> Any:
    """Return the inference, `Auto()` where none is given."""
    return Auto() if inference is None else inference


def greedy(inference: Any) -> Any:
    """Return the inference, `Greedy()` where none is given."""
    return Greedy() if inference is None else inference


def pacc_graph(*, released: bool) -> Polytree:
    """Return the polytree of [PACC 5.1], or the graph of the authors' program, which is close to a full chain."""
    return Polytree("nmi", earlier=0.0005) if released else Polytree()
