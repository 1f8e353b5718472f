"""Whether compiled kernels or plain NumPy do a piece of work: one rule, with thresholds from each room.

Compiling costs seconds, once on a machine; importing Numba costs a third of a second in every process. So a small
problem takes the plain path, which is also the oracle of the kernels in the tests. Each room measures its `work` in
units of its own and names the amount from which its kernels pay. At `fit` the work is the size of the problem; at
prediction it is the size of the *model*, never of the batch, so that a row's answer has the same bits alone and among
others.

`PLAIT_KERNELS=always` or `never` in the environment, or `using_kernels` in a test, overrules all thresholds.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["POLICIES", "kernels_pay", "using_kernels"]

POLICIES = ("auto", "always", "never")

_BY_ENVIRONMENT = os.environ.get("PLAIT_KERNELS", "auto")
# What blocks say that are open now, in the order in which they were entered. Each takes away its own entry, so that
# blocks which do not end in the opposite order (fixtures of a test module, threads) leave nothing behind.
_overruling: list[list[str]] = []


def kernels_pay(work: float, threshold: float) -> bool:
    """Say whether `work` is large enough for compiled kernels.

    Parameters
    ----------
    work : float
        How much there is to do.
    threshold : float
        From how much on a kernel pays.

    Returns
    -------
    bool

    Examples
    --------
    >>> kernels_pay(10.0, threshold=1e6), kernels_pay(1e9, threshold=1e6)
    (False, True)
    """
    policy = _overruling[-1][0] if _overruling else _BY_ENVIRONMENT
    return policy == "always" if policy in ("always", "never") else work >= threshold


@contextmanager
def using_kernels(policy: str) -> Iterator[None]:
    """Overrule all thresholds inside the block: "always" compiled, "never" compiled, or "auto".

    Parameters
    ----------
    policy : {"auto", "always", "never"}
        Which path all rooms take. It holds for this process only.

    Examples
    --------
    >>> with using_kernels("never"):
    ...     kernels_pay(work=1e9, threshold=1.0)
    False
    """
    if policy not in POLICIES:
        raise ValueError(f"using_kernels needs policy to be one of {POLICIES}, but it is {policy!r}. Pass one of them.")
    mine = [policy]
    _overruling.append(mine)
    try:
        yield
    finally:
        _overruling[:] = [entry for entry in _overruling if entry is not mine]
