"""`LIFT`: for every label features of its own, distances to clusters of rows with and without it [Zhang2015]."""

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy.special import expit
from sklearn.utils.metaestimators import available_if
from sklearn.utils.parallel import Parallel, delayed

from plait.baselines.binary_learners import LEARNER_RULE, binary_learner, gives_probabilities, label_scores
from plait.baselines.cluster_distances import class_centres, distances_to
from plait.baselines.meta_classifier import JOBS_RULE, MetaClassifier, seeded_members
from plait.core.arrays import Floats
from plait.core.checks import Interval, RandomState, check_parameters
from plait.core.progress_bar import progress
from plait.core.randomness import generators, seeds
from plait.learners import Conditionals, Learner

__all__ = ["LIFT"]


def _gives_probabilities(model: "LIFT") -> bool:
    return gives_probabilities(binary_learner(model.estimator))


class LIFT(MetaClassifier):
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
        "n_jobs": JOBS_RULE,
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

    def _finite(self) -> bool | str:
        return True  # there is no distance to a missing value, whatever the estimator takes

    def fit(self, X: Any, y: Any) -> "LIFT":
        """Find the centres of every label, and train its classifier.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.
        y : array, sparse matrix, data frame, or list of sets of label names
            One 0/1 column for each label; or one binary column in one dimension.

        Returns
        -------
        self
        """
        check_parameters(self)
        X, Y, _ = self._training_data(X, y)
        cluster_draws, seed_draws = generators(self.random_state, 2)
        members = seeded_members(binary_learner(self.estimator), Y.shape[1], seed_draws)
        tasks = progress(list(zip(members, Y.T, seeds(cluster_draws, Y.shape[1]), strict=True)), "LIFT, labels")
        fitted = Parallel(n_jobs=self.n_jobs)(
            delayed(_fitted_label)(member, X, y, self.ratio, seed) for member, y, seed in tasks
        )
        self.centres_: list[Any] = [centres for centres, _ in fitted]
        self.conditionals_: list[Conditionals] = [conditionals for _, conditionals in fitted]
        return self

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
        X = self._rows(X)
        found = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(_label_scores)(conditionals, centres, X)
            for conditionals, centres in zip(self.conditionals_, self.centres_, strict=True)
        )
        return np.hstack(list(found))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the labels that are more likely than not.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.

        Returns
        -------
        Y : ndarray of shape (n_samples, n_labels), or (n_samples,) if fitted on a single column
        """
        return self._labels_out((self._scores(X) > 0).astype(np.uint8))

    @available_if(_gives_probabilities)
    def predict_proba(self, X: Any) -> Floats:
        """Return P(label | distances), (n_samples, n_labels).

        Fitted on a single column in one dimension, one column for each class, as scikit-learn does.
        """
        return self._probabilities_out(expit(self._scores(X)))


def _fitted_label(
    learner: Learner, X: Any, y: npt.NDArray[np.uint8], ratio: float, seed: int
) -> tuple[Any, Conditionals]:
    """Return the centres of a label and what was learned from the distances to them."""
    centres = class_centres(X, y, ratio, seed)
    return centres, learner.fit(distances_to(centres, X), y[:, None])


def _label_scores(conditionals: Conditionals, centres: Any, X: Any) -> Floats:
    return label_scores(conditionals, distances_to(centres, X))
