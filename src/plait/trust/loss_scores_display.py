"""`LossScoresDisplay`: answers decided for each of several losses, scored by each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from plait.core.arrays import Floats
from plait.core.sentences import ParameterError
from plait.metrics.label_metrics import loss_metric
from plait.pictures import Display, draw_number_map, new_axes

__all__ = ["LossScoresDisplay"]

_LOSSES = ("subset", "hamming", "f1", "jaccard")


@dataclass(frozen=True, eq=False)
class LossScoresDisplay(Display):
    """Losses (columns) of answers that were decided for a loss (rows); a display as scikit-learn has them.

    The best answer depends on the loss: the least of each column lies on the diagonal where P(y | x) is right.

    Attributes
    ----------
    scores : ndarray of float64, shape (n_answers, n_losses)
        Mean loss.
    decided_for, losses : tuple of str
        Names of the rows and of the columns.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from plait import recipes
    >>> X, Y = make_multilabel_classification(200, n_classes=4, random_state=0)
    >>> model = recipes.pcc(random_state=0).fit(X[:100], Y[:100])
    >>> display = LossScoresDisplay.from_estimator(model, X[100:], Y[100:], losses=["subset", "hamming"])
    >>> display.scores.shape, display.losses
    ((2, 2), ('subset', 'hamming'))
    """

    scores: Floats
    decided_for: tuple[str, ...]
    losses: tuple[str, ...]

    @classmethod
    def from_estimator(cls, model: Any, X: Any, Y: Any, *, losses: Sequence[str] = _LOSSES) -> Self:
        """Return the display of a fitted model on rows that it was not trained on.

        Parameters
        ----------
        model : fitted classifier
            With `joint`, which decides for any loss.
        X : array, sparse matrix or data frame of shape (n_rows, n_features)
            Features.
        Y : labels in any form that `fit` takes
            True labels.
        losses : sequence of str, default=("subset", "hamming", "f1", "jaccard")
            Words of losses that decide on a label set.
        """
        answer = model.joint(X)
        return cls.from_predictions(Y, {loss: answer.decide(loss) for loss in losses}, losses=losses)

    @classmethod
    def from_predictions(cls, Y: Any, answers: Mapping[str, Any], *, losses: Sequence[str] = _LOSSES) -> Self:
        """Return the display of answers that were made before.

        Parameters
        ----------
        Y : labels in any form that `fit` takes
            True labels.
        answers : mapping
            What an answer was decided for -> predicted labels, (n_rows, n_labels).
        losses : sequence of str, default=("subset", "hamming", "f1", "jaccard")
            What answers are scored by.
        """
        if not answers:
            raise ParameterError("LossScoresDisplay needs answers to hold predicted labels, but it is empty. Pass one.")
        metrics = [loss_metric(loss) for loss in losses]
        scores = np.array([[metric(Y, labels) for metric in metrics] for labels in answers.values()])
        return cls(scores, tuple(answers), tuple(losses))

    def to_svg(self) -> str:
        """Return the picture as SVG: the darker the further above the least of the column."""
        least = self.scores.min(axis=0)
        excess = (self.scores - least) / np.maximum(self.scores.max(axis=0) - least, 1e-12)
        numbers = [[f"{score:.3f}" for score in row] for row in self.scores]
        rows = [f"decided for {name}" for name in self.decided_for]
        note = "Losses; pale is the least of a column."
        return draw_number_map(excess, numbers, rows, self.losses, note=note, title="Losses of answers by loss")

    def plot(self, ax: Any = None) -> Any:
        """Draw the picture with matplotlib and return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where; new ones by default.
        """
        ax = new_axes(ax)
        least = self.scores.min(axis=0)
        ax.imshow((self.scores - least) / np.maximum(self.scores.max(axis=0) - least, 1e-12), cmap="Blues", alpha=0.7)
        for (row, column), score in np.ndenumerate(self.scores):
            ax.text(column, row, f"{score:.3f}", ha="center", va="center")
        ax.set_xticks(range(len(self.losses)), labels=self.losses)
        ax.set_yticks(range(len(self.decided_for)), labels=self.decided_for)
        ax.set(xlabel="loss", ylabel="decided for")
        return ax
