"""Messages in NumPy against the compiled ones, for graphs too large to be enumerated, and against enumeration."""

import numpy as np
import pytest

from plait.core.kernel_policy import using_kernels
from plait.inference import MaxProduct, entropy, exact_marginals, family_marginals, sample_given
from plait.inference.messages import plain_messages
from plait.joint import LinearDistribution, row_seeds
from plait.structure import LabelGraph
from plait.testing import enumerated, random_evidence, random_linear, random_mixture, random_polytree, random_tables

MAKERS = [random_linear, random_tables]


def polytree(make, n_labels, n_rows, seed, known=False, scale=1.5):
    draws = np.random.default_rng(seed)
    model = make(random_polytree(n_labels, draws), n_rows, draws, scale=scale)
    return model.clamp(random_evidence((n_rows, n_labels), draws)) if known else model


def on_both_paths(question):
    answers = []
    for path in ("never", "always"):
        with using_kernels(path):
            answers.append(question())
    return answers


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("n_labels", [1, 2, 9, 40, 150])
def test_modes_and_marginals_are_those_of_the_kernels(make, known, n_labels):
    model = polytree(make, n_labels, 70, n_labels, known)
    plain, compiled = on_both_paths(lambda: MaxProduct().infer(model))
    np.testing.assert_array_equal(plain.vectors, compiled.vectors)
    np.testing.assert_allclose(plain.log_weights, compiled.log_weights, rtol=1e-12)
    np.testing.assert_array_equal(plain.n_evaluations, compiled.n_evaluations)
    plain, compiled = on_both_paths(lambda: exact_marginals(model))
    np.testing.assert_allclose(plain[0], compiled[0], rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(plain[1], compiled[1], rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("n_labels", [1, 3, 30])
def test_families_entropies_and_draws_are_those_of_the_kernels(known, n_labels):
    model = polytree(random_linear, n_labels, 40, n_labels, known)
    for label in range(n_labels):
        np.testing.assert_allclose(*on_both_paths(lambda k=label: family_marginals(model, k)), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(*on_both_paths(lambda: entropy(model)), rtol=1e-9, atol=1e-10)
    seeds = row_seeds(2, 40)
    np.testing.assert_array_equal(*on_both_paths(lambda: sample_given(model, 200, seeds)))


def test_mixtures_draw_the_same_on_both_paths():
    draws = np.random.default_rng(5)
    mixture = random_mixture([random_polytree(7, draws) for _ in range(3)], 30, draws)
    mixture = mixture.clamp(random_evidence((30, 7), draws))
    np.testing.assert_array_equal(*on_both_paths(lambda: sample_given(mixture, 100, row_seeds(0, 30))))


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("known", [False, True])
def test_answers_are_those_of_enumeration(make, known):
    model = polytree(make, 8, 30, 1, known)
    vectors, p = enumerated(model)
    modes, log_prob = plain_messages.modes(model)
    np.testing.assert_array_equal(modes, vectors[p.argmax(axis=1)])
    np.testing.assert_allclose(log_prob, np.log(p.max(axis=1)), rtol=1e-12)
    marginals, log_evidence = plain_messages.marginals_given(model)
    np.testing.assert_allclose(marginals, p @ vectors / p.sum(axis=1, keepdims=True), rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(log_evidence, np.log(p.sum(axis=1)), rtol=0, atol=1e-12)
    if not known:
        np.testing.assert_allclose(plain_messages.marginals(model), p @ vectors, rtol=1e-11)


@pytest.mark.parametrize("known", [False, True])
def test_rows_have_the_same_bits_alone_and_together(known):
    model = polytree(random_linear, 12, 33, 4, known, scale=3.0)
    answers = [plain_messages.modes, plain_messages.marginals_given]
    answers += [] if known else [lambda part: (plain_messages.marginals(part),)]
    for answer in answers:
        whole = answer(model)
        for size in (1, 2, 5):
            blocks = [answer(model.take(slice(at, at + size))) for at in range(0, 33, size)]
            for place, part in enumerate(whole):
                np.testing.assert_array_equal(np.concatenate([block[place] for block in blocks]), part)


def test_a_hub_of_hundreds_of_children_neither_vanishes_nor_overflows():
    n_labels = 400
    graph = LabelGraph([[], *([0] for _ in range(n_labels - 1))])
    coef = np.zeros((n_labels, n_labels))
    coef[1:, 0] = 26.0
    model = LinearDistribution(graph, np.full((2, n_labels), -13.0), coef)
    evidence = np.full((2, n_labels), -1, dtype=np.int8)
    evidence[0, 1:], evidence[1, 1:200] = 1, 1
    evidence[1, 200:] = 0
    for marginals, log_evidence in on_both_paths(lambda: exact_marginals(model.clamp(evidence))):
        # All children are there; or 199 of them against 200 that are not.
        np.testing.assert_allclose(marginals[:, 0], [1.0, 0.0], atol=1e-9)
        assert np.isfinite(log_evidence).all()
    plain, compiled = on_both_paths(lambda: exact_marginals(model.clamp(evidence))[1])
    np.testing.assert_allclose(plain, compiled, rtol=1e-9)


def test_independent_labels_of_any_number_need_no_messages():
    draws = np.random.default_rng(0)
    for make in MAKERS:
        model = make(LabelGraph([[] for _ in range(500)]), 20, draws, scale=2.0)
        scores = np.concatenate([model.table(k) for k in range(500)], axis=1)
        support = MaxProduct().infer(model)
        np.testing.assert_array_equal(support.mode(), scores > 0)
        np.testing.assert_allclose(support.log_weights[:, 0], model.log_prob(support.mode()), rtol=1e-12)
        np.testing.assert_allclose(exact_marginals(model)[0], 1 / (1 + np.exp(-scores)), rtol=1e-13)


@pytest.mark.parametrize("n_rows", [0, 1])
def test_few_rows(n_rows):
    model = polytree(random_linear, 6, n_rows, 0)
    assert plain_messages.modes(model)[0].shape == (n_rows, 6)
    assert plain_messages.marginals(model).shape == (n_rows, 6)
    assert plain_messages.marginals_given(model)[0].shape == (n_rows, 6)
    beliefs = plain_messages.family_beliefs(model)[0]
    assert [belief.shape for belief in beliefs] == [(n_rows, 1 << len(p), 2) for p in model.graph.parents]
    assert plain_messages.draws_given(model, np.full((n_rows, 3, 6), 0.5)).shape == (n_rows, 3, 6)
