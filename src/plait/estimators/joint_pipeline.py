"""`JointPipeline`: scikit-learn's pipeline whose last step is a joint model, which can be asked everything."""

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils.validation import check_is_fitted

from plait.core.label_forms import LabelledRows, label_rows_of, read_labels
from plait.core.multilabel_classifier import Method, available_where
from plait.core.named_answers import TopLabels, row_frame
from plait.data import TableEncoder
from plait.posterior import Posterior
from plait.posterior.explaining import FeatureBackground

__all__ = ["JointPipeline", "NamedLabels", "make_joint_pipeline", "named_features"]


def _if_last_step_has(name: str) -> Callable[[Method], Method]:
    """Return a decorator of a method that is there where the last step has one of this name."""

    def has(pipeline: "JointPipeline") -> bool:
        getattr(pipeline._final_estimator, name)  # its own AttributeError says more than ours could
        return True

    return available_where(has)


class NamedLabels(np.ndarray[Any, np.dtype[Any]]):
    """Labels with the names of their columns, which steps of other packages take for a plain array."""

    columns: list[str] | None

    @classmethod
    def of(cls, Y: Any, names: Any) -> "NamedLabels":
        """Return labels with names."""
        labels = (Y.toarray() if sparse.issparse(Y) else np.asarray(Y)).view(cls)
        labels.columns = list(names)
        return labels

    def __array_finalize__(self, made_from: Any) -> None:
        self.columns = getattr(made_from, "columns", None)


class JointPipeline(Pipeline):
    """Steps that end in a joint model: besides what every pipeline does, it answers the model's questions.

    A `sklearn.pipeline.Pipeline` in all else: clone, grid search, `set_output`, slices and caching work as ever. Each
    question is there if the last step has it.

    Parameters
    ----------
    steps : list of (str, estimator)
        Names and steps; all but the last are transformers.
    transform_input : list of str, optional
        Metadata that is to be transformed before it is passed on; needs `enable_metadata_routing=True`.
    memory : str or joblib.Memory, optional
        Where to keep fitted transformers.
    verbose : bool, default=False
        Print the time of each step.

    Attributes
    ----------
    label_names_ : ndarray of str
        Names of the labels.
    n_labels_ : int
        How many labels.
    graph_ : LabelGraph
        Which labels depend on which, of models that have one graph.

    See Also
    --------
    make_joint_pipeline : the same without names of steps.

    Examples
    --------
    >>> from sklearn.feature_extraction.text import TfidfVectorizer
    >>> from plait import recipes
    >>> texts = ["waves and sand", "sand", "clouds", "waves", "clouds and waves", "sand and waves"] * 5
    >>> tags = [{"sea", "sun"}, {"sun"}, set(), {"sea"}, {"sea"}, {"sea", "sun"}] * 5
    >>> model = JointPipeline([("words", TfidfVectorizer()), ("labels", recipes.pcc(learner="logistic"))])
    >>> model = model.fit(texts, tags)
    >>> model.joint(["waves and sand"]).given({"sea": 1}).marginals().round(1)
    array([[1. , 0.9]])
    """

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Fit all steps, one after the other.

        Parameters
        ----------
        X : array, data frame or list, or Dataset
            What the first step takes; a data set brings its labels with it.
        y : array, sparse matrix, data frame, or rows of names, optional
            Labels. Rows of names become 0/1 columns first, so that every step can use them.
        **params
            As scikit-learn's pipeline takes them.
        """
        # A frame names its columns itself; of an array the data set does.
        self._column_names = None
        if y is None and isinstance(X, LabelledRows):
            self._column_names = None if hasattr(X.X, "columns") else X.feature_names
            X, y = X.X, NamedLabels.of(X.Y, X.label_names)
        elif y is not None and label_rows_of(type(self).__name__, "y", y) is not None:
            y = NamedLabels.of(*read_labels(type(self).__name__, "y", y))
        super().fit(X, y, **params)
        return self

    @_if_last_step_has("predict")
    def predict(self, X: Any, **params: Any) -> Any:
        """Return the predicted labels of every row, as the last step does.

        Parameters
        ----------
        X : array, data frame or list, or Dataset
            What the first step takes.
        **params
            Handed on, such as `loss="f1"`.
        """
        return super().predict(_rows_of(X), **params)

    @_if_last_step_has("predict_proba")
    def predict_proba(self, X: Any, **params: Any) -> Any:
        """Return P(label | x) of every row, as the last step does.

        Parameters
        ----------
        X : array, data frame or list, or Dataset
            What the first step takes.
        **params
            Handed on.
        """
        return super().predict_proba(_rows_of(X), **params)

    @_if_last_step_has("score")
    def score(self, X: Any, y: Any = None, sample_weight: Any = None, **params: Any) -> Any:
        """Return the score of the last step: of joint models, the share of rows whose labels are all predicted right.

        Parameters
        ----------
        X : array, data frame or list, or Dataset
            What the first step takes; a data set brings its labels with it.
        y : array, sparse matrix, data frame, or rows of names
            True labels.
        sample_weight : array of shape (n_samples,), optional
            Weights of rows.
        **params
            Handed on.
        """
        if y is None and isinstance(X, LabelledRows):
            y = NamedLabels.of(X.Y, X.label_names)
        return super().score(_rows_of(X), y, sample_weight, **params)

    @_if_last_step_has("joint")
    def joint(self, X: Any) -> Posterior:
        """Return P(y | x) of every row, to ask questions of.

        Parameters
        ----------
        X : array, data frame or list
            What the first step takes.
        """
        answer: Posterior = self._last().joint(self._transformed(X))
        columns = getattr(self, "_column_names", None)
        answer.rows, answer.features = row_frame(X), named_features(self, answer.features, columns)
        return answer

    @_if_last_step_has("predict_sets")
    def predict_sets(self, X: Any, **params: Any) -> list[tuple[str, ...]]:
        """Return the predicted labels of every row by name.

        Parameters
        ----------
        X : array, data frame or list
            What the first step takes.
        **params
            Handed on, such as `loss="f1"`.
        """
        sets: list[tuple[str, ...]] = self._last().predict_sets(self._transformed(X), **params)
        return sets

    @_if_last_step_has("top_labels")
    def top_labels(self, X: Any, k: int = 5) -> TopLabels:
        """Return the most probable labels of every row, by name and with their probabilities.

        Parameters
        ----------
        X : array, data frame or list
            What the first step takes.
        k : int, default=5
            How many.
        """
        top: TopLabels = self._last().top_labels(self._transformed(X), k)
        top.rows = row_frame(X)
        return top

    @property
    def label_names_(self) -> npt.NDArray[np.object_]:
        """Names of the labels."""
        names: npt.NDArray[np.object_] = self._last().label_names_
        return names

    @property
    def n_labels_(self) -> int:
        """How many labels."""
        return int(self._last().n_labels_)

    @property
    def graph_(self) -> Any:
        """Which labels depend on which."""
        return self._last().graph_

    def _last(self) -> Any:
        return self.steps[-1][1]

    def _transformed(self, X: Any) -> Any:
        """Return what the last step is given."""
        check_is_fitted(self)
        X = _rows_of(X)
        for _, step in self.steps[:-1]:
            if step is not None and step != "passthrough":
                X = step.transform(X)
        return X


def _rows_of(X: Any) -> Any:
    return X.X if isinstance(X, LabelledRows) else X


def named_features(
    pipeline: Pipeline, features: FeatureBackground | None, columns: Sequence[str] | None = None
) -> FeatureBackground | None:
    """Return the features by the names that the steps before the last give them, where these alone say any.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted.
    features : FeatureBackground or None
        What its last step knows of the features.
    columns : sequence of str, optional
        Names of the columns of X, where the pipeline was fitted on an array.
    """
    steps = [step for _, step in pipeline.steps[:-1] if step is not None and step != "passthrough"]
    names = _names_out(steps, columns)
    if features is None or names is None or len(names) != len(features.means):
        return features
    groups = steps[0].feature_groups() if len(steps) == 1 and isinstance(steps[0], TableEncoder) else None
    known = names if features.names is None or columns is not None else features.names
    return features._replace(names=known, groups=features.groups if groups is None else groups)


def _names_out(steps: Sequence[Any], names: Any) -> Any:
    """Return the names of what the last of some transformers gives; None where one of them has no names."""
    for step in steps:
        try:
            names = step.get_feature_names_out(names)
        except (AttributeError, NotFittedError, ValueError):
            return None
    return names


def make_joint_pipeline(
    *steps: Any, memory: Any = None, transform_input: list[str] | None = None, verbose: bool = False
) -> JointPipeline:
    """Return a `JointPipeline` of steps that are named after their classes, as scikit-learn's `make_pipeline` does.

    Parameters
    ----------
    *steps : estimators
        Transformers, and a joint model at the end.
    memory, transform_input, verbose
        As in `JointPipeline`.

    Returns
    -------
    JointPipeline

    Examples
    --------
    >>> from sklearn.preprocessing import StandardScaler
    >>> from plait import recipes
    >>> model = make_joint_pipeline(StandardScaler(), recipes.br())
    >>> list(model.named_steps)
    ['standardscaler', 'jointclassifier']
    """
    named = make_pipeline(*steps).steps
    return JointPipeline(named, transform_input=transform_input, memory=memory, verbose=verbose)
