"""Helpers for natural logarithms of probabilities, where log 0 = -inf is a legal value.

`log_sum_exp(a)` = log sum exp(a) without overflow; `log1m_exp(a)` = log(1 - exp(a)) for a <= 0;
`log_sigmoid(t)` = log(1 / (1 + exp(-t))); `clip_probability` keeps a probability away from 0 and 1 by EPSILON.
"""

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats

__all__ = [
    "EPSILON",
    "clip_probability",
    "log1m_exp",
    "log_normalize",
    "log_sigmoid",
    "log_sum_exp",
]


# Probabilities that enter a logarithm are clipped to [EPSILON, 1 - EPSILON], as the papers' programs do.
EPSILON = 1e-6


def clip_probability(p: npt.ArrayLike, epsilon: float = EPSILON) -> Floats:
    """Return probabilities moved into [epsilon, 1 - epsilon].

    Parameters
    ----------
    p : array-like of float
        Probabilities.
    epsilon : float
        How far from 0 and 1 they stay.

    Returns
    -------
    ndarray of float64

    Examples
    --------
    >>> import numpy as np
    >>> clip_probability(np.array([0.0, 0.5, 1.0]))[1]
    np.float64(0.5)
    """
    return np.clip(np.asarray(p, dtype=np.float64), epsilon, 1.0 - epsilon)


def log_sum_exp(a: npt.ArrayLike, axis: int | None = -1) -> Floats:
    """Return log sum exp along an axis; all -inf gives -inf, without a warning.

    Parameters
    ----------
    a : array-like of float
        Logarithms.
    axis : int, optional
        Along which.

    Returns
    -------
    ndarray of float64, or float64
        Without the axis.

    Examples
    --------
    >>> log_sum_exp([-np.inf, -np.inf])
    np.float64(-inf)
    >>> log_sum_exp([-1000.0, -1000.0]).round(4)
    np.float64(-999.3069)
    """
    values = np.asarray(a, dtype=np.float64)
    if values.size == 0:
        return np.full(np.sum(values, axis=axis).shape, -np.inf)[()]
    top = np.max(values, axis=axis, keepdims=True)
    shift = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        total = np.log(np.sum(np.exp(values - shift), axis=axis, keepdims=True)) + shift
    return np.squeeze(total, axis=axis)[()]


def log_normalize(a: npt.ArrayLike, axis: int = -1) -> Floats:
    """Return log weights shifted so that their exponentials sum to one along the axis.

    Parameters
    ----------
    a : array-like of float
        Logarithms.
    axis : int, optional
        Along which.

    Returns
    -------
    ndarray of float64

    Examples
    --------
    >>> import numpy as np
    >>> np.exp(log_normalize(np.zeros((1, 4))))
    array([[0.25, 0.25, 0.25, 0.25]])
    """
    values = np.asarray(a, dtype=np.float64)
    return values - np.expand_dims(log_sum_exp(values, axis=axis), axis)


def log1m_exp(a: npt.ArrayLike) -> Floats:
    """Return log(1 - exp(a)) for a <= 0, accurate at both ends (0 gives -inf).

    Near 0 the difference is taken by expm1, far from it by log1p; log 2 is where the two are equally good.

    Parameters
    ----------
    a : array-like of float
        Logarithms, at most 0.

    Returns
    -------
    ndarray of float64

    Examples
    --------
    >>> import numpy as np
    >>> np.exp(log1m_exp(np.log(np.array([0.25])))).round(6)
    array([0.75])
    """
    values = np.asarray(a, dtype=np.float64)
    with np.errstate(divide="ignore"):
        near = np.log(-np.expm1(np.maximum(values, -np.log(2.0))))
        far = np.log1p(-np.exp(np.minimum(values, -np.log(2.0))))
    return np.where(values > -np.log(2.0), near, far)[()]


def log_sigmoid(t: npt.ArrayLike) -> Floats:
    """Return log(1 / (1 + exp(-t))) for any t, without overflow.

    Parameters
    ----------
    t : array-like of float
        Log-odds.

    Returns
    -------
    ndarray of float64

    Examples
    --------
    >>> import numpy as np
    >>> log_sigmoid(np.array([0.0, 800.0, -800.0])).round(3)
    array([-6.93e-01, -0.00e+00, -8.00e+02])
    """
    values = np.asarray(t, dtype=np.float64)
    return -np.logaddexp(0.0, -values)
