"""`Conformal`: answers that hold the truth as often as promised, whatever the model is worth.

With n calibration rows that the model did not see and that are exchangeable with a new one, and any score s(x, y), let
t be the ceil((n + 1)(1 - alpha))-th smallest score. Then 1 - alpha <= P(s(x, y) <= t) [Vovk2005, Lei2018]. What the
model is worth shows in how small the answers are.
"""

import math
from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import ClassifierTags, _safe_indexing, get_tags, indexable
from sklearn.utils.validation import check_is_fitted

from plait.core.arrays import Floats, Labels
from plait.core.checks import HasMethods, Interval, Nothing, OneOf, RandomState, check_parameters
from plait.core.labels import Targets
from plait.core.randomness import generators
from plait.core.sentences import ParameterError
from plait.core.unknown_labels import known_cells, unknown_as_absent
from plait.data.folds import MultilabelStratifiedKFold, MultilabelStratifiedShuffleSplit
from plait.posterior import LabelFamilies, LikelySets, Posterior
from plait.posterior.credible_families import deepen, label_families
from plait.trust.calibration_rows import calibration_targets, is_fitted, named_labels

__all__ = ["Conformal"]

# What may lie between equal scores, as a share of them: digits that a probability near 1 loses count, too.
_ROUNDING = 1e-9


class Conformal(MetaEstimatorMixin, BaseEstimator):
    """Wraps a model of P(Y | X) so that its answers hold the truth with a chosen probability.

    A fitted model is calibrated by the rows given to `fit`, which it must not have been trained on. An unfitted one is
    cloned: trained on a part of the rows and calibrated by the rest, or with `cv` trained once for every fold.

    Parameters
    ----------
    model : classifier with `joint(X)`
        Fitted or not.
    coverage : float, default=0.9
        How often the answer is to hold, 1 - alpha.
    kind : {"sets", "labels", "recall"}, default="sets"
        What `predict` gives: a family of label sets that holds the true one; every label as 1, 0 or -1 (undecided),
        no decided one wrong; or one label set whose expected recall is at least `coverage`.
    by : {"density", "mass"}, default="density"
        Of "sets": minus P(y | x), whose families are smallest on average [Sadinle2019]; or the probability of all
        likelier sets, randomised, which adapts to hard rows [Romano2020].
    cv : int, optional
        Of an unfitted model: number of folds, instead of one split. Every row then calibrates, and coverage is at least
        1 - 2 alpha - sqrt(2 / n) [Barber2021], in practice near `coverage`.
    calibration_size : float, default=0.3
        Of an unfitted model without `cv`: the share of rows kept for calibration.
    max_sets : int, default=1000
        How large an array of label vectors may become; larger families are cut and say so, and `sets(row)` of the
        answer goes on.
    random_state : int, Generator or None, default=0
        Of the split and of `by="mass"`.

    Attributes
    ----------
    threshold_ : float
        What scores are compared with (without `cv`).
    n_calibration_ : int
        How many rows calibrated.
    guarantee_ : str
        What is promised, in words.
    models_ : list
        The fitted models, one without `cv`.
    label_names_ : ndarray of str
        Names of the labels.

    References
    ----------
    [Vovk2005] Vovk, Gammerman and Shafer: Algorithmic Learning in a Random World, 2005.
    [Lei2018] Lei, G'Sell, Rinaldo, Tibshirani and Wasserman: Distribution-Free Predictive Inference for
    Regression, 2018.
    [Sadinle2019] Sadinle, Lei and Wasserman: Least Ambiguous Set-Valued Classifiers with Bounded Error Levels, 2019.
    [Romano2020] Romano, Sesia and Candes: Classification with Valid and Adaptive Coverage, 2020.
    [Barber2021] Barber, Candes, Ramdas and Tibshirani: Predictive Inference with the Jackknife+, 2021.
    [Angelopoulos2024] Angelopoulos, Bates, Fisch, Lei and Schuster: Conformal Risk Control, 2024.

    Examples
    --------
    >>> from plait import recipes
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 2))
    >>> Y = np.column_stack([X[:, 0] > 0, X[:, 0] > 0.5, X[:, 1] + rng.normal(size=400) > 0]).astype(int)
    >>> families = Conformal(recipes.pcc(random_state=0)).fit(X[:300], Y[:300]).predict(X[300:])
    >>> held = [bool((family == truth).all(axis=1).any()) for family, truth in zip(families, Y[300:])]
    >>> bool(np.mean(held) > 0.8)
    True
    """

    parameter_rules: ClassVar[dict[str, Any]] = {
        "model": (HasMethods(("fit", "joint")),),
        "coverage": (Interval(float, 0, 1, closed="neither"),),
        "kind": (OneOf(("sets", "labels", "recall")),),
        "by": (OneOf(("density", "mass")),),
        "cv": (Interval(int, 2, None), Nothing()),
        "calibration_size": (Interval(float, 0, 1, closed="neither"),),
        "max_sets": (Interval(int, 1, None),),
        "random_state": (RandomState(),),
    }

    def __init__(
        self,
        model: Any,
        coverage: float = 0.9,
        kind: str = "sets",
        *,
        by: str = "density",
        cv: int | None = None,
        calibration_size: float = 0.3,
        max_sets: int = 1000,
        random_state: Any = 0,
    ) -> None:
        self.model = model
        self.coverage = coverage
        self.kind = kind
        self.by = by
        self.cv = cv
        self.calibration_size = calibration_size
        self.max_sets = max_sets
        self.random_state = random_state

    def fit(self, X: Any, Y: Any) -> Self:
        """Calibrate.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features; of a fitted model rows that it was not trained on.
        Y : labels in any form that the model's `fit` takes
            Their true labels. A calibration row with unknown ones (NaN) counts as one whose answer is wrong: the
            promise then holds whatever made them unknown, and answers grow with the number of such rows. A model that
            is trained here learns from them, if it can.
        """
        check_parameters(self)
        if self.cv is not None and self.kind == "recall":
            raise ParameterError(
                'Conformal needs cv to be None for kind="recall", which is proved for one split only, but it is '
                f"{self.cv}. Leave cv out."
            )
        X, _ = indexable(X, None)
        targets = calibration_targets("Conformal", self.model, X, Y, unknown=True)
        if is_fitted(self.model):
            self._refuse_too_few(len(targets.Y), len(targets.Y))
        self.models_, scores, n_known = [], [], 0
        draw = generators(self.random_state, 2)[0]
        for model, rows in self._calibrated(X, targets):
            answer, known = model.joint(_safe_indexing(X, rows)), known_cells(targets.Y[rows]).all(axis=1)
            part = self._calibration(answer, unknown_as_absent(targets.Y[rows]), draw)
            part[~known] = np.inf
            scores.append(part)
            n_known += int(known.sum())
            self.models_.append(model)
        self.label_names_ = np.array(targets.names, dtype=object)
        self._one_column = targets.classes is not None
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.models_[0], name):
                setattr(self, name, getattr(self.models_[0], name))
        self.n_calibration_ = sum(len(part) for part in scores)
        self._refuse_too_few(self.n_calibration_, n_known)
        self._scores = [np.sort(part) if self.kind != "recall" else part for part in scores]
        self._settle(self.n_calibration_ - n_known)
        return self

    def _calibrated(self, X: Any, targets: Targets) -> Iterator[tuple[Any, Any]]:
        """Yield fitted models, each with the rows that calibrate it."""
        Y = targets.Y
        least = 2 if self.cv is None else self.cv
        if not is_fitted(self.model) and len(Y) < least:
            raise ParameterError(
                f"Conformal needs at least {least} rows to train on and to calibrate by, but there is "
                f"n_samples={len(Y)}. Pass more rows, or a fitted model."
            )
        if is_fitted(self.model):
            if self.cv is not None:
                raise ParameterError(
                    f"Conformal needs an unfitted model for cv={self.cv}, but this one is fitted. Pass clone(model), "
                    "or leave cv out."
                )
            yield self.model, np.arange(len(Y))
            return
        splits: Any = MultilabelStratifiedShuffleSplit(1, test_size=self.calibration_size, random_state=0)
        if self.cv is not None:
            splits = MultilabelStratifiedKFold(self.cv, shuffle=True)
        splits.random_state = self.random_state
        for train, rows in splits.split(np.zeros(len(Y)), unknown_as_absent(Y)):
            yield clone(self.model).fit(_safe_indexing(X, train), named_labels(targets, train)), rows

    def _calibration(self, answer: Posterior, Y: Labels, draw: np.random.Generator) -> Any:
        """Return the scores of the true labels; for "recall", for each row the thresholds of its labels."""
        if self.kind == "sets":
            return _set_scores(answer, Y, self.by, self.max_sets, draw)
        P = answer.marginals()
        if self.kind == "labels":
            return np.where(Y == 1, 1.0 - P, P).max(axis=1)
        # A label is in from the threshold 1 - p on; labels that are not true never matter.
        return np.sort(np.where(Y == 1, 1.0 - P, np.inf), axis=1)

    def _refuse_too_few(self, n_rows: int, n_known: int) -> None:
        alpha = 1.0 - self.coverage
        least = math.ceil(1.0 / alpha - 1.0 - 1e-9)
        if n_rows < least:
            raise ParameterError(
                f"Conformal needs at least {least} calibration rows for a coverage of {self.coverage:g}, but there are "
                f"{n_rows}. Pass more rows, or a smaller coverage."
            )
        needed = math.ceil((n_rows + 1) * self.coverage - 1e-9)
        if n_known < needed:
            raise ParameterError(
                f"Conformal needs the labels of at least {needed} of {n_rows} calibration rows to be "
                f"known for a coverage of {self.coverage:g}, as rows with NaN count as wrong, but those of {n_known} "
                "are. Fill them in, or pass a smaller coverage."
            )

    def _settle(self, n_lost: int) -> None:
        """Set the threshold and say what it promises; of some calibration rows labels are unknown."""
        n, alpha = self.n_calibration_, 1.0 - self.coverage
        what = {"sets": "the family holds the true label set", "labels": "no decided label is wrong"}
        if self.kind == "recall":
            self.threshold_ = _recall_threshold(self._scores[0], alpha, n_lost)
            self.guarantee_ = f"expected recall at least {self.coverage:g}, by {n} calibration rows [Angelopoulos2024]"
        elif self.cv is None:
            self.threshold_ = float(self._scores[0][math.ceil((n + 1) * self.coverage - 1e-9) - 1])
            self.guarantee_ = f"{what[self.kind]} with probability at least {self.coverage:g}, by {n} calibration rows"
        else:
            least = max(0.0, 1.0 - 2.0 * alpha - math.sqrt(2.0 / n))
            self.guarantee_ = f"{what[self.kind]} with probability at least {least:.3f} [Barber2021], by {n} rows"

    def predict(self, X: Any) -> Any:
        """Return the calibrated answer of every row.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.

        Returns
        -------
        LabelFamilies
            For "sets": one array of label vectors a row, the most probable first. Rows are answered when they are
            looked at; `sets(row)` goes through a family that is larger than `max_sets`.
        ndarray of int64, shape (n_rows, n_labels)
            For "labels" 1, 0, or -1 where undecided; for "recall" 0/1. Of shape (n_rows,) if Y was a single column in
            one dimension; 1 is then the last of its classes.
        """
        check_is_fitted(self)
        answers = [model.joint(X) for model in self.models_]
        if self.kind == "sets":
            return self._families(answers)
        marginals = [answer.marginals() for answer in answers]
        if self.kind == "recall":
            found = (1.0 - marginals[0] <= _rounded_up(self.threshold_)).astype(np.int64)
        else:
            found = self._boxes(marginals)
        return found[:, 0] if self._one_column else found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        # What it takes is what a multi-label classifier takes; its answers are none's, so it is of no type.
        tags.classifier_tags = ClassifierTags(multi_class=False, multi_label=True)
        if hasattr(self.model, "__sklearn_tags__"):
            tags.input_tags = get_tags(self.model).input_tags
        return tags

    def _boxes(self, marginals: list[Floats]) -> Any:
        """Return the smallest box that holds all label sets whose score is small enough."""
        possible = []
        for value in (0, 1):
            wrong = [p if value == 0 else 1.0 - p for p in marginals]
            # The least score of a set in which a label has this value: the others have their likelier ones.
            floors = [_others(np.minimum(p, 1.0 - p)) for p in marginals]
            least = [np.maximum(own, floor) for own, floor in zip(wrong, floors, strict=True)]
            possible.append(self._conforms(least))
        mean = np.mean(marginals, axis=0)
        zero, one = possible
        neither = ~zero & ~one  # an empty family holds the likelier values
        return np.where(zero & one, -1, np.where(neither, mean > 0.5, one)).astype(np.int64)

    def _conforms(self, scores: list[Any]) -> Any:
        """Say which answers conform, given their scores under each model."""
        if self.cv is None:
            return scores[0] <= _rounded_up(self.threshold_)
        pairs = zip(self._scores, scores, strict=True)
        above = sum(len(kept) - np.searchsorted(_rounded_up(kept), score) for kept, score in pairs)
        return above > (1.0 - self.coverage) * (self.n_calibration_ + 1) - 1.0 + 1e-9

    def _families(self, answers: list[Posterior]) -> LabelFamilies:
        # Another stream than that of the calibration rows.
        uniforms = generators(self.random_state, 2)[1].random(len(answers[0]))
        if self.cv is None:
            return self._conforming(answers[0], self.threshold_, uniforms)
        return self._cross_families(answers, uniforms)

    def _conforming(self, answer: Posterior, threshold: float, uniforms: Floats) -> LabelFamilies:
        """Return the label sets of every row whose score is at most the threshold."""

        def inside(rows: Any, likely: Floats) -> Any:
            before = np.cumsum(likely, axis=1) - likely
            scores = -likely if self.by == "density" else before + uniforms[rows, None] * likely
            return scores <= _rounded_up(threshold)

        return label_families(answer, inside, self.max_sets)

    def _cross_families(self, answers: list[Posterior], uniforms: Floats) -> LabelFamilies:
        """Return families of several models: a set that conforms is near the top of at least one of them."""
        share = ((1.0 - self.coverage) * (self.n_calibration_ + 1) - 1.0) / len(answers)
        found = []
        for answer, kept in zip(answers, self._scores, strict=True):
            most = float(kept[min(len(kept) - 1, max(0, math.ceil(len(kept) - share) - 1))])
            found.append(self._conforming(answer, most, uniforms))

        def found_of(rows: Any) -> tuple[list[Labels], Floats, Any]:
            families = []
            for row in rows:
                candidates = np.unique(np.concatenate([part[row] for part in found]), axis=0)
                families.append(self._cross_family([answer[row] for answer in answers], candidates, uniforms[row]))
            masses, exact = zip(*(part.held(rows) for part in found), strict=True)
            return families, np.mean(masses, axis=0), np.logical_and.reduce(exact)

        return LabelFamilies(found_of, len(answers[0]), answers[0].label_names)

    def _cross_family(self, answers: list[Posterior], candidates: Labels, uniform: float) -> Labels:
        rows = np.zeros(len(candidates), dtype=np.int64)
        probabilities = [np.exp(answer[rows].log_prob(candidates)) for answer in answers]
        uniforms = np.full(len(candidates), uniform)
        scores = [
            -p if self.by == "density" else _masses(answer[rows], p, self.max_sets, uniforms)
            for answer, p in zip(answers, probabilities, strict=True)
        ]
        mean = np.mean(probabilities, axis=0)
        order = np.argsort(-mean, kind="stable")
        kept = order[self._conforms(scores)[order]]
        return candidates[kept if len(kept) else order[:1]]


def _rounded_up(scores: Any) -> Any:
    """Return scores with what others that are equal may be above them: a classifier asked about other rows at a time.

    Where few rows differ, many scores are equal, those of the calibration rows among them.
    """
    return scores + _ROUNDING * np.abs(scores)


def _others(values: Floats) -> Floats:
    """Return for each column the largest value of the other columns of the row; 0 where there are none."""
    if values.shape[1] == 1:
        return np.zeros_like(values)
    ordered = np.sort(values, axis=1)
    largest, second = ordered[:, -1:], ordered[:, -2:-1]
    first = values.argmax(axis=1)[:, None] == np.arange(values.shape[1])
    return np.where(first, second, largest)


def _recall_threshold(needed: Floats, alpha: float, n_lost: int = 0) -> float:
    """Return the smallest threshold whose corrected mean of 1 - recall is at most alpha; `needed` as calibration gives.

    Row i, with m true labels, has lost a share of 1 - j / m once j of its sorted thresholds are reached. Of `n_lost`
    rows, which have no thresholds here, all is lost.
    """
    sizes = np.isfinite(needed).sum(axis=1)
    gains = np.where(np.isfinite(needed), 1.0 / np.maximum(sizes, 1)[:, None], 0.0)
    order = np.argsort(needed, axis=None, kind="stable")
    steps, gained = needed.ravel()[order], np.cumsum(gains.ravel()[order])
    risks = ((sizes > 0).sum() + n_lost - gained + 1.0) / (len(needed) + 1.0)
    if (float((sizes > 0).sum()) + n_lost + 1.0) / (len(needed) + 1.0) <= alpha:
        return 0.0
    reached = np.flatnonzero((risks <= alpha + 1e-12) & np.isfinite(steps))
    return float(steps[reached[0]]) if len(reached) else 1.0


def _set_scores(answer: Posterior, Y: Labels, score: str, max_sets: int, draw: np.random.Generator) -> Floats:
    probabilities = np.exp(answer.log_prob(Y))
    return -probabilities if score == "density" else _masses(answer, probabilities, max_sets, draw.random(len(Y)))


def _masses(answer: Posterior, probabilities: Floats, max_sets: int, uniforms: Floats) -> Floats:
    """Return P(all likelier sets) + u P(the set); 1 where it is not among the `max_sets` likeliest."""
    scores = np.ones(len(probabilities))

    def passed(rows: Any, likely: LikelySets, whole: bool, _: Any) -> Any:
        above = likely.probabilities > probabilities[rows, None] * (1 + 1e-9)
        scores[rows] = np.where(above, likely.probabilities, 0.0).sum(axis=1) + uniforms[rows] * probabilities[rows]
        found = ~above[:, -1] | whole
        scores[rows[~found]] = 1.0
        return found

    deepen(answer, max_sets, passed)
    return scores
