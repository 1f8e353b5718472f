"""What `Posterior` puts together: evidence as one matrix, and answers for one block of rows with their support."""

import numbers
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.utils import check_array

from plait.core.arrays import Bits, Floats, Labels
from plait.core.label_numbering import label_number
from plait.core.labels import label_rows
from plait.core.logspace import log_sigmoid
from plait.core.sentences import ParameterError, shown
from plait.core.unknown_labels import given_again, is_gap
from plait.inference import Auto, Inference, LabelSupport, MonteCarlo, SumProduct, entropy
from plait.joint import GraphDistribution, LabelDistribution, MixtureDistribution
from plait.losses import Loss

__all__ = [
    "added_evidence",
    "as_evidence",
    "checked_answer",
    "conditional_factors",
    "decision_support",
    "entropies",
    "has_messages",
    "likely_sets",
    "known_log_prob",
    "log_evidence",
    "marginals",
    "row_blocks",
    "row_bytes",
    "whole_support",
    "wrong_probabilities",
]


def _evidence_matrix(evidence: Any) -> Floats:
    """Return a matrix of evidence as numbers; what is masked is unknown, what a sparse matrix does not store is 0."""
    if sparse.issparse(evidence):
        return np.asarray(evidence.toarray(), dtype=np.float64)
    if isinstance(evidence, np.ma.MaskedArray):
        return np.asarray(np.ma.filled(evidence.astype(np.float64), np.nan))
    try:
        values = np.array(evidence)
        if values.dtype == object:
            gaps = np.array([is_gap(value) for value in values.flat], dtype=np.bool_).reshape(values.shape)
            values = np.where(gaps, np.nan, values)
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            "given needs evidence to be a mapping or an array of 0, 1 and NaN, but its values are no numbers. Pass one "
            "row for each row of X, with NaN where a label is unknown."
        ) from error


def as_evidence(evidence: Any, names: Sequence[str], n_rows: int) -> npt.NDArray[np.int8]:
    """Return evidence as `int8` (n_rows, n_labels), -1 where unknown.

    Parameters
    ----------
    evidence : mapping, list of mappings, frame, or array of shape (n_rows, n_labels)
        Label name or number -> 0, 1, or a value for each row; or one such mapping for each row; or a frame whose
        columns are some of the labels; or a matrix. None, NaN (or -1) where a label is unknown.
    names : sequence of str
        Names of the labels.
    n_rows : int
        Number of rows.
    """
    known = np.full((n_rows, len(names)), np.nan)
    if isinstance(evidence, Mapping) or hasattr(evidence, "columns"):
        for label in evidence if isinstance(evidence, Mapping) else evidence.columns:
            known[:, label_number("given", "evidence", label, len(names), names)] = _column(
                label, evidence[label], n_rows
            )
    elif isinstance(evidence, list | tuple) and any(isinstance(row, Mapping) for row in evidence):
        for row, of_row in enumerate(_row_mappings(evidence, n_rows)):
            for label, value in of_row.items():
                known[row, label_number("given", "evidence", label, len(names), names)] = _truth(label, value)
    else:
        known = _evidence_matrix(evidence)
        if known.shape != (n_rows, len(names)):
            raise ParameterError(
                f"given needs evidence to be a mapping or an array of shape ({n_rows}, {len(names)}), but its shape is "
                f"{known.shape}. Pass one row for each row of X, with NaN where a label is unknown."
            )
    known[known == -1] = np.nan
    wrong = known[~np.isnan(known) & (known != 0) & (known != 1)]
    if wrong.size:
        raise ParameterError(
            f"given needs evidence to hold 0, 1 or NaN (unknown), but it holds {wrong[0]:g}. Pass 0 or 1 where a label "
            "is known."
        )
    return np.where(np.isnan(known), -1, known).astype(np.int8)


def added_evidence(
    before: npt.NDArray[np.int8] | None, known: npt.NDArray[np.int8], names: Sequence[str]
) -> npt.NDArray[np.int8]:
    """Return what is known in all; what was known before must not be contradicted."""
    if before is None:
        return known
    clash = (known >= 0) & (before >= 0) & (known != before)
    if clash.any():
        row, label = np.argwhere(clash)[0]
        raise ParameterError(
            f"given needs evidence that agrees with what is known, but {names[label]!r} is known as "
            f"{before[row, label]} in row {row} and now as {known[row, label]}. Start from joint(X)."
        )
    return np.where(known >= 0, known, before).astype(np.int8)


def _row_mappings(evidence: Sequence[Any], n_rows: int) -> Sequence[Mapping[Any, Any]]:
    strange = next((row for row, each in enumerate(evidence) if not isinstance(each, Mapping)), None)
    if strange is not None or len(evidence) != n_rows:
        found = f"it has {len(evidence)}" if strange is None else f"row {strange} is {shown(evidence[strange])}"
        raise ParameterError(
            f"given needs a list of evidence to have {n_rows} mappings, one for each row, but {found}. "
            "Pass {} where nothing is known."
        )
    return evidence


def _column(label: Any, value: Any, n_rows: int) -> Any:
    given: npt.NDArray[Any] = np.asarray(value)
    if given.ndim > 1 or (given.ndim == 1 and len(given) != n_rows):
        raise ParameterError(
            f"given needs the value of {shown(label)} to be one number or {n_rows} numbers, but its shape is "
            f"{given.shape}. Pass one value for all rows or one for each."
        )
    values = [_truth(label, each) for each in given.ravel().tolist()]
    return values if given.ndim else values[0]


def _truth(label: Any, value: Any) -> float:
    if value is None or type(value).__name__ == "NAType":
        return np.nan
    if not isinstance(value, numbers.Real | np.bool_):
        raise ParameterError(
            f"given needs the value of {shown(label)} to be 0, 1 or NaN (unknown), but it is {shown(value)}. "
            "Pass 0 or 1 where the label is known."
        )
    return float(value)


def checked_answer(loss: Loss, Y_pred: Any, n_rows: int, names: Sequence[str]) -> npt.NDArray[Any]:
    """Return an answer that a loss can judge: label sets, or finite scores where the loss ranks."""
    if loss.answer == "labels":
        return label_rows("expected_loss", Y_pred, n_rows, names)
    scores = check_array(Y_pred, input_name="Y_pred", dtype=np.float64)
    if scores.shape != (n_rows, len(names)):
        raise ParameterError(
            f"expected_loss needs Y_pred to have shape {(n_rows, len(names))}, but it has {scores.shape}. "
            "Pass a score for each label."
        )
    return np.asarray(scores)


def whole_support(inference: Inference, distribution: LabelDistribution, seeds: Bits) -> LabelSupport:
    """Return vectors that stand for all of P(y | x): by `inference` where it has them, else by `Auto`."""
    support = inference.infer(distribution, "distribution", 1, seeds)
    return Auto().infer(distribution, "distribution", 1, seeds) if support.kind == "modes" else support


def decision_support(inference: Inference, distribution: LabelDistribution, loss: Loss, seeds: Bits) -> LabelSupport:
    """Return what a loss decides from: by `inference` where it has it, else by `Auto`.

    One vector of a greedy walk or a search is an answer to the question for the mode, and to no other.
    """
    support = inference.infer(distribution, loss.wanted, 1, seeds)
    is_mode_only = support.kind == "modes" and support.marginals is None and support.vectors.shape[1] == 1
    if loss.wanted == "mode" or distribution.n_labels == 1 or not is_mode_only:
        return support
    if isinstance(distribution, GraphDistribution) and not distribution.probabilistic:
        if loss.wanted == "marginals" and not any(distribution.graph.parents):
            # Without parents the signs of the margins are the best labels one by one.
            return support
        raise ParameterError(
            f"{type(loss).__name__} needs probabilities to decide by, but this model has margins only. "
            'Decide for "subset", or fit with a probabilistic learner such as LogisticLearner().'
        )
    return Auto().infer(distribution, loss.wanted, 1, seeds)


def marginals(inference: Inference, distribution: LabelDistribution, seeds: Bits) -> tuple[Floats, LabelSupport]:
    """Return P(y_k = 1 | x); never those of a search, which knows the likeliest sets only."""
    support = inference.infer(distribution, "marginals", 1, seeds)
    if support.marginals is None and support.kind == "modes":
        support = Auto().infer(distribution, "marginals", 1, seeds)
    return support.marginal_estimate(), support


def known_log_prob(posterior: Any, Y: npt.NDArray[np.int8]) -> Floats:
    """Return log P(labels that are not -1 | x, evidence) of every row, the others summed out."""
    known, before = Y >= 0, posterior.evidence
    clash = np.zeros(Y.shape, np.bool_) if before is None else known & (before >= 0) & (before != Y)
    found, exact = np.full(len(Y), -np.inf), np.ones(len(Y), dtype=np.bool_)
    whole, partly = (np.flatnonzero(rows & ~clash.any(axis=1)) for rows in (known.all(axis=1), ~known.all(axis=1)))
    found[whole] = posterior[whole].log_prob(Y[whole].view(np.uint8))
    if len(partly):
        asked = posterior[partly].given(given_again(Y[partly]))
        found[partly] = asked._log_evidence() - (0.0 if before is None else posterior[partly]._log_evidence())
        exact[partly] = asked.exact
        posterior.method = asked.method
    posterior.exact = exact
    return found


def log_evidence(inference: Inference, distribution: LabelDistribution, seeds: Bits) -> tuple[Floats, LabelSupport]:
    """Return log P(known labels | x)."""
    support = _with_evidence(inference, distribution, seeds)
    if support.log_evidence is None:
        support = _with_evidence(Auto(), distribution, seeds)
    assert support.log_evidence is not None  # every inference that Auto picks for marginals reports it
    return support.log_evidence, support


def _with_evidence(inference: Inference, distribution: LabelDistribution, seeds: Bits) -> LabelSupport:
    """Return what knows log P(known labels | x): of draws these themselves, no marginals, which cost far more."""
    chosen = inference.choose(distribution, "marginals") if isinstance(inference, Auto) else inference
    wanted = "distribution" if isinstance(chosen, MonteCarlo) else "marginals"
    return chosen.infer(distribution, wanted, 1, seeds)


def likely_sets(
    inference: Inference, distribution: LabelDistribution, k: int, seeds: Bits
) -> tuple[tuple[Labels, Floats], LabelSupport]:
    """Return the k likeliest label sets, (n_rows, k, n_labels), and their log P(y | x), (n_rows, k)."""
    support = inference.infer(distribution, "mode", k, seeds)
    if support.vectors.shape[1] < min(k, 2**distribution.n_labels):
        support = Auto().infer(distribution, "mode", k, seeds)
    if support.kind == "sample":
        support = support.merged()
    found = min(k, support.vectors.shape[1])
    vectors = np.zeros((distribution.n_rows, k, distribution.n_labels), dtype=np.uint8)
    vectors[:, :found] = support.vectors[:, :found]
    log_probs = np.full((distribution.n_rows, k), -np.inf)
    used = np.isfinite(support.log_weights[:, :found])
    log_prob = distribution.log_prob(np.ascontiguousarray(support.vectors[:, :found]))
    log_probs[:, :found] = np.where(used, log_prob, -np.inf)
    return (vectors, log_probs), support


def conditional_factors(distribution: LabelDistribution, vectors: Labels) -> Floats:
    """Return P(y_k = 1 | x, parents of k as in the vectors), or say why there is no such thing."""
    if not isinstance(distribution, GraphDistribution):
        mixed = isinstance(distribution, MixtureDistribution)
        kind = "a mixture. Ask its components" if mixed else "an undirected field. Ask log_prob"
        raise ParameterError(f"factors needs a model with one label graph, but this one is {kind}.")
    return distribution.factors(vectors)


def wrong_probabilities(distribution: LabelDistribution, vectors: Labels) -> Floats:
    """Return P(y_k differs | x, the other labels as recorded): from the odds of the vector and its flipped copy."""
    wrong = np.exp(log_sigmoid(distribution.flip_log_ratios(vectors)))
    # What is known cannot be wrong.
    return wrong if distribution.evidence is None else np.where(distribution.evidence >= 0, 0.0, wrong)


def entropies(distribution: LabelDistribution, seeds: Bits) -> tuple[Floats, LabelSupport | None]:
    """Return the entropy of P(y | x) in nats: exact on polytrees and for few labels, else from a sample."""
    if isinstance(distribution, GraphDistribution) and has_messages(distribution):
        return entropy(distribution), None
    support = Auto().infer(distribution, "distribution", 1, seeds)
    weights = support.weights()
    if support.kind == "distribution":
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = np.where(weights > 0, weights * np.log(weights), 0.0)
        return -terms.sum(axis=1), support
    log_prob = distribution.log_prob(np.ascontiguousarray(support.vectors))
    log_prob = np.where(weights > 0, log_prob, 0.0)
    known = 0.0 if support.log_evidence is None else support.log_evidence
    return known - (weights * log_prob).sum(axis=1), support


def has_messages(distribution: LabelDistribution) -> bool:
    """Say whether sums along the graph are exact and cheap, as `Auto` does."""
    return isinstance(Auto().choose(distribution, "marginals"), SumProduct)


# What one block may take for the vectors of a sample or an enumeration.
MOST_BYTES = 64 * 2**20


def row_blocks(n_rows: int, bytes_a_row: int, most_bytes: int = MOST_BYTES) -> Iterator[slice]:
    """Yield slices that cover all rows, each of at most `most_bytes` (but at least one row).

    The slices depend on sizes only, never on the number of workers, so that draws do not either.

    Examples
    --------
    >>> list(row_blocks(5, 10, most_bytes=20))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    >>> list(row_blocks(0, 10))
    []
    """
    step = max(1, most_bytes // max(1, bytes_a_row))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


def row_bytes(inference: Inference, distribution: LabelDistribution, wanted: str | None, n_vectors: int = 1) -> int:
    """Return what a row may take: what the inference makes of it for an answer, and the label vectors that it keeps.

    `wanted` is None where labels are scored and nothing is inferred. What an inference cannot answer, `Auto` does.
    """
    kept = 16 * n_vectors * distribution.n_labels
    if wanted is None:
        return Inference.row_bytes(inference, distribution, "mode") + kept
    ways = [inference] if wanted == "mode" else [inference, Auto()]
    return max(way.row_bytes(distribution, wanted) for way in ways) + kept
