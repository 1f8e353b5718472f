"""`AutoJoint`: the best answer by default, from base learners, pooled and joined by chains of labels."""

from time import process_time
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from plait.core.arrays import Floats, Labels
from plait.core.callbacks import CallbackSupport, fit_tasks, with_callbacks
from plait.core.checks import InstanceOf, Interval, Nothing, OneOf, RandomState, check_parameters
from plait.core.named_answers import row_frame
from plait.core.parallel import JOBS_RULES, Parallel, delayed, effective_n_jobs, one_blas_thread
from plait.core.randomness import seeds
from plait.core.sentences import warn_user
from plait.data import TableEncoder
from plait.estimators.auto_joint.auto_report import AutoReport, FewRowsWarning
from plait.estimators.auto_joint.base_scores import Folds, held_rows, log_losses, timed_scores, training_folds
from plait.estimators.auto_joint.learner_choice import FEW_ROWS, chosen_learners, numbered_names
from plait.estimators.auto_joint.logistic_scores import LogisticScores
from plait.estimators.auto_joint.score_chains import PooledWeights, ScoreChain, chain_penalty, fitted_chain
from plait.estimators.auto_joint.second_stage import (
    graphs_for,
    inference_for,
    raw_chain,
    share_beside,
    stacked_thresholds,
    stage_folds,
)
from plait.estimators.auto_joint.table_input import GapFiller, encoded_rows, holds_words, named_numbers, weighing_rows
from plait.estimators.joint_classifier import as_structure
from plait.estimators.unknown_labels.recording import RECORDING_RULES, missed_shares
from plait.joint import FeatureJoint, MixtureJoint
from plait.learners import LogisticLearner
from plait.learners.training.problem import Problem, constant_labels, constant_scores
from plait.losses import Loss
from plait.posterior import JointModel, Posterior
from plait.posterior.explaining import FeatureBackground
from plait.structure import LabelGraph, Structure

__all__ = ["AutoJoint"]

# The penalty of chains where rows are too few to choose it.
_CAUTIOUS = 0.1

# A member of the joint: its weight, the chain, and which block of scores it reads.
Member = tuple[float, ScoreChain, int]


class AutoJoint(CallbackSupport, JointModel):
    """Learn P(Y | X) with nothing to choose: several base learners, one calibrated score a label, chains of labels.

    1. Base learners (logistic regression, a forest, neighbours; for dense X kernel logistic regression, for sparse X
       one on tf-idf, and a lasso where columns are many) score every training row by models that have not seen it.
    2. One logistic regression over all pairs of a row and a label weighs the learners, but for those that add next to
       nothing: a calibrated score a label.
    3. Probabilistic chains over a label's score and the labels before it, in several orders, are mixed; their penalty
       is chosen by rows held out. A chain on the features themselves joins where rows held out prefer it by more than
       a standard error.

    `joint(X)` then answers any question. X may be dense, sparse or a frame, with gaps (NaN) and columns of words, or a
    list of texts.

    Parameters
    ----------
    effort : {"fast", "default", "thorough"}, default="default"
        "fast" has logistic regression as its only base learner and one chain; "thorough" has three times the trees,
        twice the orders, and up to 20 labels boosted trees.
    learners : list of str, BaseScores or classifiers, optional
        Other base learners: "logistic", "forest", "neighbours", "kernel", "text", "lasso", "boosting" (scikit-learn's
        histogram boosting), "lightgbm", "xgboost", "catboost", any classifier of scikit-learn's kind, or the name of
        one of scikit-learn's.
    structure : Structure or str, optional
        Another structure over labels than the chains.
    loss : Loss or str, default="subset"
        What `predict` minimises the expectation of; "micro_f1" and "macro_f1" take the labels whose marginals exceed
        `thresholds_`. May be changed after `fit`, and for one call of `predict`.
    random_state : int, RandomState, Generator or None
        Seed of everything random. Fixed, everything is the same every time, for any `n_jobs`.
    n_jobs : int, optional
        Workers over trees and labels, threads over blocks of rows.
    verbose : int, default=0
        From 1 on, a line is printed after every step.
    zeros : {"certain", "unrecorded"}, default="certain"
        What a 0 in y says: that the label is not there, or only that it was not recorded [Elkan2008].
    recording_rate : float, array of shape (n_labels,) or "estimate", optional
        With `zeros="unrecorded"` the share of the labels that are there which is recorded, see `JointClassifier`.

    Attributes
    ----------
    weights_ : dict of str to float
        Weight of every base learner in the calibrated score; 0 of those that add next to nothing.
    thresholds_ : dict
        "micro_f1": one threshold of marginals; "macro_f1": one a label. Found from out-of-fold scores at `fit`; may be
        set.
    report_ : AutoReport
        Learners, weights, held-out scores and seconds of every stage, and which rules applied.
    learners_ : list of BaseScores
        The fitted base learners.
    graphs_ : list of LabelGraph
        The chains that are mixed.
    joint_ : MixtureJoint
        P(y | scores), waiting for the scores of rows.
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

    See Also
    --------
    JointClassifier : every part chosen by hand.
    plait.recipes : published methods.

    Notes
    -----
    Where labels are unknown (NaN in y), base learners train each label on the rows that know it, are weighed by known
    labels, and chains maximise the likelihood of these by EM. With unrecorded positives, learners score records, and EM
    over weights and chains maximises the likelihood of the records.

    Rows held out decide on weights and penalties, so with fewer than 60 rows nothing is chosen: logistic regression
    and a forest weigh the same, dependence between labels is penalised strongly, and a `FewRowsWarning` says so. From
    10,000 rows on, a third of the rows, at most 20,000, is held out once; neighbours are looked for among 5,000 rows,
    and a tree sees as many. With more than 60 labels there is one chain, in which a label has coefficients for the 20
    labels before it that are most correlated with it and for the number of all of them. `report_` names what applied.

    References
    ----------
    [Elkan2008] Elkan and Noto: Learning classifiers from only positive and unlabeled data, 2008.

    Examples
    --------
    >>> from plait.data.synthetic import make_label_network
    >>> data = make_label_network(200, 5, 3, structure="chain", strength=2.0, random_state=0).dataset
    >>> model = AutoJoint(random_state=0).fit(data.X, data.Y)
    >>> model.predict(data.X).shape, sorted(model.weights_)
    ((200, 3), ['forest', 'kernel', 'logistic', 'neighbours'])
    >>> answer = model.joint(data.X[:1])
    >>> float(answer.top(8).probabilities.sum().round(6))
    1.0
    """

    takes_unknown_labels: ClassVar[bool] = True
    parameter_rules: ClassVar[dict[str, Any]] = {
        "effort": (OneOf(("fast", "default", "thorough")),),
        "learners": (InstanceOf((list, tuple)), Nothing()),
        "structure": (InstanceOf((Structure, str)), Nothing()),
        "loss": (InstanceOf((Loss, str)),),
        "random_state": (RandomState(), Nothing()),
        "n_jobs": JOBS_RULES,
        "verbose": (Interval(int, 0, None),),
        **RECORDING_RULES,
    }
    part_makers: ClassVar[dict[str, Any]] = {"loss": JointModel.part_makers["loss"], "structure": as_structure}

    def __init__(
        self,
        effort: str = "default",
        learners: Any = None,
        structure: Any = None,
        loss: Any = "subset",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        zeros: str = "certain",
        recording_rate: Any = None,
    ) -> None:
        self.effort = effort
        self.learners = learners
        self.structure = structure
        self.loss = loss
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.zeros = zeros
        self.recording_rate = recording_rate

    @with_callbacks
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "AutoJoint":
        """Learn base learners, their weights and the joint over labels.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features), or list of texts
            Features; NaN is a gap. Of texts, and of a frame with words, categories or dates, `TableEncoder` makes
            numbers.
        y : array, sparse matrix, data frame, or list of sets of label names
            One 0/1 column for each label; or one binary column in one dimension.
        sample_weight : array of shape (n_samples,), optional
            Weights of rows, in every stage.

        Returns
        -------
        self
        """
        check_parameters(self)
        with one_blas_thread():
            self._learn(*weighing_rows(*self._training_data(X, y, sample_weight)))
        return self

    def _learn(self, X: Any, Y: Labels, weights: Any) -> None:
        self._filler = GapFiller(X)
        X = self._filler.transform(X)
        *learner_seeds, fold_seed, pool_seed, chain_seed, self._seed = seeds(self.random_state, 32)
        self._few, self.report_ = len(Y) < FEW_ROWS, AutoReport()
        self.report_.notes += [f"rows: {note}" for note in [self.__dict__.pop("_reading", "")] if note]
        problem = Problem(X, Y, LabelGraph([[]] * self.n_labels_), None, weights)
        mass = problem.with_known_targets().class_mass()
        self._varying = np.flatnonzero(~constant_labels(mass))
        missed = missed_shares(self, LogisticLearner(C="cv", standardize="balanced"), problem)
        self._missed = None if missed is None else missed[self._varying]
        self._constant_scores = constant_scores(mass)
        self._raw: Any = None
        varying = np.ascontiguousarray(Y[:, self._varying])
        self.learners_, notes = chosen_learners(type(self).__name__, self.learners, self.effort, X, varying)
        self.report_.notes += notes
        if not len(self._varying):
            self._finish_constant()
            return
        folds, note = training_folds(len(Y), fold_seed, 10 if self.effort == "thorough" else 5)
        self.report_.notes += note
        scores = self._base_scores(X, varying, weights, folds, learner_seeds)
        self._pool(scores, varying, weights, held_rows(folds), pool_seed)
        self._join(X, varying, weights, folds, self._pooled.scores(scores), chain_seed)

    def _numbers(self, X: Any, *, reset: bool = True) -> Any:
        """Return X as numbers, a frame with words, dates or texts as `TableEncoder` makes them; NaN stays."""
        if reset:
            self._words = TableEncoder(fill=None).fit(X) if holds_words(X) else None
        return super()._numbers(X, reset=reset) if self._words is None else encoded_rows(self, self._words, X, reset)

    def _finite(self) -> bool | str:
        return "allow-nan"

    def _rows(self, X: Any) -> Any:
        check_is_fitted(self)
        return self._filler.transform(super()._rows(X))

    def _base_scores(self, X: Any, Y: Labels, weights: Any, folds: Folds, learner_seeds: list[int]) -> list[Floats]:
        """Return the out-of-fold log-odds of every base learner; all are fitted on all rows then."""
        held = Y[held_rows(folds)]
        scores: list[Floats] = []
        tasks = list(zip(self.learners_, learner_seeds, strict=False))
        n_inner = max(1, effective_n_jobs(self.n_jobs) // len(tasks))
        found = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")(
            delayed(timed_scores)(learner, X, Y, folds, sample_weight=weights, seed=seed, n_jobs=n_inner)
            for learner, seed in tasks
        )
        names = fit_tasks(self, numbered_names(self.learners_), "AutoJoint, base learners", X=X, y=Y)
        for name, (each, seconds) in zip(names, found, strict=True):
            scores.append(each)
            self._say(self.report_.learners, name, float(log_losses(each, held).mean()), seconds)
        return scores

    def _say(self, where: list[dict[str, Any]], name: str, log_loss: float | None, seconds: float) -> None:
        where.append({"name": name, "log_loss": log_loss, "seconds": seconds, "weight": 1.0})
        if self.verbose:
            loss = "" if log_loss is None else f", held-out log-loss {log_loss:.4f}"
            print(f"[AutoJoint] {name}{loss}, {seconds:.2f} s")

    def _pool(self, scores: list[Floats], Y: Labels, weights: Any, rows: Any, seed: int) -> None:
        """Weigh the base learners by rows held out; with few rows they weigh the same."""
        start = process_time()
        held, held_weights = Y[rows], None if weights is None else weights[rows]
        if self._few:
            note = f"with {len(Y)} rows, fewer than {FEW_ROWS}, base learners weigh the same and penalties are fixed"
            self.report_.notes.append(f"{note}.")
            warn_user(f"AutoJoint: {note}. Collect more rows to let it choose.", FewRowsWarning)
            self._pooled = PooledWeights.equal(len(scores))
        else:
            weigh = PooledWeights.chosen if self.learners is None else PooledWeights.fitted
            self._pooled = weigh(scores, held, held_weights, seed, self._missed)
        self.weights_ = dict(zip(numbered_names(self.learners_), self._pooled.weights.tolist(), strict=True))
        for line in self.report_.learners:
            line["weight"] = self.weights_[line["name"]]
        loss = self._pooled.log_loss(scores, held, None, self._missed)
        self._say(self.report_.stages, "pooled scores", loss, process_time() - start)

    def _join(self, X: Any, Y: Labels, weights: Any, folds: Folds, scores: Floats, seed: int) -> None:
        """Learn the chains over scores, and the thresholds; a chain on the features joins where it is worth it."""
        rows = held_rows(folds)
        held, held_weights = Y[rows], None if weights is None else weights[rows]
        start = process_time()
        structure = None if self.structure is None else self.part("structure")
        graphs = graphs_for(structure, self.effort, scores, held, seed)
        C, logs = _CAUTIOUS, None
        if not self._few:
            parts = stage_folds(len(held), held.shape[1], seed)
            C, logs = chain_penalty(scores, held, graphs[0], parts, held_weights, self.n_jobs, self._missed)
        chains = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(fitted_chain)(scores, held, graph, C, held_weights, seed, self._missed) for graph in graphs
        )
        members = [(1.0 / len(chains), chain, 0) for chain in chains]
        loss = None if logs is None else -float(np.nanmean(logs))
        self._say(self.report_.stages, f"chains (C = {C:g})", loss, process_time() - start)
        if structure is None and logs is not None and Y.shape[1] > 1:
            members, logs = self._with_independent(members, scores, held, logs)
            if self.effort != "fast":
                members = self._with_raw_chain(members, (X, Y, weights), folds, graphs[0], logs, seed)
        self._mix(members)
        self._keep_thresholds(scores, held, held_weights, seed)

    def _with_independent(
        self, members: list[Member], scores: Floats, Y: Labels, logs: Floats
    ) -> tuple[list[Member], Floats]:
        """Add independent labels with their calibrated scores where rows held out prefer that."""
        known = ~np.isnan(logs)
        share, gain, logs[known] = share_beside(logs[known], -log_losses(scores, Y, self._missed)[known])
        if not share:
            return members, logs
        self.report_.notes.append(
            f"independent labels: join with weight {share:.2f}, as rows held out are more likely by {gain:.3f} nats."
        )
        return [*_scaled(members, 1.0 - share), (share, ScoreChain.independent(Y.shape[1]), 0)], logs

    def _with_raw_chain(
        self,
        members: list[Member],
        rows: tuple[Any, Labels, Any],
        folds: Folds,
        graph: LabelGraph,
        logs: Floats,
        seed: int,
    ) -> list[Member]:
        """Add a chain on the features where rows held out prefer that; its scores stand behind the pooled ones."""
        start = process_time()
        known = next((each.learner_ for each in self.learners_ if isinstance(each, LogisticScores)), None)
        learner = LogisticLearner(C="cv", standardize="balanced") if known is None else known
        stacked = logs[np.searchsorted(held_rows(folds), folds[0][1])]
        raw = raw_chain(learner, *rows, graph, folds[0], stacked, seed, self._missed)
        self._say(self.report_.stages, "chain on features", None, process_time() - start)
        if raw is None:
            return members
        self.report_.notes.append(
            f"chain on features: joins with weight {raw.weight:.2f}, as rows held out are more likely by "
            f"{raw.gain:.3f} nats."
        )
        self._raw = raw.conditionals
        return [*_scaled(members, 1.0 - raw.weight), (raw.weight, raw.chain(), 1)]

    def _mix(self, members: list[Member]) -> None:
        """Make one joint over all labels."""
        n_labels, names = self.n_labels_, list(self.label_names_)
        whole = [chain.among(self._varying, n_labels, names) for _, chain, _ in members]
        self.graphs_ = [chain.graph for chain in whole]
        columns = [np.arange(n_labels) + block * n_labels for _, _, block in members]
        joints = tuple(FeatureJoint(each, chain) for each, chain in zip(columns, whole, strict=True))
        self.joint_: MixtureJoint = MixtureJoint(np.array([weight for weight, _, _ in members]), joints)

    def _keep_thresholds(self, scores: Floats, Y: Labels, weights: Any, seed: int) -> None:
        """Keep the thresholds of largest expected F1, from marginals of rows that the scores' models have not seen."""
        given = list(self.label_names_), self._constant_scores, self._varying, scores, Y, weights, seed
        self.thresholds_ = stacked_thresholds(self.joint_, *given)

    def _finish_constant(self) -> None:
        """Learn nothing: no label varies."""
        self.report_.notes.append("no label varies: all have the probabilities of their base rates.")
        self.learners_, self.weights_ = [], {}
        nothing = np.zeros(0)
        self._mix([(1.0, ScoreChain(LabelGraph([]), nothing, nothing, np.zeros((0, 0))), 0)])
        self._keep_thresholds(np.zeros((1, 0)), np.zeros((1, 0), dtype=np.uint8), None, 0)

    def _scores(self, X: Any) -> Floats:
        """Return what the joint is conditioned on: pooled scores of all labels, then those of a chain on features."""
        blocks = [np.tile(self._constant_scores, (X.shape[0], 1)) for _ in range(1 if self._raw is None else 2)]
        if self.learners_:
            blocks[0][:, self._varying] = self._pooled.scores_of(self.learners_, X)
        if self._raw is not None:
            blocks[1][:, self._varying] = self._raw.base_scores(X)
        return np.hstack(blocks)

    def _posterior(self, X: Any) -> Posterior:
        rows = self._rows(X)
        scores, names, known = self._scores(rows), list(self.label_names_), self._background(rows)
        how, found = (inference_for(len(names)), self.loss, self._seed, self.n_jobs), self.thresholds_
        return Posterior(self.joint_, scores, names, *how, features=known, thresholds=found, rows=row_frame(X))

    def _background(self, rows: Any = None) -> FeatureBackground:
        """Return what `why` compares a row with: features, of which scores are made anew."""
        parts = self._feature_names(), self.feature_means_, self._words, self._filler
        return named_numbers(*parts)._replace(rows=rows, conditioned=self._scores)

    @property
    def proba_method_(self) -> str:
        """How `predict_proba` finds probabilities, in words; they are estimates where it is Monte Carlo."""
        nothing = np.zeros((0, self.n_labels_ * (1 if self._raw is None else 2)))
        posterior = Posterior(self.joint_, nothing, list(self.label_names_), inference_for(self.n_labels_))
        posterior.marginals()
        return posterior.method


def _scaled(members: list[Member], factor: float) -> list[Member]:
    return [(weight * factor, chain, block) for weight, chain, block in members]
