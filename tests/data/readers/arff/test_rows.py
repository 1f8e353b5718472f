import math
import time

import numpy as np
import pytest

from plait.data import DataError
from plait.data.conversion.attributes import Attribute, AttributeTable
from plait.data.readers.arff.rows import ColumnParser, RowParser, Rows

ATTRIBUTES = [
    Attribute("n"),
    Attribute("c", "nominal", ("red", "it's", "dark blue", "?", "")),
    Attribute("s", "string"),
    Attribute("d"),
    Attribute("y", "nominal", ("1", "0")),
    Attribute("z"),
]
IS_LABEL = np.array([False, False, False, False, True, True])


def parse(line):
    table = AttributeTable.of(ATTRIBUTES)
    return RowParser(table, IS_LABEL, "f.arff").parse(line if isinstance(line, bytes) else line.encode(), 7)


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("1.5,red,x,86400,0,1", [1.5, 0, 0, 86400, 0, 1]),
        (" 1.5 , red,\tx  ,86400, 1,1 ", [1.5, 0, 0, 86400, 1, 1]),
        ("1.5,dark blue,x y,86400,1,1", [1.5, 2, 0, 86400, 1, 1]),
        ("1.5,'dark blue',\"x,y\",'86400',\"1\",1.0", [1.5, 2, 0, 86400, 1, 1]),
        ("1.5\tred\tx\t86400\t0\t1", [1.5, 0, 0, 86400, 0, 1]),
        ("1.5 \t red,x\t 86400,\t0,0 % said", [1.5, 0, 0, 86400, 0, 0]),
        ("1.5,'it\\'s','\\u00e9',86400,'0','0'%c", [1.5, 1, 0, 86400, 0, 0]),
        ("?,?,?,?,0,0", [math.nan] * 4 + [0, 0]),
        ("'1',\"?\",'?',?,0,0", [1, 3, 0, math.nan, 0, 0]),
        ("1,red,x,0,?,?", [1, 0, 0, 0, math.nan, math.nan]),
        ("-2E-3,'',x%y,0,0,0", [-0.002, 4, 0, 0, 0, 0]),
        ("1,red,%x,0,0,0", [1, 0, 0, 0, 0, 0]),
        ("1,it's,a\\b,0,0,0", [1, 1, 0, 0, 0, 0]),
    ],
)
def test_dense_rows(line, values):
    row = parse(line)
    np.testing.assert_array_equal(row.values, values)
    assert row.indices is None
    assert not row.sparse
    assert not row.weighted


@pytest.mark.parametrize(
    ("line", "indices", "values"),
    [
        ("{}", [], []),
        ("{ } % nothing", [], []),
        ("{0 1.5}", [0], [1.5]),
        ("{0 1.5,1 dark blue, 2 'a, b} c' ,5\t1 }", [0, 1, 2, 5], [1.5, 2, 0, 1]),
        ("{0 ?,1 '?'}", [0, 1], [math.nan, 3]),
        ("{4 ?,5 ? }", [4, 5], [math.nan, math.nan]),
        ("{004 0}%c", [4], [0]),
    ],
)
def test_sparse_rows(line, indices, values):
    row = parse(line)
    np.testing.assert_array_equal(row.values, values)
    assert row.indices == indices
    assert row.sparse
    assert not row.weighted


@pytest.mark.parametrize("line", ["1,red,x,?,0,0,{0.5}", "1,red,x,?,0,0, { 2 } % c", "{0 1}, {0.5}", "{},{1e3} %"])
def test_weights_are_seen(line):
    assert parse(line).weighted


@pytest.mark.parametrize("line", ["", "   ", "\t", "%", "  % {0 1}"])
def test_lines_without_a_row(line):
    assert parse(line) is None


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1,red,x,?,0", "6 values, but found 5"),
        ("1,red,x,?,0,0,0", "6 values, but found 7"),
        ("1,red,x,?,0,'0'", None),
        ("1,'red',x,?,0,0,0", "6 values, but found 7"),
        ("1,red,x,?,0,", "6 values|0 or 1 for label 'z', but found none"),
        ("1,'red',x,?,0,", "a value of attribute 6 \\('\\?' if it is missing\\), but found none"),
        ("1,,x,?,0,0", "a declared value of attribute 'c' .*, but found none"),
        ("1,'red',,?,0,0", "a value of attribute 3"),
        ("one,red,x,?,0,0", "a finite number for attribute 'n', but found 'one'"),
        ("inf,red,x,?,0,0", "a finite number for attribute 'n', but found 'inf'"),
        ("nan,red,x,?,0,0", "a finite number for attribute 'n', but found 'nan'"),
        ("1e999,red,x,?,0,0", "a finite number for attribute 'n', but found '1e999'"),
        ("1 2,red,x,?,0,0", "a finite number for attribute 'n', but found '1 2'"),
        ("1,green,x,?,0,0", "a declared value of attribute 'c' \\(red, it's, dark blue, \\?, \\), but found 'green'"),
        ("1,Red,x,?,0,0", "a declared value"),
        ("1,red,x,1970-02-28,0,0", "a finite number for attribute 'd', but found '1970-02-28'"),
        ("1,red,x,?,'?',0", "a declared value of label 'y' \\(1, 0\\), but found '\\?'"),
        ("1,red,x,?,0,'?'", "0 or 1 for label 'z', but found '\\?'"),
        ("1,red,x,?,0,2", "0 or 1 for label 'z', but found '2'"),
        ("1,red,x,?,2,0", "a declared value of label 'y' \\(1, 0\\), but found '2'"),
        ("1,'red,x,?,0,0", "a closing quote, but found"),
        ("1,'red' x,x,?,0,0", "a comma between two values, but found"),
        ("1,red,'\\ud800',?,0,0", "escapes of whole characters"),
        ("1,red,x,?,0,0,{heavy}", "a number as the weight of the row, but found 'heavy'"),
        ("1,red,{x,?,0,0", "a value of attribute 3 .* but found '{x,\\?,0,0'"),
        ("1,red,x,?,0,0,'1','1','1'", "6 values, but found more"),
        ("1,red,\0,?,0,0", "text, but found a NUL byte"),
        ("{0 1", "'index value' and then a comma or }"),
        ("{", "'index value' and then a comma or }, but found the end of the line"),
        ("{0}", "'index value' and then a comma or }"),
        ("{0 1,}", "'index value' and then a comma or }, but found '}'"),
        ("{,0 1}", "'index value'"),
        ("{x 1}", "'index value'"),
        ("{-1 1}", "'index value'"),
        ("{1.0 1}", "'index value'"),
        ("{0 'x}", "'index value'"),
        ("{0 1} 2", "nothing after }, but found '2'"),
        ("{0 1},{x}", "a number as the weight"),
        ("{0 1},", "nothing after }"),
        ("{6 1}", "an index from 0 to 5, but found '6'"),
        ("{99999999999999999999999 1}", "an index from 0 to 5"),
        ("{0 1,0 1}", "an index above 0 \\(they grow along the row\\), but found 0"),
        ("{5 1,4 1}", "an index above 5 .* but found 4"),
        ("{1 green}", "a declared value of attribute 'c'"),
        ("{5 2}", "0 or 1 for label 'z'"),
        ("{4 ??}", "a declared value of label 'y' \\(1, 0\\), but found '\\?\\?'"),
    ],
)
def test_errors(line, message):
    if message is None:
        assert parse(line) is not None
        return
    with pytest.raises(DataError, match=rf"^f\.arff, line 7: expected {message}"):
        parse(line)


@pytest.mark.parametrize(
    "line",
    [
        "1," * 200_000,
        "{1}x," * 200_000,
        "'a'," * 200_000 + "'",
        "{a" * 200_000,
        " " * 500_000 + "1" + " " * 500_000 + "'",
        "{0 1" + " " * 500_000 + "x" + " " * 500_000,
        "{0 " + "1 " * 300_000,
        "'" + "\\'" * 300_000,
        "{" + "0" * 500_000 + "9 1}",
        "\t" * 500_000 + "1\t" * 200_000,
        "1 " * 300_000 + "'%",
    ],
)
def test_no_line_takes_long(line):
    start = time.process_time()
    with pytest.raises(DataError):
        parse(line)
    assert time.process_time() - start < 5


def by_columns(text):
    return ColumnParser(AttributeTable.of(ATTRIBUTES), IS_LABEL).parse(text.encode())


def by_lines(text):
    rows = [row for line in text.split("\n")[:-1] if (row := parse(line)) is not None]
    return Rows.of(rows, len(ATTRIBUTES))


@pytest.mark.parametrize(
    "text",
    [
        "1.5,red,x,86400,0,1\n",
        " 1.5 , red,x y  ,-2E-3, 1,1.0 \n\n   \n.5,dark blue,\\,?,0,0\n",
        "?,?,?,?,1,0\n+1.,?,?,1e-400,1,0\n1,red,x,0,?,0\n1,red,x,0,1, ? \n",
        "{}\n{ }\n{0 1.5}\n{00 2,004 1}\n",
        "{0 1.5,1 red, 2 x ,5  1 }\n  \n{4 0,5 1} \n{3 ?,4 1}\n{4 ?,5 0}\n{5 ?}\n",
        "",
    ],
)
def test_simple_lines_are_read_by_columns_as_by_lines(text):
    found, expected = by_columns(text), by_lines(text)
    assert found is not None
    every = np.tile(np.arange(len(ATTRIBUTES)), len(found.ends))
    np.testing.assert_array_equal(every if found.attribute is None else found.attribute, expected.attribute)
    assert found.value.tobytes() == expected.value.tobytes()
    np.testing.assert_array_equal(found.ends, expected.ends)
    assert (found.sparse, found.weighted) == (expected.sparse, expected.weighted)


@pytest.mark.parametrize(
    "line",
    [
        *("1,red,x,?,0", "1,red,x,?,0,0,0", "1,red,x,?,0,", "1,,x,?,0,0", "1,red,,?,0,0", ",red,x,?,0,0"),
        *("one,red,x,?,0,0", "inf,red,x,?,0,0", "nan,red,x,?,0,0", "1e999,red,x,?,0,0", "1_0,red,x,?,0,0"),
        *("1 2,red,x,?,0,0", "--1,red,x,?,0,0", "5?,red,x,?,0,0", "0x1,red,x,?,0,0", "1\x0b,red,x,?,0,0"),
        *("1,green,x,?,0,0", "1,Red,x,?,0,0", "1,red,x,?,??,0", "1,red,x,?,0,?0", "1,red,x,?,0,2", "1,red,x,?,2,0"),
        *("1,red,x,?,1.0,0", "1,red,x,?,0,0,{0.5}", "'1',red,x,?,0,0", "1,red,x,?,0,0 % c", "1\tred,x,?,0,0"),
        *(
            "1,red,\0,?,0,0",
            "1,red,\u00e9,?,0,0",
            "{0 1",
            "{",
            "}",
            "{0}",
            "{0 }",
            "{0 1,}",
            "{,0 1}",
            "{x 1}",
            "{-1 1}",
        ),
        *(
            "{1.0 1}",
            "{0 1} 2",
            "{0 1},{1}",
            "{6 1}",
            "{0 1,0 1}",
            "{5 1,4 1}",
            "{1 green}",
            "{5 2}",
            "{4 ??}",
        ),
        *("{1 dark blue}", "{0 1 1,2}", "{0 1}{0 1}", "{{0 1}", "{0 1\x0b}", "{99999999999999999999999 1}", "% c"),
    ],
)
def test_other_lines_are_left_to_the_line_by_line_parser(line):
    dense, sparse = "1,red,x,?,0,0\n", "{0 1,4 1}\n"
    for other in (dense, sparse):
        assert by_columns(other) is not None
        assert by_columns(other + line + "\n" + other) is None


def test_dense_and_sparse_lines_together_are_left_too():
    assert by_columns("1,red,x,?,0,0\n{0 1,4 1}\n") is None
