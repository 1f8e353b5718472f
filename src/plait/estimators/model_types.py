"""Which types a saved model may hold, what is checked in those whose numbers compiled code follows, and packing.

The rule: concrete classes of plait with parameters, from the rooms whose objects are in models; the parts that fits
keep; scikit-learn's estimators (those that skops trusts), and the parts of them that are listed here. None of them runs
code of its own when it is loaded. Trees and sparse matrices hold indices that compiled code follows without looking, so
each one is checked before a model is handed out; so are the parameters and fields that every object of plait has.
"""

import importlib
import inspect
import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from plait.core.checks import check_parameters
from plait.core.sentences import ParameterError

__all__ = ["check_parts", "growth", "is_trusted", "packed"]

_ROOMS = (
    *("data", "counts", "structure", "features", "learners"),
    *("inference", "losses", "estimators", "baselines", "trust"),
)
# What fitted models hold besides choices.
_PARTS = frozenset(
    {
        "functools.partial",  # of functions that are trusted themselves
        "numpy.dtype",
        "plait.baselines.calibrated_label_ranking.CalledPairs",
        "plait.baselines.calibrated_label_ranking.LinearPairs",
        "plait.baselines.foundations.label_sets.LabelSetModel",
        "plait.baselines.foundations.neighbourhoods.Neighbourhoods",
        "plait.baselines.homer.HierarchyNode",
        "plait.baselines.naive_bayes.GaussianColumns",
        "plait.baselines.naive_bayes.NominalColumns",
        "plait.estimators.auto_joint.auto_report.AutoReport",
        "plait.estimators.auto_joint.score_chains.PooledWeights",
        "plait.estimators.auto_joint.score_chains.ScoreChain",
        "plait.estimators.auto_joint.second_stage.RawChain",
        "plait.estimators.auto_joint.table_input.GapFiller",
        "plait.estimators.ensemble_classifier.Member",
        "plait.features.feature_mask.FeatureMask",
        "plait.joint.feature_joint.FeatureJoint",
        "plait.joint.graph_joint.GraphJoint",
        "plait.joint.hierarchy_joint.HierarchyJoint",
        "plait.joint.mixture_joint.MixtureJoint",
        "plait.learners.fitted_classifiers.FittedClassifiers",
        "plait.learners.hierarchy_conditionals.HierarchyConditionals",
        "plait.learners.linear_conditionals.LinearConditionals",
        "plait.structure.label_graph.LabelGraph",
        "plait.structure.label_hierarchy.LabelHierarchy",
        "scipy.sparse._csr.csr_array",
        "scipy.sparse._csr.csr_matrix",
        "sklearn.calibration._CalibratedClassifier",
        "sklearn.calibration._SigmoidCalibration",
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
        "sklearn.metrics._dist_metrics.EuclideanDistance64",
        "sklearn.metrics._dist_metrics.ManhattanDistance64",
        "sklearn.neighbors._ball_tree.BallTree",
        "sklearn.neighbors._kd_tree.KDTree",
        "sklearn.neural_network._stochastic_optimizers.AdamOptimizer",
        "sklearn.neural_network._stochastic_optimizers.SGDOptimizer",
        "sklearn.tree._tree.Tree",
        "sklearn.utils.validation.check_array",
    }
)


def is_trusted(name: str) -> bool:
    """Say whether a model may hold a type, by its name as `skops` writes it; only modules of plait are loaded for that.

    Examples
    --------
    >>> is_trusted("plait.estimators.joint_classifier.JointClassifier"), is_trusted("sklearn.tree._tree.Tree")
    (True, True)
    >>> is_trusted("plait.commands.bench.run_benchmark"), is_trusted("builtins.eval")
    (False, False)
    """
    if name in _PARTS:
        return True
    package, *path, kind = name.split(".")
    if package != "plait" or not path or path[0] not in _ROOMS or any(part[:1] in ("", "_") for part in path):
        return False
    try:
        found: Any = getattr(importlib.import_module(name.rpartition(".")[0]), kind, None)
    except ImportError:
        return False
    own = inspect.isclass(found) and f"{found.__module__}.{found.__qualname__}" == name
    return own and issubclass(found, BaseEstimator) and not inspect.isabstract(found)


def check_parts(model: Any) -> None:
    """Refuse a model with an index that leads out of its arrays, or with a part of plait's that is not whole.

    Examples
    --------
    >>> from scipy import sparse
    >>> check_parts({"weights": sparse.csr_array(([1.0], [7], [0, 1]), shape=(1, 3))})
    Traceback (most recent call last):
    plait...ParameterError: a model needs indices inside its arrays, but those of csr_array lead out of them...
    """
    waiting, seen = [(model, None)], {id(model): model}
    while waiting:
        part, columns = waiting.pop()
        if type(part).__module__.startswith("plait."):
            _check_whole(part)
        columns = getattr(part, "n_features_in_", columns) if isinstance(part, BaseEstimator) else columns
        check = _CHECKS.get(type(part).__name__)
        if check is not None and not check(part, columns):
            raise ParameterError(
                "a model needs indices inside its arrays, but those of "
                f"{type(part).__name__} lead out of them. The file is damaged."
            )
        for inner in _inside(part):
            if id(inner) not in seen:
                seen[id(inner)] = inner
                waiting.append((inner, columns))


def _check_whole(part: Any) -> None:
    """Refuse an object of plait that lacks a field or a parameter, or whose parameters are none that it takes.

    A parameter that the version which wrote the file did not have yet gets its default.
    """
    names = [each.name for each in fields(part)] if is_dataclass(part) else []
    if isinstance(part, BaseEstimator):
        names += type(part)._get_param_names()
        for name, parameter in inspect.signature(type(part)).parameters.items():
            if not hasattr(part, name) and parameter.default is not parameter.empty:
                setattr(part, name, parameter.default)
    for name in names:
        if not hasattr(part, name):
            raise ParameterError(
                f"a model needs all parts of {type(part).__name__}, but {name} is not there. The file is damaged."
            )
    if hasattr(part, "parameter_rules"):
        check_parameters(part)


def _inside(part: Any) -> Iterator[Any]:
    if isinstance(part, Mapping):
        yield from part.values()
    elif isinstance(part, list | tuple | set | frozenset):
        yield from part
    elif isinstance(part, np.ndarray):
        if part.dtype.hasobject:
            yield from part.ravel().tolist()
    elif hasattr(part, "__dict__") and not inspect.isclass(part):
        yield from vars(part).values()


def _all_within(values: Any, least: int, most: float) -> bool:
    return bool(((values >= least) & (values < most)).all())


def _leads_down(nodes: Any, inner: Any, left: str, right: str) -> bool:
    """Say whether both children of every inner node come after it: no way leads out of the nodes, or round."""
    place = np.flatnonzero(inner)
    children = np.stack([nodes[left][place], nodes[right][place]]).astype(np.int64)
    return bool((children > place).all() and (children < len(nodes)).all())


def _sound_weights(conditionals: Any, _columns: Any) -> bool:
    coef, n_labels = conditionals.coef_, conditionals.graph.n_labels
    shapes = coef.shape, conditionals.parent_coef_.shape, conditionals.intercept_.shape
    return shapes == ((n_labels, coef.shape[-1]), (n_labels, n_labels), (n_labels,))


def _sound_hierarchy(conditionals: Any, columns: Any) -> bool:
    tree, weights = conditionals.hierarchy, conditionals.weights
    try:
        type(tree)(tree.parent, tree.label)
    except (ParameterError, TypeError, ValueError):
        return False
    shape = (weights.shape[0] if columns is None else columns, tree.n_nodes)
    return weights.format == "csr" and weights.shape == shape and conditionals.intercept_.shape == (tree.n_nodes,)


def _sound_mixture(mixture: Any, _columns: Any) -> bool:
    weights: Any = np.asarray(mixture.weights, dtype=np.float64)
    one_size = len({joint.n_labels for joint in mixture.joints}) == 1
    return one_size and weights.shape == (len(mixture.joints),) and _all_within(weights, 0, np.inf) and weights.any()


def _sound_rows(matrix: Any, _columns: Any) -> bool:
    try:
        matrix.check_format(full_check=True)
    except ValueError:
        return False
    return True


def _sound_tree(tree: Any, columns: Any) -> bool:
    state = tree.__getstate__()
    nodes, width = state["nodes"], tree.n_features if columns is None else columns
    inner = nodes["left_child"] != -1
    own = tree.n_features == width and len(state["values"]) == len(nodes) == tree.node_count > 0
    used = nodes["feature"][inner]
    return own and _leads_down(nodes, inner, "left_child", "right_child") and _all_within(used, 0, width)


def _sound_predictor(predictor: Any, columns: Any) -> bool:
    nodes, words = predictor.nodes, (predictor.raw_left_cat_bitsets, predictor.binned_left_cat_bitsets)
    inner = nodes["is_leaf"] == 0
    by_word = nodes["bitset_idx"][inner & (nodes["is_categorical"] != 0)]
    width = np.inf if columns is None else columns
    known = len(nodes) > 0 and all(bits.shape[1:] == (8,) and _all_within(by_word, 0, len(bits)) for bits in words)
    return known and _leads_down(nodes, inner, "left", "right") and _all_within(nodes["feature_idx"][inner], 0, width)


def _sound_neighbours(tree: Any, columns: Any) -> bool:
    data, rows, nodes, bounds, *_ = (np.asarray(array) for array in tree.get_arrays())
    inner = np.flatnonzero(nodes["is_leaf"] == 0)
    within = _all_within(rows, 0, len(data)) and len(rows) == len(data) and bounds.shape[1] == len(nodes) > 0
    ranges = _all_within(nodes["idx_start"], 0, len(rows)) and _all_within(nodes["idx_end"], 0, len(rows) + 1)
    width = bounds.shape[2] == data.shape[1] and (columns is None or data.shape[1] == columns)
    return bool(within and ranges and width and (2 * inner + 2 < len(nodes)).all())


_CHECKS = {
    "HierarchyConditionals": _sound_hierarchy,
    "LinearConditionals": _sound_weights,
    "MixtureJoint": _sound_mixture,
    "csr_array": _sound_rows,
    "csr_matrix": _sound_rows,
    "Tree": _sound_tree,
    "TreePredictor": _sound_predictor,
    "KDTree": _sound_neighbours,
    "BallTree": _sound_neighbours,
}


# What a packed file may unpack to, in bytes: so many times its size, and always as much as stands behind. The schema is
# parsed into objects of ten times its size. `save_model` leaves unpacked what would pass for a bomb.
_GROWTH, _SCHEMA_GROWTH = (100, 1 << 27), (20, 1 << 25)
# Files of so many bytes are written as they are: a model of many labels in a second, not in a minute.
_LARGE = 1 << 26


def growth(stream: Any, size: int) -> str:
    """Say how a file grows when it is read, if that is too much."""
    with zipfile.ZipFile(stream) as archive:
        sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
        for (factor, floor), found in ((_GROWTH, sum(sizes.values())), (_SCHEMA_GROWTH, sizes["schema.json"])):
            if found > max(floor, factor * size):
                return f"a packed file of {size} bytes that grows to {found}"
        inner = {name: _unpacked_size(archive, name) for name in sizes if name != "schema.json"}
        used = dict(_references(json.loads(archive.read("schema.json"))))
        found = sum(inner.get(name, 0) for name in used.values())
        limit = max(_GROWTH[1], _GROWTH[0] * size)
        return f"a packed file of {size} bytes that grows to {found}" if found > limit else ""


def _unpacked_size(archive: zipfile.ZipFile, name: str) -> int:
    """Return what an entry becomes in memory: sparse matrices are packed files themselves."""
    with archive.open(name) as stream:
        packed = stream.read(2) == b"PK"
    if not packed:
        return archive.getinfo(name).file_size
    with zipfile.ZipFile(io.BytesIO(archive.read(name))) as nested:
        return sum(entry.file_size for entry in nested.infolist())


def _references(schema: Any) -> Iterator[tuple[Any, str]]:
    """Yield an object's number and the entry that it is read from: objects may share one, each with a copy of it."""
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            if isinstance(node.get("file"), str):
                number = node.get("__id__")
                yield (number if isinstance(number, int) else object()), node["file"]
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)


def packed(plain: bytes) -> bytes:
    """Return a file packed, unless it is so large that this takes long, or would grow like a bomb when it is read."""
    if len(plain) > _LARGE:
        return plain
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(plain)) as archive, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as smaller:
        for entry in archive.infolist():
            smaller.writestr(entry.filename, archive.read(entry))
    return plain if growth(made, len(made.getvalue())) else made.getvalue()
