"""The base class decides by brute force: against plain loops, and as the oracle of every loss's own decision."""

from itertools import product

import numpy as np
import pytest
from sklearn.base import clone

import plait.losses
from plait.core.naming import registry, resolve
from plait.core.sentences import ParameterError
from plait.inference import LabelSupport
from plait.inference.search.label_tables import all_label_vectors
from plait.losses import F1, Hamming, Jaccard, Loss, Rank, Subset
from plait.losses.loss import TIE, LeastRisk, pair_blocks, search_candidates
from plait.testing import LossConformance

EVERY_LOSS = [
    *(kind(0.3) if kind.needs_thresholds else kind() for kind in registry(plait.losses, Loss).values()),
    Rank(normalized=False),
]
LABEL_LOSSES = [loss for loss in EVERY_LOSS if loss.answer == "labels"]


def by_name(loss):
    return repr(loss)


def distribution(n_rows, n_labels, seed, sharpness=1.0):
    """Return every label vector with random weights; sharper ones have fewer heavy vectors."""
    rng = np.random.default_rng(seed)
    logs = rng.normal(size=(n_rows, 2**n_labels)) * sharpness
    vectors = np.broadcast_to(all_label_vectors(n_labels), (n_rows, 2**n_labels, n_labels))
    return LabelSupport(vectors, logs, "distribution", "random", np.ones(n_rows, bool))


def sample(n_rows, n_vectors, n_labels, seed, share=0.5):
    rng = np.random.default_rng(seed)
    vectors = (rng.random((n_rows, n_vectors, n_labels)) < share).astype(np.uint8)
    return LabelSupport(vectors, rng.normal(size=(n_rows, n_vectors)), "sample", "random", np.zeros(n_rows, bool))


class Missed(Loss):
    """A user's loss: nothing but `value`."""

    def value(self, Y, Y_pred):
        return np.where(Y == 1, 3.0 * (Y_pred == 0), 1.0 * (Y_pred == 1)).sum(axis=1)


@pytest.mark.parametrize("loss", [*EVERY_LOSS, Missed()], ids=by_name)
@pytest.mark.usefixtures("path")
class TestConformance(LossConformance):
    """Also without kernels, and with them for whatever size."""


def naive_risk(loss, support, row, answer):
    weights = support.weights()[row]
    return sum(
        weight * loss.value(vector[None], np.asarray(answer)[None])[0]
        for weight, vector in zip(weights, support.vectors[row], strict=True)
    )


def naive_least(loss, support, row, answers):
    return min(naive_risk(loss, support, row, answer) for answer in answers)


@pytest.mark.parametrize("loss", [*LABEL_LOSSES, Missed()], ids=by_name)
@pytest.mark.parametrize("make", [lambda: distribution(3, 3, 1), lambda: sample(3, 9, 4, 2)], ids=["all", "sample"])
def test_brute_force_is_the_best_of_all_answers_by_plain_loops(loss, make):
    support = make()
    decided = Loss.decide(loss, support)
    assert decided.dtype == np.uint8
    for row, answer in enumerate(decided):
        answers = np.array(list(product((0, 1), repeat=support.n_labels)))
        assert naive_risk(loss, support, row, answer) == pytest.approx(
            naive_least(loss, support, row, answers), rel=1e-12, abs=1e-12
        )


@pytest.mark.parametrize("loss", LABEL_LOSSES, ids=by_name)
@pytest.mark.parametrize("n_labels", [1, 2, 5, 8])
@pytest.mark.parametrize("sharpness", [0.3, 2.0])
def test_own_decisions_have_the_risk_of_brute_force(loss, n_labels, sharpness):
    support = distribution(40, n_labels, n_labels, sharpness)
    own, brute = loss.decide(support), Loss.decide(loss, support)
    np.testing.assert_allclose(loss.expected(support, own), loss.expected(support, brute), rtol=0, atol=1e-12)


@pytest.mark.parametrize("loss", LABEL_LOSSES, ids=by_name)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_own_decisions_on_samples_have_the_risk_of_brute_force(loss, share):
    support = sample(20, 60, 7, 3, share)
    own, brute = loss.decide(support), Loss.decide(loss, support)
    np.testing.assert_allclose(loss.expected(support, own), loss.expected(support, brute), rtol=0, atol=1e-12)


@pytest.mark.parametrize("loss", [Missed(), Jaccard()], ids=by_name)
def test_beyond_twelve_labels_the_named_candidates_are_searched(loss):
    support = sample(5, 30, 14, 4, share=0.3)
    marginals = support.marginal_estimate()
    for row, answer in enumerate(loss.decide(support)):
        order = sorted(range(14), key=lambda k: (-marginals[row, k], k))
        thresholds = [[int(label in order[:k]) for label in range(14)] for k in range(15)]
        answers = np.array([*support.vectors[row].tolist(), *thresholds])
        assert naive_risk(loss, support, row, answer) == pytest.approx(
            naive_least(loss, support, row, answers), rel=1e-12
        )
        assert answer.tolist() in answers.tolist()


def test_the_search_tries_threshold_sets_and_vectors_alike():
    vectors = np.zeros((1, 3, 13), dtype=np.uint8)
    for place in range(3):
        vectors[0, place, 2 * place : 2 * place + 2] = 1
    support = LabelSupport(vectors, np.zeros((1, 3)), "sample", "by hand", np.zeros(1, bool))
    # A label with marginal 1/3 is worth keeping where a miss costs three times as much: all six, a threshold set.
    assert Missed().decide(support).tolist() == [[1] * 6 + [0] * 7]
    # Three vectors tie as modes, and only {0, 1} is a threshold set: the smallest vector wins.
    assert Loss.decide(Subset(), support).tolist() == vectors[:, 2].tolist()


@pytest.mark.parametrize("n_labels", [3, 14])
def test_a_wide_support_in_blocks_is_decided_as_row_by_row(n_labels, monkeypatch):
    support = sample(9, 40, n_labels, 8)
    whole = Missed().decide(support), Missed().expected(support, support.mode())
    monkeypatch.setattr(plait.losses.loss, "_ENTRIES", 64)
    monkeypatch.setattr(plait.losses.loss, "_WEIGHTS", 16)
    np.testing.assert_array_equal(Missed().decide(support), whole[0])
    np.testing.assert_allclose(Missed().expected(support, support.mode()), whole[1], rtol=1e-12)


@pytest.mark.parametrize(("n_labels", "most"), [(3, 64), (14, 40 * 14)])
def test_no_more_is_judged_at_once_than_fits(n_labels, most, monkeypatch):
    """A block has few entries, but holds all vectors under one answer."""
    seen = []

    class Watched(Missed):
        def value(self, Y, Y_pred):
            seen.append(Y.size)
            return super().value(Y, Y_pred)

    support = sample(9, 40, n_labels, 8)
    monkeypatch.setattr(plait.losses.loss, "_ENTRIES", 64)
    Watched().decide(support)
    Watched().expected(support, support.mode())
    assert most / 2 < max(seen) <= most


def test_ties_go_to_the_smallest_vector():
    uniform = distribution(2, 3, 0, sharpness=0.0)
    assert Loss.decide(Subset(), uniform).tolist() == [[0, 0, 0]] * 2
    assert Loss.decide(Hamming(), uniform).tolist() == [[0, 0, 0]] * 2
    for loss in (Subset(), Hamming()):
        assert loss.decide(uniform).tolist() == [[0, 0, 0]] * 2


@pytest.mark.parametrize("loss", [*EVERY_LOSS, Missed()], ids=by_name)
@pytest.mark.parametrize("n_labels", [3, 14])
def test_no_rows(loss, n_labels):
    support = sample(0, 5, n_labels, 0)
    assert loss.decide(support).shape == (0, n_labels)
    assert loss.expected(support, np.zeros((0, n_labels))).shape == (0,)
    assert loss.value(np.zeros((0, n_labels)), np.zeros((0, n_labels))).shape == (0,)


@pytest.mark.parametrize("loss", EVERY_LOSS, ids=by_name)
def test_a_loss_is_a_small_estimator(loss):
    assert repr(clone(loss)) == repr(loss)
    assert loss.wanted in ("mode", "marginals", "distribution")
    with pytest.raises(ParameterError, match=r"needs Y and Y_pred to be tables of one shape, but the shapes are"):
        loss.value(np.zeros((2, 3)), np.zeros((2, 4)))
    with pytest.raises(ParameterError, match="one shape"):
        loss.expected(sample(2, 5, 3, 0), np.zeros((3, 3)))


def test_what_each_loss_wants():
    assert Subset().wanted == "mode"
    assert Hamming().wanted == Rank(normalized=False).wanted == "marginals"
    assert F1().wanted == Jaccard().wanted == Rank().wanted == Missed().wanted == "distribution"


def test_a_word_is_a_loss():
    assert registry(plait.losses, Loss).items() >= {"f1": F1, "hamming": Hamming, "rank": Rank}.items()
    for word, kind in registry(plait.losses, Loss).items():
        assert type(resolve("model", "loss", word, plait.losses, Loss)) is kind


class Same(Loss):
    """Share of the labels that are as they are: the best answer to one vector is its complement."""

    def value(self, Y, Y_pred):
        return np.asarray(Y_pred == Y).mean(axis=1)


@pytest.mark.parametrize(("n_labels", "enumerated"), [(12, True), (13, False)])
def test_up_to_twelve_labels_every_answer_is_tried(n_labels, enumerated):
    vector = (np.arange(n_labels) % 2).astype(np.uint8)
    support = LabelSupport(vector[None, None], np.zeros((1, 1)), "sample", "one vector", np.zeros(1, dtype=bool))
    # The complement is no vector of the support, and its labels are not those with the largest marginals.
    assert (Same().decide(support)[0] == 1 - vector).all() == enumerated


def test_of_many_vectors_the_heaviest_are_tried():
    n_labels, n_vectors = 13, 5000
    vectors = all_label_vectors(n_labels)[np.random.default_rng(0).permutation(1 << n_labels)[:n_vectors]]
    logs = np.linspace(0.0, 5.0, n_vectors)
    support = LabelSupport(vectors[None], logs[None], "sample", "many vectors", np.zeros(1, dtype=bool))
    (_, weights, answers), *_ = search_candidates(support)
    tried = {bytes(answer) for answer in answers}
    assert len(weights) == n_vectors
    assert all(bytes(vector) in tried for vector in vectors[-4096:])
    assert sum(bytes(vector) in tried for vector in vectors[:-4096]) <= n_labels + 1


def test_a_tie_between_blocks_of_answers_goes_to_the_first():
    best = LeastRisk(2)
    best.see(np.array([[0.5, 0.3], [0.2, 0.4]]), 0)
    best.see(np.array([[0.3, 0.3 - TIE / 2], [0.2, 0.1]]), 2)
    np.testing.assert_array_equal(best.place, [1, 3])


@pytest.mark.parametrize("n_pairs", [1, 2, 5, 100])
def test_blocks_of_pairs_hold_all_pairs_once_and_never_too_many(n_pairs):
    seen = np.zeros((7, 3), dtype=int)
    for rows, places in pair_blocks(seen.shape, n_pairs):
        seen[rows, places] += 1
        assert seen[rows, places].size <= max(n_pairs, 1)
    assert (seen == 1).all()
