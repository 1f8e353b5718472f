import pytest

from plait.data import DataError
from plait.data.readers.meka import meka_label_count, read_meka

BODY = "@attribute a {0,1}\n@attribute b {0,1}\n@attribute c real\n@attribute d {0,1}\n@data\n1,0,0.5,1\n"


def file(tmp_path, relation):
    path = tmp_path / "m.arff"
    path.write_text(f"{relation}\n{BODY}")
    return path


@pytest.mark.parametrize(
    ("relation", "count"),
    [
        ("@relation 'imdb: -C 28'", 28),
        ('@relation "x -split-percentage 50 -C -6 -S"', -6),
        ("@relation x:-C 3", 3),
        ("@RELATION '-c 2'", 2),
        ("@relation 'x: -C  +4 -I 0-weka.filters-R1-45_x: -C 9'", 4),
        ("@relation 'MEDC: -C 45 -I 0-weka.filters.unsupervised.attribute.Remove-R1-45'", 45),
        ("@relation plain", None),
        ("@relation x-C 3", None),
        ("@relation 'x -C many'", None),
        ("@relation 'x -Cat 3'", None),
        ("% -C 3", None),
    ],
)
def test_label_count(tmp_path, relation, count):
    assert meka_label_count(file(tmp_path, relation)) == count


def test_first_attributes(tmp_path):
    data = read_meka(file(tmp_path, "@relation 'x: -C 2'"))
    assert data.label_names == ("a", "b")
    assert data.feature_names == ("c", "d")
    assert data.Y.tolist() == [[1, 0]]
    assert data.X.tolist() == [[0.5, 1]]
    assert data.name == "m"


def test_last_attributes(tmp_path):
    data = read_meka(file(tmp_path, "@relation 'x: -C -1'"), name="other", nominal="codes")
    assert data.label_names == ("d",)
    assert data.feature_names == ("a", "b", "c")
    assert data.name == "other"


@pytest.mark.parametrize("n", [0, 5, -5])
def test_counts_that_cannot_be(tmp_path, n):
    with pytest.raises(DataError, match=rf"m\.arff: expected 1 to 4 label attributes \(or -1 to -4\), but found {n}"):
        read_meka(file(tmp_path, f"@relation 'x: -C {n}'"))


def test_no_count(tmp_path):
    with pytest.raises(
        DataError, match=r"m\.arff: expected -C and a number of labels in the relation's name, but found 'x'"
    ):
        read_meka(file(tmp_path, "@relation x"))


def test_a_label_that_is_none(tmp_path):
    with pytest.raises(DataError, match=r"line 7: expected 0 or 1 for label 'c', but found '0\.5'"):
        read_meka(file(tmp_path, "@relation 'x: -C 3'"))
