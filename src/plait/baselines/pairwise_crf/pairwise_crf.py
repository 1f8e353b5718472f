"""MLCRF: a conditional random field with a weight for every pair of labels [Pakdaman2014]."""

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

from plait import losses as losses_room
from plait.baselines.foundations.meta_classifier import LossClassifier
from plait.baselines.pairwise_crf.pairwise_distribution import PairwiseDistribution, gibbs_sample, likely_vectors
from plait.baselines.pairwise_crf.pseudo_likelihood import CRFWeights, trained_crf
from plait.core.arrays import Floats, Labels
from plait.core.checks import Boolean, InstanceOf, Interval, Nothing, OneOf, RandomState
from plait.core.naming import resolve
from plait.core.randomness import seeds
from plait.core.sentences import ParameterError, warn_user
from plait.inference import Exhaustive, LabelSupport
from plait.inference.search.label_tables import MOST_LABELS
from plait.learners.logistic.penalty_search import C_GRID, penalty_splits
from plait.losses import Loss
from plait.posterior import Posterior

__all__ = ["PairwiseCRF"]

# Good enough to tell strengths apart.
_TOL = 1e-4
# After so many strengths in a row that are worse than the best, weaker penalties are not tried.
_PATIENCE = 2


class PairwiseCRF(LossClassifier):
    """Pairwise conditional random field over the labels, MLCRF [Pakdaman2014; Ghamrawi2005].

        P(y | x) ~ exp( sum_j y_j (w_j'x + b_j) + sum_{j<k} y_j y_k (c_jk + v_jk'x) ),

    usually with constant pair weights (v = 0). The weights maximise the L2-penalised pseudo-likelihood, the sum of
    log P(y_j | x, all other labels): one logistic regression for each label on the features and the other labels,
    with one weight for both directions of a pair. The problem is convex and is solved to its end.

    It assumes that labels attract or repel each other in pairs, with the same strength for every x (or a linear one),
    and that the log-odds of a label are linear in the features and the other labels. A good choice for up to fifteen
    labels, where everything asked of it is answered exactly, and where labels have no natural order or direction. With
    more labels answers come from sampling, and the pairs are many: use a chain or a tree there.

    Parameters
    ----------
    C : float or "cv", default=1.0
        Inverse strength of the penalty on w, as in `LogisticLearner`. With "cv" the one of the greatest
        held-out likelihood among 0.0005, 0.005, ..., 500 (pseudo-likelihood, where labels are not enumerated), for all
        labels together.
    pair_C : float, optional
        Inverse strength of the penalty on c and v; None takes C.
    pairs : {"constant", "features", "none"}, default="constant"
        Whether there are pair weights, and whether features touch them (v). "none" is binary relevance.
    loss : Loss or str, default="subset"
        What `predict` minimises: "subset" gives the mode, "hamming" the labels with a marginal above one half; "f1",
        "jaccard" or any other loss that decides on label sets.
    standardize : bool or "auto", default="auto"
        Whether columns of X are divided by their standard deviation for the penalty, as in `LogisticLearner`.
    max_enumerated : int, default=15
        Up to so many labels (at most 20) answers are exact sums over all 2 ** n_labels label vectors; with more labels
        marginals come from Gibbs sampling, and modes from annealing and ascent by single flips.
    n_sweeps : int, default=1000
        Sweeps of Gibbs sampling over the labels, where it is used.
    tol : float, default=1e-9
        The weights are found when the gradient is so much shorter than at zero.
    max_iter : int, default=100
        Most Newton steps.
    random_state : int, RandomState, Generator or None
        Seed of the sampling, drawn once at `fit`. All rows see the same random numbers, so that the answer for a row
        does not depend on the rows beside it.

    Attributes
    ----------
    coef_, intercept_ : ndarray of shape (n_labels, n_features) and (n_labels,)
        w and b.
    pair_intercept_ : ndarray of shape (n_labels, n_labels)
        c: symmetric, zeros in the diagonal; above 0 where labels attract each other.
    pair_coef_ : ndarray of shape (n_labels, n_labels, n_features), or None
        v, where features touch pairs.
    C_ : float
        The strength used.
    n_iter_ : int
        Newton steps taken from the separate regressions to the joint optimum; 1 where the start was the end.
    label_names_, n_labels_, n_features_in_, classes_
        As for all classifiers.

    Notes
    -----
    A label with one value only in training has no pairs; its probability is (n_1 + 1) / (N + 2). All pairs have a
    weight: the search for a structure of [Pakdaman2014] is left out, L2 makes useless pairs small. Pseudo-likelihood is
    not likelihood; where labels depend on each other strongly it overrates the dependence somewhat.

    References
    ----------
    Pakdaman, Batal, Liu, Hong and Hauskrecht: An optimization-based framework to learn conditional random fields for
    multi-label classification [Pakdaman2014]. Ghamrawi and McCallum: Collective multi-label classification
    [Ghamrawi2005].

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 2))
    >>> first = X[:, 0] + rng.normal(size=500) > 0
    >>> Y = np.column_stack([first, ~first, X[:, 1] > 0]).astype(int)  # the first two exclude each other
    >>> model = PairwiseCRF().fit(X, Y)
    >>> bool(model.pair_intercept_[0, 1] < -5)
    True
    >>> model.predict([[0.5, 2.0], [-0.5, -2.0]])
    array([[1, 0, 1],
           [0, 1, 0]])
    >>> model.joint([[0.5, 2.0]]).top(2).vectors[0]  # never both, never neither
    array([[1, 0, 1],
           [0, 1, 1]], dtype=uint8)
    """

    parameter_rules: ClassVar[dict[str, Any]] = {
        "C": (Interval(float, 0, None, closed="neither"), OneOf(("cv",))),
        "pair_C": (Interval(float, 0, None, closed="neither"), Nothing()),
        "pairs": (OneOf(("constant", "features", "none")),),
        "loss": (InstanceOf((Loss, str)),),
        "standardize": (Boolean(), OneOf(("auto",))),
        "max_enumerated": (Interval(int, 1, MOST_LABELS),),
        "n_sweeps": (Interval(int, 1, None),),
        "tol": (Interval(float, 0, None, closed="neither"),),
        "max_iter": (Interval(int, 1, None),),
        "random_state": (RandomState(),),
    }

    def __init__(
        self,
        C: float | str = 1.0,
        pair_C: float | None = None,
        pairs: str = "constant",
        loss: Any = "subset",
        standardize: bool | str = "auto",
        max_enumerated: int = 15,
        n_sweeps: int = 1000,
        tol: float = 1e-9,
        max_iter: int = 100,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.pair_C = pair_C
        self.pairs = pairs
        self.loss = loss
        self.standardize = standardize
        self.max_enumerated = max_enumerated
        self.n_sweeps = n_sweeps
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _fit(self, X: Any, Y: Labels, weights: Any) -> None:
        resolve(type(self).__name__, "loss", self.loss, losses_room, Loss)
        self._seed = seeds(self.random_state, 1)[0]
        shape = (self.pairs, self.standardize)
        if isinstance(self.C, str):
            exact = self.n_labels_ <= self.max_enumerated
            self.C_ = searched_penalty(X, Y, weights, self.pair_C, *shape, self.max_iter, exact)
        else:
            self.C_ = float(self.C)
        pair_C = self.C_ if self.pair_C is None else self.pair_C
        found, n_iter, converged = trained_crf(X, Y, weights, self.C_, pair_C, *shape, self.tol, self.max_iter)
        if not converged:
            warn_user(
                f"{type(self).__name__} did not reach tol={self.tol} in {self.max_iter} Newton steps. Raise max_iter "
                "or tol, lower C, or scale the columns of X.",
                ConvergenceWarning,
            )
        self.n_iter_ = max(1, n_iter)
        self.coef_, self.intercept_ = found.coef, found.intercept
        self.pair_intercept_, self.pair_coef_ = found.pair_intercept, found.pair_coef

    @property
    def _weights(self) -> CRFWeights:
        return CRFWeights(self.coef_, self.intercept_, self.pair_intercept_, self.pair_coef_)

    def joint(self, X: Any) -> Posterior:
        """Return P(y | x) of every row, to ask questions of; for few labels.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.
        """
        X = self._rows(X)
        self._require_few_labels("joint")
        return self._posterior(X)

    def _posterior(self, X: Any) -> Posterior:
        return Posterior(self._weights, X, list(self.label_names_), Exhaustive(force=True), self.loss, self._seed)

    def log_prob(self, X: Any, Y: Any) -> Floats:
        """Return log P(y | x) of one label set for every row; for few labels.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.
        Y : array of shape (n_samples, n_labels)
            One label set for each row.
        """
        X = self._rows(X)
        self._require_few_labels("log_prob")
        return self._posterior(X).log_prob(Y)

    def _require_few_labels(self, owner: str) -> None:
        if self.n_labels_ > self.max_enumerated:
            way_out = "Raise max_enumerated" if self.n_labels_ <= MOST_LABELS else "Use predict_proba for marginals"
            raise ParameterError(
                f"{owner} needs at most max_enumerated={self.max_enumerated} labels, since P(y | x) is divided by a "
                f"sum over 2 ** n_labels label vectors, but there are {self.n_labels_}. {way_out}."
            )

    def _answer(self, X: Any, loss: Loss) -> npt.NDArray[Any]:
        if self.n_labels_ <= self.max_enumerated:
            return self._posterior(X).decide(loss)
        return self._sampled_answer(self._weights.scores(X), self._weights.pairs(X), loss)

    def _sampled_answer(self, scores: Floats, pairs: Floats, loss: Loss) -> npt.NDArray[Any]:
        n_draws = self.n_sweeps if loss.wanted == "distribution" else 0
        marginals, draws = gibbs_sample(scores, pairs, self.n_sweeps, n_draws, self._seed)
        if loss.wanted == "mode":
            return likely_vectors(scores, pairs, [(marginals > 0.5).astype(np.uint8)], self._seed)
        support = LabelSupport(
            draws,
            np.zeros(draws.shape[:2]),
            "sample",
            f"Gibbs sampling with {self.n_sweeps} sweeps",
            np.zeros(len(scores), dtype=np.bool_),
            marginals=marginals,
        )
        return loss.decide(support)

    def _marginals(self, X: Any) -> Floats:
        if self.n_labels_ <= self.max_enumerated:
            return self._posterior(X).marginals()
        return gibbs_sample(self._weights.scores(X), self._weights.pairs(X), self.n_sweeps, 0, self._seed)[0]


def searched_penalty(
    X: Any,
    Y: Labels,
    sample_weight: Any,
    pair_C: float | None,
    kind: str,
    standardize: bool | str,
    max_iter: int,
    exact: bool,
) -> float:
    """Return the C with the least held-out loss, the smallest of equals; one for all labels.

    C are those of `LogisticLearner(C="cv")` [PCC, section 5.1]. Rows are held out as `penalty_splits` says. Penalties
    are tried from the strongest on, and no longer once they only get worse. With a single row nothing can be held out,
    and C is 1.

    Parameters
    ----------
    X, Y, sample_weight, kind, standardize, max_iter
        As for `trained_crf`.
    pair_C : float or None
        Strength of the penalty on pairs; None for the same as that of labels.
    exact : bool
        Whether the loss is that of whole label sets, see `held_out_loss`.
    """
    if len(Y) < 2:
        return 1.0
    splits, losses = penalty_splits(len(Y)), []
    for C in C_GRID.tolist():
        total = 0.0
        for rows, held in splits:
            weights = None if sample_weight is None else sample_weight[rows]
            pairs = C if pair_C is None else pair_C
            field = trained_crf(X[rows], Y[rows], weights, C, pairs, kind, standardize, _TOL, max_iter)[0]
            weights = None if sample_weight is None else sample_weight[held]
            total += held_out_loss(field, X[held], Y[held], weights, exact)
        losses.append(total)
        if len(losses) - 1 - int(np.argmin(losses)) >= _PATIENCE:
            break
    return float(C_GRID[int(np.argmin(losses))])


def held_out_loss(field: CRFWeights, X: Any, Y: Labels, sample_weight: Any, exact: bool) -> float:
    """Return the sum of -log P(y | x) over the rows (exact), or of all -log P(y_j | x, other labels).

    The second one is what training minimises, but where labels nearly follow from each other it is low for fields that
    are far off: P(y | x) is the better judge, if it can be had.

    Examples
    --------
    >>> field = CRFWeights(np.zeros((2, 1)), np.zeros(2), np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> X, Y = np.zeros((1, 1)), np.array([[1, 0]], dtype=np.uint8)
    >>> bool(np.isclose(held_out_loss(field, X, Y, None, exact=True), np.log(3 + np.e)))
    True
    >>> bool(np.isclose(held_out_loss(field, X, Y, None, exact=False), np.log(2) + np.log(1 + np.e)))
    True
    """
    scores, pairs = field.scores(X), field.pairs(X)
    if exact:
        losses = -PairwiseDistribution(scores, pairs).log_prob(Y)
    else:
        labels = Y.astype(np.float64)
        scores = scores + (labels @ pairs if pairs.ndim == 2 else np.einsum("ijk,ik->ij", pairs, labels))
        losses = np.logaddexp(0.0, np.where(Y == 1, -scores, scores)).sum(axis=1)
    return float(losses.sum() if sample_weight is None else sample_weight @ losses)
