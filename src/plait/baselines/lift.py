"""`LIFT`: for every label features of its own, distances to clusters of rows with and without it [Zhang2015]."""

import warnings
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.spatial.distance import cdist
from scipy.special import expit
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from plait.baselines.foundations.binary_learners import LEARNER_RULE, binary_learner
from plait.baselines.foundations.meta_classifier import seeded_members
from plait.core.arrays import Floats, Labels
from plait.core.checks import Interval, RandomState
from plait.core.multilabel_classifier import MultilabelClassifier
from plait.core.parallel import JOBS_RULES, Parallel, delayed, one_blas_thread
from plait.core.progress_bar import progress
from plait.core.randomness import generators, seeds
from plait.learners import Conditionals, Learner

__all__ = ["LIFT"]

# Below this share of the squares it is the difference of, a squared distance of sparse rows is taken anew.
_CANCELLED = 1e-6


class LIFT(MultilabelClassifier):
    """Label-specific features: each label sees how far a row is from clusters of rows with and without it [Zhang2015].

    For every label the rows that have it and the rows that have not are clustered apart by k-means, into
    `ceil(ratio * rows of the smaller class)` clusters each; the distances of a row to all these centres are the
    features of a binary classifier for the label.

    It assumes that near rows have like labels, and that each label has regions of its own. A good choice for features
    on one scale in which distance means something (images, embeddings), where labels are no linear matter in the
    features but some hundred prototypes tell them; rare labels get as many prototypes as there are against them. Labels
    do not know of each other. Scale columns of different units first.

    Parameters
    ----------
    estimator : classifier or Learner, optional
        Trains the labels on their distances: any scikit-learn classifier (one clone for each), or a learner of plait;
        `LinearSVMLearner()` is the paper's. None is `LogisticLearner()`, L2 logistic regression.
    ratio : float, default=0.1
        Clusters of either class for each row of the smaller class (r).
    random_state : int, RandomState, Generator or None
        Seed of k-means, and of estimators whose own `random_state` is None.
    n_jobs : int, optional
        How many labels are trained at once, by `joblib`. The result is the same, bit for bit, for any number.

    Attributes
    ----------
    centres_ : list of ndarray or CSR matrix of shape (2 * n_centres, n_features)
        For each label the centres of its rows, then of the others; none for a label with one value only.
    conditionals_ : list of Conditionals
        For each label what was learned from the distances.
    label_names_, n_labels_, n_features_in_, classes_
        As for all classifiers of plait.

    Notes
    -----
    Sparse rows stay sparse, and so do centres. While a label is trained its distances are held, 16 * ratio bytes for
    every pair of a row and a row of the label's smaller class; with very many rows choose a smaller `ratio`. A label
    with one value only is a constant, with the probability (n_1 + 1) / (N + 2).

    References
    ----------
    Zhang and Wu: LIFT: Multi-label learning with label-specific features [Zhang2015].

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> Y = np.column_stack([X[:, 0] > 0, (X**2).sum(axis=1) < 1]).astype(int)  # a half plane and a disc
    >>> model = LIFT(random_state=0).fit(X, Y)
    >>> model.predict([[2.0, 2.0], [-0.3, 0.2]])
    array([[1, 0],
           [0, 1]])
    >>> [len(centres) for centres in model.centres_]
    [28, 24]
    """

    parameter_rules: ClassVar[dict[str, Any]] = {
        "estimator": LEARNER_RULE,
        "ratio": (Interval(float, 0, 1, closed="right"),),
        "random_state": (RandomState(),),
        "n_jobs": JOBS_RULES,
    }

    def __init__(
        self,
        estimator: Any = None,
        ratio: float = 0.1,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.ratio = ratio
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _probabilistic(self) -> bool:
        return binary_learner(self.estimator).gives_probabilities

    def _fit(self, X: Any, Y: Labels, sample_weight: Any) -> None:
        cluster_draws, seed_draws = generators(self.random_state, 2)
        members = seeded_members(binary_learner(self.estimator), Y.shape[1], seed_draws)
        tasks = progress(list(zip(members, Y.T, seeds(cluster_draws, Y.shape[1]), strict=True)), "LIFT, labels")
        fitted = Parallel(n_jobs=self.n_jobs)(
            delayed(_fitted_label)(member, X, y, self.ratio, seed) for member, y, seed in tasks
        )
        self.centres_: list[Any] = [centres for centres, _ in fitted]
        self.conditionals_: list[Conditionals] = [conditionals for _, conditionals in fitted]

    def label_features(self, X: Any, label: int) -> Floats:
        """Return what one label sees of the rows: their distances to its centres, (n_samples, n_centres).

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.
        label : int
            The label's number.
        """
        X = self._rows(X)
        return distances_to(self.centres_[label], X)

    def _scores(self, X: Any) -> Floats:
        found = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(_label_scores)(conditionals, centres, X)
            for conditionals, centres in zip(self.conditionals_, self.centres_, strict=True)
        )
        return np.hstack(list(found))

    def _decide(self, X: Any) -> npt.NDArray[Any]:
        return self._scores(X) > 0

    def _marginals(self, X: Any) -> Floats:
        return np.asarray(expit(self._scores(X)))


def n_centres(y: npt.NDArray[np.uint8], ratio: float) -> int:
    """Return the number of clusters of either class, ceil(ratio * rows of the smaller class).

    Examples
    --------
    >>> n_centres(np.array([0, 0, 1] * 11), 0.1), n_centres(np.array([0, 0, 1]), 0.1), n_centres(np.zeros(5), 0.1)
    (2, 1, 0)
    """
    ones = int(np.count_nonzero(y))
    # 0.07 * 100 is a little more than 7.
    return int(np.ceil(round(ratio * min(ones, len(y) - ones), 9)))


def class_centres(X: Any, y: npt.NDArray[np.uint8], ratio: float, seed: int) -> Any:
    """Return the centres of the clusters of the rows with the label, then of those without it, by k-means.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Rows.
    y : ndarray of uint8, shape (n_samples,)
        Whether a row has the label.
    ratio : float
        Clusters of either class for each row of the smaller class.
    seed : int
        Seed of the centres that k-means starts from.

    Returns
    -------
    centres : ndarray, or CSR matrix where X is sparse, of shape (2 * n_centres, n_features)
        Without rows if the label has one value only.
    """
    m = n_centres(y, ratio)
    if m == 0:
        return X[:0]
    # Threads would add up in another order: the last digits would depend on how many there are.
    with one_blas_thread():
        parts = [_centres(X[np.flatnonzero(y == value)], m, seed) for value in (1, 0)]
    return sparse.vstack(parts, format="csr") if sparse.issparse(X) else np.vstack(parts)


def _centres(rows: Any, n_clusters: int, seed: int) -> Any:
    with warnings.catch_warnings():
        # Copies of rows may leave fewer different centres than asked for: then a centre comes twice.
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = KMeans(n_clusters, n_init=1, random_state=seed).fit(rows)
    return sparse.csr_matrix(found.cluster_centers_) if sparse.issparse(rows) else found.cluster_centers_


def distances_to(centres: Any, X: Any) -> Floats:
    """Return the Euclidean distances of rows to centres, (n_samples, n_centres); a column of zeros without centres.

    Examples
    --------
    >>> distances_to(np.array([[0.0, 0.0], [3.0, 0.0]]), np.array([[3.0, 4.0]]))
    array([[5., 4.]])
    """
    if centres.shape[0] == 0:
        return np.zeros((X.shape[0], 1))
    if not sparse.issparse(X):
        return np.asarray(cdist(X, centres.toarray() if sparse.issparse(centres) else centres))
    return np.sqrt(_sparse_squares(centres, X))


def _sparse_squares(centres: Any, X: Any) -> Floats:
    """Return squared distances as |x|^2 - 2 x.c + |c|^2; where they nearly cancel, as sums of squared differences."""
    crossed = X @ centres.T
    crossed = crossed.toarray() if sparse.issparse(crossed) else np.asarray(crossed)
    sizes = _squared_sizes(X)[:, None] + _squared_sizes(centres)
    squares = np.asarray(sizes - 2.0 * crossed, dtype=np.float64)
    for row, centre in np.argwhere(squares <= _CANCELLED * sizes):
        apart = X[[row]] - centres[[centre]]
        squares[row, centre] = np.sum(np.square(apart.data if sparse.issparse(apart) else np.asarray(apart)))
    return squares


def _squared_sizes(rows: Any) -> Floats:
    return np.asarray(rows.multiply(rows).sum(axis=1) if sparse.issparse(rows) else np.square(rows).sum(axis=1)).ravel()


def _fitted_label(
    learner: Learner, X: Any, y: npt.NDArray[np.uint8], ratio: float, seed: int
) -> tuple[Any, Conditionals]:
    """Return the centres of a label and what was learned from the distances to them."""
    centres = class_centres(X, y, ratio, seed)
    return centres, learner.fit(distances_to(centres, X), y[:, None])


def _label_scores(conditionals: Conditionals, centres: Any, X: Any) -> Floats:
    return conditionals.base_scores(distances_to(centres, X))
