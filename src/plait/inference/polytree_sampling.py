"""Draws from P(y | x, evidence) on forests and polytrees: exact, without weights."""

from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.checks import Interval, check_value
from plait.core.randomness import generator
from plait.inference._backward_kernels import draw_given
from plait.inference.message_plan import checked_polytree, families_of
from plait.inference.polytree_scores import known_labels, scores_in_blocks
from plait.joint import LabelDistribution

__all__ = ["sample_given"]

Labels = npt.NDArray[np.uint8]

# So many random numbers are drawn at once (64 MiB).
_NUMBERS = 1 << 23


def sample_given(distribution: LabelDistribution, n_samples: int, random_state: Any = None) -> Labels:
    """Draw label vectors from P(y | x, evidence), independent and all of weight one.

    Messages go to the roots, values are drawn from the roots down given all evidence. Unlike `distribution.sample`
    nothing is weighed, so evidence of any probability costs no precision.

    Parameters
    ----------
    distribution : GraphDistribution
        Its graph's skeleton has to be a forest.
    n_samples : int
        Draws for each row.
    random_state : int, Generator or None
        An integer gives the same draws every time.

    Returns
    -------
    vectors : ndarray of uint8, shape (n_rows, n_samples, n_labels)

    Examples
    --------
    >>> from plait.joint import LinearDistribution
    >>> from plait.structure import LabelGraph
    >>> model = LinearDistribution(LabelGraph([[], [0]]), np.zeros((1, 2)), np.array([[0.0, 0.0], [3.0, 0.0]]))
    >>> known = model.clamp(np.array([[-1, 1]], dtype=np.int8))
    >>> bool(abs(sample_given(known, 10_000, random_state=0)[0, :, 0].mean() - 0.656) < 0.02)
    True
    """
    model = checked_polytree(distribution, "sample_given")
    check_value("sample_given", "n_samples", n_samples, (Interval(int, 1, None),))
    families, draws = families_of(model.graph), generator(random_state)
    vectors = np.zeros((model.n_rows, n_samples, model.n_labels), dtype=np.uint8)
    step = max(1, _NUMBERS // max(1, n_samples * model.n_labels))
    for rows, scores in scores_in_blocks(model, families):
        for begin in range(rows.start, rows.stop, step):
            part = slice(begin, min(begin + step, rows.stop))
            here = scores._replace(values=scores.values[begin - rows.start : part.stop - rows.start])
            # The middle of each step of 2**-53: never 0, which could draw what has probability zero.
            uniforms = draws.random(vectors[part].shape) + 2.0**-54
            known = known_labels(model.evidence, part)
            draw_given(families, here, known, families.n_hubs, 1 << families.most_parents, uniforms, vectors[part])
    return vectors
