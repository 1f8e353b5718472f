"""`RowFeatures`: what a row looks like to a reader, and which rows hold a word."""

import re
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.pipeline import Pipeline

from plait.core.arrays import Floats, Ints
from plait.data.conversion.column_kinds import as_words
from plait.data.conversion.frame_columns import columns_of_frame
from plait.estimators.joint_pipeline import named_features
from plait.posterior import Posterior
from plait.posterior.explaining import FeatureBackground

__all__ = ["RowFeatures", "named_background"]

# Words longer than this in the mean are text to read.
_TEXT_LENGTH = 40
_MOST_SHOWN, _GLIMPSE, _LONGEST_TEXT = 60, 80, 20_000
_SPREAD_ROWS = 2000
_PIXEL = re.compile(r"(.*?)(\d+)[_x,](\d+)\Z")


def named_background(model: Any, answer: Posterior, names: Sequence[str] | None) -> FeatureBackground | None:
    """Return what an answer knows of the features, by name also where the model was fitted on an array.

    Parameters
    ----------
    model : fitted classifier
        Or pipeline.
    answer : Posterior
        Of the model.
    names : sequence of str, or None
        Of the columns of X.
    """
    known: FeatureBackground | None = answer.features
    if not names or hasattr(model, "feature_names_in_"):
        return known
    pipeline = model if isinstance(model, Pipeline) else Pipeline([("model", model)])
    return named_features(pipeline, known, names)


class RowFeatures:
    """The features of a data set, row by row.

    Parameters
    ----------
    data : Dataset
        The rows.
    row_names : sequence of str
        What they are called.
    hidden : set of str
        Columns that are no features, such as labels.

    Examples
    --------
    >>> from plait.data import Dataset
    >>> shown = RowFeatures(Dataset([[1.0, 2.5]], [[1]], ["size", "price"]), ["0"], set())
    >>> shown.of(0)["features"]
    [['size', '1'], ['price', '2.5']]
    """

    def __init__(self, data: Any, row_names: Sequence[str], hidden: set[str]) -> None:
        self.row_names = row_names
        self.names = [str(name) for name in data.feature_names or ()]
        self.is_table = data.is_table
        self.text: dict[str, list[str | None]] = {}
        self.words: dict[str, list[str | None]] = {}
        self.X = None if self.is_table else data.X
        if self.is_table:
            for column in columns_of_frame(data.X, data.name):
                words = as_words(column)
                if column.name not in hidden and words != list(row_names):
                    self._add(column.name, words, column.kind == "text")

    def _add(self, name: str, words: list[str | None], is_text: bool) -> None:
        lengths = [len(word) for word in words[:_SPREAD_ROWS] if word]
        long = is_text and bool(lengths) and sum(lengths) > _TEXT_LENGTH * len(lengths)
        (self.text if long else self.words)[name] = words

    def of(self, row: int) -> dict[str, Any]:
        """Return texts, names with values, and a picture if the features are its pixels."""
        if self.is_table:
            features = [[name, words[row] or ""] for name, words in self.words.items()]
            texts = [[name, (words[row] or "")[:_LONGEST_TEXT]] for name, words in self.text.items()]
            numbers = {name: words[row] for name, words in self.words.items()} if self.grid is not None else {}
            values = [float(numbers.get(name) or 0.0) for name in self._pixels] if numbers else []
            return {"text": texts, "image": self._image(values), **_first(features)}
        assert self.X is not None
        x = self.X[[row]].toarray()[0] if sparse.issparse(self.X) else np.asarray(self.X[row])
        places = self._notable(x)
        features = [[self.names[j], f"{x[j]:.6g}"] for j in places]
        pixels = [float(x[self.names.index(name)]) for name in self._pixels] if self.grid is not None else []
        return {"text": [], "image": self._image(pixels), **_first(features)}

    def _notable(self, x: Floats) -> list[int]:
        """Return the features to show first: those that are there in sparse rows, else the least usual of many."""
        if sparse.issparse(self.X):
            return [int(j) for j in np.flatnonzero(x)[np.argsort(-np.abs(x[x != 0]), kind="stable")]]
        if len(x) <= _MOST_SHOWN:
            return list(range(len(x)))
        mean, spread = self._usual
        return [int(j) for j in np.argsort(-np.nan_to_num(np.abs(x - mean) / spread), kind="stable")]

    @cached_property
    def _usual(self) -> tuple[Floats, Floats]:
        assert self.X is not None
        some = np.asarray(self.X[:_SPREAD_ROWS], dtype=np.float64)
        there = ~np.isnan(some)
        n = np.maximum(there.sum(axis=0), 1)
        mean = np.where(there, some, 0.0).sum(axis=0) / n
        spread = np.sqrt((np.where(there, some - mean, 0.0) ** 2).sum(axis=0) / n)
        return mean, np.where(spread > 0, spread, np.inf)

    @cached_property
    def grid(self) -> tuple[int, int] | None:
        """Height and width, where the features are the pixels of a picture, such as pixel_0_0, pixel_0_1, ..."""
        names = list(self.words) if self.is_table else self.names
        found = [_PIXEL.match(name) for name in names]
        if len(names) < 16 or not all(found):
            return None
        cells = [(int(match[2]), int(match[3])) for match in found if match]
        height, width = (max(places) + 1 for places in zip(*cells, strict=True))
        whole = len(set(cells)) == len(cells) == height * width
        return (height, width) if whole and len({match[1] for match in found if match}) == 1 else None

    @cached_property
    def _pixels(self) -> list[str]:
        def place(name: str) -> tuple[int, int]:
            match = _PIXEL.match(name)
            assert match is not None  # `grid` looked
            return int(match[2]), int(match[3])

        return sorted(self.words if self.is_table else self.names, key=place)

    def _image(self, pixels: list[float]) -> dict[str, Any] | None:
        if self.grid is None:
            return None
        return {"height": self.grid[0], "width": self.grid[1], "pixels": pixels}

    @cached_property
    def _searched(self) -> list[str]:
        columns = [*self.text.values(), *self.words.values()]
        return [
            " ".join([name, *(column[row] or "" for column in columns)]).casefold()
            for row, name in enumerate(self.row_names)
        ]

    def found(self, query: str) -> Ints:
        """Return the rows whose name, text or words hold all words of a query."""
        words = query.casefold().split()
        if not words:
            return np.arange(len(self.row_names))
        hits = [row for row, text in enumerate(self._searched) if all(word in text for word in words)]
        return np.array(hits, dtype=np.int64)

    def glimpse(self, row: int) -> str:
        """Return the beginning of what a row says."""
        columns = self.text or self.words
        return " · ".join(column[row] or "" for column in columns.values())[:_GLIMPSE] if self.grid is None else ""


def _first(features: list[list[str]]) -> dict[str, Any]:
    return {"features": features[:_MOST_SHOWN], "n_more": max(0, len(features) - _MOST_SHOWN)}
