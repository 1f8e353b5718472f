"""`CooccurrenceDisplay`: how often labels come together, in data or in answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import sparse

from plait.core.arrays import Floats
from plait.core.checks import Interval, check_value
from plait.core.labels import as_targets
from plait.pictures import Display, draw_heat_map, new_axes

__all__ = ["CooccurrenceDisplay"]

_MOST_LABELS = 40


@dataclass(frozen=True, eq=False)
class CooccurrenceDisplay(Display):
    """Of the rows that have a label, the share that has another one too; a display as scikit-learn has them.

    Attributes
    ----------
    shares : ndarray of float64, shape (n_labels, n_labels)
        P(column's label | row's label); 0 of a label that no row has, and on the diagonal.
    label_names : tuple of str
        Names of the labels.

    See Also
    --------
    plait.data.statistics : more numbers on label sets.

    Examples
    --------
    >>> display = CooccurrenceDisplay.from_predictions([{"sea", "sand"}, {"sea"}, {"sun"}])
    >>> display.label_names, display.shares[1].tolist()  # of the two rows with the sea one has sand
    (('sand', 'sea', 'sun'), [0.5, 0.0, 0.0])
    >>> display.to_svg().startswith("<svg")
    True
    """

    shares: Floats
    label_names: tuple[str, ...]

    @classmethod
    def from_estimator(cls, model: Any, X: Any, *, most: int = _MOST_LABELS) -> Self:
        """Return the display of what a fitted model predicts.

        Parameters
        ----------
        model : fitted classifier
            With `predict`.
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.
        most : int, default=40
            The most frequent labels, so many, are shown.
        """
        names = getattr(model, "label_names_", None)
        return cls.from_predictions(model.predict(X), label_names=names, most=most)

    @classmethod
    def from_predictions(cls, Y: Any, *, label_names: Sequence[str] | None = None, most: int = _MOST_LABELS) -> Self:
        """Return the display of recorded or predicted labels.

        Parameters
        ----------
        Y : labels in any form that `fit` takes
            Recorded or predicted.
        label_names : sequence of str, optional
            Names; by default those of Y.
        most : int, default=40
            The most frequent labels, so many, are shown.
        """
        check_value("CooccurrenceDisplay", "most", most, (Interval(int, 1, None),))
        targets = as_targets("CooccurrenceDisplay", Y)
        names = targets.names if label_names is None else label_names
        table = sparse.csr_matrix(targets.Y, dtype=np.float64)
        together = np.asarray((table.T @ table).todense())
        counts = together.diagonal()
        shown = np.sort(np.argsort(-counts, kind="stable")[:most])
        shares = together[np.ix_(shown, shown)] / np.maximum(counts[shown], 1)[:, None]
        np.fill_diagonal(shares, 0.0)
        return cls(shares, tuple(str(names[label]) for label in shown))

    def to_svg(self) -> str:
        """Return the picture as SVG: rows by columns, the stronger the more often."""
        title = "Of the rows with a label (left), the share that has another (above)"
        return draw_heat_map(self.shares, self.label_names, self.label_names, title=title, after=" of the rows")

    def plot(self, ax: Any = None) -> Any:
        """Draw the picture with matplotlib and return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where; new ones by default.
        """
        ax = new_axes(ax)
        drawn = ax.imshow(self.shares, cmap="Blues", vmin=0.0, vmax=1.0)
        places = range(len(self.label_names))
        ax.set_xticks(places, labels=self.label_names, rotation=90)
        ax.set_yticks(places, labels=self.label_names)
        ax.figure.colorbar(drawn, ax=ax, label="share of the rows with the label at the left")
        return ax
