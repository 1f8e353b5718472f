"""Data files, packed or not: read in blocks of whole lines with bounded memory, written whole or not at all."""

import bz2
import errno
import gzip
import lzma
import os
import platform
import shutil
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import IO

from plait.core.sentences import warn_user
from plait.data.errors import DataError, DataWarning

__all__ = [
    "BYTE_ORDER_MARK",
    "PACKED_SUFFIXES",
    "as_utf8",
    "blocks_of_lines",
    "open_bytes",
    "plain_suffix",
    "read_all",
    "replacing",
]


PACKED_SUFFIXES = (".gz", ".bz2", ".xz")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")

# Bytes of text from which kernels read it faster than plain Python in a new process: that reads 20 to 30 MB in a
# second, and loading Numba and kernels takes 0.5 s even where they were compiled before (4 s where not).
LARGE_FILE = 1 << 23

_BLOCK = 1 << 20
_LONGEST_LINE = 1 << 26
# A packed file that grows by more than this factor, and beyond the floor, is a bomb, not data.
_MOST_GROWTH = 1000
_GROWTH_FLOOR = 1 << 28


def plain_suffix(path: str | os.PathLike[str]) -> str:
    """Return the suffix below the packing, in lower case.

    Examples
    --------
    >>> plain_suffix("emotions.ARFF.gz")
    '.arff'
    """
    name = Path(path)
    if name.suffix.lower() in PACKED_SUFFIXES:
        name = name.with_suffix("")
    return name.suffix.lower()


def plain_stem(path: str | os.PathLike[str]) -> str:
    """Return the name of a file without folder, packing and suffix.

    Examples
    --------
    >>> plain_stem("data/emotions-train.arff.gz"), plain_stem("reuters.v2.svm")
    ('emotions-train', 'reuters.v2')
    """
    name = Path(path)
    return name.with_suffix("").stem if name.suffix.lower() in PACKED_SUFFIXES else name.stem


def open_bytes(path: str | os.PathLike[str], mode: str = "rb") -> IO[bytes]:
    """Open a file in binary mode, unpacking or packing by its suffix (.gz, .bz2, .xz)."""
    suffix = Path(path).suffix.lower()
    try:
        if "r" in mode and not stat.S_ISREG(os.stat(path).st_mode) and not os.path.isdir(path):
            # Whoever opens a pipe without a writer waits for ever, and a device may have no end.
            raise DataError.at(path, None, "a file", "a pipe or a device", "Write its content to a file first.")
        if suffix == ".gz":
            # No time stamp, so that the same data give the same bytes.
            return gzip.GzipFile(path, mode, mtime=0)  # type: ignore[return-value]
        if suffix == ".bz2":
            return bz2.open(path, mode)  # type: ignore[return-value]
        if suffix == ".xz":
            return lzma.open(path, mode)  # type: ignore[return-value]
        return open(path, mode)
    except DataError:
        raise
    except (OSError, ValueError) as problem:  # a name with a zero byte is a ValueError
        reason = getattr(problem, "strerror", None) or str(problem)
        raise DataError.at(path, None, "a file that can be opened", reason) from None


def _gunzipped(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield what a gzip file holds, by zlib itself: Python 3.11's gzip unpacks eight kilobytes at a time."""
    unpacker, first = None, True
    while packed := stream.read(_BLOCK // 4):
        while packed:
            if unpacker is None:
                # Another packed file may follow, after zeros that fill up the blocks of a tape.
                packed = packed if first else packed.lstrip(b"\0")
                if not packed:
                    break
                unpacker, first = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS), False
            if block := unpacker.decompress(packed, _BLOCK):
                yield block
            packed = unpacker.unconsumed_tail
            if unpacker.eof:
                packed, unpacker = unpacker.unused_data, None
    if unpacker is not None:
        raise EOFError("it ends too early")


def _blocks(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the unpacked bytes of an opened file block by block."""
    if isinstance(stream, gzip.GzipFile):
        return _gunzipped(stream.fileobj)
    return iter(lambda: stream.read(_BLOCK), b"")


def _unpacked(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """Yield the file's bytes block by block; any fault of the packing is a `DataError`."""
    total = 0
    try:
        with open_bytes(path) as stream:
            most = max(_GROWTH_FLOOR, _MOST_GROWTH * os.path.getsize(path))
            for block in _blocks(stream):
                total += len(block)
                if total > most:
                    raise DataError.at(path, None, "data", f"a packed file that grows more than {_MOST_GROWTH}-fold")
                yield block
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as problem:
        raise DataError.at(
            path,
            None,
            "a whole file",
            f"one that cannot be read to its end ({problem})",
            "Fetch it again.",
        ) from None


def blocks_of_lines(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """Yield the file as blocks that end at a line's end, each about a mebibyte.

    A last line without a line end gets one. A line of more than 64 MiB is refused, so memory stays bounded.
    """
    rest = b""
    for block in _unpacked(path):
        cut = block.rfind(b"\n") + 1
        if not cut:
            rest += block
            if len(rest) > _LONGEST_LINE:
                raise DataError.at(path, None, "lines of text", f"one line of more than {_LONGEST_LINE} bytes")
            continue
        yield rest + block[:cut]
        rest = block[cut:]
    if rest:
        yield rest + b"\n"


def up_to(size: int, blocks: Iterator[bytes]) -> tuple[list[bytes], int]:
    """Take blocks until they are `size` bytes together, or all; return them and how many bytes they are."""
    taken, total = [], 0
    while total < size and (block := next(blocks, None)) is not None:
        taken.append(block)
        total += len(block)
    return taken, total


def read_all(path: str | os.PathLike[str], most: int = 1 << 26) -> bytes:
    """Return the whole content of a small file, at most `most` bytes."""
    parts, total = [], 0
    for block in _unpacked(path):
        parts.append(block)
        total += len(block)
        if total > most:
            raise DataError.at(path, None, f"a file of at most {most} bytes", "a larger one")
    return parts[0] if len(parts) == 1 else b"".join(parts)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a path to write to; what was written there takes the place of `path` if no error came.

    The path lies in a folder of its own beside the goal and has the goal's name: a packed file, which holds its name,
    gets the same bytes every time. The goal keeps its permissions, a link keeps pointing at it, and the new content is
    on the disk before it takes its place. What a process that was killed left behind is removed by the next one.

    Examples
    --------
    >>> import tempfile
    >>> goal = Path(tempfile.mkdtemp(), "a.txt")
    >>> with replacing(goal) as draft:
    ...     size = draft.write_text("new")
    >>> goal.read_text(), len(list(goal.parent.iterdir()))
    ('new', 1)
    """
    try:
        goal = Path(os.path.realpath(path))
        _sweep(goal.parent)
        folder = Path(mkdtemp(prefix=f"{_own_prefix()}{os.getpid()}-", dir=goal.parent))
    except (OSError, ValueError) as problem:  # a name with a zero byte is a ValueError
        reason = getattr(problem, "strerror", None) or str(problem)
        raise DataError.at(path, None, "a folder that can be written to", reason) from None
    try:
        draft = folder / goal.name
        yield draft
        if goal.is_file():
            shutil.copymode(goal, draft)
        _synced(draft)
        os.replace(draft, goal)
        _synced(goal.parent)
    except OSError as problem:
        raise DataError.at(goal, None, "a file that can be written", problem.strerror or str(problem)) from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _own_prefix() -> str:
    """Return how folders of drafts of this machine begin: process numbers of other machines say nothing here."""
    return f".plait-{zlib.crc32(platform.node().encode()):08x}-"


def _sweep(folder: Path) -> None:
    """Remove drafts whose process is no more."""
    for left in folder.glob(f"{_own_prefix()}*-*"):
        process = left.name.removeprefix(_own_prefix()).split("-")[0]
        if process.isdigit() and not _alive(int(process)):
            shutil.rmtree(left, ignore_errors=True)


def _alive(process: int) -> bool:
    if os.name != "posix":
        # Elsewhere signal 0 is not a question but ends the process.
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _synced(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk; some file systems cannot say so."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except PermissionError:
        return
    try:
        os.fsync(handle)
    except OSError as problem:
        if problem.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.EROFS):
            raise
    finally:
        os.close(handle)


def as_utf8(content: bytes, file: str) -> bytes:
    """Return text as UTF-8 without a mark: UTF-16 says that it is, and what is neither is what older Excel files are.

    Parameters
    ----------
    content : bytes
        What the file holds.
    file : str
        Its name, for errors and notes.

    Raises
    ------
    DataError
        If it is no text.

    Examples
    --------
    >>> as_utf8("\ufeffsky".encode("utf-16-le"), "photos.csv")
    b'sky'
    """
    if content.startswith(_UTF16_MARKS):
        content = _decoded(content, "utf-16", file).encode()
    content = content.removeprefix(BYTE_ORDER_MARK)
    try:
        if not content.isascii():
            content.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        content = _decoded(content, "cp1252", file, line).encode()
        warn_user(
            f"{file}, line {line}: this is no UTF-8; it is read as Windows-1252, as Excel writes plain CSV in western "
            "Europe. If letters look wrong, save the file as UTF-8.",
            DataWarning,
        )
    if b"\x00" in content:
        line = content.count(b"\n", 0, content.index(b"\x00")) + 1
        raise DataError.at(file, line, "text", "a null byte")
    return content


def _decoded(content: bytes, encoding: str, file: str, line: int | None = None) -> str:
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as problem:
        found = f"byte {content[problem.start]:#04x}"
        raise DataError.at(file, line, "text in UTF-8", found, "Save the file as UTF-8.") from None
