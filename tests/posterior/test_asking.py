"""What a label is worth to ask, against enumeration of all label sets."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plait.core.sentences import ParameterError
from plait.inference import Auto
from plait.joint import LinearDistribution
from plait.posterior import Posterior, asking
from plait.structure import LabelGraph


class Chain:
    def __init__(self, n_labels, rng, scale):
        self.graph = LabelGraph(tuple(tuple(range(k)) for k in range(n_labels)))
        self.parent_coef = np.tril(rng.normal(scale=scale, size=(n_labels, n_labels)), -1)

    def condition(self, X):
        return LinearDistribution(self.graph, np.asarray(X), self.parent_coef)


def chain_posterior(n_rows, n_labels, seed, scale=2.0, loss="subset"):
    rng = np.random.default_rng(seed)
    names = [f"y{k}" for k in range(n_labels)]
    return Posterior(Chain(n_labels, rng, scale), rng.normal(size=(n_rows, n_labels)), names, Auto(), loss)


def all_sets(q):
    return ((np.arange(2**q)[:, None] >> np.arange(q)) & 1).astype(np.uint8)


def table(answer, row):
    q = answer.n_labels
    return np.exp(answer[np.full(2**q, row)].log_prob(all_sets(q)))


def entropy(p):
    p = p[p > 0]
    return -(p * np.log(p)).sum()


def worth(p, sets, label, by):
    """The value of asking a label, by its definition."""
    one = sets[:, label] == 1
    halves = [p[~one].sum(), p[one].sum()]
    if by == "set":
        return max(p[one].max(), p[~one].max()) + min(p[one].max(), p[~one].max()) - p.max()
    if by == "entropy":
        return entropy(p) - sum(h * entropy(p[side] / h) for h, side in zip(halves, (~one, one), strict=True))
    right = lambda w: sum(max(w @ sets[:, j], w.sum() - w @ sets[:, j]) for j in range(sets.shape[1]))  # noqa: E731
    if by == "hamming":
        return right(p * one) + right(p * ~one) - right(p)
    rest = {}
    for weight, labels in zip(p, np.delete(sets, label, axis=1), strict=True):
        rest[tuple(labels)] = rest.get(tuple(labels), 0.0) + weight
    return entropy(np.array(halves)) + entropy(np.array(list(rest.values()))) - entropy(p)


@pytest.mark.parametrize("by", ["set", "entropy", "hamming", "others"])
@settings(max_examples=8, deadline=None)
@given(n_labels=st.integers(2, 6), seed=st.integers(0, 10**6))
def test_the_value_of_a_label_is_that_of_the_definition(by, n_labels, seed):
    answer, sets = chain_posterior(2, n_labels, seed), all_sets(n_labels)
    found = answer.ask(by=by)
    for row in range(2):
        values = [worth(table(answer, row), sets, k, by) for k in range(n_labels)]
        np.testing.assert_allclose(found.values[row, 0], max(values), rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(values[found.labels[row, 0]], max(values), rtol=1e-6, atol=1e-9)
    assert found.names[0, 0] == f"y{found.labels[0, 0]}"
    np.testing.assert_allclose(found.probabilities[:, 0], answer.marginals()[range(2), found.labels[:, 0]], rtol=1e-9)


def test_the_largest_gain_is_the_probability_of_the_second_set():
    answer = chain_posterior(5, 6, 0)
    np.testing.assert_allclose(answer.ask(by="set").values[:, 0], answer.top(2).probabilities[:, 1], rtol=1e-9)


@settings(max_examples=15, deadline=None)
@given(n_labels=st.integers(1, 5), seed=st.integers(0, 10**6), known=st.booleans())
def test_one_question_by_one_search_is_the_first_of_several_by_a_search_a_label(n_labels, seed, known):
    """Also where sets tie: scores of -1, 0 and 1 only."""
    rng = np.random.default_rng(seed)
    chain = Chain(n_labels, rng, 1.0)
    chain.parent_coef = chain.parent_coef.round()
    names = [f"y{k}" for k in range(n_labels)]
    answer = Posterior(chain, rng.integers(-1, 2, size=(3, n_labels)).astype(float), names, Auto(), "subset")
    answer = answer.given({"y0": 1}) if known else answer
    one, several = answer.ask(1, by="set"), answer.ask(2, by="set")
    np.testing.assert_array_equal(one.labels[:, 0], several.labels[:, 0])
    np.testing.assert_allclose(one.values[:, 0], several.values[:, 0], rtol=1e-9)


@pytest.mark.parametrize("by", ["set", "entropy"])
def test_the_second_question_is_worth_most_on_average_over_the_first_answer(by):
    answer, sets = chain_posterior(3, 4, 1), all_sets(4)
    found = answer.ask(2, by=by)
    for row in range(3):
        p, first = table(answer, row), found.labels[row, 0]
        one = sets[:, first] == 1
        values = []
        for k in set(range(4)) - {first}:
            halves = [(side, p[side].sum()) for side in (one, ~one)]
            values.append(sum(h * worth(np.where(side, p, 0) / h, sets, k, by) for side, h in halves))
        np.testing.assert_allclose(found.values[row, 1], max(values), rtol=1e-6)


def test_known_labels_are_never_asked_and_nothing_left_is_said():
    answer = chain_posterior(2, 3, 2).given({"y0": 1})
    found = answer.ask(3)
    assert (found.labels[:, :2] > 0).all()
    assert (found.labels[:, 2] == -1).all()
    assert found.names[0, 2] is None
    assert np.isnan(found.values[:, 2]).all()
    np.testing.assert_array_equal(np.sort(found.labels[:, :2], axis=1), [[1, 2], [1, 2]])


def test_all_answers_lead_to_the_truth():
    answer, truth = chain_posterior(4, 4, 3), np.array([[1, 0, 1, 0], [0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 0, 1]])
    for _ in range(4):
        labels = answer.ask().labels[:, 0]
        known = np.full((4, 4), np.nan)
        known[range(4), labels] = truth[range(4), labels]
        answer = answer.given(known)
    np.testing.assert_array_equal(answer.mode(), truth)


def test_the_loss_chooses_what_an_answer_is_worth():
    for loss, by in (("subset", "plan"), ("hamming", "hamming"), ("f1", "hamming")):
        answer = chain_posterior(3, 4, 4, loss=loss)
        np.testing.assert_array_equal(answer.ask().values, answer.ask(by=by).values)


def test_more_questions_than_branches_go_along_the_likelier_answer():
    answer = chain_posterior(2, 8, 5)
    found = answer.ask(8, by="entropy")
    np.testing.assert_array_equal(np.sort(found.labels, axis=1), [list(range(8))] * 2)
    for row in range(2):
        branches = [(1.0, answer[row])]
        for place, label in enumerate(found.labels[row]):
            chances = [(weight, part, part.marginals()[0, label]) for weight, part in branches]
            worth = sum(weight * entropy(np.array([p, 1 - p])) for weight, _, p in chances)
            np.testing.assert_allclose(found.values[row, place], worth, rtol=1e-9)
            both = 2 * len(branches) <= 16
            branches = [
                (weight * (p if value else 1 - p) if both else weight, part.given({f"y{label}": value}))
                for weight, part, p in chances
                for value in ((0, 1) if both else (int(p > 0.5),))
            ]


def best_plan(p, sets, known):
    """The largest gain a question of greedy plans, by dictionaries."""
    plan, best, total = [], 0.0, p.max()
    while len(plan) < sets.shape[1]:
        sums = {}
        for label in set(range(sets.shape[1])) - set(plan) - set(known):
            tops = {}
            for weight, labels in zip(p, sets, strict=True):
                key = tuple(labels[[*plan, label]])
                tops[key] = max(tops.get(key, 0.0), weight)
            sums[label] = sum(tops.values())
        if not sums or max(sums.values()) <= total * (1 + 1e-12):
            break
        total = max(sums.values())
        plan.append(max(sums, key=sums.get))
        best = max(best, (total - p.max()) / len(plan))
    return best


@settings(max_examples=15, deadline=None)
@given(n_labels=st.integers(1, 5), seed=st.integers(0, 10**6), known=st.booleans())
def test_plans_are_those_of_the_definition(n_labels, seed, known):
    answer, sets = chain_posterior(3, n_labels, seed, scale=1.0), all_sets(n_labels)
    answer = answer.given({"y0": 1}) if known else answer
    found = answer.ask()
    chances = answer.marginals()
    for row in range(3):
        p = table(answer, row)
        best = best_plan(p, sets, [0] if known else [])
        label = found.labels[row, 0]
        if known and n_labels == 1:
            assert label == -1
            continue
        np.testing.assert_allclose(found.values[row, 0], best, rtol=1e-6, atol=1e-12)
        assert best >= np.sort(p)[-2] * (1 - 1e-9)  # one question gains the second probability
        assert label >= known
        assert abs(chances[row, label] - 0.5) <= np.abs(chances[row, int(known) :] - 0.5).min() + 1e-9


def test_asking_in_blocks_is_asking_at_once(monkeypatch):
    answer = chain_posterior(9, 5, 7)
    whole = answer.ask(2)
    monkeypatch.setattr(asking, "_BLOCK", 1)
    for one, other in zip(whole, answer.ask(2), strict=True):
        np.testing.assert_array_equal(one, other)


def test_fifteen_labels_may_be_asked_for_what_they_say_of_others():
    chain = Chain(15, np.random.default_rng(0), scale=0.0)
    chain.parent_coef[14, 13] = 3.0
    found = Posterior(chain, np.zeros((1, 15)), "abcdefghijklmno", Auto(), "subset").ask(by="others")
    # Only the last two labels say anything of each other.
    one = 1 / (1 + np.exp(-3.0))
    pair = np.array([0.25, 0.25, 0.5 * one, 0.5 * (1 - one)])
    both = entropy(np.array([0.5, 0.5])) + entropy(np.array([0.25 + 0.5 * one, 0.75 - 0.5 * one])) - entropy(pair)
    np.testing.assert_allclose(found.values[0, 0], both, rtol=1e-9)
    assert found.labels[0, 0] in (13, 14)


def test_refusals():
    with pytest.raises(ParameterError, match="ask needs by to be"):
        chain_posterior(1, 2, 0).ask(by="luck")
    with pytest.raises(ParameterError, match="at most 15 labels"):
        chain_posterior(1, 16, 0, scale=0.1).ask(by="others")
