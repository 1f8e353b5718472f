"""Which types of plait a saved model may hold, for `skops.io.load(file, trusted=trusted_types())`."""

import importlib
import pkgutil

import numpy as np
from scipy import sparse

__all__ = ["trusted_types"]

# The rooms whose objects are in models. They load lazily: what a model holds may not have been imported yet.
_ROOMS = (
    *("core", "counts", "structure", "features", "learners", "joint"),
    *("inference", "losses", "posterior", "estimators", "baselines"),
)


def trusted_types() -> list[str]:
    """Return the names of plait's classes, SciPy's compressed rows and NumPy's dtype, sorted, as `skops.io` has them.

    None of them runs code of its own when it is loaded. Other types are not listed: scikit-learn's and NumPy's are
    known to skops, and the rest is for the user to trust.

    Examples
    --------
    >>> "plait.estimators.joint_classifier.JointClassifier" in trusted_types()
    True
    """
    names = [*(name for room in _ROOMS for name in _modules(f"plait.{room}")), "plait.data.table_encoder"]
    modules = [importlib.import_module(name) for name in names]
    kinds = {kind for module in modules for kind in vars(module).values() if isinstance(kind, type)}
    kinds = {kind for kind in kinds if kind.__module__.startswith("plait.")} | {
        sparse.csr_matrix,
        sparse.csr_array,
        np.dtype,
    }
    return sorted(f"{kind.__module__}.{kind.__qualname__}" for kind in kinds)


def _modules(package: str) -> list[str]:
    """Return the names of a room's modules, kernels left out: they hold no classes of models."""
    found = pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}.")
    return [each.name for each in found if not each.name.rsplit(".", 1)[-1].startswith("_")]
