"""`JointClassifier`: any structure, selector, learner, inference and loss, composed into one classifier."""

from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import clone

from plait import features as features_room
from plait import structure as structure_room
from plait.core.arrays import Bools, Labels
from plait.core.checks import InstanceOf, Nothing, RandomState, check_parameters
from plait.core.chunked.row_chunks import RowChunks
from plait.core.naming import resolve
from plait.core.parallel import JOBS_RULES, with_own_jobs
from plait.core.progress_bar import shows_progress
from plait.core.randomness import generator, seeds
from plait.core.sentences import ParameterError
from plait.core.unknown_labels import given_again, has_unknown
from plait.estimators.category_columns import CategoryFrames, categories_of, in_codes
from plait.estimators.unknown_labels.em import filled_parents, trained_on_known
from plait.estimators.unknown_labels.recording import RECORDING_RULES, missed_shares
from plait.features import FeatureMask, Selector
from plait.inference import Inference
from plait.joint import GraphJoint
from plait.learners import Learner, SklearnLearner
from plait.learners.learner_words import LEARNER_RULES, as_learner
from plait.learners.partitioned.checked_parts import MOST_COPIES, training_chunks, training_parts
from plait.learners.training.problem import Problem
from plait.losses import Loss
from plait.posterior import JointModel
from plait.structure import FullChain, LabelGraph, PairDependence, Structure, UserGraph
from plait.structure.structure_input import StructureInput

__all__ = ["JointClassifier", "as_structure", "pairs_for"]


def as_structure(owner: str, value: Any) -> Structure:
    """Return a structure: the value itself, or what a word names; "chain" is all labels, ordered by information."""
    chain = partial(FullChain, "information")
    found: Structure = resolve(owner, "structure", value, structure_room, Structure, {"chain": chain})
    return found


def pairs_for(structure: Structure, learner: Learner, problem: Problem, *, seed: int) -> PairDependence:
    """Return the held-out statistics of all pairs of labels, for a structure that needs them.

    With fewer rows than can be held out, all rows are trained on and scored.
    """
    if not learner.fits_pairs:
        raise ParameterError(
            f"{type(structure).__name__} needs a learner with fit_pairs, but {type(learner).__name__} has none. "
            "Use LogisticLearner(), or a structure that needs counts only, such as LabelTree()."
        )
    enough = structure.folds is not None and problem.Y.shape[0] >= max(2, structure.folds)
    folds, candidates = structure.folds if enough else None, structure.candidate_parents(problem.Y)
    if sparse.issparse(problem.Y):
        problem = replace(problem, Y=problem.Y.toarray())
    return learner.fit_pairs_checked(problem, folds=folds, random_state=seed, candidates=candidates)


def repeated_rows(X: Any, Y: Any, sample_weight: Any) -> tuple[Any, Any]:
    """Return X and Y with every row as often as its weight, where weights are whole numbers (10 on average at most).

    Other weights cannot be counted: then rows that weigh nothing are left out, and the others stand once.

    Examples
    --------
    >>> repeated_rows(np.array([[5.0], [6.0], [7.0]]), np.array([[1], [0], [1]]), np.array([2.0, 0.0, 1.0]))[0].ravel()
    array([5., 5., 7.])
    """
    if sample_weight is None:
        return X, Y
    weights = np.asarray(sample_weight)
    whole = np.all(weights == np.floor(weights)) and weights.sum() <= MOST_COPIES * weights.size
    rows = np.repeat(np.arange(weights.size), weights.astype(np.int64)) if whole else np.flatnonzero(weights > 0)
    return (X, Y) if rows.size == 0 or np.array_equal(rows, np.arange(weights.size)) else (X[rows], Y[rows])


def _support(mask: FeatureMask | None) -> Bools | None:
    """Return which features each label may use, None for all."""
    return None if mask is None or mask.support.all() else mask.support


class JointClassifier(JointModel):
    """Learn P(Y | X) as a product of conditionals over a graph of labels, and answer any question about it.

    `fit` learns the structure (which labels depend on which), selects features, and trains the conditional of every
    label; `predict` returns the label set that is best for the loss; `joint(X)` returns the whole distribution.
    With nothing given this is `recipes.pcc()`: a probabilistic classifier chain with exact inference.

    Parameters
    ----------
    structure : Structure or str, default="chain"
        Which labels may depend on which; "chain" is `FullChain("information")`.
    selector : Selector or str, optional
        Which features each label keeps; None keeps all.
    learner : Learner, str or classifier, default="tuned"
        How the conditionals are trained. "tuned" is `LogisticLearner(C="cv", standardize="balanced")`; other words are
        those of `plait.learners`, such as "logistic" and "linear_svm". Any scikit-learn classifier is taken too, and
        copied for each label; columns of a pandas frame with categories reach it as they are (without a selector).
    inference : Inference or str, default="auto"
        How questions are answered; "auto" is the cheapest exact way, else the best approximate one. May be changed
        after `fit`.
    loss : Loss or str, default="subset"
        What `predict` minimises the expectation of: a loss of `plait.losses`, its word, or one of your own. May be
        changed after `fit`, and for one call of `predict`.
    random_state : int, RandomState, Generator or None
        Seed of random orders, roots, folds and draws. Fixed, everything is the same every time, for any `n_jobs`.
    n_jobs : int, optional
        Threads over labels in `fit` and over blocks of rows when predicting; the result is the same for any number.
    zeros : {"certain", "unrecorded"}, default="certain"
        What a 0 in y says: that the label is not there, or only that it was not recorded, as in tags that people add
        [Elkan2008]. NaN says in both cases that nothing is known of a label.
    recording_rate : float, array of shape (n_labels,) or "estimate", optional
        With `zeros="unrecorded"` the share of the labels that are there which is recorded, of all labels or of each; 1
        is certain zeros. It cannot be learned from the records without an assumption: None and "estimate" take the mean
        of P(recorded | x), out of fold, over the surest fifth of the recorded rows of a label, and warn.

    Attributes
    ----------
    graph_ : LabelGraph
        Parents and order of the labels.
    mask_ : FeatureMask or None
        Which features each label keeps; None without a selector.
    conditionals_ : Conditionals
        The trained conditionals; linear ones have `coef_`, `parent_coef_` and `intercept_`.
    joint_ : GraphJoint
        P(y | x), waiting for X: what `joint(X)` asks.
    thresholds_ : dict
        Thresholds of the losses "micro_f1" (a number) and "macro_f1" (one a label), found where `loss` is one of them
        at `fit`: five parts of the rows are held out in turn, with the graph and the penalties of all rows. May be
        changed.
    recording_rate_ : ndarray of shape (n_labels,)
        With `zeros="unrecorded"` the rates that were given or estimated.
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
    Where y holds unknown labels (NaN, None, NA; in a sparse matrix NaN that is stored), the likelihood of what is known
    is maximised: conditionals are trained on the rows that know the label, unknown parents at their marginals, and then
    by up to three steps of EM [Dempster1977], exact on forests and polytrees, by completions of the unknown labels on
    other graphs. Learners other than logistic regression stop before EM. Structures count rows in which both labels of
    a pair are known, and so do selectors by counts; others see rows whose unknown labels are drawn from a chain that EM
    has trained. A row without any known label changes nothing.

    References
    ----------
    [Dempster1977] Dempster, Laird and Rubin: Maximum likelihood from incomplete data via the EM algorithm, 1977.
    [Elkan2008] Elkan and Noto: Learning classifiers from only positive and unlabeled data, 2008.

    See Also
    --------
    plait.recipes : published methods, each a classifier with its parts set.
    TreeMixtureClassifier : a mixture of several graphs.
    EnsembleClassifier : several models on random rows and features.
    plait.posterior.Posterior : what `joint(X)` returns.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3))
    >>> sea = X[:, 0] + rng.normal(size=200) > 0
    >>> Y = np.column_stack([sea, sea & (X[:, 1] > -1)]).astype(int)
    >>> model = JointClassifier().fit(X, Y)
    >>> model.predict([[1.0, 2.0, 0.0], [-1.0, -2.0, 0.0]])
    array([[1, 1],
           [0, 0]])
    >>> answer = model.joint([[0.1, -0.3, 0.0]])
    >>> bool(answer.given({"y0": 1}).marginals()[0, 1] > answer.given({"y0": 0}).marginals()[0, 1])
    True
    """

    takes_unknown_labels: ClassVar[bool] = True
    graph_: LabelGraph
    # A model of an earlier plait, read from a file, has none.
    _categories: Any = MappingProxyType({})
    parameter_rules: ClassVar[dict[str, Any]] = {
        "structure": (InstanceOf((Structure, str)), Nothing()),
        "selector": (InstanceOf((Selector, str)), Nothing()),
        "learner": LEARNER_RULES,
        "inference": (InstanceOf((Inference, str)), Nothing()),
        "loss": (InstanceOf((Loss, str)),),
        "random_state": (RandomState(), Nothing()),
        "n_jobs": JOBS_RULES,
        **RECORDING_RULES,
    }
    threshold_folds: ClassVar[int] = 5
    part_makers: ClassVar[dict[str, Any]] = {
        **JointModel.part_makers,
        "structure": as_structure,
        "selector": lambda owner, value: resolve(owner, "selector", value, features_room, Selector),
        "learner": as_learner,
    }

    def __init__(
        self,
        structure: Any = "chain",
        selector: Any = None,
        learner: Any = "tuned",
        inference: Any = "auto",
        loss: Any = "subset",
        random_state: Any = None,
        n_jobs: int | None = None,
        zeros: str = "certain",
        recording_rate: Any = None,
    ) -> None:
        self.structure = structure
        self.selector = selector
        self.learner = learner
        self.inference = inference
        self.loss = loss
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.zeros = zeros
        self.recording_rate = recording_rate

    @shows_progress("fitting")
    @with_own_jobs
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "JointClassifier":
        """Learn structure, features and conditionals.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features), or Dataset
            Features; a data set brings its labels with it. With a `LogisticLearner` also a Dask array or frame, or
            chunks of rows that can be read again and again, such as `plait.data.chunks(path)`: see "Scale".
        y : array, sparse matrix, data frame, or list of sets of label names
            One 0/1 column for each label, NaN where a label is unknown; or one binary column in one dimension.
        sample_weight : array of shape (n_samples,), optional
            Weights of rows. Structures and selectors that count rows take a row as often as its weight says where all
            weights are whole numbers; otherwise they leave out rows that weigh nothing and count the others once.

        Returns
        -------
        self
        """
        check_parameters(self)
        if self.part("learner").fits_parts:
            chunks = training_chunks(type(self).__name__, X, y, sample_weight)
            if chunks is not None:
                self._fit_parts(chunks)
                return self
        rows = self._checked_rows(X, y, sample_weight)
        self._learn(*rows)
        self._find_thresholds(*rows)
        return self

    def _fit_parts(self, chunks: RowChunks) -> None:
        """Do what `_learn` does where rows come in chunks: sums over all rows, a sample for what does not add up."""
        if self.zeros == "unrecorded":
            raise ParameterError(
                f"{type(self).__name__} needs zeros='certain' where rows come in chunks. Pass all rows at once."
            )
        structure_seed, pair_seed, self._seed = seeds(self.random_state, 3)
        found = training_parts(type(self).__name__, chunks, pair_seed)
        self._categories = {}
        found.remember(self)
        structure, selector, learner = self._parts()
        X, Y, weights = found.rows.sample
        needs_pairs = structure.needs_pairs(self.n_labels_)
        Y = Y.toarray() if selector is not None or needs_pairs or self._thresholded() else Y
        whole = repeated_rows(X, Y, weights)
        candidates = None if selector is None else selector.first_stage(*whole)
        pairs = None
        if needs_pairs:
            few = Problem(X, Y, LabelGraph([[]] * self.n_labels_), _support(candidates), weights)
            pairs = pairs_for(structure, learner, few, seed=pair_seed)
        counts = found.label_counts(structure)
        counted = repeated_rows(*found.counted(structure)) if counts is None else (X[:0], Y[:0])
        draws, names = generator(structure_seed), list(self.label_names_)
        given = StructureInput(type(structure).__name__, *counted, draws, pairs, names, counts)
        self.graph_ = structure.build_checked(given)
        self.mask_ = None if selector is None else selector.second_stage(*whole, self.graph_, candidates)
        self.conditionals_ = learner.fit_parts(found.rows, self.graph_, _support(self.mask_))
        self.joint_ = GraphJoint(self.conditionals_)
        self._find_thresholds(X, Y, weights)

    def _learn(self, X: Any, Y: Labels, sample_weight: Any) -> None:
        """Run the rooms in order: features that need no graph, structure, features that need it, conditionals."""
        structure_seed, pair_seed, self._seed = seeds(self.random_state, 3)
        draws = generator(structure_seed)
        structure, selector, learner = self._parts()
        counted = repeated_rows(X, Y, sample_weight)
        # Structures know what unknown labels are, selectors take them as `fit` does.
        whole = counted[0], given_again(counted[1])
        candidates = None if selector is None else selector.first_stage(*whole)
        alone = Problem(X, Y, LabelGraph([[]] * self.n_labels_), _support(candidates), sample_weight)
        if has_unknown(Y):
            alone = replace(alone, parents=filled_parents(learner.fit_checked(alone), alone))
        pairs = None
        if structure.needs_pairs(self.n_labels_):
            pairs = pairs_for(structure, learner, alone, seed=pair_seed)
        given = StructureInput(type(structure).__name__, *counted, draws, pairs, list(self.label_names_))
        self.graph_ = structure.build_checked(given)
        self.mask_ = None if selector is None else selector.second_stage(*whole, self.graph_, candidates)
        problem = replace(alone, graph=self.graph_, support=_support(self.mask_))
        missed = missed_shares(self, learner, alone)
        if has_unknown(Y) or missed is not None:
            self.conditionals_ = trained_on_known(learner, problem, self._seed, missed)
        else:
            self.conditionals_ = learner.fit_checked(problem)
        self.joint_ = GraphJoint(self.conditionals_)

    def _numbers(self, X: Any, *, reset: bool = True) -> Any:
        if reset:
            # Only a scikit-learn classifier, alone with the features, can make use of categories.
            able = isinstance(self.part("learner"), SklearnLearner) and self.selector is None
            self._categories = categories_of(X) if able else {}
        return super()._numbers(in_codes(X, self._categories), reset=reset)

    def _learner(self) -> Learner:
        """Return the learner; one that is handed frames, where the training frame has categories."""
        learner: Learner = self.part("learner")
        if not self._categories or not isinstance(learner, SklearnLearner):
            return learner
        frames = CategoryFrames(learner.estimator, list(self.feature_names_in_), self._categories)
        return SklearnLearner(frames, learner.n_jobs)

    def _part_model(self) -> Any:
        """Return a copy with the graph and the penalties that all rows chose: folds train the conditionals again."""
        learner = self._learner().settled(self.conditionals_)
        return super()._part_model().set_params(structure=UserGraph(self.graph_), learner=learner)

    def _parts(self) -> tuple[Structure, Selector | None, Learner]:
        """Return the parts as objects, their parameters checked."""
        structure, selector, learner = self.part("structure"), self.part("selector"), self._learner()
        check_parameters(structure)
        learner.check()
        return structure, None if selector is None else clone(selector), learner

    def _probabilistic(self) -> bool:
        if hasattr(self, "conditionals_"):
            return bool(self.conditionals_.probabilistic)
        try:
            return bool(self.part("learner").gives_probabilities)
        except ParameterError:  # a wrong word is reported by `fit`
            return True

    def _takes_sparse_labels(self) -> bool:
        parts = self.part("structure"), self.part("learner")
        # Zeros that are in doubt are no longer few.
        plain = self.selector is None and self.zeros == "certain" and not self._thresholded()
        return plain and all(part.takes_sparse_labels for part in parts)

    def _finite(self) -> bool | str:
        try:
            return "allow-nan" if self.part("learner")._allows_nan() else True
        except ParameterError:
            return True

    def _coefficients(self) -> Any:
        return getattr(self.conditionals_, "coef_", None)
