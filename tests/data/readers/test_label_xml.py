import gzip
import time
from xml.sax.saxutils import quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.data import DataError
from plait.data.readers.label_xml import read_label_names


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
