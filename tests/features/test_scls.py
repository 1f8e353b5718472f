"""SCLS: the worked example of the paper, copies, and what happens below 0."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from plait.counts import encode
from plait.data.readers.mulan import read_mulan
from plait.features import AMI, SCLS
from plait.features.engine.column_pairs import ColumnPairs
from plait.features.engine.label_triples import summed_relevance
from plait.information import mutual_information_matrix

pytestmark = pytest.mark.usefixtures("kernels")

# Printed digits [SCLS, tables 7 to 10], in bits; columns counted from 1.
ENTROPIES = {382: 0.845, 952: 0.587, 1824: 0.587}
SHARED_WITH_952 = {382: 0.314, 1824: 0.587}
RELEVANCE = {1: 0.199, 382: 1.007, 952: 1.596, 1824: 1.596}
SECOND_SCLS = {1: 0.198, 382: 0.633, 1824: 0.000}
SECOND_AMI = {1: 0.197, 382: 0.693, 1824: 1.009}
# Half of the last digit; and of a difference of two printed numbers, one digit more.
DIGIT, DIFFERENCE = 5e-4, 1.5e-3


class Given:
    """Numbers in place of counted columns: entropies, and what each shares with the first."""

    bits = 1.0

    def __init__(self, entropies, shared):
        self.entropies, self._shared = np.array(entropies), np.array(shared)

    def shared_with(self, column):
        assert column == 0
        return self._shared


def second_scores(selector, monkeypatch, rel, entropies, shared):
    """Return the scores of the selector's own criterion after its first choice, from given numbers alone."""
    module = f"plait.features.{type(selector).__name__.lower()}"
    monkeypatch.setattr(f"{module}.summed_relevance", lambda *_: np.array(rel))
    monkeypatch.setattr(f"{module}.ColumnPairs", lambda _: Given(entropies, shared))
    criterion = selector._criterion(None, None, None)
    assert criterion.best(criterion.scores()) == 0
    criterion.add(0)
    return criterion.scores()


@pytest.mark.parametrize(("kind", "printed"), [(SCLS, SECOND_SCLS), (AMI, SECOND_AMI)])
def test_worked_example_from_the_printed_numbers(kind, printed, monkeypatch):
    order = (952, 1824, 382)
    shared = [ENTROPIES[952], *(SHARED_WITH_952[f] for f in order[1:])]
    scores = second_scores(kind(), monkeypatch, [RELEVANCE[f] for f in order], [ENTROPIES[f] for f in order], shared)
    np.testing.assert_allclose(scores[1:], [printed[f] for f in order[1:]], rtol=0, atol=DIFFERENCE)
    assert order[1 + int(np.argmax(scores[1:]))] == (382 if kind is SCLS else 1824)


@pytest.fixture(scope="module")
def bibtex(benchmark_data):
    data = read_mulan(benchmark_data / "bibtex" / "bibtex.arff.gz")
    assert data.X.shape == (7395, 1836)
    return data


def test_worked_example_from_bibtex(bibtex):
    codes, labels = encode(bibtex.X), encode(bibtex.Y)
    pairs, relevance = ColumnPairs(codes), summed_relevance(codes, labels)
    for f, value in ENTROPIES.items():
        assert pairs.entropies[f - 1] * pairs.bits == pytest.approx(value, abs=DIGIT)
    shared = pairs.shared_with(951)
    for f, value in SHARED_WITH_952.items():
        assert shared[f - 1] * pairs.bits == pytest.approx(value, abs=DIGIT)
    for f, value in RELEVANCE.items():
        assert relevance[f - 1] == pytest.approx(value, abs=DIGIT)
    assert relevance[951] == relevance[1823]
    second = relevance * (1 - shared / pairs.entropies), relevance - shared * pairs.bits
    for scores, printed in zip(second, (SECOND_SCLS, SECOND_AMI), strict=True):
        for f, value in printed.items():
            # 1.009 is the difference of printed numbers; that of the numbers themselves is 1.010.
            assert scores[f - 1] == pytest.approx(value, abs=DIFFERENCE if value == 1.009 else DIGIT)


@pytest.mark.parametrize(("kind", "second", "score"), [(SCLS, 382, 0.633), (AMI, 1824, 1.009)])
def test_choices_on_bibtex(bibtex, kind, second, score):
    fitted = kind(n_features=2).fit(bibtex.X, bibtex.Y)
    assert (fitted.ranking_ + 1).tolist() == [952, second]
    assert fitted.scores_ == pytest.approx([1.596, score], abs=DIFFERENCE)
    assert fitted.mask_ == kind(n_features=2, n_jobs=2).select(bibtex.X.toarray(), bibtex.Y)


@given(st.data())
def test_a_copy_beside_its_original_is_worth_exactly_nothing(data):
    X = data.draw(hnp.arrays(np.int8, (17, 3), elements=st.integers(0, 3)))
    Y = data.draw(hnp.arrays(np.uint8, (17, 2), elements=st.integers(0, 1)))
    X[:2, :] = [[0], [1]]  # every column varies
    names = data.draw(st.permutations(range(4)))
    X = np.column_stack([X[:, 0], np.array(names)[X[:, 0]], X[:, 1:]])  # and symbols may have other names
    for codes in (encode(X).sparse(), encode(X).packed()):
        criterion = SCLS()._criterion(codes, encode(Y), None)
        criterion.add(0)
        assert criterion.scores()[:2].tolist() == [0.0, 0.0]


def correlated():
    """Return a column that says nothing about the label, four noisy copies of the label, noisiest first, and itself."""
    rng = np.random.default_rng(3)
    label = np.repeat([0, 1], 32).reshape(-1, 1)
    noisy = label ^ (rng.random((64, 4)) < [0.1, 0.05, 0.03, 0.02])
    return np.column_stack([np.arange(64) % 2, noisy, label]), label.astype(np.uint8)


def test_below_zero_the_printed_criterion_takes_what_says_nothing():
    X, Y = correlated()
    printed = SCLS(n_features=1.0, discretizer="passthrough").fit(X, Y)
    where = printed.ranking_.tolist().index(0)
    assert printed.scores_[where] == pytest.approx(0, abs=1e-12)
    assert where < 5
    assert (printed.scores_[where + 1 :] < 0).all()


def test_floor_takes_the_most_relevant_of_those_at_zero():
    X, Y = correlated()
    floored = SCLS(n_features=1.0, floor=True, discretizer="passthrough").fit(X, Y)
    relevance = mutual_information_matrix(X, Y)[:, 0]
    assert relevance[floored.ranking_[0]] == relevance.max()
    positive = int((floored.scores_ > 1e-10).sum())
    rest = floored.ranking_[positive:]
    assert rest.size >= 3
    assert rest.tolist() == sorted(rest, key=lambda f: -relevance[f])
    assert rest[-1] == 0


@given(
    hnp.arrays(np.int8, (16, 6), elements=st.integers(0, 2)), hnp.arrays(np.uint8, (16, 2), elements=st.integers(0, 1))
)
def test_floor_step_by_step(X, Y):
    X[:2] = [[0], [1]]  # every column varies
    relevance, shared = mutual_information_matrix(X, Y).sum(axis=1), mutual_information_matrix(X)
    chosen, scores = [], []
    while len(chosen) < 6:
        left = [f for f in range(6) if f not in chosen]
        values = {f: relevance[f] * (1 - sum(shared[f, s] / shared[f, f] for s in chosen)) for f in left}
        if max(values.values()) <= 1e-9:  # none is above 0
            keys, values = {f: relevance[f] for f in left}, dict.fromkeys(left, 0.0)
        else:
            keys = values
        chosen.append(min(f for f in left if keys[f] >= max(keys.values()) - 1e-9))
        scores.append(values[chosen[-1]])
    fitted = SCLS(n_features=1.0, floor=True, discretizer="passthrough").fit(X, Y)
    assert fitted.ranking_.tolist() == chosen
    np.testing.assert_allclose(fitted.scores_, scores, rtol=0, atol=1e-9)
