"""The recipe that chooses everything itself."""

from typing import Any

from plait.estimators.auto_joint import AutoJoint

__all__ = ["auto"]


def auto(
    *,
    effort: str = "default",
    learners: Any = None,
    structure: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> AutoJoint:
    """`AutoJoint`: several base learners, one calibrated score a label, chains of labels; nothing to choose.

    Parameters
    ----------
    effort : {"fast", "default", "thorough"}, default="default"
        How much may be spent.
    learners : list of str, BaseScores or classifiers, optional
        Other base learners.
    structure : Structure or str, optional
        Another structure over labels than the chains.
    loss : Loss or str, default="subset"
        What `predict` minimises the expectation of.
    random_state : int, RandomState, Generator or None
        Seed of everything random.
    n_jobs : int, optional
        Workers.
    verbose : int, default=0
        From 1 on, a line is printed after every step.

    Returns
    -------
    AutoJoint
        Not fitted.

    See Also
    --------
    pcc : one chain on the features.

    References
    ----------
    [PCC] Dembczynski, Waegeman and Huellermeier: An analysis of chaining in multi-label classification, 2012.

    Examples
    --------
    >>> from plait import recipes
    >>> recipes.auto(effort="fast").effort
    'fast'
    """
    return AutoJoint(effort, learners, structure, loss, random_state, n_jobs, verbose)
