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
from .label_forms import LabelTable, as_table, read_labels
from .label_numbering import label_number, label_numbers
from .labels import (
    Targets,
    as_label_matrix,
    as_targets,
    label_matrix,
    label_rows,
)
from .lazy_modules import lazy_module
from .logspace import EPSILON, clip_probability, log1m_exp, log_normalize, log_sigmoid, log_sum_exp
from .multilabel_classifier import MultilabelClassifier
from .named_answers import RowFrame, TopLabels, label_sets, row_frame, top_labels
from .naming import registered, registry, resolve
from .parallel import one_blas_thread
from .products import product
from .progress_bar import progress, shows_progress, working
from .randomness import generator, generators, seeds
from .sentences import ParameterError, complaint, shown, warn_user
from .ties import TIE_TOLERANCE, first_best
from .unknown_labels import UNKNOWN, given_again, has_unknown, known_cells, known_shares, unknown_as_absent

__all__ = [
    "LabelTable",
    "read_labels",
    "EPSILON",
    "HAS_CALLBACKS",
    "POLICIES",
    "TIE_TOLERANCE",
    "UNKNOWN",
    "Array",
    "Bits",
    "Boolean",
    "Bools",
    "CallbackSupport",
    "Constraint",
    "Floats",
    "HasMethods",
    "InstanceOf",
    "Interval",
    "Ints",
    "Labels",
    "MultilabelClassifier",
    "Nothing",
    "OneOf",
    "ParameterError",
    "RandomState",
    "RowFrame",
    "Targets",
    "TopLabels",
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
    "given_again",
    "has_unknown",
    "installed",
    "kernel",
    "kernels_pay",
    "known_cells",
    "known_shares",
    "label_matrix",
    "label_number",
    "label_numbers",
    "label_rows",
    "label_sets",
    "lazy_module",
    "log1m_exp",
    "log_normalize",
    "log_sigmoid",
    "log_sum_exp",
    "one_blas_thread",
    "optional",
    "product",
    "progress",
    "shows_progress",
    "working",
    "registered",
    "registry",
    "resolve",
    "row_frame",
    "seeds",
    "shown",
    "source_hash",
    "top_labels",
    "unknown_as_absent",
    "warn_user",
    "using_kernels",
    "with_callbacks",
    "wrong_values",
]
