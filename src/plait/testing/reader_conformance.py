"""`ReaderConformance`: what every reader of files must do, as tests that an author of a reader derives."""

import bz2
import gzip
import lzma
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import numpy as np
from scipy import sparse

from plait.data import DataError, Dataset, DataWarning

__all__ = ["ReaderConformance"]

_PACKINGS: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}
_ODD = [b":", b",", b"#", b" ", b"\n", b"\r", b'"', b"{", b"}", b"\t", b"\0", b"-", b"e", b"9" * 25, b"\xff", b"nan"]


class ReaderConformance:
    r"""Tests of a reader. Derive a class, and say what files of the format look like and how one is read.

    `suffix` is that of the files; `examples` holds contents of good files, at least one; `read` turns a path into a
    `Dataset`.

    Examples
    --------
    In a test file, with a reader of one's own:

    >>> from plait.data.readers import read_libsvm
    >>> class TestMine(ReaderConformance):
    ...     suffix = ".libsvm"
    ...     examples = (b"3,7 1:0.5 4:1\n2 2:1.5\n",)
    ...
    ...     def read(self, path):
    ...         return read_libsvm(path)
    """

    suffix: ClassVar[str]
    examples: ClassVar[tuple[bytes, ...]]
    n_broken: ClassVar[int] = 150

    def read(self, path: Path) -> Dataset:
        """Read a file of the format.

        Parameters
        ----------
        path : Path
            The file.
        """
        raise NotImplementedError

    def test_examples_are_data_sets(self, tmp_path: Path) -> None:
        """Rows, names and 0/1 labels; the file is left as it was."""
        for content in self.examples:
            dataset = self.read(self._file(tmp_path, content))
            assert isinstance(dataset, Dataset)
            assert dataset.X.shape == (dataset.Y.shape[0], len(dataset.feature_names or ()))
            assert dataset.Y.shape[1] == len(dataset.label_names or ())
            labels = dataset.Y.toarray() if sparse.issparse(dataset.Y) else dataset.Y
            assert np.isin(labels, (0, 1)).all()
            assert (tmp_path / f"example{self.suffix}").read_bytes() == content

    def test_the_same_file_gives_the_same_data(self, tmp_path: Path) -> None:
        """Read twice, and packed in any way."""
        for content in self.examples:
            expected = self.read(self._file(tmp_path, content))
            assert self.read(self._file(tmp_path, content)) == expected
            for packing, packed in _PACKINGS.items():
                assert self.read(self._file(tmp_path, packed(content), packing)) == expected

    def test_lines_may_end_as_on_windows(self, tmp_path: Path) -> None:
        r"""`\r\n` is as good as `\n`, and the last line may end with the file."""
        for content in self.examples:
            expected = self.read(self._file(tmp_path, content))
            plain = content.replace(b"\r\n", b"\n")
            assert self.read(self._file(tmp_path, plain.replace(b"\n", b"\r\n"))) == expected
            assert self.read(self._file(tmp_path, plain.rstrip(b"\n"))) == expected

    def test_what_is_no_file_is_told_in_one_line(self, tmp_path: Path) -> None:
        """No file, an empty one, a folder, noise, and a packed file that breaks off."""
        missing = tmp_path / f"missing{self.suffix}"
        folder = tmp_path / f"folder{self.suffix}"
        folder.mkdir()
        noise = np.random.default_rng(0).integers(0, 256, 3000, dtype=np.uint8).tobytes()
        torn = self._file(tmp_path, gzip.compress(self.examples[0])[:-9], ".gz")
        for path in (missing, folder, torn, self._file(tmp_path, b"", ".gz"), self._file(tmp_path, noise)):
            outcome = self._outcome(path)
            assert isinstance(outcome, str), f"{path.name} was read as {outcome}"
            assert "\n" not in outcome
            assert path.name in outcome

    def test_broken_files_are_data_or_errors_of_one_line(self, tmp_path: Path) -> None:
        """Whatever is cut, doubled or mixed in: a data set, or a `DataError` that names the file."""
        rng = np.random.default_rng(0)
        outcomes = []
        for number in range(self.n_broken):
            content = _broken(self.examples[number % len(self.examples)], rng)
            outcomes.append(self._outcome(self._file(tmp_path, content)))
        errors = [outcome for outcome in outcomes if isinstance(outcome, str)]
        assert errors, "no broken file was refused: does the reader check anything?"
        assert all("\n" not in error and f"example{self.suffix}" in error for error in errors)

    def _file(self, folder: Path, content: bytes, packing: str = "") -> Path:
        path = folder / f"example{self.suffix}{packing}"
        path.write_bytes(content)
        return path

    def _outcome(self, path: Path) -> Dataset | str:
        """Return what was read, or the sentence of a `DataError`; any other exception is a fault."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            try:
                return self.read(path)
            except DataError as problem:
                return str(problem)


def _broken(content: bytes, rng: np.random.Generator) -> bytes:
    """Return the content with a few places broken: replaced, mixed in, left out, doubled, cut, in another order."""
    for _ in range(int(rng.integers(1, 4))):
        at, to = sorted(rng.integers(0, len(content) + 1, size=2).tolist())
        content = (
            content[:at] + bytes([int(rng.integers(256))]) + content[at + 1 :],
            content[:at] + _ODD[int(rng.integers(len(_ODD)))] + content[at:],
            content[:at] + content[min(to, at + 4) :],
            content[:to] + content[at:to] + content[to:],
            content[:to],
            content[at:to] + content[:at] + content[to:],
        )[int(rng.integers(6))]
    return content
