"""Which types of plait a saved model may hold, for `skops.io.load(file, trusted=trusted_types())`."""

import sys

from scipy import sparse

__all__ = ["trusted_types"]


def trusted_types() -> list[str]:
    """Return the names of all classes of plait and of SciPy's compressed rows, sorted, as `skops.io` writes them.

    None of them runs code of its own when it is loaded. Other types are not listed: scikit-learn's and NumPy's are
    known to skops, and the rest is for the user to trust.

    Examples
    --------
    >>> "plait.estimators.joint_classifier.JointClassifier" in trusted_types()
    True
    """
    modules = [module for name, module in sorted(sys.modules.items()) if name.split(".")[0] == "plait"]
    kinds = {kind for module in modules for kind in vars(module).values() if isinstance(kind, type)}
    kinds = {kind for kind in kinds if kind.__module__.startswith("plait.")} | {sparse.csr_matrix, sparse.csr_array}
    return sorted(f"{kind.__module__}.{kind.__qualname__}" for kind in kinds)
