from .arrays import Array, Bits, Bools, Floats, Ints, Labels
from .callbacks import HAS_CALLBACKS, CallbackSupport, fit_tasks, with_callbacks
from .checks import (
    Boolean,
    Constraint,
    HasMethods,
    InstanceOf,
    Interval,
    Nothing,
    OneOf,
    RandomState,
    check_parameters,
    check_value,
    wrong_values,
)
from .compilation import cache_folder, kernel, source_hash
from .extras import installed, optional
from .kernel_policy import POLICIES, kernels_pay, using_kernels
from .labels import (
    Targets,
    as_label_matrix,
    as_table,
    as_targets,
    label_matrix,
    label_number,
    label_numbers,
    label_rows,
)
from .lazy_modules import lazy_module
from .logspace import EPSILON, clip_probability, log1m_exp, log_normalize, log_sigmoid, log_sum_exp
from .multilabel_classifier import MultilabelClassifier
from .naming import registered, registry, resolve
from .parallel import one_blas_thread
from .progress_bar import progress
from .randomness import generator, generators, seeds
from .sentences import ParameterError, complaint, shown
from .ties import TIE_TOLERANCE, first_best

__all__ = [
    "Array",
    "Bits",
    "Boolean",
    "Bools",
    "CallbackSupport",
    "Constraint",
    "EPSILON",
    "Floats",
    "HAS_CALLBACKS",
    "HasMethods",
    "InstanceOf",
    "Interval",
    "Ints",
    "Labels",
    "MultilabelClassifier",
    "Nothing",
    "OneOf",
    "POLICIES",
    "ParameterError",
    "RandomState",
    "TIE_TOLERANCE",
    "Targets",
    "as_label_matrix",
    "as_table",
    "as_targets",
    "cache_folder",
    "check_parameters",
    "check_value",
    "clip_probability",
    "complaint",
    "first_best",
    "fit_tasks",
    "generator",
    "generators",
    "installed",
    "kernel",
    "kernels_pay",
    "label_matrix",
    "label_number",
    "label_numbers",
    "label_rows",
    "lazy_module",
    "log1m_exp",
    "log_normalize",
    "log_sigmoid",
    "log_sum_exp",
    "one_blas_thread",
    "optional",
    "progress",
    "registered",
    "registry",
    "resolve",
    "seeds",
    "shown",
    "source_hash",
    "using_kernels",
    "with_callbacks",
    "wrong_values",
]
