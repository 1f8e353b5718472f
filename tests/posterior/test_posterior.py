"""Every question to a posterior against enumeration of all label sets."""

import itertools
import weakref

import numpy as np
import pytest
from scipy import sparse

from plait.core.sentences import ParameterError
from plait.estimators import Posterior
from plait.inference import Auto, Beam, BestFirst, Exhaustive, Greedy, MonteCarlo
from plait.joint import GraphJoint, LinearDistribution, MixtureJoint
from plait.learners import LinearConditionals
from plait.losses import Loss
from plait.metrics import cll_loss
from plait.posterior import answers
from plait.posterior import posterior as posterior_room
from plait.posterior.answers import row_bytes
from plait.structure import LabelGraph

NAMES = ("sea", "sun", "sand", "surf")
GRAPHS = {
    "chain": LabelGraph([[], [0], [0, 1], [0, 1, 2]]),
    "reversed chain": LabelGraph([[1, 2, 3], [2, 3], [3], []]),
    "tree": LabelGraph([[2], [2], [], [1]]),
    "polytree": LabelGraph([[], [], [0, 1], [2]]),
    "independent": LabelGraph([[]] * 4),
}
VECTORS = np.array(list(itertools.product([0, 1], repeat=4)), dtype=np.uint8)
every_graph = pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)


def made_posterior(graph, n_rows=7, seed=0, **how):
    rng = np.random.default_rng(seed)
    mask = np.zeros((4, 4))
    for child, parents in enumerate(graph.parents):
        mask[child, list(parents)] = 1
    conditionals = LinearConditionals(
        graph, rng.normal(size=(4, 3)), 2 * rng.normal(size=(4, 4)) * mask, rng.normal(size=4)
    )
    X = rng.normal(size=(n_rows, 3))
    how = {"inference": Auto(), "random_state": 0, **how}
    return Posterior(GraphJoint(conditionals), X, NAMES, **how)


def table_of(posterior):
    """Return P(y | x) of all 16 label sets, (n_rows, 16), straight from the formula."""
    conditionals, graph = posterior.joint.conditionals, posterior.joint.conditionals.graph
    table = np.ones((len(posterior), 16))
    for v, y in enumerate(VECTORS):
        for k in range(4):
            score = posterior.X @ conditionals.coef_[k] + conditionals.intercept_[k]
            score = score + sum(conditionals.parent_coef_[k, j] * y[j] for j in graph.parents[k])
            p = 1 / (1 + np.exp(-score))
            table[:, v] *= p if y[k] else 1 - p
    return table


@every_graph
def test_factors_are_the_conditionals_at_the_parents_values(graph):
    posterior = made_posterior(graph)
    truth = np.random.default_rng(1).integers(0, 2, size=(7, 4))
    other = 1 - truth
    # With its own values as parents their product is P(y | x).
    assert cll_loss(truth, posterior.factors(truth)) == pytest.approx(-posterior.log_prob(truth).sum(), rel=1e-9)
    # With other values each label still conditions on its parents alone: P(y_k, parents) / P(parents).
    table = table_of(posterior)
    for k, parents in enumerate(graph.parents):
        for row in range(7):
            agrees = (VECTORS[:, list(parents)] == other[row, list(parents)]).all(axis=1)
            expected = table[row, agrees & (VECTORS[:, k] == 1)].sum() / table[row, agrees].sum()
            assert posterior.factors(other)[row, k] == pytest.approx(expected, rel=1e-9)


def test_a_mixture_has_no_factors():
    alone = made_posterior(GRAPHS["tree"])
    joint = MixtureJoint(np.array([0.5, 0.5]), (alone.joint, made_posterior(GRAPHS["chain"]).joint))
    with pytest.raises(ParameterError, match="factors needs a model with one label graph, but this one is a mixture"):
        Posterior(joint, alone.X, NAMES, inference=Auto()).factors(np.zeros((7, 4)))


def restricted(table, known):
    agrees = np.array([all(y[k] == v for k, v in known.items()) for y in VECTORS])
    table = np.where(agrees, table, 0.0)
    return table / table.sum(axis=1, keepdims=True)


@every_graph
@pytest.mark.parametrize("known", [{}, {1: 1}, {0: 0, 3: 1}])
def test_all_answers_are_those_of_enumeration(graph, known):
    whole = made_posterior(graph)
    posterior = whole.given({NAMES[k]: v for k, v in known.items()}) if known else whole
    table = restricted(table_of(whole), known)
    np.testing.assert_allclose(posterior.marginals(), table @ VECTORS, rtol=1e-9)
    assert posterior.exact.all()
    np.testing.assert_array_equal(posterior.mode(), VECTORS[table.argmax(axis=1)])
    assert posterior.exact.all()
    top = posterior.top(3)
    order = np.argsort(-table, axis=1)[:, :3]
    np.testing.assert_array_equal(top.vectors, VECTORS[order])
    np.testing.assert_allclose(top.probabilities, np.take_along_axis(table, order, axis=1), rtol=1e-9)
    asked = VECTORS[table.argmax(axis=1)]
    np.testing.assert_allclose(posterior.log_prob(asked), np.log(table.max(axis=1)), rtol=1e-9)
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = -np.where(table > 0, table * np.log(table), 0.0).sum(axis=1)
    np.testing.assert_allclose(posterior.entropy(), entropy, rtol=1e-9)


@every_graph
@pytest.mark.parametrize("known", [None, {"sun": 1}])
def test_log_prob_of_some_labels_sums_over_the_others(graph, known):
    posterior = made_posterior(graph)
    posterior = posterior if known is None else posterior.given(known)
    table, Y = table_of(made_posterior(graph)), np.random.default_rng(4).integers(0, 2, (7, 4)).astype(float)
    Y[:5][np.random.default_rng(5).random((5, 4)) < 0.6] = np.nan
    Y[0], Y[6, 1] = np.nan, 0  # nothing is asked of the first row; the last may clash with what is known
    table = table * (VECTORS[:, 1] == 1) if known else table
    agrees = (np.isnan(Y[:, None]) | (Y[:, None] == VECTORS)).all(axis=2)
    with np.errstate(divide="ignore"):
        expected = np.log((table * agrees).sum(axis=1) / table.sum(axis=1))
    np.testing.assert_allclose(posterior.log_prob(Y), expected, rtol=1e-9, atol=1e-12)
    assert posterior.exact.all()
    assert (known is None) == np.isfinite(expected[6])


@every_graph
def test_decisions_have_least_expected_loss(graph):
    posterior = made_posterior(graph, seed=1)
    table = table_of(posterior)
    for name in ("subset", "hamming", "f1", "jaccard"):
        decided = posterior.decide(name)
        risks = np.column_stack([posterior.expected_loss(np.tile(y, (7, 1)), name) for y in VECTORS])
        np.testing.assert_allclose(posterior.expected_loss(decided, name), risks.min(axis=1), rtol=1e-9, atol=1e-12)
    wrong = np.array([[(a != b).any() for b in VECTORS] for a in VECTORS], dtype=float)
    risks = np.column_stack([posterior.expected_loss(np.tile(y, (7, 1)), "subset") for y in VECTORS])
    np.testing.assert_allclose(risks, table @ wrong, rtol=1e-9)


def test_rank_scores_are_the_marginals_or_their_weighted_form():
    posterior = made_posterior(GRAPHS["chain"])
    scores = posterior.decide("rank")
    assert scores.shape == (7, 4)
    assert scores.dtype == np.float64


def test_a_users_own_loss_needs_its_value_only():
    class Misses(Loss):
        parameter_rules = {}  # noqa: RUF012

        def value(self, Y, Y_pred):
            return ((Y == 1) & (Y_pred == 0)).sum(axis=1).astype(float)

    posterior = made_posterior(GRAPHS["tree"])
    np.testing.assert_array_equal(posterior.decide(Misses()), np.ones((7, 4)))
    expected = posterior.expected_loss(np.zeros((7, 4), dtype=int), Misses())
    np.testing.assert_allclose(expected, posterior.marginals().sum(axis=1), rtol=1e-9)


def test_doubts_are_full_conditionals():
    posterior = made_posterior(GRAPHS["chain"], seed=2)
    table = table_of(posterior)
    Y = VECTORS[[3, 5, 0, 15, 8, 9, 2]]
    number = Y @ [8, 4, 2, 1]
    doubts = posterior.doubts(Y)
    for k, bit in enumerate([8, 4, 2, 1]):
        here, flipped = table[range(7), number], table[range(7), number ^ bit]
        np.testing.assert_allclose(doubts[:, k], flipped / (here + flipped), rtol=1e-9)


@every_graph
def test_samples_have_the_right_frequencies(graph):
    posterior = made_posterior(graph, n_rows=2)
    for known in ({}, {2: 1}):
        asked = posterior.given(known) if known else posterior
        draws = asked.sample(4000, random_state=1)
        assert draws.shape == (2, 4000, 4)
        table = restricted(table_of(posterior), known)
        error = np.sqrt(0.25 / 4000)
        np.testing.assert_allclose(draws.mean(axis=1), table @ VECTORS, atol=5 * error)
        np.testing.assert_array_equal(asked.sample(50, random_state=1), asked.sample(50, random_state=1))


def test_evidence_adds_up_and_must_not_clash():
    posterior = made_posterior(GRAPHS["chain"])
    both = posterior.given({"sea": 1}).given({"sun": 0})
    np.testing.assert_array_equal(both.evidence, posterior.given({"sea": 1, "sun": 0}).evidence)
    with pytest.raises(ParameterError, match=r"'sea' is known as 1 in row 0 and now as 0. Start from joint\(X\)"):
        both.given({"sea": 0})
    with pytest.raises(ParameterError, match=r"'sun' is known as 0 in row 0 and now as 1"):
        both.given({"sun": 1})


def test_rows_of_a_posterior():
    posterior = made_posterior(GRAPHS["polytree"]).given({"surf": [0, 1, 0, 1, np.nan, 1, 0]})
    for rows in (slice(2, 5), [4, 0], 3, np.arange(7) % 2 == 0):
        part = posterior[rows]
        index = [rows] if isinstance(rows, int) else rows
        np.testing.assert_allclose(part.marginals(), posterior.marginals()[index], rtol=1e-12)
    assert len(posterior[:0]) == 0
    assert posterior[:0].marginals().shape == (0, 4)
    assert posterior[:0].mode().shape == (0, 4)
    assert "7 rows, 4 labels, 6 labels known in all" in repr(posterior)


@pytest.mark.parametrize("inference", [Greedy(), Beam(4), BestFirst(), BestFirst(0.25)])
def test_marginals_never_come_from_a_search(inference):
    posterior = made_posterior(GRAPHS["chain"], inference=inference)
    np.testing.assert_allclose(posterior.marginals(), table_of(posterior) @ VECTORS, rtol=1e-9)
    greedy = Greedy().infer(posterior.joint.condition(posterior.X)).mode()
    if isinstance(inference, Greedy):
        np.testing.assert_array_equal(posterior.decide("subset"), greedy)
        # One vector is no answer to what another loss asks.
        np.testing.assert_array_equal(posterior.decide("hamming"), table_of(posterior) @ VECTORS > 0.5)
    assert posterior.top(2).probabilities.shape == (7, 2)


def test_how_an_answer_was_found_is_told():
    posterior = made_posterior(GRAPHS["chain"], inference=MonteCarlo(200))
    posterior.marginals()
    assert not posterior.exact.any()
    assert "sampl" in posterior.method.lower() or "monte" in posterior.method.lower()
    assert posterior.effective_size.shape == (7,)
    posterior = posterior.given({"surf": 1})
    posterior.marginals()
    assert (posterior.effective_size > 1).all()
    assert (posterior.effective_size < 200).all()
    exact = made_posterior(GRAPHS["chain"], inference=Exhaustive())
    exact.marginals()
    assert exact.exact.all()
    assert exact.effective_size is None


@pytest.mark.parametrize("n_jobs", [1, 2, -1])
def test_the_same_bits_for_any_number_of_threads(n_jobs):
    one = made_posterior(GRAPHS["chain"], n_rows=300, inference=MonteCarlo(300))
    other = made_posterior(GRAPHS["chain"], n_rows=300, inference=MonteCarlo(300), n_jobs=n_jobs)
    np.testing.assert_array_equal(one.marginals(), other.marginals())
    np.testing.assert_array_equal(one.sample(3), other.sample(3))


def test_sparse_rows_and_sparse_labels():
    posterior = made_posterior(GRAPHS["chain"])
    thin = Posterior(posterior.joint, sparse.csr_matrix(posterior.X), NAMES, Auto(), random_state=0)
    np.testing.assert_allclose(thin.marginals(), posterior.marginals(), rtol=1e-12)
    Y = VECTORS[:7]
    np.testing.assert_array_equal(posterior.log_prob(sparse.csr_matrix(Y)), posterior.log_prob(Y))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda p: p.top(0), "top needs k to be an integer of at least 1, but it is 0"),
        (lambda p: p.sample(0), "sample needs n_samples to be an integer of at least 1"),
        (lambda p: p.decide("zero"), "decide needs loss to be .*'hamming'"),
        (lambda p: p.log_prob(np.zeros((2, 4))), r"log_prob needs Y to have shape \(7, 4\), but it has \(2, 4\)"),
    ],
)
def test_wrong_questions(call, words):
    with pytest.raises(ParameterError, match=words):
        call(made_posterior(GRAPHS["tree"]))


@pytest.mark.parametrize(
    "answer", [[[0, 2, 0]], [[0, np.nan, 1]], np.array([["a", "b", "c"]]), [[0.5, 0, 1]], [[0, 1]]]
)
def test_expected_loss_takes_label_sets_only(answer):
    posterior = Posterior(_Fixed(), np.zeros((1, 1)), "abc", Auto())
    with pytest.raises(
        ParameterError, match=r"expected_loss needs (Y to (hold only 0 and 1|have shape)|every label of Y to be known)"
    ):
        posterior.expected_loss(answer, "hamming")
    with pytest.raises(ValueError, match="NaN"):
        posterior.expected_loss([[0.5, np.nan, 0.1]], "rank")


def test_doubts_of_labels_that_are_known():
    posterior = Posterior(_Fixed(), np.zeros((1, 1)), "abc", Auto())
    known = posterior.given({"a": 1})
    plain = posterior.doubts([[1, 0, 1]])
    np.testing.assert_allclose(known.doubts([[1, 0, 1]]), plain * [[0, 1, 1]], rtol=1e-12)
    with pytest.raises(ParameterError, match="agree with what is known, but 'a' is known as 1 in row 0"):
        known.doubts([[0, 0, 1]])


class _Fixed:
    """P(y | x) of three labels, all linked."""

    def condition(self, X):
        coef = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [-0.5, 2.0, 0.0]])
        return LinearDistribution(LabelGraph([[], [0], [0, 1]]), np.tile([0.3, -0.2, 0.1], (len(X), 1)), coef)


def test_what_a_block_was_answered_from_is_dropped_after_it(monkeypatch):
    """The vectors of all blocks at once would be all label sets that were drawn: gigabytes for hundreds of labels."""
    alive = []

    class Watched(MonteCarlo):
        def infer(self, *question, **more):
            assert not any(vectors() is not None for vectors in alive)
            support = super().infer(*question, **more)
            alive.append(weakref.ref(support.vectors))
            return support

    monkeypatch.setattr(posterior_room, "row_blocks", lambda n_rows, _: [slice(k, k + 2) for k in range(0, n_rows, 2)])
    answer = made_posterior(GRAPHS["chain"], inference=Watched(50))
    for ask in (answer.marginals, lambda: answer.expected_loss(np.zeros((7, 4)), "f1")):
        alive.clear()
        ask()
        assert len(alive) == 4


def test_blocks_are_as_large_as_what_the_inference_makes_of_a_row():
    forest, chain = made_posterior(GRAPHS["tree"]), made_posterior(GRAPHS["chain"], inference=MonteCarlo(1000))
    q = forest.n_labels
    sizes = [
        row_bytes(answer.inference, answer.joint.condition(answer.X), wanted)
        for answer in (forest, chain)
        for wanted in ("marginals", "mode", None)
    ]
    light = 80 * q
    assert sizes == [light, light, light, 1000 * q + light, 1000 * q + light, light]


def test_what_auto_takes_counts_where_it_may_answer(monkeypatch):
    class Heavy(Auto):
        def row_bytes(self, distribution, wanted):
            return 10**6

    monkeypatch.setattr(answers, "Auto", Heavy)
    answer = made_posterior(GRAPHS["chain"])
    asked = {wanted: row_bytes(Greedy(), answer.joint.condition(answer.X), wanted) for wanted in ("mode", "marginals")}
    assert asked["mode"] < 10**4
    assert asked["marginals"] >= 10**6


def test_an_inference_that_lists_enough_sets_is_asked_and_no_other():
    answer = made_posterior(GRAPHS["chain"], inference=BestFirst())
    answer.top(3)
    assert "best-first" in answer.method
    few = made_posterior(GRAPHS["chain"], inference=Greedy())
    few.top(1)
    assert few.method == "greedy"
    few.top(3)  # greedy search has one set only
    assert few.method != "greedy"


def test_scores_for_a_ranking_loss_must_have_the_shape_of_the_labels():
    answer = made_posterior(GRAPHS["chain"])
    assert answer.expected_loss(np.zeros((7, 4)), "rank").shape == (7,)
    with pytest.raises(ParameterError, match=r"needs Y_pred to have shape \(7, 4\), but it has \(7, 3\)"):
        answer.expected_loss(np.zeros((7, 3)), "rank")
