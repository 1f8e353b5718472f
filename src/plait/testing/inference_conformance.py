"""`InferenceConformance`: what every inference must do, as tests that an author of an inference derives."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from sklearn.base import clone

from plait.core.arrays import Floats
from plait.core.checks import wrong_values
from plait.core.sentences import ParameterError
from plait.inference import Inference, LabelSupport
from plait.joint import LabelDistribution, LinearDistribution, MixtureDistribution, row_seeds
from plait.structure import LabelGraph
from plait.testing.random_models import random_evidence, random_graph, random_linear, random_tables
from plait.testing.random_polytrees import random_polytree

__all__ = ["InferenceConformance"]

_WANTED = ("mode", "marginals", "distribution")
_SIZES = (1, 2, 4, 6)


class InferenceConformance:
    """Tests of an inference. Derive a class and give it inferences.

    The tests take an `inference`: parametrise the class, or write a fixture of that name. Models are made by what its
    class says that it serves: `on_polytrees_only`, `serves_mixtures`, `takes_margins`; answers are judged by what it
    says that it gives: `gives_modes`, `gives_marginals`, and the support's `exact` and `exact_marginals`.

    Examples
    --------
    In a test file, with an inference of one's own:

    >>> import pytest
    >>> from plait.inference import Greedy
    >>> @pytest.mark.parametrize("inference", [Greedy()], ids=repr)
    ... class TestMine(InferenceConformance):
    ...     pass
    """

    def test_shapes_and_types(self, inference: Inference) -> None:
        """Every part of a support has one shape and one type."""
        for made, wanted in product(_models(inference), _WANTED):
            support = _asked(inference, made, wanted)
            n_rows, n_vectors = support.log_weights.shape
            assert n_rows == made.n_rows
            # Marginals may come without label vectors, modes and distributions may not.
            assert n_vectors >= 1 or (wanted == "marginals" and support.marginals is not None)
            assert support.vectors.shape == (n_rows, n_vectors, made.n_labels)
            assert support.vectors.dtype == np.uint8
            assert set(np.unique(support.vectors)) <= {0, 1}
            assert support.log_weights.dtype == np.float64
            assert not np.isnan(support.log_weights).any()
            assert n_vectors == 0 or np.isfinite(support.log_weights).any(axis=1).all()
            assert support.kind in ("modes", "distribution", "sample")
            assert support.method
            assert support.exact.shape == (n_rows,)
            assert support.exact.dtype == np.bool_
            _check_parts(support, made)

    def test_evidence_is_respected(self, inference: Inference) -> None:
        """Known labels keep their values, in vectors and in marginals."""
        for made, wanted in product(_models(inference), _WANTED):
            support = _asked(inference, made, wanted)
            known = np.full((made.n_rows, made.n_labels), -1) if made.evidence is None else made.evidence
            agrees = ((known[:, None] == -1) | (support.vectors == known[:, None])).all(axis=2)
            assert agrees[np.isfinite(support.log_weights)].all()
            estimate = support.marginal_estimate()
            np.testing.assert_allclose(estimate[known >= 0], known[known >= 0], rtol=0, atol=1e-12)

    def test_modes_that_claim_to_be_exact_are(self, inference: Inference) -> None:
        """Weights are log probabilities; where `exact` says so, the vectors are the most probable ones."""
        for made, n_best in product(_models(inference), (1, 3, 200)):
            support = _asked(inference, made, "mode", n_best)
            assert (support.kind != "sample") == inference.gives_modes
            if support.kind == "modes":
                _check_modes(support, made, n_best)

    def test_marginals_are_exact_unless_they_say_otherwise(self, inference: Inference) -> None:
        """Marginals are given where the class promises them; approximate ones are probabilities, and say so."""
        for made, wanted in product(_models(inference), _WANTED):
            support = _asked(inference, made, wanted)
            assert support.marginals is not None or not (inference.gives_marginals and wanted == "marginals")
            if support.marginals is None:
                continue
            assert ((support.marginals >= 0) & (support.marginals <= 1 + 1e-12)).all()
            if support.exact_marginals:
                np.testing.assert_allclose(support.marginals, _truth(made)[1], rtol=1e-9, atol=1e-12)

    def test_the_probability_of_the_evidence(self, inference: Inference) -> None:
        """Where it is given it is that of enumeration, and its logarithm 0 without evidence."""
        for made, wanted in product(_models(inference), _WANTED):
            support = _asked(inference, made, wanted)
            if support.log_evidence is None:
                continue
            if made.evidence is None:
                np.testing.assert_array_equal(support.log_evidence, np.zeros(made.n_rows))
            elif support.exact_marginals:
                error = 0.3 if support.kind == "sample" else 1e-9
                np.testing.assert_allclose(support.log_evidence, _truth(made)[2], rtol=0, atol=error)

    def test_a_distribution_is_that_of_the_model(self, inference: Inference) -> None:
        """All vectors have their probabilities; a sample has the right marginals within five standard errors."""
        for made in _models(inference):
            support = _asked(inference, made, "distribution")
            logs, marginals, _ = _truth(made)
            if support.kind == "distribution":
                np.testing.assert_allclose(support.log_weights, logs, rtol=1e-9, atol=1e-9)
                assert support.exact.all()
            elif support.kind == "sample":
                assert not support.exact.any()
                size: Any = support.log_weights.shape[1] if support.effective_size is None else support.effective_size
                error = 5 * np.sqrt(0.25 / np.broadcast_to(size, (made.n_rows,)))
                assert (np.abs(support.marginal_estimate() - marginals) <= error[:, None]).all()

    def test_the_same_random_state_gives_the_same_bits(self, inference: Inference) -> None:
        """Whatever is asked for."""
        for form, wanted in product(_forms(inference), _WANTED):
            made = _model(inference, 5, 3, form, known=True)
            first, second = (_asked(inference, made, wanted, seed=7) for _ in range(2))
            np.testing.assert_array_equal(first.vectors, second.vectors)
            np.testing.assert_array_equal(first.log_weights, second.log_weights)

    def test_no_rows(self, inference: Inference) -> None:
        """Nothing is asked, and nothing answered."""
        for form, wanted in product(_forms(inference), _WANTED):
            support = _asked(inference, _model(inference, 3, 0, form).take(slice(0, 0)), wanted)
            assert support.n_rows == 0
            assert support.n_labels == 3
            assert wanted == "marginals" or support.mode().shape == (0, 3)
            assert support.marginal_estimate().shape == (0, 3)

    def test_rows_do_not_see_each_other(self, inference: Inference) -> None:
        """The vectors that differ in a sample are padded by the longest row's, so only modes are compared."""
        for form in _forms(inference) if inference.gives_modes else ():
            made, seeds = _model(inference, 5, 8, form, known=True, n_rows=9), row_seeds(0, 9)
            support = _asked(inference, made, "mode", seed=seeds)
            rows = np.array([7, 2, 5])
            part = _asked(inference, made.take(rows), "mode", seed=seeds[rows])
            np.testing.assert_array_equal(part.vectors, support.vectors[rows])
            np.testing.assert_allclose(part.log_weights, support.log_weights[rows], rtol=1e-12)

    def test_an_inference_is_a_small_estimator(self, inference: Inference) -> None:
        """It is cloned, shown and set by its parameters, which all have rules."""
        assert clone(inference).get_params() == inference.get_params()
        assert repr(type(inference)()) == f"{type(inference).__name__}()"
        assert set(inference.get_params()) <= set(type(inference).parameter_rules)

    def test_wrong_parameters_and_wishes_are_named_in_one_sentence(self, inference: Inference) -> None:
        """Whose parameter, what it must be, and what it is."""
        made, owner = _model(inference, 2, 0, "linear"), type(inference).__name__
        for parameter, rules in type(inference).parameter_rules.items():
            for wrong in wrong_values(rules):
                refused = _refusal(clone(inference).set_params(**{parameter: wrong}), made)
                assert refused.startswith(f"{owner} needs {parameter} to be ")
                assert ", but it is" in refused
        assert "needs wanted to be one of mode, marginals, distribution" in _refusal(inference, made, "median")
        for n_best in (0, -1, 1.5, None):
            assert "needs n_best to be an integer of at least 1" in _refusal(inference, made, "mode", n_best)

    def test_margins_are_decided_greedily_or_refused(self, inference: Inference) -> None:
        """Scores that are no log-odds serve decisions only."""
        base, effects = np.array([[30.0, -0.5]]), np.array([[0, 0], [1.0, 0]])
        margins = LinearDistribution(LabelGraph([[], [0]]), base, effects, None, probabilistic=False)
        if inference.takes_margins:
            support = _asked(inference, margins)
            assert support.mode().tolist() == [[1, 1]]
            assert not support.exact.any()
        else:
            assert "decisions only" in _refusal(inference, margins)

    def test_what_is_not_served_is_refused_in_one_sentence(self, inference: Inference) -> None:
        """Other graphs and mixtures, before any work is done; what is served is answered."""
        ring = LinearDistribution(LabelGraph([[], [0], [0, 1]]), np.zeros((1, 3)), np.zeros((3, 3)))
        mixture = MixtureDistribution([0.0], [_model(inference, 3, 0, "linear")])
        for served, made in ((not inference.on_polytrees_only, ring), (inference.serves_mixtures, mixture)):
            if served:
                _asked(inference, made)
            else:
                assert type(inference).__name__ in _refusal(inference, made)


def _forms(inference: Inference) -> tuple[str, ...]:
    return ("linear", "called", "mixture") if inference.serves_mixtures else ("linear", "called")


def _models(inference: Inference) -> Iterator[LabelDistribution]:
    for n_labels, form, known in product(_SIZES, _forms(inference), (False, True)):
        yield _model(inference, n_labels, 10 * n_labels + known, form, known)


def _model(
    inference: Inference, n_labels: int, seed: int, form: str, known: bool = False, n_rows: int = 4
) -> LabelDistribution:
    """Return a random model over graphs that an inference serves: linear scores, tables, or a mixture of both."""
    draws = np.random.default_rng(seed)
    made: LabelDistribution
    if form == "mixture":
        seeds = draws.integers(0, 2**31, 3)
        forms = ("linear", "called", "linear")
        parts = [_model(inference, n_labels, int(k), f, False, n_rows) for f, k in zip(forms, seeds, strict=True)]
        made = MixtureDistribution(np.log([0.5, 0.3, 0.2]), parts)
    else:
        graph = (random_polytree if inference.on_polytrees_only else random_graph)(n_labels, draws)
        made = (random_linear if form == "linear" else random_tables)(graph, n_rows, draws, scale=1.5)
    return made.clamp(random_evidence((n_rows, n_labels), draws)) if known else made


def _truth(made: LabelDistribution) -> tuple[Floats, Floats, Floats]:
    """Return log P of all vectors (-inf against the evidence), marginals and log P(evidence), by enumeration."""
    numbers = np.arange(1 << made.n_labels)[:, None]
    vectors = ((numbers >> np.arange(made.n_labels)[::-1]) & 1).astype(np.uint8)
    logs = made.log_prob(np.broadcast_to(vectors, (made.n_rows, *vectors.shape)))
    p = np.exp(logs)
    return logs, p @ vectors / p.sum(axis=1, keepdims=True), np.log(p.sum(axis=1))


def _asked(
    inference: Inference, made: LabelDistribution, wanted: str = "mode", n_best: int = 1, seed: Any = 0
) -> LabelSupport:
    asked = clone(inference)
    if "width" in asked.get_params():
        asked.set_params(width=max(asked.get_params()["width"], n_best))
    return asked.infer(made, wanted, n_best, random_state=seed)


def _refusal(inference: Inference, made: LabelDistribution, wanted: Any = "mode", n_best: Any = 1) -> str:
    try:
        inference.infer(made, wanted, n_best)
    except ParameterError as error:
        return str(error)
    raise AssertionError(f"{inference!r} took what it should refuse")


def _check_parts(support: LabelSupport, made: LabelDistribution) -> None:
    shapes = {"marginals": (made.n_rows, made.n_labels), "log_evidence": (made.n_rows,)}
    for name, shape in {**shapes, "effective_size": (made.n_rows,)}.items():
        values = getattr(support, name)
        assert values is None or (values.shape == shape and values.dtype == np.float64)
    if support.n_evaluations is not None:
        assert support.n_evaluations.shape == (made.n_rows,)
        assert support.n_evaluations.dtype == np.int64
        assert (support.n_evaluations >= 0).all()


def _check_modes(support: LabelSupport, made: LabelDistribution, n_best: int) -> None:
    logs = _truth(made)[0]
    all_used = np.isfinite(support.log_weights)
    found = np.where(all_used, made.log_prob(np.ascontiguousarray(support.vectors)), -np.inf)
    np.testing.assert_allclose(support.log_weights, found, rtol=1e-9, atol=1e-9)
    for row in np.flatnonzero(support.exact):
        best = np.sort(logs[row][np.isfinite(logs[row])])[::-1][: support.log_weights.shape[1]]
        used = all_used[row]
        np.testing.assert_allclose(support.log_weights[row][used], best[: used.sum()], rtol=1e-9, atol=1e-9)
        assert len({tuple(v) for v in support.vectors[row][used]}) == used.sum(), "a vector is given twice"
        if support.log_weights.shape[1] > 1:
            assert used.sum() == min(n_best, len(best)), "fewer vectors than there are"
