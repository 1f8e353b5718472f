"""Every file of the benchmark data against the line that describes it."""

import csv
import os
import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from plait.data import DataWarning
from plait.data.readers.meka import meka_label_count, read_meka
from plait.data.readers.mulan import read_mulan

# Attributes that only tell rows apart, which reading leaves out.
DROPPED = {"genbase": 1}
PARTS = {"sparse": True, "dense": False}


def manifest():
    folder = os.environ.get("PLAIT_DATA")
    file = Path(folder or "no folder", "MANIFEST.csv")
    return list(csv.DictReader(file.read_text().splitlines())) if file.is_file() else []


LINES = {line["name"]: line for line in manifest()}
# Where there are no data, one test still says so.
NAMES = sorted(LINES) or ["none"]


def read(benchmark_data, name, part=""):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore" if name in DROPPED else "error", DataWarning)
        return read_mulan(benchmark_data / name / f"{name}{part}.arff.gz", nominal="codes")


@pytest.fixture(scope="module", params=NAMES)
def whole(request, benchmark_data):
    """Return one file after the other, each read once for all tests that ask for it."""
    return read(benchmark_data, request.param)


def test_the_whole_file(whole):
    line, data, name = LINES[whole.name], whole, whole.name
    assert data.n_samples == int(line["rows"])
    assert data.n_features + DROPPED.get(name, 0) == int(line["features"])
    assert data.n_labels == int(line["labels"])
    assert f"{data.Y.sum(dtype=np.int64) / data.n_samples:.4f}" == line["cardinality"]
    assert f"{data.Y.sum(dtype=np.int64) / data.n_samples / data.n_labels:.5f}" == line["density"]
    assert distinct_rows(data.Y) == int(line["distinct_labelsets"])
    assert sparse.issparse(data.X) == sparse.issparse(data.Y) == PARTS[line["feature_type"].split()[-1]]


def distinct_rows(Y):
    rows = sparse.csr_matrix(Y)
    ends = rows.indptr.tolist()
    return len({tuple(sorted(rows.indices[a:b].tolist())) for a, b in pairwise(ends)})


def test_the_kinds_of_features(whole):
    kind, found = LINES[whole.name]["feature_type"], whole.feature_kinds
    counts = {word: found.count(word) for word in ("numeric", "binary", "nominal")}
    if kind.startswith("mixed"):
        numbers = [int(word.strip("(,")) for word in kind.split() if word.strip("(,").isdigit()]
        # A nominal attribute of two values is a binary column here.
        assert counts["numeric"] == numbers[0]
        assert counts["binary"] + counts["nominal"] == numbers[1] + numbers[2]
    else:
        expected = {"numeric": "numeric", "binary": "binary", "nominal": "binary"}[kind.split()[0]]
        assert counts[expected] == len(found)


@pytest.mark.parametrize(
    "whole", [name for name in NAMES if LINES.get(name, {}).get("has_split") != "no"], indirect=True
)
def test_the_split(benchmark_data, whole):
    line, name = LINES[whole.name], whole.name
    for part, n_rows in zip(("-train", "-test"), line["has_split"].split("/"), strict=True):
        data = read(benchmark_data, name, part)
        assert data.n_samples == int(n_rows)
        assert data.name == f"{name}{part}"
        assert data.label_names == whole.label_names
        assert data.feature_names == whole.feature_names
        assert data.feature_kinds == whole.feature_kinds


def test_no_split_means_no_files(benchmark_data):
    for name, line in LINES.items():
        parts = {path.name for path in (benchmark_data / name).glob("*-t*.arff.gz")}
        assert bool(parts) == (line["has_split"] != "no")


def test_identifiers_are_named(benchmark_data):
    for part in ("", "-train", "-test"):
        with pytest.warns(DataWarning, match="left out 'protein', which only tells rows apart"):
            read_mulan(benchmark_data / "genbase" / f"genbase{part}.arff.gz")


def test_labels_are_in_the_order_of_the_attributes(benchmark_data):
    assert read(benchmark_data, "yeast").label_names == tuple(f"Class{k}" for k in range(1, 15))


def test_train_and_test_make_the_whole(benchmark_data):
    parts = [read(benchmark_data, "birds", part) for part in ("-train", "-test")]
    whole = read(benchmark_data, "birds")
    np.testing.assert_array_equal(np.vstack([part.X for part in parts]), whole.X)
    np.testing.assert_array_equal(np.vstack([part.Y for part in parts]), whole.Y)


def test_a_label_of_genbase_equals_a_feature(benchmark_data):
    # The manifest says that 20 of the 27 labels are equal to a YES/NO feature, which holds only if YES is 1.
    data = read(benchmark_data, "genbase")
    columns = {tuple(column) for column in data.X.T.astype(int).tolist()}
    assert sum(tuple(label) in columns for label in data.Y.T.tolist()) == 20


def test_meka_and_xml_agree(benchmark_data):
    path = benchmark_data / "imdb" / "imdb.arff.gz"
    assert meka_label_count(path) == 28
    assert read_meka(path) == read_mulan(path)
