"""Broken files of every text format: a data set or a `DataError`, never another exception."""

import warnings

import numpy as np
import pytest

from plait.core.kernel_policy import using_kernels
from plait.data import DataError, Dataset, DataWarning
from plait.data.readers.delimited import read_csv
from plait.data.readers.libsvm import read_libsvm
from plait.data.readers.xc import read_xc

pytest.importorskip("pandas")
pytest.importorskip("polars")

SEEDS = {
    "libsvm": [
        b"3,7 1:0.5 4:1 # both\n 2:1.5\n2:-1e-3\n12 1:1 2:2 3:3\n",
        b"+1,-4 10:nan 11:inf\r\n\r\n0 0:1\n# nothing\n5 3:.5 1:2\n",
        b"\xef\xbb\xbf1 1:0.12345678901234567 2:12345678901234567890\n",
    ],
    "xc": [b"3 5 4\n0,2 1:0.5 3:1\n 0:2\n3 4:-1e5\n", b"2 3 2\r\n\r\n1 0:1 2:0.25\r\n"],
    "csv": [
        b'size,"sky, today",day,sea\n1.5,blue,2024-01-31,1\nNA,"gr""ey",,0\n2,\xc3\xa9,2024-02-01 12:30,1\n',
        b"a;b;sea\r\ntrue;1e5;yes\r\nFALSE;-7;no\r\n\r\n",
        b"a\tsea\n1\t0\n\xef\xbb\xbf\t1\n",
    ],
}
SPECIAL = [b":", b",", b";", b"#", b" ", b"\n", b"\r", b'"', b"\t", b"\0", b"-", b".", b"e", b"9" * 25, b"\xff", b"nan"]


def mutate(content: bytes, rng: np.random.Generator) -> bytes:
    """Return the content with a few places broken: cut, doubled, replaced, mixed in."""
    for _ in range(int(rng.integers(1, 4))):
        at, to = sorted(rng.integers(0, len(content) + 1, size=2).tolist())
        choice = rng.integers(6)
        if choice == 0:
            content = content[:at] + bytes([int(rng.integers(256))]) + content[at + 1 :]
        elif choice == 1:
            content = content[:at] + SPECIAL[int(rng.integers(len(SPECIAL)))] + content[at:]
        elif choice == 2:
            content = content[:at] + content[min(to, at + 4) :]
        elif choice == 3:
            content = content[:to] + content[at:to] + content[to:]
        elif choice == 4:
            content = content[:to]
        else:
            content = content[at:to] + content[:at] + content[to:]
    return content


def outcome(read, path) -> Dataset | str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        try:
            return read(path)
        except DataError as problem:
            return str(problem)


def fuzz(folder, kind: str, seed: int, n: int) -> list[Dataset | str]:
    rng = np.random.default_rng(seed)
    path = folder / f"a.{kind}"
    results = []
    for _ in range(n):
        path.write_bytes(mutate(SEEDS[kind][int(rng.integers(len(SEEDS[kind])))], rng))
        if kind == "csv":
            python, pandas, polars = (
                outcome(lambda file, library=library: read_csv(file, ["sea"], library=library), path)
                for library in (None, "pandas", "polars")
            )
            assert python == pandas == polars
            results.append(python)
        else:
            read = read_libsvm if kind == "libsvm" else read_xc
            with using_kernels("always"):
                by_kernels = outcome(read, path)
            with using_kernels("never"):
                results.append(outcome(read, path))
            assert by_kernels == results[-1]
    return results


@pytest.mark.parametrize("kind", sorted(SEEDS))
def test_broken_files_are_data_or_data_errors(tmp_path, kind):
    results = fuzz(tmp_path, kind, seed=0, n=150)
    # The test is worth its time only if both ways are taken often.
    n_read = sum(isinstance(result, Dataset) for result in results)
    assert 10 < n_read < 140
    assert all("\n" not in result for result in results if isinstance(result, str))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 5))
@pytest.mark.parametrize("kind", sorted(SEEDS))
def test_thousands_of_broken_files_are_data_or_data_errors(tmp_path, kind, seed):
    assert len(fuzz(tmp_path, kind, seed, n=1000)) == 1000


@pytest.mark.parametrize(("kind", "read"), [("libsvm", read_libsvm), ("xc", read_xc)])
def test_noise_is_refused(tmp_path, kind, read):
    rng = np.random.default_rng(0)
    for size in (1, 10, 1000, 100_000):
        path = tmp_path / f"noise.{kind}"
        path.write_bytes(rng.integers(0, 256, size, dtype=np.uint8).tobytes())
        assert isinstance(outcome(read, path), str)
