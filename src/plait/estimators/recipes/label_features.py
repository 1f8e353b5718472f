"""Recipes with label-dependent features: LDF of PACC before and after the structure."""

from typing import Any

from plait.estimators.joint_classifier import JointClassifier
from plait.estimators.recipes.recipe_parts import exact, greedy, learner_for, pacc_graph
from plait.features import LabelDependentFeatures
from plait.structure import FullChain, Independent, LabelTree

__all__ = ["bcc_ldf", "br_ldf", "cc_ldf", "pacc_ldf"]


def br_ldf(
    *,
    r: float = 0.15,
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> JointClassifier:
    """`br` on label-dependent features: first the relevant, then those not redundant [PACC algorithm 2].

    First the features that tell something about a label are kept, then those that are not redundant.

    Parameters
    ----------
    r : float, default=0.15
        Smallest share of the features that a label keeps in the first stage (0.05 for large data).
    learner : Learner, str or classifier, optional
        How conditionals are trained; None is `LogisticLearner(C="cv", standardize="balanced")`, whose penalties come
        from cross-validation; "published" is `LogisticLearner(C=5.0)`, as in [PACC].
        Any scikit-learn classifier is taken too.
    inference : Inference or str, optional
        How questions are answered; None is `Auto()`, the cheapest exact way, else the best approximate one.
    loss : Loss or str, default="subset"
        What `predict` minimises the expectation of: a loss of `plait.losses`, or its word.
    random_state : int, RandomState, Generator or None
        Seed of everything random; fixed, everything is the same every time, for any `n_jobs`.
    n_jobs : int, optional
        Threads over blocks of rows when predicting.

    Returns
    -------
    JointClassifier
        Not fitted; every part can be set as usual.

    See Also
    --------
    br : every label by itself.
    pacc_ldf : with features of each label.

    References
    ----------
    [PACC] Sun, Kudo and Kimura: Polytree-augmented classifier chains for multi-label classification, with
    label-dependent features, 2016.

    Examples
    --------
    >>> from plait import recipes
    >>> from plait.data.synthetic import make_label_network
    >>> data = make_label_network(200, 6, 4, random_state=0).dataset
    >>> model = recipes.br_ldf().fit(data.X, data.Y)
    >>> model.mask_.support.shape, bool(model.mask_.support.any(axis=1).all())
    ((4, 6), True)
    """
    parts = Independent(), LabelDependentFeatures(r), learner_for(learner, "PACC"), exact(inference)
    return JointClassifier(*parts, loss, random_state, n_jobs)


def cc_ldf(
    *,
    r: float = 0.15,
    order: Any = "information",
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> JointClassifier:
    """`cc` on label-dependent features: first the relevant, then those not redundant [PACC algorithm 2].

    First the features that tell something about a label are kept, then those that are not redundant, also beside its
    parents.

    Parameters
    ----------
    r : float, default=0.15
        Smallest share of the features that a label keeps in the first stage (0.05 for large data).
    order : str, Order or sequence of labels, default="information"
        "information" (each label shares much with those before it, see `InformationOrder`), "given" (that of the
        columns of Y), "random", "frequency", an `Order`, or all labels by number or name.
    learner : Learner, str or classifier, optional
        How conditionals are trained; None is `LogisticLearner(C="cv", standardize="balanced")`, whose penalties come
        from cross-validation; "published" is `LogisticLearner(C=5.0)`, as in [PACC].
        Any scikit-learn classifier is taken too.
    inference : Inference or str, optional
        How questions are answered; None is `Greedy()`, label after label along the order.
    loss : Loss or str, default="subset"
        What `predict` minimises the expectation of. Greedy inference answers for "subset", `Auto` for other losses.
    random_state : int, RandomState, Generator or None
        Seed of everything random; fixed, everything is the same every time, for any `n_jobs`.
    n_jobs : int, optional
        Threads over blocks of rows when predicting.

    Returns
    -------
    JointClassifier
        Not fitted; every part can be set as usual.

    See Also
    --------
    cc : chain with greedy prediction.
    pacc_ldf : with features of each label.

    References
    ----------
    [PACC] Sun, Kudo and Kimura: Polytree-augmented classifier chains for multi-label classification, with
    label-dependent features, 2016.

    Examples
    --------
    >>> from plait import recipes
    >>> from plait.data.synthetic import make_label_network
    >>> data = make_label_network(200, 6, 4, random_state=0).dataset
    >>> model = recipes.cc_ldf().fit(data.X, data.Y)
    >>> model.predict(data.X).shape
    (200, 4)
    """
    parts = FullChain(order), LabelDependentFeatures(r), learner_for(learner, "PACC"), greedy(inference)
    return JointClassifier(*parts, loss, random_state, n_jobs)


def bcc_ldf(
    *,
    r: float = 0.15,
    root: int | str | None = None,
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
) -> JointClassifier:
    """`bcc` on label-dependent features: first the relevant, then those not redundant [PACC algorithm 2].

    First the features that tell something about a label are kept, then those that are not redundant, also beside its
    parents.

    Parameters
    ----------
    r : float, default=0.15
        Smallest share of the features that a label keeps in the first stage (0.05 for large data).
    root : int or str, optional
        The label that the tree hangs from, by number or name; None draws it.
    learner : Learner, str or classifier, optional
        How conditionals are trained; None is `LogisticLearner(C="cv", standardize="balanced")`, whose penalties come
        from cross-validation; "published" is `LogisticLearner(C=5.0)`, as in [PACC].
        Any scikit-learn classifier is taken too.
    inference : Inference or str, optional
        How questions are answered; None is `Greedy()`, label after label along the order.
    loss : Loss or str, default="subset"
        What `predict` minimises the expectation of. Greedy inference answers for "subset", `Auto` for other losses.
    random_state : int, RandomState, Generator or None
        Seed of everything random; fixed, everything is the same every time, for any `n_jobs`.
    n_jobs : int, optional
        Threads over blocks of rows when predicting.

    Returns
    -------
    JointClassifier
        Not fitted; every part can be set as usual.

    See Also
    --------
    bcc : tree of mutual information between labels.
    pacc_ldf : with features of each label.

    References
    ----------
    [PACC] Sun, Kudo and Kimura: Polytree-augmented classifier chains for multi-label classification, with
    label-dependent features, 2016.

    Examples
    --------
    >>> from plait import recipes
    >>> from plait.data.synthetic import make_label_network
    >>> data = make_label_network(200, 6, 4, random_state=0).dataset
    >>> model = recipes.bcc_ldf(root=0).fit(data.X, data.Y)
    >>> model.graph_.order[0]
    0
    """
    parts = LabelTree(root=root), LabelDependentFeatures(r), learner_for(learner, "PACC"), greedy(inference)
    return JointClassifier(*parts, loss, random_state, n_jobs)


def pacc_ldf(
    *,
    r: float = 0.15,
    learner: Any = None,
    inference: Any = None,
    loss: Any = "subset",
    random_state: Any = None,
    n_jobs: int | None = None,
    released: bool = False,
) -> JointClassifier:
    """`pacc` on label-dependent features: first the relevant, then those not redundant [PACC algorithm 2].

    The seven steps: information gain (1-2), the reduced features (3-4), the polytree on them (5), features without what
    the parents say (6), the conditionals (7).

    Parameters
    ----------
    r : float, default=0.15
        Smallest share of the features that a label keeps in the first stage (0.05 for large data).
    learner : Learner, str or classifier, optional
        How conditionals are trained; None is `LogisticLearner(C="cv", standardize="balanced")`, whose penalties come
        from cross-validation; "published" is `LogisticLearner(C=5.0)`, as in [PACC].
        Any scikit-learn classifier is taken too.
    inference : Inference or str, optional
        How questions are answered; None is `Auto()`, the cheapest exact way, else the best approximate one;
        `Greedy()` where `released`.
    loss : Loss or str, default="subset"
        What `predict` minimises the expectation of: a loss of `plait.losses`, or its word.
    random_state : int, RandomState, Generator or None
        Seed of everything random; fixed, everything is the same every time, for any `n_jobs`.
    n_jobs : int, optional
        Threads over blocks of rows when predicting.
    released : bool, default=False
        Whether to build the graph of the program that the authors released: the polytree of the labels' normalised
        mutual information, and beside it every earlier label that shares more than 0.0005 of it as a parent, where
        the printed numbers come from; predicted greedily, `inference=BestFirst()` for the most probable set, as their
        other program does. `LogisticLearner(5.0, standardize=True, scale_parents=True)` scales as their toolkit.

    Returns
    -------
    JointClassifier
        Not fitted; every part can be set as usual.

    See Also
    --------
    pacc : polytree.
    br_ldf : with features of each label.

    References
    ----------
    [PACC] Sun, Kudo and Kimura: Polytree-augmented classifier chains for multi-label classification, with
    label-dependent features, 2016.

    Examples
    --------
    >>> from plait import recipes
    >>> from plait.data.synthetic import make_label_network
    >>> data = make_label_network(200, 6, 4, random_state=0).dataset
    >>> model = recipes.pacc_ldf(random_state=0).fit(data.X, data.Y)
    >>> model.graph_.is_polytree, model.mask_.support.shape
    (True, (4, 6))
    """
    structure, answers = pacc_graph(released=released), greedy(inference) if released else exact(inference)
    parts = structure, LabelDependentFeatures(r), learner_for(learner, "PACC"), answers
    return JointClassifier(*parts, loss, random_state, n_jobs)
