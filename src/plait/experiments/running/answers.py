"""What a fitted model answers for the rows of a test part, and the measures taken of it."""

import hashlib
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.pipeline import Pipeline

from plait.experiments.planning.measures import JOINT_MEASURES, LABEL_MEASURES, SCORE_MEASURES
from plait.metrics.scoring import label_probabilities, label_scores, log_likelihoods

__all__ = ["Answers", "ask", "inner_model", "labels_digest", "measured"]

_OWNER = "plait bench"


@dataclass(frozen=True, eq=False)
class Answers:
    """What a model says about test rows; None where it was not asked or cannot say.

    Parameters
    ----------
    labels : ndarray of uint8, shape (n_rows, n_labels)
        Predicted labels.
    scores : ndarray of float, shape (n_rows, n_labels), optional
        Marginals, vote shares, or values of the decision function.
    are_probabilities : bool
        Whether the scores are from `predict_proba`.
    joint : ndarray of float, optional
        log P(y | x) of the true labels, one for each row; or marginals, whose product it then is.
    seconds : dict of str to float
        Wall time of each answer.
    """

    labels: npt.NDArray[np.uint8]
    scores: Any = None
    are_probabilities: bool = False
    joint: Any = None
    seconds: dict[str, float] = field(default_factory=dict)


def ask(model: Any, X: Any, Y: Any, wanted: Iterable[str]) -> Answers:
    """Ask a fitted model for what is wanted: "labels" always, "scores" and "joint" where it has them."""
    wanted = set(wanted)
    seconds: dict[str, float] = {}
    start = time.perf_counter()
    labels = _label_rows(model.predict(X), Y.shape)
    seconds["labels"] = time.perf_counter() - start
    has_marginals, has_joint = hasattr(model, "predict_proba"), hasattr(inner_model(model), "joint")
    scores = joint = None
    if "scores" in wanted and (has_marginals or hasattr(model, "decision_function")):
        start = time.perf_counter()
        scores = label_scores(_OWNER, model, X, Y)
        seconds["scores"] = time.perf_counter() - start
    if "joint" in wanted and (has_joint or has_marginals):
        start = time.perf_counter()
        if has_joint:
            joint = log_likelihoods(_OWNER, model, X, Y)
        else:
            joint = label_probabilities(_OWNER, model, X, Y) if scores is None else scores
        seconds["joint"] = time.perf_counter() - start
    return Answers(labels, scores, has_marginals, joint, seconds)


def inner_model(model: Any) -> Any:
    """Return the model at the end of a pipeline."""
    while isinstance(model, Pipeline):
        model = model.steps[-1][1]
    return model


def measured(answers: Answers, Y: Any) -> dict[str, float]:
    """Return measure -> value, for all that the answers allow."""
    values = {name: float(measure(Y, answers.labels)) for name, measure in LABEL_MEASURES.items()}
    if answers.scores is not None:
        values |= {name: float(measure(Y, answers.scores)) for name, measure in SCORE_MEASURES.items()}
    if answers.joint is not None:
        values |= {name: float(measure(Y, answers.joint)) for name, measure in JOINT_MEASURES.items()}
    return values


def _label_rows(predicted: Any, shape: tuple[int, int]) -> npt.NDArray[np.uint8]:
    """Return predictions as a table of 0 and 1, whatever form the model gives them."""
    table = predicted.toarray() if sparse.issparse(predicted) else np.asarray(predicted)
    table = table.reshape(shape[0], -1)
    if table.shape != shape or not np.isin(table, (0, 1)).all():
        raise ValueError(f"predict gave no table of 0 and 1 of shape {shape}, but one of shape {table.shape}")
    return table.astype(np.uint8)


def labels_digest(labels: npt.NDArray[np.uint8]) -> str:
    """Return the SHA-256 of predicted labels and their shape."""
    return hashlib.sha256(repr(labels.shape).encode() + np.ascontiguousarray(labels).tobytes()).hexdigest()
