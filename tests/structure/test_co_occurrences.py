"""Without tables of all pairs: the same rows and the same structures as with them, bit for bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from plait.counts import count_pairs, encode
from plait.structure import FullChain, InformationOrder, KDependence, LabelTree, Polytree, label_information
from plait.structure.co_occurrences import CoOccurrences, rows_given_symbols
from plait.structure.label_information import LabelInformation
from plait.structure.structure_input import StructureInput

pytestmark = pytest.mark.usefixtures("kernels")

STRUCTURES = [
    LabelTree(root=0),
    LabelTree("mi"),
    KDependence(2),
    KDependence(3, "information", 1.0),
    KDependence(2, ties="dependence", max_candidates=4),
    KDependence(0),
    FullChain(InformationOrder(n_components=2)),
    FullChain(InformationOrder(second_term=True)),
    FullChain(InformationOrder(features="all")),
]


@st.composite
def tagged_rows(draw):
    """Draw rare labels with friends: pairs that meet, pairs that never do, copies, absent and constant labels."""
    n, q = draw(st.integers(1, 40)), draw(st.integers(1, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    Y = rng.random((n, q)) < rng.choice([0.0, 0.05, 0.2, 0.6], q)
    if q > 2:
        Y[:, 1] |= Y[:, 0] & (rng.random(n) < 0.7)
        Y[:, 2] = Y[:, rng.integers(0, q)]
    Y[:, rng.random(q) < 0.1] = rng.random() < 0.5
    return rng.normal(size=(n, 3)), Y.astype(np.uint8)


@settings(deadline=None, max_examples=40)
@given(tagged_rows(), st.integers(0, 99))
def test_the_same_structures_as_by_tables_of_all_pairs(rows, seed):
    X, Y = rows
    for structure in STRUCTURES:
        expected = structure.build(X, Y, random_state=seed)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(label_information, "MANY_LABELS", 1)
            assert LabelInformation(Y).many
            for form in (Y, sparse.csr_matrix(Y)):
                assert structure.build(X, form, random_state=seed) == expected


@settings(deadline=None, max_examples=40)
@given(tagged_rows())
def test_rows_have_the_bits_of_tables(rows):
    X, Y = rows
    column = np.round(X[:, 0])
    column[:1] = np.nan
    few = LabelInformation(Y)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(label_information, "MANY_LABELS", 1)
        many = LabelInformation(Y)
    given_symbols, by_symbols = few.given_symbols(column), many.rows_given_symbols(column)
    for label in range(Y.shape[1]):
        assert many.mutual_row(label).tolist() == few.mutual[label].tolist()
        assert many.normalized_row(label).tolist() == few.normalized[label].tolist()
        assert by_symbols(label).tolist() == given_symbols[label].tolist()
    assert "pairs" not in vars(many)


def test_labels_that_never_meet_tell_something():
    Y = sparse.csr_array(np.repeat(np.eye(3, dtype=np.uint8), 4, axis=0))
    met = CoOccurrences(Y)
    assert met.row(0).tolist() == [4, 0, 0]
    assert met.tables(0).table(0, 1).tolist() == count_pairs(Y).table(0, 1).tolist() == [[4, 4], [4, 0]]
    assert rows_given_symbols(encode(Y).sparse(), np.zeros(12))(0)[1] > 0.2


def test_no_table_of_all_pairs_of_many_labels():
    """Labels of their own rows: each label has as its parents those before it that share most."""
    rng = np.random.default_rng(0)
    q = label_information.MANY_LABELS
    first = rng.integers(0, q, 6 * q)
    rows = np.repeat(np.arange(first.size), 2)
    Y = sparse.csr_array((np.ones(rows.size), (rows, np.column_stack([first, first ^ 1]).ravel())), (first.size, q))
    graph = LabelTree(root=0).build(np.zeros((first.size, 1)), Y)
    pairs = sorted((min(edge), max(edge)) for edge in graph.edges)
    assert {(k, k + 1) for k in range(0, q, 2) if Y[:, [k]].nnz} <= set(pairs)
    parents = KDependence(1).build(np.zeros((first.size, 1)), Y).parents
    assert [parents[k] for k in range(3, q, 2) if Y[:, [k]].nnz] == [(k - 1,) for k in range(3, q, 2) if Y[:, [k]].nnz]


@settings(max_examples=50, deadline=None)
@given(tagged_rows(), st.integers(0, 40))
def test_counts_add_up(rows, cut):
    """Counts of some rows, of others and of copies of rows are those of all of them, and give the same graphs."""
    X, Y = rows
    whole, copies = sparse.csr_array(Y), np.arange(len(Y)) % 3
    parts = CoOccurrences(whole[:cut]) + CoOccurrences(whole[cut:])
    pairs = (parts, Y), (CoOccurrences(whole, copies), np.repeat(Y, copies, axis=0))
    for counts, labels in pairs:
        if not len(labels):
            continue
        alone = CoOccurrences(sparse.csr_array(labels))
        assert counts.n_rows == len(labels)
        assert np.array_equal(counts.counts, labels.sum(axis=0))
        assert np.array_equal(counts.joint, alone.joint)
        assert np.array_equal(counts.joint, labels.T.astype(int) @ labels)
        for structure in (LabelTree(root=0), LabelTree("mi", root=0), Polytree("nmi"), Polytree("nmi", earlier=0.01)):
            draws = np.random.default_rng(0)
            found = structure.build_checked(StructureInput("", X[:0], labels[:0], draws, None, None, counts))
            assert found.parents == structure.build(np.zeros((len(labels), 1)), labels, random_state=0).parents
