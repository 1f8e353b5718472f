"""Every inference that the room exports keeps its promises: new ones join by their export line."""

from itertools import product

import numpy as np
import pytest
from sklearn.base import clone

import plait.inference
from plait.core.checks import wrong_values
from plait.core.naming import registry
from plait.core.sentences import ParameterError
from plait.inference import Inference
from plait.inference.search.label_tables import all_label_vectors
from plait.joint import CalledDistribution, LinearDistribution, MixtureDistribution, row_seeds
from plait.learners import Conditionals
from plait.structure import LabelGraph

CLASSES = registry(plait.inference, Inference)
# Those that are exact on polytrees refuse other graphs.
ON_POLYTREES = {"max_product", "sum_product"}
# Those that walk along the one graph of a distribution refuse mixtures.
ON_ONE_GRAPH = {"beam", "greedy", "max_product"}
# Those that work with decisions too.
TAKE_MARGINS = {"auto", "greedy"}
WANTED = ("mode", "marginals", "distribution")


@pytest.fixture(params=sorted(CLASSES))
def name(request):
    return request.param


class Tables(Conditionals):
    """Conditionals of no particular form: one random table for each label, shifted by the features."""

    def __init__(self, graph, seed):
        rng = np.random.default_rng(seed)
        self.graph, self.n_features = graph, 2
        self.tables = [rng.normal(scale=1.5, size=2 ** len(parents)) for parents in graph.parents]
        self.shifts = rng.normal(size=(graph.n_labels, 2))

    def scores(self, label, X, parent_values):
        settings = parent_values.astype(np.int64) @ (1 << np.arange(parent_values.shape[1]))
        return self.tables[label][settings] + X @ self.shifts[label]


def random_order(rng, n_labels):
    return [int(k) for k in rng.permutation(n_labels)]


def random_parents(rng, order, polytree):
    """Return parents of a random graph; a polytree gains an edge only between two parts that are not joined."""
    parents = [[] for _ in order]
    part = list(range(len(order)))
    for place, child in enumerate(order):
        for parent in rng.permutation(order[:place]):
            joined = part[parent] == part[child]
            if rng.random() < 0.6 and not (polytree and joined):
                parents[child].append(int(parent))
                part = [part[child] if p == part[parent] else p for p in part]
    return parents


def distribution(name, n_labels, seed, form="linear", evidence=False, n_rows=4):
    rng = np.random.default_rng(seed)
    if form == "mixture":
        forms, seeds = ("linear", "called", "linear"), rng.integers(0, 2**31, 3)
        parts = [distribution(name, n_labels, k, f, False, n_rows) for f, k in zip(forms, seeds, strict=True)]
        made = MixtureDistribution(np.log([0.5, 0.3, 0.2]), parts)
        return made.clamp(random_known(rng, (n_rows, n_labels))) if evidence else made
    order = random_order(rng, n_labels)
    graph = LabelGraph(random_parents(rng, order, name in ON_POLYTREES), order)
    if form == "linear":
        coef = np.zeros((n_labels, n_labels))
        for label, parents in enumerate(graph.parents):
            coef[label, list(parents)] = rng.normal(scale=1.5, size=len(parents))
        made = LinearDistribution(graph, rng.normal(size=(n_rows, n_labels)), coef)
    else:
        made = CalledDistribution(Tables(graph, seed), rng.normal(size=(n_rows, 2)))
    if evidence:
        return made.clamp(random_known(rng, (n_rows, n_labels)))
    return made


def random_known(rng, shape):
    return np.where(rng.random(shape) < 0.4, rng.integers(0, 2, shape), -1).astype(np.int8)


FORMS = ("linear", "called", "mixture")
CASES = list(product((1, 2, 4, 6), FORMS, (False, True)))


@pytest.fixture(params=CASES, ids=lambda case: f"q={case[0]}-{case[1]}{'-evidence' if case[2] else ''}")
def made(request, name):
    n_labels, form, evidence = request.param
    if form == "mixture" and name in ON_ONE_GRAPH:
        pytest.skip("takes no mixtures")
    return distribution(name, n_labels, 10 * n_labels + evidence, form, evidence)


def truth(given):
    """Return log P of all vectors (-inf against the evidence), marginals and log P(evidence), by enumeration."""
    vectors = all_label_vectors(given.n_labels)
    logs = given.log_prob(np.broadcast_to(vectors, (given.n_rows, *vectors.shape)))
    p = np.exp(logs)
    return logs, p @ vectors / p.sum(axis=1, keepdims=True), np.log(p.sum(axis=1))


def infer(name, given, wanted="mode", n_best=1, seed=0):
    inference = CLASSES[name]()
    if "width" in inference.get_params():
        inference.set_params(width=max(inference.width, n_best))
    return inference.infer(given, wanted, n_best, random_state=seed)


@pytest.mark.parametrize("wanted", WANTED)
def test_shapes_and_types(name, made, wanted):
    support = infer(name, made, wanted)
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
    assert isinstance(support.method, str)
    assert support.method
    assert support.exact.shape == (n_rows,)
    assert support.exact.dtype == bool
    for part, shape in (
        ("marginals", (n_rows, made.n_labels)),
        ("log_evidence", (n_rows,)),
        ("effective_size", (n_rows,)),
    ):
        values = getattr(support, part)
        assert values is None or (values.shape == shape and values.dtype == np.float64)
    if support.n_evaluations is not None:
        assert support.n_evaluations.shape == (n_rows,)
        assert support.n_evaluations.dtype == np.int64
        assert (support.n_evaluations >= 0).all()


@pytest.mark.parametrize("wanted", WANTED)
def test_evidence_is_respected(name, made, wanted):
    support = infer(name, made, wanted)
    known = np.full((made.n_rows, made.n_labels), -1) if made.evidence is None else made.evidence
    used = np.isfinite(support.log_weights)
    agrees = ((known[:, None] == -1) | (support.vectors == known[:, None])).all(axis=2)
    assert agrees[used].all()
    estimate = support.marginal_estimate()
    np.testing.assert_allclose(estimate[known >= 0], known[known >= 0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("n_best", [1, 3, 200])
def test_modes_that_claim_to_be_exact_are(name, made, n_best):
    support = infer(name, made, "mode", n_best)
    if support.kind != "modes":
        pytest.skip("gives no modes")
    logs, _, _ = truth(made)
    found = np.where(np.isfinite(support.log_weights), made.log_prob(np.ascontiguousarray(support.vectors)), -np.inf)
    np.testing.assert_allclose(support.log_weights, found, rtol=1e-9, atol=1e-9)
    for row in np.flatnonzero(support.exact):
        best = np.sort(logs[row][np.isfinite(logs[row])])[::-1][: support.log_weights.shape[1]]
        used = np.isfinite(support.log_weights[row])
        np.testing.assert_allclose(support.log_weights[row][used], best[: used.sum()], rtol=1e-9, atol=1e-9)
        assert len({tuple(v) for v in support.vectors[row][used]}) == used.sum(), "a vector is given twice"
        if support.log_weights.shape[1] > 1:
            assert used.sum() == min(n_best, len(best)), "fewer vectors than there are"


@pytest.mark.parametrize("wanted", WANTED)
def test_marginals_that_are_given_are_exact(name, made, wanted):
    support = infer(name, made, wanted)
    if support.marginals is None:
        pytest.skip("gives no marginals")
    np.testing.assert_allclose(support.marginals, truth(made)[1], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("wanted", WANTED)
def test_the_probability_of_the_evidence(name, made, wanted):
    support = infer(name, made, wanted)
    if support.log_evidence is None:
        pytest.skip("does not give it")
    if made.evidence is None:
        np.testing.assert_array_equal(support.log_evidence, np.zeros(made.n_rows))
    else:
        error = 0.3 if support.kind == "sample" else 1e-9
        np.testing.assert_allclose(support.log_evidence, truth(made)[2], rtol=0, atol=error)


def test_a_distribution_is_that_of_the_model(name, made):
    support = infer(name, made, "distribution")
    logs, marginals, _ = truth(made)
    if support.kind == "distribution":
        np.testing.assert_allclose(support.log_weights, logs, rtol=1e-9, atol=1e-9)
        assert support.exact.all()
    elif support.kind == "sample":
        assert not support.exact.any()
        size = support.log_weights.shape[1] if support.effective_size is None else support.effective_size
        error = 5 * np.sqrt(0.25 / np.broadcast_to(size, (made.n_rows,)))
        assert (np.abs(support.marginal_estimate() - marginals) <= error[:, None]).all()


@pytest.mark.parametrize("wanted", WANTED)
@pytest.mark.parametrize("form", FORMS)
def test_the_same_random_state_gives_the_same_bits(name, wanted, form):
    if form == "mixture" and name in ON_ONE_GRAPH:
        pytest.skip("takes no mixtures")
    given = distribution(name, 5, 3, form, evidence=True)
    first, second = (infer(name, given, wanted, seed=7) for _ in range(2))
    np.testing.assert_array_equal(first.vectors, second.vectors)
    np.testing.assert_array_equal(first.log_weights, second.log_weights)


@pytest.mark.parametrize("wanted", WANTED)
@pytest.mark.parametrize("form", FORMS)
def test_no_rows(name, wanted, form):
    if form == "mixture" and name in ON_ONE_GRAPH:
        pytest.skip("takes no mixtures")
    support = infer(name, distribution(name, 3, 0, form).take(slice(0, 0)), wanted)
    assert support.n_rows == 0
    assert support.n_labels == 3
    assert wanted == "marginals" or support.mode().shape == (0, 3)
    assert support.marginal_estimate().shape == (0, 3)


@pytest.mark.parametrize("form", FORMS)
def test_rows_do_not_see_each_other(name, form):
    if form == "mixture" and name in ON_ONE_GRAPH:
        pytest.skip("takes no mixtures")
    given = distribution(name, 5, 8, form, evidence=True, n_rows=9)
    seeds = row_seeds(0, 9)
    support = infer(name, given, "mode", seed=seeds)
    if support.kind == "sample":
        pytest.skip("how many vectors differ depends on the rows beside")
    rows = np.array([7, 2, 5])
    part = infer(name, given.take(rows), "mode", seed=seeds[rows])
    np.testing.assert_array_equal(part.vectors, support.vectors[rows])
    np.testing.assert_allclose(part.log_weights, support.log_weights[rows], rtol=1e-12)


def test_an_inference_is_a_small_estimator(name):
    inference = CLASSES[name]()
    assert clone(inference).get_params() == inference.get_params()
    assert repr(inference) == f"{CLASSES[name].__name__}()"
    assert set(inference.get_params()) <= set(CLASSES[name].parameter_rules)


def test_wrong_parameters_are_named_in_one_sentence(name):
    given = distribution(name, 2, 0)
    for parameter, rules in CLASSES[name].parameter_rules.items():
        for wrong in wrong_values(rules):
            inference = CLASSES[name]().set_params(**{parameter: wrong})
            with pytest.raises(
                ParameterError, match=rf"^{CLASSES[name].__name__} needs {parameter} to be .*, but it is"
            ):
                inference.infer(given)


def test_a_wrong_wish_is_refused(name):
    with pytest.raises(ParameterError, match="needs wanted to be one of mode, marginals, distribution"):
        CLASSES[name]().infer(distribution(name, 2, 0), "median")


@pytest.mark.parametrize("n_best", [0, -1, 1.5, None])
def test_a_wrong_number_of_best_is_refused(name, n_best):
    with pytest.raises(ParameterError, match="needs n_best to be an integer of at least 1"):
        CLASSES[name]().infer(distribution(name, 2, 0), "mode", n_best)


def test_margins_are_decided_greedily_or_refused(name):
    effects = np.array([[0, 0], [1.0, 0]])
    margins = LinearDistribution(LabelGraph([[], [0]]), np.array([[30.0, -0.5]]), effects, None, probabilistic=False)
    if name in TAKE_MARGINS:
        support = infer(name, margins)
        assert support.mode().tolist() == [[1, 1]]
        assert not support.exact.any()
    else:
        with pytest.raises(ParameterError, match=r"gives? probabilities, but th.* decisions only"):
            infer(name, margins)


def test_other_graphs_are_refused_before_any_work(name):
    if name not in ON_POLYTREES:
        pytest.skip("takes any graph")
    graph = LabelGraph([[], [0], [0, 1]])
    with pytest.raises(ParameterError, match=CLASSES[name].__name__):
        infer(name, LinearDistribution(graph, np.zeros((1, 3)), np.zeros((3, 3))))


def test_mixtures_are_refused_by_what_needs_one_graph(name):
    if name not in ON_ONE_GRAPH:
        pytest.skip("takes mixtures")
    words = f"{CLASSES[name].__name__} needs a distribution over .*MixtureDistribution"
    with pytest.raises(ParameterError, match=words):
        infer(name, distribution(name, 3, 0, "mixture"))
