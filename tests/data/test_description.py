import re

import numpy as np
import pytest
from scipy import sparse

from plait.data import Dataset
from plait.data.description import describe_text


def toy(n_labels, form=np.asarray):
    rng = np.random.default_rng(1)
    Y = (rng.random((60, n_labels)) < 0.4).astype(np.uint8)
    names = [f"label number {j}" for j in range(n_labels)]
    return Dataset(form(rng.random((60, 3))), form(Y), label_names=names, name="toy")


def test_bars_are_in_proportion_and_labels_are_sorted():
    data = toy(5)
    lines = re.findall(r"^  (label number \d)  +(\d+)  (█*)(.?) ", describe_text(data), re.MULTILINE)
    counts = [int(count) for _, count, _, _ in lines]
    assert counts == sorted(data.Y.sum(axis=0).tolist(), reverse=True)
    for (_, _, blocks, rest), count in zip(lines, counts, strict=True):
        length = len(blocks) + " ▏▎▍▌▋▊▉".index(rest) / 8
        assert length == pytest.approx(30 * count / counts[0], abs=1 / 16)


def test_dense_and_sparse_say_the_same():
    dense, thin = describe_text(toy(4)), describe_text(toy(4, sparse.csr_matrix))
    assert dense.replace("dense", "") == thin.replace("sparse", "")


def test_many_labels_show_both_ends():
    text = describe_text(toy(40))
    assert "... 28 more ..." in text
    assert text.count("  IR ") == 12


def test_long_names_are_cut_and_line_breaks_go():
    data = Dataset([[0.0]], [[1]], label_names=["a\nb" + "x" * 200])
    lines = describe_text(data).splitlines()
    assert max(map(len, lines)) < 100
    assert any(line.startswith("  a b") and "…" in line for line in lines)


def test_no_rows_no_pairs():
    text = describe_text(Dataset(np.zeros((0, 1)), np.zeros((0, 2))))
    assert "No two labels ever occur together." in text
    assert "nan" not in text
    assert "inf" not in text
