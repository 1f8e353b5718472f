"""Both ways of reading rows against values that were chosen before the text was written."""

import gzip
import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import sparse

from plait.core.kernel_policy import using_kernels
from plait.core.randomness import generator
from plait.data import DataError, Dataset, DataWarning
from plait.data.readers.arff import read_arff, reader
from plait.data.readers.mulan import read_label_names

# Declared values, what they are in a column of codes, and how they may be written in a row.
DOMAINS = {
    "{0,1}": {"0": (0, ["0", "'0'"]), "1": (1, ["1", '"1"'])},
    "{1,0}": {"1": (1, ["1"]), "0": (0, ["0", "'0'"])},
    "{YES, NO}": {"YES": (1, ["YES"]), "NO": (0, ["NO"])},
    "{a,'b c',\"d,}e\",'?',é}": {
        "a": (0, ["a", "'a'"]),
        "b c": (1, ["'b c'", "b c"]),
        "d,}e": (2, ["'d,}e'"]),
        "?": (3, ["'?'", '"?"']),
        "é": (4, ["é", "'é'", "'\\u00e9'"]),
    },
}
NUMBERS = st.one_of(
    st.integers(-1000, 1000).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(["0", "-0", "+1", "1.", ".5", "1E5", "1e-400", "12345678901234567890", "0.1234567890123456789012"]),
    st.decimals(-1000, 1000, places=4).map(str),
)


@st.composite
def cells(draw, declared, is_label):
    """Return a value and a text for it."""
    if draw(st.integers(0, 9)) == 0:
        return math.nan, "?"
    if declared in DOMAINS:
        value, texts = draw(st.sampled_from(list(DOMAINS[declared].values())))
        return float(value), draw(st.sampled_from(texts))
    if declared == "string":
        return 0.0, draw(st.sampled_from(["x", "'a b'", "'1,2'"]))
    text = draw(st.sampled_from(["0", "1", "1.0"]) if is_label else NUMBERS)
    return float(text), draw(st.sampled_from([text, text, text, f"'{text}'"]))


@st.composite
def files(draw):
    """Return the text of a file, how many of its last attributes are labels, and its values."""
    features = draw(st.lists(st.sampled_from(["numeric", "REAL", "string", *DOMAINS]), max_size=6))
    labels = draw(st.lists(st.sampled_from(["{0,1}", "{1,0}", "{YES, NO}", "numeric"]), min_size=1, max_size=3))
    declared = features + labels
    form = draw(st.sampled_from(["dense", "sparse", "mixed"]))
    # Mostly rows of plain words and numbers, which the kernel reads itself.
    plain = draw(st.booleans())
    lines, rows, forms = [], [], []
    for _ in range(draw(st.integers(1, 8))):
        row = [draw(cells(kind, j >= len(features))) for j, kind in enumerate(declared)]
        is_sparse = form == "sparse" or (form == "mixed" and draw(st.booleans()))
        text, values = draw(sparse_lines(declared, row, plain) if is_sparse else dense_lines(row, plain))
        lines.append(text)
        rows.append(values)
        forms.append(is_sparse)
        lines += draw(st.lists(st.sampled_from(["", "  ", "% comment", "\t%{0 1}"]), max_size=2))
    attributes = "".join(f"@attribute a{j} {kind}\n" for j, kind in enumerate(declared))
    header = f"@relation r\n{attributes}@data\n"
    end = draw(st.sampled_from(["\n", "\r\n"]))
    text = (header + "\n".join(lines)).replace("\n", end) + draw(st.sampled_from(["", end]))
    return text, declared, len(labels), np.array(rows).reshape(len(rows), -1), any(forms)


@st.composite
def dense_lines(draw, row, plain):
    separators = st.sampled_from([",", ", ", " ,"] if plain else [",", "\t", ",\t", " \t "])
    text = row[0][1] + "".join(draw(separators) + text for _, text in row[1:])
    line = draw(st.sampled_from(["{}", " {} "] if plain else ["{}", "{}\t", "{} % c"]))
    return line.format(text), [value for value, _ in row]


@st.composite
def sparse_lines(draw, declared, row, plain):
    first = {kind: next(iter(values.values()))[0] for kind, values in DOMAINS.items()}
    values, pairs = [], []
    for j, (kind, (value, text)) in enumerate(zip(declared, row, strict=True)):
        if draw(st.booleans()):
            values.append(float(first.get(kind, 0)))
        else:
            values.append(value)
            pair = st.sampled_from(["{} {}", "{}  {}", " {} {} "] if plain else ["{} {}", "{}\t{}", " 0{} {}\t"])
            pairs.append(draw(pair).format(j, text))
    return "{" + ",".join(pairs) + draw(st.sampled_from(["}", " }", "} "] if plain else ["}", "} %c"])), values


def read(path, n_labels, fast, nominal="codes"):
    def last(header):
        return range(len(header.names) - n_labels, len(header.names))

    policy = {None: "auto", True: "always", False: "never"}[fast]
    with warnings.catch_warnings(), using_kernels(policy):
        warnings.simplefilter("ignore", DataWarning)
        return read_arff(path, last, nominal)


@pytest.mark.parametrize("fast", [False, True])
@given(file=files())
def test_values_come_back(tmp_path_factory, fast, file):
    text, declared, n_labels, values, is_sparse = file
    path = tmp_path_factory.getbasetemp() / f"values-{fast}.arff"
    path.write_bytes(text.encode())
    data = read(path, n_labels, fast)
    n_features = len(declared) - n_labels
    kept = [j for j in range(n_features) if declared[j] != "string"]
    whole = not np.isnan(values[:, n_features:]).any()
    assert sparse.issparse(data.X) == is_sparse
    assert sparse.issparse(data.Y) == (is_sparse and whole)  # unknown labels are kept dense
    X, Y = (each.toarray() if sparse.issparse(each) else each for each in (data.X, data.Y))
    assert_array_equal(X, values[:, kept])
    if not is_sparse:
        assert_array_equal(np.signbit(X), np.signbit(values[:, kept]))
    assert_array_equal(Y, values[:, n_features:])
    assert Y.dtype == (np.int64 if whole else np.float64)
    assert data.feature_names == tuple(f"a{j}" for j in kept)
    kinds = {"numeric": "numeric", "REAL": "numeric", "{a,'b c',\"d,}e\",'?',é}": "nominal"}
    assert data.feature_kinds == tuple(kinds.get(declared[j], "binary") for j in kept)


@pytest.mark.parametrize("nominal", ["onehot", "codes"])
@given(file=files())
def test_kernels_and_plain_parser_agree_to_the_bit(tmp_path_factory, nominal, file):
    path = tmp_path_factory.getbasetemp() / f"agree-{nominal}.arff"
    path.write_bytes(file[0].encode())
    fast, slow = read(path, file[2], True, nominal), read(path, file[2], False, nominal)
    assert fast == slow
    assert_same_bits(fast, slow)


def assert_same_bits(one, other):
    for a, b in ((one.X, other.X), (one.Y, other.Y)):
        parts = ("data", "indices", "indptr") if sparse.issparse(a) else ("T",)
        for part in parts:
            x, y = np.ascontiguousarray(getattr(a, part)), np.ascontiguousarray(getattr(b, part))
            assert x.dtype == y.dtype
            assert x.tobytes() == y.tobytes()


REAL = ("birds", "emotions", "enron", "foodtruck", "genbase", "image135", "languagelog", "medical", "reuters_k500")


@pytest.mark.parametrize("name", [*REAL, "corel5k", "yeast", "yahoo_business_zhang5000"])
def test_kernels_and_plain_parser_agree_on_real_files(benchmark_data, name):
    folder = benchmark_data / name
    labels = set(read_label_names(folder / f"{name}.xml"))

    def chosen(header):
        return [j for j, attribute in enumerate(header.names) if attribute in labels]

    for path in sorted(folder.glob("*.arff.gz"))[:2]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            with using_kernels("always"):
                fast = read_arff(path, chosen)
            with using_kernels("never"):
                plain = read_arff(path, chosen)
        assert fast == plain
        assert_same_bits(fast, plain)


HEADER = "@relation r\n@attribute a numeric\n@attribute b {x,y,z}\n@attribute l {0,1}\n@data\n"


def small(tmp_path, rows, header=HEADER, name="f.arff"):
    path = tmp_path / name
    path.write_bytes((header + rows).encode())
    return path


def test_small_and_large_files_are_read_alike(tmp_path, monkeypatch):
    rows = "".join(f"{i / 7},{'xyz'[i % 3]},{i % 2}\n" for i in range(5000))
    whole = read(small(tmp_path, rows), 1, None)
    monkeypatch.setattr(reader, "LARGE_FILE", 1000)
    assert whole == read(small(tmp_path, rows), 1, None)
    assert whole.n_samples == 5000
    assert whole.X[4999].tolist() == [4999 / 7, 4999 % 3]


def test_a_small_file_needs_no_kernel(tmp_path, monkeypatch):
    def never(*given):
        raise AssertionError("a kernel was called")

    rows = "1.5,x,1\n?,y,0\n" * 1000 + "{0 2}\n"
    path = small(tmp_path, rows)
    monkeypatch.setattr(reader, "declared_words", never)
    assert read(path, 1, None).n_samples == 2001
    monkeypatch.setattr(reader, "LARGE_FILE", len(rows))
    with pytest.raises(AssertionError, match="a kernel was called"):
        read(path, 1, None)


@pytest.mark.parametrize("fast", [False, True])
def test_lines_over_many_blocks_and_unusual_lines_between(tmp_path, fast):
    usual = "1.5,x,1\n" * 100_000 + "'2.5',\"y\",0\n" + "?,z,1\n" * 100_000 + "{0 7}\n" + "{2 1}\n" * 100_000
    data = read(small(tmp_path, usual), 1, fast)
    assert data.n_samples == 300_002
    assert_array_equal(data.X[[0, 100_000, 200_001, 300_001]].toarray(), [[1.5, 0], [2.5, 1], [7, 0], [0, 0]])
    assert np.isnan(data.X[100_001, 0])
    assert data.Y.sum() == 300_000


@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize("share", [0.01, 0.5, 0.99])
def test_usual_and_unusual_lines_in_any_order(tmp_path, share, fast):
    unusual = generator(0).random(5000) < share
    rows = "".join((f"'{i}',y,1 % c\n" if odd else f"{i},y,0\n") for i, odd in enumerate(unusual.tolist()))
    data = read(small(tmp_path, rows), 1, fast)
    assert_array_equal(data.X[:, 0], np.arange(5000))
    assert_array_equal(data.Y[:, 0], unusual)
    wrong = rows.replace("'4990'", "'x'").replace("4990,", "x,")
    with pytest.raises(DataError, match="line 4996: expected a finite number for attribute 'a', but found 'x'"):
        read(small(tmp_path, wrong), 1, fast)


@pytest.mark.parametrize("fast", [False, True])
def test_an_error_has_the_line_of_the_whole_file(tmp_path, fast):
    rows = "1.5,x,1\n" * 200_000 + "% c\n\n'2',y,1\n" + "1.5,x,1\n" * 100 + "1.5,w,1\n"
    expected = rf"f\.arff, line {5 + 200_000 + 3 + 100 + 1}: expected a declared value of attribute 'b'"
    with pytest.raises(DataError, match=expected):
        read(small(tmp_path, rows), 1, fast)


def test_a_packed_file_that_is_cut_short(tmp_path):
    packed = gzip.compress((HEADER + "1.5,x,1\n" * 1000).encode())
    path = tmp_path / "cut.arff.gz"
    path.write_bytes(packed[:-10])
    with pytest.raises(DataError, match=r"cut\.arff\.gz: expected a whole file"):
        read(path, 1, None)


@pytest.mark.parametrize("rows", ["", "\n\n% nothing\n"])
def test_a_file_without_rows(tmp_path, rows):
    with pytest.raises(DataError, match="expected rows after @data, but found none"):
        read(small(tmp_path, rows), 1, None)


def test_weights_are_left_out_with_one_warning(tmp_path):
    path = small(tmp_path, "1,x,1,{0.5}\n{0 1}, {2}\n")
    with pytest.warns(DataWarning, match=r"f\.arff: left out the weights of rows") as caught:
        data = read_arff(path, lambda header: [2], "codes")
    assert len(caught) == 1
    assert_array_equal(data.X.toarray(), [[1, 0], [1, 0]])


@pytest.mark.parametrize(
    ("kind", "found"),
    [("string", "string"), ("{a,b,c}", "3 values"), ("{a}", "1 values")],
)
def test_attributes_that_are_no_labels(tmp_path, kind, found):
    path = small(tmp_path, "a\n", f"@attribute l {kind}\n@data\n")
    with pytest.raises(DataError, match=f"label 'l' to be numeric or to have two values, but found {found}"):
        read(path, 1, None)


@pytest.mark.parametrize("fast", [False, True])
def test_left_out_labels_have_the_first_declared_value(tmp_path, fast):
    header = "@attribute a numeric\n@attribute l {1,0}\n@attribute m {no,yes}\n@data\n"
    data = read(small(tmp_path, "{0 2}\n{1 0,2 yes}\n{1 1}\n", header), 2, fast)
    assert_array_equal(data.Y.toarray(), [[1, 0], [0, 1], [1, 0]])


@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize(
    "rows",
    [
        "1,x,?,no\n2,y,0,yes\n3,z,1,?\n",
        "{0 1,2 ?}\n{0 2,1 y,2 0,3 yes}\n{0 3,1 z,3 ?}\n",
        "1,x,?,no\n{0 2,1 y,2 0,3 yes}\n{0 3,1 z,3 ?}\n",
    ],
    ids=["dense", "sparse", "mixed"],
)
def test_a_missing_label_is_unknown(tmp_path, rows, fast):
    header = "@attribute a numeric\n@attribute b {x,y,z}\n@attribute l {1,0}\n@attribute m {no,yes}\n@data\n"
    data = read(small(tmp_path, rows, header), 2, fast)
    assert isinstance(data.Y, np.ndarray)
    assert_array_equal(data.Y, [[np.nan, 0], [0, 1], [1, np.nan]])
    X = data.X.toarray() if sparse.issparse(data.X) else data.X
    assert_array_equal(X, [[1, 0], [2, 1], [3, 2]])


@pytest.mark.parametrize("fast", [False, True])
def test_unknown_labels_are_bounded_by_the_file(tmp_path, fast, monkeypatch):
    header = "".join(f"@attribute l{j} {{0,1}}\n" for j in range(200)) + "@data\n"
    path = small(tmp_path, "{}\n" * 100 + "{7 ?}\n", header)
    assert np.isnan(read(path, 200, fast).Y).sum() == 1
    monkeypatch.setattr(reader, "_MOST_CELLS", 20_000)
    with pytest.raises(DataError, match="at most 20000 labels of all rows, as some are unknown, but found 20200"):
        read(path, 200, fast)


@pytest.mark.parametrize("fast", [False, True])
def test_left_out_labels_are_bounded_by_the_file(tmp_path, fast):
    header = "".join(f"@attribute l{j} {{1,0}}\n" for j in range(2000)) + "@data\n"
    path = small(tmp_path, "{}\n" * 40_000, header)
    with pytest.raises(DataError, match=r"expected at most .* entries that are left out but not 0"):
        read(path, 2000, fast)


def test_all_attributes_may_be_labels_or_features(tmp_path):
    path = small(tmp_path, "1,0\n{0 1}\n", "@attribute a {0,1}\n@attribute b {0,1}\n@data\n")
    assert read(path, 2, None).X.shape == (2, 0)
    assert read_arff(path, lambda header: []).Y.shape == (2, 0)


def test_a_name_is_that_of_the_file_unless_given(tmp_path):
    path = small(tmp_path, "1,x,1\n", name="beach-train.arff")
    assert read(path, 1, None).name == "beach-train"
    assert read_arff(path, lambda header: [2], name="sea").name == "sea"


def test_a_wide_header_costs_what_it_is_long(tmp_path):
    header = "".join(f"@attribute a{j} numeric\n" for j in range(100_000)) + "@data\n"
    data = read(small(tmp_path, "{99999 1}\n" * 3, header), 1, None)
    assert isinstance(data, Dataset)
    assert data.X.shape == (3, 99_999)
    assert data.Y.sum() == 3


def test_declared_values_that_collide_are_read_all_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(reader, "declared_words", lambda table, is_label: None)
    assert read(small(tmp_path, "1,x,1\n"), 1, True).X.tolist() == [[1, 0]]
