"""The data of a cell: loaded as the plan says, divided by its protocol, and the digest of their content."""

import hashlib
import math
import threading
from collections.abc import Iterable
from dataclasses import astuple, dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait.core.arrays import Ints
from plait.core.randomness import generator, generators
from plait.data import DataError, Dataset, load_dataset, synthetic
from plait.data.conversion.frame_columns import columns_of_frame, frame_part
from plait.data.folds import MultilabelStratifiedKFold, MultilabelStratifiedShuffleSplit
from plait.data.folds.splitters import train_and_test_size
from plait.experiments.planning.plan import DatasetPlan, Protocol
from plait.experiments.planning.plan_objects import build, imported_object

__all__ = ["LoadedData", "fold_parts", "load_data", "divided_rows"]


# What a process keeps: data sets up to so many bytes in all (the last one always), and the rows of a few divisions.
_BYTES_KEPT = 2**28
_N_DIVISIONS = 4
_kept: dict[Any, "LoadedData"] = {}
_kept_rows: dict[Any, list[tuple[Ints, Ints]]] = {}
_lock = threading.Lock()  # workers of Dask may have several threads


@dataclass(frozen=True, eq=False)
class LoadedData:
    """A data set, or the training and the test part that it comes with.

    Parameters
    ----------
    whole : Dataset
        All rows; of a fixed split, and of all replicates one after another, the training rows.
    test : Dataset or None
        The test rows of a fixed split, or of all replicates.
    fingerprint : str
        SHA-256 of all numbers and of the names of the labels.
    """

    whole: Dataset
    test: Dataset | None
    fingerprint: str


def load_data(plan: DatasetPlan, protocol: Protocol) -> LoadedData:
    """Return the data of a plan; what was read last is remembered."""
    n_made = protocol.repeats if protocol.kind == "replicates" else 0
    key = repr(astuple(replace(plan, protocol=None))), protocol.kind == "split", n_made
    with _lock:
        if key not in _kept:
            _kept[key] = _replicates(plan, n_made) if n_made else _loaded(plan, key[1])
            while len(_kept) > 1 and sum(map(_size, _kept.values())) > _BYTES_KEPT:
                del _kept[next(iter(_kept))]
        return _kept[key]


def _size(data: LoadedData) -> int:
    parts = [part for part in (data.whole, data.test) if part is not None]
    tables = sum(8 * part.n_samples * part.n_features for part in parts if part.is_table)
    matrices = [matrix for part in parts for matrix in ((part.Y,) if part.is_table else (part.X, part.Y))]
    return tables + sum(array.nbytes for matrix in matrices for array in _stored(matrix))


def _loaded(plan: DatasetPlan, split: bool) -> LoadedData:
    if not split:
        (whole,) = _read(plan, (None,))
        whole = _changed(plan, _kept_columns(plan, whole))
        return LoadedData(whole, None, _fingerprint([whole]))
    train, test = _read(plan, ("train", "test"))
    # Columns of tables are found by name by their encoder.
    features_differ = not train.is_table and train.feature_names != test.feature_names
    if features_differ or train.label_names != test.label_names:
        raise DataError(
            f"{plan.name} needs the same features and labels in both parts, but they differ. Mend the files."
        )
    train = _kept_columns(plan, train)
    if not train.is_table:
        test = _columns(test, *_places(test, train))
    return LoadedData(train, test, _fingerprint([train, test]))


def _read(plan: DatasetPlan, parts: tuple[str | None, ...]) -> list[Dataset]:
    """Return the parts of a file, or of what a function makes."""
    if plan.made_by is not None:
        made = _maker(plan)()
        return [made if isinstance(made, Dataset) else getattr(made, part or "dataset") for part in parts]
    said: dict[str, Any] = {name: getattr(plan, name) for name in ("labels", "nominal", "tags", "sep", "positive")}
    return [load_dataset(plan.source, split=part, **said) for part in parts]


def _maker(plan: DatasetPlan) -> Any:
    words = dict(plan.made_by or {})
    use = words.pop("use")
    return partial(imported_object(use) if "." in use else getattr(synthetic, use), **words)


def _replicates(plan: DatasetPlan, n_parts: int) -> LoadedData:
    made = [_maker(plan)(random_state=seed) for seed in range(n_parts)]
    train, test = (_joined([getattr(each, part) for each in made]) for part in ("train", "test"))
    train = _kept_columns(plan, train)
    test = _columns(test, *_places(test, train))
    return LoadedData(train, test, _fingerprint([train, test]))


def _places(data: Dataset, like: Dataset) -> tuple[Ints, Ints]:
    """Return where the features and labels of a data set stand in another one with more of them."""
    return _positions(data.feature_names, like.feature_names), _positions(data.label_names, like.label_names)


def _joined(parts: list[Dataset]) -> Dataset:
    """Return the rows of all parts, one below the other."""
    first = parts[0]
    X, Y = (_below([getattr(part, name) for part in parts]) for name in ("X", "Y"))
    return Dataset(X, Y, first.feature_names, first.label_names, first.name)


def _below(matrices: list[Any]) -> Any:
    return sparse.vstack(matrices, format="csr") if sparse.issparse(matrices[0]) else np.vstack(matrices)


def _kept_columns(plan: DatasetPlan, data: Dataset) -> Dataset:
    """Return the features and labels that the plan keeps, in the order of the file."""
    labels = _named(plan, "labels", data.label_names, plan.keep_labels)
    features = _named(plan, "features", data.feature_names, plan.keep_features)
    if plan.top_labels is not None:
        labels = labels[_most(_counts(data.Y)[labels], plan.top_labels)]
    if plan.top_features is not None:
        share = plan.top_features
        size = math.ceil(share * len(features)) if isinstance(share, float) else share
        if data.is_table:
            raise DataError(f"{plan.name} has columns that are no numbers, which top_features cannot count.")
        features = features[_most(_counts(data.X)[features], size)]
    if plan.least_rows is not None:
        features = features[_counts(data.X)[features] >= plan.least_rows]
    return _columns(data, features, labels)


def _changed(plan: DatasetPlan, data: Dataset) -> Dataset:
    """Return the data as the transformer makes them that the plan fits to all rows."""
    if plan.on_all_rows is None:
        return data
    labels = data.Y.toarray() if sparse.issparse(data.Y) else data.Y
    changed = build(plan.on_all_rows, allow_imports=True).fit_transform(data.X, labels)
    return Dataset(changed, data.Y, None, data.label_names, data.name)


def _named(plan: DatasetPlan, what: str, names: Any, kept: tuple[str, ...] | None) -> Ints:
    if kept is None:
        return np.arange(len(names))
    strange = sorted(set(kept) - set(names))
    if strange:
        raise DataError(f"{plan.name} has no {what} called {strange[0]!r}. Check keep_{what}.")
    return np.sort(_positions(names, kept))


def _positions(names: Any, chosen: Any) -> Ints:
    place = {name: i for i, name in enumerate(names)}
    return np.array([place[name] for name in chosen], dtype=np.int64)


def _counts(matrix: Any) -> Ints:
    return np.asarray((matrix != 0).sum(axis=0)).ravel().astype(np.int64)


def _most(counts: Ints, size: int) -> Ints:
    """Return the positions of the largest counts, ascending; of equal ones the first."""
    return np.sort(np.argsort(-counts, kind="stable")[:size])


def _columns(data: Dataset, features: Ints, labels: Ints) -> Dataset:
    if len(features) == data.n_features and len(labels) == data.n_labels:
        return data
    return Dataset(
        frame_part(data.X, features) if data.is_table else data.X[:, features],
        data.Y[:, labels],
        [data.feature_names[j] for j in features] if data.feature_names else None,
        [data.label_names[j] for j in labels] if data.label_names else None,
        data.name,
        [data.feature_kinds[j] for j in features] if data.feature_kinds else None,
    )


def _fingerprint(parts: Iterable[Dataset]) -> str:
    digest = hashlib.sha256()
    for data in parts:
        if data.is_table:
            for column in columns_of_frame(data.X, data.name):
                values = column.values.tolist() if column.kind == "text" else column.values.tobytes()
                digest.update(repr((column.name, column.kind, values)).encode())
        labels = data.Y.astype(np.uint8)
        for matrix in (labels,) if data.is_table else (data.X, labels):
            digest.update(repr((type(matrix).__name__, matrix.shape, matrix.dtype.str)).encode())
            for array in _arrays(matrix):
                digest.update(np.ascontiguousarray(array).data)
        digest.update(repr((data.label_names, data.feature_kinds)).encode())
    return digest.hexdigest()


def _arrays(matrix: Any) -> list[npt.NDArray[Any]]:
    if not sparse.issparse(matrix):
        return [matrix]
    indptr, indices, data = _stored(matrix.sorted_indices())
    return [indptr.astype(np.int64), indices.astype(np.int64), data]


def _stored(matrix: Any) -> list[npt.NDArray[Any]]:
    return [matrix.indptr, matrix.indices, matrix.data] if sparse.issparse(matrix) else [matrix]


def fold_parts(data: LoadedData, protocol: Protocol, fold: int, seed: int) -> tuple[Dataset, Dataset]:
    """Return the training and the test part of a fold."""
    if data.test is not None:
        n_parts = protocol.n_parts
        return _part(data.whole, fold, n_parts), _part(data.test, fold, n_parts)
    key = data.fingerprint, protocol, seed
    with _lock:
        if key not in _kept_rows:
            while len(_kept_rows) >= _N_DIVISIONS:
                del _kept_rows[next(iter(_kept_rows))]
            _kept_rows[key] = divided_rows(data.whole, protocol, seed)
        train, test = _kept_rows[key][fold]
    return data.whole.rows(train), data.whole.rows(test)


def _part(data: Dataset, part: int, n_parts: int) -> Dataset:
    """Return one of equally large parts that stand one after another."""
    size = data.n_samples // n_parts
    return data if n_parts == 1 else data.rows(np.arange(part * size, (part + 1) * size))


def divided_rows(data: Dataset, protocol: Protocol, seed: int) -> list[tuple[Ints, Ints]]:
    """Return (training rows, test rows) of every fold, both ascending.

    Examples
    --------
    >>> data = Dataset(np.zeros((5, 1)), np.zeros((5, 1)))
    >>> parts = divided_rows(data, Protocol("kfold", 2), seed=0)
    >>> sorted(np.concatenate([test for _, test in parts]).tolist()), [len(test) for _, test in parts]
    ([0, 1, 2, 3, 4], [3, 2])
    """
    if protocol.kind == "stratified_kfold":
        return list(MultilabelStratifiedKFold(protocol.folds, random_state=seed).split(data.X, data.Y))
    if protocol.kind == "stratified_holdout":
        splitter = MultilabelStratifiedShuffleSplit(protocol.repeats, test_size=protocol.test_size, random_state=seed)
        return list(splitter.split(data.X, data.Y))
    rows = np.arange(data.n_samples)
    if protocol.kind == "kfold":
        tests = np.array_split(generator(seed).permutation(data.n_samples), protocol.folds)
    else:
        _, n_test = train_and_test_size("protocol", data.n_samples, None, protocol.test_size)
        tests = [chance.permutation(data.n_samples)[:n_test] for chance in generators(seed, protocol.repeats)]
    return [(np.setdiff1d(rows, test), np.sort(test)) for test in tests]
