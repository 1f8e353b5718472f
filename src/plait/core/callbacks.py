"""scikit-learn's callback protocol, where the installed version has it (1.9 and later).

An estimator derives from `CallbackSupport`, decorates `fit` with `with_callbacks`, and passes its steps through
`fit_tasks`. Progress bars, monitors and early stops that users write for scikit-learn then work on plait; with an
older scikit-learn the same estimator runs without them.
"""

from collections.abc import Callable, Iterable, Iterator, Sized
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeVar

from plait.core.progress_bar import progress

__all__ = ["HAS_CALLBACKS", "CallbackSupport", "fit_tasks", "with_callbacks"]

Item = TypeVar("Item")
Method = TypeVar("Method", bound=Callable[..., Any])

HAS_CALLBACKS = find_spec("sklearn.callback") is not None


class _NoCallbackSupport:
    """Stands in for scikit-learn's mixin where it does not exist."""


def _undecorated(method: Method) -> Method:
    return method


if HAS_CALLBACKS:
    _protocol = import_module("sklearn.callback")
    CallbackSupport: Any = _protocol.CallbackSupportMixin
    with_callbacks: Callable[[Method], Method] = _protocol.with_callbacks
else:
    CallbackSupport = _NoCallbackSupport
    with_callbacks = _undecorated


def fit_tasks(estimator: Any, items: Iterable[Item], label: str, X: Any = None, y: Any = None) -> Iterator[Item]:
    """Yield the steps of a fit, reporting each to the estimator's callbacks, else to the progress bar.

    Call it once in a `fit` that is decorated with `with_callbacks`.

    Parameters
    ----------
    estimator : estimator
        Whose fit it is.
    items : iterable
        The steps.
    label : str
        What a step is.
    X, y : object, optional
        The training data, which callbacks are shown.

    Yields
    ------
    object
        The items, one after the other.

    Examples
    --------
    >>> from sklearn.base import BaseEstimator
    >>> [step * 10 for step in fit_tasks(BaseEstimator(), range(3), "rounds")]
    [0, 10, 20]
    """
    if not getattr(estimator, "_skl_callbacks", None):
        yield from progress(items, label)
        return
    total = len(items) if isinstance(items, Sized) else None
    context = estimator._init_callback_context(max_subtasks=total)
    context.call_on_fit_task_begin(estimator=estimator, X=X, y=y)
    for item in items:
        step = context.subcontext(task_name=label)
        step.call_on_fit_task_begin(estimator=estimator, X=X, y=y)
        yield item
        step.call_on_fit_task_end(estimator=estimator, X=X, y=y)
    context.call_on_fit_task_end(estimator=estimator, X=X, y=y)
