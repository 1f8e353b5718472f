"""Words about a scikit-learn estimator for errors: its name, and what went wrong inside it."""

from typing import Any

from plait.core.sentences import ParameterError

__all__ = ["called_failure", "estimator_name", "fit_failure"]

_LONGEST_CAUSE = 300


def estimator_name(estimator: Any) -> str:
    """Return the class of an estimator and, for a pipeline or a search, the classes inside it.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from sklearn.svm import LinearSVC
    >>> estimator_name(make_pipeline(StandardScaler(), LinearSVC()))
    'Pipeline(StandardScaler, LinearSVC)'
    """
    name = type(estimator).__name__
    params = estimator.get_params(deep=False)
    steps = params.get("steps")
    inside = [step for _, step in steps] if isinstance(steps, list) else [params.get("estimator")]
    names = [estimator_name(each) for each in inside if hasattr(each, "get_params")]
    return f"{name}({', '.join(names)})" if names else name


def fit_failure(estimator: Any, label: int, cause: Exception) -> ParameterError:
    """Return the error for a classifier that could not be trained on a label."""
    return ParameterError(
        f"SklearnLearner needs an estimator that trains on every label, but {estimator_name(estimator)} failed on "
        f"label {label} with {_cause(cause)} {_way_out(cause)}"
    )


def called_failure(name: str, label: int, cause: Exception) -> ParameterError:
    """Return the error for a trained classifier that could not be asked about rows."""
    return ParameterError(
        f"FittedClassifiers needs rows like those of the training, but {name} failed on label {label} with "
        f"{_cause(cause)} {_way_out(cause)}"
    )


def _cause(error: Exception) -> str:
    text = " ".join(str(error).split()) or "no message"
    text = text if len(text) <= _LONGEST_CAUSE else text[: _LONGEST_CAUSE - 3] + "..."
    return f"{type(error).__name__}: {text}" + ("" if text.endswith((".", "!", "?")) else ".")


def _way_out(error: Exception) -> str:
    text = str(error).lower()
    if "sparse" in text:
        return "Pass X.toarray(), or an estimator that takes sparse X."
    if "nan" in text or "missing values" in text:
        return "Put an imputer before it in a pipeline, or use an estimator that takes NaN."
    return "Mend what its message says, or use another estimator."
