import bz2
import gzip
import lzma
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plait.data import DataError
from plait.data.conversion.attributes import Attribute
from plait.data.readers.arff.header import as_number, decoded, is_comment, read_header, text_blocks, unquoted


def header(text):
    return read_header(iter([text if isinstance(text, bytes) else text.encode()]), "f.arff")


def attribute(line):
    (only,) = header(f"{line}\n@data\n").attributes
    return only


def test_a_whole_header():
    found = header(
        "% about\n@relation 'my data'\n\n@attribute a numeric\n@ATTRIBUTE 'b c' {x, 'y z'}\n@Data\n1,x\n2,x\n"
    )
    assert found.relation == "my data"
    assert found.attributes == [Attribute("a"), Attribute("b c", "nominal", ("x", "y z"))]
    assert found.names == ["a", "b c"]
    assert found.line == 6
    assert found.rest == b"1,x\n2,x\n"


def test_a_header_over_several_blocks():
    found = read_header(iter([b"@relation r\n", b"@attribute a real\n", b"@data\n1\n", b"2\n"]), "f.arff")
    assert (found.names, found.line, found.rest) == (["a"], 3, b"1\n")


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("@attribute plain numeric", "plain"),
        ("  @attribute\tplain\t\tnumeric  ", "plain"),
        ("@attribute 'two words' numeric", "two words"),
        ('@attribute "two words" numeric', "two words"),
        (r"@attribute 'it\'s' numeric", "it's"),
        (r"@attribute TAG_m\'usica numeric", r"TAG_m\'usica"),
        ("@attribute don't numeric", "don't"),
        ("@attribute %mammal numeric", "%mammal"),
        ("@attribute - numeric", "-"),
        ("@attribute / numeric", "/"),
        ("@attribute 'a{b}' numeric", "a{b}"),
        ("@attribute a,b numeric", "a,b"),
        ("@attribute é numeric", "é"),
        ("@attribute 日本 numeric", "日本"),
        ("@attribute '' numeric", ""),
        ("@attribute @data numeric", "@data"),
    ],
)
def test_names(line, name):
    assert attribute(line) == Attribute(name)


def test_a_latin1_name():
    assert header("@attribute é numeric\n@data\n".encode("latin-1")).names == ["é"]


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ("numeric", Attribute("a")),
        ("REAL", Attribute("a")),
        ("Integer", Attribute("a")),
        ("numeric % comment", Attribute("a")),
        ("string", Attribute("a", "string")),
        ("{0,1}", Attribute("a", "nominal", ("0", "1"))),
        ("{ 0 , 1 } % comment", Attribute("a", "nominal", ("0", "1"))),
        ("{new york,\tb}", Attribute("a", "nominal", ("new york", "b"))),
        (
            "{'a,b', \"c}d\", '}', '%', 'it\\'s', don't}",
            Attribute("a", "nominal", ("a,b", "c}d", "}", "%", "it's", "don't")),
        ),
        ("{'', x}", Attribute("a", "nominal", ("", "x"))),
        ("{only}", Attribute("a", "nominal", ("only",))),
    ],
)
def test_types(declared, expected):
    assert attribute(f"@attribute a {declared}") == expected


def test_no_blank_is_needed_before_the_values():
    assert attribute("@attribute a{x,y}") == Attribute("a", "nominal", ("x", "y"))


@pytest.mark.parametrize(
    ("line", "relation"),
    [
        ("@relation plain", "plain"),
        ("@RELATION 'imdb: -C 28'", "imdb: -C 28"),
        ('@relation "x -C -6 -S" % c', "x -C -6 -S"),
        ("@relation two words -C 3", "two words -C 3"),
        ("@relation a % comment", "a"),
        ("@relation", ""),
        ("@relation 'open", "'open"),
    ],
)
def test_relation(line, relation):
    assert header(f"{line}\n@attribute a numeric\n@data\n").relation == relation


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f.arff: expected a line with @data, but found the end of the file after 0 lines"),
        ("@relation r\n@attribute a numeric\n", "f.arff: expected a line with @data"),
        ("@relation r\n@data\n", "line 2: expected an @attribute before @data, but found none"),
        ("hello\n", "line 1: expected @relation, @attribute or @data, but found 'hello'"),
        ("\n@inputs a\n", "line 2: expected @relation, @attribute or @data, but found '@inputs a'"),
        ("@attributes a numeric\n", "line 1: expected @relation, @attribute or @data"),
        ("@attribute a numeric\n@data 1\n", "line 2: expected @relation, @attribute or @data"),
        ("@attribute\n", "line 1: expected a name after @attribute, but found none"),
        ("@attribute 'open numeric\n", "line 1: expected a name after @attribute"),
        ("@attribute {0,1}\n", "line 1: expected a name after @attribute"),
        ("@attribute a\n", "line 1: expected a type .* but found none"),
        ("@attribute a number\n", "line 1: expected a type .* but found 'number'"),
        ("@attribute a relational\n", "line 1: expected a type .* but found 'relational'"),
        ("@attribute a numeric [0,1]\n", "line 1: expected nothing after numeric"),
        ("@attribute a numeric%\n", "line 1: expected nothing after numeric"),
        ("@attribute a {}\n", "line 1: expected a value and then a comma or }"),
        ("@attribute a {x,}\n", "line 1: expected a value and then a comma or }"),
        ("@attribute a {x,,y}\n", "line 1: expected a value and then a comma or }"),
        ("@attribute a {x,y\n", "line 1: expected a value and then a comma or }, but found 'y'"),
        ("@attribute a {x,\n", "but found the end of the line"),
        ("@attribute a {x,'y}\n", "line 1: expected a value and then a comma or }"),
        ("@attribute a {x,'y'z}\n", "line 1: expected a value and then a comma or }"),
        ("@attribute a {x,y} z\n", "line 1: expected nothing after }"),
        ("@attribute a {x,y,x}\n", "line 1: expected different values in { }, but found 'x' again"),
        ("@attribute a {'\\ud800'}\n", "line 1: expected a value between commas"),
        ("@attribute '\\ud800' numeric\n", "line 1: expected a name after @attribute"),
        ("@attribute a date\n", "line 1: expected a type .*, but found a date. Declare it as string to leave it out"),
        ("@attribute a DATE 'yyyy'\n", "line 1: expected a type .*, but found a date. Declare it as string"),
        (
            "@attribute a real\n\n@attribute a {0,1}\n",
            "line 3: expected attributes with different names, but found 'a' again",
        ),
        ("@relation r\n@attribute \0 real\n", "line 2: expected text, but found a NUL byte"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", r"line 1: expected @relation, @attribute or @data, but found '\\x89PNG"),
        ("@relation r\n".encode("utf-16"), "line 1: expected text, but found a NUL byte"),
    ],
)
def test_errors(text, message):
    content = text if isinstance(text, bytes) else text.encode()
    if not content.endswith(b"\n"):
        content += b"\n"
    with pytest.raises(DataError, match=message):
        header(content if text else b"")


def test_many_attributes_share_their_declaration():
    text = "".join(f"@attribute a{j} {{0,1}}\n" for j in range(1000)) + "@data\n"
    found = header(text)
    assert len(found.names) == 1000
    assert found.types == [Attribute("", "nominal", ("0", "1"))]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("'a b'", "a b"),
        ('"it\'s"', "it's"),
        (r"'it\'s'", "it's"),
        (r'"\"q\""', '"q"'),
        (r"'\\'", "\\"),
        (r"'a\nb\tc\rd'", "a\nb\tc\rd"),
        (r"'100\%'", "100%"),
        (r"'\u00e9\u001f'", "\u00e9\x1f"),
        (r"'\ud83d\ude00'", "\U0001f600"),
        (r"'\u12'", "u12"),
        (r"'\ud83d'", None),
        ("''", ""),
    ],
)
def test_unquoted(text, plain):
    assert unquoted(text) == plain


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_escaped_text_comes_back(text):
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    assert unquoted(f"'{escaped}'") == text


@given(st.from_regex(r"[+-]?([0-9]{1,30}(\.[0-9]{0,30})?|\.[0-9]{1,30})([eE][+-]?[0-9]{1,2})?", fullmatch=True))
def test_numbers_are_those_of_python(text):
    assert as_number(text) == float(text)


@pytest.mark.parametrize(
    "text", ["", " 1", "1 ", "1_0", "nan", "NaN", "inf", "-inf", "Infinity", "1e999", "-1e999", "0x1", "1,5", "١", "1f"]
)
def test_what_is_no_finite_number(text):
    assert as_number(text) is None


def test_a_very_long_number_takes_no_time():
    start = time.process_time()
    assert as_number("0." + "3" * 10**6) == 1 / 3
    assert as_number("1" * 10**6) is None
    assert as_number("1" * 10**6 + "x") is None
    assert time.process_time() - start < 2


def test_lines_that_are_not_utf8_are_latin1():
    assert decoded("é".encode()) == "é"
    assert decoded("é".encode("latin-1")) == "é"


@pytest.mark.parametrize(("line", "comment"), [("", True), (" \t", True), ("% x", True), ("\t%", True), ("x %", False)])
def test_is_comment(line, comment):
    assert is_comment(line) == comment


@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_blocks_have_one_kind_of_line_end_and_no_mark(tmp_path, suffix, end):
    pack = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}[suffix]
    path = tmp_path / f"a.arff{suffix}"
    path.write_bytes(pack("\ufeffä\nb\n\nc".replace("\n", end).encode()))
    assert b"".join(text_blocks(path)) == "ä\nb\n\nc\n".encode()
