"""`TreeMixtureClassifier`: a mixture of conditional tree networks [MC]."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from plait.core.arrays import Floats, Labels
from plait.core.callbacks import CallbackSupport, fit_tasks, with_callbacks
from plait.core.checks import Boolean, InstanceOf, Interval, Nothing, OneOf, RandomState, check_parameters
from plait.core.parallel import JOBS_RULES, with_own_jobs
from plait.core.progress_bar import shows_progress
from plait.core.randomness import generator, seeds
from plait.core.sentences import ParameterError
from plait.core.unknown_labels import has_unknown
from plait.estimators.joint_classifier import as_structure, pairs_for
from plait.estimators.tree_mixture.em import Mixture
from plait.estimators.tree_mixture.growth import GrowingMixture, Growth
from plait.estimators.tree_mixture.tree_starts import StartedMixture
from plait.estimators.unknown_labels.imputation import imputed_labels
from plait.estimators.unknown_labels.mixture_em import MixtureSteps, mixture_on_known
from plait.estimators.unknown_labels.recording import RECORDING_RULES, missed_shares
from plait.inference import Inference
from plait.learners import Learner, LinearConditionals
from plait.learners.learner_words import LEARNER_RULES, as_learner
from plait.learners.training.problem import Problem
from plait.losses import Loss
from plait.posterior import JointModel
from plait.structure import ConditionalTree, LabelGraph, Structure
from plait.structure.structure_input import StructureInput

__all__ = ["TreeMixtureClassifier"]


class TreeMixtureClassifier(CallbackSupport, JointModel):
    """Learn P(Y | X) as a mixture of networks, each with its own graph over the labels [MC 4-5].

    Trees start together from the best of many random ones, in mixtures of 2, 4, ... of them, of which rows held out
    choose one, and EM trains all together. The paper adds them one after another instead, each on the rows that the
    mixture explains worst, until rows held out become less likely (`start="growth"`). The joint is a distribution like
    any other: `joint(X)` has exact marginals and evidence.

    Parameters
    ----------
    max_components : int, default=4
        Most trees.
    structure : Structure or str, default="conditional_tree"
        What a component is. Chains or polytrees can be mixed too.
    learner : Learner or str, default="tuned"
        How conditionals are trained; "tuned" is `LogisticLearner(C="cv", standardize="balanced")`. Strengths of the
        penalty that cross-validation finds for a single tree serve all of them, see `relaxation`.
    holdout : float, default=1/3
        Share of the rows that decide how many trees there are, see `slack`, and how many steps EM takes.
    n_init : int, default=1
        How many internal splits are tried; the graphs of the most likely one on its rows held out are kept.
    n_mixtures : int, default=1
        How many mixtures are learned, each with its share of the trees, rows held out of its own and an EM of its own.
        The model is their mean, which is a mixture of all trees and forgives what one EM learned by heart; with 2,
        unseen rows are likelier than with one mixture of as many trees on most data.
    tol : float, default=1e-5
        Relative gain of the penalised log-likelihood below which EM stops, if the rows held out do not stop it.
    max_iter : int, default=50
        Most steps of EM for a number of components.
    inference : Inference or str, default="auto"
        How questions are answered. May be changed after `fit`.
    loss : Loss or str, default="subset"
        What `predict` minimises the expectation of.
    random_state : int, RandomState, Generator or None
        Seed of splits and draws.
    n_jobs : int, optional
        Threads over components (of learners other than logistic ones, which train all of them in one batch), and over
        blocks of rows.
    start : {"trees", "growth"}, default="trees"
        Where trees come from. "trees": of `n_starts` sets of random spanning trees with random signs of their edges
        the best few by tree-EM over fixed scores, EM in which all that the features say is the score of each label
        alone [Meila2000]. "growth": one after another, as in the paper, on weights 1 - P(y | x, mixture).
    n_starts : int, default=200
        How many sets of random trees are tried.
    min_components : int, default=1
        Fewest trees, whatever the rows held out say; with the same `max_components` their number is given.
    patience : int, default=5
        How many trees in a row that are left out end the growth; 1 in the paper.
    slack : float, default=1.0
        By how many standard errors of the difference rows held out must be less likely than at best for a tree, or a
        mixture, to be left out; 0 in the paper.
    relaxation : float or None, default=2.0
        In a mixture of n components the penalty of each is divided by this number times sqrt(n), as each sees a part of
        the rows only; None leaves it as it is, as the paper does.
    steps_between : int or None, default=4
        Most steps of EM between one tree of the growth and the next; None until convergence, as in the paper.
    early_stopping : bool, default=True
        Whether rows held out say when EM stops; in the paper it converges.
    weighting : {"responsibilities", "normalized"}, default="responsibilities"
        What weighs a component's rows in EM: "normalized" are the paper's w_k, responsibilities over their mean, with
        which each component has the weight of all rows against the penalty, and EM may lower its objective.
    zeros : {"certain", "unrecorded"}, default="certain"
        What a 0 in y says: that the label is not there, or only that it was not recorded [Elkan2008].
    recording_rate : float, array of shape (n_labels,) or "estimate", optional
        With `zeros="unrecorded"` the share of the labels that are there which is recorded, see `JointClassifier`.

    Attributes
    ----------
    graphs_ : list of LabelGraph
        The graph of every component.
    weights_ : ndarray of shape (n_components_,)
        Mixture coefficients.
    n_components_ : int
        Number of components.
    conditionals_ : list of Conditionals
        Of every component.
    log_likelihood_ : ndarray
        log P(Y | X) of the training rows before the last EM and after each of its steps. Of several mixtures this and
        the next two are means; one that took fewer steps stays at its last value.
    penalized_log_likelihood_ : ndarray
        The same less the penalty of the learner, where it tells: no step of EM lowers it.
    n_iter_ : int
        Steps of the last EM, of several mixtures the most.
    holdout_log_likelihood_ : ndarray
        log P(Y | X) of the rows held out for every number of components that was accepted: those under which they
        were likelier than under all smaller ones, and those that `min_components` asks for.
    thresholds_ : dict
        Thresholds of the losses "micro_f1" (a number) and "macro_f1" (one a label), found where `loss` is one of them
        at `fit`, which then takes three times as long: thirds of the rows are held out in turn. May be changed.
    recording_rate_ : ndarray of shape (n_labels,)
        With `zeros="unrecorded"` the rates that were given or estimated.
    joint_ : MixtureJoint
        P(y | x), waiting for X: what `joint(X)` asks.
    label_names_ : ndarray of str
        Names of the labels, from the columns of a data frame, else "y0", "y1", ...
    n_labels_, n_features_in_ : int
        How many labels and features.
    feature_names_in_ : ndarray of str
        Names of the features, where X has them.
    classes_ : ndarray
        Numbers of the labels; the classes of y if it was a single column in one dimension.

    Notes
    -----
    Where y holds unknown labels (NaN), graphs and the first mixture are learned from rows whose unknown labels are
    drawn from a chain that EM has trained; then up to three steps of EM over all rows maximise the likelihood of what
    is known, exactly where graphs are forests or polytrees. `log_likelihood_` is then that of the known labels. Where
    zeros are unrecorded positives, up to five steps follow a mixture of the records as they are.

    See Also
    --------
    plait.recipes.mc : two mixtures, averaged.
    plait.recipes.ctbn : a single tree.
    EnsembleClassifier : a mixture whose members are trained apart.

    References
    ----------
    [MC] Hong, Batal and Hauskrecht: A mixtures-of-trees framework for multi-label classification, 2014.
    [Elkan2008] Elkan and Noto: Learning classifiers from only positive and unlabeled data, 2008.
    [Meila2000] Meila and Jordan: Learning with mixtures of trees, 2000.

    Examples
    --------
    >>> from plait.data.synthetic import make_label_network
    >>> data = make_label_network(300, 3, 4, structure="tree", random_state=0).dataset
    >>> model = TreeMixtureClassifier(max_components=2, learner="logistic", random_state=0).fit(data.X, data.Y)
    >>> model.predict_proba(data.X).shape, bool(abs(model.weights_.sum() - 1) < 1e-12)
    ((300, 4), True)
    """

    takes_unknown_labels: ClassVar[bool] = True
    parameter_rules: ClassVar[dict[str, Any]] = {
        "max_components": (Interval(int, 1, None),),
        "structure": (InstanceOf((Structure, str)), Nothing()),
        "learner": LEARNER_RULES,
        "holdout": (Interval(float, 0, 1, closed="neither"),),
        "n_init": (Interval(int, 1, None),),
        "n_mixtures": (Interval(int, 1, None),),
        "tol": (Interval(float, 0, None),),
        "max_iter": (Interval(int, 1, None),),
        "inference": (InstanceOf((Inference, str)), Nothing()),
        "loss": (InstanceOf((Loss, str)),),
        "random_state": (RandomState(), Nothing()),
        "n_jobs": JOBS_RULES,
        "start": (OneOf(("trees", "growth")),),
        "n_starts": (Interval(int, 1, None),),
        "min_components": (Interval(int, 1, None),),
        "patience": (Interval(int, 1, None),),
        "slack": (Interval(float, 0, None),),
        "relaxation": (Interval(float, 0, None, closed="neither"), Nothing()),
        "steps_between": (Interval(int, 1, None), Nothing()),
        "early_stopping": (Boolean(),),
        "weighting": (OneOf(("responsibilities", "normalized")),),
        **RECORDING_RULES,
    }
    part_makers: ClassVar[dict[str, Any]] = {
        **JointModel.part_makers,
        "structure": as_structure,
        "learner": as_learner,
    }

    def __init__(
        self,
        max_components: int = 4,
        structure: Any = "conditional_tree",
        learner: Any = "tuned",
        holdout: float = 1 / 3,
        n_init: int = 1,
        tol: float = 1e-5,
        max_iter: int = 50,
        inference: Any = "auto",
        loss: Any = "subset",
        random_state: Any = None,
        n_jobs: int | None = None,
        n_mixtures: int = 1,
        start: str = "trees",
        n_starts: int = 200,
        min_components: int = 1,
        patience: int = 5,
        slack: float = 1.0,
        relaxation: float | None = 2.0,
        steps_between: int | None = 4,
        early_stopping: bool = True,
        weighting: str = "responsibilities",
        zeros: str = "certain",
        recording_rate: Any = None,
    ) -> None:
        self.max_components = max_components
        self.structure = structure
        self.learner = learner
        self.holdout = holdout
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.inference = inference
        self.loss = loss
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.n_mixtures = n_mixtures
        self.start = start
        self.n_starts = n_starts
        self.min_components = min_components
        self.patience = patience
        self.slack = slack
        self.relaxation = relaxation
        self.steps_between = steps_between
        self.early_stopping = early_stopping
        self.weighting = weighting
        self.zeros = zeros
        self.recording_rate = recording_rate

    @shows_progress("fitting")
    @with_callbacks
    @with_own_jobs
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "TreeMixtureClassifier":
        """Learn the graphs and the mixture.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features), or Dataset
            Features; a data set brings its labels with it.
        y : array, sparse matrix, data frame, or list of sets of label names
            One 0/1 column for each label; or one binary column in one dimension.
        sample_weight : array of shape (n_samples,), optional
            Weights of rows.

        Returns
        -------
        self
        """
        check_parameters(self)
        X, observed, sample_weight = self._checked_rows(X, y, sample_weight)
        alone = Problem(X, observed, LabelGraph([[]] * self.n_labels_), None, sample_weight)
        missed = missed_shares(self, self._learner(), alone)
        sizes = self._sizes()
        *split_seeds, self._seed = seeds(self.random_state, len(sizes) * self.n_init + 1)
        Y = imputed_labels(X, observed, sample_weight, self._seed)
        growth, made = self._growth(), StartedMixture if self.start == "trees" else GrowingMixture
        least = -(-self.min_components // len(sizes))
        growths = [replace(growth, max_components=n, min_components=min(least, n)) for n in sizes]
        growing = [
            [made(each, X, Y, sample_weight, seed) for seed in group]
            for each, group in zip(growths, np.reshape(split_seeds, (len(sizes), self.n_init)).tolist(), strict=True)
        ]
        trees = [(mixture, seed) for group in growing for mixture in group for seed in mixture.seeds]
        for mixture, seed in fit_tasks(self, trees, "TreeMixtureClassifier, trees", X=X, y=y):
            mixture.add_tree(seed)
        best = [max(group, key=lambda grown: grown.history[-1]) for group in growing]
        found = [mixture.on_all_rows(X, Y, sample_weight) for mixture in best]
        if missed is not None or (has_unknown(observed) and self._learner().takes_soft_targets):
            found = [self._on_known(each, X, observed, sample_weight, missed) for each in found]
        self._finish(best, found)
        self._find_thresholds(X, observed, sample_weight)
        return self

    def _sizes(self) -> list[int]:
        """Return the most trees of each mixture."""
        n_mixtures = min(self.n_mixtures, self.max_components)
        each, more = divmod(self.max_components, n_mixtures)
        return [each + (place < more) for place in range(n_mixtures)]

    def _on_known(self, mixture: Mixture, X: Any, Y: Labels, sample_weight: Any, missed: Floats | None) -> Mixture:
        """Return the mixture after steps of EM that maximise the likelihood of known labels."""
        parts = [part for part in mixture.conditionals if isinstance(part, LinearConditionals)]
        steps = MixtureSteps(self._learner(), X, Y, sample_weight, mixture.weights, parts, self._seed, missed)
        (weights, conditionals), likelihoods = mixture_on_known(steps)
        return Mixture(weights, tuple(conditionals), tuple(likelihoods), tuple(likelihoods))

    def _finish(self, grown: list[GrowingMixture], found: list[Mixture]) -> None:
        """Keep the mixtures that were found on all rows; their mean is the model."""
        parts = [part for mixture in found for part in mixture.conditionals]
        weights = np.concatenate([mixture.weights for mixture in found]) / len(found)
        self.graphs_ = [part.graph for part in parts]
        self.conditionals_ = parts
        self.weights_ = weights
        self.n_components_ = len(parts)
        self.log_likelihood_ = _mean_of([mixture.log_likelihoods for mixture in found])
        self.penalized_log_likelihood_ = _mean_of([mixture.objectives for mixture in found])
        self.n_iter_ = len(self.log_likelihood_) - 1
        # A single tree has no rows held out, and its history is -inf.
        judged = [mixture.history for mixture in grown if np.isfinite(mixture.history[-1])]
        self.holdout_log_likelihood_ = _mean_of(judged or [grown[0].history])
        self.joint_ = Mixture(weights, tuple(parts)).joint()

    def _learner(self) -> Learner:
        found: Learner = self.part("learner")
        found.check()
        if not found.gives_probabilities:
            raise ParameterError(
                f"{type(self).__name__} needs a learner that gives probabilities, but {type(found).__name__} gives "
                "decisions only. Use LogisticLearner(), or calibrate it."
            )
        return found

    def _growth(self) -> Growth:
        """Return how components are built and trained."""
        structure: Structure = self.part("structure")
        check_parameters(structure)
        owner, names = type(structure).__name__, list(self.label_names_)
        no_edges = LabelGraph([[]] * self.n_labels_)

        def build(learner: Learner, X: Any, Y: Labels, weight: Floats, seed: int) -> LabelGraph:
            rows = Problem(X, Y, no_edges, None, weight)
            pairs = pairs_for(structure, learner, rows, seed=seed) if structure.needs_pairs(Y.shape[1]) else None
            return structure.build_checked(StructureInput(owner, X, Y, generator(seed), pairs, names))

        names_of = ("max_components", "holdout", "tol", "max_iter", "n_jobs", "min_components", "patience", "slack")
        more = ("relaxation", "steps_between", "early_stopping", "n_starts")
        settings = {name: getattr(self, name) for name in (*names_of, *more)}
        normalized, trees = self.weighting == "normalized", isinstance(structure, ConditionalTree)
        return Growth(self._learner(), build, **settings, normalized=normalized, trees=trees)


def _mean_of(histories: Sequence[Sequence[float]]) -> Floats:
    """Return the mean of histories; those that end early stay at their last value."""
    length = max(map(len, histories))
    return np.mean([[*history, *[history[-1]] * (length - len(history))] for history in histories], axis=0)
