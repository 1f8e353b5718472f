"""Why a label is likely: what features and other labels do to its log-odds L = logit P(Y_k = 1 | x, what is known).

feature j    w_kj (x_j - mean_j), its part of the label's own score, exact and additive, where scores are linear;
beside it, and elsewhere alone, L(x) - L(x with x_j = mean_j), not additive: parents move too
label j      known: L - L without knowing j; where none is known: L(Y_j = 1) - L(Y_j = 0), what j would say; of many
labels without exact sums this is estimated for all of them from the same draws, of those that draws hold often enough
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import expit, logit

from plait.core.arrays import Floats, Ints
from plait.core.checks import Interval, check_value
from plait.core.logspace import clip_probability
from plait.core.named_answers import RowFrame
from plait.core.sentences import ParameterError
from plait.pictures.displays import BarDisplay, BarPanel
from plait.pictures.table_markup import as_html
from plait.pictures.tables import Entry, Heading, Table, as_text

__all__ = ["FeatureBackground", "Reasons", "reasons"]

# Of more labels, without exact sums, what each would say comes from draws, that many; as many must have it, or not.
_MOST_ASKED, _DRAWS, _LEAST_DRAWS = 40, 1000, 20
# Log-odds that do not count: 0 but for rounding, in units that people read.
_NOTHING = 1e-6


class FeatureBackground(NamedTuple):
    """What is known of the features besides their values in a row.

    Where gaps are marked, an indicator of each such feature follows all features.

    Parameters
    ----------
    names : sequence or array of str, or None
        Their names; None where they have numbers only.
    means : ndarray of float64, shape (n_features,)
        Their means over the training rows, which a row is compared with.
    coefficients : ndarray of float64 or CSR array, shape (n_labels, n_features), or None
        Of linear scores.
    groups : ndarray of int64, shape (n_features,), or None
        Features of the same number are one: the indicators of a word or category. They move together.
    rows : array or CSR matrix of shape (n_rows, n_features + n_gaps), or None
        The features, where the joint is conditioned on something that is made of them, such as scores.
    conditioned : callable or None
        Makes that of some rows of features.
    gaps : ndarray of int64, shape (n_gaps,), or None
        Features whose gaps are marked, in the order of the indicators; each moves with its feature.

    Examples
    --------
    >>> known = FeatureBackground(["wind", "salt"], np.array([3.0, 0.5]), gaps=np.array([1]))
    >>> [known.name(feature) for feature in range(3)]
    ['wind', 'salt', 'salt=(gap)']
    """

    names: Any
    means: Floats
    coefficients: Any = None
    groups: Ints | None = None
    rows: Any = None
    conditioned: Callable[[Any], Any] | None = None
    gaps: Ints | None = None

    def take(self, rows: Any) -> "FeatureBackground":
        """Return the background of some of the rows.

        Parameters
        ----------
        rows : slice or array of int
            Which.
        """
        return self if self.rows is None else self._replace(rows=self.rows[rows])

    def name(self, feature: int) -> str:
        """Return what a feature is called, or the indicator of its gaps.

        Parameters
        ----------
        feature : int
            Its number.
        """
        if feature >= len(self.means) and self.gaps is not None:
            return f"{self.name(int(self.gaps[feature - len(self.means)]))}=(gap)"
        return f"x{feature}" if self.names is None else str(self.names[feature])

    def with_gaps(self) -> tuple[Floats, Ints]:
        """Return means and groups of features and indicators of gaps; what is usual is no gap."""
        groups = np.arange(len(self.means)) if self.groups is None else self.groups
        if self.gaps is None:
            return self.means, groups
        return np.pad(self.means, (0, len(self.gaps))), np.append(groups, groups[self.gaps])


@dataclass(frozen=True, eq=False)
class Reasons:
    """What moved a label's log-odds in each row, the strongest reason first; a row may have none.

    That of a label which is certain, as far as plait says so (one in a million), is moved by nothing alone.

    Attributes
    ----------
    label : str
        Which label.
    row : ndarray of int64
        Which row each reason belongs to.
    name : ndarray of str
        Feature or label.
    kind : ndarray of str
        "feature", "label" (known), or "label, if known" (what it would say).
    value : ndarray of float64
        The feature's value; 1 or 0 of a known label; NaN else.
    contribution : ndarray of float64
        In log-odds; above zero speaks for the label.
    effect : ndarray of float64
        The change of the log-odds of the label, other labels included, against the mean or not knowing.
    log_odds : ndarray of float64, shape (n_rows,)
        What is explained.
    additive : bool
        Whether the contributions of all features add up to the label's own score against that of the mean row; else
        each is for itself, leaving one feature at its mean (approximate).

    Examples
    --------
    >>> from plait import recipes
    >>> model = recipes.pcc().fit([[0.0], [1.0], [2.0], [3.0]] * 9, [[0, 0], [0, 1], [1, 1], [1, 0]] * 9)
    >>> print(model.joint([[3.0]]).why("y0", k=1))
    Why y0 (log-odds; parts of the label's own score):
    row  name  kind     value  contribution  effect
    0    x0    feature   3.00         17.23   13.82
    """

    label: str
    row: Ints
    name: Any
    kind: Any
    value: Floats
    contribution: Floats
    effect: Floats
    log_odds: Floats
    additive: bool

    def to_frame(self, library: str | None = None) -> Any:
        """Return the reasons as a frame with the columns row, name, kind, value, contribution and effect.

        Parameters
        ----------
        library : {"pandas", "polars"}, optional
            None is pandas.
        """
        return RowFrame().frame(self._columns(), library=library, indexed=False)

    def _columns(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("row", "name", "kind", "value", "contribution", "effect")}

    def __len__(self) -> int:
        return len(self.row)

    def plot(self, row: int = 0) -> BarDisplay:
        """Return a picture of the reasons of one row: to the right what speaks for the label.

        Parameters
        ----------
        row : int, default=0
            Which row.

        Returns
        -------
        BarDisplay
            Shows itself in notebooks; `save(path)` writes SVG, `plot(ax)` draws with matplotlib.
        """
        check_value("plot", "row", row, (Interval(int, 0, len(self.log_odds) - 1),))
        mine = self.row == row
        names = [
            name if kind == "feature" else f"{name} ({kind})"
            for name, kind in zip(self.name[mine], self.kind[mine], strict=True)
        ]
        how = "parts of its own score" if self.additive else "approximate"
        heading = f"log-odds {self.log_odds[row]:.2f}, {how}"
        return BarDisplay(f"Why {self.label}", (BarPanel(heading, names, self.contribution[mine].tolist(), True),))

    def _repr_html_(self) -> str:
        return as_html(self._table(), sortable=False)

    def __repr__(self) -> str:
        if self.log_odds.size and not self.row.size:
            return f"Why {self.label}: nothing alone moves it (log-odds {self._span()})"
        return as_text(self._table())

    def _span(self) -> str:
        low, high = (f"{each:.2f}" for each in (self.log_odds.min(), self.log_odds.max()))
        return low if low == high else f"{low} to {high}"

    def _table(self) -> Table:
        how = "parts of the label's own score" if self.additive else "each feature against its mean, approximate"
        heads = tuple(Heading(name, 2, name in ("row", "name", "kind")) for name in self._columns())
        rows = tuple(
            (Entry(str(row)), Entry(name), Entry(kind), *map(Entry, numbers))
            for row, name, kind, *numbers in zip(*self._columns().values(), strict=True)
        )
        return Table("why", f"Why {self.label} (log-odds; {how}):", heads, rows)


def reasons(answer: Any, label: int, k: int) -> Reasons:
    """Return the k strongest reasons for or against a label in every row; what moves nothing is none.

    Parameters
    ----------
    answer : Posterior
        P(y | x) of the rows, with what is known.
    label : int
        Which label.
    k : int
        How many reasons of each row.
    """
    background: FeatureBackground | None = answer.features
    if background is None:
        raise ParameterError(
            "why needs a posterior that knows the means of the features, but this one was made by hand. Use joint(X) "
            "of a fitted classifier, or pass features=FeatureBackground(...)."
        )
    if answer.evidence is not None and (answer.evidence[:, label] >= 0).any():
        raise ParameterError(
            f"why needs a label that is not known, but {answer.label_names[label]!r} is known in some rows. Ask "
            "without knowing it."
        )
    log_odds = _log_odds(answer, label)
    found = []
    sums = answer.exact
    for row in range(len(answer)):
        part = answer[row]
        drawn = part.n_labels > _MOST_ASKED and not sums[row] and (part.evidence is None or (part.evidence < 0).all())
        of_labels = _by_draws(part, label) if drawn else _by_labels(part, label, log_odds[row])
        said = _by_features(part, label, log_odds[row], background, k) + of_labels
        said.sort(key=lambda reason: -abs(reason[3]))
        found += [(row, *reason) for reason in said[:k] if abs(reason[3]) > _NOTHING]
    columns = list(zip(*found, strict=True)) or [()] * 6
    kinds = (np.int64, object, object, np.float64, np.float64, np.float64)
    table = [np.array(column, dtype=kind) for column, kind in zip(columns, kinds, strict=True)]
    additive = background.coefficients is not None
    name = str(answer.label_names[label])
    return Reasons(name, table[0], table[1], table[2], table[3], table[4], table[5], log_odds, additive)


# Name, kind, value, contribution and effect.
Reason = tuple[Any, ...]


def _by_features(part: Any, label: int, here: float, background: FeatureBackground, k: int) -> list[Reason]:
    """Return the reasons among the features of one row: of linear scores the k largest parts, else all effects."""
    rows = part.X if background.rows is None else part.features.rows
    means, groups = background.with_gaps()
    is_sparse = sparse.issparse(rows)
    x = rows.toarray()[0] if is_sparse else np.asarray(rows, dtype=np.float64)[0]
    # A filled gap is the mean up to rounding.
    away = np.where(np.isclose(x, means, rtol=1e-12, atol=0.0), 0.0, np.nan_to_num(x - means))
    # Of a sparse row only what is there: words that are missing are too many, and seldom a reason.
    numbers = np.unique(groups[(away != 0) & (x != 0) if is_sparse else away != 0])
    if background.coefficients is not None:
        own = background.coefficients[[label]]
        own = (own.toarray() if sparse.issparse(own) else own)[0]
        parts = np.bincount(groups, weights=own * away)
        numbers = numbers[np.argsort(-np.abs(parts[numbers]), kind="stable")[:k]]
        numbers = numbers[parts[numbers] != 0]
    together = groups == numbers[:, None]
    moved = np.where(together, means, x)
    effects = here - _moved_log_odds(part, label, sparse.csr_matrix(moved) if is_sparse else moved, background)
    contributions = effects if background.coefficients is None else parts[numbers]
    # Indicators go by the name of the one that is there, a number by its own unless it is a gap, filled by its mean.
    shown = np.where(together & (away != 0), x, -np.inf).argmax(axis=1)
    return [
        (background.name(int(j)), "feature", float(x[j]), float(own), float(effect))
        for j, own, effect in zip(shown, contributions, effects, strict=True)
    ]


def _by_labels(part: Any, label: int, here: float) -> list[Reason]:
    known = np.full(part.n_labels, -1) if part.evidence is None else part.evidence[0]
    others = [j for j in range(part.n_labels) if j != label and (known[j] >= 0 or not (known >= 0).any())]
    if not others:
        return []
    rows = np.zeros(len(others), dtype=np.int64)
    if (known >= 0).any():
        evidence = np.tile(known, (len(others), 1)).astype(np.int8)
        evidence[np.arange(len(others)), others] = -1
        effects = here - _log_odds(part[rows]._changed(evidence=evidence), label)
        kinds, values = ["label"] * len(others), [float(known[j]) for j in others]
    else:
        said = np.full((2, len(others), part.n_labels), -1, dtype=np.int8)
        said[:, np.arange(len(others)), others] = np.array([[0], [1]])
        zero, one = (_log_odds(part[rows]._changed(evidence=evidence), label) for evidence in said)
        effects, kinds, values = one - zero, ["label, if known"] * len(others), [np.nan] * len(others)
    names = [str(part.label_names[j]) for j in others]
    return [(*reason, float(e), float(e)) for *reason, e in zip(names, kinds, values, effects, strict=True)]


def _by_draws(part: Any, label: int) -> list[Reason]:
    """Return what each other label would say, by P(label | all others) of draws that have it and that have it not."""
    draws = part.sample(_DRAWS)[0].astype(np.uint8)
    rows = part[np.zeros(_DRAWS, dtype=np.int64)]
    with_label, without = draws.copy(), draws.copy()
    with_label[:, label], without[:, label] = 1, 0
    p = expit(rows.log_prob(with_label) - rows.log_prob(without))
    n = draws.sum(axis=0, dtype=np.int64)
    others = np.flatnonzero((n >= _LEAST_DRAWS) & (n <= _DRAWS - _LEAST_DRAWS))
    others = others[others != label]
    one, all_ones = p @ draws[:, others] / n[others], p.sum()
    zero = (all_ones - one * n[others]) / (_DRAWS - n[others])
    effects = logit(clip_probability(one)) - logit(clip_probability(zero))
    return [
        (str(part.label_names[j]), "label, if known", np.nan, float(effect), float(effect))
        for j, effect in zip(others, effects, strict=True)
    ]


def _moved_log_odds(part: Any, label: int, X: Any, background: FeatureBackground) -> Floats:
    if X.shape[0] == 0:
        return np.zeros(0)
    evidence = None if part.evidence is None else np.repeat(part.evidence, X.shape[0], axis=0)
    given = X if background.conditioned is None else background.conditioned(X)
    return _log_odds(part._changed(X=given, evidence=evidence), label)


def _log_odds(answer: Any, label: int) -> Floats:
    return np.asarray(logit(clip_probability(answer.marginals()[:, label])))
