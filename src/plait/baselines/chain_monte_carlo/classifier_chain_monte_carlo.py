"""`ClassifierChainMonteCarlo`: a chain whose order is found by a random walk and whose answers are drawn [Read2014]."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.special import expit

from plait import losses as losses_room
from plait.baselines.chain_monte_carlo.order_search import ChainPayoff, ScoredOrder, best_orders
from plait.baselines.foundations.binary_learners import LEARNER_RULE, binary_learner, checked_weights
from plait.baselines.foundations.column_scaling import divided_columns, unscaled_learner
from plait.baselines.foundations.meta_classifier import MetaClassifier, seeded_members
from plait.core.arrays import Bits, Floats, Labels
from plait.core.checks import InstanceOf, Interval, Nothing, OneOf, RandomState
from plait.core.naming import resolve
from plait.core.parallel import JOBS_RULES, Parallel, delayed
from plait.core.randomness import generators
from plait.core.sentences import ParameterError
from plait.inference import Greedy, LabelSupport, MonteCarlo
from plait.joint import GraphDistribution, GraphJoint, MixtureDistribution
from plait.learners import Conditionals, Learner
from plait.losses import Loss
from plait.structure import FullChain

__all__ = ["ClassifierChainMonteCarlo"]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
# Numbers of a dense X that are turned into bits at the same time.
_ENTRIES = 1 << 20
# What the drawn vectors of a block of rows may take.
_BLOCK_BYTES = 16 * 2**20


class ClassifierChainMonteCarlo(MetaClassifier):
    """A classifier chain with Monte Carlo search for its order and for its answers (MCC) [Read2014].

    Training walks over orders of the labels: two labels change places, and the walk goes on from there if the new chain
    explains the labels of the rows better. For a row to predict label sets are drawn from the chain, and the most
    probable of them, or the greedy one if none is more probable, is the answer.

    Assumes that every label follows from the features and the labels before it, and that some orders say so better
    than others. A good choice for moderately many labels that depend on each other where no order suggests itself, and
    exact inference is too dear. The gain over a chain in a random order is small where the base classifier is good:
    every order can express the same distributions, only not equally well. `plait.recipes.pcc` has the same model with
    exact answers.

    Parameters
    ----------
    estimator : classifier or Learner, optional
        Trains the chain: any scikit-learn classifier with `predict_proba` (one clone for each label), or a learner of
        plait. None is `LogisticLearner()`, L2 logistic regression.
    n_steps : int, default=50
        How many orders the walk tries (T_s); 0 is a random order.
    n_chains : int, default=1
        How many of the best orders are kept (M). Several are mixed, each with a weight in proportion to the mean
        probability that it gives to the labels of the payoff's rows.
    payoff : {"log_likelihood", "probability"}, default="log_likelihood"
        What the walk maximises: the sum over rows of log P(y | x), or of P(y | x).
    held_out : float, optional
        Take the payoff over this share of the rows, drawn at random, and train on the others during the walk. None
        takes it over the training rows themselves, as in the paper. The final chains are trained on all rows.
    beta : float, default=0.03
        How fast the beginning of the chain freezes: in step t the place j = 0, 1, ... is picked for a swap in
        proportion to `q ** (-beta * t / (1 + j))`. With 0 all places are alike.
    n_samples : int, default=100
        How many label sets are drawn for each row (T), over all chains together (at least one from each).
    loss : Loss or str, default="subset"
        What `predict` minimises: "subset" as in the paper; "hamming" decides by the marginals; "f1", "jaccard" or an
        object by the label sets drawn. May be changed after `fit`.
    random_state : int, RandomState, Generator or None
        Seed of the walk, of the draws, and of estimators whose own `random_state` is None.
    n_jobs : int, optional
        How many blocks of rows are answered at once, and, where a scikit-learn classifier is given, how many labels are
        trained at once. The result is the same, bit for bit, for any number.

    Attributes
    ----------
    orders_ : list of tuple of int
        The orders of the chains, the best first.
    payoffs_ : ndarray of shape (n_chains,)
        Their payoffs.
    weights_ : ndarray of shape (n_chains,)
        Their weights; they sum to one.
    conditionals_ : list of Conditionals
        The chains.
    label_names_, n_labels_, n_features_in_, classes_
        As for all classifiers of plait.

    Notes
    -----
    Where labels change places, only the conditionals of these and of the labels between them are new; they are trained
    in one batch. A row draws the same label sets whatever rows stand beside it, because its seed is made from what is
    in it. Marginals are the mean of P(label | x, labels before it) over the label sets drawn, which varies less than
    how often the label was drawn and is exact for the first label of a chain.

    References
    ----------
    Read, Martino and Luengo: Efficient Monte Carlo methods for multi-dimensional learning with classifier chains
    [Read2014].

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> one, two = X[:, 0] > 0, X[:, 1] > 0
    >>> Y = np.column_stack([one ^ two, one, one & two]).astype(int)  # the first is plain once the others are known
    >>> model = ClassifierChainMonteCarlo(random_state=0).fit(X, Y)
    >>> model.orders_[0][-1]
    0
    >>> model.predict([[2.0, -2.0], [2.0, 2.0]])
    array([[1, 1, 0],
           [0, 1, 1]])
    """

    parameter_rules: ClassVar[dict[str, Any]] = {
        "estimator": LEARNER_RULE,
        "n_steps": (Interval(int, 0, None),),
        "n_chains": (Interval(int, 1, None),),
        "payoff": (OneOf(("log_likelihood", "probability")),),
        "held_out": (Interval(float, 0, 1, closed="neither"), Nothing()),
        "beta": (Interval(float, 0, None),),
        "n_samples": (Interval(int, 1, None),),
        "loss": (InstanceOf((Loss, str)),),
        "random_state": (RandomState(),),
        "n_jobs": JOBS_RULES,
    }

    def __init__(
        self,
        estimator: Any = None,
        n_steps: int = 50,
        n_chains: int = 1,
        payoff: str = "log_likelihood",
        held_out: float | None = None,
        beta: float = 0.03,
        n_samples: int = 100,
        loss: Any = "subset",
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_steps = n_steps
        self.n_chains = n_chains
        self.payoff = payoff
        self.held_out = held_out
        self.beta = beta
        self.n_samples = n_samples
        self.loss = loss
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fit(self, X: Any, Y: Labels, weights: Any) -> None:
        walk_draws, split_draws, seed_draws, sample_draws = generators(self.random_state, 4)
        learner = self._seeded_learner(weights, seed_draws)
        learner, scales = unscaled_learner(learner, X, weights)
        X = divided_columns(X, scales)
        found = self._walked(learner, X, Y, weights, walk_draws, split_draws)
        self.orders_ = [order for _, order in found]
        self.payoffs_ = np.array([payoff for payoff, _ in found])
        fitted = [self._chain(learner, X, Y, weights, order) for order in self.orders_]
        self.weights_ = _chain_weights(fitted, X, Y, weights)
        self.conditionals_ = [each.divided_by(scales) for each in fitted]
        self._seed = int(sample_draws.integers(0, 2**63))

    def _seeded_learner(self, weights: Any, draws: np.random.Generator) -> Learner:
        learner = binary_learner(self.estimator)
        checked_weights(type(self).__name__, learner, weights)
        seeded: Learner = seeded_members(learner, 1, draws)[0]
        if "n_jobs" in seeded.get_params(deep=False):
            seeded.set_params(n_jobs=self.n_jobs)
        return seeded

    def _walked(
        self,
        learner: Learner,
        X: Any,
        Y: Labels,
        weights: Any,
        walk_draws: np.random.Generator,
        split_draws: np.random.Generator,
    ) -> list[ScoredOrder]:
        held_out = None
        if self.held_out is not None and len(Y) > 1:
            n_out = min(max(round(self.held_out * len(Y)), 1), len(Y) - 1)
            held_out = np.sort(split_draws.permutation(len(Y))[:n_out])
        payoff = ChainPayoff(learner, X, Y, weights, self.payoff, held_out)
        limits = {"n_steps": self.n_steps, "n_best": self.n_chains}
        return best_orders(payoff, Y.shape[1], beta=self.beta, draws=walk_draws, **limits)

    def _chain(self, learner: Learner, X: Any, Y: Labels, weights: Any, order: tuple[int, ...]) -> Conditionals:
        graph = FullChain(list(order)).build(X, Y)
        return learner.fit(X, Y, graph, sample_weight=weights)

    def _samples(self, X: Any) -> "list[ChainSamples]":
        """Return what is drawn for blocks of rows."""
        seeds = content_seeds(X, self._seed)
        joints = [GraphJoint(each) for each in self.conditionals_]
        step = max(1, _BLOCK_BYTES // (self.n_labels_ * (self.n_samples + len(joints))))
        blocks = [slice(start, start + step) for start in range(0, X.shape[0], step)]
        return list(
            Parallel(n_jobs=self.n_jobs, prefer="threads")(
                delayed(ChainSamples.drawn)(joints, self.weights_, X[rows], self.n_samples, seeds[rows])
                for rows in blocks
            )
        )

    def _decide(self, X: Any) -> npt.NDArray[Any]:
        loss: Loss = resolve(type(self).__name__, "loss", self.loss, losses_room, Loss)
        answers = [loss.decide(self._support(samples, loss)) for samples in self._samples(X)]
        if answers[0].dtype.kind == "f":
            raise ParameterError(
                f"predict needs a loss that decides on label sets, but {type(loss).__name__} gives scores to rank by. "
                "Rank by predict_proba(X), or use another loss."
            )
        return np.concatenate(answers)

    def _support(self, samples: "ChainSamples", loss: Loss) -> LabelSupport:
        return samples.modes() if loss.wanted == "mode" else samples.support()

    def _marginals(self, X: Any) -> Floats:
        return np.concatenate([samples.marginals for samples in self._samples(X)])


@dataclass(frozen=True, eq=False)
class ChainSamples:
    """Label vectors of several rows: the greedy one of the first chain, then those drawn.

    Parameters
    ----------
    vectors : ndarray of uint8, shape (n_rows, n_vectors, n_labels)
        The vectors.
    log_weights : ndarray of float64, shape (n_rows, n_vectors)
        Logarithms of their shares of the draws; -inf for the greedy one and for places that are not used.
    log_prob : ndarray of float64, shape (n_rows, n_vectors)
        log P(y | x) under all chains together; -inf for places that are not used.
    marginals : ndarray of float64, shape (n_rows, n_labels)
        Estimates of P(label | x).
    """

    vectors: Labels
    log_weights: Floats
    log_prob: Floats
    marginals: Floats

    @classmethod
    def drawn(
        cls,
        joints: Sequence[GraphJoint],
        weights: Floats,
        X: Any,
        n_samples: int,
        seeds: npt.NDArray[np.uint64],
    ) -> "ChainSamples":
        """Draw from chains.

        Parameters
        ----------
        joints : sequence of GraphJoint
            The chains; the first one's greedy vectors are taken too.
        weights : ndarray of shape (n_chains,)
            Their weights, which sum to one; draws are shared out among them accordingly.
        X : ndarray or CSR matrix of shape (n_rows, n_features)
            Features.
        n_samples : int
            How many vectors are drawn for each row.
        seeds : ndarray of uint64, shape (n_rows,)
            A seed for each row.
        """
        chains = [joint.condition(X) for joint in joints]
        vectors = [Greedy().infer(chains[0]).vectors[:, :1]]
        log_weights = [np.full((len(seeds), 1), -np.inf)]
        marginals = np.zeros((len(seeds), chains[0].n_labels))
        for number, (chain, weight, n) in enumerate(zip(chains, weights, shared_out(n_samples, weights), strict=True)):
            found = MonteCarlo(int(n)).infer(chain, "distribution", 1, mixed_bits(seeds + np.uint64(number)))
            vectors.append(found.vectors)
            log_weights.append(found.log_weights + np.log(weight / n))
            marginals += weight * smooth_marginals(chain, found)
        every, logs = np.concatenate(vectors, axis=1), np.concatenate(log_weights, axis=1)
        mixture = chains[0] if len(chains) == 1 else MixtureDistribution(np.log(weights), chains)
        used = np.isfinite(logs) | (np.arange(logs.shape[1]) == 0)
        return cls(every, logs, np.where(used, mixture.log_prob(every), -np.inf), marginals)

    def modes(self) -> LabelSupport:
        """Return the vectors to pick the most probable from; the greedy one stays unless another is more probable."""
        exact = np.zeros(len(self.vectors), dtype=np.bool_)
        return LabelSupport(self.vectors, self.log_prob, "modes", "Monte Carlo chain", exact, marginals=self.marginals)

    def support(self) -> LabelSupport:
        """Return the vectors drawn, to take expectations over."""
        exact = np.zeros(len(self.vectors), dtype=np.bool_)
        drawn = slice(1, None)
        return LabelSupport(
            self.vectors[:, drawn],
            self.log_weights[:, drawn],
            "sample",
            "Monte Carlo chain",
            exact,
            marginals=self.marginals,
            log_prob=self.log_prob[:, drawn],
        )


def mixed_bits(states: Bits) -> Bits:
    """Return 64 well mixed bits for each state [Steele2014]."""
    states = (states ^ (states >> np.uint64(30))) * _FIRST
    states = (states ^ (states >> np.uint64(27))) * _SECOND
    return np.asarray(states ^ (states >> np.uint64(31)))


def content_seeds(X: Any, seed: int) -> Bits:
    """Return one seed for each row of X (dense or CSR): a sum over its entries that are not zero.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        Rows; dense or sparse makes no difference.
    seed : int
        Another one gives other seeds.

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    >>> one, two, three = content_seeds(X, 0)
    >>> bool(one == three != two), bool((content_seeds(sparse.csr_matrix(X), 0) == content_seeds(X, 0)).all())
    (True, True)
    """
    columns = mixed_bits((np.arange(X.shape[1], dtype=np.uint64) + np.uint64(1)) * _STEP + np.uint64(seed))
    if sparse.issparse(X):
        return mixed_bits(_sparse_sums(X, columns) + np.uint64(seed))
    sums = np.empty(X.shape[0], dtype=np.uint64)
    step = max(1, _ENTRIES // max(1, X.shape[1]))
    for start in range(0, X.shape[0], step):
        sums[start : start + step] = _terms(X[start : start + step], columns).sum(axis=1, dtype=np.uint64)
    return mixed_bits(sums + np.uint64(seed))


def _sparse_sums(X: Any, columns: Bits) -> Bits:
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    # Sums run modulo 2 ** 64, and so do their differences.
    sums = np.zeros(len(X.data) + 1, dtype=np.uint64)
    np.cumsum(_terms(X.data, columns[X.indices]), out=sums[1:])
    return np.asarray(sums[X.indptr[1:]] - sums[X.indptr[:-1]])


def _terms(values: npt.NDArray[Any], columns: Bits) -> Bits:
    bits = np.ascontiguousarray(values, dtype=np.float64).view(np.uint64)
    return np.where(values == 0, np.uint64(0), mixed_bits(bits ^ columns))


def shared_out(n_samples: int, weights: Floats) -> npt.NDArray[np.int64]:
    """Return how many draws each chain gets: in proportion to its weight, and at least one.

    Examples
    --------
    >>> shared_out(10, np.array([0.5, 0.3, 0.2])), shared_out(2, np.array([0.8, 0.1, 0.1]))
    (array([5, 3, 2]), array([2, 1, 1]))
    """
    return np.maximum(np.rint(n_samples * weights), 1).astype(np.int64)


def smooth_marginals(chain: GraphDistribution, found: LabelSupport) -> Floats:
    """Return the mean over vectors drawn of P(y_k = 1 | x, values of the parents): (n_rows, n_labels).

    Its expectation is the marginal, and it varies less than the share of vectors with the label.
    """
    used = np.isfinite(found.log_weights)
    rows, places = np.nonzero(used)
    weights = found.weights()[used]
    vectors = found.vectors[rows, places]
    marginals = np.empty((found.n_rows, found.n_labels))
    for label, parents in enumerate(chain.graph.parents):
        chances = expit(chain.scores(label, rows, vectors[:, list(parents)]))
        marginals[:, label] = np.bincount(rows, weights * chances, minlength=found.n_rows)
    return np.minimum(marginals, 1.0)


def _chain_weights(fitted: list[Conditionals], X: Any, Y: Labels, weights: Any) -> Floats:
    """Return the mean P(y | x) that each chain gives to the training rows, divided by their sum."""
    rows = np.ones(len(Y)) if weights is None else weights
    payoffs = np.array([rows @ np.exp(GraphJoint(each).condition(X).log_prob(Y)) for each in fitted])
    return np.asarray(payoffs / payoffs.sum()) if payoffs.sum() > 0 else np.full(len(fitted), 1.0 / len(fitted))
