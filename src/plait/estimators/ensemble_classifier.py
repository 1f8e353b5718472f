"""`EnsembleClassifier`: several models on random rows and features, by votes, mean marginals or as one mixture."""

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from plait import losses as losses_room
from plait.core.arrays import Floats, Ints, Labels
from plait.core.callbacks import CallbackSupport, fit_tasks, with_callbacks
from plait.core.checks import HasMethods, InstanceOf, Interval, Nothing, OneOf, RandomState, check_parameters
from plait.core.chunked.recognition import answers_chunks
from plait.core.naming import resolve
from plait.core.parallel import JOBS_RULES, Parallel, delayed
from plait.core.progress_bar import shows_progress
from plait.core.randomness import generator, seeds
from plait.core.sentences import ParameterError
from plait.core.unknown_labels import given_again, has_unknown, known_cells, known_shares, unknown_as_absent
from plait.estimators.joint_classifier import JointClassifier
from plait.estimators.unknown_labels.recording import RECORDING_RULES, missed_shares
from plait.inference import Greedy, Inference
from plait.joint import FeatureJoint, MixtureJoint
from plait.learners.learner_words import as_learner
from plait.learners.training.problem import Problem
from plait.losses import Loss
from plait.posterior import JointModel
from plait.structure import FullChain, LabelGraph

__all__ = ["EnsembleClassifier"]


@dataclass(frozen=True, eq=False)
class Member:
    """One fitted member.

    Parameters
    ----------
    estimator : classifier
        The fitted copy.
    rows, columns : ndarray of int64
        The training rows and the features it saw, ascending.
    """

    estimator: Any
    rows: Ints
    columns: Ints

    def answer(self, method: str, X: Any) -> Any:
        """Call a method of the member on its features of X."""
        return getattr(self.estimator, method)(X[:, self.columns])


def fitted_member(
    estimator: Any,
    X: Any,
    Y: Labels,
    sample_weight: Any,
    candidates: Ints,
    *,
    max_samples: float,
    max_features: float,
    seed: int,
) -> Member:
    """Return a copy fitted on some rows and features, drawn without replacement.

    `candidates` are the rows to draw from. Everything follows from the seed, so that it does not matter which worker
    fits the member.
    """
    draws = generator(seed)
    rows = _drawn(draws, candidates, max_samples, "max_samples")
    columns = _drawn(draws, np.arange(X.shape[1]), max_features, "max_features")
    copy = clone(estimator)
    if "random_state" in copy.get_params():
        copy.set_params(random_state=seeds(draws, 1)[0])
    weights = {} if sample_weight is None else {"sample_weight": sample_weight[rows]}
    return Member(copy.fit(X[rows][:, columns], given_again(Y[rows]), **weights), rows, columns)


def _drawn(draws: np.random.Generator, values: Ints, wanted: float, name: str) -> Ints:
    """Draw so many values (an integer), or `round(share * size)` of them and one at least (a float); ascending."""
    size = int(wanted) if isinstance(wanted, Integral) else max(1, round(wanted * len(values)))
    if size > len(values):
        raise ParameterError(
            f"EnsembleClassifier needs {name} to be at most {len(values)}, as there are no more, but it is {size}. "
            "Pass fewer, or a share between 0 and 1."
        )
    return np.sort(draws.choice(values, size=size, replace=False))


# Of the rows, this share decides on the weights of members that are weighed by likelihood.
_HELD_OUT = 0.25


class EnsembleClassifier(CallbackSupport, JointModel):
    """Train copies of a model on random parts of the data and put their answers together [OCC 8.2].

    Parameters
    ----------
    estimator : classifier, optional
        What every member is a copy of, with a seed of its own: give its structure a random order or root. None is a
        classifier chain in random order.
    n_estimators : int, default=10
        Number of members.
    max_samples, max_features : float or int, default=0.75 and 1.0
        How many rows and features a member sees, drawn without replacement: a share as a float, a number as an int.
    combine : {"auto", "mixture", "votes", "marginals"}, default="auto"
        The ensemble is one joint distribution, the mixture of its members, to which `joint(X)`, every loss and every
        inference apply; or a label's score is the share of members that give it, as papers have it, or the mean of its
        marginals. "auto" is a mixture where members have a joint distribution, and votes where they do not.
    threshold : float or "cardinality", default=0.5
        A label is given if its score is at least this; "cardinality" takes the threshold at which the training rows get
        as many labels as they have [Read2011]. Not used by a mixture.
    member_weights : {"equal", "likelihood"}, default="equal"
        Weights of a mixture: equal, or those under which a quarter of the rows, held out from all members, are most
        likely.
    inference : Inference or str, default="auto"
        How a mixture answers questions.
    loss : Loss or str, default="subset"
        What `predict` of a mixture minimises the expectation of.
    random_state : int, RandomState, Generator or None
        Seed of rows, features and members.
    n_jobs : int, optional
        Workers over members; the result is the same for any number.
    zeros : {"certain", "unrecorded"}, default="certain"
        What a 0 in y says: that the label is not there, or only that it was not recorded [Elkan2008].
        Members that take it are told.
    recording_rate : float, array of shape (n_labels,) or "estimate", optional
        With `zeros="unrecorded"` the share of the labels that are there which is recorded, see `JointClassifier`.

    Attributes
    ----------
    members_ : list of Member
        Fitted copies, each with the `rows` and `columns` it saw.
    threshold_ : float
        The threshold in use.
    weights_ : ndarray of shape (n_estimators,)
        Weights of the members in a mixture.
    thresholds_ : dict
        Thresholds of the losses "micro_f1" (a number) and "macro_f1" (one a label), found where `loss` is one of them
        at `fit`, which then takes three times as long: thirds of the rows are held out in turn. May be changed.
    recording_rate_ : ndarray of shape (n_labels,)
        With `zeros="unrecorded"` the rates that were given or estimated.
    joint_ : MixtureJoint
        P(y | x) of a mixture, waiting for X: what `joint(X)` asks.
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
    plait.recipes.ecc : chains in random orders; also `epcc`, `ebcc`, `eocc`.
    TreeMixtureClassifier : a mixture whose components are trained together.
    JointClassifier : one member.

    References
    ----------
    [OCC] Sun and Kudo: Optimization of classifier chains via conditional likelihood maximization, 2018.
    [Elkan2008] Elkan and Noto: Learning classifiers from only positive and unlabeled data, 2008.
    [Read2011] Read, Pfahringer, Holmes and Frank: Classifier chains for multi-label classification, 2011.

    Examples
    --------
    >>> from plait.data.synthetic import make_label_network
    >>> data = make_label_network(200, 4, 3, random_state=0).dataset
    >>> model = EnsembleClassifier(n_estimators=4, random_state=0).fit(data.X, data.Y)
    >>> model.joint(data.X).log_prob(data.Y).shape
    (200,)
    >>> model = EnsembleClassifier(n_estimators=4, combine="votes", random_state=0).fit(data.X, data.Y)
    >>> sorted({float(share) for share in model.predict_proba(data.X).ravel()} - {0.0, 0.25, 0.5, 0.75, 1.0})
    []
    """

    takes_unknown_labels: ClassVar[bool] = True
    parameter_rules: ClassVar[dict[str, Any]] = {
        "estimator": (HasMethods(("fit", "predict")), Nothing()),
        "n_estimators": (Interval(int, 1, None),),
        "max_samples": (Interval(int, 1, None), Interval(float, 0, 1, closed="right")),
        "max_features": (Interval(int, 1, None), Interval(float, 0, 1, closed="right")),
        "combine": (OneOf(("auto", "mixture", "votes", "marginals")),),
        "threshold": (Interval(float, 0, 1), OneOf(("cardinality",))),
        "member_weights": (OneOf(("equal", "likelihood")),),
        "inference": (InstanceOf((Inference, str)), Nothing()),
        "loss": (InstanceOf((Loss, str)),),
        "random_state": (RandomState(), Nothing()),
        "n_jobs": JOBS_RULES,
        **RECORDING_RULES,
    }
    part_makers: ClassVar[dict[str, Any]] = {**JointModel.part_makers, "estimator": lambda owner, value: value}

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        max_samples: float = 0.75,
        max_features: float = 1.0,
        combine: str = "auto",
        threshold: Any = 0.5,
        member_weights: str = "equal",
        inference: Any = "auto",
        loss: Any = "subset",
        random_state: Any = None,
        n_jobs: int | None = None,
        zeros: str = "certain",
        recording_rate: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.combine = combine
        self.threshold = threshold
        self.member_weights = member_weights
        self.inference = inference
        self.loss = loss
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.zeros = zeros
        self.recording_rate = recording_rate

    @shows_progress("fitting")
    @with_callbacks
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "EnsembleClassifier":
        """Fit all members.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features), or Dataset
            Features; a data set brings its labels with it.
        y : array, sparse matrix, data frame, or list of sets of label names
            One 0/1 column for each label; or one binary column in one dimension.
        sample_weight : array of shape (n_samples,), optional
            Weights of rows, handed to the members.

        Returns
        -------
        self
        """
        check_parameters(self)
        X, Y, sample_weight = self._training_data(X, y, sample_weight)
        *member_seeds, split_seed, self._seed = seeds(self.random_state, self.n_estimators + 2)
        held, candidates = self._split(X.shape[0], split_seed)
        member = self._member(X, Y, sample_weight)
        self.members_: list[Member] = Parallel(n_jobs=self.n_jobs)(
            delayed(fitted_member)(
                member,
                X,
                Y,
                sample_weight,
                candidates,
                max_samples=self.max_samples,
                max_features=self.max_features,
                seed=seed,
            )
            for seed in fit_tasks(self, member_seeds, "EnsembleClassifier, members", X=X, y=y)
        )
        self.threshold_ = self._matched_threshold(X, Y) if self.threshold == "cardinality" else float(self.threshold)
        if self._combined() == "mixture":
            self._mix(X[held], Y[held])
        self._find_thresholds(X, Y, sample_weight)
        return self

    def part(self, name: str) -> Any:
        """Return a part as an object, see `JointModel.part`; no estimator is a chain in random order."""
        if name != "estimator" or self.estimator is not None:
            return super().part(name)
        by_vote = self.combine in ("votes", "marginals")
        return JointClassifier(FullChain("random"), inference=Greedy() if by_vote else "auto")

    def _member(self, X: Any, Y: Labels, sample_weight: Any) -> Any:
        """Return what members are copies of; where zeros are unrecorded it is told so, and the rate for all members."""
        member, learner = self.part("estimator"), as_learner("EnsembleClassifier", "tuned")
        missed = missed_shares(self, learner, Problem(X, Y, LabelGraph([[]] * Y.shape[1]), None, sample_weight))
        if missed is None:
            return member
        if "recording_rate" not in member.get_params() or self.member_weights == "likelihood":
            raise ParameterError(
                "EnsembleClassifier needs an estimator with recording_rate, and member_weights='equal', for "
                f"zeros='unrecorded', but they are {type(member).__name__} and {self.member_weights!r}. Use "
                "JointClassifier(), or zeros='certain'."
            )
        return clone(member).set_params(zeros="unrecorded", recording_rate=self.recording_rate_)

    def _combined(self) -> str:
        """Return how members are put together: what "auto" means for them."""
        if self.combine != "auto":
            return self.combine
        return "mixture" if hasattr(self.part("estimator"), "joint") else "votes"

    def _split(self, n_rows: int, seed: int) -> tuple[Any, Any]:
        """Return the rows held out for the weights (none unless asked for), and those members draw from."""
        order = generator(seed).permutation(n_rows)
        weighed = self._combined() == "mixture" and self.member_weights == "likelihood"
        n_held = min(max(1, round(_HELD_OUT * n_rows)), n_rows - 1) if weighed else 0
        return order[:n_held], np.sort(order[n_held:])

    def _mix(self, X: Any, Y: Labels) -> None:
        """Make one distribution of the members."""
        silent = [member for member in self.members_ if not hasattr(member.estimator, "joint")]
        if silent:
            raise ParameterError(
                f"EnsembleClassifier needs members with a joint distribution for combine='mixture', but "
                f"{type(silent[0].estimator).__name__} has none. Use one of plait.estimators with a learner that gives "
                "probabilities, or combine='votes'."
            )
        joints = tuple(FeatureJoint(member.columns, member.estimator.joint_) for member in self.members_)
        weights = np.full(len(joints), 1.0 / len(joints))
        whole = np.flatnonzero(known_cells(Y).all(axis=1)) if has_unknown(Y) else slice(None)
        X, Y = X[whole], unknown_as_absent(Y[whole])
        if X.shape[0]:
            logs = np.column_stack([joint.condition(X).log_prob(Y) for joint in joints])
            weights = likeliest_weights(logs)
        self.weights_ = weights
        self.joint_ = MixtureJoint(weights, joints)

    @shows_progress("predicting by")
    def _scores(self, X: Any) -> Floats:
        """Return the score of every label: share of votes, or mean marginal."""
        method = "predict" if self._combined() == "votes" else "predict_proba"
        answers = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(member.answer)(method, X) for member in self.members_
        )
        return np.mean(np.stack([np.asarray(answer, dtype=np.float64) for answer in answers]), axis=0)

    def _matched_threshold(self, X: Any, Y: Labels) -> float:
        """Return the threshold at which the training rows get about as many labels as they have."""
        scores = self._scores(X)
        levels = np.unique(scores) * (1.0 - 1e-9)  # the same scores may have other last digits in `predict`
        counts = np.array([(scores >= level).sum() for level in levels])
        rates = getattr(self, "recording_rate_", np.ones(Y.shape[1]))
        n_given = (known_shares(Y) / rates).sum() * len(Y)
        return float(levels[np.argmin(np.abs(counts - n_given))])

    @answers_chunks
    def predict(self, X: Any, loss: Any = None, *, sparse_output: bool | str = "auto") -> Any:
        """Return the labels whose score reaches the threshold; of a mixture, the set of least expected loss."""
        if self._combined() == "mixture":
            return super().predict(X, loss, sparse_output=sparse_output)
        chosen: Loss = resolve("EnsembleClassifier", "loss", self.loss if loss is None else loss, losses_room, Loss)
        if chosen.wanted == "distribution":
            raise ParameterError(
                f"EnsembleClassifier needs combine='mixture' to decide for {type(chosen).__name__}, but combine is "
                f"{self._combined()!r}, which scores labels one by one. Use combine='mixture', or another loss."
            )
        scores = self._scores(self._rows(X))
        if chosen.needs_thresholds:
            found: Any = chosen.with_thresholds(getattr(self, "thresholds_", None))
            return self._sparsely((scores > np.asarray(found.thresholds)).astype(np.uint8), sparse_output)
        return self._sparsely((scores >= self.threshold_).astype(np.uint8), sparse_output)

    @answers_chunks
    def predict_proba(self, X: Any) -> Floats:
        """Return the scores of all labels: shares of votes, mean marginals, or the marginals of the mixture."""
        if self._combined() == "mixture":
            return self._probabilities_out(self._posterior(X).marginals())
        return self._probabilities_out(self._scores(self._rows(X)))

    def _probabilistic(self) -> bool:
        return self._combined() == "mixture"

    def _has_margins(self) -> bool:
        return False


def likeliest_weights(log_probs: Floats, tol: float = 1e-9, max_iter: int = 1000) -> Floats:
    """Return the weights under which rows are most likely, by EM from equal weights; the problem is concave.

    Parameters
    ----------
    log_probs : ndarray of shape (n_samples, n_components)
        log P_k(y | x) of every row under every component.
    tol : float, default=1e-9
        Gain of the mean log-likelihood below which it stops.
    max_iter : int, default=1000
        Most steps.

    Examples
    --------
    >>> likeliest_weights(np.log([[0.9, 0.1], [0.9, 0.1], [0.1, 0.9]])).round(3)
    array([0.708, 0.292])
    """
    n_components = log_probs.shape[1]
    weights = np.full(n_components, 1.0 / n_components)
    # What all components agree on does not matter for their weights.
    shares = np.exp(log_probs - log_probs.max(axis=1, keepdims=True))
    last = -np.inf
    for _ in range(max_iter):
        mixed = shares @ weights
        found = float(np.log(mixed).mean())
        if found - last < tol:
            break
        last = found
        weights = np.maximum(weights * ((1.0 / mixed) @ shares) / len(mixed), 1e-300)
    return weights / weights.sum()
