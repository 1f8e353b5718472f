"""`Posterior`: P(y | x) of several rows, and every question about it."""

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy import sparse

from plait import losses as losses_room
from plait.core.arrays import Bits, Bools, Floats
from plait.core.checks import Interval, check_value
from plait.core.labels import label_rows
from plait.core.logspace import log_sum_exp
from plait.core.named_answers import RowFrame
from plait.core.naming import resolve
from plait.core.parallel import Parallel, delayed
from plait.core.progress_bar import progress, shows_progress
from plait.core.sentences import counted
from plait.core.unknown_labels import has_unknown
from plait.inference import Inference, LabelSupport
from plait.joint import LabelDistribution, row_seeds
from plait.losses import Loss
from plait.posterior.answers import (
    added_evidence,
    as_evidence,
    checked_answer,
    decision_support,
    entropies,
    known_log_prob,
    likely_sets,
    log_evidence,
    marginals,
    row_blocks,
    row_bytes,
    whole_support,
)
from plait.posterior.drawn_sets import draw_sets, warn_of_few_draws
from plait.posterior.explaining import FeatureBackground
from plait.posterior.further_questions import FurtherQuestions
from plait.posterior.likely_sets import LikelySets

__all__ = ["Joint", "Posterior"]

# A question to one block: its distribution, its rows and their seeds; the answer, and the support it rests on.
Question = Callable[[LabelDistribution, slice, Bits], tuple[Any, LabelSupport | None]]
# The answer of one block, and how it was found: method, whether exact, effective number of samples.
_BlockAnswer = tuple[npt.NDArray[Any], str, Bools, Floats | None]


class Joint(Protocol):
    """A fitted model of P(y | x): anything with `condition(X)`."""

    def condition(self, X: Any) -> LabelDistribution:
        """Return P(y | x) of every row of X."""


class Posterior(FurtherQuestions):
    """P(y | x) of several rows: ask it anything. Made by `joint(X)` of a fitted classifier.

    Everything is computed when it is asked for, in blocks of about 64 MiB; `posterior[rows]` is that of some rows.

    Parameters
    ----------
    joint : object with `condition(X)`
        The fitted model.
    X : array or CSR matrix of shape (n_rows, n_features)
        Checked features.
    label_names : sequence of str
        Names of the labels.
    inference : Inference
        How questions are answered; where it cannot answer one (a search has no marginals), `Auto` does.
    loss : Loss or str, default="subset"
        What `decide` minimises when it is told nothing.
    random_state : int or None
        Seed of everything drawn.
    n_jobs : int, optional
        Threads over blocks of rows; the answer is the same for any number.
    evidence : ndarray of int8, optional
        Labels that are known; use `given`.
    features : FeatureBackground, optional
        Names and means of the features, for `why`.
    thresholds : mapping, optional
        Word of a loss -> thresholds of marginals that the classifier found at `fit`.
    rows : RowFrame, optional
        How the rows are called.

    Attributes
    ----------
    method : str
        Which inference answered the last question.
    exact : ndarray of bool, shape (n_rows,)
        Whether the last answer is proved exact, row by row.
    effective_size : ndarray of float64, shape (n_rows,), or None
        Effective number of samples behind the last answer, where it was sampled: evidence makes their weights uneven.

    See Also
    --------
    JointModel : classifiers whose `joint(X)` returns one.
    plait.losses : what `decide` and `expected_loss` take.
    plait.inference : how questions can be answered.

    Examples
    --------
    Two photographs by two numbers, with three labels; most that show the sea show sand:

    >>> from plait import recipes
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 2))
    >>> sea = X[:, 0] + rng.normal(size=500) > 0
    >>> has = np.column_stack([sea, sea & (rng.random(500) < 0.8), X[:, 1] + 0.3 * rng.normal(size=500) > 0])
    >>> names = np.array(["sea", "sand", "sun"])
    >>> model = recipes.pcc(order="given", learner="logistic").fit(X, [set(names[row]) for row in has])
    >>> answer = model.joint([[0.2, 0.1], [-2.0, -1.0]])
    >>> answer, answer.label_names
    (Posterior(2 rows, 3 labels), ('sand', 'sea', 'sun'))

    How probable is a label set, which is the most probable, and which are the next?

    >>> np.exp(answer.log_prob([[1, 1, 1], [0, 0, 0]])).round(2)
    array([0.28, 0.92])
    >>> answer.mode()
    array([[1, 1, 1],
           [0, 0, 0]])
    >>> answer.top(2).names[0], answer.top(2).probabilities[0].round(2)
    ([('sand', 'sea', 'sun'), ('sun',)], array([0.28, 0.26]))
    >>> print(answer[0].given({"sun": 1}))
    Posterior(1 row, 3 labels, 1 label known)
    row 0, known: sun
        45.0%  █████████             sand, sea, sun
        42.2%  ████████▍             sun
        11.9%  ██▍                   sea, sun
         0.9%                        (other sets)

    How probable is each label: by itself, once others are known, and given its parents in the model?

    >>> answer.marginals().round(2)
    array([[0.44, 0.57, 0.61],
           [0.07, 0.05, 0.01]])
    >>> answer.given({"sea": 1}).marginals().round(2)
    array([[0.76, 1.  , 0.61],
           [0.81, 1.  , 0.01]])
    >>> answer.factors(answer.mode()).round(2)
    array([[0.44, 0.98, 0.63],
           [0.07, 0.01, 0.01]])

    Which set is the least wrong for another loss, and how wrong is it to be expected?

    >>> answer.decide("hamming")
    array([[0, 1, 1],
           [0, 0, 0]], dtype=uint8)
    >>> [answer.expected_loss(labels, "hamming").round(3) for labels in (answer.decide("hamming"), answer.mode())]
    [array([0.419, 0.042]), array([0.456, 0.042])]

    How uncertain is a row, which recorded labels look wrong, and what might be seen?

    >>> answer.entropy().round(2)
    array([1.7 , 0.39])
    >>> answer.doubts([[0, 1, 1], [1, 0, 0]]).round(2)
    array([[0.79, 0.78, 0.47],
           [0.97, 0.64, 0.01]])
    >>> answer.sample(1000, random_state=0).mean(axis=1).round(1)
    array([[0.5, 0.6, 0.6],
           [0.1, 0.1, 0. ]])

    What answered, was it exact, and what of one row alone?

    >>> answer[1].marginals().round(2), answer.method, answer.exact
    (array([[0.07, 0.05, 0.01]]), 'product of conditionals', array([ True,  True]))
    """

    def __init__(
        self,
        joint: Joint,
        X: Any,
        label_names: Sequence[str],
        inference: Inference,
        loss: Any = "subset",
        random_state: Any = None,
        n_jobs: int | None = None,
        evidence: npt.NDArray[np.int8] | None = None,
        features: FeatureBackground | None = None,
        thresholds: Mapping[str, Any] | None = None,
        rows: RowFrame | None = None,
    ) -> None:
        self.joint = joint
        self.X = X
        self.label_names = tuple(label_names)
        self.inference = inference
        self.loss = loss
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.evidence = evidence
        self.features = features
        self.thresholds = thresholds
        self.rows = RowFrame() if rows is None else rows
        self.method = "nothing was asked yet"
        self.exact = np.zeros(self.n_rows, dtype=np.bool_)
        self.effective_size: Floats | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def n_labels(self) -> int:
        """Number of labels."""
        return len(self.label_names)

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, rows: Any) -> "Posterior":
        rows = [rows] if isinstance(rows, int | np.integer) else rows
        evidence = None if self.evidence is None else self.evidence[rows]
        features = None if self.features is None else self.features.take(rows)
        return self._changed(X=self.X[rows], evidence=evidence, features=features, rows=self.rows.take(rows))

    def __repr__(self) -> str:
        known = ""
        if self.evidence is not None:
            counts = (self.evidence >= 0).sum(axis=1)
            alike = self.n_rows > 0 and counts.min() == counts.max()
            known = f", {counted(int(counts[0] if alike else counts.sum()), 'label')} known{'' if alike else ' in all'}"
        return f"Posterior({counted(self.n_rows, 'row')}, {counted(self.n_labels, 'label')}{known})"

    def _changed(self, **changes: Any) -> "Posterior":
        names = tuple(signature(Posterior).parameters)
        return Posterior(**{**{name: getattr(self, name) for name in names}, **changes})

    def given(self, evidence: Any) -> "Posterior":
        """Return the posterior once some labels are known.

        Parameters
        ----------
        evidence : mapping, list of mappings, frame, or array of shape (n_rows, n_labels)
            Label name or number -> 0 or 1 for all rows (or a value for each row); or one such mapping for each row; or
            a frame whose columns are some of the labels; or a matrix. NaN or None is unknown. Adds to what is known.
        """
        known = as_evidence(evidence, self.label_names, self.n_rows)
        return self._changed(evidence=added_evidence(self.evidence, known, self.label_names))

    def log_prob(self, Y: Any) -> Floats:
        """Return log P(y | x) of one label set for each row; with evidence, given the known labels.

        Of a row in which some labels are NaN it is log P(the others | x): what is not known is summed out.

        Parameters
        ----------
        Y : array, sparse matrix, data frame, or rows of names
            One label set a row.
        """
        vectors = label_rows("log_prob", Y, self.n_rows, self.label_names, unknown=True)
        if has_unknown(vectors):
            return known_log_prob(self, vectors)
        joint = self._ask(lambda distribution, rows, _: (distribution.log_prob(vectors[rows]), None), None)
        return joint if self.evidence is None else joint - self._log_evidence()

    def mode(self) -> npt.NDArray[np.int64]:
        """Return the most probable label set of every row, (n_rows, n_labels)."""
        return np.asarray(self.decide("subset"), dtype=np.int64)

    def top(self, k: int) -> LikelySets:
        """Return the k most probable label sets of every row, with their probabilities.

        Parameters
        ----------
        k : int
            How many.
        """
        check_value("top", "k", k, (Interval(int, 1, None),))
        vectors, log_probs = self._ask(
            lambda distribution, _, seeds: likely_sets(self.inference, distribution, k, seeds), "mode", k
        )
        method, exact = self.method, self.exact
        if self.evidence is not None:
            # What was found is part of the evidence's probability, which an estimate by draws may take for less.
            found = log_sum_exp(log_probs, axis=1)
            log_probs -= np.maximum(self._log_evidence(), found)[:, None]
        self.method, self.exact = method, exact
        return LikelySets(vectors, np.exp(log_probs), self.label_names, self.rows, self.evidence)

    def marginals(self) -> Floats:
        """Return P(y_k = 1 | x) of every label, (n_rows, n_labels); with evidence, given the known labels."""
        return self._ask(lambda distribution, _, seeds: marginals(self.inference, distribution, seeds), "marginals")

    def sample(self, n_samples: int, random_state: Any = None) -> npt.NDArray[np.int64]:
        """Draw label sets, (n_rows, n_samples, n_labels).

        With evidence the draws are exact where labels form a forest or polytree, or a mixture of such, and where the
        labels are few enough to write out all their sets (as `Auto` does); elsewhere ten times as many are drawn,
        taken by their importance weights, and moved by Metropolis-Hastings steps: `exact` is then False,
        `effective_size` estimates how many independent draws they are worth, and where that is less than a tenth of
        `n_samples` in some row a `SamplingWarning` says so.

        Parameters
        ----------
        n_samples : int
            How many for each row.
        random_state : int, Generator or None
            None takes the classifier's own.
        """
        check_value("sample", "n_samples", n_samples, (Interval(int, 1, None),))
        asked = self._changed(random_state=self.random_state if random_state is None else random_state)
        vectors = asked._ask(
            lambda distribution, _, seeds: draw_sets(distribution, n_samples, seeds), "distribution", n_samples
        )
        self.method, self.exact, self.effective_size = asked.method, asked.exact, asked.effective_size
        warn_of_few_draws(self.effective_size, n_samples)
        return vectors.astype(np.int64)

    def _loss(self, owner: str, loss: Any) -> Loss:
        """Return a loss, or the classifier's own, with the thresholds that the classifier found."""
        found: Loss = resolve(owner, "loss", self.loss if loss is None else loss, losses_room, Loss)
        return found.with_thresholds(self.thresholds)

    def decide(self, loss: Any = None, *, sparse_output: bool = False) -> Any:
        """Return the label set with the least expected loss, (n_rows, n_labels); for "rank" the scores to sort by.

        Parameters
        ----------
        loss : Loss or str, optional
            A loss of `plait.losses`, its word, or one of your own; None takes the classifier's.
        sparse_output : bool, default=False
            Whether the answer is a CSR matrix, made block by block: of many labels few are 1.
        """
        chosen = self._loss("decide", loss)

        def question(distribution: LabelDistribution, rows: slice, seeds: Bits) -> tuple[Any, LabelSupport]:
            support = decision_support(self.inference, distribution, chosen, seeds)
            return (sparse.csr_matrix if sparse_output else np.asarray)(chosen.decide(support)), support

        return self._ask(question, chosen.wanted)

    def expected_loss(self, Y_pred: Any, loss: Any = None) -> Floats:
        """Return the expected loss of an answer for every row, under P(y | x).

        Parameters
        ----------
        Y_pred : array of shape (n_rows, n_labels)
            The answer: label sets, or scores for "rank".
        loss : Loss or str, optional
            None takes the classifier's own.
        """
        chosen = self._loss("expected_loss", loss)
        answer = checked_answer(chosen, Y_pred, self.n_rows, self.label_names)

        def question(distribution: LabelDistribution, rows: slice, seeds: Bits) -> tuple[Any, LabelSupport]:
            support = whole_support(self.inference, distribution, seeds)
            return chosen.expected(support, answer[rows]), support

        return self._ask(question)

    def entropy(self) -> Floats:
        """Return the entropy of P(y | x) in nats for every row: exact where possible, else from a sample."""
        return self._ask(lambda distribution, _, seeds: entropies(distribution, seeds))

    def _log_evidence(self) -> Floats:
        return self._ask(lambda distribution, _, seeds: log_evidence(self.inference, distribution, seeds), "marginals")

    @shows_progress("asking")
    def _ask(self, question: Question, wanted: str | None = "distribution", n_vectors: int = 1) -> Any:
        """Put a question to blocks of rows, sized by what is wanted of an inference (None: nothing); remember how."""
        # A seed for each row: what a row draws does not depend on the blocks.
        blocks, seeds = self._blocks(wanted, n_vectors), row_seeds(self.random_state, self.n_rows)
        if len(blocks) == 1:
            answers = iter([self._ask_block(question, blocks[0], seeds)])
        else:
            parallel = Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")
            tasks = parallel(delayed(self._ask_block)(question, rows, seeds[rows]) for rows in blocks)
            answers = progress(tasks, "Posterior, blocks of rows", len(blocks))
        values, methods, exact, sizes = zip(*answers, strict=True)
        self.method = ", ".join(dict.fromkeys(methods))
        self.exact = np.concatenate(exact)
        self.effective_size = None if any(size is None for size in sizes) else np.concatenate(sizes)
        if isinstance(values[0], tuple):
            return tuple(np.concatenate(each) for each in zip(*values, strict=True))
        return sparse.vstack(values, format="csr") if sparse.issparse(values[0]) else np.concatenate(values)

    def _blocks(self, wanted: str | None, n_vectors: int) -> list[slice]:
        """Return the blocks of rows; one row needs no look at what an inference would make of it."""
        if self.n_rows <= 1:
            return [slice(0, self.n_rows)]
        bytes_a_row = row_bytes(self.inference, self.joint.condition(self.X[:0]), wanted, n_vectors)
        return list(row_blocks(self.n_rows, bytes_a_row))

    def _ask_block(self, question: Question, rows: slice, seeds: Bits) -> _BlockAnswer:
        """Answer for some rows; of the support, whose vectors may be many, only what is told of it is kept."""
        # A slice of a CSR matrix is a copy.
        distribution = self.joint.condition(self.X if rows == slice(0, self.n_rows) else self.X[rows])
        if self.evidence is not None:
            distribution = distribution.clamp(self.evidence[rows])
        answer, support = question(distribution, rows, seeds)
        if support is None:
            return answer, "product of conditionals", np.ones(len(answer), dtype=np.bool_), None
        return answer, support.method, support.exact, support.effective_size
