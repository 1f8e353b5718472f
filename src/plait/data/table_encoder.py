"""`TableEncoder`: from a data frame of numbers, words, dates and text to the numbers that a learner takes."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from plait.core.checks import InstanceOf, Interval, Nothing, OneOf, check_parameters
from plait.core.no_yes import no_yes_codes
from plait.core.sentences import shown, warn_user
from plait.data.conversion import column_kinds as kinds
from plait.data.conversion.feature_encoding import unique_names
from plait.data.conversion.frame_columns import column_of_objects, column_of_texts, columns_of_frame, is_frame
from plait.data.conversion.table_columns import TableColumn, refuse_doubles
from plait.data.errors import DataError, DataWarning
from plait.pictures.tables import Entry, Heading, Table, as_text

__all__ = ["TableEncoder"]

_SOURCE = "TableEncoder"
_GAP = ""  # the word of a cell that holds none
_MOST_NAMES = 5
# Narrow or well-filled features are faster dense; which form they take is settled at fit, so that it never depends on
# the rows to be transformed.
_WIDE, _THIN = 64, 0.3
_COLUMNS = (InstanceOf((str, list, tuple)), Nothing())


class TableEncoder(TransformerMixin, BaseEstimator):
    """Encode the columns of a data frame as numbers, the same way for every later frame.

    What a column is, is decided at `fit`: **numbers** (gaps filled by the median, with an indicator where any were
    seen), **yes/no** in any language (0 and 1), **dates** (year, month, weekday, and age in years before the latest
    date, with the hour where there are times), **words** (one column for each, rare ones pooled, unknown ones all
    zero), **text** (TF-IDF of its words). Columns without values, and those that only tell rows apart (names of files,
    row numbers), are left out with a note. At `transform` columns are found by name: more of them are ignored with a
    note, missing ones are refused. A list, series or array of texts is a table of one column, of text.

    Parameters
    ----------
    text, words, numbers, dates : str or list of str, optional
        Columns that are to be taken as such, whatever they look like.
    drop : str or list of str, optional
        Columns to leave out.
    fill : {"median", "mean"}, default="median"
        How gaps among numbers are filled; None leaves NaN for a learner that can take it.
    min_frequency : int, default=2
        Words that are in fewer rows share one column.
    max_text_features : int, default=5000
        So many words of each text, the most frequent ones.

    Attributes
    ----------
    kinds_ : dict of str to str
        What each column is: "numbers", "yes/no", "dates", "words", "text" or "left out".
    feature_names_in_ : ndarray of str
        Names of the columns of a frame.
    n_features_in_ : int
        Number of columns.
    imputer_, one_hot_ : SimpleImputer, OneHotEncoder or None
        The fitted parts for numbers and for words.
    vectorizers_ : dict of str to TfidfVectorizer
        The fitted parts for text.
    codes_, date_parts_, latest_days_, reasons_, is_matrix_, is_sparse_ : dict or bool
        By column: codes of yes and no, parts and latest days of dates, why it is left out; forms of X and features.

    Examples
    --------
    >>> import pandas as pd
    >>> songs = pd.DataFrame({"tempo": [96.0, None, 120.0], "live": ["ja", "nein", "ja"], "key": ["C", "G", "C"]})
    >>> encoder = TableEncoder(min_frequency=1).fit(songs)
    >>> encoder.get_feature_names_out().tolist()
    ['tempo', 'live', 'tempo=(gap)', 'key=C', 'key=G']
    >>> encoder.transform(songs[1:2])
    array([[108.,   0.,   1.,   0.,   1.]])
    """

    parameter_rules: ClassVar[dict[str, Any]] = {
        "text": _COLUMNS,
        "words": _COLUMNS,
        "numbers": _COLUMNS,
        "dates": _COLUMNS,
        "drop": _COLUMNS,
        "fill": (OneOf(("median", "mean")), Nothing()),
        "min_frequency": (Interval(int, 1, None),),
        "max_text_features": (Interval(int, 1, None),),
    }

    def __init__(
        self,
        text: str | Sequence[str] | None = None,
        words: str | Sequence[str] | None = None,
        numbers: str | Sequence[str] | None = None,
        dates: str | Sequence[str] | None = None,
        drop: str | Sequence[str] | None = None,
        fill: str | None = "median",
        min_frequency: int = 2,
        max_text_features: int = 5000,
    ) -> None:
        self.text = text
        self.words = words
        self.numbers = numbers
        self.dates = dates
        self.drop = drop
        self.fill = fill
        self.min_frequency = min_frequency
        self.max_text_features = max_text_features

    def fit(self, X: Any, y: Any = None) -> "TableEncoder":
        """Decide what the columns are, and learn their words, medians and vocabularies.

        Parameters
        ----------
        X : data frame, array or sparse matrix of shape (n_samples, n_columns), or list of texts
            Frames of pandas, polars or any library that narwhals reads; arrays hold numbers only, or objects.
        y : ignored
            For scikit-learn.
        """
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """Do both, reading the columns once."""
        check_parameters(self)
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        texts = column_of_texts(X)
        columns = self._read(X, reset=True) if texts is None else self._named([texts], reset=True)
        self.is_matrix_ = not isinstance(columns, list)
        self.imputer_: Any = None
        self.one_hot_: Any = None
        self.vectorizers_: dict[str, Any] = {}
        self.reasons_: dict[str, str] = {}
        self.codes_: dict[str, dict[str, float]] = {}
        self.latest_days_: dict[str, float] = {}
        self.date_parts_: dict[str, list[str]] = {}
        self.kinds_ = self._decided(columns, [] if texts is None else [texts.name])
        return self._encoded(columns, learn=True)

    def transform(self, X: Any) -> Any:
        """Return the features of a table.

        Parameters
        ----------
        X : data frame, array or sparse matrix
            With the columns that were there at `fit`, in any order.
        """
        check_is_fitted(self)
        return self._encoded(self._read(X, reset=False), learn=False)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return the names of the features, such as `tempo`, `tempo=(gap)`, `key=C`, `key=(rare)`, `lyrics:sea`.

        Parameters
        ----------
        input_features : array of str, optional
            Names of the columns of an array; those of a frame are known.
        """
        check_is_fitted(self)
        own = dict(zip(self.kinds_, map(str, _check_feature_names_in(self, input_features)), strict=True))
        return np.array(unique_names(name for _, name in self._features(own)), dtype=object)

    def feature_groups(self) -> npt.NDArray[np.int64]:
        """Return a number for every feature, the same for the indicators of one column of words."""
        check_is_fitted(self)
        columns = [column for column, _ in self._features({name: name for name in self.kinds_})]
        words = {column for column in columns if self.kinds_[column] == "words"}
        groups = [columns.index(column) if column in words else place for place, column in enumerate(columns)]
        return np.array(groups, dtype=np.int64)

    def describe(self) -> str:
        """Return a table of the columns: what each is, and what becomes of it."""
        check_is_fitted(self)
        features: dict[str, list[str]] = {name: [] for name in self.kinds_}
        for column, name in self._features({name: name for name in self.kinds_}):
            features[column].append(name)
        heads = (Heading("column", is_text=True), Heading("kind", is_text=True), Heading("features", 0))
        rows = [
            (Entry(name), Entry(kind), Entry(float(len(features[name]))), Entry(self._remark(name, features[name])))
            for name, kind in self.kinds_.items()
        ]
        return as_text(Table("columns", "", (*heads, Heading("of them", is_text=True, longest=40)), tuple(rows)))

    def _remark(self, name: str, features: list[str]) -> str:
        if name in self.reasons_:
            return self.reasons_[name]
        more = ", ..." if len(features) > _MOST_NAMES else ""
        return ", ".join(feature.removeprefix(name).lstrip("=:.") or name for feature in features[:_MOST_NAMES]) + more

    def __sklearn_tags__(self) -> Any:
        """Tell scikit-learn what may come in."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = tags.input_tags.sparse = True
        return tags

    # What comes in.

    def _read(self, X: Any, *, reset: bool) -> Any:
        """Return the columns of a table, or the matrix of one of numbers, as they were at `fit`."""
        if is_frame(X):
            columns = columns_of_frame(X, _SOURCE)
            refuse_doubles([column.name for column in columns], _SOURCE)
            return self._named(columns, reset=reset)
        if not reset and len(self.kinds_) == 1 and (texts := column_of_texts(X)) is not None:
            return [replace(texts, name=next(iter(self.kinds_)))]
        if not reset and hasattr(self, "feature_names_in_"):
            found = f"{type(X).__name__} of shape {np.shape(X)}"
            raise DataError.at(_SOURCE, None, "a data frame with the columns that it was fitted on", found)
        if isinstance(X, np.ndarray) and X.dtype.kind in "OUS":
            X = validate_data(self, X, reset=reset, dtype=None, ensure_all_finite=False)
            return [column_of_objects(f"x{j}", X[:, j].tolist(), _SOURCE) for j in range(X.shape[1])]
        allowed = {"accept_sparse": "csr", "ensure_all_finite": "allow-nan"}
        matrix = validate_data(self, X, reset=reset, dtype=np.float64, **allowed)
        if reset or self.is_matrix_:
            return matrix
        return [TableColumn(name, "numeric", matrix[:, j]) for j, name in enumerate(self.kinds_)]

    def _named(self, columns: list[TableColumn], *, reset: bool) -> list[TableColumn]:
        """Return the columns of a frame in the order of `fit`."""
        if reset:
            if not columns or not len(columns[0].values):
                raise DataError.at(_SOURCE, None, "a table with rows and columns", "an empty one")
            self.feature_names_in_ = np.array([column.name for column in columns], dtype=object)
            self.n_features_in_ = len(columns)
            return columns
        found = {column.name: column for column in columns}
        wanted = list(self.kinds_)
        missing = [name for name in wanted if name not in found and self.kinds_[name] != "left out"]
        if missing:
            expected = f"the columns it was fitted on, {_listed(missing)} among them"
            raise DataError.at(
                _SOURCE, None, expected, f"only {_listed(list(found))}", "Pass data with the same columns."
            )
        extra = [name for name in found if name not in self.kinds_]
        if extra:
            _note(f"ignores {_listed(extra)}, which {'were' if len(extra) > 1 else 'was'} not there when it was fitted")
        return [found[name] for name in wanted if name in found]

    def _decided(self, columns: Any, texts: list[str]) -> dict[str, str]:
        """Return the kind of each column: what the user says, else text if it came alone, else what it looks like."""
        if self.is_matrix_:
            return dict.fromkeys(_check_feature_names_in(self).tolist(), "numbers")
        asked = {word: getattr(self, word) for word in ("text", "words", "numbers", "dates", "drop")}
        asked = asked if any(asked.values()) else {**asked, "text": texts}
        said = kinds.said_kinds(_SOURCE, [column.name for column in columns], asked)
        found = {}
        for column in columns:
            kind, why = (said[column.name], "as asked") if column.name in said else kinds.kind_of(column)
            found[column.name] = kind
            if kind == "left out":
                self.reasons_[column.name] = why
        silent = [name for name, why in self.reasons_.items() if why != "as asked"]
        if all(kind == "left out" for kind in found.values()):
            empty = f"{_listed(silent)}, which {self.reasons_[silent[0]]}" if silent else "none"
            raise DataError.at(_SOURCE, None, "a column to learn from", empty, "Name one by words=, text= or numbers=.")
        for why in sorted({self.reasons_[name] for name in silent}):
            some = [name for name in silent if self.reasons_[name] == why]
            _note(f"leaves out {_listed(some)}, which {why}; words= or text= keeps a column")
        return found

    # What comes out: numbers, then their gaps, then words, then text.

    def _encoded(self, columns: Any, *, learn: bool) -> Any:
        parts = [self._numbers(columns, learn)]
        if isinstance(columns, list):
            parts += [self._one_hot([c for c in columns if self.kinds_[c.name] == "words"], learn)]
            parts += [self._tf_idf(c, learn) for c in columns if self.kinds_[c.name] == "text"]
        parts = [part for part in parts if part is not None]
        if not parts:
            raise DataError.at(_SOURCE, None, "a column to learn from", "texts without words of two letters or more")
        if learn:
            cells = parts[0].shape[0] * sum(part.shape[1] for part in parts)
            filled = sum(part.nnz if sparse.issparse(part) else part.size for part in parts)
            wide = cells >= _WIDE * parts[0].shape[0] and filled < _THIN * cells
            self.is_sparse_ = (self.is_matrix_ and sparse.issparse(parts[0])) or wide
        if not self.is_sparse_ or _get_output_config("transform", self)["dense"] != "default":
            return np.hstack([part.toarray() if sparse.issparse(part) else part for part in parts])
        return parts[0] if len(parts) == 1 else sparse.hstack(parts, format="csr")

    def _numbers(self, columns: Any, learn: bool) -> Any:
        """Return numbers, truth values and parts of dates, their gaps filled and marked."""
        if self.is_matrix_ and not isinstance(columns, list):
            numbers = columns
        else:
            parts = [part for column in columns for part in self._number_columns(column, learn)]
            if not parts:
                return None
            numbers = np.column_stack(parts)
        if sparse.issparse(numbers) and (self.imputer_ is None if not learn else not np.isnan(numbers.data).any()):
            return _without_gaps(numbers) if self.fill else numbers
        if self.fill is None:
            return numbers
        if learn:
            self.imputer_ = SimpleImputer(strategy=self.fill, add_indicator=True, keep_empty_features=True).fit(numbers)
        filled = self.imputer_.transform(numbers)
        return filled.tocsr() if sparse.issparse(filled) else filled

    def _number_columns(self, column: TableColumn, learn: bool) -> list[npt.NDArray[np.float64]]:
        name, kind = column.name, self.kinds_[column.name]
        if kind == "numbers" or self.is_matrix_:
            return [kinds.as_numbers(column, _SOURCE)]
        if kind == "yes/no":
            words = kinds.as_words(column)
            if learn:
                known = {word for word in words if word is not None}
                self.codes_[name] = no_yes_codes(known) or {}
            truths = kinds.as_truths(column, self.codes_[name])
            if not learn:
                odd = [w for w, t in zip(words, truths.tolist(), strict=True) if w is not None and t != t]
                _note_unknown({name: odd} if odd else {})
            return [truths]
        if kind != "dates":
            return []
        dates = kinds.as_dates(column, _SOURCE)
        if learn:
            self.latest_days_[name], self.date_parts_[name] = kinds.dates_seen(dates)
        return kinds.date_columns(dates, self.latest_days_[name], self.date_parts_[name])

    def _one_hot(self, columns: list[TableColumn], learn: bool) -> Any:
        if not columns:
            return None
        words = np.empty((len(columns[0].values), len(columns)), dtype=object)
        for j, column in enumerate(columns):
            words[:, j] = [_GAP if word is None else word for word in kinds.as_words(column)]
        if learn:
            self.one_hot_ = OneHotEncoder(handle_unknown="ignore", min_frequency=self.min_frequency).fit(words)
        else:
            unknown = {}
            for j, column in enumerate(columns):
                known = {*self.one_hot_.categories_[j].tolist(), _GAP}
                unknown[column.name] = [word for word in words[:, j].tolist() if word not in known]
            _note_unknown({name: odd for name, odd in unknown.items() if odd})
        return self.one_hot_.transform(words)

    def _tf_idf(self, column: TableColumn, learn: bool) -> Any:
        texts = [word or "" for word in kinds.as_words(column)]
        if learn:
            vectorizer = TfidfVectorizer(max_features=self.max_text_features, sublinear_tf=True)
            try:
                self.vectorizers_[column.name] = vectorizer.fit(texts)
            except ValueError:  # no word of two letters anywhere
                self.kinds_[column.name], self.reasons_[column.name] = "left out", "has no words"
                _note(f"leaves out {shown(column.name)}, which has no words")
                return None
        return self.vectorizers_[column.name].transform(texts)

    def _features(self, own: dict[str, str]) -> Iterable[tuple[str, str]]:
        """Yield (column, feature) in the order of the features; `own` holds the names that the columns go by."""
        numbers = [(name, own[name]) for name, kind in self.kinds_.items() if kind in ("numbers", "yes/no", "dates")]
        numbers = [
            (name, f"{title}.{part}" if part else title)
            for name, title in numbers
            for part in self.date_parts_.get(name, [""])
        ]
        yield from numbers
        if self.imputer_ is not None:
            for j in self.imputer_.indicator_.features_:
                yield numbers[j][0], f"{numbers[j][1]}=(gap)"
        words = [name for name, kind in self.kinds_.items() if kind == "words"]
        for j, name in enumerate(words):
            pooled = getattr(self.one_hot_, "infrequent_categories_", [None] * len(words))[j]
            rare = set() if pooled is None else set(pooled.tolist())
            kept = [word or "(gap)" for word in self.one_hot_.categories_[j].tolist() if word not in rare]
            yield from ((name, f"{own[name]}={word}") for word in [*kept, *(["(rare)"] if rare else [])])
        for name, vectorizer in self.vectorizers_.items():
            yield from ((name, f"{own[name]}:{word}") for word in vectorizer.get_feature_names_out())


def _without_gaps(matrix: Any) -> Any:
    return sparse.csr_matrix(
        (np.where(np.isnan(matrix.data), 0.0, matrix.data), matrix.indices, matrix.indptr), shape=matrix.shape
    )


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(map(shown, names[:_MOST_NAMES])) + more


def _note(what: str) -> None:
    warn_user(f"{_SOURCE} {what}.", DataWarning)


def _note_unknown(unknown: dict[str, list[str]]) -> None:
    if unknown:
        name, words = next(iter(unknown.items()))
        n_cells = sum(map(len, unknown.values()))
        _note(
            f"takes {n_cells} cell{'s' if n_cells > 1 else ''} of {_listed(list(unknown))} for no known word, such as "
            f"{shown(words[0])} in {shown(name)}, which it was not fitted on"
        )
