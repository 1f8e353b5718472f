"""Labels as hypercubes among relevant, irrelevant and redundant features [Mldatagen 2014; PACC, section 7.3].

Each label is a cube inside [-1, 1]^n_relevant. Rows are drawn inside the cubes, as many as is in proportion to the
cube's radius; a row has every label whose cube it lies in. Then labels are flipped by chance, and features that say
nothing new are added.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from plait.core.arrays import Floats, Ints
from plait.core.checks import Boolean, Interval, Nothing, OneOf, check_value
from plait.core.randomness import generator
from plait.core.sentences import ParameterError, complaint
from plait.data.dataset import Dataset
from plait.data.synthetic.size_checks import check_sizes

__all__ = ["HYPERCUBE_PRESETS", "Hypercubes", "hypercube_preset", "make_hypercubes"]


# name: n_samples, n_features, n_labels [PACC, table 3]
HYPERCUBE_PRESETS = {
    "Data40-10": (500, 40, 10),
    "Data80-10": (500, 80, 10),
    "Data120-20": (1000, 120, 20),
    "Data160-20": (1000, 160, 20),
    "Data400-60": (2000, 400, 60),
    "Data800-60": (2000, 800, 60),
}


@dataclass(frozen=True, eq=False)
class Hypercubes:
    """What `make_hypercubes` made.

    Attributes
    ----------
    dataset : Dataset
        The data, flipped labels included.
    relevant, irrelevant, redundant : ndarray of int
        Columns of each kind, ascending.
    sources : ndarray of shape (n_redundant,)
        The relevant column that each redundant one copies.
    centers : ndarray of shape (n_labels, n_relevant)
        Middle of each label's cube; column k belongs to feature `relevant[k]`.
    radii : ndarray of shape (n_labels,)
        Half the edge of each cube.
    cubes : ndarray of shape (n_samples,)
        The cube in which each row was drawn.
    clean : ndarray of shape (n_samples, n_labels)
        The labels before any was flipped.

    Examples
    --------
    >>> from plait.data.synthetic import make_hypercubes
    >>> made = make_hypercubes(100, 3, 6, random_state=0)
    >>> made.dataset.Y.shape, made.relevant
    ((100, 3), array([3, 4, 5]))
    """

    dataset: Dataset
    relevant: Ints
    irrelevant: Ints
    redundant: Ints
    sources: Ints
    centers: Floats
    radii: Floats
    cubes: Ints
    clean: npt.NDArray[np.uint8]


def make_hypercubes(
    n_samples: int,
    n_labels: int,
    n_features: int,
    *,
    ratio: Sequence[float] = (2, 1, 1),
    noise: float = 0.02,
    min_radius: float | None = None,
    max_radius: float = 0.8,
    rescale: bool = False,
    random_state: Any = None,
) -> Hypercubes:
    """Make data in which every label is a hypercube of the relevant features.

    Parameters
    ----------
    n_samples, n_labels, n_features : int
        Sizes; features of all three kinds together.
    ratio : three numbers, default=(2, 1, 1)
        Relevant : irrelevant : redundant features. There cannot be more redundant than relevant ones.
    noise : float, default=0.02
        Probability with which each label of each row is flipped.
    min_radius, max_radius : float, default=None and 0.8
        Bounds of half the edge of a cube, at most 1. None stands for 0.1 + 1 / n_labels, or `max_radius` if smaller.
    rescale : bool, default=False
        Whether a redundant column is stretched to reach from -1 to 1, instead of being a plain copy.
    random_state : int, RandomState, Generator or None, default=None
        An integer gives the same data every time.

    Returns
    -------
    Hypercubes

    Examples
    --------
    >>> from plait.data.synthetic import make_hypercubes
    >>> made = make_hypercubes(100, 5, 12, random_state=0)
    >>> made.dataset.n_features, len(made.relevant), len(made.irrelevant), len(made.redundant)
    (12, 6, 3, 3)
    """
    owner = "make_hypercubes"
    check_sizes(owner, random_state, n_samples=n_samples, n_labels=n_labels, n_features=n_features)
    check_value(owner, "noise", noise, (Interval(float, 0, 1),))
    check_value(owner, "rescale", rescale, (Boolean(),))
    low, high = _radius_bounds(owner, min_radius, max_radius, n_labels)
    counts = _kinds(owner, ratio, n_features)
    random = generator(random_state)
    radii = random.uniform(low, high, n_labels)
    # The centre keeps its cube inside the main one.
    centers = random.uniform(-1, 1, (n_labels, counts[0])) * (1 - radii)[:, None]
    cubes = random.permutation(np.repeat(np.arange(n_labels), dealt_rows(n_samples, radii)))
    points = centers[cubes] + radii[cubes, None] * random.uniform(-1, 1, (n_samples, counts[0]))
    clean = _inside(points, centers, radii)
    clean[np.arange(n_samples), cubes] = 1  # whatever rounding says at a cube's face
    flips = random.random((n_samples, n_labels)) < noise
    X, kinds, sources = _with_more_features(points, counts, rescale, random)
    dataset = Dataset(X, clean ^ flips, name=f"hypercubes{n_features}-{n_labels}")
    relevant, irrelevant, redundant = kinds
    return Hypercubes(dataset, relevant, irrelevant, redundant, sources, centers, radii, cubes, clean)


def hypercube_preset(name: str, random_state: Any = None) -> Hypercubes:
    """Make one of the six data sets of [PACC, table 3], such as "Data40-10"; `HYPERCUBE_PRESETS` lists them.

    Parameters
    ----------
    name : str
        Which.
    random_state : int, RandomState, Generator or None
        Seed.

    Returns
    -------
    Hypercubes

    References
    ----------
    [PACC] Sun, Kudo and Kimura: Polytree-augmented classifier chains for multi-label classification, with
    label-dependent features, 2016.

    Examples
    --------
    >>> from plait.data.synthetic import hypercube_preset
    >>> hypercube_preset("Data80-10", random_state=0).dataset.X.shape
    (500, 80)
    """
    check_value("hypercube_preset", "name", name, (OneOf(tuple(HYPERCUBE_PRESETS)),))
    n_samples, n_features, n_labels = HYPERCUBE_PRESETS[name]
    return make_hypercubes(n_samples, n_labels, n_features, random_state=random_state)


def dealt_rows(n_samples: int, radii: Floats) -> Ints:
    """Return how many rows each cube gets: round(n_samples r_i / sum of r), and what rounding leaves over in turn.

    Examples
    --------
    >>> dealt_rows(10, np.array([0.1, 0.2, 0.5]))
    array([1, 3, 6])
    """
    counts = np.floor(n_samples * radii / radii.sum() + 0.5).astype(np.int64)
    while (over := int(counts.sum()) - n_samples) != 0:
        # One row more, or one fewer where there are any, for the first cubes.
        places = np.flatnonzero(counts > 0)[:over] if over > 0 else np.arange(len(counts))[:-over]
        counts[places] -= np.sign(over)
    return counts


def _radius_bounds(owner: str, low: float | None, high: float, n_labels: int) -> tuple[float, float]:
    check_value(owner, "max_radius", high, (Interval(float, 0, 1, closed="right"),))
    check_value(owner, "min_radius", low, (Interval(float, 0, high, closed="right"), Nothing()))
    # (q / 10 + 1) / q, which exceeds the upper bound for a single label.
    return min(0.1 + 1 / n_labels, high) if low is None else low, high


def _kinds(owner: str, ratio: Sequence[float], n_features: int) -> Ints:
    """Return how many features are relevant, irrelevant and redundant."""
    shares = np.array(ratio, dtype=np.float64)
    if shares.shape != (3,) or not np.isfinite(shares).all() or (shares < 0).any() or shares[0] == 0:
        raise ParameterError(complaint(owner, "ratio", "three numbers of at least 0, the first above 0", ratio))
    ends = np.floor(n_features * np.cumsum(shares) / shares.sum() + 0.5).astype(np.int64)
    counts = np.diff(ends, prepend=0)
    if counts[0] == 0 or counts[2] > counts[0]:
        must = "such that there is a relevant feature and at least one for each redundant feature"
        raise ParameterError(complaint(owner, "ratio", must, ratio, "Raise its first number."))
    return counts


def _inside(points: Floats, centers: Floats, radii: Floats) -> npt.NDArray[np.uint8]:
    labels = np.zeros((len(points), len(radii)), dtype=np.uint8)
    for j, (center, radius) in enumerate(zip(centers, radii, strict=True)):
        # Few rows are left after a few coordinates, and only they are looked at in all.
        near = np.arange(len(points))
        for some in (slice(0, 8), slice(8, None)):
            near = near[(np.abs(points[near, some] - center[some]) <= radius).all(axis=1)]
        labels[near, j] = 1
    return labels


def _with_more_features(
    points: Floats, counts: Ints, rescale: bool, random: np.random.Generator
) -> tuple[Floats, list[Ints], Ints]:
    """Return all features in a random order of columns, the columns of each kind, and what the redundant ones copy."""
    n_relevant, n_irrelevant, n_redundant = counts
    irrelevant = random.uniform(-1, 1, (len(points), n_irrelevant))
    copied = random.choice(n_relevant, n_redundant, replace=False)
    copies = _stretched(points[:, copied]) if rescale else points[:, copied]
    kind_of = random.permutation(np.repeat([0, 1, 2], counts))
    columns = [np.flatnonzero(kind_of == kind) for kind in range(3)]
    X = np.empty((len(points), counts.sum()))
    for at, values in zip(columns, (points, irrelevant, copies), strict=True):
        X[:, at] = values
    return X, columns, columns[0][copied]


def _stretched(columns: Floats) -> Floats:
    low, high = columns.min(axis=0), columns.max(axis=0)
    width = np.where(high > low, high - low, 1.0)
    return np.where(high > low, 2 * (columns - low) / width - 1, columns)
