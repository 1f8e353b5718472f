import json
import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from plait.core.sentences import ParameterError
from plait.data import Dataset, load_dataset, statistics

LABELS = hnp.arrays(np.uint8, st.tuples(st.integers(0, 8), st.integers(0, 6)), elements=st.integers(0, 1))


def of(Y, **more):
    return statistics(Dataset(np.zeros((len(Y), 3)), Y, **more))


def naive(Y):
    """Loops over rows and labels, with the definitions written out."""
    n, q = Y.shape
    sizes = [sum(int(v) for v in row) for row in Y]
    positives = [sum(int(Y[i, j]) for i in range(n)) for j in range(q)]
    present = [max(positives) / p for p in positives if p > 0]
    mean_ir = sum(present) / len(present) if present else math.nan
    spread = math.sqrt(sum((r - mean_ir) ** 2 for r in present) / (len(present) - 1)) if len(present) > 1 else 0.0
    return {
        "cardinality": sum(sizes) / n if n else 0.0,
        "density": sum(sizes) / n / q if n and q else 0.0,
        "distinct": len({tuple(row) for row in Y.tolist()}),
        "min_labels": min(sizes, default=0),
        "max_labels": max(sizes, default=0),
        "n_without_labels": sizes.count(0),
        "mean_ir": mean_ir,
        "cvir": spread / mean_ir,
    }


@given(LABELS)
def test_numbers_agree_with_loops(Y):
    found = of(Y)
    for name, value in naive(Y).items():
        np.testing.assert_allclose(getattr(found, name), value, rtol=1e-12, atol=0, err_msg=name)
    assert found.imbalanced == (found.mean_ir > 1.5 and found.cvir > 0.2)
    for j in range(Y.shape[1]):
        n_j = sum(int(v) for v in Y[:, j])
        assert found.positives[j] == n_j
        assert found.imbalance_ratios[j] == (max(found.positives) / n_j if n_j else math.inf)
        assert (f"y{j}" in found.never_on) == (n_j == 0)
        assert (f"y{j}" in found.always_on) == (0 < n_j == len(Y))


@given(LABELS)
def test_label_pairs_agree_with_loops(Y):
    found = of(Y)
    q = Y.shape[1]
    both = [[sum(int(row[i] and row[j]) for row in Y) for j in range(q)] for i in range(q)]
    np.testing.assert_array_equal(found.cooccurrence.toarray(), np.array(both, dtype=int).reshape(q, q))
    ranked = sorted((-both[i][j], i, j) for i, j in combinations(range(q), 2) if both[i][j])
    assert found.top_pairs(4) == [(f"y{i}", f"y{j}", -count) for count, i, j in ranked[:4]]


@given(LABELS)
def test_sparse_equals_dense(Y):
    dense, from_sparse = of(Y), statistics(Dataset(np.zeros((len(Y), 3)), sparse.csr_matrix(Y)))
    assert dense.as_dict() == from_sparse.as_dict()
    assert (dense.cooccurrence != from_sparse.cooccurrence).nnz == 0


@given(LABELS)
def test_as_dict_is_strict_json(Y):
    plain = of(Y).as_dict(n_pairs=2)
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert len(plain["labels"]) == Y.shape[1]
    assert len(plain["top_pairs"]) <= 2


def with_positives(counts, n):
    """Rows whose labels have given frequencies; which rows they are does not matter for IR."""
    Y = np.zeros((n, len(counts)), dtype=np.uint8)
    for j, count in enumerate(counts):
        Y[:count, j] = 1
    return Y


YEAST = (762, 1038, 983, 862, 722, 597, 428, 480, 178, 253, 289, 1816, 1799, 34)


@pytest.mark.parametrize(
    ("counts", "n", "cardinality", "mean_ir", "cvir", "imbalanced"),
    [
        ((173, 166, 264, 148, 168, 189), 593, 1.868, 1.478, 0.180, False),  # emotions
        ((427, 364, 397, 433, 533, 431), 2407, 1.074, 1.254, 0.122, False),  # scene
        (YEAST, 2417, 4.237, 7.197, 1.884, True),
    ],
)
def test_published_label_frequencies(counts, n, cardinality, mean_ir, cvir, imbalanced):
    found = of(with_positives(counts, n))
    printed = [found.cardinality, found.mean_ir, found.cvir]
    np.testing.assert_allclose(printed, [cardinality, mean_ir, cvir], rtol=0, atol=5e-4)
    assert found.imbalanced is imbalanced


def test_labels_never_on_leave_the_imbalance_alone():
    counts = [3, 6, 0, 2, 0]
    with_absent = of(with_positives(counts, 8))
    without = of(with_positives([c for c in counts if c], 8))
    assert (with_absent.mean_ir, with_absent.cvir) == (without.mean_ir, without.cvir)
    assert with_absent.never_on == ("y2", "y4")


def test_one_label():
    found = of(np.array([[1], [0], [1]]))
    assert (found.mean_ir, found.cvir, found.imbalanced) == (1.0, 0.0, False)
    assert found.top_pairs() == []


def test_no_label_is_ever_on():
    found = of(np.zeros((4, 2), dtype=int), label_names=["sea", "sun"])
    assert math.isnan(found.mean_ir)
    assert found.imbalanced is False
    assert found.never_on == ("sea", "sun")
    assert found.n_without_labels == 4
    assert found.as_dict()["mean_ir"] is None


@pytest.mark.parametrize("wrong", ["emotions", None, 3])
def test_only_a_dataset_or_labels(wrong):
    with pytest.raises(ParameterError, match="statistics needs dataset to be a Dataset or labels"):
        statistics(wrong)


def test_wrong_number_of_pairs():
    with pytest.raises(ParameterError, match="top_pairs needs n to be an integer of at least 0, but it is -1"):
        of(np.ones((2, 2))).top_pairs(-1)


# Rows, features, labels, cardinality, distinct label sets, mean IR and CVIR of the public data [PACC, table 2].
PUBLIC = {
    "emotions": (593, 72, 6, 1.868, 27, 1.478, 0.180),
    "scene": (2407, 294, 6, 1.074, 15, 1.254, 0.122),
    "yeast": (2417, 103, 14, 4.237, 198, 7.197, 1.884),
    "birds": (645, 260, 19, 1.014, 133, 5.407, 0.817),
    "medical": (978, 1449, 45, 1.245, 94, 89.501, 1.148),
    "enron": (1702, 1001, 53, 3.378, 753, 73.953, 1.960),
    "bibtex": (7395, 1836, 159, 2.402, 2856, 12.498, 0.405),
    "corel5k": (5000, 499, 374, 3.522, 3175, 189.568, 1.527),
}


def loaded(folder, name, **more):
    return load_dataset(folder / name / f"{name}.arff.gz", nominal="codes", **more)


@pytest.mark.parametrize("name", PUBLIC)
def test_public_data(benchmark_data, name):
    data = loaded(benchmark_data, name)
    found = statistics(data)
    n_samples, n_features, n_labels, cardinality, distinct, mean_ir, cvir = PUBLIC[name]
    assert (found.n_samples, found.n_features, found.n_labels) == (n_samples, n_features, n_labels)
    assert found.distinct == distinct
    printed = [found.cardinality, found.mean_ir, found.cvir]
    np.testing.assert_allclose(printed, [cardinality, mean_ir, cvir], rtol=0, atol=5.01e-4)
    other = data.Y.toarray() if sparse.issparse(data.Y) else sparse.csr_matrix(data.Y)
    assert statistics(Dataset(data.X, other, label_names=data.label_names)).as_dict() == found.as_dict()


# Least, mean and most labels a row of the training parts [PCC, table 1].
TRAINING = {
    "scene": (1, 1.062, 3),
    "emotions": (1, 1.813, 3),
    "yeast": (1, 4.228, 11),
    "medical": (1, 1.255, 3),
    "enron": (1, 3.386, 11),
}


@pytest.mark.parametrize("name", TRAINING)
def test_public_training_parts(benchmark_data, name):
    found = statistics(loaded(benchmark_data, name, split="train"))
    least, mean, most = TRAINING[name]
    assert (found.min_labels, found.max_labels) == (least, most)
    np.testing.assert_allclose(found.cardinality, mean, rtol=0, atol=5.01e-4)


@pytest.mark.parametrize(("name", "n_absent"), [("medical", 7), ("enron", 1)])
def test_labels_absent_from_public_training_parts(benchmark_data, name, n_absent):
    assert len(statistics(loaded(benchmark_data, name, split="train")).never_on) == n_absent
