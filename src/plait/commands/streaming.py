"""Large files and folders in chunks: rows in, answers out, as much memory for a million rows as for a thousand."""

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from plait.commands.answer_tables import Predictions, answers_text, json_lines
from plait.commands.sources import Source
from plait.core.chunked.dask_blocks import current_client, on_cluster
from plait.core.extras import optional
from plait.core.progress_bar import progress
from plait.core.sentences import ParameterError, shown
from plait.data import Dataset, FileChunks, chunks
from plait.data.conversion.files import open_bytes, plain_suffix, replacing

__all__ = ["connected", "source_chunks", "stream_answers"]

# Files of more bytes are read in chunks.
LARGE = 1 << 25
_STREAMED = (".svm", ".libsvm", ".txt", ".csv", ".tsv", ".parquet")
# Formats that can be written bit by bit.
_WRITTEN = (".csv", ".tsv", ".jsonl")


def source_chunks(source: Source, kinds: Any = None) -> FileChunks | None:
    """Return a folder, or a file that is large, in chunks; None where it is to be read at once."""
    path = Path(source.data)
    if source.data == "-" or source.split or source.tags:
        return None
    large = os.path.isfile(path) and path.stat().st_size >= LARGE and plain_suffix(path) in _STREAMED
    folder = os.path.isdir(path) and any(plain_suffix(file) in _STREAMED for file in path.iterdir())
    if not (large or folder):
        return None
    said = source.column_kinds(kinds)
    return chunks(path, labels=source.labels, kinds=said, positive=source.positive)


@contextmanager
def connected(address: str | None) -> Iterator[None]:
    """Work with the Dask cluster at an address inside the block; without one, here."""
    if address is None:
        with nullcontext():
            yield
        return
    distributed = optional("distributed", extra="dask", purpose="--dask")
    try:
        client = distributed.Client(address, timeout=20)
    except (OSError, ValueError) as problem:
        raise ParameterError(
            f"plait needs --dask to be the address of a Dask scheduler, but {shown(address)} does not answer "
            f"({problem}). Start one by 'dask scheduler', and pass the address that it prints."
        ) from None
    with client:
        yield


def stream_answers(parts: FileChunks, ask: Callable[[Dataset], Predictions], out: str | None) -> tuple[int, str]:
    """Write or print what is said of every chunk, one after the other; return how many lines, and the last note.

    Parameters
    ----------
    parts : FileChunks
        The rows.
    ask : callable
        From the rows of a chunk to answers, with row numbers of the chunk in a first column `row` if there is one.
    out : str, optional
        A file that is replaced whole or not at all; "-" or None for standard output.
    """
    suffix = ".csv" if out in (None, "-") else plain_suffix(str(out))
    if suffix not in _WRITTEN:
        raise ParameterError(
            f"plait predict needs -o to end in one of {', '.join(_WRITTEN)} for a large file, but it is {shown(out)}. "
            "Pass one of them."
        )
    whole = progress(_numbered(parts, ask), f"predicting {parts.name}", total=parts.__length_hint__())
    texts = _Texts(whole, suffix)
    if out in (None, "-"):
        for text in texts:
            sys.stdout.write(text)
        return texts.lines, texts.note
    with replacing(str(out)) as draft, open_bytes(draft, "wb") as stream:
        for text in texts:
            stream.write(text.encode())
    return texts.lines, texts.note


def _numbered(parts: Iterable[Dataset], ask: Callable[[Dataset], Predictions]) -> Iterator[Predictions]:
    """Give the answers about one chunk after the other, rows numbered from the first of all; by workers, if any."""
    first = 0
    for n_rows, answers in _asked(parts, ask):
        if answers.columns[:1] == ("row",):
            answers = replace(answers, lines=[[line[0] + first, *line[1:]] for line in answers.lines])
        first += n_rows
        yield answers


def _asked(parts: Iterable[Dataset], ask: Callable[[Dataset], Predictions]) -> Iterator[tuple[int, Predictions]]:
    client = current_client()
    if client is None:
        for part in parts:
            yield part.n_samples, ask(part)
        return
    question = on_cluster(client, ask)
    most, waiting = 2 * max(1, sum(client.nthreads().values())), deque[tuple[int, Any]]()
    for part in parts:
        task = client.submit(_answered, question, on_cluster(client, part), pure=False, retries=3)
        waiting.append((part.n_samples, task))
        if len(waiting) >= most:
            n_rows, first = waiting.popleft()
            yield n_rows, first.result()
    for n_rows, task in waiting:
        yield n_rows, task.result()


def _answered(ask: Callable[[Dataset], Predictions], part: Dataset) -> Predictions:
    return ask(part)


class _Texts:
    """The text of answers, the names of columns before the first; `lines` and `note` are known at the end."""

    def __init__(self, answers: Iterable[Predictions], suffix: str) -> None:
        self._answers, self.lines, self.note = answers, 0, ""
        separated = partial(answers_text, separator="\t" if suffix == ".tsv" else ",")
        self._text = json_lines if suffix == ".jsonl" else separated
        self._headed = suffix != ".jsonl"

    def __iter__(self) -> Iterator[str]:
        for answers in self._answers:
            text = self._text(answers)
            if self.lines and self._headed:
                text = text.partition("\n")[2]
            self.lines, self.note = self.lines + len(answers.lines), answers.note
            yield text
