"""The data that a command is given: a file, a name or standard input, with what is said of its columns."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scipy import sparse

from plait.core.sentences import ParameterError, warn_user
from plait.data import DataError, Dataset, DataWarning, TableEncoder, load_dataset
from plait.data.conversion.files import plain_suffix
from plait.data.encoded_tables import first_gap, needs_encoder, takes_gaps
from plait.estimators import JointPipeline

__all__ = ["TABLES", "Source", "aligned_labels"]

TABLES = (".csv", ".tsv", ".parquet", ".xlsx")


@dataclass(frozen=True)
class Source:
    """A data set as words of the command line name it.

    Parameters
    ----------
    data : str
        A file, the name of a data set, or "-" for CSV from standard input.
    labels, split, tags, sep, positive : optional
        As `load_dataset` takes them.
    id_column : str, optional
        The column that names rows: nothing is learnt from it, and answers carry it.
    text, words, drop : tuple of str
        Columns of text, of words, and to leave out.
    fill : {"median", "mean", "none"}, default="median"
        How gaps are filled; "none" refuses them.
    """

    data: str
    labels: Any = None
    split: str | None = None
    tags: str | None = None
    sep: str | None = None
    positive: str | Mapping[str, str] | None = None
    id_column: str | None = None
    text: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    fill: str = "median"

    @property
    def is_table(self) -> bool:
        """Whether the data are a file with named columns."""
        return self.data == "-" or plain_suffix(self.data) in TABLES

    @property
    def left_out(self) -> list[str]:
        """Columns that nothing is learnt from."""
        return [*self.drop, *([self.id_column] if self.id_column else [])]

    def load(self, kinds: Mapping[str, str] | None = None) -> Dataset:
        """Read the data; `kinds` says what the columns of a fitted encoder are."""
        given = self.column_kinds(kinds)
        with _readable(self.data) as place:
            return load_dataset(
                place,
                labels=self.labels,
                split=self.split,
                tags=self.tags,
                sep=self.sep,
                positive=self.positive,
                kinds=given if self.is_table else None,
            )

    def column_kinds(self, kinds: Mapping[str, str] | None = None) -> dict[str, str] | None:
        """Return what is said of columns, with the kinds that a fitted encoder knows; None where nothing is."""
        said = dict.fromkeys(self.text, "text") | dict.fromkeys(self.words, "words")
        said |= dict.fromkeys(self.left_out, "left out")
        if said and not self.is_table:
            raise ParameterError(
                f"plait needs a table ({', '.join(TABLES)}) where columns are named, but it is {self.data}. "
                "Leave out --id, --text, --words and --drop."
            )
        return None if kinds is None and not said else {**(kinds or {}), **said}

    def options(self, model: Any) -> dict[str, Any]:
        """Return the parameters of the encoder before a model."""
        fill = None if takes_gaps(model) else self.fill.replace("none", "median")
        named = {"text": self.text, "words": self.words, "drop": tuple(self.left_out)}
        return {"fill": fill, **{name: value for name, value in named.items() if value}}

    def with_encoder(self, model: Any, data: Dataset) -> Any:
        """Return the model behind an encoder, where the data are a table or have gaps."""
        if not (self.is_table or needs_encoder(data, model)):
            return model
        return JointPipeline([("table", TableEncoder(**self.options(model))), ("model", model)])

    def tell_gaps(self, data: Dataset, model: Any = None) -> None:
        """Say where values are missing, and what becomes of them; refuse them where they are not to be filled."""
        gap = first_gap(data, skip=self.left_out)
        if gap and self.fill == "none":
            raise DataError(f"{gap}: there is no value, and --fill none refuses gaps. Fill it in, or leave that out.")
        if gap and not takes_gaps(model):
            warn_user(f"{gap}: gaps are filled (numbers by the {self.fill}) and marked.", DataWarning)


@contextmanager
def _readable(data: str) -> Iterator[str]:
    """Yield the file or name; what comes through standard input goes through a file."""
    if data != "-":
        yield data
        return
    with TemporaryDirectory() as folder:
        path = Path(folder, "stdin.csv")
        path.write_bytes(sys.stdin.buffer.read())
        yield str(path)


def aligned_labels(data: Dataset, names: tuple[str, ...]) -> Dataset:
    """Return the data with these labels: joined tags of a file may lack some of them."""
    own = {name: j for j, name in enumerate(data.label_names or ())}
    if tuple(own) == names:
        return data
    if not set(own) & set(names):
        raise DataError(f"{data.name} needs the labels {', '.join(names[:5])}, but it has none of them. Name them.")
    Y = sparse.csc_matrix(data.Y)
    empty = sparse.csc_matrix((data.n_samples, 1), dtype=Y.dtype)
    columns = sparse.hstack([Y[:, [own[name]]] if name in own else empty for name in names], format="csr")
    return replace(data, Y=columns if sparse.issparse(data.Y) else columns.toarray(), label_names=names)
