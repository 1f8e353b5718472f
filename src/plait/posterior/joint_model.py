"""`JointModel`: what all classifiers of this room share once they hold a fitted joint distribution."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from inspect import signature
from typing import Any, ClassVar, Self
from weakref import WeakSet

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from plait import inference as inference_room
from plait import losses as losses_room
from plait.core.arrays import Floats, Ints, Labels
from plait.core.checks import Boolean, OneOf, check_value
from plait.core.chunked.recognition import answers_chunks, chunks_of
from plait.core.labels import Targets
from plait.core.multilabel_classifier import MultilabelClassifier, available_where, scores_labels
from plait.core.named_answers import TopLabels, row_frame
from plait.core.naming import resolve
from plait.core.randomness import generator
from plait.core.sentences import ParameterError, warn_user
from plait.core.unknown_labels import given_again, has_unknown, known_shares
from plait.inference import Inference
from plait.joint import GraphDistribution
from plait.losses import Loss, Subset
from plait.losses.expected_f1 import f1_thresholds
from plait.posterior.chunked_posterior import ChunkedPosterior
from plait.posterior.explaining import FeatureBackground
from plait.posterior.model_view import model_html
from plait.posterior.posterior import Joint, Posterior
from plait.posterior.predictor import Predictor

__all__ = ["FewLabelsWarning", "JointModel"]

# Models whose users have been told that the most probable sets are small. Asking may not change a model.
_told: "WeakSet[JointModel]" = WeakSet()
# So many rows, and a smaller share of the labels of training rows than this, are told.
_MANY_ROWS, _FEW = 50, 0.5
# From so many labels on `predict` answers by a sparse matrix.
_MANY_LABELS = 1000


class FewLabelsWarning(UserWarning):
    """The most probable label sets have far fewer labels than the rows that trained the model."""


def _gives_probabilities(model: "JointModel") -> bool:
    return model._probabilistic()


def _gives_margins(model: "JointModel") -> bool:
    return model._has_margins()


def _column_means(X: Any) -> Floats:
    """Return the mean of every column over the values that are there; 0 of a column without any."""
    if sparse.issparse(X):
        return np.asarray(X.mean(axis=0), dtype=np.float64).ravel()
    gaps = np.isnan(X)
    if not gaps.any():
        return np.asarray(X.mean(axis=0, dtype=np.float64))
    return np.where(gaps, 0.0, X).sum(axis=0) / np.maximum((~gaps).sum(axis=0), 1)


class JointModel(MultilabelClassifier):
    """Base of classifiers that learn P(Y | X): `fit` of a subclass sets `joint_` and `_seed`.

    Inference and loss are read when a question is asked, so both may be changed after `fit` with `set_params`. Only a
    model that is fitted for a loss of thresholds ("micro_f1", "macro_f1") finds thresholds, of both, out of fold: for
    that it is trained on parts of the rows too. `thresholds_` holds them by the word of the loss and may be changed.

    A part may be a word, and defaults are words, which no two models can share and change: `part` returns the object
    that it stands for, and `get_params` and `set_params` see through it, so that `learner__C` can be read and set.

    Attributes
    ----------
    joint_ : object with `condition(X)`
        P(Y | x), as learned.
    feature_means_ : ndarray of float64, shape (n_features,)
        Means of the training rows, which `why` compares with.
    thresholds_ : dict of str to array
        Of losses that decide by thresholds, where they were found.

    Examples
    --------
    >>> from plait import recipes
    >>> isinstance(recipes.pcc(), JointModel)
    True
    """

    # Parameters that may be words -> what makes an object of a value that is none: from the owner's name and the value.
    part_makers: ClassVar[Mapping[str, Callable[[str, Any], Any]]] = {
        "inference": lambda owner, value: resolve(owner, "inference", value, inference_room, Inference),
        "loss": lambda owner, value: resolve(owner, "loss", value, losses_room, Loss),
    }
    # How many parts of the rows are left out in turn to find thresholds.
    threshold_folds: ClassVar[int] = 3
    joint_: Joint
    feature_means_: Floats
    thresholds_: dict[str, Any]
    inference: Any
    loss: Any
    n_jobs: int | None
    _seed: int

    def _html_repr(self) -> str:
        """Return what notebooks show."""
        return model_html(self)

    def part(self, name: str) -> Any:
        """Return a part as an object: the parameter itself, or what its word stands for; None is the default.

        Parameters
        ----------
        name : str
            A parameter that takes words, such as "learner".

        Examples
        --------
        >>> from plait import JointClassifier
        >>> JointClassifier().part("inference")
        Auto()
        """
        value = getattr(self, name)
        if value is None:
            value = signature(type(self)).parameters[name].default
        return None if value is None else self.part_makers[name](type(self).__name__, value)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name; with `deep` those of the parts too, of parts that are words as well."""
        params: dict[str, Any] = super().get_params(deep)
        words = [name for name in self.part_makers if deep and isinstance(params.get(name), str | None)]
        for name in words:
            with suppress(ParameterError):  # a wrong word is reported by `fit`
                found = self.part(name)
                if hasattr(found, "get_params"):
                    params |= {f"{name}__{key}": value for key, value in found.get_params().items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters, also those of parts (`learner__C`); a word whose part is changed gives way to its object."""
        for name in {key.partition("__")[0] for key in params if "__" in key} & set(self.part_makers):
            super().set_params(**{name: params.pop(name, getattr(self, name))})
            if isinstance(getattr(self, name), str | None):
                super().set_params(**{name: self.part(name)})
        super().set_params(**params)
        return self

    def _probabilistic(self) -> bool:
        """Say whether the model gives probabilities (before `fit`: whether it is going to, as far as known)."""
        return True

    def _has_margins(self) -> bool:
        """Say whether the model gives margins instead."""
        return not self._probabilistic()

    def _posterior(self, X: Any) -> Posterior:
        rows, found = row_frame(X), getattr(self, "thresholds_", None)
        X, names = self._rows(X), list(self.label_names_)
        how = self.part("inference"), self.loss, self._seed, self.n_jobs
        return Posterior(self.joint_, X, names, *how, features=self._background(), thresholds=found, rows=rows)

    def _background(self) -> FeatureBackground:
        """Return what `why` compares a row with."""
        return FeatureBackground(self._feature_names(), self.feature_means_, self._coefficients())

    def _feature_names(self) -> Any:
        """Return what the columns were called at `fit`, in a frame or in a data set; None where they had no names."""
        return getattr(self, "feature_names_in_", getattr(self, "_column_names", None))

    def _coefficients(self) -> Any:
        """Return the coefficients of features (n_labels, n_features) where scores are linear."""
        return None

    def _training_data(self, X: Any, y: Any, sample_weight: Any = None) -> tuple[Any, Labels, Any]:
        X, Y, sample_weight = super()._training_data(X, y, sample_weight)
        self.feature_means_ = _column_means(X)
        return X, Y, sample_weight

    def _remember(self, targets: Targets) -> None:
        super()._remember(targets)
        Y = targets.Y
        self._cardinality = float(known_shares(Y).sum() if has_unknown(Y) else Y.sum() / max(1, Y.shape[0]))

    def _find_thresholds(self, X: Any, Y: Labels, sample_weight: Any) -> None:
        """Find thresholds on rows that are held out in turn, where the loss decides by them and has none of its own."""
        self.__dict__.pop("thresholds_", None)
        loss = self.part("loss")
        if not self._thresholded():
            return
        if not hasattr(self, "predict_proba"):
            raise ParameterError(
                f"{type(loss).__name__} needs probabilities to decide by, but this model has margins only. "
                'Decide for "subset", or fit with a probabilistic learner such as LogisticLearner().'
            )
        rows = np.arange(len(Y)) if sample_weight is None else np.flatnonzero(sample_weight)
        weights = None if sample_weight is None else sample_weight[rows]
        self.thresholds_ = f1_thresholds(self._held_out(X[rows], Y[rows], weights), Y[rows], weights)

    def _thresholded(self) -> bool:
        """Say whether `fit` is to find thresholds."""
        loss = self.part("loss")
        return bool(loss.needs_thresholds and loss.thresholds is None)

    def _held_out(self, X: Any, Y: Labels, sample_weight: Any) -> Floats:
        """Return the marginals of all rows under models that did not see them; of a single row its own."""
        found = np.empty(Y.shape)
        folds: list[Ints] = np.array_split(generator(self._seed).permutation(len(Y)), min(self.threshold_folds, len(Y)))
        for held in folds:
            rest = np.setdiff1d(np.arange(len(Y)), held) if len(folds) > 1 else held
            weights = {} if sample_weight is None else {"sample_weight": sample_weight[rest]}
            part = self._part_model().fit(X[rest], given_again(Y[rest]), **weights)
            found[held] = part.predict_proba(X[held])
        return found

    def _part_model(self) -> Any:
        """Return a copy to be fitted on a part of the rows; a rate that was estimated from all of them is given."""
        rate = {"recording_rate": self.recording_rate_} if hasattr(self, "recording_rate_") else {}
        return clone(self).set_params(loss="subset", **rate)

    @available_where(_gives_probabilities)
    def joint(self, X: Any) -> Posterior:
        """Return P(y | x) of every row, to ask questions of.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features), Dask collection, or chunks of rows
            Features.

        Returns
        -------
        answer : Posterior
            Of rows in chunks a `ChunkedPosterior`, which answers chunk by chunk.
        """
        if chunks_of(f"{type(self).__name__}.joint", X) is None:
            return self._posterior(X)
        return ChunkedPosterior(self, X)  # type: ignore[return-value]

    def predictor(self) -> Predictor:
        """Return the model as it is now for a caller that is trusted: it answers without checking X.

        Examples
        --------
        >>> from plait import recipes
        >>> model = recipes.br().fit([[0.0], [1.0], [2.0], [3.0]] * 9, [[0, 0], [0, 1], [1, 1], [1, 0]] * 9)
        >>> model.predictor().top_labels(np.array([[3.0]]), 1)
        row 0: y0 1.00
        """
        check_is_fitted(self)
        return Predictor(self)

    def _like(self, method: str, **how: Any) -> Any:
        if method == "predict" and not self._one_column:
            return self._sparsely(np.zeros((0, self.n_labels_), dtype=np.uint8), how.get("sparse_output", "auto"))
        return super()._like(method, **how)

    @answers_chunks
    def predict(self, X: Any, loss: Any = None, *, sparse_output: bool | str = "auto") -> Any:
        """Return for every row the label set with the least expected loss.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.
        loss : Loss or str, optional
            Another loss than the classifier's own, for this call.
        sparse_output : bool or "auto", default="auto"
            Whether the answer is a CSR matrix; "auto" is True from 1,000 labels on.

        Returns
        -------
        Y : ndarray or CSR matrix of shape (n_samples, n_labels), or (n_samples,) if fitted on a single column
        """
        check_value("predict", "sparse_output", sparse_output, (Boolean(), OneOf(("auto",))))
        chosen: Loss = resolve(type(self).__name__, "loss", self.loss if loss is None else loss, losses_room, Loss)
        if chosen.answer == "scores":
            raise ParameterError(
                f"predict needs a loss that decides on label sets, but {type(chosen).__name__} gives scores to rank "
                f"by. Use joint(X).decide({type(chosen).__name__.lower()!r}), or another loss."
            )
        labels = self._posterior(X).decide(chosen, sparse_output=self._answers_sparsely(sparse_output))
        if isinstance(chosen, Subset) and labels.shape[0] >= _MANY_ROWS:
            self._tell_of_few(float(labels.sum() / labels.shape[0]))
        return self._labels_out(labels)

    def _answers_sparsely(self, sparse_output: bool | str) -> bool:
        many = self.n_labels_ >= _MANY_LABELS if sparse_output == "auto" else bool(sparse_output)
        return many and not self._one_column

    def _sparsely(self, labels: Labels, sparse_output: bool | str) -> Any:
        """Return dense labels in the form that `sparse_output` asks for."""
        return self._labels_out(sparse.csr_matrix(labels) if self._answers_sparsely(sparse_output) else labels)

    @available_where(scores_labels)
    @answers_chunks
    def top_labels(self, X: Any, k: int = 5) -> TopLabels:
        """Return the most probable labels of every row, by name and with their probabilities, block by block.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.
        k : int, default=5
            How many; all labels where there are fewer.

        Returns
        -------
        top : TopLabels
            Unpacks into `names` and `probabilities` of shape (n_samples, k); `to_frame()` is a table of them.
        """
        by_blocks = self._probabilistic() and not self._one_column
        return self._posterior(X).top_labels(k) if by_blocks else super().top_labels(X, k)

    def _tell_of_few(self, n_given: float) -> None:
        """Say once for a model what to try where its sets are far smaller than those it was trained on."""
        if n_given < _FEW * self._cardinality and self not in _told:
            _told.add(self)
            warn_user(
                f"{type(self).__name__} gives {n_given:.2g} labels a row here, while training rows have "
                f"{self._cardinality:.2g}: the most probable label set is often a small one. If single labels matter, "
                'try predict(X, loss="f1"), or fit with loss="micro_f1" or "macro_f1".',
                FewLabelsWarning,
            )

    @available_where(_gives_probabilities)
    @answers_chunks
    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the marginals P(y_k = 1 | x), (n_samples, n_labels).

        Exact where the graph or the number of labels allows it, else estimated from samples: `proba_method_` says.
        Fitted on a single column in one dimension, it returns one column for each class, as scikit-learn does.
        """
        return self._probabilities_out(self._posterior(X).marginals())

    @property
    def proba_method_(self) -> str:
        """How `predict_proba` finds probabilities, in words; they are estimates where it is Monte Carlo.

        The same as `method` of `joint(X)` after `marginals()`, whose `exact` says it row by row.

        Examples
        --------
        >>> from plait import recipes
        >>> from plait.data.synthetic import make_label_network
        >>> few, many = (make_label_network(100, 5, q, random_state=0).dataset for q in (4, 16))
        >>> [recipes.pcc().fit(data.X, data.Y).proba_method_ for data in (few, many)]
        ['exhaustive', 'Monte Carlo with 200 samples']
        """
        if not self._probabilistic():
            raise AttributeError(f"{type(self).__name__} with margins has no probabilities.")
        nothing = np.zeros((0, self.n_features_in_))
        posterior = Posterior(self.joint_, nothing, list(self.label_names_), self.part("inference"))
        posterior.marginals()
        return posterior.method

    @available_where(_gives_margins)
    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the margin of every label where the parents have the values that were predicted for them.

        Parameters
        ----------
        X : array, sparse matrix or data frame of shape (n_samples, n_features)
            Features.
        """
        posterior = self._posterior(X)
        labels = posterior.decide("subset").astype(np.uint8)
        distribution = self.joint_.condition(posterior.X)
        assert isinstance(distribution, GraphDistribution)  # only products over a graph have margins
        rows = np.arange(len(labels))
        parents = distribution.graph.parents
        margins = np.column_stack([distribution.scores(k, rows, labels[:, list(p)]) for k, p in enumerate(parents)])
        return margins[:, 0] if self._one_column else margins
