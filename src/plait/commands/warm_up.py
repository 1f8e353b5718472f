"""`plait warm-up`: compile all kernels ahead, in parallel, for containers and CI images.

Kernels are compiled at their first call and kept on disk. So every idea of every room is called once here, on a few
rows, dense and sparse, with kernels whatever the size: classes are found in the rooms' `__all__`, and a new one is
warmed by itself. A stage begins when the one before it has ended, and then finds the kernels they share.
"""

import inspect
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from plait import baselines, counts, features, inference, information, learners, losses, structure
from plait.commands.bench import checked_jobs
from plait.core.kernel_policy import using_kernels
from plait.core.lazy_modules import lazy_module
from plait.core.naming import registry
from plait.core.parallel import effective_n_jobs
from plait.core.progress_bar import progress
from plait.core.sentences import ParameterError
from plait.data import Dataset, load_dataset, save_dataset
from plait.data.folds import MultilabelStratifiedKFold
from plait.estimators import JointClassifier, recipes
from plait.features import Selector
from plait.inference import Inference
from plait.learners import Learner
from plait.losses import Loss
from plait.structure import Order, Structure

__all__ = ["STAGES", "warm", "warm_up_kernels"]

_compilation = lazy_module("plait.core.compilation")

_ROWS, _FEATURES, _LABELS = 60, 12, 6
_FORMATS = (".arff", ".csv", ".svm", ".txt")


def warm_up_kernels(*, jobs: int = -1) -> int:
    """Compile all kernels and print where they lie; return 1 if a part of plait could not be called, else 0.

    Parameters
    ----------
    jobs : int, default=-1
        How many processes; -1 for one on every core.

    Returns
    -------
    int

    Examples
    --------
    >>> warm_up_kernels(jobs=2)  # doctest: +SKIP
    ~/.cache/plait: 141 kernels compiled in 95 s, 0 were there
    0
    """
    checked_jobs("plait warm-up", jobs)
    folder: Path | None = _compilation.cache_folder()
    if folder is None:
        print("plait: nothing to do: no folder for compiled kernels can be written. Set NUMBA_CACHE_DIR to one.")
        return 1
    start, before = time.monotonic(), _n_kernels(folder)
    problems = dict(_run(effective_n_jobs(jobs)))
    for part, problem in problems.items():
        print(f"plait: failed: {part}: {problem}")
    made, seconds = _n_kernels(folder) - before, time.monotonic() - start
    print(f"{folder}: {made} kernels compiled in {seconds:.0f} s, {before} were there")
    return 1 if problems else 0


def _n_kernels(folder: Path) -> int:
    return sum(1 for _ in folder.rglob("*.nbc"))


def _run(jobs: int) -> Iterator[tuple[str, str]]:
    """Warm all parts and yield those that failed, with the reason."""
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as processes:
        for stage in STAGES:
            names = [f"{kind} {name}" for kind in stage for name in _KINDS[kind]()]
            futures = {processes.submit(warm, name): name for name in names}
            for future in progress(as_completed(futures), " and ".join(stage), len(futures)):
                problem = future.exception()
                if problem is not None:
                    yield futures[future], f"{type(problem).__name__}: {problem}"


def warm(part: str) -> None:
    """Call one part of plait, such as "recipe pcc", with all kernels it has."""
    kind, _, name = part.partition(" ")
    with warnings.catch_warnings(), using_kernels("always"):
        warnings.simplefilter("ignore")
        _CALLS[kind](name)


def _tables() -> Iterator[tuple[Any, Any]]:
    """Yield X and Y, dense and then sparse: three labels depend on features, three on other labels."""
    chance = np.random.default_rng(0)
    X = chance.normal(size=(_ROWS, _FEATURES))
    first = (X[:, :3] + 0.5 * chance.normal(size=(_ROWS, 3)) > 0).astype(np.uint8)
    Y = np.hstack([first, first ^ (chance.random((_ROWS, 3)) < 0.2)]).astype(np.uint8)
    yield X, Y
    counted = np.where(X > 0.8, np.ceil(X), 0.0)
    yield sparse.csr_matrix(counted), Y
    yield sparse.csr_matrix(counted), sparse.csr_matrix(Y)


def _warm_format(suffix: str) -> None:
    with TemporaryDirectory() as folder:
        for number, (X, Y) in enumerate(_tables()):
            file = Path(folder, f"rows{number}{suffix}")
            names = [f"y{k}" for k in range(_LABELS)]
            save_dataset(Dataset(X, Y, [f"x{j}" for j in range(_FEATURES)], names), file)
            load_dataset(file, labels=names if suffix == ".csv" else None)


def _warm_discretizer(name: str) -> None:
    for X, Y in _tables():
        getattr(counts, name)().fit(X, Y).transform(X)


def _warm_information(name: str) -> None:
    for X, Y in _tables():
        columns = np.asarray(X.todense() if sparse.issparse(X) else X > 0).astype(np.int64)
        codes = sparse.csr_matrix(columns) if sparse.issparse(X) else columns
        measure = getattr(information, name)
        # Measures of three variables take a third one: some column.
        third = {"Z": columns[:, 0]} if "Z" in inspect.signature(measure).parameters else {}
        for weights in (None, np.linspace(0.5, 1.5, _ROWS)):
            measure(codes, Y, weights=weights, **third)


def _warm_selector(name: str) -> None:
    for X, Y in (*_tables(), _rare_ones()):
        selector = registry(features, Selector)[name]()
        if "n_features" in selector.get_params(deep=False):
            selector.set_params(n_features=4)
        selector.select(X, Y)


def _rare_ones() -> tuple[Any, Any]:
    """Return X and Y with so few ones that they are counted row by row, not as bits."""
    chance = np.random.default_rng(1)
    X = chance.random((40 * _ROWS, _FEATURES)) < 0.01
    Y = X[:, :_LABELS] | (chance.random((40 * _ROWS, _LABELS)) < 0.005)
    return sparse.csr_matrix(X, dtype=np.float64), sparse.csr_matrix(Y, dtype=np.uint8)


def _warm_order(name: str) -> None:
    kind = registry(structure, Order)[name]
    for X, Y in (*_tables(), _rare_ones()):
        structure.FullChain(kind()).build(X, Y)


def _warm_loss(name: str) -> None:
    kind = registry(losses, Loss)[name]
    loss = kind(0.5) if kind.needs_thresholds else kind()
    for _, Y in _tables():
        labels = np.asarray(Y.todense()) if sparse.issparse(Y) else Y
        loss.value(labels, labels if loss.answer == "labels" else np.linspace(0, 1, labels.size).reshape(labels.shape))


def _warm_learner(name: str) -> None:
    kind = registry(learners, Learner)[name]
    for X, Y in _tables():
        JointClassifier(structure.FullChain(), learner=kind()).fit(X, Y).predict(X)


def _warm_structure(name: str) -> None:
    kind = registry(structure, Structure)[name]
    for X, Y in _tables():
        _ask(JointClassifier(kind()).fit(X, Y), X)


def _warm_recipe(name: str) -> None:
    for X, Y in _tables():
        _ask(getattr(recipes, name)(random_state=0).fit(X, Y), X)


def _ask(model: Any, X: Any) -> None:
    """Ask a model all that it can be asked."""
    model.predict(X)
    if not hasattr(model, "joint"):
        return
    model.predict_proba(X)
    for answer in (model.joint(X), model.joint(X).given({0: 1})):
        answer.marginals()
        answer.top(3)
        answer.entropy()
        answer.sample(5, random_state=0)
        answer.log_prob(np.zeros((_ROWS, _LABELS), dtype=np.uint8))
        for loss, kind in registry(losses, Loss).items():
            answer.decide(kind(0.5) if kind.needs_thresholds else loss)


def _warm_inference(name: str) -> None:
    kind = registry(inference, Inference)[name]
    for X, Y in (*_tables(), _many_labels(48)):
        for graph in (structure.FullChain(), structure.LabelTree(), structure.Independent()):
            model = JointClassifier(graph, inference=kind()).fit(X, Y)
            for answer in (model.joint(X), model.joint(X).given({0: 1})):
                with suppress(ParameterError):  # some inferences serve trees, or few labels, only
                    answer.mode()
                    answer.top(3)


def _many_labels(n_labels: int) -> tuple[Any, Any]:
    """Return X and Y with labels enough for the kernels that serve many."""
    X, Y = next(_tables())
    return X, np.hstack([Y] * (n_labels // _LABELS))


def _warm_baseline(name: str) -> None:
    for X, Y in (*_tables(), _many_labels(24)):
        model = clone(getattr(baselines, name)())
        model.fit(X, Y).predict(X)
        if hasattr(model, "predict_proba"):
            model.predict_proba(X)


def _warm_folds(name: str) -> None:
    for X, Y in _tables():
        list(MultilabelStratifiedKFold(3, order=int(name)).split(X, Y))


def _ready(room: ModuleType, base: type) -> list[str]:
    """Return the registered names of the classes of a room that can be made without arguments."""
    kinds = {name: kind for name, kind in registry(room, base).items() if not inspect.isabstract(kind)}
    needs = {name: inspect.signature(kind).parameters.values() for name, kind in kinds.items()}
    return sorted(name for name, given in needs.items() if all(p.default is not p.empty for p in given))


_KINDS: dict[str, Callable[[], list[str]]] = {
    "format": lambda: list(_FORMATS),
    "discretizer": lambda: [name for name in counts.__all__ if name.endswith("Discretizer")],
    "information": lambda: [name for name in information.__all__ if name.endswith("_matrix")],
    "selector": lambda: _ready(features, Selector),
    "learner": lambda: _ready(learners, Learner),
    "structure": lambda: _ready(structure, Structure),
    "recipe": lambda: sorted(recipes.__all__),
    "inference": lambda: _ready(inference, Inference),
    "baseline": lambda: sorted(baselines.__all__),
    "order": lambda: _ready(structure, Order),
    "loss": lambda: _ready(losses, Loss),
    "folds": lambda: ["1", "2"],
}
_CALLS: dict[str, Callable[[str], None]] = {
    "format": _warm_format,
    "discretizer": _warm_discretizer,
    "information": _warm_information,
    "selector": _warm_selector,
    "learner": _warm_learner,
    "structure": _warm_structure,
    "recipe": _warm_recipe,
    "inference": _warm_inference,
    "baseline": _warm_baseline,
    "order": _warm_order,
    "loss": _warm_loss,
    "folds": _warm_folds,
}
STAGES = (
    ("learner", "format", "discretizer", "folds"),
    ("information", "inference", "structure", "order", "loss"),
    ("selector", "recipe", "baseline"),
)
