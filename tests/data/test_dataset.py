import dataclasses
import re
import shutil
import subprocess

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from plait.data import DataError, Dataset
from plait.data.dataset import dataset_html


def small(form="dense"):
    X = np.array([[0.5, 0.0], [0.0, np.nan], [2.0, 1.0]])
    Y = np.array([[1, 0, 0], [0, 0, 0], [1, 1, 0]])
    if form == "sparse":
        X, Y = sparse.csr_matrix(X), sparse.csr_array(Y)
    return Dataset(X, Y, ["a", "b"], ["sea", "sun", "<fog>"], "beach", ["numeric", "binary"])


@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_fields(form):
    data = small(form)
    assert (data.n_samples, data.n_features, data.n_labels) == (3, 2, 3)
    assert data.Y.dtype == np.int64
    assert data.X.dtype == np.float64
    assert sparse.issparse(data.X) == sparse.issparse(data.Y) == (form == "sparse")
    assert repr(data) == f"Dataset 'beach': 3 rows, 2 features ({form}), 3 labels ({form}), cardinality 1.000"


def test_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        small().name = "other"


@pytest.mark.parametrize("given", [int, bool, np.float32, np.uint8])
def test_number_types(given):
    data = Dataset(np.array([[1, 0]], dtype=given), np.array([[1]], dtype=given))
    assert data.X.dtype == (np.float32 if given is np.float32 else np.float64)
    assert data.Y.dtype == np.int64


def test_default_names():
    data = Dataset(np.zeros((1, 3)), np.ones((1, 2)))
    assert data.feature_names == ("x0", "x1", "x2")
    assert data.label_names == ("y0", "y1")
    assert data.feature_kinds == ("numeric",) * 3


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"X": np.zeros((2, 2))}, "same number of rows, but X has 2 and Y has 3"),
        ({"X": np.zeros(3)}, "X to have two dimensions, but it has 1"),
        ({"X": np.array([["a", "b"]] * 3)}, "X to be an array of numbers, but its dtype is <U1"),
        ({"Y": np.array([1, 0, 1])}, r"Y to have two dimensions, one column for each label, but its shape is \(3,\)"),
        ({"Y": np.array([[1, 2, 0]] * 3)}, "only 0 and 1, but it holds 2"),
        ({"Y": sparse.csr_matrix([[0, 0, 7]] * 3)}, "only 0 and 1, but it holds 7"),
        ({"Y": np.array([["a", "b", "c"]] * 3)}, "only 0 and 1, but it holds 'a'"),
        ({"label_names": ["s"]}, r"label_names to have one name a column \(3\), but it has 1"),
        ({"feature_names": ["a", "a"]}, "feature_names to be unique, but 'a' stands twice"),
        (
            {"feature_kinds": ["numeric", "odd"]},
            "numeric, binary, nominal, words, dates for each of 2 columns, but has 'odd'",
        ),
        ({"feature_kinds": ["numeric"]}, "for each of 2 columns, but has 1 entries"),
    ],
)
def test_bad_fields_are_one_sentence(change, words):
    with pytest.raises(DataError, match=words) as caught:
        dataclasses.replace(small(), **change)
    assert str(caught.value).count("\n") == 0


def test_stored_zeros_in_labels_go_and_the_callers_matrix_stays():
    Y = sparse.csr_matrix(([1, 0], ([0, 1], [0, 0])), shape=(2, 1), dtype=np.uint8)
    assert Dataset(np.zeros((2, 1)), Y).Y.nnz == 1
    assert Y.nnz == 2


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_to_frame(form, library):
    frames = pytest.importorskip(library)
    frame = small(form).to_frame(library)
    assert isinstance(frame, frames.DataFrame)
    assert list(frame.columns) == ["a", "b", "sea", "sun", "<fog>"]
    np.testing.assert_array_equal(np.asarray(frame["a"]), [0.5, 0.0, 2.0])
    np.testing.assert_array_equal(np.asarray(frame["b"]), [0.0, np.nan, 1.0])
    np.testing.assert_array_equal(np.asarray(frame["sea"]), [1, 0, 1])


def test_to_frame_takes_pandas_first_and_refuses_others():
    pandas = pytest.importorskip("pandas")
    assert isinstance(small().to_frame(), pandas.DataFrame)
    with pytest.raises(ValueError, match="library to be 'pandas' or 'polars', but it is 'r'"):
        small().to_frame("r")


def test_to_frame_needs_different_names():
    with pytest.raises(DataError, match="different names, but both have 'a'"):
        Dataset(np.zeros((1, 1)), np.zeros((1, 1)), ["a"], ["a"]).to_frame()


@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_rows(form):
    chosen = small(form).rows([2, 0])
    assert chosen.label_names == small().label_names
    expected = small(form).X[[2, 0]]
    assert chosen == Dataset(
        expected, small(form).Y[[2, 0]], ["a", "b"], ["sea", "sun", "<fog>"], "beach", ["numeric", "binary"]
    )
    assert small(form).rows([True, False, False]).n_samples == 1


@given(
    hnp.arrays(np.float64, (3, 2), elements=st.sampled_from([0.0, 1.5, np.nan])),
    hnp.arrays(np.uint8, (3, 2), elements=st.integers(0, 1)),
    st.integers(0, 5),
)
def test_equality_sees_every_entry(X, Y, where):
    data = Dataset(X, Y)
    assert data == Dataset(X.copy(), Y.copy())
    assert Dataset(sparse.csr_matrix(X), sparse.csr_matrix(Y)) == Dataset(sparse.csc_matrix(X), sparse.csc_matrix(Y))
    other = Y.copy()
    other.flat[where] ^= 1
    assert data != Dataset(X, other)
    other = X.copy()
    other.flat[where] = 9.0
    assert data != Dataset(other, Y)
    assert data != "a word"


def test_no_rows_and_one_label():
    data = Dataset(np.zeros((0, 2)), np.zeros((0, 1)))
    assert "0 rows" in repr(data)
    assert "0 rows" in data._repr_html_()


def dataset(n_labels=12):
    rng = np.random.default_rng(0)
    Y = (rng.random((50, n_labels)) < 0.3).astype(np.uint8)
    Y[:, 0] = 1
    names = ["<script>alert(1)</script>", *(f"label {j}" for j in range(1, n_labels))]
    return Dataset(rng.random((50, 2)), Y, label_names=names, name="a & b")


def test_names_are_escaped_and_counts_are_right():
    data = dataset()
    page = dataset_html(data)
    assert "<script>" not in page
    assert "a &amp; b" in page
    assert "and 2 more labels" in page
    shown = [int(n) for n in re.findall(r"</td><td>(\d+)</td>", page)]
    assert shown == sorted(data.Y.sum(axis=0).tolist(), reverse=True)[:10]


def test_the_table_shows_in_a_browser(tmp_path):
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("needs Debian's chromium")
    page = tmp_path / "page.html"
    page.write_text(f"<!doctype html><meta charset=utf8>{dataset()._repr_html_()}", encoding="utf8")
    # What the browser made of it: ten rows of labels, the first name as plain text.
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
    flags += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    dom = subprocess.run(
        [chromium, *flags, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", page.as_uri()],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    ).stdout
    assert dom.count('class="bar"') == 10
    assert "&lt;script&gt;alert(1)" in dom
