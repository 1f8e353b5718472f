"""`FurtherQuestions`: what is asked of a `Posterior` by way of its other questions."""

from html import escape
from typing import Any

import numpy as np

from plait import losses as losses_room
from plait.core.arrays import Bits, Floats
from plait.core.checks import Interval, Nothing, OneOf, check_value
from plait.core.label_numbering import label_number
from plait.core.labels import label_rows
from plait.core.named_answers import RowFrame, TopLabels, highest
from plait.core.naming import resolve
from plait.core.sentences import ParameterError
from plait.inference import LabelSupport
from plait.joint import LabelDistribution
from plait.losses import Loss
from plait.pictures.displays import BarDisplay, BarPanel
from plait.posterior.answers import conditional_factors, marginals, wrong_probabilities
from plait.posterior.asking import ASKED_BY, LabelsToAsk, labels_to_ask
from plait.posterior.credible_families import LabelFamilies, label_families
from plait.posterior.explaining import Reasons, reasons
from plait.posterior.likely_sets import LikelySets

__all__ = ["FurtherQuestions"]


_SHOWN_ROWS, _SHOWN_SETS = 5, 3


class FurtherQuestions:
    """Base of `Posterior`: questions that need nothing but its other ones.

    Examples
    --------
    >>> from plait import recipes
    >>> model = recipes.pcc(learner="logistic").fit([[0.0], [1.0], [2.0]] * 9, [[0, 0], [0, 1], [1, 1]] * 9)
    >>> model.joint([[1.2]]).credible_sets(0.8).names(0)
    [('y1',), ('y0', 'y1')]
    """

    loss: Any
    label_names: tuple[str, ...]
    rows: RowFrame

    def __str__(self) -> str:
        return f"{self!r}\n{self._view()!r}"

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self))}</p>{self._view()._repr_html_()}"

    def _view(self) -> LikelySets:
        """Return the most probable sets of the rows that are shown."""
        answer: Any = self
        few: LikelySets = answer[:_SHOWN_ROWS].top(min(_SHOWN_SETS, 2**answer.n_labels))
        few.n_unasked = len(answer) - len(few.vectors)
        return few

    def plot(self, row: int = 0, k: int = 8) -> BarDisplay:
        """Return a picture of one row: its most probable label sets, and its most probable labels.

        Parameters
        ----------
        row : int, default=0
            Which row.
        k : int, default=8
            How many sets and labels at most.

        Returns
        -------
        BarDisplay
            Shows itself in notebooks; `save(path)` writes SVG, `plot(ax)` draws with matplotlib.
        """
        answer: Any = self
        check_value("plot", "row", row, (Interval(int, 0, len(answer) - 1),))
        check_value("plot", "k", k, (Interval(int, 1, None),))
        part = answer[row]
        likely = part.top(min(k, 2 ** min(answer.n_labels, 30)))
        names = [", ".join(words) or "(no label)" for words in likely.names[0]]
        labels = part.top_labels(k)
        return BarDisplay(
            f"Row {self.rows.names(len(answer))[row]}",
            (
                BarPanel("label sets", names, likely.probabilities[0][: len(names)].tolist()),
                BarPanel("labels", [str(name) for name in labels.names[0]], labels.probabilities[0].tolist()),
            ),
        )

    def to_frame(self, values: Any = None, library: str | None = None) -> Any:
        """Return numbers of every row and label as a frame whose columns are the labels.

        Parameters
        ----------
        values : array of shape (n_rows, n_labels), optional
            An answer, such as `decide("f1")` or `doubts(Y)`; by default the marginals.
        library : {"pandas", "polars"}, optional
            By default that of the frame that was asked about, else pandas.
        """
        answer: Any = self
        table = answer.marginals() if values is None else np.asarray(values)
        if table.shape != (len(answer), len(self.label_names)):
            raise ParameterError(
                f"to_frame needs values of shape {(len(answer), len(self.label_names))}, but they have {table.shape}. "
                "Pass an answer for every row and label."
            )
        columns = {name: table[:, k] for k, name in enumerate(self.label_names)}
        return self.rows.frame(columns, library=library)

    def top_labels(self, k: int) -> TopLabels:
        """Return the k most probable labels of every row, with their probabilities; only these are kept.

        Parameters
        ----------
        k : int
            How many; all labels where there are fewer.
        """
        answer: Any = self
        check_value("top_labels", "k", k, (Interval(int, 1, None),))

        def question(distribution: LabelDistribution, rows: slice, seeds: Bits) -> tuple[Any, LabelSupport]:
            found, support = marginals(answer.inference, distribution, seeds)
            best = highest(found, k)
            return (best.astype(np.int32), np.take_along_axis(found, best, axis=1)), support

        best, probabilities = answer._ask(question, "marginals")
        return TopLabels(np.array(self.label_names, dtype=object)[best], probabilities, self.rows)

    def credible_sets(self, level: float = 0.9, max_sets: int = 1000) -> LabelFamilies:
        """Return for every row the fewest label sets that hold a share of P(y | x), the most probable first.

        It is the model's own belief; `plait.trust.Conformal` has families with a guarantee.

        Parameters
        ----------
        level : float, default=0.9
            The share, in (0, 1].
        max_sets : int, default=1000
            How many sets a row may have; where that is too few, `exact` is False and `masses` says what is held.
        """
        check_value("credible_sets", "level", level, (Interval(float, 0, 1, closed="right"),))
        check_value("credible_sets", "max_sets", max_sets, (Interval(int, 1, None),))
        return label_families(self, lambda _, p: np.cumsum(p, axis=1) - p < level - 1e-12, max_sets)

    def ask(self, k: int = 1, by: str | None = None) -> LabelsToAsk:
        """Return the unknown labels whose answers are worth most, for whoever can look.

        Parameters
        ----------
        k : int, default=1
            How many labels of each row; each is chosen as if the ones before it had been answered, on average over
            their answers.
        by : {"plan", "set", "entropy", "hamming", "others"}, optional
            What an answer is worth: the gain in P(most probable set), of the best plan of one or more questions a
            question, or of this one alone; the expected drop of the entropy; labels that become right; or what it says
            of the other labels. None takes "plan" for the loss "subset", else "hamming".

        Returns
        -------
        LabelsToAsk
            `labels`, `names`, `values` and `probabilities`, (n_rows, k); a label that is known is never asked.
        """
        check_value("ask", "k", k, (Interval(int, 1, None),))
        check_value("ask", "by", by, (OneOf(ASKED_BY), Nothing()))
        loss: Loss = resolve("ask", "loss", self.loss, losses_room, Loss)
        return labels_to_ask(self, k, by or ("plan" if loss.wanted == "mode" else "hamming"))

    def factors(self, Y: Any) -> Floats:
        """Return P(y_k = 1 | x, parents of k), with the parents' values taken from Y, (n_rows, n_labels).

        These are the conditionals whose product is P(y | x), evidence left aside. With the true labels as Y,
        `cll_loss(Y, factors(Y))` is that of the joint; with predicted ones it is the loss of a chain that is scored
        on its own predictions, which some papers print.

        Parameters
        ----------
        Y : array, sparse matrix, data frame, or rows of names
            Label sets.
        """
        answer: Any = self
        vectors = label_rows("factors", Y, answer.n_rows, self.label_names)
        found: Floats = answer._ask(lambda p, rows, _: (conditional_factors(p, vectors[rows]), None), None)
        return found

    def doubts(self, Y: Any) -> Floats:
        """Return, for recorded labels Y, how probable each is wrong: P(y_k is not as recorded | x, other labels).

        High values point at labels that look wrong, (n_rows, n_labels); labels that are known have 0.

        Parameters
        ----------
        Y : array, sparse matrix, data frame, or rows of names
            Labels as recorded.
        """
        answer: Any = self
        vectors, known = label_rows("doubts", Y, answer.n_rows, self.label_names), answer.evidence
        if known is not None and (clash := (known >= 0) & (known != vectors)).any():
            row, label = np.argwhere(clash)[0]
            raise ParameterError(
                f"doubts needs Y to agree with what is known, but {self.label_names[label]!r} is known as "
                f"{known[row, label]} in row {row} and recorded as {vectors[row, label]}. Ask joint(X) alone."
            )
        found: Floats = answer._ask(lambda p, rows, _: (wrong_probabilities(p, vectors[rows]), None), None)
        return found

    def why(self, label: Any, k: int = 5) -> Reasons:
        """Say what moved the log-odds of a label: features, and other labels.

        Of linear scores each feature's part is exact, and all parts add up to the label's own score against that of the
        mean row; of others it is what changes where the feature is left at its mean, approximate. Labels that are known
        are compared with not knowing them; where none is, each is asked what it would say.

        Parameters
        ----------
        label : str or int
            Which label.
        k : int, default=5
            How many reasons of each row, the strongest first.

        Returns
        -------
        Reasons
            A table with names; `to_frame()` for more.
        """
        check_value("why", "k", k, (Interval(int, 1, None),))
        number = label_number("why", "label", label, len(self.label_names), self.label_names)
        return reasons(self, number, k)
