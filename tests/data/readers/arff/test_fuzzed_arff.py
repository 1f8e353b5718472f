"""Damaged ARFF and XML files are data or a DataError, the same by both ways of reading, and soon."""

import gzip
import time
import warnings

import pytest

from plait.core.kernel_policy import using_kernels
from plait.core.randomness import generator
from plait.data import DataError, Dataset, DataWarning
from plait.data.readers.arff import read_arff
from plait.data.readers.meka import read_meka
from plait.data.readers.mulan import read_label_names, read_mulan

DENSE = b"""% about
@relation 'x: -C -2'
@attribute size numeric
@attribute 'sky is' {sun, 'light rain', "sn,ow"}
@attribute wet {no,yes}
@attribute id string
@attribute day integer
@attribute sea {0,1}
@attribute sand {1,0}
@data
1.5,sun,no,a,20010203,0,1
-2e3,'light rain',yes,'b c',?,1,0
?,"sn,ow",?,d,19991231,0,0 % end

0.1234567890123456789, sun ,no,e,20200229,1,1
1,sun,yes,f,20010203,0,1,{0.5}
"""
SPARSE = b"""@RELATION "y -C -2 -split 3"
@ATTRIBUTE a1 REAL
@ATTRIBUTE a2 INTEGER
@ATTRIBUTE a3 {x,y,z}
@ATTRIBUTE a4 {1,0}
@ATTRIBUTE l1 {0,1}
@ATTRIBUTE l2 {1,0}
@DATA
{0 0.5,1 7,4 1}
{2 z,5 1}
{}
{3 0, 4 1, 5 0}
{0 ?,2 "y"}
{1 12345678901234567890}, {2}
"""
WIDE = b"@relation w\n" + b"".join(b"@attribute a%d {0,1}\n" % j for j in range(30)) + b"@data\n"
WIDE += b"".join(b"{%d 1,%d 1}\n" % (i, i + 7) for i in range(20))
TABLE = b"@relation t\n" + b"".join(b"@attribute a%d numeric\n" % j for j in range(8)) + b"@data\n"
TABLE += b"".join(b",".join(b"%d.%d" % (i, j) for j in range(6)) + b",%d,1\n" % (i % 2) for i in range(20))
ARFF = [DENSE, SPARSE, WIDE, TABLE, DENSE.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + SPARSE]
XML = b"""<?xml version="1.0" encoding="utf-8"?>
<labels xmlns="http://mulan.sourceforge.net/labels">
<label name="sea"><label name="sand &amp; more"/></label>
<!-- c --><label name="b\xc3\xa9"></label>
</labels>
"""
TOKENS = [
    b",",
    b"{",
    b"}",
    b"'",
    b'"',
    b"\\",
    b"%",
    b"?",
    b"\t",
    b" ",
    b"\n",
    b"\r",
    b"\0",
    b"\xff",
    b"\xc3",
    b"-",
    b".",
]
TOKENS += [
    b"@data\n",
    b"@attribute a {0,1}\n",
    b"@relation r -C 1\n",
    b"@attribute b relational\n",
    b"nan",
    b"inf",
    b"e",
]
TOKENS += [
    b"1e999",
    b"1e-999",
    b"9" * 400,
    b"99999999999 1",
    b"{0 1}",
    b",{0.5}",
    b"\\ud800",
    b"\\u0041",
    b"-C 99",
    b"1," * 50,
]
TOKENS += [
    b"<label name='a'>",
    b"</label>",
    b"<!DOCTYPE x>",
    b"&#0;",
    b"&lol;",
    b"<![CDATA[",
    b"<?xml version='1.0'?>",
    b"\x85",
]


def mutated(seed, random):
    """Return the bytes with one to four damages."""
    content = seed
    for _ in range(random.choice([1, 1, 1, 2, 4])):
        a, b = sorted(random.integers(0, len(content) + 1, size=2).tolist())
        damage = random.integers(8)
        if damage == 0 and content:
            place = int(random.integers(len(content)))
            content = content[:place] + bytes([int(random.integers(256))]) + content[place + 1 :]
        elif damage == 1 and content:
            place = int(random.integers(len(content)))
            content = content[:place] + bytes([content[place] ^ (1 << int(random.integers(8)))]) + content[place + 1 :]
        elif damage == 2:
            content = content[:b]
        elif damage == 3:
            content = content[:a] + content[min(b, a + 20) :]
        elif damage in (4, 5):
            content = content[:a] + TOKENS[int(random.integers(len(TOKENS)))] + content[a:]
        elif damage == 6:
            lines = content.split(b"\n")
            i, j = random.integers(len(lines), size=2).tolist()
            lines[i], lines[j] = lines[j], lines[i]
            content = b"\n".join(lines)
        else:
            content = content[:a] + content[a:b] * 2 + content[b:]
    return content


def outcome(call, *arguments, **options):
    """Return the data set, or the error's sentence; anything else is a failure of the test."""
    try:
        return call(*arguments, **options)
    except DataError as problem:
        return str(problem)


def last_two(header):
    return range(max(len(header.names) - 2, 0), len(header.names))


@pytest.fixture(scope="module", autouse=True)
def compiled_kernels(tmp_path_factory):
    """Compile before anything is timed; the limits below are for reading, in CPU time."""
    path = tmp_path_factory.mktemp("warm") / "f.arff"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        for content in ARFF:
            path.write_bytes(content)
            with using_kernels("always"):
                outcome(read_arff, path, last_two)


def check_arff(path, content):
    path.write_bytes(content)
    start = time.process_time()
    with using_kernels("always"):
        fast = outcome(read_arff, path, last_two)
    with using_kernels("never"):
        slow = outcome(read_arff, path, last_two)
    assert time.process_time() - start < 5
    assert isinstance(fast, Dataset | str)
    assert fast == slow
    if isinstance(fast, str):
        assert fast.startswith(str(path))
    for call in (read_meka, read_mulan):
        assert isinstance(outcome(call, path), Dataset | str)
    return isinstance(fast, Dataset)


def check_xml(path, content):
    path.write_bytes(content)
    start = time.process_time()
    names = outcome(read_label_names, path)
    assert time.process_time() - start < 5
    assert names.startswith(str(path)) if isinstance(names, str) else len(set(names)) == len(names) > 0
    return not isinstance(names, str)


def run(tmp_path, n_arff, n_xml, seed):
    random = generator(seed)
    path, xml = tmp_path / "f.arff", tmp_path / "f.xml"
    xml.write_bytes(XML.replace(b"sand &amp; more", b"sand").replace(b"b\xc3\xa9", b"wet"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        good = [check_arff(path, mutated(ARFF[i % len(ARFF)], random)) for i in range(n_arff)]
        good_xml = [check_xml(tmp_path / "g.xml", mutated(XML, random)) for _ in range(n_xml)]
    # Damages must neither break everything nor nothing, or the test tests little.
    assert 0.05 * n_arff < sum(good) < 0.9 * n_arff
    assert 0.02 * n_xml < sum(good_xml) < 0.9 * n_xml


def test_seeds_are_whole(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        assert all(check_arff(tmp_path / "f.arff", content) for content in ARFF)
    assert check_xml(tmp_path / "g.xml", XML)


def test_some_damaged_files(tmp_path):
    run(tmp_path, 300, 200, seed=0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 5))
def test_many_damaged_files(tmp_path, seed):
    run(tmp_path, 5000, 1500, seed)


def test_damaged_packed_files(tmp_path):
    random = generator(9)
    packed, path = gzip.compress(DENSE, mtime=0), tmp_path / "f.arff.gz"
    for _ in range(200):
        path.write_bytes(mutated(packed, random))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            assert isinstance(outcome(read_meka, path), Dataset | str)
