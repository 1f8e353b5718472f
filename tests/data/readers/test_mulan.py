import gzip
import lzma
import time
from xml.sax.saxutils import quoteattr

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy import sparse

from plait.core.sentences import ParameterError
from plait.data import DataError, DataWarning
from plait.data.readers.mulan import find_label_xml, read_label_names, read_mulan

ARFF = (
    "@relation weather\n@attribute sky {sun,rain,snow}\n@attribute sea {0,1}\n@attribute wind real\n"
    "@attribute sand {no,yes}\n@data\nrain,1,0.5,no\n?,0,?,yes\n"
)
XML = '<labels xmlns="http://mulan.sourceforge.net/labels"><label name="sand"/><label name="sea"/></labels>'


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "beach.arff").write_text(ARFF)
    (tmp_path / "beach.xml").write_text(XML)
    return tmp_path


def test_labels_are_in_the_order_of_the_attributes(folder):
    data = read_mulan(folder / "beach.arff")
    assert data.label_names == ("sea", "sand")
    assert_array_equal(data.Y, [[1, 0], [0, 1]])
    assert data.feature_names == ("sky=sun", "sky=rain", "sky=snow", "wind")
    assert_array_equal(data.X, [[0, 1, 0, 0.5], [np.nan] * 4])
    assert data.name == "beach"
    assert data.feature_kinds == ("binary", "binary", "binary", "numeric")


def test_codes_and_a_name(folder):
    data = read_mulan(folder / "beach.arff", nominal="codes", name="other")
    assert data.feature_names == ("sky", "wind")
    assert data.feature_kinds == ("nominal", "numeric")
    assert data.name == "other"


@pytest.mark.parametrize(
    ("file", "xml"),
    [
        ("emotions.arff.gz", "emotions.xml"),
        ("emotions.arff", "emotions.xml.gz"),
        ("emotions-train.arff.gz", "emotions.xml"),
        ("emotions-train.arff.gz", "emotions-train.xml"),
        ("emotions_Test1.arff.bz2", "emotions.xml.xz"),
        ("a.b-test.arff", "a.b.xml"),
    ],
)
def test_the_xml_beside_the_file_is_found(tmp_path, file, xml):
    (tmp_path / xml).write_text("")
    assert find_label_xml(tmp_path / file) == tmp_path / xml


def test_the_own_xml_comes_first(tmp_path):
    for name in ("a.xml", "a-train.xml"):
        (tmp_path / name).write_text("")
    assert find_label_xml(tmp_path / "a-train.arff").name == "a-train.xml"


def test_no_xml(tmp_path):
    with pytest.raises(
        DataError, match=r"a-test\.arff: expected a-test\.xml or a\.xml beside it, but found no such file"
    ):
        read_mulan(tmp_path / "a-test.arff")


def test_packed_files(folder):
    (folder / "packed.arff.gz").write_bytes(gzip.compress(ARFF.encode()))
    (folder / "packed.xml.xz").write_bytes(lzma.compress(XML.encode()))
    whole = read_mulan(folder / "beach.arff", name="packed")
    assert read_mulan(folder / "packed.arff.gz") == whole
    assert read_mulan(folder / "beach.arff", folder / "packed.xml.xz", name="packed") == whole


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (["sand", "sea"], ("sea", "sand")),
        (["sand"], ("sand",)),
        (-1, ("sand",)),
        (np.int64(-1), ("sand",)),
        ("s*d", ("sand",)),
    ],
)
def test_labels_that_the_caller_names(folder, labels, names):
    (folder / "beach.xml").unlink()
    assert read_mulan(folder / "beach.arff", labels=labels).label_names == names


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["sea", "sun"], "expected a label column 'sun'"),
        (5, "expected 5 label columns, but found 4"),
        (1, "label 'sky' to be numeric or to have two values, but found 3 values"),
    ],
)
def test_labels_that_are_not_there(folder, labels, message):
    with pytest.raises(DataError, match=message):
        read_mulan(folder / "beach.arff", labels=labels)


def test_parameters(folder):
    with pytest.raises(ParameterError, match="labels"):
        read_mulan(folder / "beach.arff", labels=[1, 2])
    with pytest.raises(ParameterError, match="nominal"):
        read_mulan(folder / "beach.arff", nominal="both")


def test_a_label_that_no_attribute_has(folder):
    (folder / "beach.xml").write_text(XML.replace("sand", "stone"))
    with pytest.raises(
        DataError,
        match=r"beach\.arff: expected an attribute for each label in .*beach\.xml, but found none called 'stone'",
    ):
        read_mulan(folder / "beach.arff")


def test_sparse_files_give_sparse_matrices(tmp_path):
    (tmp_path / "s.arff").write_text(
        "@attribute a numeric\n@attribute b {x,y,z}\n@attribute l {0,1}\n@data\n{0 2,2 1}\n{1 z}\n{0 0}\n"
    )
    data = read_mulan(tmp_path / "s.arff", labels=-1)
    assert sparse.issparse(data.X)
    assert sparse.issparse(data.Y)
    assert_array_equal(data.X.toarray(), [[2, 1, 0, 0], [0, 0, 0, 1], [0, 1, 0, 0]])
    assert data.Y.toarray().ravel().tolist() == [1, 0, 0]
    codes = read_mulan(tmp_path / "s.arff", labels=-1, nominal="codes")
    assert_array_equal(codes.X.toarray(), [[2, 0], [0, 2], [0, 0]])
    assert codes.X.nnz == 2


def test_identifiers_and_strings_are_left_out(tmp_path):
    ids = ",".join(f"p{i}" for i in range(40))
    rows = "".join(f"p{i},note,{i},1\n" for i in range(30))
    header = f"@attribute id {{{ids}}}\n@attribute note string\n@attribute a numeric\n@attribute l {{0,1}}\n@data\n"
    (tmp_path / "i.arff").write_text(header + rows)
    with pytest.warns(DataWarning, match=r"i\.arff: left out 'id', 'note', which only tells rows apart") as caught:
        data = read_mulan(tmp_path / "i.arff", labels=["l"])
    assert len(caught) == 1
    assert data.feature_names == ("a",)


def test_a_date_is_refused_with_a_way_out(tmp_path):
    (tmp_path / "d.arff").write_text('@attribute l {0,1}\n@attribute d date "yyyy-MM-dd"\n@data\n1,1970-01-03\n')
    with pytest.raises(DataError, match=r"line 2: .* found a date\. Declare it as string to leave it out"):
        read_mulan(tmp_path / "d.arff", labels=["l"])


def test_columns_of_the_same_name_are_told_apart(tmp_path):
    (tmp_path / "n.arff").write_text("@attribute a {x,y,z}\n@attribute a=x real\n@attribute l {0,1}\n@data\nx,1,1\n")
    assert read_mulan(tmp_path / "n.arff", labels=["l"]).feature_names == ("a=x", "a=y", "a=z", "a=x (2)")


def names(tmp_path, content, name="l.xml"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_label_names(path)


def test_names_in_the_order_of_the_file(tmp_path):
    xml = '<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="http://mulan.sourceforge.net/labels">\n'
    assert names(tmp_path, xml + '<label name="b"></label>\n<label name="a"/>\n</labels>') == ["b", "a"]


def test_a_hierarchy_is_flattened(tmp_path):
    xml = '<labels><label name="a"><label name="b"><label name="c"/></label></label><label name="d"/></labels>'
    assert names(tmp_path, xml) == ["a", "b", "c", "d"]


def test_prefixes_other_elements_and_comments(tmp_path):
    xml = '<m:labels xmlns:m="x"><!-- c --><note/><m:label name="a &amp; &#98;" more="1">text</m:label></m:labels>'
    assert names(tmp_path, xml) == ["a & b"]


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "utf-16", "utf-8-sig"])
@pytest.mark.parametrize("declared", [True, False])
def test_encodings(tmp_path, encoding, declared):
    name = {"utf-8-sig": "utf-8", "latin-1": "iso-8859-1"}.get(encoding, encoding)
    head = f'<?xml version="1.0" encoding="{name}"?>' if declared else ""
    assert names(tmp_path, f'{head}<labels><label name="é"/></labels>'.encode(encoding)) == ["é"]


def test_packed(tmp_path):
    assert names(tmp_path, gzip.compress(b'<labels><label name="a"/></labels>'), "l.xml.gz") == ["a"]


@given(st.lists(st.text(st.characters(categories=["L", "N", "P", "S", "Zs"])), unique=True, min_size=1))
def test_any_name_comes_back(tmp_path_factory, words):
    inner = "".join(f"<label name={quoteattr(word)}/>" for word in words)
    assert names(tmp_path_factory.getbasetemp(), f"<labels>{inner}</labels>") == words


BOMB = '<!DOCTYPE l [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><labels><label name="&b;"/></labels>'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "line 1: expected well-formed XML, but found no element found"),
        ("<labels><label name='a'/>", "line 1: expected well-formed XML, but found"),
        ("<labels>\n<label name=a/></labels>", "line 2: expected well-formed XML"),
        ("<labels><label name='a'/></labels><labels/>", "line 1: expected well-formed XML"),
        ("@relation r\n", "line 1: expected well-formed XML"),
        (b"\x89PNG\r\n\x1a\n\0\0", "expected well-formed XML"),
        (b"<labels>\0</labels>", "expected well-formed XML"),
        ("<labels></labels>", 'expected <label name="..."> elements, but found none'),
        ("<html><body/></html>", 'expected <label name="..."> elements, but found none'),
        ("<labels>\n\n<label/></labels>", "line 3: expected a label with a name, but found none"),
        (
            "<labels><label name='a'/>\n<label name='a'/></labels>",
            "line 2: expected labels with different names, but found 'a' again",
        ),
        ("<labels><label name='&nothing;'/></labels>", "expected well-formed XML, but found undefined entity"),
        (BOMB, "line 1: expected labels only, but found a document type declaration"),
        ("<!DOCTYPE l SYSTEM 'file:///etc/passwd'><labels/>", "found a document type declaration"),
        (
            "<?xml version='1.0' encoding='klingon'?><labels/>",
            "expected (well-formed XML|XML in an encoding that is known)",
        ),
        (
            "<?xml version='1.0' encoding='utf-7'?><labels/>",
            "expected (well-formed XML|XML in an encoding that is known)",
        ),
        (
            "<?xml version='1.0' encoding='idna'?><labels/>",
            "expected (well-formed XML|XML in an encoding that is known)",
        ),
        (
            "<?xml version='1.0' encoding='hex'?><labels/>",
            "expected (well-formed XML|XML in an encoding that is known)",
        ),
    ],
)
def test_errors(tmp_path, content, message):
    with pytest.raises(DataError, match=rf"l\.xml.*{message}"):
        names(tmp_path, content)


def test_deep_nesting_is_no_problem(tmp_path):
    start = time.process_time()
    with pytest.raises(DataError, match="well-formed"):
        names(tmp_path, "<label name='x'>" + "<a>" * 200_000)
    deep = "".join(f"<label name='{i}'>" for i in range(50_000)) + "</label>" * 50_000
    assert len(names(tmp_path, deep)) == 50_000
    assert time.process_time() - start < 5


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(DataError, match=r"no\.xml: expected a file that can be opened"):
        read_label_names(tmp_path / "no.xml")
