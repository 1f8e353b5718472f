"""What the kernels leave to the plain parser, and what they do not."""

import numpy as np
import pytest

from plait.core.randomness import generator
from plait.data.conversion.attributes import Attribute, AttributeTable
from plait.data.readers.arff import _kernels
from plait.data.readers.arff._kernels import FREE, fill_table, read_rows
from plait.data.readers.arff.reader import attribute_places, declared_words, place_entries

TABLE = AttributeTable.of(
    [
        Attribute("n"),
        Attribute("c", "nominal", ("red", "blue", "?", "é")),
        Attribute("s", "string"),
        Attribute("y", "nominal", ("1", "0")),
        Attribute("z"),
    ]
)
IS_LABEL = np.array([False, False, False, True, True])
PLACES = attribute_places(TABLE, IS_LABEL)


def run(text):
    block = np.frombuffer(text.encode(), dtype=np.uint8)
    n = len(block) // 2 + 1
    attribute, value, ends = np.empty(n, np.int32), np.empty(n), np.empty(n, np.int64)
    at, rows, lines, is_sparse = read_rows(block, 0, PLACES, *declared_words(TABLE, IS_LABEL), attribute, value, ends)
    n_pairs = ends[rows - 1] if rows else 0
    return at, lines, is_sparse, attribute[:n_pairs].tolist(), value[:n_pairs].tolist(), ends[:rows].tolist()


def test_places_and_domains():
    assert PLACES.tolist() == [[0, 0], [1, 0], [2, 0], [-1, 1], [-2, 0]]
    assert declared_words(TABLE, IS_LABEL).domains.tolist() == [-1, 1, -2, 2, 0]


PLAIN = ["1.5,red,x,1,0", " 2 , blue,y ,0, 1 ", "-0.0,?,?,1,1", "{}", "{0 1}", "{ 0 1 , 1  blue,3 0 ,4 1 } ", "{3 0}"]
PLAIN += ["1.5,red,x,?,0", "1.5,red,x,1,?", "{3 ?}", "{4 ? }"]


@pytest.mark.parametrize("line", PLAIN)
def test_plain_rows_are_read(line):
    at, lines, *_, ends = run(line + "\n")
    assert at == len(line) + 1
    assert lines == len(ends) == 1


UNUSUAL = [
    "'1.5',red,x,1,0",
    '1.5,"red",x,1,0',
    "1.5,red,x,1,0 % c",
    "1.5,red,x%,1,0",
    "1.5,red,a\\b,1,0",
    "1.5\tred,x,1,0",
    "1.5,red,x,1,0,{2}",
    "1.5,red,x y,1,0",
    "1.5,é,x,1,0",
    "1.5,green,x,1,0",
    "1.5,red,x,??,0",
    "1.5,red,x,1,?0",
    "1.5,red,x,1,2",
    "1.5,red,x,1,1.0",
    "1.5,red,x,1",
    "1.5,red,x,1,",
    "1.5,red,x,1,0,0",
    "1.5,red,,1,0",
    ",red,x,1,0",
    "x,red,x,1,0",
    "nan,red,x,1,0",
    "1e999,red,x,1,0",
    "?x,red,x,1,0",
    "1.5,??,x,1,0",
    "{0 1",
    "{0 1}}",
    "{0 1},{2}",
    "{0 1,}",
    "{,0 1}",
    "{0}",
    "{0 }",
    "{0\t1}",
    "{5 1}",
    "{9999999999 1}",
    "{1 red,0 1}",
    "{0 1,0 1}",
    "{0 1 1 red}",
    "{3 ??}",
    "{x 1}",
    "}",
    "\0",
]


@pytest.mark.parametrize("line", UNUSUAL)
def test_anything_else_is_left_with_its_line(line):
    before = "1,red,x,1,0\n% c\n\n{1 blue}\n"
    at, lines, is_sparse, _, _, ends = run(before + line + "\n1,red,x,1,0\n")
    assert at == len(before)
    assert lines == 4
    assert is_sparse
    assert ends == [5, 6]


def test_pairs_of_dense_and_sparse_rows():
    *_, is_sparse, attribute, value, ends = run("1.5,blue,x,1,0\n{1 red,4 1}\n")
    assert is_sparse
    assert attribute == [0, 1, 2, 3, 4, 1, 4]
    assert value == [1.5, 1, 0, 1, 0, 0, 1]
    assert ends == [5, 7]


@pytest.mark.parametrize("form", ["{}\n", "{{0 {}}}\n"])
def test_numbers_in_rows_are_those_of_python(form):
    values = generator(0).normal(size=2000) * 10.0 ** generator(1).integers(-6, 20, size=2000)
    texts = [style(value) for value in values.tolist() for style in (repr, "{:.3f}".format, "{:.17g}".format)]
    texts += [
        "9007199254740993",
        "0.9007199254740993",
        "99999999999999999999",
        "0.00000000000000012345",
        "123456789012345678",
    ]
    table = AttributeTable.of([Attribute("n")])
    places, words = attribute_places(table, np.array([False])), declared_words(table, np.array([False]))
    block = np.frombuffer("".join(map(form.format, texts)).encode(), dtype=np.uint8)
    attribute, value, ends = np.empty(len(texts), np.int32), np.empty(len(texts)), np.empty(len(texts), np.int64)
    at, done = 0, []
    while at < len(block):
        at, rows, _, _ = read_rows(block, at, places, *words, attribute, value, ends)
        done += value[:rows].tolist()
        if at < len(block):  # one that is left to Python
            done.append(None)
            at = at + block[at:].tobytes().index(b"\n") + 1
    expected = [float(text) for text in texts]
    assert done.count(None) < len(texts) / 10
    assert [found == value or found is None for found, value in zip(done, expected, strict=True)] == [True] * len(texts)


def random_pairs(random):
    counts = random.integers(0, 6, size=20)
    attribute = np.concatenate([np.sort(random.permutation(5)[:count]) for count in counts]).astype(np.int32)
    value = random.choice([0.0, 1.0, 2.5, np.nan], size=len(attribute))
    value[IS_LABEL[attribute]] = random.choice([0.0, 1.0, np.nan], size=IS_LABEL[attribute].sum())
    return attribute, value, np.cumsum(counts)


@pytest.mark.parametrize("seed", range(5))
def test_sparse_placing_is_that_of_numpy(seed):
    attribute, value, ends = random_pairs(generator(seed))
    results = []
    for place in (_kernels.place_entries, place_entries):
        arrays = [
            np.full(200, -9, np.int32),
            np.full(200, -9.0),
            np.full(21, 3),
            np.full(200, -9, np.int32),
            np.full(21, 2),
        ]
        place(attribute, value, ends, PLACES, *arrays)
        results.append(arrays)
    for a, b in zip(*results, strict=True):
        np.testing.assert_array_equal(a, b)
    assert results[0][2][-1] > 3
    assert results[0][4][-1] > 2


def test_colliding_words_are_refused():
    words = np.zeros(600, dtype=np.uint8)
    entries = np.column_stack((np.zeros(300), np.zeros(300), np.ones(300), np.zeros(300))).astype(np.int64)
    table = np.full((1024, 4), FREE, dtype=np.int64)
    assert not fill_table(table, words, entries)
    assert fill_table(np.full_like(table, FREE), words, entries[:200])


def test_a_large_domain_is_found_in_full():
    values = tuple(f"v{i}" for i in range(3000))
    table = AttributeTable.of([Attribute("c", "nominal", values), Attribute("z")])
    block = "".join(f"{value},1\n" for value in values).encode()
    attribute, value, ends = np.empty(6000, np.int32), np.empty(6000), np.empty(3000, np.int64)
    is_label = np.array([False, True])
    places, words = attribute_places(table, is_label), declared_words(table, is_label)
    at, rows, _, _ = read_rows(np.frombuffer(block, np.uint8), 0, places, *words, attribute, value, ends)
    assert (at, rows) == (len(block), 3000)
    assert value[::2].tolist() == list(range(3000))
